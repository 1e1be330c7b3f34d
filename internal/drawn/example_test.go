package drawn_test

import (
	"fmt"

	"tobac/dag"
	"tobac/internal/drawn"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// The total effect along x → y is the weight of the edge.
func ExampleEffectsOf() {
	g := dag.New(2)
	g.Set(0, 1, true)
	e := &posterior.Equations{Weights: mat.NewDense(2, 2, []float64{0, 1.5, 0, 0}),
		NoiseVariances: []float64{1, 1}}
	p := &posterior.Posterior{
		Names: []string{"x", "y"}, Model: "linear", Kind: posterior.Draws,
		Draws: []posterior.Draw{{Graph: g, Equations: e}},
	}
	all, err := drawn.EffectsOf(p, nil, 1)
	if err != nil {
		panic(err)
	}
	for _, f := range all.Of(0) {
		fmt.Println(p.Names[f.To], f.Mean)
	}
	// Output:
	// y 1.5
}
