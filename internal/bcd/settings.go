package bcd

import (
	"fmt"
	"math"
	"strings"
)

// A ScaleRule says how the scale of the horseshoe prior follows from the expected
// number of edges.
type ScaleRule int

const (
	// VanDerPas is p √(ln 1/p) with p = 2k/(d−1), the probability that a pair of
	// variables has an edge, at most e^(−1/2), where the scale is largest.
	VanDerPas ScaleRule = iota
	// PiironenVehtari is 2k/((d−1) − 2k)/√n, and 1/(2d) where the denominator is not
	// above 0.
	PiironenVehtari
)

// Settings of a fit. The zero value of each field is its default.
type Settings struct {
	Steps int // of the optimiser, of all starts together; defaults to 20000
	// Starts is the number of fits from different parameters, one after the other, each with its
	// part of the steps and the whole schedule. The one with the highest ELBO is kept. Defaults to
	// one for every 6000 steps, at least 1 and at most 3: shorter starts end far from any optimum.
	Starts int
	Batch  int // Monte Carlo samples of a step; defaults to 64
	Draws  int // graphs drawn at the end, for callers of [Model.Draws]; defaults to 1000

	LearningRate float64 // of AdaBelief; defaults to 0.001
	// L2 is the coefficient of half the squared norm of the parameters of the
	// permutations, which is added to minus five times the ELBO.
	L2 float64

	Schedule Schedule // of the temperature; nil means [Annealed]
	// EvaluationTemperature is that of the draws; zero means that of the last stage.
	EvaluationTemperature float64

	EdgesPerNode   float64   // k, expected edges divided by variables; defaults to 1
	ScaleRule      ScaleRule // of the horseshoe prior
	HorseshoeScale float64   // zero means by the rule

	UnequalVariances bool // each variable has a noise variance of its own, instead of one for all
	// permutations do not depend on the weights: their logits are parameters, without a network
	Factorized bool

	Edges      EdgeRule
	TraceEvery int // steps between two points of [Model.Trace]; defaults to 400
}

// Paper has the settings of the paper's figures. On standardised data the fit collapses to the
// empty graph.
func Paper() Settings {
	return Settings{
		Steps: 30000, Starts: 1, Batch: 256, L2: 1, Schedule: Constant(0.2),
		EvaluationTemperature: 1, ScaleRule: PiironenVehtari,
		Edges: EdgeRule{By: InUnits, Least: 0.3},
	}
}

// stepsOfStart is how many steps a start has at least, unless more starts are asked for.
const stepsOfStart = 6000

// The largest settings that count.
const (
	mostSteps  = 1_000_000_000
	mostStarts = 1000
	mostBatch  = 100_000
	mostDraws  = 100_000_000
)

// WithDefaults returns the settings with every default filled in for a table of n
// rows and d variables, the scale of the horseshoe prior among them.
func (s Settings) WithDefaults(n, d int) Settings {
	fill(&s.Steps, 20000)
	fill(&s.Starts, max(1, min(3, s.Steps/stepsOfStart)))
	fill(&s.Batch, 64)
	fill(&s.Draws, 1000)
	fill(&s.TraceEvery, 400)
	fill(&s.LearningRate, 1e-3)
	fill(&s.EdgesPerNode, 1)
	if s.Schedule == nil {
		s.Schedule = Annealed()
	}
	if s.EvaluationTemperature == 0 && len(s.Schedule) > 0 {
		s.EvaluationTemperature = s.Schedule.last()
	}
	if s.HorseshoeScale == 0 {
		s.HorseshoeScale = s.ScaleRule.scale(n, d, s.EdgesPerNode)
	}
	s.Edges.Least = s.Edges.least()
	return s
}

func fill[T int | float64](v *T, byDefault T) {
	if *v == 0 {
		*v = byDefault
	}
}

// scale is the horseshoe scale for n rows, d variables and k expected edges per
// variable.
func (r ScaleRule) scale(n, d int, k float64) float64 {
	pairs := float64(d - 1)
	if r == VanDerPas {
		p := math.Exp(-0.5)
		if pairs > 0 {
			p = math.Min(p, 2*k/pairs)
		}
		return p * math.Sqrt(math.Log(1/p))
	}
	if rest := pairs - 2*k; rest > 0 {
		return 2 * k / rest / math.Sqrt(float64(n))
	}
	return 1 / (2 * float64(d))
}

// Check says what is wrong with settings, defaults filled in or not, in one line.
func (s *Settings) Check() error {
	counts := []struct {
		name    string
		v, most int
	}{{"steps", s.Steps, mostSteps}, {"starts", s.Starts, mostStarts},
		{"batch", s.Batch, mostBatch}, {"draws", s.Draws, mostDraws},
		{"steps between points of the trace", s.TraceEvery, mostSteps}}
	for _, c := range counts {
		if c.v < 0 || c.v > c.most {
			return fmt.Errorf("bcd: %s %d, want a number from 1 to %d", c.name, c.v, c.most)
		}
	}
	if s.Steps != 0 && s.Starts > s.Steps {
		return fmt.Errorf("bcd: %d starts of %d steps together, want at least a step for each",
			s.Starts, s.Steps)
	}
	numbers := []struct {
		name string
		v    float64
	}{{"learning rate", s.LearningRate}, {"L2 coefficient", s.L2},
		{"expected edges per variable", s.EdgesPerNode},
		{"scale of the horseshoe prior", s.HorseshoeScale}}
	for _, c := range numbers {
		if !(c.v >= 0) || !finite(c.v) {
			return fmt.Errorf("bcd: %s %v, want a number above 0", c.name, c.v)
		}
	}
	if t := s.EvaluationTemperature; t != 0 && !(t >= leastTemperature && t <= mostTemperature) {
		return fmt.Errorf("bcd: temperature %v of the draws, want a number from %g to %g", t,
			leastTemperature, mostTemperature)
	}
	if s.ScaleRule != VanDerPas && s.ScaleRule != PiironenVehtari {
		return fmt.Errorf("bcd: unknown rule %d for the horseshoe scale", s.ScaleRule)
	}
	if s.Schedule != nil {
		if err := s.Schedule.check(); err != nil {
			return err
		}
	}
	return s.Edges.check()
}

// String lists what decides the parameters of the fit: settings with equal texts,
// defaults filled in, have the same ones from the same data and seed.
func (s Settings) String() string {
	parts := []string{
		fmt.Sprintf("steps %d, batch %d, learning rate %s, L2 %s", s.Steps, s.Batch,
			number(s.LearningRate), number(s.L2)),
		"temperature " + s.Schedule.String(), "horseshoe scale " + number(s.HorseshoeScale),
	}
	if s.Starts > 1 {
		parts = append(parts, fmt.Sprintf("%d starts", s.Starts))
	}
	if s.UnequalVariances {
		parts = append(parts, "unequal variances")
	}
	if s.Factorized {
		parts = append(parts, "factorized")
	}
	return strings.Join(parts, ", ")
}
