package svgd

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Outside says what becomes of a particle at which the target has no score: one that has
// left the support, for example. The target names such particles by an error with a method
// Outside() []int, as models.OutsideError; the scores of the others hold.
type Outside int

const (
	// StopOutside ends the run with the target's error.
	StopOutside Outside = iota
	// KeepOutside leaves the particle where it is. It still repels others. If none is inside the
	// run ends.
	KeepOutside
	// RedrawOutside puts it at another point: see [Sampler].Redraw. Without that function the run
	// ends if no particle is inside.
	RedrawOutside
)

// score writes the scores, zero for particles that are outside, and lists those.
func (s *Sampler) score(x []*mat.Dense, t int) ([]int, error) {
	w := &s.work
	w.outside = nil
	err := s.Target.Score(w.score, x, t)
	if err == nil || s.Outside == StopOutside {
		return nil, err
	}
	var named interface{ Outside() []int }
	if !errors.As(err, &named) {
		return nil, err
	}
	w.outside = named.Outside()
	if n, _ := x[0].Dims(); len(w.outside) == n && (s.Outside == KeepOutside || s.Redraw == nil) {
		return nil, fmt.Errorf("all %d particles are outside of the support: %w", n, err)
	}
	w.hold(w.score, w.outside, nil)
	return w.outside, nil
}

// hold replaces the rows of some particles by those of x, or by zeros.
func (w *workspace) hold(m []*mat.Dense, particles []int, x []*mat.Dense) {
	for b := range m {
		for _, i := range particles {
			row := m[b].RawRowView(i)
			clear(row)
			if x != nil {
				copy(row, x[b].RawRowView(i))
			}
		}
	}
}

// redraw puts particles that are outside at other points of phi, which holds the next ones.
func (s *Sampler) redraw(outside []int, t int) {
	phi := s.work.phi
	n, _ := phi[0].Dims()
	var inside []int
	for i := range n {
		if len(outside) > 0 && outside[0] == i {
			outside = outside[1:]
			continue
		}
		inside = append(inside, i)
	}
	for _, i := range s.work.outside {
		point := make([][]float64, len(phi))
		for b := range phi {
			point[b] = phi[b].RawRowView(i)
		}
		if s.Redraw != nil {
			s.Redraw(point, t, i)
			continue
		}
		from := i % len(inside)
		to := (from + 1 + t%max(len(inside)-1, 1)) % len(inside)
		for b, row := range point {
			u, v := phi[b].RawRowView(inside[from]), phi[b].RawRowView(inside[to])
			for k := range row {
				row[k] = 0.5*u[k] + 0.5*v[k]
			}
		}
	}
}
