package calibration

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/density"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Study calibrates a sampler on a model. Every parameter of the model has a distribution, and
// its likelihood is made of observed data.
type Study struct {
	Model   func(t *density.Trace)
	Options density.Options // its data have the right shapes; those that are observed are replaced
	// Sample draws from the posterior of a model, which has new data, as coordinates: nearly
	// independent draws, at least 2 in all, the same number for every set.
	Sample func(ctx context.Context, m *density.Model, seed uint64) ([]*mat.Dense, error)
	Sets   int // of data, defaults to 200
	Seed   uint64
}

// Ranks are, for each number of [density.Model.Names], how many posterior draws are below the
// value that made the data, for each set.
type Ranks struct {
	Names []string
	Ranks [][]int
	Draws int // in each set
}

// Run makes the sets one after the other. The context is checked between them.
func (s Study) Run(ctx context.Context) (*Ranks, error) {
	switch {
	case s.Model == nil || s.Sample == nil:
		return nil, errors.New("calibration: no model or no sampler")
	case s.Sets < 0:
		return nil, fmt.Errorf("calibration: %d sets, want at least 1", s.Sets)
	case s.Sets == 0:
		s.Sets = 200
	}
	m, err := density.New(s.Model, s.Options)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	truths, err := m.Prior(s.Sets, stream.Seed(s.Seed, stream.CalibrationSet, 0))
	if err != nil {
		return nil, err
	}
	data, err := m.Predict([]*mat.Dense{truths}, stream.Seed(s.Seed, stream.CalibrationSet, 1))
	if err != nil {
		return nil, err
	}
	values, err := m.Draws([]*mat.Dense{truths})
	if err != nil {
		return nil, err
	}
	out := &Ranks{Names: m.Names(), Ranks: make([][]int, len(m.Names()))}
	for set := range s.Sets {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		row, at := data[0].RawRowView(set), 0
		for _, o := range m.Observed() {
			n := o.Shape.Len()
			if err := m.SetData(o.Name, row[at:at+n]); err != nil {
				return nil, fmt.Errorf("calibration: set %d: %w", set, err)
			}
			at += n
		}
		x, err := s.Sample(ctx, m, stream.Seed(s.Seed, stream.CalibrationSet, set+2))
		if err != nil {
			return nil, fmt.Errorf("calibration: set %d: %w", set, err)
		}
		draws, err := m.Draws(x)
		if err != nil {
			return nil, fmt.Errorf("calibration: set %d: %w", set, err)
		}
		if err := out.add(values[0].RawRowView(set), draws); err != nil {
			return nil, fmt.Errorf("calibration: set %d: %w", set, err)
		}
	}
	return out, nil
}

func (r *Ranks) add(truth []float64, draws []*mat.Dense) error {
	all := 0
	below := make([]int, len(truth))
	for _, c := range draws {
		n, _ := c.Dims()
		all += n
		for i := range n {
			for j, v := range c.RawRowView(i) {
				if v < truth[j] {
					below[j]++
				}
			}
		}
	}
	if r.Draws == 0 {
		r.Draws = all
	}
	if all != r.Draws || all < 2 {
		return fmt.Errorf("%d draws, want %d as in the first set, at least 2", all, r.Draws)
	}
	for j, b := range below {
		r.Ranks[j] = append(r.Ranks[j], b)
	}
	return nil
}

// PValues are, for each name, the probability of ranks at least as uneven in a number of groups
// if all are equally likely, by χ². With many names some are small by chance. NaN for
// fewer than 5 sets for each group, or for numbers that never change.
func (r *Ranks) PValues(groups int) []float64 {
	out := make([]float64, len(r.Names))
	for j, ranks := range r.Ranks {
		counts, same := make([]float64, groups), true
		for _, k := range ranks {
			counts[min(k*groups/(r.Draws+1), groups-1)]++
			same = same && k == 0
		}
		x2 := 0.0
		for g := range groups {
			// ranks g·(L+1)/groups ≤ k: their number may differ by one between groups
			from, to := ceil(g*(r.Draws+1), groups), ceil((g+1)*(r.Draws+1), groups)
			want := float64(len(ranks)) * float64(to-from) / float64(r.Draws+1)
			x2 += (counts[g] - want) * (counts[g] - want) / want
		}
		if out[j] = (distuv.ChiSquared{K: float64(groups - 1)}).Survival(x2); same ||
			len(ranks) < 5*groups {
			out[j] = math.NaN()
		}
	}
	return out
}

func ceil(a, b int) int { return (a + b - 1) / b }
