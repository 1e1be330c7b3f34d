package inference_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/inference"
	"tobac/models"

	"gonum.org/v1/gonum/mat"
)

// A custom model that leaves out what was set by intervention, or does not.
type custom struct{ masked bool }

func (custom) String() string { return "custom" }

func (c custom) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	var mask mat.Matrix
	if c.masked {
		mask = data.Mask()
	}
	return models.NewLinear(data.X, mask, models.LinearOptions{NoiseVariance: 1})
}

// A custom likelihood that counts values that were set is refused, also where all are the same.
func TestCheckInterventions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, set := range []func() float64{rng.NormFloat64, func() float64 { return 0 }} {
		data := &dataset.Table{Names: []string{"a", "b", "c"}, X: mat.NewDense(20, 3, nil),
			Intervened: mat.NewDense(20, 3, nil)}
		data.X.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, data.X)
		for r := range 5 {
			data.X.Set(r, 1, set())
			data.Intervened.Set(r, 1, 1)
		}
		if err := inference.CheckModel(custom{masked: true}, data); err != nil {
			t.Errorf("a likelihood without the values that were set: %v", err)
		}
		err := inference.CheckModel(custom{}, data)
		if err == nil || !strings.Contains(err.Error(), `5 values of column "b"`) {
			t.Errorf("error %v, want one of 5 values of b", err)
		}
		if err := inference.CheckModel(custom{}, data.Observational()); err != nil {
			t.Errorf("without interventions: %v", err)
		}
	}
}
