package slice_test

import (
	"context"
	"fmt"

	"tobac/chain"
	"tobac/density"
	"tobac/slice"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A probability given 3 successes of 10, with a uniform prior: 1/3 ± 0.13.
func Example() {
	m, err := density.New(func(t *density.Trace) {
		p := t.Sample("p", density.Beta(1, 1))
		t.Observe(density.Binomial(10, p), t.Constant([]float64{3}))
	}, density.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	draws, err := chain.Sampler{Target: m, Kernel: slice.Kernel{}}.Run(context.Background(), 1000,
		nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := m.Draws(draws)
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, sd := stat.MeanStdDev(mat.Col(nil, 0, values[0]), nil)
	fmt.Printf("%.1f ± %.1f\n", mean, sd)
	// Output: 0.3 ± 0.1
}
