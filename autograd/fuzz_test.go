package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// FuzzPrograms builds a random program from the bytes, and compares all ways to run it with the
// reference engine.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(styles) {
		f.Add(programBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkProgram(t, data, append(ad.Passes(), 0)...) })
}

// TestRandomPrograms does the same for a fixed list of programs, with a few of the sets of passes
// left out for each, and asserts that the list has what the passes work on.
func TestRandomPrograms(t *testing.T) {
	count := uint64(32)
	if testing.Short() || raceEnabled || os.Getenv(specialChild) != "" {
		count = 16
	}
	covered := []string{"tile", "tile-relu", "tile-squares", "block", "dot", "draw",
		"sigmoid-shift", "logsumexp-lanes", "shift-constant", "packed"}
	listed := map[string]uint64{}
	for style := range uint64(styles) {
		var total tally
		for k := range count {
			seed := styles*k + style
			rng := rand.New(rand.NewPCG(seed, 19))
			cases := passCases()
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				some := []ad.Pass{0}
				if os.Getenv(specialChild) == "" { // kernels are the same with passes left out
					some = append(some, cases[rng.IntN(len(cases))], cases[rng.IntN(len(cases))])
				}
				total.add(checkProgram(t, programBytes(seed), some...))
			})
			p := newProgram(programBytes(seed), nil)
			// which is faster than few lanes
			program := must.Get(ad.Compile(p.inputs, p.outputs, ad.MachineCode))(t)
			found := map[string]bool{}
			for line := range strings.Lines(program.String()) {
				name, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
				found[name] = true
				found["packed"] = found["packed"] ||
					strings.Contains(line, "group on lanes weighted")
			}
			for _, name := range covered {
				if found[name] {
					listed[name]++
				}
			}
		}
		t.Logf("style %d: %+v", style, total)
		if total.compared < total.elements*8/10 {
			t.Errorf("style %d: %d of %d elements were compared, want eight of ten: the "+
				"generator is out of its domain", style, total.compared, total.elements)
		}
	}
	t.Log(listed)
	for _, name := range covered {
		if listed[name] < 1+count/25 {
			t.Errorf("%d programs have operation %s, want at least %d", listed[name], name,
				1+count/25)
		}
	}
}

// programBytes is the source of a program, whose style is that of the seed.
func programBytes(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, 21+rng.IntN(120))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	data[0] = byte(seed % styles)
	return data
}

// A tally counts what was looked at.
type tally struct {
	elements int // of outputs
	compared int // the others are ill-conditioned, or NaN for a documented reason
	special  int // compared, and not finite
}

func (t *tally) add(o tally) {
	t.elements, t.compared, t.special = t.elements+o.elements, t.compared+o.compared,
		t.special+o.special
}

// passCases are the sets of passes to leave out: none, all, each, all but each, and
// all but each and the one that most others need.
func passCases() []ad.Pass {
	all := ad.Pass(0)
	for _, pass := range ad.Passes() {
		all |= pass
	}
	cases := []ad.Pass{0, all}
	for _, pass := range ad.Passes() {
		cases = append(cases, pass, all&^pass)
		if pass != ad.ElementSchedule {
			cases = append(cases, all&^(pass|ad.ElementSchedule))
		}
	}
	return cases
}

// checkProgram verifies a program, and compares ways to run it with the reference engine, and with
// each other bit by bit: the first, the second and the third evaluation, the last of which comes
// after one of other numbers, on one, two and four workers.
//
// Programs amplify rounding, some without bound. How much is measured: the reference
// engine evaluates the program with all inputs and all results changed in the fourteenth
// digit, in two ways and their opposites. An element may differ by ten thousand times what that
// changes.
func checkProgram(t *testing.T, data []byte, cases ...ad.Pass) (seen tally) {
	t.Helper()
	p := newProgram(data, nil)
	if err := p.b.Err(); err != nil {
		t.Fatalf("program %x: %v", data, err)
	}
	want := p.reference(t)
	expected := p.expect(t, data, want)
	for i := range want {
		for k, e := range expected[i] {
			seen.elements++
			if !e.open {
				seen.compared++
				if !(math.Abs(want[i][k]) <= math.MaxFloat64) {
					seen.special++
				}
			}
		}
	}
	ways := []ad.Options{}
	for _, without := range cases {
		ways = append(ways, ad.Options{Without: without})
	}
	for _, w := range ways {
		program, err := ad.Verify(p.inputs, p.outputs, w)
		if err != nil {
			t.Fatalf("program %x, %+v: %v", data, w, err)
		}
		var one [][]float64
		for _, w.Workers = range []int{1, 2, 4} {
			what := fmt.Sprintf("program %x, %+v", data, w)
			ev, err := program.NewEvaluator(w)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for run := range 3 {
				got := room(p.outputs)
				if run == 2 { // what it leaves makes no difference
					_ = ev.Eval(got, p.others())
				}
				if err := ev.Eval(got, p.src); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if one == nil {
					one = got
				}
				for i := range got {
					if !sameBits(got[i], one[i]) {
						t.Errorf("%s, evaluation %d: output %d %v is %v, of one worker at first %v",
							what, run, i, p.outputs[i], got[i], one[i])
					}
				}
			}
			ev.Close()
		}
		p.agree(t, fmt.Sprintf("program %x, %+v", data, w), one, want, expected)
		if t.Failed() {
			return seen
		}
	}
	return seen
}

// reference are the outputs by the reference engine.
func (p *program) reference(t *testing.T) [][]float64 {
	t.Helper()
	inputs, src := p.inputs, p.src
	if p.noise != nil {
		inputs, src = slices.Concat(inputs, p.noise.inputs), slices.Concat(src, p.noise.src)
	}
	ev := must.Get(ad.NewEvaluator(inputs, p.outputs, ad.Options{Engine: ad.Reference}))(t)
	defer ev.Close()
	dst := room(p.outputs)
	must.Do(t, ev.Eval(dst, src))
	return dst
}

// others are feeds of other numbers.
func (p *program) others() []ad.Feed {
	src := slices.Clone(p.src)
	for i, f := range src {
		src[i].Data = slices.Clone(f.Data)
		for k := range f.Data {
			src[i].Data[k] = 1.5 * math.Sin(float64(k+i))
		}
	}
	return src
}

// An expectation is how near an element must be to that of the reference engine.
type expectation struct {
	tolerance float64
	open      bool // not compared
}

// expect measures how the elements react to rounding.
func (p *program) expect(t *testing.T, data []byte, want [][]float64,
	end ...func(*program)) [][]expectation {
	t.Helper()
	all := make([][]expectation, len(want))
	for i, x := range want {
		all[i] = make([]expectation, len(x))
		top := 0.0
		for _, w := range x {
			if math.Abs(w) <= math.MaxFloat64 {
				top = max(top, math.Abs(w))
			}
		}
		for k, w := range x {
			all[i][k] = expectation{tolerance: 1e-9*math.Abs(w) + 1e-13*top + 1e-290,
				open: math.IsNaN(w) && p.zeros}
		}
	}
	for round := range uint64(4) {
		noise := &rounding{rng: rand.New(rand.NewPCG(round/2, 13)), sign: []float64{1, -1}[round%2]}
		q := newProgram(data, noise, end...)
		for _, f := range q.src {
			for k := range f.Data {
				f.Data[k] *= nearOne(noise)
			}
		}
		for i, near := range q.reference(t) {
			for k, v := range near {
				e, w := &all[i][k], want[i][k]
				finite := math.Abs(w) <= math.MaxFloat64
				switch {
				case finite != (math.Abs(v) <= math.MaxFloat64), !finite && v != w &&
					!math.IsNaN(v):
					e.open = true
				case finite:
					e.tolerance = max(e.tolerance, 10_000*math.Abs(v-w))
					e.open = e.open || !(e.tolerance <= 1e-3*max(math.Abs(w), 1e-3))
				}
			}
		}
	}
	return all
}

func (p *program) agree(t *testing.T, what string, got, want [][]float64,
	expected [][]expectation) {
	t.Helper()
	for i := range want {
		for k, e := range expected[i] {
			g, w := got[i][k], want[i][k]
			if e.open || g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= e.tolerance {
				continue
			}
			t.Errorf("%s: output %d %v, element %d: got %v, want %v ± %.1g", what, i, p.outputs[i],
				k, g, w, e.tolerance)
			break
		}
	}
}
