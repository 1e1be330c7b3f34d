package additive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// gain is what another Newton step promises, in nats, when it is the last.
const gain = 1e-3

// A quadratic is a log density about a point, by its gradient and negative Hessian there.
type quadratic struct {
	variance []float64 // of the priors
	theta    []float64 // the point
	log      float64   // density there
	gradient []float64
	hessian  *mat.SymDense

	root   blas64.Triangular // U of the damped negative Hessian UᵀU
	step   blas64.Vector     // to the maximum
	damped blas64.Symmetric
}

func newQuadratic(variance []float64) *quadratic {
	n := len(variance)
	return &quadratic{variance: variance, gradient: make([]float64, n),
		hessian: mat.NewSymDense(n, nil),
		step:    blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)},
		damped:  blas64.Symmetric{N: n, Stride: n, Uplo: blas.Upper, Data: make([]float64, n*n)}}
}

// at says what the point is, and the density there.
func (q *quadratic) at(theta []float64, log float64) {
	q.theta, q.log = slices.Clone(theta), log
}

// factorize computes the root with some damping, if there is one.
func (q *quadratic) factorize(damping float64) (ok bool) {
	copy(q.damped.Data, q.hessian.RawSymmetric().Data)
	for i := range q.step.N {
		q.damped.Data[i*q.step.N+i] += damping
	}
	q.root, ok = lapack64.Potrf(q.damped)
	return ok
}

// promise is by how much the density grows along the step, which it computes from the root.
func (q *quadratic) promise() float64 {
	copy(q.step.Data, q.gradient)
	blas64.Trsv(blas.Trans, q.root, q.step)
	blas64.Trsv(blas.NoTrans, q.root, q.step)
	return 0.5 * floats.Dot(q.step.Data, q.gradient)
}

// evidence is the log integral of the density whose maximum is f.
func (q *quadratic) evidence(f float64) float64 {
	n := q.step.N
	f += float64(n) * logRoot2Pi
	for i := range n {
		f -= math.Log(q.root.Data[i*n+i])
	}
	return f
}

// nearby is what the step to another mode promises at most, in nats, where it is taken at once: of
// many rows the density is nearly normal some standard deviations around.
const nearby = 5

// under is the log evidence of an equation with other prior variances of the same terms, with its
// mode, where that is nearby.
func (q *quadratic) under(variance []float64) (log float64, theta []float64, ok bool) {
	o := newQuadratic(variance)
	f := q.log
	copy(o.gradient, q.gradient)
	o.hessian.CopySym(q.hessian)
	for k, now := range variance {
		was, v := q.variance[k], q.theta[k]
		f += 0.5*v*v*(1/was-1/now) + 0.5*math.Log(was/now)
		o.gradient[k] += v * (1/was - 1/now)
		o.hessian.SetSym(k, k, o.hessian.At(k, k)-1/was+1/now)
	}
	if !o.factorize(0) {
		return 0, nil, false
	}
	promise := o.promise()
	if !(promise < nearby) {
		return 0, nil, false
	}
	theta = slices.Clone(q.theta)
	floats.Add(theta, o.step.Data)
	return o.evidence(f + promise), theta, true
}
