package additive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/vector"
)

// A term is a column of the design of a channel, with the prior N(0, variance) of its weight.
type term struct {
	place
	column   []float64 // nil means a constant 1
	variance float64
}

// A place says what the column of a term is.
type place struct {
	// 0: the mean; 1: the logarithm of the noise's scale; from 2 on: the parameters of its shape
	channel int
	parent  int // that the column is of; -1: none
	other   int // the parent that it is a product with; -1: none
	number  int // of the function, or of the product
}

// addTo adds the term with a weight to dst.
func (t *term) addTo(dst []float64, weight float64) {
	if t.column == nil {
		kernels.Shift(dst, dst, weight)
	} else {
		kernels.AddScaled(dst, dst, weight, t.column)
	}
}

// An equation is y with its terms, in the sequence of the channels.
type equation struct {
	y     []float64
	shape int // of the noise, in shapes
	terms []term
}

// with adds the parameters of another equation of the variable, whose terms e has too, to theta;
// nil means zeros.
func (e *equation) with(theta []float64, sign float64, other *equation,
	parameters []float64) []float64 {
	out, at := make([]float64, len(e.terms)), 0
	copy(out, theta)
	for k, t := range e.terms {
		if at == len(other.terms) {
			break
		}
		if t.place == other.terms[at].place {
			out[k] += sign * parameters[at]
			at++
		}
	}
	return out
}

// laplace climbs from theta to a mode of the log joint density, where theta is then, and returns
// Laplace's approximation of the log integral of the density, with the Cholesky factor U of the
// negative Hessian UᵀU. It is −∞ where no mode with a curvature in all directions is found. Where
// one Newton step promises less than least, that estimate is returned. near is the density about
// the last point; nil where it is not known.
func (e *equation) laplace(theta []float64, least float64) (log float64, root blas64.Triangular,
	near *quadratic) {
	p := take(e.shape, len(e.y))
	defer pool(e.shape, len(e.y)).Put(p)
	n := len(e.y)
	p.design = slices.Grow(p.design[:0], len(e.terms)*n)[:len(e.terms)*n]
	for k, t := range e.terms {
		column := p.design[k*n : (k+1)*n]
		if copy(column, t.column); t.column == nil {
			clear(column)
			floats.AddConst(1, column)
		}
	}
	log, root, near, err := (&climb{equation: e, program: p}).laplace(theta, least)
	if err != nil {
		panic("additive: " + err.Error()) // of a program that was compiled
	}
	return log, root, near
}

// A climb is one to a mode of an equation.
type climb struct {
	*equation
	*program
}

var kernels, _ = vector.Default() // an unknown name of kernels is reported by what compiles

// evaluate computes the log joint density at theta; −∞ where it is not a number.
func (c *climb) evaluate(theta []float64) (float64, error) {
	for _, v := range c.channel {
		clear(v)
	}
	for k, t := range c.terms {
		t.addTo(c.channel[t.channel], theta[k])
	}
	f, err := c.at(c.y, c.channel)
	if err != nil {
		return 0, err
	}
	for k, t := range c.terms {
		f -= 0.5*theta[k]*theta[k]/t.variance + 0.5*math.Log(t.variance) + logRoot2Pi
	}
	if math.IsNaN(f) {
		return math.Inf(-1), nil
	}
	return f, nil
}

// blockRows is the number of rows whose part of the design fits in the cache.
const blockRows = 1024

// derivatives fills the gradient and the negative Hessian after evaluate at theta: of many rows as
// sums over blocks.
func (c *climb) derivatives(gradient []float64, hessian *mat.SymDense, theta []float64) {
	c.bound()
	n := len(c.y)
	block := n
	if c.many() {
		block = blockRows
	}
	hessian.Zero()
	clear(gradient)
	row := make([]float64, len(c.terms))
	for from := 0; from < n; from += block {
		c.addDerivatives(gradient, hessian, row, from, min(from+block, n))
	}
	for k, t := range c.terms {
		hessian.SetSym(k, k, 1/t.variance+hessian.At(k, k))
		gradient[k] -= theta[k] / t.variance
	}
}

// leastCurvature is the least curvature of the log density by the mean of a row, in units of
// Fisher's information.
const leastCurvature = 0.01

// bound keeps the curvature by the mean of each row above a bound. A density that is flat at its
// centre would have none in an equation that passes through all rows, and Laplace's approximation
// take this for room around it.
func (c *climb) bound() {
	information := shapes[c.shape].information
	if information == nil {
		return
	}
	least := leastCurvature * information(c.s)
	for r, l := range c.channel[1] {
		c.hessian[0][r] = math.Min(c.hessian[0][r], -least*math.Exp(-2*l))
	}
}

// addDerivatives adds those of the likelihood of some rows.
func (c *climb) addDerivatives(gradient []float64, hessian *mat.SymDense, row []float64,
	from, to int) {
	for k, t := range c.terms {
		for first := 0; first <= k; {
			of, end := c.terms[first].channel, min(c.endOf(first), k+1)
			weighted := c.hessian[t.channel*(t.channel+1)/2+of][from:to]
			if t.column != nil {
				kernels.MulEach(c.weighted[from:to], weighted, t.column[from:to])
				weighted = c.weighted[from:to]
			}
			kernels.MulVec(row[first:end], c.columns(first, end, from, to), weighted)
			first = end
		}
		for l, v := range row[:k+1] {
			hessian.SetSym(k, l, hessian.At(k, l)-v)
		}
	}
	for first := 0; first < len(c.terms); {
		end := c.endOf(first)
		kernels.MulVec(row[first:end], c.columns(first, end, from, to),
			c.gradient[c.terms[first].channel][from:to])
		first = end
	}
	floats.Add(gradient, row)
}

// endOf is the first term after one that is of another channel.
func (c *climb) endOf(first int) int {
	end := first
	for end < len(c.terms) && c.terms[end].channel == c.terms[first].channel {
		end++
	}
	return end
}

// columns are some rows of those of some terms, as rows.
func (c *climb) columns(first, end, from, to int) vector.Strided {
	n := len(c.y)
	return vector.Strided{Rows: end - first, Cols: to - from, Row: n, Col: 1,
		Data: c.design[first*n+from : (end-1)*n+to]}
}

// laplace is that of [equation], by Newton's method with the damping of Levenberg and Marquardt.
func (c *climb) laplace(theta []float64, least float64) (log float64, root blas64.Triangular,
	near *quadratic, err error) {
	const (
		iterations = 200
		most       = 1e9 // damping, in units of the smallest
	)
	n := len(theta)
	f, err := c.evaluate(theta)
	if err != nil || math.IsInf(f, -1) {
		return math.Inf(-1), root, nil, err
	}
	to := make([]float64, n)
	q := newQuadratic(c.variances())
	smallest, damping := 0.01*float64(len(c.y)), 0.0
	for k := range iterations {
		c.derivatives(q.gradient, q.hessian, theta)
		found := false
		for better := false; !better && !found; {
			more := func() bool {
				damping = max(smallest, 4*damping)
				return damping < most*smallest
			}
			if !q.factorize(damping) {
				if !more() {
					return math.Inf(-1), q.root, nil, nil
				}
				continue
			}
			promise := q.promise()
			if damping == 0 && (promise < gain ||
				(k == 0 || c.many()) && q.evidence(f+promise) < least) {
				q.at(theta, f)
				floats.Add(theta, q.step.Data)
				return q.evidence(f + promise), q.root, q, nil
			}
			if found = promise < gain; found {
				break
			}
			floats.AddTo(to, theta, q.step.Data)
			next, err := c.evaluate(to)
			if err != nil {
				return 0, q.root, nil, err
			}
			if better = next > f+0.1*promise; better {
				if next > f+0.7*promise {
					if damping /= 8; damping < smallest/8 {
						damping = 0
					}
				}
				f = next
				copy(theta, to)
			} else if !more() {
				found = true
			}
		}
		if found {
			break
		}
	}
	if damping > 0 && !q.factorize(0) {
		return math.Inf(-1), q.root, nil, nil
	}
	return q.evidence(f), q.root, nil, nil
}

// leastSquares are parameters to begin with: the weights of the terms of the mean by ridge
// regression, the logarithm of the residuals' standard deviation, and zeros.
func (e *equation) leastSquares() []float64 {
	theta := make([]float64, len(e.terms))
	n := 0 // terms of the mean
	for n < len(e.terms) && e.terms[n].channel == 0 {
		n++
	}
	m, c := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	columns := make([][]float64, n)
	for k := range columns {
		if columns[k] = e.terms[k].column; columns[k] == nil {
			columns[k] = slices.Repeat([]float64{1}, len(e.y))
		}
		for l := range k + 1 {
			m.SetSym(k, l, floats.Dot(columns[k], columns[l]))
		}
		c.SetVec(k, floats.Dot(columns[k], e.y))
	}
	rest := make([]float64, len(e.y))
	sd := 0.5 // of the noise, that the prior is weighted against
	for range 2 {
		var chol mat.Cholesky
		ridge := mat.NewSymDense(n, nil)
		ridge.CopySym(m)
		for k := range n {
			ridge.SetSym(k, k, m.At(k, k)+sd*sd/e.terms[k].variance)
		}
		if chol.Factorize(ridge) {
			_ = chol.SolveVecTo(mat.NewVecDense(n, theta[:n]), c)
		}
		copy(rest, e.y)
		for k, b := range theta[:n] {
			floats.AddScaled(rest, -b, columns[k])
		}
		sd = math.Max(stat.PopStdDev(rest, nil), 1e-3)
	}
	theta[n] = math.Log(sd)
	return theta
}

// wholeRows is the number of rows from which on each look at all of them counts: sums are over
// blocks of rows, forms far behind are given up at any step of a climb, and other prior variances
// are tried on the density about a mode.
const wholeRows = 16384

// many reports whether there are so many rows.
func (e *equation) many() bool { return len(e.y) >= wholeRows }

// variances are those of the priors of the terms.
func (e *equation) variances() []float64 {
	all := make([]float64, len(e.terms))
	for k, t := range e.terms {
		all[k] = t.variance
	}
	return all
}
