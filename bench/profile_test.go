package bench_test

import (
	"testing"

	"tobac/autograd"
)

// Where the time of a score goes, for the models that a step is timed for, at
// d = 20:
//
//	go test ./bench -run 'TestStepProfile/linear' -long -v
func TestStepProfile(t *testing.T) {
	if !*long {
		t.Skip("prints times: go test ./bench -run TestStepProfile -long -v")
	}
	for _, name := range []modelStep{stepLinear, stepFFN, stepDiBS} {
		t.Run(string(name), func(t *testing.T) {
			p := newScaledProblem(t, name, scale{}, autograd.Compiled)
			profiles, err := p.target.Profile(p.start, stepNumber, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, profile := range profiles {
				t.Logf("\n%v", profile)
			}
		})
	}
}
