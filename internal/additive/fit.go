package additive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A term is a column of the design of a channel, with the prior N(0, variance) of its weight.
type term struct {
	channel  int       // 0: the mean; 1: the logarithm of the noise's scale; from 2 on: the parameters of its shape
	column   []float64 // nil: a constant 1
	variance float64
}

// addTo adds the term with a weight to dst.
func (t *term) addTo(dst []float64, weight float64) {
	if t.column == nil {
		floats.AddConst(weight, dst)
	} else {
		floats.AddScaled(dst, weight, t.column)
	}
}

// dot is the scalar product of the term with w.
func (t *term) dot(w []float64) float64 {
	if t.column == nil {
		return floats.Sum(w)
	}
	return floats.Dot(w, t.column)
}

// An equation is y with its terms, in the sequence of the channels.
type equation struct {
	y     []float64
	terms []term
	p     *program
}

// evaluate computes the log joint density at theta; −∞ where it is not a number.
func (e *equation) evaluate(channels [][]float64, theta []float64) (float64, error) {
	for _, c := range channels {
		clear(c)
	}
	for k, t := range e.terms {
		t.addTo(channels[t.channel], theta[k])
	}
	f, err := e.p.at(e.y, channels)
	if err != nil {
		return 0, err
	}
	for k, t := range e.terms {
		f -= 0.5*theta[k]*theta[k]/t.variance + 0.5*math.Log(t.variance) + logRoot2Pi
	}
	if math.IsNaN(f) {
		return math.Inf(-1), nil
	}
	return f, nil
}

// derivatives fills the gradient and the negative Hessian after evaluate at theta.
func (e *equation) derivatives(gradient []float64, hessian *mat.SymDense, theta []float64) {
	weighted := make([]float64, len(e.y))
	for k, t := range e.terms {
		gradient[k] = t.dot(e.p.gradient[t.channel]) - theta[k]/t.variance
		of := -1 // channel of weighted
		for l, o := range e.terms[:k+1] {
			if o.channel != of {
				of = o.channel
				copy(weighted, e.p.hessian[t.channel*(t.channel+1)/2+of])
				if t.column != nil {
					floats.Mul(weighted, t.column)
				}
			}
			hessian.SetSym(k, l, -o.dot(weighted))
		}
		hessian.SetSym(k, k, hessian.At(k, k)+1/t.variance)
	}
}

// laplace climbs from theta to a mode of the log joint density by Newton's method with the
// damping of Levenberg and Marquardt, and returns Laplace's approximation of the log integral
// of the density, with the Cholesky factor of the negative Hessian. It is −∞ where no mode with
// a curvature in all directions is found. Where one Newton step promises less than least, that
// estimate is returned.
func (e *equation) laplace(theta []float64, chol *blas64.Triangular, least float64) (float64, error) {
	const (
		iterations = 200
		gain       = 1e-4 // nats that another step promises, below which there is none
		most       = 1e9  // damping, in units of the smallest
	)
	n := len(theta)
	channels := make([][]float64, e.p.channels)
	for c := range channels {
		channels[c] = make([]float64, len(e.y))
	}
	f, err := e.evaluate(channels, theta)
	if err != nil || math.IsInf(f, -1) {
		return math.Inf(-1), err
	}
	to, gradient, hessian := make([]float64, n), make([]float64, n), mat.NewSymDense(n, nil)
	step := blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	damped := blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}
	var root blas64.Triangular // of damped
	factorize := func(damping float64) (ok bool) {
		copy(damped.Data, hessian.RawSymmetric().Data)
		for i := range n {
			damped.Data[i*n+i] += damping
		}
		root, ok = lapack64.Potrf(damped)
		return ok
	}
	logDet := func() (sum float64) {
		for i := range n {
			sum += 2 * math.Log(root.Data[i*n+i])
		}
		return sum
	}
	smallest, damping := 0.01*float64(len(e.y)), 0.0
	for k := range iterations {
		e.derivatives(gradient, hessian, theta)
		found := false
		for better := false; !better && !found; {
			more := func() bool {
				damping = max(smallest, 4*damping)
				return damping < most*smallest
			}
			if !factorize(damping) {
				if !more() {
					return math.Inf(-1), nil
				}
				continue
			}
			copy(step.Data, gradient)
			blas64.Trsv(blas.Trans, root, step)
			blas64.Trsv(blas.NoTrans, root, step)
			promise := 0.5 * floats.Dot(step.Data, gradient)
			if found = promise < gain; found {
				break
			}
			if k == 0 && damping == 0 {
				if estimate := f + promise + float64(n)*logRoot2Pi - 0.5*logDet(); estimate < least {
					*chol = root
					return estimate, nil
				}
			}
			floats.AddTo(to, theta, step.Data)
			next, err := e.evaluate(channels, to)
			if err != nil {
				return 0, err
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
	if damping > 0 && !factorize(0) {
		return math.Inf(-1), nil
	}
	*chol = root
	return f + float64(n)*logRoot2Pi - 0.5*logDet(), nil
}

// leastSquares are the weights of the terms of the mean by ridge regression, and the standard
// deviation of the residuals.
func (e *equation) leastSquares() (beta []float64, sd float64) {
	const noise = 0.3 // variance that the prior is weighted against
	n := len(e.terms)
	m, c := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	columns := make([][]float64, n)
	for k := range columns {
		columns[k] = make([]float64, len(e.y))
		e.terms[k].addTo(columns[k], 1)
	}
	for k := range n {
		for l := range k + 1 {
			m.SetSym(k, l, floats.Dot(columns[k], columns[l]))
		}
		m.SetSym(k, k, m.At(k, k)+noise/e.terms[k].variance)
		c.SetVec(k, floats.Dot(columns[k], e.y))
	}
	beta = make([]float64, n)
	rest := slices.Clone(e.y)
	var chol mat.Cholesky
	if chol.Factorize(m) {
		_ = chol.SolveVecTo(mat.NewVecDense(n, beta), c)
		for k, b := range beta {
			floats.AddScaled(rest, -b, columns[k])
		}
	}
	return beta, stat.PopStdDev(rest, nil)
}
