package effects_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/effects"
	"tobac/posterior"
)

// Two draws that disagree on the direction of an edge.
func ExampleEffects_Of() {
	draw := func(from, to int, weight float64) posterior.Draw {
		g, w := dag.New(2), mat.NewDense(2, 2, nil)
		g.Set(from, to, true)
		w.Set(from, to, weight)
		return posterior.Draw{Graph: g,
			Equations: &posterior.Equations{Weights: w, NoiseVariances: []float64{1, 1}}}
	}
	p := &posterior.Posterior{Names: []string{"dose", "response"}, Kind: posterior.Draws,
		Draws: []posterior.Draw{draw(0, 1, 3), draw(1, 0, 0.2)}}
	e, err := effects.Linear(p, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := e.Of(0)[0]
	fmt.Printf("effect %.1f ± %.1f, a path with probability %.2f\n", f.Mean, f.SD, f.Path)
	all, err := e.Do([]effects.Setting{{Var: 0, Value: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("E[response | do(dose = 2)] = %.1f\n", all[0].Mean.Mean)
	// Output:
	// effect 1.5 ± 1.5, a path with probability 0.50
	// E[response | do(dose = 2)] = 3.0
}
