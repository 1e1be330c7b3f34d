package density

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"

	"gonum.org/v1/gonum/stat/distuv"
)

// LKJCholesky is the distribution of the lower Cholesky factor L of a correlation matrix of
// k×k whose density is proportional to its determinant to the power eta − 1; 1 is
// uniform. The density is with respect to the elements of L below the diagonal.
func LKJCholesky[E Value](k int, eta E) Distribution {
	c := CorrelationCholesky()
	return Distribution{
		name:       "lkj cholesky",
		parameters: []parameter{scalar(eta)},
		event:      2,
		support:    &c,
		set:        anyNumber,
		log: func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			// Σᵢ (k − i + 2η − 2) ln Lᵢᵢ, i from 2 (and L₁₁ is 1)
			powers := make([]float64, k)
			for i := range powers {
				powers[i] = float64(k - i - 1)
			}
			eta2 := p[0].AddScalar(-1).Scale(2)
			weights := x.Builder().Constant(powers, autograd.Shape{k}).Add(eta2)
			return weights.Mul(x.Diagonal().Log()).Sum().Sub(lkjConstant(k, p[0]))
		},
		draw: func(rng *rand.Rand, p [][]float64, dst []float64) error {
			lkjDraw(rng, k, p[0][0], dst)
			return nil
		},
	}
}

// lkjConstant is the log of the integral of |LLᵀ|^(η−1) over correlation matrices. Row i of L,
// counted from 1 with n = i − 1 elements below the diagonal, has the density
// (1 − Σl²)^(b−1) with b = η + (k − i)/2, whose integral is π^(n/2) Γ(b)/Γ(b + n/2).
func lkjConstant(k int, eta *autograd.Node) *autograd.Node {
	sum := eta.Builder().Scalar(0)
	for i := 2; i <= k; i++ {
		n, b := float64(i-1), eta.AddScalar(float64(k-i)/2)
		sum = sum.Add(
			b.LogGamma().Sub(b.AddScalar(n / 2).LogGamma()).AddScalar(n / 2 * math.Log(math.Pi)),
		)
	}
	return sum
}

// lkjDraw draws rows: the squared length of the part below the diagonal of row i with n
// elements is Beta(n/2, b), and its direction uniform.
func lkjDraw(rng *rand.Rand, k int, eta float64, dst []float64) {
	clear(dst)
	dst[0] = 1
	for i := 1; i < k; i++ {
		row := dst[i*k:][:i+1]
		square := distuv.Beta{Alpha: float64(i) / 2, Beta: eta + float64(k-i-1)/2, Src: rng}.Rand()
		length := 0.0
		for j := range i {
			row[j] = rng.NormFloat64()
			length += row[j] * row[j]
		}
		for j := range i {
			row[j] *= math.Sqrt(square / length)
		}
		row[i] = math.Sqrt(1 - square)
	}
}

// WishartCholesky is the distribution of the lower Cholesky factor L of a matrix L Lᵀ that has
// the Wishart distribution with nu degrees of freedom, at least its size, and the scale
// matrix S Sᵀ with a lower triangular S. The density is with respect to the lower
// triangle of L.
func WishartCholesky[N Value](nu N, s *autograd.Node) Distribution {
	c := CovarianceCholesky()
	return Distribution{
		name:       "wishart cholesky",
		parameters: []parameter{scalar(nu), array(s, 2)},
		event:      2,
		support:    &c,
		set:        anyNumber,
		log: func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			v, l := p[0], x
			k := l.Shape()[0]
			down := make([]float64, k) // of the Jacobian 2^k Π Lᵢᵢ^(k−i+1)
			sum := v.Scale(float64(k) / 2 * math.Ln2).
				AddScalar(float64(k*(k-1)) / 4 * math.Log(math.Pi))
			for i := range k {
				down[i] = float64(k - i)
				sum = sum.Add(v.AddScalar(-float64(i)).Scale(0.5).LogGamma())
			}
			logs := l.Diagonal().Log()
			weights := x.Builder().
				Constant(down, autograd.Shape{k}).
				Add(v.AddScalar(-float64(k) - 1))
			return weights.Mul(logs).
				Sum().
				Sub(p[1].SolveLower(l.Tril(0)).Square().Sum().Scale(0.5)).
				Sub(v.Mul(logDiagonal(p[1]))).
				Sub(sum).
				AddScalar(float64(k) * math.Ln2)
		},
		draw: func(rng *rand.Rand, p [][]float64, dst []float64) error { // Bartlett's decomposition
			k := int(math.Sqrt(float64(len(dst))))
			a := make([]float64, k*k)
			for i := range k {
				a[i*k+i] = math.Sqrt(distuv.ChiSquared{K: p[0][0] - float64(i), Src: rng}.Rand())
				for j := range i {
					a[i*k+j] = rng.NormFloat64()
				}
			}
			clear(dst)
			for i := range k {
				for j := range i + 1 {
					for m := j; m <= i; m++ {
						dst[i*k+j] += p[1][i*k+m] * a[m*k+j]
					}
				}
			}
			return nil
		},
	}
}
