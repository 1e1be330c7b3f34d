package gaussian

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/chain"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Curved is a target that has products with the Hessian of its log density, at every row of x
// with the same row of v.
type Curved interface {
	chain.Target
	HessianProduct(dst, x, v *mat.Dense) error
}

// Laplace approximates a density around its mode. The zero value of each setting is the usual
// one.
type Laplace struct {
	// a [Curved] one has an exact Hessian, others one by differences of gradients
	Target chain.Target
	Seed   uint64
	Starts int       // of the optimiser, of which the best end counts; defaults to 4
	From   []float64 // where the optimiser starts; nil means uniformly from −2 to 2
}

// Fit finds the mode and the distribution around it. It fails where the Hessian at the end of
// the optimiser's path is not negative definite: at a ridge, or where the density has
// no mode, such as that of a hierarchical model in its variances.
func (l Laplace) Fit(ctx context.Context) (*Normal, error) {
	e := &evaluator{target: l.Target}
	switch {
	case l.Target == nil:
		return nil, errors.New("gaussian: no target")
	case l.Starts < 0:
		return nil, fmt.Errorf("gaussian: %d starts, want at least 1", l.Starts)
	case l.Starts == 0 && l.From == nil:
		l.Starts = 4
	case l.From != nil:
		l.Starts = 1
	}
	_, d := e.room()
	if l.From != nil && len(l.From) != d {
		return nil, fmt.Errorf("gaussian: a start of %d coordinates, want %d", len(l.From), d)
	}
	var best *place
	for k := range l.Starts {
		x := l.From
		if x == nil {
			var err error
			if x, err = e.start(l.Seed, k); err != nil {
				return nil, err
			}
		}
		path, err := e.climb(ctx, x, 1000, 15)
		if err != nil {
			return nil, fmt.Errorf("gaussian: the optimiser from start %d: %w", k, err)
		}
		if end := path[len(path)-1]; best == nil || end.log > best.log {
			best = &end
		}
	}
	precision, err := e.curvature(best.x)
	if err != nil {
		return nil, err
	}
	var factor mat.Cholesky
	if !factor.Factorize(precision) {
		return nil, fmt.Errorf(
			"gaussian: the Hessian of the log density is not negative definite where the "+
				"optimiser ended, at the log density %.6g "+
				"with a gradient of norm %.2g: there is no mode",
			best.log,
			floats.Norm(best.grad, 2),
		)
	}
	var covariance mat.SymDense
	if err := factor.InverseTo(&covariance); err != nil && !errors.As(err, new(mat.Condition)) {
		return nil, fmt.Errorf("gaussian: the Hessian at the mode is singular: %w", err)
	}
	n, ok := newNormal(best.x, &covariance)
	if !ok {
		return nil, errors.New("gaussian: the Hessian at the mode is singular")
	}
	n.LogEvidence = best.log + float64(d)/2*math.Log(2*math.Pi) - factor.LogDet()/2
	return n, nil
}

// curvature is the negative Hessian at x.
func (e *evaluator) curvature(x []float64) (*mat.SymDense, error) {
	points, d := e.room()
	h := mat.NewDense(d, d, nil)
	if curved, ok := e.target.(Curved); ok {
		v, product := mat.NewDense(points, d, nil), mat.NewDense(points, d, nil)
		for k := range points {
			e.x.SetRow(k, x)
		}
		for first := 0; first < d; first += points {
			v.Zero()
			for k := range min(points, d-first) {
				v.Set(k, first+k, 1)
			}
			if err := curved.HessianProduct(product, e.x, v); err != nil {
				return nil, err
			}
			for k := range min(points, d-first) {
				h.SetRow(first+k, product.RawRowView(k))
			}
		}
	} else {
		at, up, down := append([]float64(nil), x...), make([]float64, d), make([]float64, d)
		for i := range d {
			// errors of rounding and of the third derivative are alike
			step := 1e-5 * (1 + math.Abs(x[i]))
			at[i] = x[i] + step
			if _, err := e.at(up, at); err != nil {
				return nil, err
			}
			at[i] = x[i] - step
			if _, err := e.at(down, at); err != nil {
				return nil, err
			}
			at[i] = x[i]
			floats.SubTo(h.RawRowView(i), up, down)
			floats.Scale(1/(2*step), h.RawRowView(i))
		}
	}
	out := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			out.SetSym(i, j, -(h.At(i, j)+h.At(j, i))/2)
		}
	}
	return out, nil
}
