package smooth

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An equation into which blocks enter and which they leave has the evidence of its normal
// equations, and so has what is read off it with another amplitude.
func TestSystemAgainstFactors(t *testing.T) {
	const n, d = 60, 6
	x := table(n, d, 4, curved)
	for i := range n { // nearly a copy
		x.Set(i, 5, x.At(i, 4)+1e-4*x.At(i, 5))
	}
	for _, m := range []*Data{newData(t, x, nil), newData(t, x, mask(n, d, 3))} {
		for name, s := range both(t, m) {
			prepared(t, s, 2)
			rng := rand.New(rand.NewPCG(1, 2))
			w, parents := new(regression), []int{0, 1, 4, 5}
			p := len(parents)
			f := &fit{parents: parents, form: form{make([]uint8, p), make([]uint8, p*(p-1)/2)}}
			f.curves, f.pairs = make([]float64, p), make([]float64, p*(p-1)/2)
			var y system
			y.of(s, 3, f)
			for round := range 60 {
				a, b := rng.IntN(p-1), p-1
				if rng.IntN(2) == 0 {
					a = rng.IntN(p)
					prior := flat(len(curvePrior), rng)
					f.curves[a] = y.along(f, m.curve(parents[a]), &f.form.curves[a], prior)
				} else {
					k := pairAt(a, b, p)
					products := m.product(parents[a], parents[b])
					f.pairs[k] = y.along(f, products, &f.form.products[k], flat(3, rng))
				}
				want := w.log(s, 3, parents, f.form)
				if got := y.log(p); math.Abs(got-want) > 1e-7*math.Abs(want) {
					t.Fatalf("%s, step %d, form %v: %v, want %v", name, round, f.form, got, want)
				}
			}
		}
	}
}

// flat are prior probabilities that lead to any amplitude.
func flat(n int, rng *rand.Rand) (all []float64) {
	for range n {
		all = append(all, 200*rng.NormFloat64())
	}
	return all
}

// A block that rounding makes indefinite costs no less than its part.
func TestPivotsAreAtLeastOne(t *testing.T) {
	c := &complement{t: 2, s: []float64{1, 1 + 1e-9, 1 + 1e-9, 1}, rho: []float64{0, 0}}
	part, _ := c.with([]float64{1e6})
	if whole, _ := c.with([]float64{1e6, 1e6}); whole < part {
		t.Errorf("½ log|K| = %v of two functions, %v of one", whole, part)
	}
}
