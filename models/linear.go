package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// WeightStart says how the initial edge weights of a particle are drawn. It is not part of the
// model.
type WeightStart int

const (
	// PriorStart draws every weight as w + Gap·sign(w), w standard normal, as
	// published. Half of the weights start with the wrong sign, and a particle
	// often gives up the edge before its weight has crossed zero.
	PriorStart WeightStart = iota
	// RegressionStart draws the weights of each variable from their posterior
	// given that all earlier variables are its parents,
	// N(A⁻¹b, A⁻¹) with A = C_pp/σ² + I/σ_e² and b = c_pj/σ² + μ_e/σ_e².
	// Weights of pairs that cannot be edges are drawn as for PriorStart.
	RegressionStart
)

// LinearOptions are the fixed quantities of the linear Gaussian model. The
// zero value is the published setting.
type LinearOptions struct {
	// what is known of the noise variances; zero means one for all, NoiseVariance
	NoiseVariances NoiseVariances
	// variance σ² of every equation's noise, or s² of NoiseVariances; defaults to 0.1
	NoiseVariance float64
	EdgeMean      float64 // prior mean μ_e of an edge weight; defaults to 0
	EdgeVariance  float64 // prior variance σ_e² of an edge weight; defaults to 1

	// Intercept gives every equation an intercept with a flat prior, which is
	// integrated out: columns are taken relative to their means over the rows in
	// which the child was not set. By default equations pass through the origin, as published.
	Intercept bool

	// Start says how the initial weights are drawn. Defaults to PriorStart.
	Start WeightStart

	// Gap is the distance from zero that initial weights keep: they are drawn as w + Gap·sign(w)
	// with w standard normal. Defaults to 0.5. It is not part of the prior.
	Gap float64
}

// linear is the model of [NewLinear].
type linear struct {
	opt    LinearOptions
	noise  noiseModel
	d      int
	groups []gramGroup
}

// A gramGroup is a set of variables observed in the same rows.
type gramGroup struct {
	columns []int
	factor  *mat.Dense    // R with C = RᵀR
	gram    *mat.SymDense // C
	rows    int
}

var (
	_ Likelihood = (*linear)(nil)
	_ Weighted   = (*linear)(nil)
)

// NewLinear is the linear Gaussian structural equation model of data x, n×d with its columns in
// causal order,
//
//	x_j = Σ_i G_ij Θ_ij x_i + ε_j,   ε_j ~ N(0, σ²),   Θ_ij ~ N(μ_e, σ_e²),
//
// with one parameter per ordered pair, Θ as a row-major d×d vector. With
// W = G∘Θ and the Gram matrix C_j = XᵀX of the rows in which variable j was not
// set by intervention, factored as C_j = RᵀR,
//
//	log p(Θ|G)   = Σ_j Σ_i G_ij lnN(Θ_ij; μ_e, σ_e²)
//	log p(D|G,Θ) = Σ_j [ −n_j/2 ln(2πσ²) − ‖R(e_j − W_·j)‖²/(2σ²) ],
//
// so that the cost does not depend on the number of rows. A weight without an
// edge contributes nothing. [OwnVariances] has the last line for variances that are not given.
//
// intervened is nil, or n×d with 1 where the entry was set by intervention: it then drops out of
// that variable's likelihood while its value still feeds the children. A variable without rows
// left contributes 0. The likelihood is also a [Gaussian], [Weighted] and [Separate].
func NewLinear(x, intervened mat.Matrix, opt LinearOptions) (Likelihood, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return nil, fmt.Errorf(
			"models: linear model: got %d rows of %d variables, want at least one of each", n, d)
	}
	if err := checkData(x); err != nil {
		return nil, err
	}
	l := &linear{opt: opt, d: d, noise: noiseModel{kind: opt.NoiseVariances,
		variance: opt.NoiseVariance, rows: make([]float64, d)}}
	if err := l.noise.check(); err != nil || opt.NoiseVariances == VarianceParameters {
		return nil, fmt.Errorf("models: linear model: noise %d, want a common variance or "+
			"integrated ones", int(opt.NoiseVariances))
	}
	groups, err := groupColumns(n, d, intervened)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		sub := g.of(x, d, opt.Intercept)
		group := gramGroup{columns: g.columns, factor: gramFactor(sub),
			gram: mat.NewSymDense(d, nil), rows: len(g.rows)}
		group.gram.SymOuterK(1, group.factor.T())
		for _, j := range g.columns {
			l.noise.rows[j] = float64(len(g.rows))
			if opt.Intercept && opt.NoiseVariances == OwnVariances {
				l.noise.rows[j] = float64(max(len(g.rows)-1, 0))
			}
		}
		l.groups = append(l.groups, group)
	}
	return l, nil
}

func (o LinearOptions) withDefaults() (LinearOptions, error) {
	def := func(v *float64, zero float64) {
		if *v == 0 {
			*v = zero
		}
	}
	def(&o.NoiseVariance, 0.1)
	def(&o.EdgeVariance, 1)
	def(&o.Gap, 0.5)
	for _, c := range []struct {
		name, want string
		v          float64
		ok         bool
	}{
		{"noise variance", "a finite positive number", o.NoiseVariance, o.NoiseVariance > 0},
		{"edge variance", "a finite positive number", o.EdgeVariance, o.EdgeVariance > 0},
		{"initial gap", "a finite positive number", o.Gap, o.Gap > 0},
		{"edge mean", "a finite number", o.EdgeMean, true},
	} {
		if !c.ok || math.IsInf(c.v, 0) || math.IsNaN(c.v) {
			return o, fmt.Errorf("models: linear model: %s %v, want %s", c.name, c.v, c.want)
		}
	}
	return o, nil
}

// A rowGroup is a set of columns with the rows that count for them.
type rowGroup struct{ columns, rows []int }

// of are the first k columns of the group's rows, at least one row, which is 0 if there is
// none; relative to their means if asked for.
func (g *rowGroup) of(x mat.Matrix, k int, centred bool) *mat.Dense {
	sub := mat.NewDense(max(len(g.rows), 1), k, nil)
	for j := range k {
		mean := 0.0
		if centred {
			for _, i := range g.rows {
				mean += x.At(i, j) / float64(len(g.rows))
			}
		}
		for r, i := range g.rows {
			sub.Set(r, j, x.At(i, j)-mean)
		}
	}
	return sub
}

// groupColumns collects the columns that are observed in the same rows.
func groupColumns(n, d int, intervened mat.Matrix) ([]rowGroup, error) {
	groups, _, err := scoring.GroupRows(n, d, intervened)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	out := make([]rowGroup, len(groups))
	for k, g := range groups {
		out[k] = rowGroup{columns: g.Children, rows: g.Rows}
	}
	return out, nil
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// gramFactor returns R with RᵀR = XᵀX, zero below the diagonal: the triangular
// factor of a QR decomposition of X, or, if X has fewer rows n than columns, QᵀX
// for that of its first n columns.
func gramFactor(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	k := min(n, d)
	var qr mat.QR
	qr.Factorize(x.Slice(0, n, 0, k))
	if n >= d {
		var r mat.Dense
		qr.RTo(&r)
		return mat.DenseCopyOf(r.Slice(0, d, 0, d))
	}
	var q, r mat.Dense
	qr.QTo(&q)
	r.Mul(q.T(), x)
	for i := range n {
		for j := range i {
			r.Set(i, j, 0)
		}
	}
	return &r
}

// EstimateNoiseVariance is the pooled residual variance of the regressions of
// the columns of x, n×d in causal order, on all earlier ones,
//
//	σ² = Σ_j RSS_j / Σ_j (n_j − j − c),   j < min(d, n_j−1−c),
//
// with c = 1 if opt.Intercept, else 0; later columns leave no residuals. n_j is the
// number of rows in which column j was not set by intervention, given as for
// [NewLinear]. With equal noise variances it is unbiased. Fewer than two rows, data that the
// regressions reproduce exactly, and interventions that leave no column enough rows are an error.
func EstimateNoiseVariance(x, intervened mat.Matrix, opt LinearOptions) (float64, error) {
	if err := checkData(x); err != nil {
		return 0, err
	}
	n, d := x.Dims()
	if n < 2 {
		return 0, fmt.Errorf("models: noise variance: got %d row, want at least 2", n)
	}
	groups, err := groupColumns(n, d, intervened)
	if err != nil {
		return 0, err
	}
	intercept := 0
	if opt.Intercept {
		intercept = 1
	}
	rss, total, free := 0.0, 0.0, 0
	for _, g := range groups {
		rows := len(g.rows)
		k := min(d, rows-1-intercept)
		if k < 1 {
			continue
		}
		var qr mat.QR
		qr.Factorize(g.of(x, k, opt.Intercept))
		var r mat.Dense
		qr.RTo(&r)
		for _, j := range g.columns {
			if j >= k {
				continue
			}
			rss += r.At(j, j) * r.At(j, j) // the part of column j outside the earlier ones
			free += rows - j - intercept
			for i := range j + 1 {
				total += r.At(i, j) * r.At(i, j)
			}
		}
	}
	if free == 0 {
		return 0, fmt.Errorf("models: noise variance: no column has enough rows without an " +
			"intervention to estimate it; give more rows, or its value")
	}
	if rss <= 1e-14*total {
		return 0, fmt.Errorf("models: noise variance: every column is a linear combination of " +
			"earlier ones; set it")
	}
	return rss / float64(free), nil
}

// Vars implements [Likelihood].
func (l *linear) Vars() int { return l.d }

// ParamLen implements [Likelihood]: d², the weight of parent i on child j at
// i·d+j. Weights of pairs that cannot be edges are carried along unused.
func (l *linear) ParamLen() int { return l.d * l.d }

// NoiseVariance implements [Gaussian].
func (l *linear) NoiseVariance(j int, residuals float64) float64 {
	return l.noise.expected(j, residuals)
}

// EdgeWeight implements [Weighted].
func (l *linear) EdgeWeight(i, j int) int { return i*l.d + j }

// InitParams implements [Likelihood]: as LinearOptions.Start says, for every
// pair.
func (l *linear) InitParams(dst []float64, rng *rand.Rand) {
	for i := range dst {
		w := rng.NormFloat64()
		dst[i] = w + math.Copysign(l.opt.Gap, w)
	}
	if l.opt.Start == RegressionStart {
		for k := range l.groups {
			g := &l.groups[k]
			for _, j := range g.columns {
				l.drawRegression(dst, g, j, rng)
			}
		}
	}
}

// drawRegression draws the weights of variable j given all earlier parents.
func (l *linear) drawRegression(dst []float64, g *gramGroup, j int, rng *rand.Rand) {
	if j == 0 {
		return
	}
	noise := mat.NewVecDense(j, nil)
	for i := range j {
		noise.SetVec(i, rng.NormFloat64())
	}
	r, ok := l.regress(g, j, seq(j))
	if !ok {
		return
	}
	var u mat.TriDense
	r.chol.UTo(&u)
	// A = UᵀU: U⁻¹ξ has the covariance A⁻¹.
	if noise.SolveVec(&u, noise) != nil {
		return
	}
	for i := range j {
		dst[i*l.d+j] = r.mean.AtVec(i) + noise.AtVec(i)
	}
}

// Terms implements [Likelihood].
func (l *linear) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	weights := theta.Reshape(autograd.Shape{l.d, l.d})
	prior = g.Mul(lnNormal(weights, l.opt.EdgeMean, l.opt.EdgeVariance)).Sum(0)
	return prior, l.noise.term(l.Residuals(g, theta), nil)
}

// Residuals implements [Gaussian].
func (l *linear) Residuals(g, theta *autograd.Node) (sum *autograd.Node) {
	d := l.d
	b := g.Builder()
	residual := identity(b, d).Sub(g.Mul(theta.Reshape(autograd.Shape{d, d}))) // columns e_j − W_·j
	for _, group := range l.groups {
		if group.rows == 0 {
			continue
		}
		rows, _ := group.factor.Dims()
		factor := b.Constant(mat.DenseCopyOf(group.factor).RawMatrix().Data,
			autograd.Shape{rows, d})
		own := residual
		if len(group.columns) < d {
			own = residual.Gather(columnIndices(d, group.columns),
				autograd.Shape{d, len(group.columns)})
		}
		term := factor.MatMul(own).Square().Sum(0)
		if len(group.columns) < d {
			term = term.ScatterAdd(group.columns, autograd.Shape{d})
		}
		if sum == nil {
			sum = term
		} else {
			sum = sum.Add(term)
		}
	}
	if sum == nil { // every row of every variable was set by intervention
		return b.Constant(make([]float64, d), autograd.Shape{d})
	}
	return sum
}

// columnIndices lists the elements of the given columns of a d×d matrix.
func columnIndices(d int, columns []int) []int {
	var idx []int
	for i := range d {
		for _, j := range columns {
			idx = append(idx, i*d+j)
		}
	}
	return idx
}
