package svgd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/svgd"
)

// steinKernel is equation (6) by differences of the base kernel: independent of its derivatives.
// Second differences with a step of 1e-4 leave about 1e-7.
func steinKernel(c, beta, h float64, gx, gy, x, y []float64) float64 {
	k := func(x, y []float64) float64 { return math.Pow(c*c+square(x, y)/h, -beta) }
	moved := func(x []float64, i int, by float64) []float64 {
		x = append([]float64(nil), x...)
		x[i] += by
		return x
	}
	const e = 1e-4
	sum := 0.0
	for i := range x {
		sum += gx[i] * gy[i] * k(x, y)
		sum += gx[i] * (k(x, moved(y, i, e)) - k(x, moved(y, i, -e))) / (2 * e)
		sum += gy[i] * (k(moved(x, i, e), y) - k(moved(x, i, -e), y)) / (2 * e)
		sum += (k(moved(x, i, e), moved(y, i, e)) - k(moved(x, i, e), moved(y, i, -e)) -
			k(moved(x, i, -e), moved(y, i, e)) + k(moved(x, i, -e), moved(y, i, -e))) / (4 * e * e)
	}
	return sum
}

// Both statistics are the means of the kernel that the definition says, on random shapes; how
// coordinates are cut into blocks does not matter.
func TestDiscrepancyDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, a, b := rapid.IntRange(1, 6).Draw(rt, "particles"),
			rapid.IntRange(1, 4).Draw(rt, "first"), rapid.IntRange(1, 3).Draw(rt, "second")
		c, beta, h := rapid.Float64Range(0.5, 2).Draw(rt, "c"),
			rapid.Float64Range(0.2, 1.5).Draw(rt, "beta"), rapid.Float64Range(0.5, 5).Draw(rt, "h")
		seed := rapid.Uint64().Draw(rt, "seed")
		x, score := gaussianBlocks(seed, n, a, b), gaussianBlocks(seed+1, n, a, b)
		s := svgd.IMQ{C: c, Beta: beta, Bandwidth: svgd.Fixed(h)}.Discrepancy(score, x)
		all, off := 0.0, 0.0
		flat := func(x []*mat.Dense, m int) []float64 {
			p := particle(x, m)
			return append(p[0], p[1]...)
		}
		for r := range n {
			for m := range n {
				k := steinKernel(c, beta, h, flat(score, r), flat(score, m), flat(x, r), flat(x, m))
				if all += k; r != m {
					off += k
				}
			}
		}
		if want := all / float64(n*n); !(math.Abs(s.V-want) <= 1e-5*(1+math.Abs(want))) || s.V < 0 {
			rt.Fatalf("V %v, want %v", s.V, want)
		}
		if want := off / float64(n*(n-1)); n > 1 &&
			!(math.Abs(s.U-want) <= 1e-5*(1+math.Abs(want))) || n == 1 && !math.IsNaN(s.U) {
			rt.Fatalf("U %v, want %v", s.U, want)
		}
	})
}

// correlated is a normal density with mean 0 and covariance LLᵀ.
type correlated struct{ factor, precision *mat.Dense }

// newCorrelated has unit variances and the correlation rho^|i−j|.
func newCorrelated(p int, rho float64) correlated {
	cov := mat.NewSymDense(p, nil)
	for i := range p {
		for j := range i + 1 {
			cov.SetSym(i, j, math.Pow(rho, float64(i-j)))
		}
	}
	var chol mat.Cholesky
	chol.Factorize(cov)
	var lower mat.TriDense
	chol.LTo(&lower)
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		panic(err)
	}
	return correlated{mat.DenseCopyOf(&lower), mat.DenseCopyOf(&inverse)}
}

func (c correlated) Score(dst, x []*mat.Dense, _ int) error {
	dst[0].Mul(x[0], c.precision)
	dst[0].Scale(-1, dst[0])
	return nil
}

// draws are n independent ones.
func (c correlated) draws(seed uint64, n int) []*mat.Dense {
	p, _ := c.factor.Dims()
	var x mat.Dense
	x.Mul(gaussianBlocks(seed, n, p)[0], c.factor.T())
	return []*mat.Dense{&x}
}

// discrepancy is that of particles, and their p-value with signs from a seed.
func (c correlated) discrepancy(x []*mat.Dense, seed uint64) (*svgd.Stein, float64) {
	score := zeros(x)
	if err := c.Score(score, x, 0); err != nil {
		panic(err)
	}
	s := svgd.IMQ{}.Discrepancy(score, x)
	return s, s.PValue(rand.New(rand.NewPCG(seed, 2)), 200)
}

// Independent draws from a normal density have p-values that are uniform, up to what 100 sets of
// 100 can show; draws that are shifted, too wide or without the correlation are found out.
func TestDiscrepancyTellsDrawsFromOthers(t *testing.T) {
	const sets, n, p = 100, 100, 4
	target := newCorrelated(p, 0.6)
	rejected := map[string]int{}
	mean := 0.0
	for k := range uint64(sets) {
		x := target.draws(100+k, n)
		reject := func(name string, x []*mat.Dense) float64 {
			s, v := target.discrepancy(x, k)
			if v <= 0.05 {
				rejected[name]++
			}
			return s.U
		}
		mean += reject("draws", x) / sets
		shifted, wide, narrow, loose := clone(x), clone(x), clone(x), gaussianBlocks(900+k, n, p)
		for m := range n {
			shifted[0].Set(m, 0, x[0].At(m, 0)+0.5)
		}
		wide[0].Scale(1.6, wide[0])
		narrow[0].Scale(0.7, narrow[0])
		reject("shifted", shifted)
		reject("wide", wide)
		reject("narrow", narrow)
		reject("uncorrelated", loose)
	}
	t.Logf("rejected at 0.05 of %d sets: %v; mean U of draws %.4f", sets, rejected, mean)
	// 0.05 of 100 sets is 5, its standard deviation 2.2: 4 of these allowed.
	if n := rejected["draws"]; n > 13 {
		t.Errorf("%d of %d sets of draws from the density are rejected at 0.05", n, sets)
	}
	for _, name := range []string{"shifted", "wide", "uncorrelated"} {
		if n := rejected[name]; n < sets*3/4 {
			t.Errorf("%d of %d sets that are %s are rejected at 0.05", n, sets, name)
		}
	}
}

func TestDiscrepancyPanics(t *testing.T) {
	x := gaussianBlocks(1, 3, 2)
	wantPanic(t, "svgd: 0 blocks of scores, want 1", func() { svgd.IMQ{}.Discrepancy(nil, x) })
	wantPanic(t, "svgd: scores of block 0 are 3×1, want 3×2", func() {
		svgd.IMQ{}.Discrepancy(gaussianBlocks(1, 3, 1), x)
	})
	one := gaussianBlocks(1, 1, 2)
	wantPanic(t, "svgd: p-value of 1 particles in 5 rounds, want at least 2 and 1", func() {
		svgd.IMQ{}.Discrepancy(one, one).PValue(rand.New(rand.NewPCG(1, 2)), 5)
	})
}
