package posterior

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/memory"
	"tobac/internal/sparse"
)

// posterior is what was stored, checked.
func (h *header) posterior(draws []storedDraw) (*Posterior, error) {
	p := &Posterior{Run: h.Run, Names: h.Names, Engine: h.Engine, Model: h.Model,
		Settings: h.Settings}
	if len(h.Warnings) > 0 {
		p.Warnings = h.Warnings
	}
	switch h.Kind {
	case Particles.String():
	case Draws.String():
		p.Kind = Draws
	default:
		return nil, fmt.Errorf("unknown kind %q of draws; allowed: %v, %v", h.Kind, Particles,
			Draws)
	}
	if s := h.Standardization; s != nil {
		p.Standardization = &Standardization{Mean: s.Mean, SD: s.SD}
	}
	if h.Marginals == nil {
		return nil, errors.New("no edge probabilities")
	}
	var err error
	d := len(h.Names)
	if p.Marginals, err = h.Marginals.marginals(d); err != nil {
		return nil, err
	}
	numbers := 0. // for each pair; those of marginals stand in the file
	for _, part := range h.Components {
		numbers += part.Empty.numbers(d)
	}
	for _, stored := range draws {
		numbers += 1./8 + stored.Equations.numbers(d) // a byte, and its equations
	}
	if err := checkPairs(d, numbers); err != nil {
		return nil, fmt.Errorf("%d draws of graphs: %w", len(draws), err)
	}
	for k, part := range h.Components {
		c, err := part.component(d)
		if err != nil {
			return nil, fmt.Errorf("component %d: %w", k+1, err)
		}
		p.Components = append(p.Components, c)
	}
	for m, stored := range draws {
		draw, err := stored.draw(d, h.Parents)
		if err != nil {
			return nil, fmt.Errorf("draw %d: %w", m+1, err)
		}
		p.Draws = append(p.Draws, draw)
	}
	if err := p.validate(); err != nil {
		return nil, err
	}
	return p, nil
}

// checkPairs is an error where so many numbers for each pair of d variables do not fit into the
// memory.
func checkPairs(d int, numbers float64) error {
	if need, room := 8*numbers*float64(d)*float64(d),
		memory.Available(); need > float64(room.Bytes) {
		return fmt.Errorf("%d variables need about %s of memory, and %v", d, memory.Size(need),
			room)
	}
	return nil
}

// numbers is how many of equations are kept for each pair of d variables: a row and a value of each
// weight, the headers of their columns, and intercepts and noise variances.
func (s *storedEquations) numbers(d int) float64 {
	if s == nil {
		return 0
	}
	n := 2*(len(s.Weights)+len(s.WeightSD)) + 8*d
	return float64(n) / (float64(d) * float64(d))
}

func (s *storedMarginals) marginals(d int) (m Marginals, err error) {
	if s.Listed != nil {
		if s.Probabilities != nil || s.WeightMean != nil || s.WeightSD != nil {
			return m, errors.New("edge probabilities both as matrices and listed")
		}
		return s.Listed.marginals(d)
	}
	if m.Probabilities, err = dense("probabilities", s.Probabilities, d, func(v float64) float64 {
		return v
	}); err != nil {
		return m, err
	}
	if s.WeightMean != nil {
		if m.WeightMean, err = dense("mean weights", s.WeightMean, d, orNaN); err != nil {
			return m, err
		}
	}
	if s.WeightSD != nil {
		m.WeightSD, err = dense("standard deviations of weights", s.WeightSD, d, orNaN)
	}
	return m, err
}

// orNaN is a number; NaN is nil.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// dense is the d×d matrix of stored rows.
func dense[T any, R ~[]T](what string, rows []R, d int, number func(T) float64) (*mat.Dense,
	error) {
	if len(rows) != d {
		return nil, fmt.Errorf("%d rows of %s for %d names", len(rows), what, d)
	}
	for i, row := range rows {
		if len(row) != d {
			return nil, fmt.Errorf("row %d of the %s has %d numbers, want %d", i+1, what, len(row),
				d)
		}
	}
	if d == 0 {
		return &mat.Dense{}, nil
	}
	m := mat.NewDense(d, d, nil)
	for i, row := range rows {
		for j, v := range row {
			m.Set(i, j, number(v))
		}
	}
	return m, nil
}

func (s storedPart) component(d int) (Component, error) {
	c := Component{Draws: s.Draws, Weight: s.Weight, LogWeight: s.LogWeight, Count: s.Count,
		NoiseVariance: s.NoiseVariance, LogEvidence: math.NaN()}
	if len(s.Order) > 0 {
		c.Order = s.Order
	}
	if s.LogEvidence != nil {
		c.LogEvidence = *s.LogEvidence
	}
	var err error
	if c.Empty, err = s.Empty.equations(d, nil); err != nil {
		return c, err
	}
	if s.Marginals != nil {
		m, err := s.Marginals.marginals(d)
		if err != nil {
			return c, err
		}
		c.Marginals = &m
	}
	return c, nil
}

func (s storedDraw) draw(d int, parents [][][]int) (Draw, error) {
	draw := Draw{LogWeight: s.LogWeight, LogPrior: math.NaN(), LogLikelihood: math.NaN()}
	if s.LogPrior != nil {
		draw.LogPrior = *s.LogPrior
	}
	if s.LogLikelihood != nil {
		draw.LogLikelihood = *s.LogLikelihood
	}
	if len(s.Parameters) > 0 {
		draw.Parameters = s.Parameters
	}
	edges, err := s.edges(d, parents)
	if err != nil {
		return draw, err
	}
	if draw.Graph, err = dag.FromEdges(d, edges); err != nil {
		return draw, errors.New(strings.TrimPrefix(err.Error(), "dag: "))
	}
	if draw.Graph.Size() != len(edges) {
		return draw, errors.New("an edge is repeated")
	}
	draw.Equations, err = s.Equations.equations(d, edges)
	return draw, err
}

func (s *storedEquations) equations(d int, edges []dag.Edge) (*Equations, error) {
	if s == nil {
		return nil, nil
	}
	weights := sparse.New(d)
	e := &Equations{Weights: weights}
	if len(s.Intercepts) > 0 {
		e.Intercepts = s.Intercepts
	}
	if len(s.NoiseVariances) > 0 {
		e.NoiseVariances = s.NoiseVariances
	}
	if len(s.Weights) != len(edges) || s.WeightSD != nil && len(s.WeightSD) != len(edges) {
		return nil, fmt.Errorf("%d weights and %d standard deviations for %d edges", len(s.Weights),
			len(s.WeightSD), len(edges))
	}
	for k, edge := range edges {
		weights.Set(edge.From, edge.To, s.Weights[k])
	}
	if s.WeightSD != nil {
		sd := sparse.New(d)
		e.WeightSD = sd
		for k, edge := range edges {
			sd.Set(edge.From, edge.To, s.WeightSD[k])
		}
	}
	return e, nil
}
