package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

// FeedForwardOptions are the fixed quantities of the nonlinear model. The zero
// value is the published setting.
type FeedForwardOptions struct {
	// what is known of the noise variances; zero means one for all, NoiseVariance
	NoiseVariances NoiseVariances
	// variance of every equation's noise, or s² of NoiseVariances; defaults to 0.1
	NoiseVariance float64
	ParamVariance float64 // prior variance σ_p² of every weight and bias; defaults to 1
	// units of each hidden layer; nil means one layer of 5; empty: none, a linear model
	Hidden     []int
	Activation Activation // defaults to Relu
	NoBias     bool       // leave out all biases
}

// feedForward is the model of [NewFeedForward].
type feedForward struct {
	opt    FeedForwardOptions
	noise  noiseModel
	x      *mat.Dense
	rows   [][]int // rows that count, per variable; nil means all
	d      int
	layers []layer // from the inputs to the output
	params int     // number of all parameters
}

var _ Likelihood = (*feedForward)(nil)

// NewFeedForward is the nonlinear Gaussian structural equation model of data x, n×d with its
// columns in causal order, in which every variable is a network of its parents,
//
//	H₁ = a(X(G_·j ∘ W₁) + b₁),   H₂ = a(H₁W₂ + b₂), …   mean_j = H_L W + b,
//	x_j ~ N(mean_j, σ²),
//
// with independent N(0, σ_p²) priors on all weights and biases. The mask of the
// parents is applied to the first layer's weights, and gates their prior:
//
//	log p(Θ|G)   = Σ_j [ Σ_i G_ij Σ_a lnN(W₁[j,i,a]; 0, σ_p²) + Σ lnN(all other parameters of j; 0, σ_p²) ]
//	log p(D|G,Θ) = Σ_nj lnN(x_nj; mean_nj, σ²),
//
// the sum running over the entries that were not set by intervention; [OwnVariances] has the
// last line for variances that are not given. A
// variable without parents still has a network: its mean is a constant, which
// the prior of its parameters counts.
//
// The parameters of one particle are, in order: W₁ as (d, d, h₁) by child, input
// and unit, b₁ as (d, h₁), then for each further layer its weights (d, h, h') and
// biases (d, h'), the last one with h' = 1; with [VarianceParameters] the logarithms of the d
// noise variances.
//
// intervened is nil or n×d with 1 where the entry was set by intervention, as for [NewLinear]. The
// likelihood is also a [Gaussian] and [Separate].
func NewFeedForward(x, intervened mat.Matrix, opt FeedForwardOptions) (Likelihood, error) {
	f, err := newFeedForward(x, intervened, opt)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func newFeedForward(x, intervened mat.Matrix, opt FeedForwardOptions) (*feedForward, error) {
	if opt.NoiseVariance == 0 {
		opt.NoiseVariance = 0.1
	}
	if opt.ParamVariance == 0 {
		opt.ParamVariance = 1
	}
	opt.Hidden = slices.Clone(opt.Hidden)
	if opt.Hidden == nil {
		opt.Hidden = []int{5}
	}
	if !(opt.NoiseVariance > 0 && opt.ParamVariance > 0) ||
		math.IsInf(opt.NoiseVariance+opt.ParamVariance, 0) {
		return nil, fmt.Errorf("models: feed-forward model: noise variance %v and parameter "+
			"variance %v, want finite positive numbers", opt.NoiseVariance, opt.ParamVariance)
	}
	for i, h := range opt.Hidden {
		if h < 1 {
			return nil, fmt.Errorf(
				"models: feed-forward model: hidden layer %d has %d units, want at least 1", i+1, h)
		}
	}
	if opt.Activation < 0 || int(opt.Activation) >= len(activationNames) {
		return nil, fmt.Errorf("models: feed-forward model: unknown activation %v", opt.Activation)
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf("models: feed-forward model: got %d rows of %d variables, want at "+
			"least one of each", n, d)
	}
	if err := checkData(x); err != nil {
		return nil, err
	}
	f := &feedForward{opt: opt, x: mat.DenseCopyOf(x), d: d,
		noise: noiseModel{kind: opt.NoiseVariances, variance: opt.NoiseVariance,
			rows: make([]float64, d)}}
	if err := f.noise.check(); err != nil {
		return nil, fmt.Errorf("models: feed-forward model: %w", err)
	}
	f.layOut()
	if intervened != nil {
		groups, err := groupColumns(n, d, intervened)
		if err != nil {
			return nil, err
		}
		f.rows = make([][]int, d)
		for _, g := range groups {
			for _, j := range g.columns {
				f.rows[j] = g.rows
			}
		}
	}
	for j := range d {
		_, rows := f.observations(j)
		f.noise.rows[j] = float64(rows)
	}
	return f, nil
}

// Vars implements [Likelihood].
func (f *feedForward) Vars() int { return f.d }

// NoiseVariance implements [Gaussian].
func (f *feedForward) NoiseVariance(j int, residuals float64) float64 {
	return f.noise.expected(j, residuals)
}

// layer describes one layer of all networks: its parameters start at weights
// and biases of the parameter vector; biases is −1 without them.
type layer struct{ in, out, weights, biases int }

// layOut places the parameters of all layers, the first of which has d inputs.
func (f *feedForward) layOut() {
	in := f.d
	for _, out := range append(slices.Clone(f.opt.Hidden), 1) {
		l := layer{in: in, out: out, weights: f.params, biases: -1}
		f.params += f.d * in * out
		if !f.opt.NoBias {
			l.biases = f.params
			f.params += f.d * out
		}
		f.layers = append(f.layers, l)
		in = out
	}
	f.params += f.noise.params()
}

// ParamLen implements [Likelihood]: d(dh + 2h + 1) for one hidden layer of h
// units with biases.
func (f *feedForward) ParamLen() int { return f.params }

// InitParams implements [Likelihood]: N(0, σ_p²) for every parameter, logarithms of
// variances among them.
func (f *feedForward) InitParams(dst []float64, rng *rand.Rand) {
	sd := math.Sqrt(f.opt.ParamVariance)
	for i := range dst {
		dst[i] = sd * rng.NormFloat64()
	}
}

// Terms implements [Likelihood].
func (f *feedForward) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	for j := range f.d {
		prior = f.put(prior, j, f.priorOf(f.layers, j, g, theta))
	}
	var logs *autograd.Node
	if n := f.noise.params(); n > 0 {
		logs = theta.Gather(span(f.params-n, n), autograd.Shape{n})
		prior = prior.Add(f.noise.prior(logs))
	}
	return prior, f.noise.term(f.Residuals(g, theta), logs)
}

// put adds a scalar to element j of a vector of d; nil means all 0.
func (f *feedForward) put(sum *autograd.Node, j int, scalar *autograd.Node) *autograd.Node {
	own := scalar.Reshape(autograd.Shape{1}).ScatterAdd([]int{j}, autograd.Shape{f.d})
	if sum == nil {
		return own
	}
	return sum.Add(own)
}

// weights are those of variable j in a layer.
func (f *feedForward) weights(l layer, j int, theta *autograd.Node) *autograd.Node {
	return theta.Gather(span(l.weights+j*l.in*l.out, l.in*l.out), autograd.Shape{l.in, l.out})
}

// biases are those of variable j in a layer; nil means there are none.
func (f *feedForward) biases(l layer, j int, theta *autograd.Node) *autograd.Node {
	if l.biases < 0 {
		return nil
	}
	return theta.Gather(span(l.biases+j*l.out, l.out), autograd.Shape{1, l.out})
}

// parents is column j of the graph.
func (f *feedForward) parents(j int, g *autograd.Node) *autograd.Node {
	return g.Gather(columnIndices(f.d, []int{j}), autograd.Shape{f.d, 1})
}

// priorOf is the log density of the parameters of variable j in the first layers.
func (f *feedForward) priorOf(layers []layer, j int,
	g, theta *autograd.Node) (prior *autograd.Node) {
	lnN := func(x *autograd.Node) *autograd.Node { return lnNormal(x, 0, f.opt.ParamVariance) }
	for i, l := range layers {
		if w := lnN(f.weights(l, j, theta)); i == 0 {
			prior = f.parents(j, g).Mul(w).Sum()
		} else {
			prior = prior.Add(w.Sum())
		}
		if c := f.biases(l, j, theta); c != nil {
			prior = prior.Add(lnN(c).Sum())
		}
	}
	return prior
}

// Residuals implements [Gaussian].
func (f *feedForward) Residuals(g, theta *autograd.Node) (sum *autograd.Node) {
	for j := range f.d {
		if rows, n := f.observations(j); n > 0 {
			sum = f.put(sum, j, f.residuals(j, rows, g, theta).Square().Sum())
		}
	}
	if sum == nil { // every row of every variable was set by intervention
		return g.Builder().Constant(make([]float64, f.d), autograd.Shape{f.d})
	}
	return sum
}

// residuals are those of variable j in the given rows.
func (f *feedForward) residuals(j int, rows *mat.Dense, g, theta *autograd.Node) *autograd.Node {
	n, _ := rows.Dims()
	return g.Builder().Constant(mat.Col(nil, j, rows),
		autograd.Shape{n, 1}).Sub(f.through(f.layers, j, rows, g, theta))
}

// through is what the first layers make of the given rows for variable j, n × units, before the
// last one's activation.
func (f *feedForward) through(layers []layer, j int, rows *mat.Dense,
	g, theta *autograd.Node) (h *autograd.Node) {
	b := g.Builder()
	n, _ := rows.Dims()
	for i, l := range layers {
		if w := f.weights(l, j, theta); i == 0 {
			h = b.Constant(mat.DenseCopyOf(rows).RawMatrix().Data,
				autograd.Shape{n, f.d}).MatMul(f.parents(j, g).Mul(w))
		} else {
			h = f.opt.Activation.apply(h).MatMul(w)
		}
		if c := f.biases(l, j, theta); c != nil {
			h = h.Add(c)
		}
	}
	return h
}

// observations are the rows in which variable j was not set by intervention.
func (f *feedForward) observations(j int) (*mat.Dense, int) {
	n, _ := f.x.Dims()
	if f.rows == nil || len(f.rows[j]) == n {
		return f.x, n
	}
	if len(f.rows[j]) == 0 {
		return nil, 0
	}
	sub := mat.NewDense(len(f.rows[j]), f.d, nil)
	for r, i := range f.rows[j] {
		sub.SetRow(r, f.x.RawRowView(i))
	}
	return sub, len(f.rows[j])
}

// span lists n consecutive indices.
func span(from, n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = from + i
	}
	return idx
}
