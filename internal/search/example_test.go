package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tobac/internal/search"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// Column 2 is the sum of columns 0 and 1, and noise.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(200, 3, nil)
	for i := range 200 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, a + b + rng.NormFloat64()/2})
	}
	s, err := score.NewBGe(x, nil, score.BGeOptions{})
	if err != nil {
		panic(err)
	}
	screen, err := search.NewScreen(context.Background(), s, score.Fair(3), 1)
	if err != nil {
		panic(err)
	}
	f := search.New(screen, rng)
	if err := f.Run(context.Background(), 20); err != nil {
		panic(err)
	}
	fmt.Println(f.Parents())
	// Output: [[] [] [0 1]]
}
