package likelihoods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/autograd"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Variable is what equations of [Kinds] know of a variable: its values, and how its
// children see it.
type Variable struct {
	// Values are those of the rows: numbers, counts, or levels from 0.
	Values []float64
	// Covariates, n×k, are the functions of the variable that equations of its children have.
	Covariates *mat.Dense
	// Contrasts, r×(r−1), say that the variable has r levels; nil means none.
	Contrasts *mat.Dense
	Count     bool // values are counts
}

// Kinds is the model of variables of several kinds: with the covariates z_i of parent i and
// the contrasts C_j of a variable of r levels,
//
//	η_j = c_j + Σ_i G_ij z_i Θ_ij,   Θ_ij a matrix of N(0, 1),
//	number     x_j ~ N(η_j, e^{s_j}),   e^{s_j} ~ inverse gamma (1, ¼),   c_j ~ N(0, 1)
//	count      x_j ~ Poisson(e^{η_j}),   c_j ~ N(ln of the mean, 4)
//	levels     ln P(x_j = k) = (C_j η_j)_k − ln Σ e^{C_j η_j},   c_j ~ N(0, 4)
//
// on rows in which the variable was not set by intervention. Logarithms of the means of counts are
// at most 30. Parameters are Θ, as a matrix of all covariates by all predictors, then the
// constants, then the s of all variables, of which only those of numbers count.
type Kinds struct {
	d, n int
	all  []Variable
	// of the covariates and of the predictors of each variable; the last is their number
	first, to   []int
	covariates  []float64
	rows        [][]float64 // of each variable: 1 where its equation holds; nil means everywhere
	constant    []float64   // means of the constants
	constantVar []float64
}

var (
	_ models.Likelihood = (*Kinds)(nil)
	_ models.Separate   = (*Kinds)(nil)
)

// largestLogMean is the largest logarithm of the mean of a count.
const largestLogMean = 30

// NewKinds prepares the model for variables in causal order. intervened is nil, or n×d with 1
// where the value was set by intervention.
func NewKinds(all []Variable, intervened mat.Matrix) (*Kinds, error) {
	d := len(all)
	if d == 0 || len(all[0].Values) == 0 {
		return nil, fmt.Errorf(
			"models: generalised model: got %d variables, want at least one of at least one row", d)
	}
	m := &Kinds{d: d, n: len(all[0].Values), all: all, first: []int{0}, to: []int{0},
		rows: make([][]float64, d)}
	for j, v := range all {
		n, k := v.Covariates.Dims()
		predictors := 1
		if v.Contrasts != nil {
			levels, width := v.Contrasts.Dims()
			if predictors = width; levels != width+1 || floats.Min(v.Values) < 0 ||
				floats.Max(v.Values) >= float64(levels) {
				return nil, fmt.Errorf("models: generalised model: variable %d has %d levels, "+
					"want values from 0 to %d", j+1, levels, levels-1)
			}
		}
		if n != m.n || len(v.Values) != m.n {
			return nil, fmt.Errorf("models: generalised model: variable %d has %d values, want %d",
				j+1, len(v.Values), m.n)
		}
		m.first, m.to = append(m.first, m.first[j]+k), append(m.to, m.to[j]+predictors)
		mean, variance := 0.0, 4.0
		switch {
		case v.Count:
			mean = math.Log(floats.Sum(v.Values)/float64(m.n) + 0.5)
		case v.Contrasts == nil:
			variance = 1
		}
		for range predictors {
			m.constant, m.constantVar = append(m.constant, mean), append(m.constantVar, variance)
		}
		if intervened == nil {
			continue
		}
		m.rows[j] = make([]float64, m.n)
		for i := range m.n {
			if intervened.At(i, j) == 0 {
				m.rows[j][i] = 1
			}
		}
	}
	m.covariates = make([]float64, m.n*m.first[d])
	for j, v := range all {
		for i := range m.n {
			copy(m.covariates[i*m.first[d]+m.first[j]:], v.Covariates.RawRowView(i))
		}
	}
	return m, nil
}

// Vars implements [models.Likelihood].
func (m *Kinds) Vars() int { return m.d }

// width is the numbers of covariates and of predictors of all variables.
func (m *Kinds) width() (covariates, predictors int) { return m.first[m.d], m.to[m.d] }

// ParamLen implements [models.Likelihood].
func (m *Kinds) ParamLen() int {
	k, p := m.width()
	return k*p + p + m.d
}

// Constants are those of the predictors of variable j among some parameters.
func (m *Kinds) Constants(theta []float64, j int) []float64 {
	k, p := m.width()
	return theta[k*p+m.to[j] : k*p+m.to[j+1]]
}

// Weights are those of the covariates of variable i in predictor q of variable j.
func (m *Kinds) Weights(theta []float64, i, j, q int) []float64 {
	_, p := m.width()
	var out []float64
	for k := m.first[i]; k < m.first[i+1]; k++ {
		out = append(out, theta[k*p+m.to[j]+q])
	}
	return out
}

// LogVariance is that of the noise of variable j, which counts for numbers alone.
func (m *Kinds) LogVariance(theta []float64, j int) float64 {
	k, p := m.width()
	return theta[k*p+p+j]
}

// InitParams implements [models.Likelihood]: weights from N(0, ¼), constants at their means, and
// noise variances of 1.
func (m *Kinds) InitParams(dst []float64, rng *rand.Rand) {
	k, p := m.width()
	for i := range dst[:k*p] {
		dst[i] = 0.5 * rng.NormFloat64()
	}
	for i := range p {
		dst[k*p+i] = m.constant[i] + 0.1*rng.NormFloat64()
	}
	for i := range m.d {
		dst[k*p+p+i] = 0.1 * rng.NormFloat64()
	}
}

// Owners implements [models.Separate].
func (m *Kinds) Owners() []int {
	k, _ := m.width()
	var of []int // of the predictors
	for j := range m.d {
		of = append(of, slices.Repeat([]int{j}, m.to[j+1]-m.to[j])...)
	}
	owners := slices.Repeat(of, k+1)
	for j := range m.d {
		owners = append(owners, j)
	}
	return owners
}

// spread is the d×w matrix whose row j has 1 at the places of variable j.
func (m *Kinds) spread(b *autograd.Builder, first []int) *autograd.Node {
	w := first[m.d]
	values := make([]float64, m.d*w)
	for j := range m.d {
		for k := first[j]; k < first[j+1]; k++ {
			values[j*w+k] = 1
		}
	}
	return b.Constant(values, autograd.Shape{m.d, w})
}

// Terms implements [models.Likelihood].
func (m *Kinds) Terms(g, theta *autograd.Node) (prior, data *autograd.Node) {
	b := g.Builder()
	k, p := m.width()
	part := func(from, size int, shape autograd.Shape) *autograd.Node {
		return theta.Gather(span(from, size), shape)
	}
	weights := part(0, k*p, autograd.Shape{k, p})
	constants := part(k*p, p, autograd.Shape{1, p})
	logs := part(k*p+p, m.d, autograd.Shape{m.d})
	byPredictor := m.spread(b, m.to)
	edges := m.spread(b, m.first).T().MatMul(g).MatMul(byPredictor)
	eta := b.Constant(m.covariates,
		autograd.Shape{m.n, k}).MatMul(edges.Mul(weights)).Add(constants)

	off := constants.Sub(b.Constant(m.constant, autograd.Shape{1, p}))
	inverse := make([]float64, p)
	norm := make([]float64, p)
	for i, v := range m.constantVar {
		inverse[i], norm[i] = -0.5/v, -0.5*math.Log(2*math.Pi*v)
	}
	each := edges.Mul(lnNormal(weights)).Sum(0).Reshape(autograd.Shape{1, p})
	each = each.Add(off.Square().Mul(b.Constant(inverse, autograd.Shape{1, p}))).Add(
		b.Constant(norm, autograd.Shape{1, p}))
	prior = each.MatMul(byPredictor.T()).Reshape(autograd.Shape{m.d})

	terms, numbers := make([]*autograd.Node, m.d), make([]float64, m.d)
	for j, v := range m.all {
		own := eta.Slice(1, m.to[j], m.to[j+1])
		if terms[j] = m.term(b, j, own, logs); v.Contrasts == nil && !v.Count {
			numbers[j] = 1
		}
	}
	// s of inverse gamma (1, ¼): ln ¼ − s − ¼ e^{−s}; of others N(0, 1), which is theirs alone.
	is := b.Constant(numbers, autograd.Shape{m.d})
	spread := logs.Neg().Add(logs.Neg().Exp().Scale(-0.25)).AddScalar(math.Log(0.25))
	prior = prior.Add(is.Mul(spread)).Add(is.SubFrom(1).Mul(lnNormal(logs)))
	return prior, autograd.Vector(terms[0], terms[1:]...)
}

// term is the log likelihood of variable j with its predictors, n×k.
func (m *Kinds) term(b *autograd.Builder, j int, eta, logs *autograd.Node) *autograd.Node {
	v := &m.all[j]
	column := autograd.Shape{m.n, 1}
	y := b.Constant(v.Values, column)
	var each *autograd.Node
	switch {
	case v.Contrasts != nil:
		levels, width := v.Contrasts.Dims()
		c := b.Constant(mat.DenseCopyOf(v.Contrasts.T()).RawMatrix().Data,
			autograd.Shape{width, levels})
		hot := make([]float64, m.n*levels)
		for i, k := range v.Values {
			hot[i*levels+int(k)] = 1
		}
		logits := eta.MatMul(c)
		each = logits.Mul(b.Constant(hot, autograd.Shape{m.n, levels})).Sum(1).Sub(
			logits.LogSumExp(1))
	case v.Count:
		eta = eta.Clamp(-largestLogMean, largestLogMean)
		factorials := make([]float64, m.n)
		for i, k := range v.Values {
			lg, _ := math.Lgamma(k + 1)
			factorials[i] = -lg
		}
		each = y.Mul(eta).Sub(eta.Exp()).Add(b.Constant(factorials, column))
	default:
		s := logs.Index(0, j)
		each = y.Sub(eta).Square().Mul(s.Neg().Exp()).Add(s).AddScalar(math.Log(2 * math.Pi)).Scale(
			-0.5)
	}
	each = each.Reshape(autograd.Shape{m.n})
	if m.rows[j] != nil {
		each = each.Mul(b.Constant(m.rows[j], autograd.Shape{m.n}))
	}
	return each.Sum()
}

// lnNormal is the log density of N(0, 1) at every element of x.
func lnNormal(x *autograd.Node) *autograd.Node {
	return x.Square().Scale(-0.5).AddScalar(-0.5 * math.Log(2*math.Pi))
}

// span lists n consecutive indices.
func span(from, n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = from + i
	}
	return idx
}
