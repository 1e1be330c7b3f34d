package bench_test

import (
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// An ownModel is a likelihood that a user might write: of continuous columns with weights of one or
// two functions of each parent, or of counts.
type ownModel struct {
	name     string
	perEdge  int // parameters of an edge, each N(0, 1)
	perChild int // other parameters of a variable, each N(0, 1)
	// terms are log densities of all values, n×d, from the parameters of edges, d×d and 0 where
	// there is no edge, and of variables.
	terms func(x *autograd.Node, edges, child []*autograd.Node) *autograd.Node
}

// String implements [sem.Model].
func (m *ownModel) String() string { return "own " + m.name }

// Likelihood implements [sem.Differentiable].
func (m *ownModel) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	return &ownLikelihood{m, mat.DenseCopyOf(data.X)}, nil
}

type ownLikelihood struct {
	*ownModel
	x *mat.Dense
}

func (l *ownLikelihood) Vars() int     { _, d := l.x.Dims(); return d }
func (l *ownLikelihood) ParamLen() int { return l.Vars() * (l.perEdge*l.Vars() + l.perChild) }

func (l *ownLikelihood) InitParams(dst []float64, rng *rand.Rand) {
	for i := range dst {
		dst[i] = 0.5 * rng.NormFloat64()
	}
}

func (l *ownLikelihood) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	n, d := l.x.Dims()
	normal := func(w *autograd.Node) *autograd.Node {
		return w.Square().AddScalar(math.Log(2 * math.Pi)).Scale(-0.5)
	}
	var edges, child []*autograd.Node
	for k := range l.perEdge {
		w := theta.Slice(0, k*d*d, (k+1)*d*d).Reshape(autograd.Shape{d, d})
		edges = append(edges, g.Mul(w))
		prior = plus(prior, g.Mul(normal(w)).Sum(0))
	}
	for k := range l.perChild {
		from := l.perEdge*d*d + k*d
		b := theta.Slice(0, from, from+d)
		child, prior = append(child, b), plus(prior, normal(b))
	}
	x := g.Builder().Constant(l.x.RawMatrix().Data, autograd.Shape{n, d})
	return prior, l.terms(x, edges, child).Sum(0)
}

// plus adds to a sum that may be nil.
func plus(sum, v *autograd.Node) *autograd.Node {
	if sum == nil {
		return v
	}
	return sum.Add(v)
}

// ownModels are linear equations with noise of heavy tails; with a variance that parents change;
// sines and humps of the parents; counts; and yes and no.
var ownModels = []struct {
	*ownModel
	// a variable from its parents' columns
	column func(rng *rand.Rand, parents [][]float64, n int) []float64
}{
	{&ownModel{name: "tails", perEdge: 1,
		terms: func(x *autograd.Node, w, _ []*autograd.Node) *autograd.Node {
			return x.Sub(x.MatMul(w[0])).Square().Scale(1 / (3 * 0.3 * 0.3)).Log1p().Scale(
				-2).AddScalar(-math.Log(math.Sqrt(3) * math.Pi * 0.3 / 2))
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.2, 0.9)
			return func(x float64) float64 { return w * x }
		}, func(sum float64) float64 {
			a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			return sum + 0.3*rng.NormFloat64()/math.Sqrt((a*a+b*b+c*c)/3)
		})
	}},
	{&ownModel{name: "variances", perEdge: 2, perChild: 1,
		terms: func(x *autograd.Node, w, a []*autograd.Node) *autograd.Node {
			logs := x.Tanh().MatMul(w[1]).Add(a[0]) // ln of the standard deviation
			return x.Sub(x.MatMul(w[0])).Mul(logs.Scale(-1).Exp()).Square().Scale(-0.5).Sub(
				logs).AddScalar(-0.5 * math.Log(2*math.Pi))
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		means := ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.1, 0.6)
			return func(x float64) float64 { return w * x }
		}, func(sum float64) float64 { return sum })
		logs := ownColumn(n, parents, func() func(float64) float64 {
			v := weight(rng, 0, 0.5)
			return func(x float64) float64 { return v * math.Tanh(x) }
		}, func(sum float64) float64 { return sum - 0.5 })
		for r := range means {
			means[r] += math.Exp(logs[r]) * rng.NormFloat64()
		}
		return means
	}},
	{&ownModel{name: "basis", perEdge: 2,
		terms: func(x *autograd.Node, w, _ []*autograd.Node) *autograd.Node {
			mean := x.Scale(2).Sin().MatMul(w[0]).Add(hump(x).MatMul(w[1]))
			return x.Sub(mean).Square().Scale(-1 / (2 * 0.25)).AddScalar(
				-0.5 * math.Log(2*math.Pi*0.25))
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			u, w := weight(rng, 0, 0.6), weight(rng, 0, 0.6)
			return func(x float64) float64 { return u*math.Sin(2*x) + w*(3*x*x/(1+x*x)-1) }
		}, func(sum float64) float64 { return sum + 0.5*rng.NormFloat64() })
	}},
	{&ownModel{name: "counts", perEdge: 1, perChild: 1,
		terms: func(x *autograd.Node, w, b []*autograd.Node) *autograd.Node {
			logs := x.Log1p().AddScalar(-1).MatMul(w[0]).Add(b[0])
			return x.Mul(logs).Sub(logs.Exp()).Sub(x.AddScalar(1).LogGamma())
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.1, 0.6)
			return func(x float64) float64 { return w * (math.Log1p(x) - 1) }
		}, func(sum float64) float64 {
			return poisson(rng, math.Exp(math.Min(sum+0.8, 4)))
		})
	}},
	{&ownModel{name: "zero-inflated", perEdge: 1, perChild: 2,
		terms: func(x *autograd.Node, w, b []*autograd.Node) *autograd.Node {
			logs := x.Log1p().AddScalar(-1).MatMul(w[0]).Add(b[0])
			count := x.Mul(logs).Sub(logs.Exp()).Sub(x.AddScalar(1).LogGamma())
			none, some := b[1].LogSigmoid(), b[1].Scale(-1).LogSigmoid()
			return x.Equal(x.Scale(0)).Where(none.LogAddExp(some.Add(count)), some.Add(count))
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.2, 0.7)
			return func(x float64) float64 { return w * (math.Log1p(x) - 1) }
		}, func(sum float64) float64 {
			if rng.Float64() < 0.2 {
				return 0
			}
			return poisson(rng, math.Exp(math.Min(sum+1, 4)))
		})
	}},
	{&ownModel{name: "overdispersed", perEdge: 1, perChild: 2,
		terms: func(x *autograd.Node, w, b []*autograd.Node) *autograd.Node {
			logs := x.Log1p().AddScalar(-1).MatMul(w[0]).Add(b[0])
			size := b[1].AddScalar(1).Exp()
			total := logs.LogAddExp(b[1].AddScalar(1)) // ln(mean + size)
			return x.Add(size).LogGamma().Sub(size.LogGamma()).Sub(x.AddScalar(1).LogGamma()).
				Add(size.Mul(b[1].AddScalar(1).Sub(total))).Add(x.Mul(logs.Sub(total)))
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.2, 0.7)
			return func(x float64) float64 { return w * (math.Log1p(x) - 1) }
		}, func(sum float64) float64 {
			// a Poisson number whose rate has a gamma distribution with shape 2
			rate := (rng.ExpFloat64() + rng.ExpFloat64()) / 2
			return poisson(rng, rate*math.Exp(math.Min(sum+1, 4)))
		})
	}},
	{&ownModel{name: "yes and no", perEdge: 1, perChild: 1,
		terms: func(x *autograd.Node, w, b []*autograd.Node) *autograd.Node {
			logit := x.AddScalar(-0.5).MatMul(w[0]).Scale(2).Add(b[0])
			return x.Mul(logit).Sub(logit.Softplus())
		}}, func(rng *rand.Rand, parents [][]float64, n int) []float64 {
		return ownColumn(n, parents, func() func(float64) float64 {
			w := weight(rng, 0.3, 1.2)
			return func(x float64) float64 { return 2 * w * (x - 0.5) }
		}, func(sum float64) float64 {
			if rng.Float64() < 1/(1+math.Exp(-sum)) {
				return 1
			}
			return 0
		})
	}},
}

// poisson is a number of events with a mean, by the gaps between them.
func poisson(rng *rand.Rand, mean float64) float64 {
	k, at := -1.0, 0.0
	for ; at < mean; k++ {
		at += rng.ExpFloat64()
	}
	return k
}

// hump is 3x²/(1+x²) − 1.
func hump(x *autograd.Node) *autograd.Node {
	s := x.Square()
	return s.Div(s.AddScalar(1)).Scale(3).AddScalar(-1)
}

// weight is one with a random sign.
func weight(rng *rand.Rand, least, most float64) float64 {
	w := least + (most-least)*rng.Float64()
	if rng.IntN(2) == 0 {
		return -w
	}
	return w
}

// ownColumn draws a variable: an effect of each parent, whose sum noise is put on.
func ownColumn(n int, parents [][]float64, effect func() func(float64) float64,
	noisy func(sum float64) float64) []float64 {
	sums := make([]float64, n)
	for _, p := range parents {
		f := effect()
		for r, x := range p {
			sums[r] += f(x)
		}
	}
	for r := range sums {
		sums[r] = noisy(sums[r])
	}
	return sums
}

// ownData draws a graph with about the given number of edges, in the order of the columns, and rows
// of a model.
func ownData(model int, d, n int, edges float64, seed uint64) (*dag.Graph, *dataset.Table) {
	rng := rand.New(rand.NewPCG(seed, uint64(model)))
	g := dag.New(d)
	t := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		var parents [][]float64
		for i := range j {
			if rng.Float64() < 2*edges/float64(d*(d-1)) {
				g.Set(i, j, true)
				parents = append(parents, mat.Col(nil, i, t.X))
			}
		}
		t.X.SetCol(j, ownModels[model].column(rng, parents, n))
		t.Names = append(t.Names, string(rune('A'+j)))
	}
	return g, t
}

var _ sem.Differentiable = (*ownModel)(nil)
