package nodescore

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"tobac/internal/scoring"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
)

// A GPScorer scores with a [GP] under one treatment of the noise variance. It is
// safe for concurrent use.
type GPScorer struct {
	gp       *GP
	variance float64 // common, in units of the data; 0 means one for each variable
	known    scoring.Memory[float64]
}

var _ score.SubsetScorer = (*GPScorer)(nil)

// At is the score with the noise variance σ² common to all variables, in the
// square of the units of the data. It panics unless the variance is finite and positive.
func (g *GP) At(variance float64) *GPScorer {
	if !(variance > 0) || math.IsInf(variance, 0) {
		panic(fmt.Sprintf("score: noise variance %v, want a finite positive number", variance))
	}
	return &GPScorer{gp: g, variance: variance}
}

// Integrated is the score with a noise variance for each variable: for y in units
// of its standard deviation, ln σ² ~ N(−2, 2²) ([scoring.RelativeNoise]) is integrated out
// by the trapezoidal rule. Log scores are densities of the raw data. On
// standardised inputs, a column that is shifted or multiplied changes every score of its
// variable by the same number and no other score.
func (g *GP) Integrated() *GPScorer { return &GPScorer{gp: g} }

// Vars implements [score.Scorer].
func (s *GPScorer) Vars() int { return s.gp.d }

// LogScore implements [score.Scorer]. It panics if the parents are not ascending
// variables other than j.
func (s *GPScorer) LogScore(j int, parents []int) float64 {
	scoring.CheckParents(s.gp.d, j, parents)
	return s.score(j, parents, new(gpScratch))
}

// LogScores implements [score.SubsetScorer]. It panics as the function [score.LogScores] does,
// which stops in between when its context is done.
func (s *GPScorer) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresUntil(context.Background(), dst, j, candidates)
}

// LogScoresUntil implements what score.LogScores can stop.
func (s *GPScorer) LogScoresUntil(ctx context.Context, dst []float64, j int, candidates []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(s.gp.d, j, candidates)
	g := s.gp
	if g.plain(j) {
		g.opt.Base.LogScores(dst, j, candidates)
		return
	}
	extended := g.opt.Extend && !g.allows(len(candidates))
	var next atomic.Int64
	work := func() {
		scratch := new(gpScratch)
		parents := make([]int, 0, len(candidates))
		for {
			set := int(next.Add(1)) - 1
			if set >= len(dst) || ctx.Err() != nil {
				return
			}
			parents = scoring.Subset(parents[:0], candidates, set)
			if dst[set] = math.NaN(); g.allows(len(parents)) || !extended {
				dst[set] = s.score(j, parents, scratch)
			}
		}
	}
	var all sync.WaitGroup
	for range s.gp.opt.Workers - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
	if extended && ctx.Err() == nil {
		base := make([]float64, len(dst))
		g.opt.Base.LogScores(base, j, candidates)
		ExtendTable(dst, base)
	}
}

// A shift is one pair of an amplitude and a noise variance, with the logarithm of
// its prior weight.
type shift struct {
	amplitude, variance float64
	weight              float64
}

// score computes a score once, and keeps it.
func (s *GPScorer) score(j int, parents []int, scratch *gpScratch) float64 {
	g := s.gp
	switch {
	case g.plain(j):
		return g.opt.Base.LogScore(j, parents)
	case !g.allows(len(parents)) && g.opt.Extend:
		return Extend(g.opt.Base, j, parents, func(p []int) float64 {
			if !g.allows(len(p)) {
				return math.NaN()
			}
			return s.score(j, p, scratch)
		})
	case !g.allows(len(parents)):
		return math.Inf(-1)
	case g.group[g.of[j]].n == 0:
		return 0
	}
	return s.known.Of(j, parents, func() float64 { return s.integrate(j, parents, scratch) })
}

// integrate averages the evidence over amplitudes and noise variances.
func (s *GPScorer) integrate(j int, parents []int, scratch *gpScratch) float64 {
	unit := s.evaluate(j, parents, scratch)
	rows := float64(s.gp.group[s.gp.of[j]].n)
	constant := 0.5*math.Log(scoring.AlphaMu/(rows+scoring.AlphaMu)) -
		0.5*rows*math.Log(2*math.Pi) - math.Log(float64(len(s.gp.amplitudes())))
	return constant + floats.LogSumExp(scratch.terms) - rows*math.Log(unit)
}

// evaluate leaves in scratch all amplitudes and noise variances that count, and their terms, of y
// in a unit: that of the columns or, where each variable has a noise variance of its own, the
// standard deviation of the column.
func (s *GPScorer) evaluate(j int, parents []int, scratch *gpScratch) (unit float64) {
	g := s.gp
	group := &g.group[g.of[j]]
	e, z := g.entry(j, parents, scratch)
	scratch.terms, scratch.all = scratch.terms[:0], scratch.all[:0]
	if unit = g.sd[j]; s.variance > 0 {
		unit = g.unit
	}
	square := 1 / (unit * unit)
	next := func(shifts []shift) {
		scratch.shifts = shifts
		scratch.evaluate(e, z, group.n, group.square[j], square)
		scratch.all = append(scratch.all, shifts...)
	}
	if s.variance > 0 {
		shifts := scratch.shifts[:0]
		for _, a := range g.amplitudes() {
			shifts = append(shifts, shift{amplitude: a, variance: s.variance * square})
		}
		next(shifts)
		return unit
	}
	q := newNoiseQuadrature(group.n)
	next(q.coarse(scratch.shifts[:0]))
	next(q.fine(scratch.shifts[:0], scratch.terms))
	return unit
}

// evaluate appends weight + ln N(y√unit; 0, 5a·HK0H + σ²I) + ½ n ln 2π for every
// shift to the terms, n elements of y and yᵀy = square. With ρ = σ²/(5a) the
// covariance is 5a·Q(T + ρI)Qᵀ. With a T of lower rank r it is 5a(HLLᵀH + ρI), whose
// determinant is (5a)ⁿ ρⁿ⁻ʳ |T + ρI| and whose inverse I − HL Q(T + ρI)⁻¹QᵀLᵀH over 5aρ.
func (w *gpScratch) evaluate(e *gpEntry, z []float64, n int, square, unit float64) {
	k := len(w.shifts)
	if len(w.rho) < k {
		w.rho, w.forms, w.logs, w.lane = make([]float64, k), make([]float64, k), make([]float64, k),
			make([]shiftLane, k)
	}
	rho, forms, logs := w.rho[:k], w.forms[:k], w.logs[:k]
	for i, s := range w.shifts {
		rho[i] = s.variance / (5 * s.amplitude)
	}
	e.solve(forms, logs, z, rho, w.lane[:k])
	missing := float64(n - len(z))
	for i, s := range w.shifts {
		scale, form, log := 5*s.amplitude, forms[i], logs[i]
		if missing > 0 {
			form, log = max(square-form, 0)/rho[i], log+missing*math.Log(rho[i])
		}
		w.terms = append(w.terms, s.weight-0.5*(float64(n)*math.Log(scale)+log+unit*form/scale))
	}
}

// A noiseQuadrature integrates over ln σ² by the trapezoidal rule with a spacing of
// about two standard deviations √(2/n) of its posterior given the function, of which
// the relative error is e^(−π²/2) of the variation at most; between every fourth point it evaluates
// only where the integrand counts.
type noiseQuadrature struct {
	step   float64
	points int
	first  float64
}

// skip is the distance of coarse points, in steps.
const skip = 4

func newNoiseQuadrature(n int) noiseQuadrature {
	low, high := scoring.RelativeNoise.Mean-4*scoring.RelativeNoise.SD, scoring.RelativeNoise.Mean+
		2.5*scoring.RelativeNoise.SD
	step := min(0.3, 1.6*math.Sqrt(2/float64(n)))
	steps := skip * int(math.Ceil((high-low)/(skip*step)))
	return noiseQuadrature{step: (high - low) / float64(steps), points: steps + 1, first: low}
}

func (q noiseQuadrature) shift(k int, amplitude float64) shift {
	at := q.first + float64(k)*q.step
	return shift{amplitude: amplitude, variance: math.Exp(at), weight: math.Log(q.step) +
		scoring.RelativeNoise.LogDensity(at)}
}

// coarse appends every fourth point, for each amplitude.
func (q noiseQuadrature) coarse(dst []shift) []shift {
	for _, a := range amplitudes {
		for k := 0; k < q.points; k += skip {
			dst = append(dst, q.shift(k, a))
		}
	}
	return dst
}

// fine appends the points between two coarse ones of which one has a term within
// e^−30 of the largest.
func (q noiseQuadrature) fine(dst []shift, terms []float64) []shift {
	least := floats.Max(terms) - 30
	for _, a := range amplitudes {
		for k := 0; k+skip < q.points; k += skip {
			if max(terms[0], terms[1]) >= least {
				for i := 1; i < skip; i++ {
					dst = append(dst, q.shift(k+i, a))
				}
			}
			terms = terms[1:]
		}
		terms = terms[1:]
	}
	return dst
}

// NoisePrior is the prior of the common noise variance, as Linear.noisePrior.
func (g *GP) NoisePrior() scoring.NoisePrior {
	p := scoring.RelativeNoise
	p.Mean += 2 * floats.Sum(g.logs) / float64(g.d)
	return p
}

// NoiseGrid is a grid of points around an estimate of the common noise variance,
// with the prior [GP.NoisePrior].
func (g *GP) NoiseGrid(estimate float64, points int) score.NoiseGrid {
	rows := 0
	for _, group := range g.group {
		rows += group.n * len(group.children)
	}
	v, w := g.NoisePrior().Grid(estimate, rows, points)
	return score.NoiseGrid{Variances: v, LogWeights: w}
}

// LeastVariance is the smallest variance of a column over the rows in which it was
// not set: where noise variances are equal, an upper bound of theirs and, since some
// variable has no parents, an estimate. [MaximiseNoiseVariance] can start there.
func (g *GP) LeastVariance() float64 {
	least := floats.Min(g.sd)
	return least * least
}
