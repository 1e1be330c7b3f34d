package bcd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/autograd"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// gradientScale multiplies the gradient of minus the ELBO, to which that of the L2
// term is added: 1/τ of the authors' program, whose τ is 0.2. Without the L2 term
// it matters to the optimiser's ε only.
const gradientScale = 5

// ErrNotFinite is the cause of the error of a draw whose weights or noise are not finite.
var ErrNotFinite = errors.New("not finite")

// mostSkipped is the number of steps in a row whose gradient is not finite at which a
// fit fails, and largest what counts as finite: squares have to be.
const (
	mostSkipped = 20
	largest     = 1e150
)

// A Model is a fit of the variational posterior to a table: parameters, the state
// of the optimiser, and the compiled objective. It belongs to one goroutine at a
// time.
type Model struct {
	settings Settings
	rows, d  int
	x        *mat.Dense
	seed     uint64
	warnings []string

	arrays     []parameter
	parameters []float64
	optimizer  adaBelief
	step       int
	skipped    int // steps
	inARow     int // of them, the last ones
	unsolved   int // samples
	trace      []TracePoint
	before     int       // steps left out in the starts before
	elbos      []float64 // of the starts that are finished
	best       []float64 // parameters of the best one of them, while others follow

	score  autograd.Evaluator // the flag unsolved of each sample, and the gradient
	values autograd.Evaluator // hard and soft ELBO of each sample
	draw   autograd.Evaluator // W and log σ of each sample

	hard, soft, flags []float64 // of each sample
	gradient          []float64
	workers           int
}

// A TracePoint is the ELBO before a step, averaged over the samples of the step.
type TracePoint struct {
	Step int     `json:"step"`
	Hard float64 `json:"hard"` // with permutations
	Soft float64 `json:"soft"` // with the doubly stochastic matrices in their place
}

// New prepares a fit to the rows of x, n×d. The model has no intercepts: columns have
// mean 0. Workers are goroutines, fewer than 1 counting as 1; results do not depend
// on their number. It fails for settings that [Settings.Check] refuses, fewer than
// two rows or columns, and values that are not finite. x is copied.
func New(x *mat.Dense, s Settings, workers int, seed uint64) (*Model, error) {
	if errKernels != nil {
		return nil, fmt.Errorf("bcd: %w", errKernels)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	n, d := x.Dims()
	if n < 2 || d < 2 {
		return nil, fmt.Errorf("bcd: got %d rows of %d variables, want at least 2 of each", n, d)
	}
	for i := range n {
		for j := range d {
			if !finite(x.At(i, j)) {
				return nil, fmt.Errorf("bcd: row %d of column %d is %v, want a finite number", i+1,
					j+1, x.At(i, j))
			}
		}
	}
	m := &Model{settings: s.WithDefaults(n, d), rows: n, d: d, x: mat.DenseCopyOf(x), seed: seed,
		workers: max(workers, 1)}
	m.settings.Edges, m.warnings = resolveEdges(m.settings.Edges, m.x)
	m.arrays = m.settings.parameters(d)
	m.parameters = initial(m.arrays, stream.New(seed, stream.BCDStart))
	m.optimizer = newAdaBelief(len(m.parameters))
	m.gradient = make([]float64, len(m.parameters))
	batch := m.settings.Batch
	m.hard, m.soft, m.flags = make([]float64, batch), make([]float64, batch), make([]float64, batch)
	if err := m.compile(); err != nil {
		m.Close()
		return nil, fmt.Errorf("bcd: %w", err)
	}
	return m, nil
}

// compile prepares the three programs.
func (m *Model) compile() error {
	var gram mat.Dense
	gram.Mul(m.x.T(), m.x)
	if !kernels.Finite(gram.RawMatrix().Data) {
		return errors.New(
			"the squares of the columns overflow: divide them by their standard deviations")
	}
	o := newObjective(&m.settings, gram.RawMatrix().Data, m.rows, m.d, sinkhornTolerance)
	options := autograd.Options{Workers: m.workers}
	value := o.elbo(o.hard.StraightThrough(o.soft))
	gradient := o.builder.Grad(value.MeanOver(o.samples), o.parameters...)
	unsolved := o.builder.Scalar(0).ExpandOver(o.samples)
	for _, u := range o.unsolved {
		unsolved = unsolved.Add(u)
	}
	var err error
	if m.score, err = autograd.NewEvaluator(o.inputs(),
		append([]*autograd.Node{unsolved}, gradient...), options); err != nil {
		return err
	}
	if m.values, err = autograd.NewEvaluator(o.inputs(),
		[]*autograd.Node{o.elbo(o.hard), o.elbo(o.soft)}, options); err != nil {
		return err
	}
	drawn := []*autograd.Node{weights(o.theta, o.hard), o.logNoise}
	m.draw, err = autograd.NewEvaluator(o.inputs(), drawn, options)
	return err
}

// Close ends the goroutines of the model.
func (m *Model) Close() {
	for _, e := range []autograd.Evaluator{m.score, m.values, m.draw} {
		if e != nil {
			e.Close()
		}
	}
	m.score, m.values, m.draw = nil, nil, nil
}

// Settings of the fit, defaults filled in.
func (m *Model) Settings() Settings { return m.settings }

// Warnings are reasons to distrust the result, a sentence each.
func (m *Model) Warnings() []string {
	all := slices.Clone(m.warnings)
	if m.skipped > 0 {
		all = append(all,
			fmt.Sprintf("%d of %d steps were left out because their gradient was not finite",
				m.skipped, m.step))
	}
	if m.unsolved > 0 {
		all = append(all,
			fmt.Sprintf("the permutations of %d samples in %d steps had no gradient, which "+
				"counted as 0", m.unsolved, m.step))
	}
	return all
}

// Step is the number of steps taken, Steps that of all.
func (m *Model) Step() int { return m.step }

// Steps is the number of steps of the whole fit.
func (m *Model) Steps() int { return m.settings.Steps }

// Trace lists the ELBO at every step that is a multiple of Settings.TraceEvery. The
// caller must not modify it.
func (m *Model) Trace() []TracePoint { return m.trace }

// Skipped is the number of steps left out because their gradient was not finite.
func (m *Model) Skipped() int { return m.skipped }

// Advance takes steps until there are as many as asked for, at most those of the
// fit. When ctx is done it returns context.Cause(ctx) at a step boundary, and the
// fit can go on from there. It fails when the gradients of twenty steps in a row
// are not finite.
func (m *Model) Advance(ctx context.Context, to int) error {
	for m.step < min(to, m.settings.Steps) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.advance(); err != nil {
			return fmt.Errorf("bcd: step %d: %w", m.step, err)
		}
		if err := m.turn(); err != nil {
			return fmt.Errorf("bcd: the start that ends at step %d: %w", m.step, err)
		}
	}
	return nil
}

// advance takes a step.
func (m *Model) advance() error {
	if m.inARow >= mostSkipped {
		return fmt.Errorf("the gradients of %d steps in a row are not finite: take a smaller "+
			"learning rate, or divide the columns by their standard deviations", m.inARow)
	}
	_, from, to := m.settings.startOf(m.step)
	src := m.feeds(m.settings.Schedule.At(m.step-from, to-from), stream.BCDNoise, stream.BCDGumbel,
		func(i int) []int { return []int{m.step, i} })
	var point *TracePoint
	if m.step%m.settings.TraceEvery == 0 {
		if err := failure(m.values.Eval([][]float64{m.hard, m.soft}, src)); err != nil {
			return err
		}
		point = &TracePoint{Step: m.step, Hard: mean(m.hard), Soft: mean(m.soft)}
	}
	if err := failure(m.score.Eval(append([][]float64{m.flags}, m.split(m.gradient)...),
		src)); err != nil {
		return err
	}
	if point != nil && finite(point.Hard) && finite(point.Soft) {
		m.trace = append(m.trace, *point)
	}
	m.step++
	for _, g := range m.gradient {
		if !(math.Abs(g) <= largest) {
			m.skipped++
			m.inARow++
			return nil
		}
	}
	m.inARow = 0
	for _, f := range m.flags {
		m.unsolved += int(f)
	}
	m.descend()
	return nil
}

// descend turns the gradient of the ELBO into that of the loss, and moves the
// parameters against it.
func (m *Model) descend() {
	at := 0
	for _, p := range m.arrays {
		decay := 0.0
		if p.decayed {
			decay = m.settings.L2
		}
		for range p.shape.Len() {
			m.gradient[at] = decay*m.parameters[at] - gradientScale*m.gradient[at]
			at++
		}
	}
	m.optimizer.update(m.parameters, m.gradient, m.settings.LearningRate)
}

// feeds binds the inputs of the programs; the noise of sample i has the places
// that places says.
func (m *Model) feeds(temperature float64, noise, gumbel stream.Purpose,
	places func(i int) []int) []autograd.Feed {
	var src []autograd.Feed
	for _, values := range m.split(m.parameters) {
		src = append(src, autograd.Feed{Data: values})
	}
	seeds := func(p stream.Purpose) autograd.Feed {
		return autograd.Feed{Seed: func(i int) uint64 {
			return stream.Seed(m.seed, p, places(i)...)
		}}
	}
	return append(src, autograd.Feed{Data: []float64{temperature}}, seeds(noise), seeds(gumbel))
}

// split cuts a vector of all parameters into those of the arrays.
func (m *Model) split(all []float64) [][]float64 {
	var parts [][]float64
	for _, p := range m.arrays {
		count := p.shape.Len()
		parts = append(parts, all[:count:count])
		all = all[count:]
	}
	return parts
}

// failure drops the error of samples without a result: theirs is NaN, which is
// found where results are looked at.
func failure(err error) error {
	var failed *autograd.FailedError
	if errors.As(err, &failed) {
		return nil
	}
	return err
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Bytes is about the memory of a fit to n rows of d variables, the three compiled
// programs and the draws that the settings ask for among it. The factors were
// measured at 5 to 100 variables and batches of 64 and 256: what is kept for each
// parameter, and for each sample and pair of variables or hidden unit, is in bytes.
// The number of workers hardly matters.
func Bytes(n, d int, s Settings) float64 {
	s = s.WithDefaults(n, d)
	parameters := 0
	for _, p := range s.parameters(d) {
		parameters += p.shape.Len()
	}
	pairs, batch := float64(d)*float64(d), float64(s.Batch)
	bytes := 350*float64(parameters) + batch*1200*pairs + 16*float64(n)*float64(d) +
		float64(s.Draws)*(18*pairs+500)
	if !s.Factorized {
		bytes += batch * units * 640
	}
	return bytes + 14<<20
}
