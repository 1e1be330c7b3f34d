package density_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/density"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

var (
	covariance = []float64{2, .3, .1, .3, 1, 0, .1, 0, .5}
	scale      = []float64{1, .2, 0, .2, 1.5, .1, 0, .1, .7}
	square     = autograd.Shape{3, 3}
	mean       = []float64{0, 1, 2}
)

func constant(x *autograd.Node, v []float64, shape ...int) *autograd.Node {
	return x.Builder().Constant(v, shape)
}

// Densities of vectors and matrices equal those of SciPy 1.17.1; each row of an array is one
// vector.
func TestVectors(t *testing.T) {
	normal := []float64{-455.10948280482245, -2.819482804822202}
	a, b, p := []float64{40, -2, 1}, []float64{.1, .7, 2.2}, []float64{.1, .7, .2}
	precision := mat.NewDense(3, 3, nil)
	must.Do(t, precision.Inverse(mat.NewDense(3, 3, covariance)))
	for _, c := range []struct {
		of   func(x *autograd.Node) dist
		x    []float64
		want []float64
	}{
		{func(x *autograd.Node) dist {
			return density.MultivariateNormal(mean, constant(x, covariance, 3, 3))
		}, a, normal},
		{func(x *autograd.Node) dist {
			return density.MultivariateNormalCholesky(mean,
				constant(x, covariance, 3, 3).Cholesky())
		}, a, normal},
		{func(x *autograd.Node) dist {
			return density.MultivariateNormalPrecision(mean,
				constant(x, precision.RawMatrix().Data, 3, 3))
		}, a, normal},
		{func(x *autograd.Node) dist {
			return density.MultivariateStudentsT(mean, constant(x, covariance, 3, 3).Cholesky(),
				3.5)
		}, a, []float64{-20.6137529357617, -2.712419610038096}},
		{func(x *autograd.Node) dist { return density.Dirichlet([]float64{.5, 2, 7}) }, p,
			[]float64{-4.324292606183844}},
		{func(x *autograd.Node) dist { return density.Multinomial(7, []float64{.2, .3, .5}) },
			[]float64{3, 0, 4}, []float64{-4.045554398052668}},
	} {
		second := b
		if c.x[0] != 40 {
			second = c.x
		}
		got := value(
			t,
			append(append([]float64{}, c.x...), second...),
			func(x *autograd.Node) *autograd.Node {
				rows := x.Reshape(autograd.Shape{2, 3})
				return c.of(rows).LogProb(rows)
			},
		)
		for i, want := range append(c.want, c.want...)[:2] {
			if math.Abs(got[i]-want) > 1e-11*math.Max(1, math.Abs(want)) {
				t.Errorf(
					"%s: row %d %v, want %v",
					c.of(autograd.NewBuilder("x").Scalar(0)),
					i,
					got[i],
					want,
				)
			}
		}
	}
	// the density of a factor is that of the matrix times 2^k Π Lᵢᵢ^(k−i+1)
	var chol mat.Cholesky
	chol.Factorize(mat.NewSymDense(3, covariance))
	l := mat.NewTriDense(3, mat.Lower, nil)
	chol.LTo(l)
	want := -8.073682958943346 + 3*math.Ln2 + 3*math.Log(l.At(0, 0)) + 2*math.Log(
		l.At(1, 1),
	) + math.Log(l.At(2, 2))
	for name, w := range map[string]struct {
		of   func(s *autograd.Node) dist
		want float64
	}{
		"wishart": {func(s *autograd.Node) dist { return density.WishartCholesky(4.5, s) }, want},
		"inverse wishart": {
			func(s *autograd.Node) dist { return density.InverseWishartCholesky(4.5, s) },
			want + 8.073682958943346 - 7.799874305831817,
		},
	} {
		got := value(t, covariance, func(x *autograd.Node) *autograd.Node {
			x = x.Reshape(square).Cholesky()
			return w.of(constant(x, scale, 3, 3).Cholesky()).LogProb(x)
		})
		if math.Abs(got[0]-w.want) > 1e-11 {
			t.Errorf("%s %v, want %v", name, got[0], w.want)
		}
	}
}

// The mean over draws from one distribution of the ratio of another's density to its own is 1:
// for distributions of vectors and matrices with tails that the first one's exceed.
func TestRatios(t *testing.T) {
	const n = 4000
	matrix := func(t *density.Trace) *autograd.Node { return t.Constant(scale, 3, 3).Cholesky() }
	for _, c := range []struct {
		from, to func(t *density.Trace) dist
		shape    []int
	}{
		{func(t *density.Trace) dist { return density.LKJCholesky(4, 1) },
			func(t *density.Trace) dist { return density.LKJCholesky(4, 1.7) }, []int{4, 4}},
		{func(t *density.Trace) dist { return density.WishartCholesky(6, matrix(t)) },
			func(t *density.Trace) dist { return density.WishartCholesky(7, matrix(t).Scale(0.8)) },
			[]int{3, 3}},
		{func(t *density.Trace) dist { return density.InverseWishartCholesky(6, matrix(t)) },
			func(t *density.Trace) dist {
				return density.InverseWishartCholesky(7, matrix(t).Scale(1.1))
			}, []int{3, 3}},
		{func(t *density.Trace) dist { return density.MultivariateStudentsT(mean, matrix(t), 4) },
			func(t *density.Trace) dist {
				return density.MultivariateNormalCholesky(1.2, matrix(t))
			}, []int{3}},
		{func(t *density.Trace) dist {
			return density.MultivariateNormalPrecision(mean, t.Constant(scale, 3, 3))
		}, func(t *density.Trace) dist {
			return density.MultivariateNormalPrecision(1.2, t.Constant(scale, 3, 3).Scale(1.3))
		}, []int{3}},
		{func(t *density.Trace) dist { return density.Dirichlet([]float64{1, 2, 0.7}) },
			func(t *density.Trace) dist { return density.Dirichlet([]float64{1.5, 2, 1.1}) },
			[]int{3}},
		{func(t *density.Trace) dist { return density.Normal(0, 2).Ordered() },
			func(t *density.Trace) dist { return density.Normal(0.5, 1).Ordered() }, []int{2, 3}},
		{func(t *density.Trace) dist { return density.Gamma(1, 1).Ordered() },
			func(t *density.Trace) dist { return density.Gamma(2, 2).Ordered() }, []int{3}},
		{
			func(t *density.Trace) dist { return density.VonMises(0.3, 1) },
			func(t *density.Trace) dist { return density.VonMises(-2.5, 1.7) },
			[]int{1},
		},
	} {
		m := must.Get(density.New(func(t *density.Trace) {
			from, to := c.from(t), c.to(t)
			x := t.Sample("x", from, c.shape...)
			t.Record("ratio", to.LogProb(x).Sub(from.LogProb(x)).Sum())
		}, density.Options{Points: 32}))(t)
		x := must.Get(m.Prior(n, 1))(t)
		values := must.Get(m.Draws([]*mat.Dense{x}))(t)
		names := m.Names()
		m.Close()
		sum, squares := 0.0, 0.0
		for i := range n {
			r := math.Exp(values[0].At(i, len(names)-1))
			sum += r / n
			squares += r * r / n
		}
		if se := math.Sqrt((squares - sum*sum) / n); !(math.Abs(sum-1) < 4*se) || se > 0.1 {
			t.Errorf("%v: mean ratio %v ± %v, want 1", c.shape, sum, se)
		}
	}
}

// Derivatives of densities of vectors and matrices by their coordinates and parameters.
func TestVectorDerivatives(t *testing.T) {
	points := [][]float64{{0.4, -0.2, 0.3, 1.1, -0.7, 0.2}, {-1.9, 2.1, -1.3, -2.2, 1.7, -2.5}}
	for name, f := range map[string]func(u *autograd.Node) *autograd.Node{
		"lkj": func(u *autograd.Node) *autograd.Node {
			l, j := density.CorrelationCholesky().Value(u, autograd.Shape{4, 4})
			return density.LKJCholesky(4, u.Index(0, 0).Exp()).LogProb(l).Add(j)
		},
		"wishart": func(u *autograd.Node) *autograd.Node {
			l, j := density.CovarianceCholesky().Value(u, square)
			return density.WishartCholesky(u.Index(0, 0).AddScalar(4),
				constant(u, scale, 3, 3).Cholesky()).LogProb(l).Add(j)
		},
		"inverse wishart": func(u *autograd.Node) *autograd.Node {
			l, j := density.CovarianceCholesky().Value(u, square)
			return density.InverseWishartCholesky(u.Index(0, 0).AddScalar(4),
				constant(u, scale, 3, 3).Cholesky()).LogProb(l).Add(j)
		},
		"wishart by its scale": func(u *autograd.Node) *autograd.Node {
			s, _ := density.CovarianceCholesky().Value(u, square)
			return density.WishartCholesky(u.Index(0, 0).Exp().AddScalar(2),
				s).LogProb(constant(u, scale, 3, 3).Cholesky())
		},
		"inverse wishart by its scale": func(u *autograd.Node) *autograd.Node {
			s, _ := density.CovarianceCholesky().Value(u, square)
			return density.InverseWishartCholesky(u.Index(0, 0).Exp().AddScalar(2),
				s).LogProb(constant(u, scale, 3, 3).Cholesky())
		},
		"normal": func(u *autograd.Node) *autograd.Node {
			l, _ := density.CovarianceCholesky().Value(u, square)
			return density.MultivariateNormalCholesky(u.Slice(0, 0, 3), l).LogProb(u.Slice(0, 3, 6))
		},
		"precision": func(u *autograd.Node) *autograd.Node {
			l, _ := density.CovarianceCholesky().Value(u, square)
			return density.MultivariateNormalPrecision(u.Slice(0, 0, 3),
				l.MatMul(l.T())).LogProb(u.Slice(0, 3, 6))
		},
		"student t": func(u *autograd.Node) *autograd.Node {
			l, _ := density.CovarianceCholesky().Value(u, square)
			return density.MultivariateStudentsT(u.Slice(0, 0, 3), l,
				u.Index(0, 3).Exp()).LogProb(u.Slice(0, 3, 6))
		},
		"dirichlet": func(u *autograd.Node) *autograd.Node {
			return density.Dirichlet(u.Slice(0, 0, 3).Exp()).LogProb(u.Slice(0, 3, 6).Softmax(0))
		},
		"processes": func(u *autograd.Node) *autograd.Node {
			x := u.Builder().Constant([]float64{0, 0.3, 1, 1, -2, 0}, autograd.Shape{3, 2})
			k := density.SquaredExponential(x, u.Index(0, 0), u.Slice(0, 1, 3).Exp(),
				0.1).Add(density.Matern52(x, 1, u.Index(0, 3), 0.01)).
				Add(density.Matern32(x, u.Index(0, 1), 2, 0)).Add(density.Periodic(x.Index(1, 0),
				0.4, u.Index(0, 4), 3, u.Index(0, 5)))
			return density.MultivariateNormal(0, k).LogProb(u.Slice(0, 0, 3))
		},
	} {
		for _, at := range points {
			err := gradtest.Check(
				func(_ *autograd.Builder, x []*autograd.Node) *autograd.Node { return f(x[0]) },
				[][]float64{at},
				[]autograd.Shape{{6}},
				gradtest.Options{},
			)
			if err != nil {
				t.Errorf("%s at %v: %v", name, at, err)
			}
		}
	}
}
