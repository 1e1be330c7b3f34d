package gaussian

import (
	"errors"
	"fmt"
	"math"

	"tobac/chain"
	"tobac/internal/anneal"
	"tobac/internal/pareto"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Normal is a normal distribution that stands for a density.
type Normal struct {
	Mean []float64
	Root *mat.TriDense // lower Cholesky factor of the covariance
	// LogEvidence is the logarithm of the integral of the density: by the Hessian for [Laplace],
	// else a lower bound.
	LogEvidence float64
}

// newNormal factorises a covariance, which may be off by rounding.
func newNormal(mean []float64, covariance *mat.SymDense) (*Normal, bool) {
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		return nil, false
	}
	root := mat.NewTriDense(len(mean), mat.Lower, nil)
	factor.LTo(root)
	return &Normal{Mean: append([]float64(nil), mean...), Root: root}, true
}

// draw writes mean + L z to dst.
func (n *Normal) draw(dst, z []float64) {
	for i := range dst {
		dst[i] = n.Mean[i]
		for j := range i + 1 {
			dst[i] += n.Root.At(i, j) * z[j]
		}
	}
}

// of is the distribution of mean + L z for z of another one.
func (n *Normal) of(z *Normal) *Normal {
	d := len(n.Mean)
	out := &Normal{Mean: make([]float64, d), Root: mat.NewTriDense(d, mat.Lower, nil)}
	n.draw(out.Mean, z.Mean)
	out.Root.MulTri(n.Root, z.Root)
	return out
}

// Draws are a number of independent draws, one in each row.
func (n *Normal) Draws(count int, seed uint64) *mat.Dense {
	d := len(n.Mean)
	out, z := mat.NewDense(count, d, nil), make([]float64, d)
	for k := range count {
		rng := stream.New(seed, stream.ApproximationDraw, k)
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		n.draw(out.RawRowView(k), z)
	}
	return out
}

// LogProb is the log density at x.
func (n *Normal) LogProb(x []float64) float64 { return n.Score(make([]float64, len(x)), x) }

// Score is the log density at x, whose gradient it writes to grad.
func (n *Normal) Score(grad, x []float64) float64 {
	d := len(n.Mean)
	sum := -float64(d) / 2 * math.Log(2*math.Pi)
	for i := range d { // L z = x − mean
		z := x[i] - n.Mean[i]
		for j := range i {
			z -= n.Root.At(i, j) * grad[j]
		}
		grad[i] = z / n.Root.At(i, i)
		sum -= grad[i]*grad[i]/2 + math.Log(n.Root.At(i, i))
	}
	for i := d - 1; i >= 0; i-- { // Lᵀ g = −z
		g := -grad[i]
		for j := i + 1; j < d; j++ {
			g -= n.Root.At(j, i) * grad[j]
		}
		grad[i] = g / n.Root.At(i, i)
	}
	return sum
}

// Covariance is that of the distribution.
func (n *Normal) Covariance() *mat.SymDense {
	var c mat.Dense
	c.Mul(n.Root, n.Root.T())
	d := len(n.Mean)
	out := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			out.SetSym(i, j, c.At(i, j))
		}
	}
	return out
}

// Weighted are draws from an approximation of a density, with weights that make them draws from
// the density as far as they reach.
type Weighted struct {
	X          *mat.Dense // one draw in each row
	LogWeights []float64  // smoothed ratios of the densities, which add to 1
	// K is the shape of the largest weights. Up to 0.7 means by weights can be trusted; above, the
	// approximation is not the density. Weights of a small K can still differ from 1, where a mean
	// of the approximation is off: diagnostics.Approximation judges both.
	K float64
}

// Judge draws from the distribution and weights the draws by the ratio of the densities.
func (n *Normal) Judge(target chain.Target, count int, seed uint64) (*Weighted, error) {
	if count < 25 {
		return nil, fmt.Errorf("gaussian: judged by %d draws, want at least 25", count)
	}
	e := evaluator{target: target}
	return e.weigh(n.Draws(count, seed), n.LogProb)
}

// weigh weights draws from an approximation with a log density, up to a constant.
func (e *evaluator) weigh(x *mat.Dense, log func(x []float64) float64) (*Weighted, error) {
	logs, err := e.logDensities(x)
	if err != nil {
		return nil, err
	}
	for i := range logs {
		logs[i] -= log(x.RawRowView(i))
	}
	return &Weighted{X: x, LogWeights: logs, K: pareto.Smooth(logs)}, nil
}

// Size is the effective number of the draws, by their weights.
func (w *Weighted) Size() float64 { return anneal.EffectiveSize(w.LogWeights) }

// Draws are drawn again by the weights, in random order: starts for chains, or a picture of the
// density.
func (w *Weighted) Draws(count int, seed uint64) *mat.Dense {
	rng := stream.New(seed, stream.ApproximationDraw, count)
	_, d := w.X.Dims()
	out := mat.NewDense(count, d, nil)
	for k, from := range anneal.Resample(w.LogWeights, count, rng.Float64()) {
		out.SetRow(k, w.X.RawRowView(from))
	}
	rng.Shuffle(count, func(i, j int) {
		a := append([]float64(nil), out.RawRowView(i)...)
		out.SetRow(i, out.RawRowView(j))
		out.SetRow(j, a)
	})
	return out
}

// An evaluator asks a target for any number of points.
type evaluator struct {
	target  chain.Target
	x, grad *mat.Dense
	logp    []float64
}

func (e *evaluator) room() (points, d int) {
	points, d = e.target.Dims()
	if e.x == nil {
		e.x, e.grad, e.logp = mat.NewDense(points, d, nil), mat.NewDense(
			points,
			d,
			nil,
		), make([]float64, points)
	}
	return points, d
}

// at is the log density at one point, −∞ where it or its gradient is not finite.
func (e *evaluator) at(grad, x []float64) (float64, error) {
	points, _ := e.room()
	for k := range points {
		e.x.SetRow(k, x)
	}
	if err := e.target.LogDensity(e.logp, e.grad, e.x); err != nil {
		return 0, err
	}
	copy(grad, e.grad.RawRowView(0))
	if sum := e.logp[0] + floats.Sum(grad); math.IsNaN(sum) || math.IsInf(sum, 0) {
		clear(grad)
		return math.Inf(-1), nil
	}
	return e.logp[0], nil
}

// logDensities are those of the rows of x, −∞ where they are not finite.
func (e *evaluator) logDensities(x *mat.Dense) ([]float64, error) {
	points, _ := e.room()
	n, _ := x.Dims()
	out := make([]float64, n)
	for first := 0; first < n; first += points {
		for k := range points {
			e.x.SetRow(k, x.RawRowView(min(first+k, n-1)))
		}
		if err := e.target.LogDensity(e.logp, e.grad, e.x); err != nil {
			return nil, err
		}
		for k := range min(points, n-first) {
			if out[first+k] = e.logp[k]; math.IsNaN(e.logp[k]) || math.IsInf(e.logp[k], 1) {
				out[first+k] = math.Inf(-1)
			}
		}
	}
	return out, nil
}

// start is a point with a finite density, drawn uniformly from −2 to 2 in all coordinates.
func (e *evaluator) start(seed uint64, number int) ([]float64, error) {
	if e.target == nil {
		return nil, errors.New("gaussian: no target")
	}
	_, d := e.room()
	x, grad := make([]float64, d), make([]float64, d)
	for try := range 100 {
		rng := stream.New(seed, stream.NUTSStart, number, try)
		for i := range x {
			x[i] = 4*rng.Float64() - 2
		}
		l, err := e.at(grad, x)
		if err != nil {
			return nil, err
		}
		if !math.IsInf(l, -1) {
			return x, nil
		}
	}
	e.x.SetRow(0, x)
	return nil, fmt.Errorf("gaussian: the log density is not finite at any of 100 starts%s",
		chain.Undefined(e.target, e.x))
}
