package impute_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/impute"
)

// naiveEM is EM by its definition on a standardised table: row by row, with the regression of the
// gaps on what was observed from blocks of the covariance matrix, and the prior's λI in S.
func naiveEM(z *mat.Dense, ridge float64, iterations int) (mean *mat.VecDense, cov *mat.Dense) {
	n, d := z.Dims()
	mean, cov = mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
	for j := range d {
		cov.Set(j, j, 1)
	}
	for range iterations {
		sum, square := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
		for i := range n {
			var o, m []int
			for j := range d {
				if math.IsNaN(z.At(i, j)) {
					m = append(m, j)
				} else {
					o = append(o, j)
				}
			}
			x, c := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
			for _, j := range o {
				x.SetVec(j, z.At(i, j))
			}
			if len(m) > 0 {
				coo, cmo := mat.NewDense(len(o), len(o), nil), mat.NewDense(len(m), len(o), nil)
				resid := mat.NewVecDense(len(o), nil)
				for a, j := range o {
					resid.SetVec(a, x.AtVec(j)-mean.AtVec(j))
					for b, l := range o {
						coo.Set(a, b, cov.At(j, l))
					}
					for b, l := range m {
						cmo.Set(b, a, cov.At(l, j))
					}
				}
				var inverse, slope, less mat.Dense
				if err := inverse.Inverse(coo); err != nil {
					panic(err)
				}
				slope.Mul(cmo, &inverse)
				less.Mul(&slope, cmo.T())
				var fit mat.VecDense
				fit.MulVec(&slope, resid)
				for b, l := range m {
					x.SetVec(l, mean.AtVec(l)+fit.AtVec(b))
					for e, k := range m {
						c.Set(l, k, cov.At(l, k)-less.At(b, e))
					}
				}
			}
			sum.AddVec(sum, x)
			for a := range d {
				for b := range d {
					square.Set(a, b, square.At(a, b)+x.AtVec(a)*x.AtVec(b)+c.At(a, b))
				}
			}
		}
		mean.ScaleVec(1/float64(n), sum)
		for a := range d {
			for b := range d {
				v := square.At(a, b) - float64(n)*mean.AtVec(a)*mean.AtVec(b)
				if a == b {
					v += ridge
				}
				cov.Set(a, b, v/(float64(n)+ridge))
			}
		}
	}
	return mean, cov
}

// scale standardises the observed values of every column.
func scale(x *mat.Dense) (z *mat.Dense, mean, sd []float64) {
	n, d := x.Dims()
	z = mat.NewDense(n, d, nil)
	for j := range d {
		sum, squares, count := 0.0, 0.0, 0.0
		for i := range n {
			if v := x.At(i, j); !math.IsNaN(v) {
				sum += v
				count++
			}
		}
		for i := range n {
			if v := x.At(i, j); !math.IsNaN(v) {
				squares += (v - sum/count) * (v - sum/count)
			}
		}
		mean, sd = append(mean, sum/count), append(sd, math.Sqrt(squares/count))
		for i := range n {
			z.Set(i, j, (x.At(i, j)-mean[j])/sd[j])
		}
	}
	return z, mean, sd
}

// The estimates are those of the naive twin. Both stop within the tolerance of 1e-5 for an
// iteration, hence within 1e-5/(1−rate) of the limit, with a rate below .9.
func TestEM(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	x := punched(correlated(80, 5, rng), 0.2, rng)
	m := complete(t, x, impute.Settings{Count: 1, Iterations: 1}).Diagnostics.Models[0]
	if !m.Converged || m.Rate <= 0 || m.Rate > 0.9 || m.Rows != 80 {
		t.Fatalf("converged %v, rate %v, rows %d", m.Converged, m.Rate, m.Rows)
	}
	z, mean, sd := scale(x)
	wantMean, wantCov := naiveEM(z, m.Ridge, 200)
	for j := range 5 {
		if got, want := (m.Mean[j]-mean[j])/sd[j],
			wantMean.AtVec(j); !(math.Abs(got-want) <= 1e-4) {
			t.Errorf("mean of column %d: got %v, want %v", j, got, want)
		}
		for k := range 5 {
			if got, want := m.Covariance.At(j, k)/sd[j]/sd[k],
				wantCov.At(j, k); !(math.Abs(got-want) <= 1e-4) {
				t.Errorf("covariance %d, %d: got %v, want %v", j, k, got, want)
			}
		}
	}
}

// Permuting rows and columns permutes the estimates, up to the rounding of sums in another
// sequence.
func TestEMUnderPermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n, d = 50, 5
	x := punched(correlated(n, d, rng), 0.2, rng)
	rows, columns := rng.Perm(n), rng.Perm(d)
	y := mat.NewDense(n, d, nil)
	y.Apply(func(i, j int, _ float64) float64 { return x.At(rows[i], columns[j]) }, y)
	s := impute.Settings{Count: 1, Iterations: 1}
	a, b := complete(t, x, s).Diagnostics.Models[0], complete(t, y, s).Diagnostics.Models[0]
	if a.EMIterations != b.EMIterations || a.Ridge != b.Ridge || a.DF != b.DF {
		t.Errorf("iterations %d and %d, prior (%v, %v) and (%v, %v)", a.EMIterations,
			b.EMIterations, a.Ridge, a.DF, b.Ridge, b.DF)
	}
	for j := range d {
		if got, want := b.Mean[j],
			a.Mean[columns[j]]; !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Errorf("mean of column %d: got %v, want %v", j, got, want)
		}
		for k := range d {
			got, want := b.Covariance.At(j, k), a.Covariance.At(columns[j], columns[k])
			if !(math.Abs(got-want) <= 1e-9*math.Sqrt(a.Covariance.At(columns[j],
				columns[j])*a.Covariance.At(columns[k], columns[k]))) {
				t.Errorf("covariance %d, %d: got %v, want %v", j, k, got, want)
			}
		}
	}
}

// Without gaps in other columns, two columns that are never observed together have no correlation
// beyond what a third explains, and the prior makes the posterior proper.
func TestColumnsNeverSeenTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	x := mat.NewDense(200, 3, nil)
	for i := range 200 {
		c := rng.NormFloat64()
		x.SetRow(i, []float64{c, c + rng.NormFloat64(), c + rng.NormFloat64()})
		x.Set(i, 1+i%2, math.NaN())
	}
	c := complete(t, x, impute.Settings{Count: 4, Seed: 2})
	if m := c.Diagnostics.Models[0]; m.Ridge < 3 || float64(m.Rows)-1+m.DF < 5 {
		t.Errorf("ridge %v, degrees of freedom %v: the posterior is hardly proper", m.Ridge, m.DF)
	}
	for k := range 4 {
		for _, v := range c.Table(k).RawMatrix().Data {
			if !(math.Abs(v) <= 20) {
				t.Fatalf("table %d has the value %v", k, v)
			}
		}
	}
}
