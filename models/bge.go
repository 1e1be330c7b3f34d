package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// BGeOptions are the hyperparameters of the Normal-Wishart prior. The zero
// value is the published setting.
type BGeOptions struct {
	AlphaMu     float64 // strength α_μ of the prior mean, which is 0; defaults to 1
	AlphaLambda float64 // degrees of freedom α_λ > d+1; zero means d+2
}

// bge is the score of [NewBGe].
type bge struct {
	d      int
	opt    BGeOptions
	t      float64
	groups []bgeGroup
}

// A bgeGroup is a set of variables observed in the same rows.
type bgeGroup struct {
	columns []int
	r       []float64 // R − I, d×d
	n       int
}

var _ Likelihood = (*bge)(nil)

// NewBGe is the Bayesian Gaussian equivalent score of data x, n×d: the marginal likelihood of a
// linear Gaussian network with a Normal-Wishart prior, equal for
// Markov-equivalent graphs. It has no parameters. For variable j, N rows in
// which it was not set by intervention, with mean x̄ and scatter s_N,
//
//	R       = t·I + s_N + (N α_μ/(N+α_μ)) x̄ x̄ᵀ,   t = α_μ(α_λ−d−1)/(α_μ+1)
//	score_j = ½ ln(α_μ/(N+α_μ)) + lnΓ(½(N+α_λ−d+p+1)) − lnΓ(½(α_λ−d+p+1)) − ½ N ln π
//	        + ½(α_λ−d+2p+1) ln t + ½(N+α_λ−d+p) ln|R_pa| − ½(N+α_λ−d+p+1) ln|R_pa∪j|
//
// with p parents. For a graph with entries in [0,1], m = G_·j, p = Σ m, and the
// determinants are those of I + (m mᵀ)∘(R − I) with m and with m + e_j. A
// variable without rows scores 0.
//
// intervened is nil or n×d with 1 where the entry was set by intervention: such a row drops out of
// that variable's score.
func NewBGe(x, intervened mat.Matrix, opt BGeOptions) (Likelihood, error) {
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf(
			"models: BGe: got %d rows of %d variables, want at least one of each", n, d)
	}
	t, err := scoring.NormalWishart(d, &opt.AlphaMu, &opt.AlphaLambda)
	if err != nil {
		return nil, fmt.Errorf("models: BGe: %w", err)
	}
	if err := checkData(x); err != nil {
		return nil, err
	}
	groups, err := groupColumns(n, d, intervened)
	if err != nil {
		return nil, err
	}
	b := &bge{d: d, opt: opt, t: t}
	for _, g := range groups {
		b.groups = append(b.groups,
			bgeGroup{columns: g.columns, r: b.posteriorMinusIdentity(x, g.rows), n: len(g.rows)})
	}
	return b, nil
}

// posteriorMinusIdentity is R − I of the given rows.
func (b *bge) posteriorMinusIdentity(x mat.Matrix, rows []int) []float64 {
	d, n := b.d, float64(len(rows))
	mean := make([]float64, d)
	for _, i := range rows {
		for j := range d {
			mean[j] += x.At(i, j) / n
		}
	}
	r := make([]float64, d*d)
	for a := range d {
		for c := range d {
			s := n * b.opt.AlphaMu / (n + b.opt.AlphaMu) * mean[a] * mean[c]
			for _, i := range rows {
				s += (x.At(i, a) - mean[a]) * (x.At(i, c) - mean[c])
			}
			if a == c {
				s += b.t - 1
			}
			r[a*d+c] = s
		}
	}
	return r
}

// Vars implements [Likelihood].
func (b *bge) Vars() int { return b.d }

// ParamLen implements [Likelihood]: 0, the parameters are integrated out.
func (b *bge) ParamLen() int { return 0 }

// InitParams implements [Likelihood]; there is nothing to draw.
func (b *bge) InitParams([]float64, *rand.Rand) {}

// Terms implements [Likelihood]; theta is not used.
func (b *bge) Terms(g, _ *autograd.Node) (prior, data *autograd.Node) {
	build := g.Builder()
	zero := build.Scalar(0).Expand(autograd.Shape{b.d})
	data = zero
	for _, group := range b.groups {
		if group.n == 0 {
			continue
		}
		r := build.Constant(group.r, autograd.Shape{b.d, b.d})
		for _, j := range group.columns {
			score := b.score(g, r, j, float64(group.n))
			data = data.Add(score.Reshape(autograd.Shape{1}).ScatterAdd([]int{j},
				autograd.Shape{b.d}))
		}
	}
	return zero, data
}

// score is score_j; r is the constant R − I.
func (b *bge) score(g, r *autograd.Node, j int, n float64) *autograd.Node {
	build := g.Builder()
	m := g.Gather(columnIndices(b.d, []int{j}), autograd.Shape{b.d})
	p := m.Sum()
	free := b.opt.AlphaLambda - float64(b.d) // α_λ − d
	half := func(extra, factor float64) *autograd.Node {
		return p.Scale(factor).AddScalar(extra).Scale(0.5)
	}
	logDet := func(v *autograd.Node) *autograd.Node {
		return identity(build, b.d).Add(v.Outer(v).Mul(r)).LogDet()
	}
	unit := make([]float64, b.d)
	unit[j] = 1
	both := m.Add(build.Constant(unit, autograd.Shape{b.d}))
	constant := 0.5*math.Log(b.opt.AlphaMu/(n+b.opt.AlphaMu)) - 0.5*n*math.Log(math.Pi)
	return half(n+free+1, 1).LogGamma().Sub(half(free+1, 1).LogGamma()).
		Add(half(free+1, 2).Scale(math.Log(b.t))).
		Add(half(n+free, 1).Mul(logDet(m))).
		Sub(half(n+free+1, 1).Mul(logDet(both))).
		AddScalar(constant)
}
