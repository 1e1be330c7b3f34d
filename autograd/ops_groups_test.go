package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
)

// Log-sum-exps, softmax weights and extrema over groups of any size and number, along any
// dimension, of arrays and in lanes, with infinities and NaN among the elements, and where
// some elements of the result are not read, are those of the reference.
func TestGroups(t *testing.T) {
	inf := math.Inf(1)
	special := []float64{inf, -inf, math.NaN(), 0, math.Copysign(0, -1), 800, -800, math.MaxFloat64}
	for _, s := range []ad.Shape{{1, 1}, {2, 3}, {3, 2}, {7, 5}, {9, 31}, {2, 40}, {300, 4},
		{4, 300}, {1, 70}} {
		for _, samples := range []int{0, 1, 6} {
			t.Run(fmt.Sprint(s, samples), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(s[0]), uint64(s[1])))
				b := ad.NewBuilder("groups")
				var over []*ad.Axis
				if samples > 0 {
					over = []*ad.Axis{b.Axis("particle", 2), b.Axis("sample", samples)}
				}
				x := b.Input("x", s, over...)
				var outputs []*ad.Node
				for _, axis := range []int{0, 1} {
					soft := x.Softmax(axis)
					outputs = append(outputs, x.LogSumExp(axis), soft, x.Max(axis), x.Min(axis),
						soft.Slice(1-axis, 0, 1))
				}
				outputs = append(outputs, x.LogSumExp(), x.Max())
				in := normals(rng, sizeOf(x))
				for i := range in {
					in[i] *= 3
					if rng.IntN(9) == 0 && i%3 == 0 {
						in[i] = special[rng.IntN(len(special))]
					}
				}
				feed := [][]float64{in}
				want := eval(t, []*ad.Node{x}, outputs, feed, ad.Options{Engine: ad.Reference})
				for name, opt := range map[string]ad.Options{"compiled": {},
					"by value": {Without: ad.ElementSchedule}} {
					got := eval(t, []*ad.Node{x}, outputs, feed, opt)
					for k := range want {
						for e, w := range want[k] {
							g := got[k][e]
							if g != w && !(math.Abs(g-w) <= 1e-14*max(1, math.Abs(w))) &&
								!(math.IsNaN(g) && math.IsNaN(w)) {
								t.Fatalf("%s: element %d of output %d, %v: got %v, want %v", name,
									e, k, outputs[k], g, w)
							}
						}
					}
				}
			})
		}
	}
}
