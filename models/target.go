package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/autograd"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Target is a density over particles, defined by one expression: the scorer
// of a custom model. It implements the scorer that package svgd asks for.
//
// A Target may be used by one goroutine at a time.
type Target struct {
	inputs []*autograd.Node
	logp   []float64
	value  autograd.Evaluator
	score  *scorer
}

// Options say how an expression is run. The zero value is the compiled engine
// on one worker.
type Options struct {
	Engine autograd.Engine // zero means compiled
	// goroutines sharing the particles; defaults to 1. Results do not depend on it.
	Workers int
}

// evaluator are the options of an evaluator.
func (o Options) evaluator() autograd.Options {
	return autograd.Options{Engine: o.Engine, Workers: o.Workers}
}

// NewTarget builds the target log p(x) for a number of particles. density is
// called once, with one node per block of the given shapes, and returns the
// scalar log density (up to a constant) of one particle.
func NewTarget(particles int, blocks []autograd.Shape,
	density func(x []*autograd.Node) *autograd.Node, opt Options) (*Target, error) {
	if particles < 1 || len(blocks) == 0 {
		return nil, fmt.Errorf("models: target: got %d particles and %d blocks, want at least "+
			"one of each", particles, len(blocks))
	}
	if density == nil {
		return nil, errors.New("models: target: no density")
	}
	if opt.Workers < 0 {
		return nil, fmt.Errorf("models: target: workers %d, want at least 1", opt.Workers)
	}
	b := autograd.NewBuilder("target")
	p := b.Axis("particle", particles)
	x := make([]*autograd.Node, len(blocks))
	for i, s := range blocks {
		if s.Len() == 0 { // which no matrix of particles holds
			return nil, fmt.Errorf("models: target: block %d of shape %v has no elements", i, s)
		}
		x[i] = b.Input(fmt.Sprintf("block %d", i), s, p)
	}
	y := density(x)
	if y == nil {
		return nil, errors.New("models: target: the density is a nil node")
	}
	if y.Builder() != b {
		return nil, errors.New("models: target: the density is a node of another builder than " +
			"its blocks")
	}
	if b.Err() == nil && !slices.Contains(y.Axes(), p) {
		return nil, errors.New("models: target: the density depends on no block of the particles")
	}
	grads := b.Grad(y, x...)
	if b.Err() == nil && flat(grads) {
		return nil, errors.New("models: target: the density has no derivative: it depends on its " +
			"blocks through comparisons, signs or StopGradient only")
	}
	eo := opt.evaluator()
	value, err := autograd.NewEvaluator(x, []*autograd.Node{y}, eo)
	if err != nil {
		return nil, fmt.Errorf("models: target: %w", err)
	}
	s, err := newScorer(x, append(grads, y), eo)
	if err != nil {
		return nil, fmt.Errorf("models: target: %w", err)
	}
	s.density = make([]float64, particles)
	return &Target{inputs: x, logp: make([]float64, particles), value: value, score: s}, nil
}

// flat reports whether gradients are zero whatever the inputs: none of them reads one, and all are
// zero.
func flat(grads []*autograd.Node) bool {
	e, err := autograd.NewEvaluator(nil, grads, autograd.Options{})
	if err != nil { // one reads an input
		return false
	}
	defer e.Close()
	dst := make([][]float64, len(grads))
	for i, g := range grads {
		n := g.Shape().Len()
		for _, a := range g.Axes() {
			n *= a.Size()
		}
		dst[i] = make([]float64, n)
	}
	return e.Eval(dst, nil) == nil && !slices.ContainsFunc(slices.Concat(dst...),
		func(x float64) bool { return x != 0 })
}

// Score writes the gradient of the log density at every particle: x[b] and
// dst[b] are particles × elements of block b. The step t is not used. An [OutsideError]
// names the particles at which the log density or its gradient is not finite, or an
// operation has no result: those that have left the support, for example. The scores of
// the others hold.
func (t *Target) Score(dst, x []*mat.Dense, _ int) error {
	if len(x) != len(t.inputs) {
		return fmt.Errorf("models: target: got %d blocks, want %d", len(x), len(t.inputs))
	}
	for i, m := range x {
		if err := t.score.bind(i, m); err != nil {
			return err
		}
	}
	return t.score.eval(dst)
}

// LogDensity returns the log density of every particle, −∞ or NaN outside of the support.
// The slice is reused by the next call. Where an operation has no result it has NaN, and the
// error is an [autograd.FailedError] that says why; the others hold.
func (t *Target) LogDensity(x []*mat.Dense) ([]float64, error) {
	if len(x) != len(t.inputs) {
		return nil, fmt.Errorf("models: target: got %d blocks, want %d", len(x), len(t.inputs))
	}
	src := make([]autograd.Feed, len(x))
	for i, m := range x {
		data, err := contiguous(m, len(t.logp), t.inputs[i].Shape().Len())
		if err != nil {
			return nil, fmt.Errorf("models: block %d: %w", i, err)
		}
		src[i].Data = data
	}
	err := t.value.Eval([][]float64{t.logp}, src)
	if err != nil && !errors.As(err, new(*autograd.FailedError)) {
		return nil, err
	}
	return t.logp, err
}

// Close releases the workers.
func (t *Target) Close() {
	t.value.Close()
	t.score.close()
}

// ErrNotFinite is the cause of the error of a score at a particle where the log density
// or its gradient is NaN or infinite.
var ErrNotFinite = errors.New("not finite")

// An OutsideError says at which particles a score is not defined; the others hold. It wraps
// [ErrNotFinite] or the causes of an [autograd.FailedError].
type OutsideError struct {
	Particles []int // ascending
	Err       error // of the first of them, or of those of which an operation has no result
}

// Error implements error.
func (e *OutsideError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *OutsideError) Unwrap() error { return e.Err }

// Outside lists the particles: see svgd.Sampler.Outside.
func (e *OutsideError) Outside() []int { return e.Particles }

// A scorer evaluates gradients for an SVGD target. When a result is not finite
// it repeats the evaluation in the mode that names the operation.
type scorer struct {
	inputs, outputs []*autograd.Node
	particles       int
	opt             autograd.Options
	run             autograd.Evaluator
	src             []autograd.Feed
	dst             [][]float64
	density         []float64 // room for the last output if that is the log density

	check   autograd.Evaluator // that names operations; nil until needed
	scratch [][]float64        // its results
}

func newScorer(inputs, outputs []*autograd.Node, opt autograd.Options) (*scorer, error) {
	run, err := autograd.NewEvaluator(inputs, outputs, opt)
	if err != nil {
		return nil, err
	}
	return &scorer{
		inputs: inputs, outputs: outputs, particles: inputs[0].Axes()[0].Size(), opt: opt, run: run,
		src: make([]autograd.Feed, len(inputs)),
		dst: make([][]float64, len(outputs)),
	}, nil
}

// bind makes the rows of m the values of input i.
func (s *scorer) bind(i int, m *mat.Dense) error {
	data, err := contiguous(m, s.particles, s.inputs[i].Shape().Len())
	if err != nil {
		return fmt.Errorf("models: block %d: %w", i, err)
	}
	s.src[i] = autograd.Feed{Data: data}
	return nil
}

// eval evaluates the gradients into dst.
func (s *scorer) eval(dst []*mat.Dense) error {
	gradients := s.outputs
	if s.density != nil {
		gradients = gradients[:len(gradients)-1]
		s.dst[len(gradients)] = s.density
	}
	if len(dst) != len(gradients) {
		return fmt.Errorf("models: got %d result blocks, want %d", len(dst), len(gradients))
	}
	for i, n := range gradients {
		data, err := contiguous(dst[i], s.particles, n.Shape().Len())
		if err != nil {
			return fmt.Errorf("models: result block %d: %w", i, err)
		}
		s.dst[i] = data
	}
	err := s.run.Eval(s.dst, s.src)
	if err != nil && !errors.As(err, new(*autograd.FailedError)) {
		return fmt.Errorf("models: %w", err)
	}
	outside := s.outside()
	switch {
	case err != nil:
		return &OutsideError{outside, fmt.Errorf("models: %w", err)}
	case outside != nil:
		for i := len(s.dst) - 1; i >= 0; i-- { // the log density first
			if !finite(s.dst[i]...) {
				return &OutsideError{outside, s.explain(i)}
			}
		}
	}
	return nil
}

// outside lists the particles of which a result is not finite; nil means none.
func (s *scorer) outside() (particles []int) {
	for m := range s.particles {
		for _, d := range s.dst {
			if size := len(d) / s.particles; !finite(d[m*size:][:size]...) {
				particles = append(particles, m)
				break
			}
		}
	}
	return particles
}

// explain finds the operation behind output i not being finite.
func (s *scorer) explain(i int) error {
	size := len(s.dst[i]) / s.particles
	particle := 0
	for finite(s.dst[i][particle*size:][:size]...) {
		particle++
	}
	what := fmt.Sprintf("the gradient of block %d is", i)
	if s.density != nil && i == len(s.dst)-1 {
		what = fmt.Sprintf("the log density is %v,", s.dst[i][particle])
	}
	if s.check == nil {
		opt := s.opt
		opt.CheckFinite, opt.Engine = true, autograd.Compiled
		var err error
		if s.check, err = autograd.NewEvaluator(s.inputs, s.outputs, opt); err != nil {
			return err
		}
		for _, d := range s.dst {
			s.scratch = append(s.scratch, make([]float64, len(d)))
		}
	}
	var failed *autograd.FailedError
	if err := s.check.Eval(s.scratch, s.src); errors.As(err, &failed) {
		if at, found := slices.BinarySearch(failed.Indices, particle); found {
			return fmt.Errorf("models: particle %d: %s %w: %w", particle, what, ErrNotFinite,
				failed.Causes[at])
		}
	}
	return fmt.Errorf("models: particle %d: %s %w", particle, what, ErrNotFinite)
}

func (s *scorer) close() {
	s.run.Close()
	if s.check != nil {
		s.check.Close()
	}
}

// contiguous is the data of an r×c matrix without gaps between rows.
func contiguous(m *mat.Dense, r, c int) ([]float64, error) {
	raw := m.RawMatrix()
	if raw.Rows != r || raw.Cols != c {
		return nil, fmt.Errorf("got %d×%d, want %d×%d", raw.Rows, raw.Cols, r, c)
	}
	if raw.Stride != c {
		return nil, fmt.Errorf("got a view with stride %d, want a matrix of its own with stride %d",
			raw.Stride, c)
	}
	return raw.Data[:r*c], nil
}

// lnNormal is the log density of N(mean, variance) at every element of x.
func lnNormal(x *autograd.Node, mean, variance float64) *autograd.Node {
	return x.AddScalar(-mean).Square().Scale(-1 / (2 * variance)).AddScalar(
		-0.5 * math.Log(2*math.Pi*variance))
}

// finite reports whether x holds neither a NaN nor an infinity. A finite sum has finite
// terms only; that of finite terms may overflow.
func finite(x ...float64) bool {
	sum := floats.Sum(x)
	return sum-sum == 0 || !slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 })
}
