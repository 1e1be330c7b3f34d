package gorgonia

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/models"
)

// A TargetConfig says what the leaves of a density are. Every leaf that the density depends
// on is named in one of the fields, or holds a value (WithValue, Let), which is a constant.
type TargetConfig struct {
	// Particles is the number of particles, at least 1.
	Particles int

	// Blocks are the leaves that a particle consists of.
	Blocks []*G.Node

	// Held are further leaves that have the values of a block, given by its place in
	// Blocks, but through which no gradient flows.
	Held map[*G.Node]int

	// Data are constants, row-major.
	Data map[*G.Node][]float64

	// Steps are scalar leaves whose value depends on the step, such as an inverse
	// temperature.
	Steps map[*G.Node]func(step int) float64

	// Noise are leaves, random nodes or dropouts of numbers uniform in (0, 1), which are
	// drawn anew at each step for each particle and sample, from the streams that the
	// functions name.
	Noise map[*G.Node]func(step, particle int) uint64

	// Samples is how many draws of the noise there are; defaults to 1.
	Samples int

	// Workers share the particles; defaults to 1. Results do not depend on it.
	Workers int
}

// A Target is a log density of particles whose expression is a gorgonia graph: a target
// for packages svgd and langevin and, as a [tobac/chain.Target], for chain, gaussian and smc. It
// may be used by one goroutine at a time.
type Target struct {
	cfg    TargetConfig
	notes  []string
	blocks []*ad.Node
	sizes  []int
	run    ad.Evaluator
	src    []ad.Feed
	dst    [][]float64
	alone  []*mat.Dense // room for the blocks of a point that is one row
	steps  []stepped
	step   int
}

// A stepped is an input that depends on the step.
type stepped struct {
	value [1]float64
	at    func(step int) float64
}

// NewTarget imports and compiles the log density
//
//	log p(x) = Σ_n Σ_e ln( 1/S Σ_s exp n_e(x, noise_s) ),
//
// the sum over the elements e of the nodes n, each the log of a mean over S samples where
// the node depends on noise, and itself otherwise. With one scalar node and no noise it is
// that node.
func NewTarget(cfg TargetConfig, density ...*G.Node) (*Target, error) {
	if cfg.Samples == 0 {
		cfg.Samples = 1
	}
	if cfg.Particles < 1 || len(cfg.Blocks) == 0 || len(density) == 0 || cfg.Samples < 1 ||
		cfg.Workers < 0 {
		return nil, fmt.Errorf("gorgonia: target: got %d particles of %d blocks, %d nodes, %d "+
			"samples and %d workers, want at least one of each", cfg.Particles, len(cfg.Blocks),
			len(density), cfg.Samples, cfg.Workers)
	}
	if slices.Contains(cfg.Blocks, nil) || slices.Contains(density, nil) {
		return nil, errors.New("gorgonia: target: a node is nil")
	}
	t := &Target{cfg: cfg}
	b := ad.NewBuilder("target")
	particle := b.Axis("particle", cfg.Particles)
	bind := map[*G.Node]*ad.Node{}
	for i, leaf := range cfg.Blocks {
		if bind[leaf] != nil {
			return nil, fmt.Errorf("gorgonia: target: leaf %v is two blocks", leaf.Name())
		}
		n := b.Input(fmt.Sprintf("block %d", i), shapeOf(leaf), particle)
		bind[leaf] = n
		t.blocks, t.sizes = append(t.blocks, n), append(t.sizes, n.Shape().Len())
	}
	inputs := slices.Clone(t.blocks)
	t.src = make([]ad.Feed, len(inputs))
	for leaf, i := range cfg.Held {
		if i < 0 || i >= len(t.blocks) {
			return nil, fmt.Errorf("gorgonia: target: leaf %v is held at block %d of %d",
				leaf.Name(), i, len(t.blocks))
		}
		bind[leaf] = t.blocks[i].StopGradient()
	}
	for leaf, values := range cfg.Data {
		if bind[leaf] != nil {
			return nil, fmt.Errorf("gorgonia: target: leaf %v is data and a block", leaf.Name())
		}
		if shape := shapeOf(leaf); shape.Len() != len(values) {
			return nil, fmt.Errorf("gorgonia: target: leaf %v of shape %v: got %d numbers, want %d",
				leaf.Name(), shape, len(values), shape.Len())
		}
		bind[leaf] = b.Constant(values, shapeOf(leaf))
	}
	var sample *ad.Axis
	if len(cfg.Noise) > 0 {
		sample = b.Axis("sample", cfg.Samples)
	}
	t.steps = make([]stepped, 0, len(cfg.Steps)) // feeds keep the addresses of its elements
	for _, leaf := range ordered(density) {
		switch at, seed := cfg.Steps[leaf], cfg.Noise[leaf]; {
		case at != nil:
			bind[leaf] = b.Input(fmt.Sprintf("step %d", len(inputs)), shapeOf(leaf))
			t.steps = append(t.steps, stepped{at: at})
			t.src = append(t.src, ad.Feed{Data: t.steps[len(t.steps)-1].value[:]})
			inputs = append(inputs, bind[leaf])
		case seed != nil:
			bind[leaf] = b.Uniform(fmt.Sprintf("noise %d", len(inputs)), shapeOf(leaf), particle,
				sample)
			t.src = append(t.src, ad.Feed{Seed: func(i int) uint64 { return seed(t.step, i) }})
			inputs = append(inputs, bind[leaf])
		case bind[leaf] == nil && leaf.Op() == nil && leaf.Value() != nil:
			values, err := converted(leaf.Value())
			if err != nil {
				return nil, fmt.Errorf("gorgonia: target: leaf %v: %w", leaf.Name(), err)
			}
			bind[leaf] = b.Constant(values, shapeOf(leaf))
		}
	}
	made, err := Import(b, density, bind)
	if err != nil {
		return nil, fmt.Errorf("gorgonia: target: %w", err)
	}
	if len(made.Leaves) > 0 {
		return nil, fmt.Errorf("gorgonia: target: leaf %v is neither a block, nor data, nor "+
			"noise, and has no value", made.Inputs[0].Name())
	}
	t.notes = made.Notes
	y := b.Scalar(0)
	for _, n := range made.Outputs {
		if sample != nil && slices.Contains(n.Axes(), sample) {
			n = n.LogMeanExpOver(sample)
		}
		y = y.Add(n.Sum())
	}
	if b.Err() == nil && !slices.Contains(y.Axes(), particle) {
		return nil, errors.New("gorgonia: target: the density depends on no block of the particles")
	}
	outputs := append(b.Grad(y, t.blocks...), y)
	if t.run, err = ad.NewEvaluator(inputs, outputs, ad.Options{Workers: cfg.Workers}); err != nil {
		return nil, fmt.Errorf("gorgonia: target: %w", err)
	}
	t.dst = make([][]float64, len(outputs))
	t.dst[len(t.blocks)] = make([]float64, cfg.Particles)
	for _, n := range t.sizes {
		t.alone = append(t.alone, mat.NewDense(cfg.Particles, n, nil),
			mat.NewDense(cfg.Particles, n, nil))
	}
	return t, nil
}

func shapeOf(g *G.Node) ad.Shape { return append(ad.Shape{}, g.Shape()...) }

// Notes say what is not as in gorgonia: see [Graph].
func (t *Target) Notes() []string { return t.notes }

// Score writes the gradient of the log density at every particle: x[i] and dst[i] are
// particles × elements of block i, and step decides the noise. A [models.OutsideError] names
// the particles at which the density or its gradient is not finite; the others hold.
func (t *Target) Score(dst, x []*mat.Dense, step int) error {
	if len(x) != len(t.blocks) || len(dst) != len(t.blocks) {
		return fmt.Errorf("gorgonia: target: got %d blocks and %d results, want %d", len(x),
			len(dst), len(t.blocks))
	}
	for i, size := range t.sizes {
		for _, m := range []*mat.Dense{x[i], dst[i]} {
			if raw := m.RawMatrix(); raw.Rows != t.cfg.Particles || raw.Cols != size ||
				raw.Stride != size {
				return fmt.Errorf("gorgonia: target: block %d: got %d×%d with stride %d, want "+
					"%d×%d without gaps", i, raw.Rows, raw.Cols, raw.Stride, t.cfg.Particles, size)
			}
		}
		t.src[i].Data, t.dst[i] = x[i].RawMatrix().Data, dst[i].RawMatrix().Data
	}
	t.step = step
	for i := range t.steps {
		t.steps[i].value[0] = t.steps[i].at(step)
	}
	err := t.run.Eval(t.dst, t.src)
	if err != nil && !errors.As(err, new(*ad.FailedError)) {
		return fmt.Errorf("gorgonia: target: %w", err)
	}
	var outside []int
	for i := range t.cfg.Particles {
		if slices.ContainsFunc(t.dst, func(d []float64) bool {
			size := len(d) / t.cfg.Particles
			return slices.ContainsFunc(d[i*size:][:size], func(v float64) bool {
				return math.IsNaN(v) || math.IsInf(v, 0)
			})
		}) {
			outside = append(outside, i)
		}
	}
	switch {
	case err == nil && outside == nil:
		return nil
	case err == nil:
		err = fmt.Errorf("particle %d: the log density is %v: %w", outside[0],
			t.dst[len(t.blocks)][outside[0]], models.ErrNotFinite)
	}
	return &models.OutsideError{Particles: outside, Err: fmt.Errorf("gorgonia: target: %w", err)}
}

// Dims are the number of particles and of the coordinates of each, all blocks together.
func (t *Target) Dims() (points, coordinates int) {
	for _, n := range t.sizes {
		coordinates += n
	}
	return t.cfg.Particles, coordinates
}

// LogDensity writes the log density at each row of x, which has the blocks of a particle one
// after the other, and its gradient to the rows of grad, with the noise of step 0. A point at
// which it is not defined gets NaN, and does not disturb others.
func (t *Target) LogDensity(logp []float64, grad, x *mat.Dense) error {
	var points, scores []*mat.Dense
	from := 0
	for i, size := range t.sizes {
		points, scores = append(points, t.alone[2*i]), append(scores, t.alone[2*i+1])
		points[i].Copy(x.Slice(0, t.cfg.Particles, from, from+size))
		from += size
	}
	if err := t.Score(scores, points, 0); err != nil && !errors.As(err, new(*models.OutsideError)) {
		return err
	}
	from = 0
	for i, size := range t.sizes {
		grad.Slice(0, t.cfg.Particles, from, from+size).(*mat.Dense).Copy(scores[i])
		from += size
	}
	copy(logp, t.dst[len(t.blocks)])
	return nil
}

// Close releases the workers.
func (t *Target) Close() { t.run.Close() }
