package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
)

func TestSmoke(t *testing.T) {
	b := ad.NewBuilder("smoke")
	p := b.Axis("particle", 3)
	s := b.Axis("sample", 5)
	d := 4
	x := b.Input("x", ad.Shape{d, d}, p)
	r := b.Input("r", ad.Shape{d, d})
	e := b.Input("e", ad.Shape{d * (d - 1) / 2}, p, s)
	w := b.Input("w", ad.Shape{d, d}, p)
	u := x.MatMul(x.T()).Gather(ad.StrictUpper(d), ad.Shape{d * (d - 1) / 2}).Add(e).Sigmoid().ScatterAdd(ad.StrictUpper(d), ad.Shape{d, d})
	E := r.MatMul(b.Constant([]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, ad.Shape{d, d}).Sub(u.Mul(w)))
	L := E.Square().Sum(0).Scale(-0.5)
	J := L.Sum().LogMeanExpOver(s)
	J2 := L.LogMeanExpOver(s).Sum()
	g := b.Grad(J, x, w)
	g2 := b.Grad(J2, x, w)
	gg := b.Grad(g[0].Square().Sum(), x, w, r)
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	outs := []*ad.Node{J, J2, g[0], g[1], g2[0], g2[1], gg[0], gg[1]}
	ins := []*ad.Node{x, r, e, w}
	rng := rand.New(rand.NewPCG(1, 2))
	var feeds []ad.Feed
	for _, n := range []int{3 * 16, 16, 3 * 5 * 6, 3 * 16} {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		feeds = append(feeds, ad.Feed{Data: v})
	}
	var ref [][]float64
	for _, eng := range []ad.Engine{ad.Reference, ad.Compiled, ad.Tape} {
		ev, err := ad.NewEvaluator(ins, outs, ad.Options{Engine: eng, Workers: 2, CheckFinite: true})
		if err != nil {
			t.Fatal(eng, err)
		}
		for range 2 {
			dst := [][]float64{make([]float64, 3), make([]float64, 3)}
			for range outs[2:] {
				dst = append(dst, make([]float64, 48))
			}
			if err := ev.Eval(dst, feeds); err != nil {
				t.Fatal(eng, err)
			}
			if ref == nil {
				ref = dst
			}
			worst := 0.0
			for i := range dst {
				for k := range dst[i] {
					worst = max(worst, abs(dst[i][k]-ref[i][k]))
				}
			}
			fmt.Println(eng, worst, dst[0][:3])
		}
		ev.Close()
	}
}
func abs(x float64) float64 { return max(x, -x) }
