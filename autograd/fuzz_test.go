package autograd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
)

// FuzzEngines builds a random expression from the bytes and compares value,
// gradient and, for some, second derivative on all engines.
func FuzzEngines(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(programBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkProgram(t, data) })
}

// TestRandomPrograms does the same for a fixed list of programs.
func TestRandomPrograms(t *testing.T) {
	count := uint64(600)
	if testing.Short() || raceEnabled {
		count = 60
	}
	skipped := 0
	for seed := range count {
		if !checkProgram(t, programBytes(1000+seed)) {
			skipped++
		}
		if t.Failed() {
			t.Fatalf("program of seed %d", 1000+seed)
		}
	}
	if skipped > int(count)/10 {
		t.Errorf("%d of %d programs were not finite: the generator is out of its domain", skipped, count)
	}
}

func programBytes(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, 20+rng.IntN(120))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return data
}

// Engines add in different orders, and fuzzed expressions cancel: results agree
// to these fractions of the largest element of a result, or of 1.
const (
	fuzzTolerance       = 1e-8
	fuzzSecondTolerance = 1e-5
)

// checkProgram reports whether the program was finite, and so compared.
func checkProgram(t *testing.T, data []byte) (compared bool) {
	t.Helper()
	p := newProgram(data)
	p.grow()
	outputs, second := p.finish()
	if err := p.b.Err(); err != nil {
		t.Fatalf("program %x: %v", data, err)
	}
	want := eval(t, p.inputs, outputs, p.feeds, ad.Options{Engine: ad.Reference})
	for _, v := range want {
		if top := largest(v); math.IsNaN(top) || top > 1e12 {
			return false
		}
	}
	for _, opt := range []ad.Options{{}, {Workers: 2}, {Engine: ad.Tape}} {
		ev, err := ad.NewEvaluator(p.inputs, outputs, opt)
		if err != nil {
			t.Fatalf("program %x: %v engine: %v", data, opt.Engine, err)
		}
		defer ev.Close()
		got, again := room(outputs), room(outputs)
		for _, dst := range [][][]float64{got, again} {
			if err := ev.Eval(dst, feeds(p.feeds)); err != nil {
				t.Fatalf("program %x: %v engine: %v", data, opt.Engine, err)
			}
		}
		for i := range want {
			tolerance := fuzzTolerance
			if i >= second {
				tolerance = fuzzSecondTolerance
			}
			scale := max(1, largest(want[i]))
			for k, w := range want[i] {
				if g := got[i][k]; !(math.Abs(g-w) <= tolerance*scale) {
					t.Errorf("program %x: %v engine, %d workers: output %d %v, element %d: got %v, want %v", data, opt.Engine, opt.Workers, i, outputs[i], k, g, w)
					break
				}
			}
			if !sameBits(got[i], again[i]) {
				t.Errorf("program %x: %v engine: second run of output %d %v: got %v, want %v", data, opt.Engine, i, outputs[i], again[i], got[i])
			}
		}
	}
	return true
}
