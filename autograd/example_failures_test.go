package autograd_test

import (
	"errors"
	"fmt"
	"log"

	ad "tobac/autograd"
)

// The second of three matrices has no Cholesky factor: the error names it and says why,
// and the results of the others hold.
func ExampleFailedError() {
	b := ad.NewBuilder("factors")
	a := b.Input("a", ad.Shape{2, 2}, b.Axis("particle", 3))
	logDet := a.Cholesky().Diagonal().Log().Sum().Scale(2)

	e, err := ad.NewEvaluator([]*ad.Node{a}, []*ad.Node{logDet}, ad.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	out := make([]float64, 3)
	err = e.Eval([][]float64{out}, []ad.Feed{{Data: []float64{
		1, 0, 0, 1,
		1, 2, 2, 1,
		4, 2, 2, 2,
	}}})
	var failed *ad.FailedError
	if errors.As(err, &failed) {
		fmt.Println(failed.Axis, failed.Indices, errors.Is(err, ad.ErrNotPositiveDefinite))
	}
	fmt.Println(err)
	fmt.Printf("%.3f\n", out)
	// Output:
	// particle [1] true
	// autograd: graph "factors": particle 1: cholesky#1(2,2){particle=3}: cholesky: pivot 1 is -3: matrix is not positive definite
	// [0.000 NaN 1.386]
}
