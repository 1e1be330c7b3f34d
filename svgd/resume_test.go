package svgd_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/internal/must"
	"tobac/schedule"
	"tobac/svgd"
)

func optimizers() map[string]svgd.Optimizer {
	return map[string]svgd.Optimizer{
		"sgd": svgd.SGD{}, "rmsprop": svgd.RMSProp{}, "adam": svgd.Adam{},
		"scheduled": svgd.Scheduled{Factor: schedule.Ramp{From: 1, Start: 10, End: 60}},
	}
}

// checkpoint is all that a run consists of between two steps.
type checkpoint struct {
	Next   int
	Blocks [][]float64
	State  svgd.State
}

// throughJSON returns what another process would read: new particles and state.
func throughJSON(t *testing.T, next int, x []*mat.Dense, s *svgd.State) (int, []*mat.Dense,
	svgd.State) {
	t.Helper()
	c := checkpoint{Next: next, State: *s}
	for _, xb := range x {
		c.Blocks = append(c.Blocks, mat.DenseCopyOf(xb).RawMatrix().Data)
	}
	text := must.Get(json.Marshal(c))(t)
	var back checkpoint
	must.Do(t, json.Unmarshal(text, &back))
	y := make([]*mat.Dense, len(x))
	for b, xb := range x {
		r, c := xb.Dims()
		y[b] = mat.NewDense(r, c, back.Blocks[b])
	}
	return back.Next, y, back.State
}

func TestRunInTwoHalves(t *testing.T) {
	const half = 25
	for name, optimizer := range optimizers() {
		t.Run(name, func(t *testing.T) {
			start := gaussianBlocks(1, 6, 2, 3)
			whole := clone(start)
			s := svgd.Sampler{Target: svgd.ScorerFunc(banana), Optimizer: optimizer}
			run(t, &s, whole, 0, 2*half)

			halves := clone(start)
			a := svgd.Sampler{Target: s.Target, Optimizer: optimizer}
			run(t, &a, halves, 0, half)
			next, restored, state := throughJSON(t, half, halves, &a.State)
			run(t, &a, halves, half, 2*half)
			if !sameBits(halves, whole) {
				t.Error("two halves in one sampler differ from the whole run")
			}

			b := svgd.Sampler{Target: s.Target, Optimizer: optimizer, State: state}
			run(t, &b, restored, next, 2*half)
			if !sameBits(restored, whole) {
				t.Error("two halves over two samplers differ from the whole run")
			}
			if diff := cmp.Diff(s.State, b.State); diff != "" {
				t.Errorf("state (-whole +halves):\n%s", diff)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	const last, stop = 40, 17
	start := gaussianBlocks(2, 5, 3)
	want := clone(start)
	run(t, &svgd.Sampler{Target: svgd.ScorerFunc(banana)}, want, 0, last)

	ctx, cancel := context.WithCancel(t.Context())
	x := clone(start)
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana)}
	s.Recorder = func(stats svgd.Stats) {
		if stats.Step == stop-1 {
			cancel()
		}
	}
	err := s.Run(ctx, x, 0, last)
	var at *svgd.StepError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &at) || at.Step != stop {
		t.Fatalf("error %v, want cancellation at step %d", err, stop)
	}
	if got, want := err.Error(), "svgd: step 17: context canceled"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if s.State.Count != stop {
		t.Errorf("state after %d updates, want %d", s.State.Count, stop)
	}
	run(t, &s, x, at.Step, last)
	if !sameBits(x, want) {
		t.Error("a cancelled and resumed run differs from an uninterrupted one")
	}
}

func TestRunWithoutSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x := gaussianBlocks(3, 2, 2)
	before := clone(x)
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana)}
	if err := s.Run(ctx, x, 5, 5); err != nil || !sameBits(x, before) {
		t.Errorf("empty run: error %v, particles %v, want %v", err, x, before)
	}
}

// spoil is banana until step 3, where it fails or spoils one number of dst.
func spoil(value float64, fail error) svgd.ScorerFunc {
	return func(dst, x []*mat.Dense, t int) error {
		if err := banana(dst, x, t); err != nil || t < 3 {
			return err
		}
		dst[1].Set(2, 1, value)
		return fail
	}
}

var errTarget = errors.New("no score")

// TestFailureKeepsLastGoodState runs into each failure at step 3 and compares
// particles and state with a run of three steps; then it goes on from there.
func TestFailureKeepsLastGoodState(t *testing.T) {
	for _, c := range []struct {
		name      string
		target    svgd.Scorer
		kernel    svgd.Kernel
		optimizer svgd.Optimizer
		is        error
		want      string
	}{
		{"NaN score", spoil(math.NaN(), nil), nil, nil, svgd.ErrNonFinite,
			"svgd: step 3: non-finite value: score is NaN at block 1, particle 2, coordinate 1"},
		{"infinite score", spoil(math.Inf(-1), nil), nil, svgd.Adam{}, svgd.ErrNonFinite,
			"svgd: step 3: non-finite value: score is -Inf at block 1, particle 2, coordinate 1"},
		{"target", spoil(0, errTarget), nil, nil, errTarget, "svgd: step 3: no score"},
		{"infinite direction", spoil(math.MaxFloat64, nil),
			svgd.Additive{Bandwidths: []float64{1, 1}}, svgd.SGD{}, svgd.ErrNonFinite,
			"svgd: step 3: non-finite value: direction is +Inf at block 1, particle 2, " +
				"coordinate 1"},
		{"infinite state", spoil(1e200, nil), svgd.RBF{Bandwidth: svgd.Fixed(1e-3)}, svgd.Adam{},
			svgd.ErrNonFinite,
			"svgd: step 3: non-finite value: optimizer state is +Inf at block 1, particle 2, " +
				"coordinate 1"},
		{"infinite particle", spoil(1e300, nil), svgd.RBF{Bandwidth: svgd.Fixed(1e-3)}, overstep{},
			svgd.ErrNonFinite,
			"svgd: step 3: non-finite value: next particle is +Inf at block 1, particle 2, " +
				"coordinate 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := gaussianBlocks(4, 4, 2, 3)
			good := svgd.Sampler{Target: svgd.ScorerFunc(banana), Kernel: c.kernel,
				Optimizer: c.optimizer}
			want := clone(start)
			run(t, &good, want, 0, 3)

			x := clone(start)
			s := svgd.Sampler{Target: c.target, Kernel: c.kernel, Optimizer: c.optimizer}
			err := s.Run(t.Context(), x, 0, 10)
			if !errors.Is(err, c.is) || err.Error() != c.want {
				t.Fatalf("error %v, want %s", err, c.want)
			}
			if !sameBits(x, want) {
				t.Errorf("particles are not those before step 3")
			}
			if diff := cmp.Diff(good.State, s.State); diff != "" {
				t.Errorf("state (-before step 3 +got):\n%s", diff)
			}
			s.Target = good.Target
			run(t, &s, x, 3, 10)
			run(t, &good, want, 3, 10)
			if !sameBits(x, want) {
				t.Error("going on after the failure differs from a run without it")
			}
		})
	}
}

// overstep is SGD with an enormous step once the direction is enormous.
type overstep struct{}

func (overstep) Update(delta []*mat.Dense, s *svgd.State, t int) error {
	for _, d := range delta {
		if mat.Max(d) > 1e100 {
			return svgd.SGD{StepSize: 1e300}.Update(delta, s, t)
		}
	}
	return svgd.SGD{}.Update(delta, s, t)
}

func TestFailureBeforeFirstStep(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(x []*mat.Dense, s *svgd.Sampler)
		is    error
		want  svgd.NonFiniteError
	}{
		{"particle", func(x []*mat.Dense, _ *svgd.Sampler) { x[0].Set(3, 1, math.Inf(1)) },
			svgd.ErrNonFinite,
			svgd.NonFiniteError{What: "particle", Block: 0, Particle: 3, Coordinate: 1,
				Value: math.Inf(1)}},
		{"state", func(_ []*mat.Dense, s *svgd.Sampler) {
			s.State = svgd.State{Count: 1, Second: [][]float64{{1}}}
		}, svgd.ErrState, svgd.NonFiniteError{}},
	} {
		x := gaussianBlocks(5, 4, 2, 3)
		s := svgd.Sampler{Target: svgd.ScorerFunc(banana)}
		c.spoil(x, &s)
		before, state := clone(x), s.State.Clone()
		err := s.Run(t.Context(), x, 0, 10)
		var step *svgd.StepError
		if !errors.Is(err, c.is) || !errors.As(err, &step) || step.Step != 0 {
			t.Errorf("%s: error %v", c.name, err)
		}
		var at *svgd.NonFiniteError
		if errors.As(err, &at) && *at != c.want {
			t.Errorf("%s: found %+v, want %+v", c.name, *at, c.want)
		}
		if diff := cmp.Diff(state, s.State); !sameBits(x, before) || diff != "" {
			t.Errorf("%s: particles or state changed (-before +after):\n%s", c.name, diff)
		}
	}
}

// TestLargeIsFinite: numbers whose sum overflows are not an error.
func TestLargeIsFinite(t *testing.T) {
	large := func(dst, x []*mat.Dense, _ int) error {
		for _, db := range dst {
			db.Apply(func(_, _ int, _ float64) float64 { return 1e308 }, db)
		}
		return nil
	}
	s := svgd.Sampler{Target: svgd.ScorerFunc(large), Optimizer: svgd.SGD{}}
	run(t, &s, gaussianBlocks(6, 1, 5), 0, 1)
}

func TestSamplerPanics(t *testing.T) {
	x := gaussianBlocks(6, 3, 2)
	wantPanic(t, "svgd: sampler without target", func() { _ = new(svgd.Sampler).Step(x, 0) })
	s := svgd.Sampler{Target: svgd.ScorerFunc(banana)}
	wantPanic(t, "svgd: no blocks", func() { _ = s.Step(nil, 0) })
	x = append(x, mat.NewDense(4, 2, nil))
	wantPanic(t, "svgd: block 1 has 4 particles, block 0 has 3", func() { _ = s.Step(x, 0) })
}
