package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	ad "tobac/autograd"
)

// FuzzPrograms builds a whole program from the bytes, softmax weights and stiff factors
// included, and compares all ways to run it with the reference engine.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(programBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkWhole(t, data) })
}

// TestWholePrograms does the same for a fixed list of programs.
func TestWholePrograms(t *testing.T) {
	count := 300
	if testing.Short() || raceEnabled || os.Getenv(specialChild) != "" {
		count = 40
	}
	var total tally
	for seed := range uint64(count) {
		t.Run(fmt.Sprint("seed ", 50_000+seed), func(t *testing.T) { total.add(checkWhole(t, programBytes(50_000+seed))) })
	}
	t.Logf("%+v", total)
	if total.compared < total.elements*8/10 {
		t.Errorf("%d of %d elements were compared, want eight of ten: the generator is out of its domain", total.compared, total.elements)
	}
}

// A tally counts what was looked at.
type tally struct {
	elements int // of outputs
	compared int // the others are ill-conditioned, or NaN for a documented reason
	special  int // compared, and not finite
}

func (t *tally) add(o tally) {
	t.elements, t.compared, t.special = t.elements+o.elements, t.compared+o.compared, t.special+o.special
}

// wholeWays are the ways to run a program: with all passes, and without each.
func wholeWays() []way {
	ways := []way{{"with every pass", ad.Options{}}}
	for _, pass := range ad.Passes() {
		ways = append(ways, way{fmt.Sprintf("without %q", pass), ad.Options{Without: pass}})
	}
	return ways
}

// checkWhole compares all ways to run a program with the reference engine, three workers
// with one bit by bit, and a second run with the first.
//
// Programs amplify rounding, some without bound. How much is measured: the reference
// engine evaluates the program with all inputs and all results changed in the fourteenth
// digit, in two ways and their opposites. An element may differ by ten thousand times what that changes.
func checkWhole(t *testing.T, data []byte) (seen tally) {
	t.Helper()
	p := newWholeProgram(data, nil)
	if err := p.b.Err(); err != nil {
		t.Fatalf("program %x: %v", data, err)
	}
	want := eval(t, p.inputs, p.outputs, p.feeds, ad.Options{Engine: ad.Reference})
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
	for _, w := range wholeWays() {
		program, err := ad.Compile(p.inputs, p.outputs, w.opt.Without)
		if err != nil {
			t.Fatalf("program %x %s: %v", data, w.name, err)
		}
		var one [][]float64
		for _, workers := range []int{1, 3} {
			ev, err := program.NewEvaluator(ad.Options{Workers: workers})
			if err != nil {
				t.Fatalf("program %x %s: %v", data, w.name, err)
			}
			first, second := room(p.outputs), room(p.outputs)
			for _, dst := range [][][]float64{first, second} {
				if err := ev.Eval(dst, feeds(p.feeds)); err != nil {
					t.Fatalf("program %x %s: %v", data, w.name, err)
				}
			}
			ev.Close()
			if one == nil {
				one = first
			}
			for i := range first {
				if !sameBits(first[i], second[i]) {
					t.Errorf("program %x %s, %d workers: output %d %v: the second run differs", data, w.name, workers, i, p.outputs[i])
				}
				if !sameBits(first[i], one[i]) {
					t.Errorf("program %x %s: output %d %v: %d workers differ from one", data, w.name, i, p.outputs[i], workers)
				}
			}
		}
		p.compare(t, fmt.Sprintf("program %x %s", data, w.name), one, want, expected)
		if t.Failed() {
			return seen
		}
	}
	return seen
}

// An expectation is how near an element must be to that of the reference engine.
type expectation struct {
	tolerance float64
	open      bool // not compared
}

// expect measures how the elements react to rounding.
func (p *wholeProgram) expect(t *testing.T, data []byte, want [][]float64) [][]expectation {
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
			all[i][k] = expectation{tolerance: 1e-9*math.Abs(w) + 1e-13*top + 1e-290, open: math.IsNaN(w) && p.zeros}
		}
	}
	for round := range uint64(4) {
		noise := &rounding{rand.New(rand.NewPCG(round/2, 13)), []float64{1, -1}[round%2]}
		q := newWholeProgram(data, noise)
		for _, x := range q.feeds {
			for k := range x {
				x[k] *= nearOne(noise)
			}
		}
		for i, near := range eval(t, q.inputs, q.outputs, q.feeds, ad.Options{Engine: ad.Reference}) {
			for k, v := range near {
				e, w := &all[i][k], want[i][k]
				finite := math.Abs(w) <= math.MaxFloat64
				switch {
				case finite != (math.Abs(v) <= math.MaxFloat64), !finite && v != w && !math.IsNaN(v):
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

func (p *wholeProgram) compare(t *testing.T, what string, got, want [][]float64, expected [][]expectation) {
	t.Helper()
	for i := range want {
		for k, e := range expected[i] {
			g, w := got[i][k], want[i][k]
			if e.open || g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= e.tolerance {
				continue
			}
			t.Errorf("%s: output %d %v, element %d: got %v, want %v ± %.1g", what, i, p.outputs[i], k, g, w, e.tolerance)
			break
		}
	}
}
