package density

import (
	"fmt"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

// HessianProduct writes the product of the Hessian of the log density with a direction, at each
// row of x and for the same row of v, to the rows of dst, points × coordinates.
func (m *Model) HessianProduct(dst, x, v *mat.Dense) error {
	if r, c := dst.Dims(); r != m.points || c != m.length {
		return fmt.Errorf(
			"density: got room for %d×%d products, want %d×%d",
			r,
			c,
			m.points,
			m.length,
		)
	}
	if m.derived.curvature == nil {
		t := m.trace
		var directions []*autograd.Node
		for i, u := range t.free {
			directions = append(directions, t.input(tangent, t.named[i].Name, u.Shape(), t.points))
		}
		all := t.sum(append(append([]*autograd.Node{}, t.prior...), t.rest...))
		var err error
		if m.derived.curvature, err = m.compile(t, t.b.Hvp(all, t.free, directions)); err != nil {
			return err
		}
	}
	if err := m.bind(m.coordinates, x); err != nil {
		return err
	}
	if err := m.bind(m.tangents, v); err != nil {
		return err
	}
	if err := m.derived.curvature.eval(); err != nil {
		return err
	}
	m.spread(dst, m.derived.curvature.dst)
	return nil
}

// Tempered writes, at each row of x, the log density of the prior to prior (the distributions of
// [Trace.Sample] and the Jacobians), that of all else to rest, and the gradient of
// prior + beta·rest to the rows of grad: for samplers that go from the prior to the
// posterior.
func (m *Model) Tempered(beta float64, prior, rest []float64, grad, x *mat.Dense) error {
	if m.trace.flat != "" {
		return fmt.Errorf(
			"density: parameter %s has no distribution, and so the prior no density",
			m.trace.flat,
		)
	}
	if r, c := grad.Dims(); r != m.points || c != m.length || len(prior) != m.points ||
		len(rest) != m.points {
		return fmt.Errorf(
			"density: got room for %d and %d densities and %d×%d gradients, want %d, %d and %d×%d",
			len(prior),
			len(rest),
			r,
			c,
			m.points,
			m.points,
			m.points,
			m.length,
		)
	}
	if m.derived.tempered == nil {
		t := m.trace
		at := t.input(hotness, "inverse temperature", autograd.Shape{})
		a, b := t.sum(t.prior), t.sum(t.rest)
		outputs := append([]*autograd.Node{a, b}, t.b.Grad(a.Add(b.Mul(at)), t.free...)...)
		var err error
		if m.derived.tempered, err = m.compile(t, outputs); err != nil {
			return err
		}
	}
	if err := m.bind(m.coordinates, x); err != nil {
		return err
	}
	m.beta[0] = beta
	if err := m.derived.tempered.eval(); err != nil {
		return err
	}
	copy(prior, m.derived.tempered.dst[0])
	copy(rest, m.derived.tempered.dst[1])
	m.spread(grad, m.derived.tempered.dst[2:])
	return nil
}
