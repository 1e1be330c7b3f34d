package gaussian

import (
	"fmt"

	"tobac/chain"

	"gonum.org/v1/gonum/mat"
)

// Whitened is a target in the coordinates z of a normal distribution that is close to it, x =
// mean + L z, in which it is close to a standard normal distribution: what samplers that
// scale and turn nothing themselves need, such as those of package svgd with a kernel for
// each coordinate. It serves one goroutine at a time.
type Whitened struct {
	Target chain.Target
	By     *Normal

	x, grad *mat.Dense
}

var _ chain.Target = (*Whitened)(nil)

// Dims implements [chain.Target].
func (w *Whitened) Dims() (points, coordinates int) { return w.Target.Dims() }

// LogDensity implements [chain.Target]; a constant, the logarithm of |L|, is left out.
func (w *Whitened) LogDensity(logp []float64, grad, z *mat.Dense) error {
	n, d := z.Dims()
	if points, _ := w.Target.Dims(); n != points || d != len(w.By.Mean) {
		return fmt.Errorf("gaussian: got %d×%d coordinates, want %d×%d", n, d, points,
			len(w.By.Mean))
	}
	if w.x == nil {
		w.x, w.grad = mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	}
	w.to(w.x, z)
	if err := w.Target.LogDensity(logp, w.grad, w.x); err != nil {
		return err
	}
	grad.Mul(w.grad, w.By.Root) // rows are gᵀL
	return nil
}

// Score makes it a target of package svgd, with one block of particles. What is not finite
// is an error that names the particles, see [chain.Target] and svgd.Sampler.Outside.
func (w *Whitened) Score(dst, z []*mat.Dense, _ int) error {
	if len(dst) != 1 || len(z) != 1 {
		return fmt.Errorf("gaussian: got %d blocks, want 1", len(z))
	}
	n, _ := z[0].Dims()
	logp := make([]float64, n)
	if err := w.LogDensity(logp, dst[0], z[0]); err != nil {
		return err
	}
	var outside outsideError
	for k, l := range logp {
		if !finite(l) || !finite(dst[0].RawRowView(k)...) {
			outside = append(outside, k)
		}
	}
	if outside != nil {
		return outside
	}
	return nil
}

// Points are the coordinates of the target at the rows of z.
func (w *Whitened) Points(z *mat.Dense) *mat.Dense {
	n, d := z.Dims()
	x := mat.NewDense(n, d, nil)
	w.to(x, z)
	return x
}

func (w *Whitened) to(x, z *mat.Dense) {
	n, _ := z.Dims()
	for k := range n {
		w.By.draw(x.RawRowView(k), z.RawRowView(k))
	}
}

// An outsideError lists points without a density.
type outsideError []int

func (e outsideError) Error() string {
	return fmt.Sprintf("gaussian: the log density or its gradient is not finite at point %d", e[0])
}

// Outside lists the points.
func (e outsideError) Outside() []int { return e }
