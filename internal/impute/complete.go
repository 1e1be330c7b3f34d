package impute

import (
	"context"
	"math"

	"tobac/internal/parallel"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Complete fills the gaps of x, n×d with NaN where a value is missing. Errors name rows and columns
// counted from 1: those without an observed value, values that are infinite, gaps in values set by
// intervention. It stops when ctx is done. It panics if x is nil or empty, if Count, Workers or
// Iterations is negative, if the shapes of Methods, Intervened or Names are not those of x, or if a
// set of Together repeats a column or has one that does not exist, or if Limits are not those of
// gaps in ascending sequence.
func Complete(ctx context.Context, x *mat.Dense, s Settings) (*Completed, error) {
	s.check(x)
	if s.Count == 0 {
		s.Count = 10
	}
	c := &Completed{x: mat.DenseCopyOf(x), values: make([][]float64, s.Count)}
	if err := s.checkData(c.x); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	at := make(map[int]int)
	for place, v := range c.x.RawMatrix().Data[:n*d] {
		if math.IsNaN(v) {
			at[place] = len(c.places)
			c.places = append(c.places, place)
		}
	}
	for k := range c.values {
		c.values[k] = make([]float64, len(c.places))
	}
	methods := s.methods(c.x)
	sets := s.sets(methods)
	scaled, logs := c.x, []bool(nil)
	if len(s.Limits) > 0 {
		scaled, s.Limits, logs = onLogs(c.x, s.Limits)
	}
	for _, r := range regimes(c.x, s.Intervened) {
		model, values, err := r.complete(ctx, scaled, sets, &s)
		if err != nil {
			return nil, err
		}
		c.Diagnostics.Models = append(c.Diagnostics.Models, model)
		for k, list := range values {
			for p, place := range r.places {
				v := list[p]
				if logs != nil && logs[place%d] {
					v = math.Exp(v)
				}
				c.values[k][at[place]] = v
			}
		}
	}
	c.Diagnostics.Columns = c.columns(methods)
	return c, nil
}

// complete fills the gaps of the rows of a regime. The values of each table are in the sequence of
// r.places, which it sets.
func (r *regime) complete(ctx context.Context, x *mat.Dense, sets [][]int,
	s *Settings) (Model, [][]float64, error) {
	p, err := newProblem(x, r.rows, s)
	if err != nil {
		return Model{}, nil, err
	}
	p.wanted = r.wanted
	m, em, err := p.maximise(ctx, s.Workers)
	if err != nil {
		return Model{}, nil, err
	}
	iterations := s.Iterations
	if iterations == 0 {
		if iterations = em.chainLength(); len(s.Limits) > 0 {
			iterations = max(iterations, fewestWithLimits)
		}
	}
	r.places = p.places(x)
	values := make([][]float64, s.Count)
	seed := stream.Seed(s.Seed, stream.ImputationRegime, r.number)
	err = parallel.For(ctx, s.Count, s.Workers, func(k int) (err error) {
		values[k], err = p.chain(ctx, m, iterations, stream.New(seed, stream.Imputation, k), sets,
			x)
		return err
	})
	return p.describe(em, iterations), values, err
}
