package gaussian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/chain"
	"tobac/internal/pareto"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Pathfinder approximates a density by normal distributions along paths of L-BFGS. The zero
// value of each setting is the usual one.
type Pathfinder struct {
	Target     chain.Target
	Seed       uint64
	Paths      int // defaults to 4
	Draws      int // for the evidence lower bound of each place of a path, defaults to 16
	Iterations int // of the optimiser, defaults to 200
	Memory     int // pairs of steps and gradients, defaults to 6
}

// Paths are the best distribution of each path, and 1000 or more weighted draws of their mixture.
type Paths struct {
	Best []*Normal
	*Weighted
}

// best is the distribution with the greatest evidence lower bound.
func (p *Paths) best() *Normal {
	out := p.Best[0]
	for _, n := range p.Best {
		if n.LogEvidence > out.LogEvidence {
			out = n
		}
	}
	return out
}

// Run follows the paths. A path on which no distribution has a finite bound is left out; if none
// is left it is an error.
func (p Pathfinder) Run(ctx context.Context) (*Paths, error) {
	err := fill(count{&p.Paths, 4, "paths"}, count{&p.Draws, 16, "draws"},
		count{&p.Iterations, 200, "iterations"}, count{&p.Memory, 6, "pairs of memory"})
	if err != nil {
		return nil, err
	}
	e := &evaluator{target: p.Target}
	out := &Paths{}
	for k := range p.Paths {
		x, err := e.start(p.Seed, k)
		if err != nil {
			return nil, err
		}
		path, err := e.climb(ctx, x, p.Iterations, p.Memory)
		if err != nil {
			return nil, fmt.Errorf("gaussian: path %d: %w", k, err)
		}
		best, err := p.best(e, path, k)
		if err != nil {
			return nil, err
		}
		if best != nil {
			out.Best = append(out.Best, best)
		}
	}
	if len(out.Best) == 0 {
		return nil, errors.New("gaussian: no path has a normal distribution with a finite bound")
	}
	return out, out.weigh(e, p.Seed)
}

// best is the distribution with the greatest evidence lower bound along a path.
func (p Pathfinder) best(e *evaluator, path []place, number int) (*Normal, error) {
	d := len(path[0].x)
	diagonal := make([]float64, d)
	for i := range diagonal {
		diagonal[i] = 1
	}
	var best *Normal
	var pairs [][2][]float64
	for l := 1; l < len(path); l++ {
		s, z := make([]float64, d), make([]float64, d)
		floats.SubTo(s, path[l].x, path[l-1].x)
		floats.SubTo(z, path[l-1].grad, path[l].grad)
		if b := floats.Dot(s, z); b > 1e-12*floats.Dot(z, z) {
			pairs = append(pairs, [2][]float64{s, z})
			if len(pairs) > p.Memory {
				pairs = pairs[1:]
			}
			rescale(diagonal, s, z)
		}
		h := inverseHessian(diagonal, pairs)
		mean := mat.NewVecDense(d, nil)
		mean.MulVec(h, mat.NewVecDense(d, path[l].grad))
		floats.Add(mean.RawVector().Data, path[l].x)
		n, ok := newNormal(mean.RawVector().Data, h)
		if !ok {
			continue
		}
		draws := n.Draws(
			p.Draws,
			stream.Seed(p.Seed, stream.ApproximationDraw, stream.Place(number, l)),
		)
		logs, err := e.logDensities(draws)
		if err != nil {
			return nil, err
		}
		for k := range logs {
			n.LogEvidence += (logs[k] - n.LogProb(draws.RawRowView(k))) / float64(p.Draws)
		}
		if bound := n.LogEvidence; !math.IsNaN(bound) && !math.IsInf(bound, 0) &&
			(best == nil || bound > best.LogEvidence) {
			best = n
		}
	}
	return best, nil
}

// rescale updates the diagonal α of the first inverse Hessian by a step s and a difference of
// gradients z: 1/α ← a/(bα) + z²/b − a s²/(b c α²), a = zᵀαz, b = zᵀs, c = sᵀs/α.
func rescale(alpha, s, z []float64) {
	a, b, c := 0.0, floats.Dot(z, s), 0.0
	for i := range alpha {
		a += z[i] * alpha[i] * z[i]
		c += s[i] * s[i] / alpha[i]
	}
	for i, v := range alpha {
		alpha[i] = 1 / (a/(b*v) + z[i]*z[i]/b - a*s[i]*s[i]/(b*c*v*v))
	}
}

// inverseHessian is that of BFGS after updates by pairs of steps and differences of gradients,
// H ← (I − ρszᵀ)H(I − ρzsᵀ) + ρssᵀ with ρ = 1/sᵀz.
func inverseHessian(diagonal []float64, pairs [][2][]float64) *mat.SymDense {
	d := len(diagonal)
	h := mat.NewSymDense(d, nil)
	for i, v := range diagonal {
		h.SetSym(i, i, v)
	}
	hz := mat.NewVecDense(d, nil)
	for _, pair := range pairs {
		s, z := mat.NewVecDense(d, pair[0]), mat.NewVecDense(d, pair[1])
		rho := 1 / mat.Dot(s, z)
		hz.MulVec(h, z)
		// −ρ(s hzᵀ + hz sᵀ) + ρ(1 + ρ zᵀhz) ssᵀ
		h.RankTwo(h, -rho, s, hz)
		h.SymRankOne(h, rho*(1+rho*mat.Dot(z, hz)), s)
	}
	return h
}

// weigh draws 1000 points from the mixture of all paths, and weights them. As long as fewer than
// half of the points count, 1000 more follow, up to three times, from the normal distribution with
// their mean and covariance, which joins the mixture.
func (p *Paths) weigh(e *evaluator, seed uint64) error {
	const each = 1000
	d := len(p.Best[0].Mean)
	var target, shares []float64 // log densities of the draws, logarithms of numbers of draws
	x, parts := (*mat.Dense)(nil), slices.Clip(p.Best)
	for from := 0; ; from = len(shares) {
		n := each / (len(parts) - from)
		more := mat.NewDense(n*(len(parts)-from), d, nil)
		for k, part := range parts[from:] {
			place := stream.Place(from + k)
			draws := part.Draws(n, stream.Seed(seed, stream.ApproximationDraw, place))
			more.Slice(k*n, (k+1)*n, 0, d).(*mat.Dense).Copy(draws)
			shares = append(shares, math.Log(float64(n)))
		}
		found, err := e.logDensities(more)
		if err != nil {
			return err
		}
		target = append(target, found...)
		if from == 0 {
			x = more
		} else {
			all := new(mat.Dense)
			all.Stack(x, more)
			x = all
		}
		terms, logs := make([]float64, len(parts)), slices.Clone(target)
		for i := range logs {
			for k, part := range parts {
				terms[k] = shares[k] + part.LogProb(x.RawRowView(i))
			}
			logs[i] -= floats.LogSumExp(terms)
		}
		p.Weighted = &Weighted{X: x, LogWeights: logs, K: pareto.Smooth(logs)}
		next, ok := p.moments()
		if !ok || len(parts) == len(p.Best)+3 || 2*p.Size() > float64(len(logs)) {
			return nil
		}
		parts = append(parts, next)
	}
}

// moments is the normal distribution with the weighted mean and covariance.
func (w *Weighted) moments() (*Normal, bool) {
	weights := pareto.Counts(w.LogWeights)
	_, d := w.X.Dims()
	mean, covariance := make([]float64, d), mat.NewSymDense(d, nil)
	for i := range mean {
		mean[i] = stat.Mean(mat.Col(nil, i, w.X), weights)
	}
	stat.CovarianceMatrix(covariance, w.X, weights)
	return newNormal(mean, covariance)
}

// A count is a setting that is at least 1, with its default.
type count struct {
	value *int
	usual int
	name  string
}

// fill replaces zeros by defaults.
func fill(counts ...count) error {
	for _, c := range counts {
		if *c.value < 0 {
			return fmt.Errorf("gaussian: %d %s, want at least 1", *c.value, c.name)
		}
		if *c.value == 0 {
			*c.value = c.usual
		}
	}
	return nil
}
