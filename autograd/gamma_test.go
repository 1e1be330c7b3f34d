package autograd_test

import (
	"math"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestLogRising: ln Γ(n+m) − ln Γ(n) = Σ ln(n+i) for a whole m, and ½ ln n − 1/(8n) for m = ½ and a
// large n, where the two logarithms nearly cancel.
func TestLogRising(t *testing.T) {
	n := []float64{0.5, 3, 19.9, 20, 1e3, 1e9, 1e15, 1e9, 1e14}
	m := []float64{4, 7, 3, 3, 5, 4, 2, 0.5, 0.5}
	b := ad.NewBuilder("rising")
	in := []*ad.Node{b.Input("n", ad.Shape{len(n)}), b.Input("m", ad.Shape{len(n)})}
	y := in[0].LogRising(in[1])
	e := must.Get(ad.NewEvaluator(in, []*ad.Node{y, b.Grad(y.Sum(), in[0])[0]}, ad.Options{}))(t)
	got := [][]float64{make([]float64, len(n)), make([]float64, len(n))}
	must.Do(t, e.Eval(got, []ad.Feed{{Data: n}, {Data: m}}))
	for k := range n {
		want, slope := 0.5*math.Log(n[k])-1/(8*n[k]), 0.5/n[k]+1/(8*n[k]*n[k])
		if m[k] > 1 {
			want, slope = 0, 0
			for i := range int(m[k]) {
				want += math.Log(n[k] + float64(i))
				slope += 1 / (n[k] + float64(i))
			}
		}
		if math.Abs(got[0][k]-want) > 2e-14*math.Abs(want) ||
			math.Abs(got[1][k]-slope) > 1e-12*slope {
			t.Errorf("n %v, m %v: %v with the slope %v, want %v and %v", n[k], m[k], got[0][k],
				got[1][k], want, slope)
		}
	}
}
