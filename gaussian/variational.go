package gaussian

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/chain"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Variational climbs the evidence lower bound, E_q[log p(x) − log q(x)], over normal
// distributions q, by Adam on gradients of as many draws as the target has points. The zero
// value of each setting is the usual one.
type Variational struct {
	Target   chain.Target
	Seed     uint64
	Steps    int     // defaults to 3000
	StepSize float64 // of Adam at first, defaults to 0.05; it falls to a tenth in the second half
	FullRank bool    // covariances too, not only variances
	// From is where it starts. Nil means the best of [Pathfinder] for Fit, which then climbs in its
	// coordinates, only scaled by it without FullRank; mean 0 and the identity for Begin.
	From *Normal
}

// Climb is the state of a fit. All fields are exported, for checkpoints.
type Climb struct {
	Step int // done
	// Mean, and the lower Cholesky factor of the covariance in row-major order, whose diagonal is
	// held by its logarithm. First and Second are Adam's moments of all of them.
	Mean, Root, First, Second []float64
	// AverageMean and AverageRoot are means over the last quarter of the steps.
	AverageMean, AverageRoot []float64
}

func (v Variational) filled() (Variational, error) {
	switch {
	case v.Target == nil:
		return v, errors.New("gaussian: no target")
	case v.Steps < 0 || !(v.StepSize >= 0):
		return v, fmt.Errorf(
			"gaussian: %d steps of size %v, want positive numbers",
			v.Steps,
			v.StepSize,
		)
	}
	if v.Steps == 0 {
		v.Steps = 3000
	}
	if v.StepSize == 0 {
		v.StepSize = 0.05
	}
	return v, nil
}

// Begin is the state before the first step.
func (v Variational) Begin() (*Climb, error) {
	v, err := v.filled()
	if err != nil {
		return nil, err
	}
	_, d := v.Target.Dims()
	n := d + d*d
	c := &Climb{
		Mean:        make([]float64, d),
		Root:        make([]float64, d*d),
		First:       make([]float64, n),
		Second:      make([]float64, n),
		AverageMean: make([]float64, d),
		AverageRoot: make([]float64, d*d),
	}
	if v.From != nil {
		if len(v.From.Mean) != d {
			return nil, fmt.Errorf(
				"gaussian: a start of %d coordinates, want %d",
				len(v.From.Mean),
				d,
			)
		}
		copy(c.Mean, v.From.Mean)
		for i := range d {
			for j := range i {
				if v.FullRank {
					c.Root[i*d+j] = v.From.Root.At(i, j)
				}
			}
			c.Root[i*d+i] = math.Log(v.From.Root.At(i, i))
		}
	}
	return c, nil
}

// normal is the distribution of a mean and a factor.
func normal(mean, root []float64) *Normal {
	d := len(mean)
	out := mat.NewTriDense(d, mat.Lower, nil)
	for i := range d {
		for j := range i {
			out.SetTri(i, j, root[i*d+j])
		}
		out.SetTri(i, i, math.Exp(root[i*d+i]))
	}
	return &Normal{Mean: mean, Root: out}
}

// Advance takes steps up to a number of them. It stops with the state intact when the context
// ends.
func (v Variational) Advance(ctx context.Context, c *Climb, steps int) error {
	v, err := v.filled()
	if err != nil {
		return err
	}
	points, d := v.Target.Dims()
	if len(c.Mean) != d {
		return fmt.Errorf("gaussian: a state of %d coordinates, want %d", len(c.Mean), d)
	}
	x, grad, logp := mat.NewDense(points, d, nil), mat.NewDense(
		points,
		d,
		nil,
	), make([]float64, points)
	z := mat.NewDense(points, d, nil)
	for ; c.Step < steps; c.Step++ {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		q := normal(c.Mean, c.Root)
		rng := stream.New(v.Seed, stream.ApproximationDraw, c.Step)
		for k := range points {
			row := z.RawRowView(k)
			for i := range row {
				row[i] = rng.NormFloat64()
			}
			q.draw(x.RawRowView(k), row)
		}
		if err := v.Target.LogDensity(logp, grad, x); err != nil {
			return err
		}
		g, used := make([]float64, d+d*d), 0.0
		for k := range points {
			if bad := grad.RawRowView(k); !finite(logp[k]) || !finite(bad...) {
				continue // outside the support
			}
			used++
			for i, s := range grad.RawRowView(k) {
				g[i] += s
				for j := range i + 1 {
					g[d+i*d+j] += s * z.At(k, j)
				}
			}
		}
		if used == 0 {
			return fmt.Errorf(
				"gaussian: step %d: none of %d draws has a finite density and gradient",
				c.Step,
				points,
			)
		}
		for i := range g {
			g[i] /= used
		}
		for i := range d {
			for j := range i {
				if !v.FullRank {
					g[d+i*d+j] = 0
				}
			}
			at := d + i*d + i
			g[at] = g[at]*math.Exp(c.Root[i*d+i]) + 1 // of the entropy
		}
		v.adam(c, g)
		if from := v.Steps - v.Steps/4; c.Step >= from {
			share := 1 / float64(c.Step-from+1)
			for i := range c.Mean {
				c.AverageMean[i] += share * (c.Mean[i] - c.AverageMean[i])
			}
			for i := range c.Root {
				c.AverageRoot[i] += share * (c.Root[i] - c.AverageRoot[i])
			}
		}
	}
	return nil
}

func (v Variational) adam(c *Climb, g []float64) {
	t, size := float64(c.Step+1), v.StepSize
	if half := float64(v.Steps) / 2; t > half {
		size *= math.Pow(0.1, math.Min((t-half)/half, 1))
	}
	for i, s := range g {
		c.First[i] += 0.1 * (s - c.First[i])
		c.Second[i] += 0.001 * (s*s - c.Second[i])
		if c.Second[i] == 0 {
			continue
		}
		move := size * (c.First[i] / (1 - math.Pow(0.9, t))) /
			(math.Sqrt(c.Second[i]/(1-math.Pow(0.999, t))) + 1e-8)
		if i < len(c.Mean) {
			c.Mean[i] += move
		} else {
			c.Root[i-len(c.Mean)] += move
		}
	}
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Fit is the whole climb. LogEvidence of the result is its bound, by 1000 draws.
func (v Variational) Fit(ctx context.Context) (*Normal, error) {
	v, err := v.filled()
	if err != nil {
		return nil, err
	}
	inner, by := v, (*Normal)(nil)
	if v.From == nil {
		if by, err = v.begin(ctx); err != nil {
			return nil, err
		}
		inner.Target = &Whitened{Target: v.Target, By: by}
	}
	c, err := inner.Begin()
	if err != nil {
		return nil, err
	}
	if err := inner.Advance(ctx, c, v.Steps); err != nil {
		return nil, err
	}
	if v.Steps < 4 {
		copy(c.AverageMean, c.Mean)
		copy(c.AverageRoot, c.Root)
	}
	n := normal(c.AverageMean, c.AverageRoot)
	if by != nil {
		n = by.of(n)
	}
	return v.bounded(n)
}

// begin is the best distribution of Pathfinder.
func (v Variational) begin(ctx context.Context) (*Normal, error) {
	paths, err := Pathfinder{Target: v.Target, Seed: v.Seed}.Run(ctx)
	if err != nil {
		return nil, err
	}
	best := paths.best()
	if v.FullRank {
		return best, nil
	}
	c, d := best.Covariance(), len(best.Mean)
	scales := mat.NewTriDense(d, mat.Lower, nil)
	for i := range d {
		scales.SetTri(i, i, math.Sqrt(c.At(i, i)))
	}
	return &Normal{Mean: best.Mean, Root: scales}, nil
}

// bounded is the distribution with its bound.
func (v Variational) bounded(n *Normal) (*Normal, error) {
	const count = 1000
	draws := n.Draws(count, stream.Seed(v.Seed, stream.ApproximationDraw, v.Steps))
	e := evaluator{target: v.Target}
	logs, err := e.logDensities(draws)
	if err != nil {
		return nil, err
	}
	for k, l := range logs {
		n.LogEvidence += (l - n.LogProb(draws.RawRowView(k))) / count
	}
	return n, nil
}
