package additive_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/internal/additive"

	"gonum.org/v1/gonum/mat"
)

// Skewed noise tells which of two columns is the cause.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(300, 2, nil)
	for i := range 300 {
		cause := math.Exp(0.5 * rng.NormFloat64())
		x.Set(i, 0, cause)
		x.Set(i, 1, 2*cause+rng.ExpFloat64())
	}
	s, err := additive.NewLinear(x, nil, additive.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	forward := s.LogScore(0, nil) + s.LogScore(1, []int{0})
	backward := s.LogScore(1, nil) + s.LogScore(0, []int{1})
	fmt.Println("the evidence for 0 → 1 is more than e^20 times that for 1 → 0:",
		forward-backward > 20)
	fmt.Printf("weight %.1f\n", s.Equation(1, []int{0}).Mean[0])
	// Output:
	// the evidence for 0 → 1 is more than e^20 times that for 1 → 0: true
	// weight 2.0
}
