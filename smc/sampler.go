package smc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/internal/anneal"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Target is a prior with a likelihood, evaluated at several points at once.
type Target interface {
	// Dims are the number of points and the coordinates of each.
	Dims() (points, coordinates int)
	// Prior draws points from the prior, one in each row.
	Prior(n int, seed uint64) (*mat.Dense, error)
	// Tempered writes the log densities of the prior and of the likelihood at each row of x, and
	// the gradient of prior + beta·likelihood to the rows of grad. What is not finite is outside of
	// the support. A row's result depends on that row alone.
	Tempered(beta float64, prior, likelihood []float64, grad, x *mat.Dense) error
}

// Sampler has the settings of a run. The zero value of each is the usual one.
type Sampler struct {
	Target    Target
	Seed      uint64
	Particles int // defaults to 1000
	Moves     int // at each temperature, defaults to 5
	Leaps     int // leapfrog steps of a move, defaults to 8
	// More moves follow while State.Stays is more than a half, up to this number of all; it
	// defaults to 20 times Moves, and Moves means none.
	MostMoves int
}

// State is where the population is. All fields are exported, for checkpoints.
type State struct {
	Beta        float64 // inverse temperature, 1 at the end
	Steps       int     // done
	X           *mat.Dense
	Prior       []float64 // log densities
	Likelihood  []float64
	LogEvidence float64
	Variance    float64 // of LogEvidence, about, as far as weights tell
	StepSize    float64 // in standard deviations of the points, 0.4 at first
	Accepted    float64 // mean probability of acceptance of the last moves
	// Stays is the greatest correlation of a coordinate of all points with itself before the moves
	// of the last temperature, StaysMost that of all temperatures: where it is near 1 the points
	// are still copies of a few, and variances are too small. diagnostics.Population judges it.
	Stays, StaysMost float64
}

// Done reports whether the population follows the posterior.
func (s *State) Done() bool { return s.Beta == 1 }

func (s Sampler) filled() (Sampler, error) {
	if s.Target == nil {
		return s, errors.New("smc: no target")
	}
	for _, c := range []struct {
		value *int
		usual int
		name  string
	}{
		{&s.Particles, 1000, "particles"}, {&s.Moves, 5, "moves"}, {&s.Leaps, 8, "leaps"},
		{&s.MostMoves, -1, "moves at most"},
	} {
		if *c.value < 0 {
			return s, fmt.Errorf("smc: %d %s, want at least 1", *c.value, c.name)
		}
		if *c.value == 0 {
			*c.value = c.usual
		}
	}
	if s.MostMoves < 0 {
		s.MostMoves = 20 * s.Moves
	}
	if s.Particles < 2 {
		return s, fmt.Errorf("smc: %d particles, want at least 2", s.Particles)
	}
	return s, nil
}

// Begin draws the population from the prior.
func (s Sampler) Begin() (*State, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	x, err := s.Target.Prior(s.Particles, s.Seed)
	if err != nil {
		return nil, err
	}
	state := &State{X: x, StepSize: 0.4}
	state.Prior, state.Likelihood, _, err = s.evaluate(0, x)
	if err != nil {
		return nil, err
	}
	if math.IsInf(floats.Max(state.Likelihood), -1) {
		return nil, fmt.Errorf(
			"smc: the likelihood is 0 at all of %d draws from the prior",
			s.Particles,
		)
	}
	return state, nil
}

// evaluate computes all rows of x, in groups of the target's points. Log densities that are not
// finite become −∞.
func (s Sampler) evaluate(
	beta float64,
	x *mat.Dense,
) (prior, likelihood []float64, grad *mat.Dense, err error) {
	points, d := s.Target.Dims()
	n, c := x.Dims()
	if c != d {
		return nil, nil, nil, fmt.Errorf("smc: got points of %d coordinates, want %d", c, d)
	}
	prior, likelihood, grad = make([]float64, n), make([]float64, n), mat.NewDense(n, d, nil)
	part, slope := mat.NewDense(points, d, nil), mat.NewDense(points, d, nil)
	a, b := make([]float64, points), make([]float64, points)
	for first := 0; first < n; first += points {
		for k := range points {
			part.SetRow(k, x.RawRowView(min(first+k, n-1)))
		}
		if err := s.Target.Tempered(beta, a, b, slope, part); err != nil {
			return nil, nil, nil, err
		}
		for k := range min(points, n-first) {
			prior[first+k], likelihood[first+k] = bounded(a[k]), bounded(b[k])
			grad.SetRow(first+k, slope.RawRowView(k))
		}
	}
	return prior, likelihood, grad, nil
}

func bounded(l float64) float64 {
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return math.Inf(-1)
	}
	return l
}

// Step goes to the next temperature, by [Sampler.Weigh] and [Sampler.Move]. The context is looked
// at between moves; on an error the state is as it was before.
func (s Sampler) Step(ctx context.Context, state *State) error {
	if state.Done() {
		return nil
	}
	next := *state
	if err := s.Move(ctx, &next, s.Weigh(&next)); err != nil {
		return err
	}
	*state = next
	return nil
}

// Weigh goes to the next temperature without a move: the points follow it with the weights whose
// logarithms are returned.
func (s Sampler) Weigh(state *State) (logs []float64) {
	n := len(state.Likelihood)
	logs = make([]float64, n)
	state.Beta = anneal.Next(logs, state.Likelihood, state.Beta)
	state.LogEvidence += floats.LogSumExp(logs) - math.Log(float64(n))
	state.Variance += 1/anneal.EffectiveSize(logs) - 1/float64(n)
	state.Steps++
	return logs
}

// Move resamples points with weights, given by their logarithms, and moves them at the temperature
// of the state, which an error leaves as it was.
func (s Sampler) Move(ctx context.Context, state *State, logs []float64) error {
	s, err := s.filled()
	if err != nil {
		return err
	}
	next := *state
	next.X = mat.NewDense(s.Particles, len(state.X.RawRowView(0)), nil)
	next.Prior, next.Likelihood = make([]float64, s.Particles), make([]float64, s.Particles)
	rng := stream.New(s.Seed, stream.Particles, stream.Place(state.Steps-1))
	for k, from := range anneal.Resample(logs, s.Particles, rng.Float64()) {
		next.X.SetRow(k, state.X.RawRowView(from))
		next.Prior[k], next.Likelihood[k] = state.Prior[from], state.Likelihood[from]
	}
	before := mat.DenseCopyOf(next.X)
	_, _, grad, err := s.evaluate(next.Beta, next.X)
	if err != nil {
		return err
	}
	for move := 0; move < s.Moves || move < s.MostMoves && next.Stays > 0.5; move++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := s.move(&next, move, grad); err != nil {
			return err
		}
		if move+1 >= s.Moves {
			next.Stays = stays(before, next.X)
		}
	}
	next.StaysMost = math.Max(next.StaysMost, next.Stays)
	*state = next
	return nil
}

// stays is the greatest correlation of a coordinate with itself before.
func stays(before, now *mat.Dense) (most float64) {
	n, d := now.Dims()
	a, b := make([]float64, n), make([]float64, n)
	for i := range d {
		r := stat.Correlation(mat.Col(a, i, before), mat.Col(b, i, now), nil)
		if math.IsNaN(r) { // a coordinate in which all points agree
			r = 1
		}
		most = math.Max(most, r)
	}
	return most
}

// root is a lower Cholesky factor of the covariance of the points, of their variances alone where
// there are not ten times as many as coordinates.
func root(x *mat.Dense) *mat.TriDense {
	n, d := x.Dims()
	if n >= 10*d {
		var covariance mat.SymDense
		stat.CovarianceMatrix(&covariance, x, nil)
		for i := range d {
			covariance.SetSym(i, i, covariance.At(i, i)*(1+1e-9)+1e-20)
		}
		var c mat.Cholesky
		if c.Factorize(&covariance) {
			var l mat.TriDense
			c.LTo(&l)
			return &l
		}
	}
	l := mat.NewTriDense(d, mat.Lower, nil)
	for i := range d {
		l.SetTri(i, i, math.Max(stat.PopStdDev(mat.Col(nil, i, x), nil), 1e-10))
	}
	return l
}

// move takes every point along a trajectory of leapfrog steps; here has the gradients there.
func (s Sampler) move(state *State, number int, here *mat.Dense) (err error) {
	n, d := state.X.Dims()
	x, grad := mat.DenseCopyOf(state.X), mat.DenseCopyOf(here)
	p, start, uniform := mat.NewDense(n, d, nil), make([]float64, n), make([]float64, n)
	for k := range n {
		rng := stream.New(s.Seed, stream.Particles, stream.Place(state.Steps, number, k))
		row := p.RawRowView(k)
		for i := range row {
			row[i] = rng.NormFloat64()
		}
		start[k] = floats.Dot(row, row)/2 - state.Prior[k] - state.Beta*state.Likelihood[k]
		uniform[k] = 1 - rng.Float64()
	}
	// no trajectory returns to where it began in all moves
	step := state.StepSize * (0.8 +
		0.4*stream.New(s.Seed, stream.Particles, stream.Place(state.Steps, number)).Float64())
	scale := root(state.X)
	scale.ScaleTri(step, scale)
	kick := func() {
		for k := range n {
			row, slope := p.RawRowView(k), grad.RawRowView(k)
			for i, g := range slope {
				for j := range i + 1 {
					row[j] += scale.At(i, j) / 2 * g
				}
			}
		}
	}
	var prior, likelihood []float64
	for range s.Leaps {
		kick()
		for k := range n {
			row, to := p.RawRowView(k), x.RawRowView(k)
			for i := range to {
				for j := range i + 1 {
					to[i] += scale.At(i, j) * row[j]
				}
			}
		}
		if prior, likelihood, grad, err = s.evaluate(state.Beta, x); err != nil {
			return err
		}
		kick()
	}
	state.Accepted = 0
	for k := range n {
		row := p.RawRowView(k)
		energy := floats.Dot(row, row)/2 - prior[k] - state.Beta*likelihood[k]
		rate := math.Exp(math.Min(0, start[k]-energy))
		if math.IsNaN(rate) {
			continue
		}
		state.Accepted += rate / float64(n)
		if uniform[k] <= rate {
			state.X.SetRow(k, x.RawRowView(k))
			here.SetRow(k, grad.RawRowView(k))
			state.Prior[k], state.Likelihood[k] = prior[k], likelihood[k]
		}
	}
	switch {
	case state.Accepted > 0.9:
		state.StepSize = math.Min(1.25*state.StepSize, 1.5)
	case state.Accepted < 0.65:
		state.StepSize *= 0.7
	}
	return nil
}

// Run begins and steps to the posterior. observe sees the state after every step; nil means none.
func (s Sampler) Run(ctx context.Context, observe func(*State)) (*State, error) {
	state, err := s.Begin()
	for err == nil && !state.Done() {
		if err = s.Step(ctx, state); err == nil && observe != nil {
			observe(state)
		}
	}
	if err != nil {
		return nil, err
	}
	return state, nil
}
