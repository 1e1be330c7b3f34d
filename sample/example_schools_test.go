package sample_test

import (
	"context"
	"fmt"
	"log"

	"tobac/density"
	"tobac/nuts"
	"tobac/sample"
)

func schools(t *density.Trace) {
	y, sigma := t.Data("y", 8), t.Data("sigma", 8)
	mu := t.Sample("mu", density.Normal(0, 5))
	tau := t.Sample("tau", density.HalfCauchy(5))
	theta := mu.Add(tau.Mul(t.Sample("z", density.Normal(0, 1), 8)))
	t.Record("theta", theta)
	t.Observe(density.Normal(theta, sigma), y)
}

// Eight schools: effects of coaching, with one distribution above them.
func Example_schools() {
	fit, err := sample.Run(context.Background(), schools, map[string][]float64{
		"y":     {28, 8, -3, 7, -1, 1, 18, 12},
		"sigma": {15, 10, 16, 11, 9, 11, 10, 18},
	}, sample.Settings{Kernel: nuts.Kernel{Acceptance: 0.9}, Draws: 2000, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer fit.Close()
	for _, p := range fit.Summary[:2] {
		fmt.Printf("%-3s %.0f ± %.0f, R̂ %.1f\n", p.Name, p.Mean, p.SD, p.ScaleRatio)
	}
	// Output:
	// mu  4 ± 3, R̂ 1.0
	// tau 4 ± 3, R̂ 1.0
}
