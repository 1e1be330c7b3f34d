package svgd

import (
	"context"
	"runtime"

	"gonum.org/v1/gonum/mat"
)

var defaultOptimizer Optimizer = RMSProp{}

// Sampler moves particles along equation (1) of the package comment. It must not
// be used concurrently, nor copied after its first step.
type Sampler struct {
	// Target is the density to sample from. Required.
	Target Scorer
	// Kernel couples the particles. Nil means RBF{}.
	Kernel Kernel
	// Optimizer makes the steps. Nil means RMSProp{}.
	Optimizer Optimizer
	// Workers is the number of goroutines of the kernel; less than 2 means 1. The target has its
	// own. Results do not depend on it. Run ends the goroutines; after a single Step they sleep
	// until the sampler is collected as garbage.
	Workers int
	// Outside says what becomes of particles that have left the support of the target.
	// By default they end the run.
	Outside Outside
	// Redraw writes another point for a particle that is outside, its part of each block,
	// for [RedrawOutside]. Nil means the point halfway between two particles that
	// are inside, which change with the step.
	Redraw func(point [][]float64, step, particle int)
	// Recorder is called after every step. Nil means that no statistics are
	// computed; they never influence the run.
	Recorder Recorder
	// State is the optimiser's. The zero value starts afresh; the state saved at
	// a step boundary continues. The sampler overwrites the memory of State in
	// place: save it by JSON or [State.Clone].
	State State

	work workspace
}

// workspace holds everything a step needs, for particles of one shape.
type workspace struct {
	score, repulsion, phi []*mat.Dense // as the particles
	driving, repulsive    []float64    // Stats
	neighbours            float64      // Stats
	outside               []int        // Stats
	saved                 State        // the state before the step
	kernel                Work
}

// Run takes the steps from, from+1, …, to−1 and updates the particles x in
// place; x[b] is M×p_b. Without such steps it does nothing.
//
// The context is checked before every step. A run that stops early returns a
// [*StepError] which wraps the reason (errors.Is finds context.Canceled) and
// names the first step not taken; x and s.State are those before that step.
// Run panics if there is no target, no particle, or if the numbers of rows differ.
func (s *Sampler) Run(ctx context.Context, x []*mat.Dense, from, to int) error {
	if s.open() {
		defer s.work.close()
	}
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
	s.work.fit(x)
	if s.open() {
		runtime.AddCleanup(s, (*team).Close, s.work.kernel.team)
	}
	if err := s.step(x, t); err != nil {
		return &StepError{Step: t, Err: err}
	}
	if s.Recorder != nil {
		w := &s.work
		s.Recorder(Stats{Step: t, Driving: w.driving, Repulsive: w.repulsive,
			Neighbours: w.neighbours, Outside: w.outside})
	}
	return nil
}

func (s *Sampler) step(x []*mat.Dense, t int) error {
	w := &s.work
	if errKernels != nil {
		return errKernels
	}
	if err := checkFinite("particle", x); err != nil {
		return err
	}
	outside, err := s.score(x, t)
	if err != nil {
		return err
	}
	if err := checkFinite("score", w.score); err != nil {
		return err
	}
	kernel := s.Kernel
	if kernel == nil {
		kernel = defaultKernel
	}
	w.neighbours = kernel.Apply(w.phi, w.repulsion, w.score, x, &w.kernel)
	if err := w.direction(s.Recorder != nil); err != nil {
		return err
	}

	optimizer := s.Optimizer
	if optimizer == nil {
		optimizer = defaultOptimizer
	}
	w.saved.assign(&s.State)
	w.hold(w.phi, outside, nil)
	if err := s.increment(optimizer, x, t); err != nil {
		s.State, w.saved = w.saved, s.State
		return err
	}
	w.hold(w.phi, outside, x)
	if s.Outside == RedrawOutside && len(outside) > 0 {
		s.redraw(outside, t)
	}
	for b, next := range w.phi {
		x[b].Copy(next)
	}
	return nil
}

// increment replaces φ by the particles that follow x, which must be finite like
// the optimiser's new state.
func (s *Sampler) increment(optimizer Optimizer, x []*mat.Dense, t int) error {
	w := &s.work
	if err := optimizer.Update(w.phi, &s.State, t); err != nil {
		return err
	}
	if err := s.State.checkFinite(x); err != nil {
		return err
	}
	for b, delta := range w.phi {
		rows, _ := delta.Dims()
		for m := range rows {
			row := delta.RawRowView(m)
			kernels.AddScaled(row, row, 1, x[b].RawRowView(m))
			if err := checkFiniteRow("next particle", b, m, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// direction adds the repulsive term to the driving one in phi, and divides by M:
// equation (2). The result must be finite. The norms of the two terms are computed
// if they are wanted.
func (w *workspace) direction(norms bool) error {
	n, _ := w.phi[0].Dims()
	mean := 1 / float64(n)
	for b, phi := range w.phi {
		if norms {
			w.driving[b], w.repulsive[b] = mean*rmsNorm(phi), mean*rmsNorm(w.repulsion[b])
		}
		for m := range n {
			row := phi.RawRowView(m)
			kernels.ScaledSum(row, mean, row, w.repulsion[b].RawRowView(m))
			if err := checkFiniteRow("direction", b, m, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// open lets workers begin, and reports whether there were not as many already.
func (s *Sampler) open() bool {
	w := &s.work
	if s.Workers < 2 || w.kernel.team.count() == s.Workers {
		return false
	}
	w.close()
	w.kernel.team = newTeam(s.Workers)
	return true
}

// close ends the workers.
func (w *workspace) close() {
	if w.kernel.team != nil {
		w.kernel.team.Close()
		w.kernel.team = nil
	}
}

// fit gives the workspace the shapes of x, which it checks.
func (w *workspace) fit(x []*mat.Dense) {
	checkBlocks(x)
	if fits(w.phi, x) {
		return
	}
	*w = workspace{kernel: Work{team: w.kernel.team},
		score: like(x), repulsion: like(x), phi: like(x),
		driving: make([]float64, len(x)), repulsive: make([]float64, len(x)),
	}
}

// fits reports whether blocks have the shapes of x.
func fits(blocks, x []*mat.Dense) bool {
	if len(blocks) != len(x) {
		return false
	}
	for b, own := range blocks {
		r, c := own.Dims()
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
