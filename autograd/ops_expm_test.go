package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestExpmOfGonum: the exponential is that of gonum, and its derivative in the
// direction E is block (0,1) of gonum's exponential of [A E; 0 A], for norms at which
// each degree of the approximant and up to seven squarings are used, and for
// directions much larger and smaller than A.
func TestExpmOfGonum(t *testing.T) {
	for _, n := range []int{1, 2, 7, 20} {
		b := ad.NewBuilder("expm")
		a, e := b.Input("a", ad.Shape{n, n}), b.Input("e", ad.Shape{n, n})
		ev := must.Get(ad.NewEvaluator(nodes(a, e), nodes(a.Expm(), a.ExpmFrechet(e)),
			ad.Options{}))(t)
		defer ev.Close()
		for _, norm := range []float64{0, 1e-300, 0.005, 0.1, 0.5, 1.2, 3, 4.74, 4.75, 9.5, 50,
			500} {
			for _, size := range []float64{1, 1e-150, 1e150} {
				t.Run(fmt.Sprintf("n=%d/norm=%v/size=%v", n, norm, size), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(n), math.Float64bits(norm)))
					x := mat.NewDense(n, n, normals(rng, n*n))
					x.Scale(norm/mat.Norm(x, 1), x)
					d := mat.NewDense(n, n, normals(rng, n*n))
					got := [][]float64{make([]float64, n*n), make([]float64, n*n)}
					scaled := mat.NewDense(n, n, nil)
					scaled.Scale(size, d)
					must.Do(t, ev.Eval(got,
						feeds([][]float64{x.RawMatrix().Data,
							scaled.RawMatrix().Data})))
					block := mat.NewDense(2*n, 2*n, nil)
					for _, at := range []int{0, n} {
						block.Slice(at, at+n, at, at+n).(*mat.Dense).Copy(x)
					}
					block.Slice(0, n, n, 2*n).(*mat.Dense).Copy(d)
					var want mat.Dense
					want.Exp(block)
					// Each squaring may double the error: 2⁷ roundings.
					value, derivative := mat.DenseCopyOf(want.Slice(0, n, 0, n)),
						mat.DenseCopyOf(want.Slice(0, n, n, 2*n))
					derivative.Scale(size, derivative)
					compare(t, "exponential", got[0], value.RawMatrix().Data, 1e-12)
					compare(t, "derivative", got[1], derivative.RawMatrix().Data, 1e-12)
				})
			}
		}
	}
}

// The exponential of finite elements that add up to infinity ends: scaling is by the
// largest finite norm.
func TestExpmOfLargestNumbers(t *testing.T) {
	b := ad.NewBuilder("largest")
	x := b.Input("x", ad.Shape{2, 2})
	const v = math.MaxFloat64
	got := eval(t, nodes(x), nodes(x.Expm(), x.ExpmFrechet(x)), [][]float64{{v, v, v, v}},
		ad.Options{})
	for i, y := range got[0] {
		if math.Abs(y) <= math.MaxFloat64 {
			t.Errorf("element %d of the exponential is %v, want an infinity or NaN", i, y)
		}
	}
}
