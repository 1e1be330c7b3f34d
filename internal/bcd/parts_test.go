package bcd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/bcd"
	_ "tobac/internal/rapidseed"

	"pgregory.net/rapid"
)

// uniforms are numbers in (0, 1).
func uniforms(count int, seed uint64) []float64 {
	x := make([]float64, count)
	ad.FillUniform(x, seed)
	return x
}

// matrix draws a d×d matrix of numbers up to a size.
func matrix(t *rapid.T, d int, size float64) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-size, size), d*d, d*d).Draw(t, "matrix")
}

// The scaled iteration and the one by definition agree to rounding, step by step, and so in where
// they stop.
func TestScalingIsTheLogDomain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 8).Draw(t, "d")
		y := matrix(t, d, rapid.SampledFrom([]float64{1, 30, 150}).Draw(t, "size"))
		scaled, logs := make([]float64, d*d), make([]float64, d*d)
		k, ok := bcd.BalanceScaling(scaled, y, d, 0.01)
		if want := bcd.BalanceLog(logs, y, d, 0.01); ok && k != want {
			// A sum within rounding of the tolerance may fall on either side.
			t.Skip("stopped elsewhere")
		}
		for e := range logs {
			if ok && !(math.Abs(scaled[e]-logs[e]) < 1e-9) {
				t.Fatalf("element %d of\n%v\nis %v scaled, %v by definition", e, y, scaled[e],
					logs[e])
			}
		}
	})
}

// Rows sum to 1, columns within the tolerance, whatever the size of the numbers; adding to rows or
// columns changes nothing.
func TestBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 7).Draw(t, "d")
		y := matrix(t, d, rapid.SampledFrom([]float64{1, 50, 2000}).Draw(t, "size"))
		p := make([]float64, d*d)
		if bcd.Balance(p, y, d, 0.01) >= 20000 {
			return
		}
		miss := 0.0
		for i := range d {
			row, column := 0.0, 0.0
			for j := range d {
				row += p[i*d+j]
				column += p[j*d+i]
			}
			miss += math.Abs(column - 1)
			if !(math.Abs(row-1) < 1e-9) {
				t.Fatalf("row %d sums to %v", i, row)
			}
		}
		if !(miss < 0.01+1e-9) {
			t.Fatalf("columns are off by %v", miss)
		}
	})
}

// What is not finite stays so, without 20 000 iterations.
func TestBalanceOfNaN(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		p := make([]float64, 4)
		if k := bcd.Balance(p, []float64{0, v, 1, 2}, 2, 0.01); k != 0 || !math.IsNaN(p[0]) ||
			!math.IsNaN(p[3]) {
			t.Errorf("of %v: %v after %d iterations", v, p, k)
		}
	}
}

// The largest sum over all permutations is that of the assignment.
func TestAssignmentIsTheBestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		x := matrix(t, d, rapid.SampledFrom([]float64{1, 1e-9, 1e9}).Draw(t, "size"))
		if rapid.Bool().Draw(t, "ties") {
			for e := range x {
				x[e] = math.Round(x[e])
			}
		}
		sum, taken := 0.0, make([]bool, d)
		for i, j := range bcd.Assign(x, d) {
			if taken[j] {
				t.Fatalf("column %d twice", j)
			}
			taken[j] = true
			sum += x[i*d+j]
		}
		best := bestPermutation(x, d, 0, make([]bool, d))
		if !(math.Abs(sum-best) <= 1e-14*float64(d)*math.Max(math.Abs(best), largestOf(x))) {
			t.Fatalf("assignment of\n%v\nhas the sum %v, the best permutation %v", x, sum, best)
		}
	})
}

func bestPermutation(x []float64, d, i int, taken []bool) float64 {
	if i == d {
		return 0
	}
	best := math.Inf(-1)
	for j := range d {
		if !taken[j] {
			taken[j] = true
			best = max(best, x[i*d+j]+bestPermutation(x, d, i+1, taken))
			taken[j] = false
		}
	}
	return best
}

func largestOf(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}

// The implicit derivative against differences of the converged iteration.
func TestSinkhornGradient(t *testing.T) {
	for _, d := range []int{2, 3, 5} {
		rng := rand.New(rand.NewPCG(uint64(d), 1))
		y, c := make([]float64, d*d), make([]float64, d*d)
		for e := range y {
			y[e], c[e] = rng.NormFloat64(), rng.NormFloat64()
		}
		err := gradtest.Check(func(b *ad.Builder, x []*ad.Node) *ad.Node {
			p := bcd.DoublyStochastic(x[0], 1e-14, func(*ad.Node) {})
			return p.Dot(b.Constant(c, ad.Shape{d, d}))
		}, [][]float64{y}, []ad.Shape{{d, d}}, gradtest.Options{})
		if err != nil {
			t.Errorf("d = %d: %v", d, err)
		}
	}
}

// Near a permutation the equations still have a solution, or the cotangent is 0.
func TestSinkhornGradientNearAPermutation(t *testing.T) {
	const d = 5
	for _, size := range []float64{10, 100, 1000} {
		p, ct, got := make([]float64, d*d), make([]float64, d*d), make([]float64, d*d)
		y := make([]float64, d*d)
		for e := range y {
			ct[e] = float64(e%7) - 3
			if e/d == e%d {
				y[e] = size
			}
		}
		bcd.Balance(p, y, d, 0.01)
		ok := bcd.BalanceCotangent(got, p, ct, d, 1, 0)
		for e, v := range got {
			if !(math.Abs(v) < 1e3) || !ok && v != 0 {
				t.Errorf("size %g: element %d is %v, solved %v", size, e, v, ok)
			}
		}
	}
}

// γ is the gradient of the Bethe approximation.
func TestBetheGradient(t *testing.T) {
	err := gradtest.Check(func(_ *ad.Builder, x []*ad.Node) *ad.Node {
		return bcd.LogPermanent(x[0])
	}, [][]float64{goldenM}, []ad.Shape{{4, 4}}, gradtest.Options{})
	if err != nil {
		t.Error(err)
	}
}

// The approximation is a lower bound of the permanent, within a factor √2^d (Gurvits; Anari and
// Rezaei), up to what twenty sweeps leave. They leave more for larger numbers.
func TestBetheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		m, gamma := matrix(t, d, 2), make([]float64, d*d)
		got, want := bcd.BethePermanent(gamma, m, d),
			logPermanentByDefinition(m, d, 0, make([]bool, d))
		if !(got < want+0.1) || !(got > want-float64(d)*math.Ln2/2-0.1) {
			t.Fatalf("Bethe approximation %v of the log permanent %v at d = %d", got, want, d)
		}
	})
}

// At a matrix with one permutation that outweighs the others the approximation is its weight,
// however far 1 − γ is below rounding.
func TestBetheAtPermutations(t *testing.T) {
	for _, tt := range []struct {
		m    []float64
		want float64
	}{
		{[]float64{1, 1.125, 10, -1}, 11.125},
		{[]float64{1.5, -1.50390625, 0.0039215087890625, 0.03125}, 1.53125},
		{[]float64{1, 10, 1, 1.875, -1, 0.5, 0.25, 1, 10}, 21.875},
		{[]float64{1000, -1000, -1000, 1000}, 2000},
	} {
		d := int(math.Sqrt(float64(len(tt.m))))
		gamma := make([]float64, d*d)
		near(t, "value", []float64{bcd.BethePermanent(gamma, tt.m, d)}, []float64{tt.want}, 1e-9)
	}
}

func logPermanentByDefinition(m []float64, d, i int, taken []bool) float64 {
	if i == d {
		return 0
	}
	sum := 0.0
	for j := range d {
		if !taken[j] {
			taken[j] = true
			sum += math.Exp(m[i*d+j] + logPermanentByDefinition(m, d, i+1, taken))
			taken[j] = false
		}
	}
	return math.Log(sum)
}

// The horseshoe density is a mixture of normal densities over its scale, and the score its
// derivative. Both are finite at 0.
func TestHorseshoe(t *testing.T) {
	for _, x := range []float64{1e-6, 1e-3, .02, .5, 1, 1.4142, 1.4143, 3, 20, 1e4, -1} {
		// The integral of N(x; 0, λ²) 2/(π(1+λ²)) over λ = e^s by the trapezoid rule.
		sum := 0.0
		const h = 0.01
		for s := -60.0; s < 60; s += h {
			l := math.Exp(s)
			sum += h * math.Exp(-x*x/(2*l*l)-0.5*math.Log(2*math.Pi)) * 2 / (math.Pi * (1 + l*l))
		}
		near(t, "log density", []float64{bcd.LogHorseshoe(x)}, []float64{math.Log(sum)}, 1e-9)
		slope, _ := gradtest.Derivative(func(h float64) float64 { return bcd.LogHorseshoe(x + h) },
			math.Abs(x)/10)
		near(t, "score", []float64{bcd.ScoreHorseshoe(x)}, []float64{slope},
			1e-8*math.Abs(slope)+1e-12)
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1e-300} {
		if v, s := bcd.LogHorseshoe(x), bcd.ScoreHorseshoe(x); math.IsInf(v, 0) || math.IsNaN(v) ||
			math.IsInf(s, 0) || math.IsNaN(s) {
			t.Errorf("at %v: %v, %v", x, v, s)
		}
	}
}

// The whole objective with soft permutations against differences, for every choice of the model.
func TestObjectiveGradient(t *testing.T) {
	const d, batch = 3, 2
	gram := []float64{4, 1, -.5, 1, 3, .7, -.5, .7, 5}
	for name, s := range map[string]bcd.Settings{
		"default": {}, "paper": bcd.Paper(), "unequal variances": {UnequalVariances: true},
		"factorized": {Factorized: true, UnequalVariances: true},
	} {
		s.Batch, s.HorseshoeScale = batch, 0.5
		elbo, parameters, temperature, noise, gumbel := bcd.SoftObjective(s, gram, d)
		args := []gradtest.Argument{{Node: temperature, Values: []float64{0.7}, Fixed: true}}
		rng := rand.New(rand.NewPCG(7, 1))
		for _, p := range parameters {
			values := make([]float64, p.Shape().Len())
			for e := range values {
				values[e] = 0.06 * rng.NormFloat64()
			}
			args = append(args, gradtest.Argument{Node: p, Values: values})
		}
		for k, x := range []*ad.Node{noise, gumbel} {
			u := uniforms(batch*x.Shape().Len(), uint64(5+k))
			args = append(args, gradtest.Argument{Node: x, Values: u, Fixed: true})
		}
		// Weights lie about 0.4 away from 0, where the density has a pole.
		if err := gradtest.CheckGraph(elbo, args,
			gradtest.Options{Step: 1e-3, Tolerance: 1e-5, Every: -1, Directions: 4}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
