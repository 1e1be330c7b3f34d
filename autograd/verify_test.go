package autograd_test

import (
	"fmt"
	"testing"

	ad "tobac/autograd"
)

// Functions are sound after every pass, and element programs keep to the registers,
// numbers and operands that there are, and read nothing before it is written: in every
// layout, with each pass left out and with each alone, on random programs and densities.
func TestVerify(t *testing.T) {
	count := uint64(20)
	if testing.Short() || raceEnabled {
		count = 8
	}
	verify := func(what string, inputs, outputs []*ad.Node) {
		t.Helper()
		for _, without := range passCases() {
			for _, workers := range []int{1, 3} {
				if err := ad.Verify(inputs, outputs, ad.Options{Without: without, Workers: workers}); err != nil {
					t.Errorf("%s, %d workers, without %q: %v", what, workers, without, err)
				}
			}
		}
	}
	for _, l := range layouts {
		m := l.build(7)
		verify(l.name, m.inputs, m.outputs)
	}
	for _, twice := range []bool{false, true} {
		inputs, outputs := noisy(40, twice)
		verify("noisy", inputs, outputs)
	}
	inputs, outputs := mixture()
	verify("mixture", inputs, outputs)
	for seed := range count {
		p := newProgram(programBytes(4000 + seed))
		p.grow()
		outputs, _ := p.finish()
		verify(fmt.Sprintf("program %d", 4000+seed), p.inputs, outputs)
		d := newSampleDensity(programBytes(20_000 + seed))
		verify(fmt.Sprintf("density %d", 20_000+seed), d.inputs, d.outputs)
		w := newWholeProgram(programBytes(50_000+seed), nil)
		verify(fmt.Sprintf("whole program %d", 50_000+seed), w.inputs, w.outputs)
	}
}
