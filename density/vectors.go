package density

import (
	"errors"
	"math"
	"math/rand/v2"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Dirichlet is a simplex with concentrations alpha. Its density is with respect to the elements
// but the last.
func Dirichlet[A Value](alpha A) Distribution {
	c := Simplex()
	return Distribution{
		name:       "dirichlet",
		parameters: []parameter{array(alpha, 1)},
		event:      1,
		support:    &c,
		set:        unitNumber,
		log: func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			a := p[0]
			axis, _ := size(a)
			terms := a.AddScalar(-1).Mul(x.Log())
			return terms.Sum(len(terms.Shape()) - 1).
				Add(a.Sum(axis).LogGamma().Sub(a.LogGamma().Sum(axis)))
		},
		draw: func(rng *rand.Rand, p [][]float64, dst []float64) error {
			total := 0.0
			for i, a := range p[0] {
				dst[i] = distuv.Gamma{Alpha: a, Beta: 1, Src: rng}.Rand()
				total += dst[i]
			}
			for i := range dst {
				dst[i] /= total
			}
			return nil
		},
	}
}

// whitened is L⁻¹(x − μ) for the last axis of x, as a matrix of one row for each value.
func whitened(x, mu, l *autograd.Node) (z *autograd.Node, batch autograd.Shape) {
	d := x.Sub(mu)
	s := d.Shape()
	k := s[len(s)-1]
	batch = s[:len(s)-1]
	return l.SolveLower(d.Reshape(autograd.Shape{batch.Len(), k}).T()).T(), batch
}

func logDiagonal(l *autograd.Node) *autograd.Node { return l.Diagonal().Log().Sum() }

var errNotPositive = errors.New("a covariance matrix is not positive definite")

// colour adds L z to the mean for a standard normal z divided by shrink.
func colour(rng *rand.Rand, mu, l, dst []float64, shrink float64) {
	k := len(dst)
	z := make([]float64, k)
	for i := range z {
		z[i] = rng.NormFloat64() / shrink
	}
	for i := range k {
		dst[i] = mu[i%len(mu)]
		for j := range i + 1 {
			dst[i] += l[i*k+j] * z[j]
		}
	}
}

// real vectors have any numbers.
func vectorOf(
	name string,
	log nodeFunc,
	draw func(rng *rand.Rand, p [][]float64, dst []float64) error,
	parameters ...parameter,
) Distribution {
	c := Real()
	return Distribution{
		name:       name,
		parameters: parameters,
		event:      1,
		support:    &c,
		set:        anyNumber,
		log:        log,
		draw:       draw,
	}
}

// MultivariateNormalCholesky has mean mu and the covariance L Lᵀ with a lower triangular L.
func MultivariateNormalCholesky[M Value](mu M, l *autograd.Node) Distribution {
	return vectorOf(
		"multivariate normal",
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			z, batch := whitened(x, p[0], p[1])
			_, k := size(z)
			return z.Square().
				Sum(1).
				Reshape(batch).
				Scale(-0.5).
				Sub(logDiagonal(p[1])).
				AddScalar(-float64(k) * lnSqrt2Pi)
		},
		func(rng *rand.Rand, p [][]float64, dst []float64) error {
			colour(rng, p[0], p[1], dst, 1)
			return nil
		},
		meanOf(mu, l),
		array(l, 2),
	)
}

// meanOf is a mean that may be one number for all elements of a vector.
func meanOf[M Value](mu M, l *autograd.Node) parameter {
	return parameter{func(x *autograd.Node) *autograd.Node {
		n := node(x, mu)
		if len(n.Shape()) == 0 {
			return n.Expand(l.Shape()[:1])
		}
		return n
	}, 1}
}

// MultivariateNormal has mean mu and covariance sigma. A sigma that is not positive definite
// has no density.
func MultivariateNormal[M Value](mu M, sigma *autograd.Node) Distribution {
	return MultivariateNormalCholesky(mu, sigma.Cholesky())
}

// MultivariateNormalPrecision has mean mu and the inverse covariance q.
func MultivariateNormalPrecision[M Value](mu M, q *autograd.Node) Distribution {
	return vectorOf(
		"multivariate normal",
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			d := x.Sub(p[0])
			s := d.Shape()
			k := s[len(s)-1]
			l := p[1].Cholesky()
			z := d.Reshape(autograd.Shape{s[:len(s)-1].Len(), k}).MatMul(l)
			return z.Square().
				Sum(1).
				Reshape(s[:len(s)-1]).
				Scale(-0.5).
				Add(logDiagonal(l)).
				AddScalar(-float64(k) * lnSqrt2Pi)
		},
		func(rng *rand.Rand, p [][]float64, dst []float64) error {
			k := len(dst)
			var chol mat.Cholesky
			if !chol.Factorize(mat.NewSymDense(k, p[1])) {
				return errNotPositive
			}
			var upper mat.TriDense
			chol.UTo(&upper)
			z := mat.NewVecDense(k, nil)
			for i := range k {
				z.SetVec(i, rng.NormFloat64())
			}
			if err := z.SolveVec(&upper, z); err != nil {
				return errNotPositive
			}
			for i := range dst {
				dst[i] = p[0][i] + z.AtVec(i)
			}
			return nil
		},
		meanOf(mu, q),
		array(q, 2),
	)
}

// MultivariateStudentsT has location mu, the scale matrix L Lᵀ with a lower triangular L, and
// nu degrees of freedom.
func MultivariateStudentsT[M, N Value](mu M, l *autograd.Node, nu N) Distribution {
	return vectorOf(
		"multivariate student t",
		func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
			z, batch := whitened(x, p[0], p[1])
			_, k := size(z)
			v := p[2]
			half, rest := v.Scale(0.5), v.Builder().Scalar(float64(k)/2)
			constant := half.LogRising(rest).
				Sub(v.Log().AddScalar(math.Log(math.Pi)).Mul(rest))
			return constant.Sub(logDiagonal(p[1])).
				Sub(half.Add(rest).Mul(z.Square().Sum(1).Reshape(batch).Div(v).Log1p()))
		},
		func(rng *rand.Rand, p [][]float64, dst []float64) error {
			v := p[2][0]
			colour(rng, p[0], p[1], dst, math.Sqrt(distuv.ChiSquared{K: v, Src: rng}.Rand()/v))
			return nil
		},
		meanOf(mu, l),
		array(l, 2),
		scalar(nu),
	)
}
