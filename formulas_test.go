package tobac_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Formulas of physics and trade, in which causes multiply, recorded with four digits: what is said
// with .95 or more is true, but for one adjacency of all.
func TestFormulas(t *testing.T) {
	type row = []float64
	allWrong := 0
	for _, c := range []struct {
		name  string
		names []string
		draw  func(rng *rand.Rand) row
		truth map[[2]int]bool
		least int // true adjacencies with .95 or more
	}{
		{"Ohm's law", []string{"volts", "ohms", "amperes", "watts", "degrees"},
			func(rng *rand.Rand) row {
				v, r := 1+11*rng.Float64(), math.Exp(2+0.5*rng.NormFloat64())
				i := v / r * math.Exp(0.05*rng.NormFloat64())
				p := i * v * math.Exp(0.05*rng.NormFloat64())
				return row{v, r, i, p, 20 + 0.4*p + rng.NormFloat64()}
			}, map[[2]int]bool{{0, 2}: true, {1, 2}: true, {0, 3}: true, {2, 3}: true,
				{3, 4}: true}, 4},
		{"a shop", []string{"price", "advertising", "sold", "revenue", "cost", "profit"},
			func(rng *rand.Rand) row {
				price, ads := math.Exp(2+0.4*rng.NormFloat64()), 2*rng.ExpFloat64()
				rate, sold := 40*math.Pow(price, -1.2)*(1+0.3*ads), 0.0
				for left := rng.ExpFloat64(); left < rate; left += rng.ExpFloat64() {
					sold++
				}
				revenue := price*sold*math.Exp(0.02*rng.NormFloat64()) + rng.NormFloat64()
				cost := 20 + 1.5*sold + 4*rng.NormFloat64()
				return row{price, ads, sold, revenue, cost, revenue - cost + 3*rng.NormFloat64()}
			}, map[[2]int]bool{{0, 2}: true, {1, 2}: true, {0, 3}: true, {2, 3}: true,
				{2, 4}: true, {3, 5}: true, {4, 5}: true}, 5},
		{"a pendulum", []string{"length", "period", "mass", "height", "speed", "energy"},
			func(rng *rand.Rand) row {
				l, m, h := 0.2+1.8*rng.Float64(), math.Exp(0.4*rng.NormFloat64()),
					0.05+0.45*rng.Float64()
				speed := math.Sqrt(2*9.81*h) * math.Exp(0.03*rng.NormFloat64())
				return row{l, 2 * math.Pi * math.Sqrt(l/9.81) * math.Exp(0.02*rng.NormFloat64()), m,
					h, speed, m * speed * speed / 2 * math.Exp(0.05*rng.NormFloat64())}
			}, map[[2]int]bool{{0, 1}: true, {3, 4}: true, {2, 5}: true, {4, 5}: true}, 4},
	} {
		for _, n := range []int{200, 600} {
			t.Run(c.name+" "+strconv.Itoa(n), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(n), 11))
				data := &dataset.Table{Names: c.names, X: mat.NewDense(n, len(c.names), nil)}
				for i := range n {
					for j, v := range c.draw(rng) {
						v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
						data.X.Set(i, j, v)
					}
				}
				r := must.Get(tobac.Fit(context.Background(), data, tobac.Config{}))(t)
				if said, right := sure(r, c.truth); right < said {
					t.Errorf("%d directions said with .95 or more, %d right", said, right)
				}
				found, wrong := 0, 0
				for i := range r.Names {
					for j := range i {
						if r.Posterior.Pair(j, i).Adjacent < 0.95 {
							continue
						}
						if c.truth[[2]int{j, i}] || c.truth[[2]int{i, j}] {
							found++
						} else {
							wrong++
						}
					}
				}
				if allWrong += wrong; found < c.least || allWrong > 1 {
					t.Errorf("%d true adjacencies with .95 or more, want %d; %d wrong ones so "+
						"far, want at most one, by %s", found, c.least, allWrong, r.Model)
				}
			})
		}
	}
}
