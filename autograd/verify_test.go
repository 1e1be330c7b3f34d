package autograd_test

import (
	"testing"

	ad "tobac/autograd"
)

// Functions are sound after every pass, and element programs keep to the registers, numbers and
// operands that there are: in every layout, with each pass left out and with each alone. Random
// programs are verified too: see checkProgram.
func TestVerify(t *testing.T) {
	verify := func(what string, inputs, outputs []*ad.Node) {
		t.Helper()
		for i, without := range passCases() {
			for _, workers := range []int{1, 3}[:1+i%2] { // with all passes, and without each
				if _, err := ad.Verify(inputs, outputs,
					ad.Options{Without: without, Workers: workers}); err != nil {
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
}
