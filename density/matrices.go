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
	return wishart("wishart cholesky", nu, s, func(l, v, s *autograd.Node) *autograd.Node {
		k := float64(l.Shape()[0])
		return v.AddScalar(-k - 1).Mul(logDiagonal(l)).
			Sub(s.SolveLower(l.Tril(0)).Square().Sum().Scale(0.5)).
			Sub(v.Mul(logDiagonal(s)))
	}, func(rng *rand.Rand, k int, v float64, s, dst []float64) {
		a := make([]float64, k*k) // Bartlett's decomposition
		for i := range k {
			a[i*k+i] = math.Sqrt(distuv.ChiSquared{K: v - float64(i), Src: rng}.Rand())
			for j := range i {
				a[i*k+j] = rng.NormFloat64()
			}
		}
		for i := range k {
			for j := range i + 1 {
				for m := j; m <= i; m++ {
					dst[i*k+j] += s[i*k+m] * a[m*k+j]
				}
			}
		}
	})
}

// InverseWishartCholesky is the distribution of the lower Cholesky factor L of a matrix L Lᵀ
// whose inverse has the Wishart distribution with nu degrees of freedom, at least its
// size, and the scale matrix (S Sᵀ)⁻¹ with a lower triangular S. The density is with respect
// to the lower triangle of L.
func InverseWishartCholesky[N Value](nu N, s *autograd.Node) Distribution {
	return wishart("inverse wishart cholesky", nu, s, func(l, v, s *autograd.Node) *autograd.Node {
		k := float64(l.Shape()[0])
		return v.Mul(logDiagonal(s)).
			Sub(v.AddScalar(k + 1).Mul(logDiagonal(l))).
			Sub(l.SolveLower(s.Tril(0)).Square().Sum().Scale(0.5))
	}, func(rng *rand.Rand, k int, v float64, s, dst []float64) {
		// L = S U⁻ᵀ, and U Uᵀ has a standard Wishart distribution: the rows of L solve L Uᵀ = S
		u := make([]float64, k*k)
		for i := range k {
			u[i*k+i] = math.Sqrt(distuv.ChiSquared{K: v - float64(k-1-i), Src: rng}.Rand())
			for j := i + 1; j < k; j++ {
				u[i*k+j] = rng.NormFloat64()
			}
		}
		for i := range k {
			for j := i; j >= 0; j-- {
				sum := s[i*k+j]
				for m := j + 1; m <= i; m++ {
					sum -= dst[i*k+m] * u[j*k+m]
				}
				dst[i*k+j] = sum / u[j*k+j]
			}
		}
	})
}

// wishart has what both distributions share: the constant −½νk ln 2 − ln Γₖ(ν/2), and the Jacobian
// 2^k Π Lᵢᵢ^(k−i+1) of L Lᵀ.
func wishart[N Value](
	name string,
	nu N,
	s *autograd.Node,
	log func(l, v, s *autograd.Node) *autograd.Node,
	draw func(rng *rand.Rand, k int, v float64, s, dst []float64),
) Distribution {
	c := CovarianceCholesky()
	return Distribution{
		name:       name,
		parameters: []parameter{scalar(nu), array(s, 2)},
		event:      2,
		support:    &c,
		set:        anyNumber,
		log: func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			v, k := p[0], x.Shape()[0]
			down := make([]float64, k)
			sum := v.Scale(float64(k) / 2 * math.Ln2).
				AddScalar(float64(k*(k-1))/4*math.Log(math.Pi) - float64(k)*math.Ln2)
			for i := range k {
				down[i] = float64(k - i)
				sum = sum.Add(v.AddScalar(-float64(i)).Scale(0.5).LogGamma())
			}
			weights := x.Builder().Constant(down, autograd.Shape{k})
			return weights.Mul(x.Diagonal().Log()).Sum().Add(log(x, v, p[1])).Sub(sum)
		},
		draw: func(rng *rand.Rand, p [][]float64, dst []float64) error {
			clear(dst)
			draw(rng, int(math.Sqrt(float64(len(dst)))), p[0][0], p[1], dst)
			return nil
		},
	}
}
