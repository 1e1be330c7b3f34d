package svgd

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/pool"
	"tobac/internal/vector"
)

// kernels is the set of vector kernels in use, see [vector.Default]. An unknown
// name in TOBAC_KERNELS is an error of every step.
var kernels, errKernels = vector.Default()

var (
	defaultKernel    Kernel    = RBF{}
	defaultOptimizer Optimizer = RMSProp{}
)

// Sampler moves particles along equation (1) of the package comment. It must not
// be used concurrently, nor copied after its first step.
type Sampler struct {
	// Target is the density to sample from. Required.
	Target Scorer
	// Kernel couples the particles. Nil means RBF{}.
	Kernel Kernel
	// Optimizer makes the steps. Nil means RMSProp{}.
	Optimizer Optimizer
	// Recorder is called after every step. Nil means that no statistics are
	// computed; they never influence the run.
	Recorder Recorder
	// State is the optimiser's. The zero value starts afresh; the state saved at
	// a step boundary continues. The sampler overwrites the memory of State in
	// place: save it by JSON or [State.Clone].
	State State
	// Workers is the number of goroutines that share the work of a step but for the
	// target's. Zero means 1. Results do not depend on it. More than one live
	// until Close.
	Workers int

	work workspace
	pool *pool.Pool
}

// workspace holds everything a step needs, for particles of one shape.
type workspace struct {
	score, repulsion, phi []*mat.Dense // as the particles
	gram                  *mat.Dense   // M×M
	driving, repulsive    []float64    // Stats
	saved                 State        // the state before the step
	scratch               scratch      // the kernel's

	// What workers see of a step.
	x         []*mat.Dense
	state     *State
	t         int
	kernel    rowKernel    // nil: the repulsion is done
	optimizer rowOptimizer // nil: φ is as far as it goes
	norms     []float64    // M squared norms of one term, for each block the driving one, then the repulsive one; nil: not wanted
	faults    []fault      // of each worker
	part      func(worker int)
}

// Run takes the steps from, from+1, …, to−1 and updates the particles x in
// place; x[b] is M×p_b. Without such steps it does nothing.
//
// The context is looked at before every step. A run that stops early returns a
// [*StepError] which wraps the reason (errors.Is finds context.Canceled) and
// names the first step not taken; x and s.State are those before that step.
// Run panics if there is no target, no particle, or if the numbers of rows differ.
func (s *Sampler) Run(ctx context.Context, x []*mat.Dense, from, to int) error {
	for t := from; t < to; t++ {
		if err := ctx.Err(); err != nil {
			return &StepError{Step: t, Err: err}
		}
		if err := s.Step(x, t); err != nil {
			return err
		}
	}
	return nil
}

// Step takes the step number t, under the same rules as [Sampler.Run].
func (s *Sampler) Step(x []*mat.Dense, t int) error {
	if s.Target == nil {
		panic("svgd: sampler without target")
	}
	s.fit(x)
	if err := s.step(x, t); err != nil {
		return &StepError{Step: t, Err: err}
	}
	if s.Recorder != nil {
		w := &s.work
		s.Recorder(Stats{Step: t, Driving: w.driving, Repulsive: w.repulsive, Neighbours: neighbours(w.gram)})
	}
	return nil
}

// Close ends the goroutines of the workers. The sampler may go on alone.
func (s *Sampler) Close() {
	if s.pool != nil {
		s.pool.Close()
	}
}

func (s *Sampler) step(x []*mat.Dense, t int) error {
	w := &s.work
	if errKernels != nil {
		return errKernels
	}
	var before fault
	for b, xb := range x {
		for m := range w.particles() {
			before.check(theParticle, b, m, xb.RawRowView(m))
		}
	}
	if before.found {
		return before.err()
	}
	if err := s.Target.Score(w.score, x, t); err != nil {
		return err
	}
	if err := s.advance(x, t); err != nil {
		return err
	}
	for b, next := range w.phi {
		x[b].Copy(next)
	}
	return nil
}

// advance replaces φ by the particles that follow x, which must be finite like the
// score, the direction and the optimiser's new state. If they are not, the state is
// what it was.
func (s *Sampler) advance(x []*mat.Dense, t int) (err error) {
	w := &s.work
	kernel, optimizer := s.Kernel, s.Optimizer
	if kernel == nil {
		kernel = defaultKernel
	}
	if optimizer == nil {
		optimizer = defaultOptimizer
	}
	w.x, w.state, w.t = x, &s.State, t
	w.saved.assign(&s.State)
	defer func() {
		if err != nil {
			s.State, w.saved = w.saved, s.State
		}
	}()
	if w.kernel, _ = kernel.(rowKernel); w.kernel != nil {
		w.kernel.weigh(w.gram, x, &w.scratch)
	} else {
		kernel.Evaluate(w.gram, w.repulsion, x)
	}
	if w.optimizer = asRows(optimizer); w.optimizer != nil {
		if err := w.optimizer.begin(w.phi, w.state); err != nil {
			return err
		}
	}
	w.norms = w.norms[:0]
	if s.Recorder != nil {
		w.norms = slices.Grow(w.norms, 2*len(x)*w.particles())[:2*len(x)*w.particles()]
	}
	clear(w.faults)
	s.pool.Run(w.part)
	for _, f := range w.faults[1:] {
		w.faults[0].merge(f)
	}
	if w.faults[0].found {
		return w.faults[0].err()
	}
	if s.Recorder != nil {
		w.recordNorms()
	}
	if w.optimizer != nil {
		return nil
	}
	if err := optimizer.Update(w.phi, w.state, t); err != nil {
		return err
	}
	w.next(&w.faults[0], 0, w.particles())
	return w.faults[0].err()
}

// rows computes φ of rows from, …, to−1, and the next particles if the optimiser goes
// row by row.
func (w *workspace) rows(f *fault, from, to int) {
	for b, g := range w.score {
		for m := from; m < to; m++ {
			f.check(theScore, b, m, g.RawRowView(m))
		}
	}
	if w.kernel != nil {
		w.kernel.repel(w.repulsion, w.x, &w.scratch, from, to)
	}
	w.direction(f, from, to)
	if w.optimizer != nil {
		w.optimizer.updateRows(w.phi, w.state, w.t, from, to)
		w.next(f, from, to)
	}
}

// direction computes phi by equation (2), and the norms of its two terms if they are
// wanted.
func (w *workspace) direction(f *fault, from, to int) {
	mean := 1 / float64(w.particles())
	for b, phi := range w.phi {
		// gram is symmetric.
		kernels.Mul(rows(phi, from, to), rows(w.gram, from, to), w.score[b].RawMatrix())
		for m := from; m < to; m++ {
			row, repulsion := phi.RawRowView(m), w.repulsion[b].RawRowView(m)
			if len(w.norms) > 0 {
				norms := w.norms[2*b*w.particles():]
				norms[m], norms[w.particles()+m] = floats.Dot(row, row), floats.Dot(repulsion, repulsion)
			}
			kernels.ScaledSum(row, mean, row, repulsion)
			f.check(theDirection, b, m, row)
		}
	}
}

// next replaces increments by the particles that follow.
func (w *workspace) next(f *fault, from, to int) {
	for b, delta := range w.phi {
		for m := from; m < to; m++ {
			row := delta.RawRowView(m)
			for i, moment := range [...][][]float64{w.state.First, w.state.Second} {
				if moment != nil {
					f.check(theFirst+i, b, m, moment[b][m*len(row):][:len(row)])
				}
			}
			kernels.AddScaled(row, row, 1, w.x[b].RawRowView(m))
			f.check(theNext, b, m, row)
		}
	}
}

// recordNorms makes root mean squares of the norms.
func (w *workspace) recordNorms() {
	n := w.particles()
	rms := func(squares []float64) float64 {
		sum := 0.0
		for _, v := range squares {
			sum += v
		}
		return math.Sqrt(sum/float64(n)) / float64(n)
	}
	for b := range w.phi {
		squares := w.norms[2*b*n:]
		w.driving[b], w.repulsive[b] = rms(squares[:n]), rms(squares[n:2*n])
	}
}

// fit gives the workspace the shapes of x, which it checks, and starts the workers.
func (s *Sampler) fit(x []*mat.Dense) {
	w, n := &s.work, checkBlocks(x)
	if w.fits(x) {
		return
	}
	if s.pool == nil {
		s.pool = pool.New(s.Workers)
	}
	*w = workspace{
		score: like(x), repulsion: like(x), phi: like(x),
		gram:    mat.NewDense(n, n, nil),
		driving: make([]float64, len(x)), repulsive: make([]float64, len(x)),
		faults: make([]fault, s.pool.Workers()),
	}
	// Kernels multiply a few rows at a time.
	const few = 4
	groups := (n + few - 1) / few
	w.part = func(worker int) {
		share := func(i int) int { return min(n, few*(groups*i/s.pool.Workers())) }
		w.rows(&w.faults[worker], share(worker), share(worker+1))
	}
}

// particles is their number.
func (w *workspace) particles() int {
	n, _ := w.gram.Dims()
	return n
}

func (w *workspace) fits(x []*mat.Dense) bool {
	if len(w.phi) != len(x) {
		return false
	}
	for b, phi := range w.phi {
		r, c := phi.Dims()
		if xr, xc := x[b].Dims(); r != xr || c != xc {
			return false
		}
	}
	return true
}

// like returns zero blocks of the shapes of x.
func like(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		r, c := xb.Dims()
		y[b] = mat.NewDense(r, c, nil)
	}
	return y
}
