package autograd_test

import (
	"testing"

	ad "tobac/autograd"
)

// Element programs keep to the registers, numbers and operands that there are, and read
// nothing before it is written: in every layout, with each pass left out and with each
// alone, on random programs and densities.
func TestElementPrograms(t *testing.T) {
	count := uint64(60)
	if testing.Short() {
		count = 10
	}
	verify := func(what string, inputs, outputs []*ad.Node) {
		t.Helper()
		for _, without := range passCases() {
			p, err := ad.Compile(inputs, outputs, without)
			if err != nil {
				t.Fatalf("%s without %q: %v", what, without, err)
			}
			if err := ad.VerifyLanes(p); err != nil {
				t.Errorf("%s without %q: %v", what, without, err)
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
		verify("program", p.inputs, outputs)
		d := newSampleDensity(programBytes(20_000 + seed))
		verify("density", d.inputs, d.outputs)
	}
}
