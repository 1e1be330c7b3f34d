package posterior

import (
	"errors"
	"fmt"
	"math"

	"tobac/internal/sparse"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// rounding is how far weights that were exponentiated and added may be from what
// they should be.
const rounding = 1e-9

// Validate returns an error that names the place if p breaks a rule that the
// fields of [Posterior] and of the types below it state. A posterior without
// draws is valid; one without Probabilities is not. What [Posterior.Write] writes
// and [Read] returns is valid.
func (p *Posterior) Validate() error {
	if err := p.validate(); err != nil {
		return fmt.Errorf("posterior: %w", err)
	}
	return nil
}

func (p *Posterior) validate() error {
	d := len(p.Names)
	if err := checkNames(p.Names); err != nil {
		return err
	}
	for _, text := range append([]string{p.Engine, p.Model, p.Settings, p.Run}, p.Warnings...) {
		if !utf8.ValidString(text) {
			return fmt.Errorf("text %q is not UTF-8", text)
		}
	}
	if p.Kind != Particles && p.Kind != Draws {
		return fmt.Errorf("unknown kind %d of draws", p.Kind)
	}
	if err := p.Standardization.validate(p.Names); err != nil {
		return fmt.Errorf("standardization: %w", err)
	}
	if err := p.Marginals.validate(d); err != nil {
		return err
	}
	if err := p.validateComponents(); err != nil {
		return err
	}
	components, left := p.components(), 0
	at := -1
	for m, draw := range p.Draws {
		for left == 0 {
			at++
			left = components[at].Draws
		}
		left--
		if err := draw.validate(d, components[at].Order); err != nil {
			return fmt.Errorf("draw %d: %w", m+1, err)
		}
	}
	return nil
}

func checkNames(names []string) error {
	if len(names) == 0 {
		return errors.New("no names of variables")
	}
	seen := map[string]int{}
	for j, name := range names {
		first, taken := seen[name]
		switch {
		case name == "":
			return fmt.Errorf("variable %d has an empty name", j+1)
		case !utf8.ValidString(name):
			return fmt.Errorf("name %q of variable %d is not UTF-8", name, j+1)
		case taken:
			return fmt.Errorf("variables %d and %d are both named %q", first+1, j+1, name)
		}
		seen[name] = j
	}
	return nil
}

func (s *Standardization) validate(names []string) error {
	if s == nil {
		return nil
	}
	if len(s.Mean) != len(names) || len(s.SD) != len(names) {
		return fmt.Errorf("%d means and %d standard deviations for %d variables", len(s.Mean),
			len(s.SD), len(names))
	}
	for j, name := range names {
		if !finite(s.Mean[j]) {
			return fmt.Errorf("mean of %q is %v, want a finite number", name, s.Mean[j])
		}
		if !finite(s.SD[j]) || s.SD[j] <= 0 {
			return fmt.Errorf("standard deviation of %q is %v, want a number above 0", name,
				s.SD[j])
		}
	}
	return nil
}

func (m Marginals) validate(d int) error {
	if m.Probabilities == nil {
		return errors.New("no edge probabilities")
	}
	err := eachEntry("probability", m.Probabilities, d, func(i, j int, v float64) string {
		switch {
		case !(v >= 0 && v <= 1):
			return "a number from 0 to 1"
		case i == j && v != 0:
			return "0 on the diagonal"
		}
		return ""
	})
	if err != nil {
		return err
	}
	if m.WeightMean == nil && m.WeightSD == nil {
		return nil
	}
	if m.WeightMean == nil || m.WeightSD == nil {
		return errors.New(
			"got only one of means and standard deviations of weights, want both or none")
	}
	if err := eachEntry("mean weight", m.WeightMean, d, func(_, _ int, v float64) string {
		return unless(!math.IsInf(v, 0), "a finite number, or null where it is unknown")
	}); err != nil {
		return err
	}
	return eachEntry("standard deviation of the weight", m.WeightSD, d,
		func(_, _ int, v float64) string {
			return unless(!(v < 0) && !math.IsInf(v, 0),
				"a number from 0 on, or null where it is unknown")
		})
}

// eachEntry checks that a matrix is d×d and that fault finds nothing wrong with
// its entries; fault says what it wants instead, "" if all is well.
func eachEntry(what string, m mat.Matrix, d int,
	fault func(i, j int, v float64) string) (err error) {
	if rows, cols := m.Dims(); rows != d || cols != d {
		return fmt.Errorf("matrix of %s: got %d×%d, want %d×%d", what, rows, cols, d, d)
	}
	sparse.Each(m, func(i, j int, v float64) {
		if err != nil {
			return
		}
		if want := fault(i, j, v); want != "" {
			err = fmt.Errorf("%s of %d -> %d is %v, want %s", what, i+1, j+1, v, want)
		}
	})
	return err
}

// unless is what is wanted, unless it is there.
func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

func (p *Posterior) validateComponents() error {
	if len(p.Components) == 0 {
		return nil
	}
	draws, total := 0, 0.0
	for k, c := range p.Components {
		if err := c.validate(len(p.Names), len(p.Draws) > 0); err != nil {
			return fmt.Errorf("component %d: %w", k+1, err)
		}
		draws += c.Draws
		total += math.Exp(c.LogWeight)
	}
	if draws != len(p.Draws) {
		return fmt.Errorf("components have %d draws, there are %d", draws, len(p.Draws))
	}
	if math.Abs(total-1) > rounding {
		return fmt.Errorf("weights of the components sum to %v, want 1", total)
	}
	return nil
}

func (c Component) validate(d int, drawn bool) error {
	if err := checkOrder(c.Order, d); err != nil {
		return err
	}
	least := 0
	if drawn {
		least = 1
	}
	switch {
	case c.Draws < least:
		return fmt.Errorf("%d draws, want at least %d", c.Draws, least)
	case !finite(c.LogWeight):
		return fmt.Errorf("log weight %v, want a finite number", c.LogWeight)
	case !(math.Abs(c.Weight-math.Exp(c.LogWeight)) <= rounding):
		return fmt.Errorf("weight %v and log weight %v do not agree", c.Weight, c.LogWeight)
	case c.Count < 0:
		return fmt.Errorf("found in %d resamples, want a number from 0 on", c.Count)
	case !finite(c.NoiseVariance) || c.NoiseVariance < 0:
		return fmt.Errorf("noise variance %v, want a number from 0 on", c.NoiseVariance)
	case math.IsInf(c.LogEvidence, 0):
		return fmt.Errorf("log evidence %v, want a finite number, or null where it is unknown",
			c.LogEvidence)
	}
	if c.Empty != nil {
		if err := c.Empty.validate(d, func(int, int) bool { return false }); err != nil {
			return fmt.Errorf("graph without edges: %w", err)
		}
	}
	if c.Marginals != nil {
		return c.Marginals.validate(d)
	}
	return nil
}

// checkOrder finds what makes an order no permutation; none is fine.
func checkOrder(order []int, d int) error {
	if len(order) == 0 {
		return nil
	}
	if len(order) != d {
		return fmt.Errorf("order of %d variables, want %d", len(order), d)
	}
	seen := make([]bool, d)
	for _, v := range order {
		if v < 0 || v >= d || seen[v] {
			return fmt.Errorf("order %v is not a permutation of 0 to %d", order, d-1)
		}
		seen[v] = true
	}
	return nil
}

func (draw Draw) validate(d int, order []int) error {
	switch {
	case draw.Graph == nil:
		return errors.New("no graph")
	case draw.Graph.Len() != d:
		return fmt.Errorf("graph of %d vertices, want %d", draw.Graph.Len(), d)
	case !finite(draw.LogWeight):
		return fmt.Errorf("log weight %v, want a finite number", draw.LogWeight)
	case math.IsInf(draw.LogPrior, 0):
		return fmt.Errorf("log prior %v, want a finite number, or null where it is unknown",
			draw.LogPrior)
	case math.IsInf(draw.LogLikelihood, 0):
		return fmt.Errorf("log likelihood %v, want a finite number, or null where it is unknown",
			draw.LogLikelihood)
	}
	for k, v := range draw.Parameters {
		if !finite(v) {
			return fmt.Errorf("parameter %d is %v, want a finite number", k, v)
		}
	}
	if len(order) > 0 {
		position := make([]int, d)
		for c, v := range order {
			position[v] = c
		}
		for _, e := range draw.Graph.Edges() {
			if position[e.From] > position[e.To] {
				return fmt.Errorf("edge %d -> %d against the order", e.From+1, e.To+1)
			}
		}
	}
	if draw.Equations == nil {
		return nil
	}
	return draw.Equations.validate(d, draw.Graph.Has)
}

// validate checks equations on a graph with the edges has.
func (e *Equations) validate(d int, has func(i, j int) bool) error {
	if e.Weights == nil {
		return errors.New("equations without weights")
	}
	weight := func(i, j int, v float64) string {
		switch {
		case !finite(v):
			return "a finite number"
		case v != 0 && !has(i, j):
			return "0, there is no such edge"
		}
		return ""
	}
	if err := eachEntry("weight", e.Weights, d, weight); err != nil {
		return err
	}
	if e.WeightSD != nil {
		if err := eachEntry("standard deviation of the weight", e.WeightSD, d,
			func(i, j int, v float64) string {
				if v < 0 {
					return "a number from 0 on"
				}
				return weight(i, j, v)
			}); err != nil {
			return err
		}
	}
	if e.Intercepts != nil && len(e.Intercepts) != d || e.NoiseVariances != nil &&
		len(e.NoiseVariances) != d {
		return fmt.Errorf("%d intercepts and %d noise variances, want %d of each, or none",
			len(e.Intercepts), len(e.NoiseVariances), d)
	}
	for j, b := range e.Intercepts {
		if !finite(b) {
			return fmt.Errorf("intercept of variable %d is %v, want a finite number", j+1, b)
		}
	}
	for j, v := range e.NoiseVariances {
		if !finite(v) || v <= 0 {
			return fmt.Errorf("noise variance of variable %d is %v, want a number above 0", j+1, v)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
