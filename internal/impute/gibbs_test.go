package impute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/impute"
	"tobac/internal/must"
)

// A chain is x ~ N(0, 1), b = 1 with the odds e^2x, y ~ N(1.5 b, 1).
type chain struct{}

func (chain) Parents(j int) []int { return [][]int{nil, {0}, {1}}[j] }

func (chain) LogDensity(j int, y float64, x []float64) float64 {
	switch j {
	case 0:
		return -0.5 * y * y
	case 1:
		return 2*x[0]*y - math.Log1p(math.Exp(2*x[0]))
	}
	return -0.5 * (y - 1.5*x[0]) * (y - 1.5*x[0])
}

// Values drawn one after the other are distributed as integrals over x say, whether b follows from
// x or was set, within four standard errors of 2000 rows.
func TestGibbs(t *testing.T) {
	const n, y = 2000, 1.3
	g := &impute.Gibbs{Of: chain{}, Values: [][]float64{nil, {0, 1}, nil},
		Steps: []float64{1, 1, 1}, Even: make([]bool, 3)}
	var total, one, first float64
	for x := -8.0; x <= 8; x += 0.01 {
		for b := range 2 {
			p := math.Exp(chain{}.LogDensity(0, x, nil) + chain{}.LogDensity(1, float64(b),
				[]float64{x}) + chain{}.LogDensity(2, y, []float64{float64(b)}))
			total, one, first = total+p, one+p*float64(b), first+p*x
		}
	}
	for _, set := range []bool{false, true} {
		x, mask := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
		var places []int
		for i := range n {
			x.SetRow(i, []float64{0.5, 1, y})
			if places = append(places, 3*i); set {
				mask.Set(i, 1, 1)
			} else {
				places = append(places, 3*i+1)
			}
		}
		rng := rand.New(rand.NewPCG(7, 1))
		for range 3 {
			must.Do(t, g.Redraw(x, places, mask, rng))
		}
		wantB, wantX := one/total, first/total
		if set {
			wantB, wantX = 1, 0 // a level that was set says nothing about x
		}
		if b, m := mat.Sum(x.ColView(1))/n, mat.Sum(x.ColView(0))/n; math.Abs(b-wantB) > 0.045 ||
			math.Abs(m-wantX) > 0.09 {
			t.Errorf("set %v: b is 1 in %v of the rows, and x has the mean %v, want %v and %v", set,
				b, m, wantB, wantX)
		}
		if x.At(5, 2) != y {
			t.Errorf("a value that was not to be drawn became %v", x.At(5, 2))
		}
	}
}

// Numbers of few values have the probability of their cell, and a row that is impossible stays as
// it is.
func TestGibbsOfFewValues(t *testing.T) {
	const n = 4000
	values := []float64{-2, -1, 0, 0.5, 2}
	g := &impute.Gibbs{Of: chain{}, Values: [][]float64{values, nil, nil},
		Even: []bool{true, false, false}, Steps: make([]float64, 3)}
	x, places := mat.NewDense(n, 3, nil), make([]int, n)
	for i := range places {
		places[i] = 3 * i
	}
	mask := mat.NewDense(n, 3, nil)
	for i := range n {
		mask.Set(i, 1, 1)
	}
	must.Do(t, g.Redraw(x, places, mask, rand.New(rand.NewPCG(1, 2))))
	total, count := 0.0, map[float64]float64{}
	weight := []float64{1, 2, 1.5, 2, 1.5}
	for k, v := range values {
		weight[k] *= math.Exp(-0.5 * v * v)
		total += weight[k]
	}
	for i := range n {
		count[x.At(i, 0)]++
	}
	for k, v := range values {
		if got, want := count[v]/n, weight[k]/total; math.Abs(got-want) > 0.032 {
			t.Errorf("%v has the frequency %v, want %v", v, got, want)
		}
	}
	x.Set(0, 1, math.NaN())
	mask.Set(0, 1, 0)
	before := x.At(0, 0)
	if err := g.Redraw(x, places[:1], mask, rand.New(rand.NewPCG(1, 2))); err != nil ||
		x.At(0, 0) != before {
		t.Errorf("a row without probability became %v, %v, want %v", x.At(0, 0), err, before)
	}
}
