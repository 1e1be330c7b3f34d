package gaussian

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tobac/chain"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Stein moves particles by Stein variational gradient descent in the coordinates of a normal
// distribution, see [Whitened], with a kernel for each coordinate. What it finds is the best
// product of distributions there, which is the density if its coordinates are independent. After a
// pass the normal distribution is replaced by that with the mean of the particles and the precision
// −E ∇log p(x) (x − x̄)ᵀ C⁻¹ of their scores and covariance C, exact for a normal density.
// Particles begin with the covariance of the normal distribution, not of so many draws from it:
// with a kernel for each coordinate they would keep its correlations.
type Stein struct {
	Target chain.Target // whose points are the particles: 100 or more
	Seed   uint64
	Steps  int // of a pass, defaults to 400
	Passes int // defaults to 3
	// From is the first normal distribution. Nil means the better of those of [Laplace] and
	// [Pathfinder], which evaluate all points for each of theirs: a copy of the target with few
	// points makes them faster.
	From *Normal
}

// Particles are where they ended.
type Particles struct {
	X  *mat.Dense // coordinates of the target
	By *Normal    // the normal distribution of the last pass
	// Variance and Dependence test the particles by identities that hold for draws z from the
	// density in the coordinates of By, with g = ∇log p(z): −E (zᵢ − z̄ᵢ)gᵢ = 1, of which Variance
	// is the least, about the variance of a coordinate as a part of the true one; and E zᵢ gⱼ = 0
	// and E (zᵢ² − 1)gⱼ/√2 = 0, i ≠ j, of which Dependence has the greatest absolute value: what
	// depends on each other in the density and not in the particles. Independent draws are off by
	// about one over the root of their number. diagnostics.Particles judges all three.
	Variance, Dependence float64
	// K is the shape of importance weights of By, see [Weighted].
	K float64
}

// Run finds the particles.
func (s Stein) Run(ctx context.Context) (*Particles, error) {
	if err := fill(count{&s.Steps, 400, "steps"}, count{&s.Passes, 3, "passes"}); err != nil {
		return nil, err
	}
	if s.Target == nil {
		return nil, errors.New("gaussian: no target")
	}
	n, d := s.Target.Dims()
	if n <= d {
		return nil, fmt.Errorf("gaussian: %d particles of %d coordinates, want more particles", n,
			d)
	}
	var err error
	by := s.From
	if by == nil {
		if by, err = s.begin(ctx); err != nil {
			return nil, err
		}
	}
	if len(by.Mean) != d {
		return nil, fmt.Errorf("gaussian: from %d coordinates, want %d", len(by.Mean), d)
	}
	start, err := uncorrelated(n, d, s.Seed)
	if err != nil {
		return nil, err
	}
	for pass := 1; ; pass++ {
		w := &Whitened{Target: s.Target, By: by}
		z, score := mat.DenseCopyOf(start), mat.NewDense(n, d, nil)
		sampler := svgd.Sampler{
			Target:    w,
			Kernel:    svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1},
			Optimizer: svgd.Adam{StepSize: 0.05},
			Outside:   svgd.RedrawOutside,
		}
		if err := sampler.Run(ctx, []*mat.Dense{z}, 0, s.Steps); err != nil {
			return nil, err
		}
		if err := w.LogDensity(make([]float64, n), score, z); err != nil {
			return nil, err
		}
		moments := mat.NewDense(d, d, nil)
		mean := make([]float64, d)
		centred := mat.DenseCopyOf(z)
		for i := range d {
			mean[i] = stat.Mean(mat.Col(nil, i, z), nil)
			for k := range n {
				centred.Set(k, i, z.At(k, i)-mean[i])
			}
		}
		moments.Mul(centred.T(), score)
		moments.Scale(-1/float64(n), moments)
		if pass == s.Passes {
			p := judged(&Particles{X: w.Points(z), By: by}, moments, z, score)
			w, err := by.Judge(s.Target, judges, s.Seed)
			if err != nil {
				return nil, err
			}
			p.K = w.K
			return p, nil
		}
		if next := by.moved(mean, z, moments); next != nil {
			by = next
		}
	}
}

// uncorrelated are n points of d coordinates with means of 0 and the identity as covariance.
func uncorrelated(n, d int, seed uint64) (*mat.Dense, error) {
	standard := &Normal{Mean: make([]float64, d), Root: mat.NewTriDense(d, mat.Lower, nil)}
	for i := range d {
		standard.Root.SetTri(i, i, 1)
	}
	z := standard.Draws(n, seed)
	for i := range d {
		mean := stat.Mean(mat.Col(nil, i, z), nil)
		for k := range n {
			z.Set(k, i, z.At(k, i)-mean)
		}
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, z, nil)
	own, ok := newNormal(standard.Mean, &covariance)
	if !ok {
		return nil, fmt.Errorf("gaussian: %d points of %d coordinates are not independent", n, d)
	}
	var x mat.Dense // L⁻¹zᵀ
	if err := x.Solve(own.Root, z.T()); err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(x.T()), nil
}

// judged computes the tests.
func judged(p *Particles, moments, z, score *mat.Dense) *Particles {
	n, d := z.Dims()
	p.Variance = math.Inf(1)
	for i := range d {
		for j := range d {
			if i == j {
				p.Variance = math.Min(p.Variance, moments.At(i, i))
				continue
			}
			curve := 0.0
			for k := range n {
				v := z.At(k, i)
				curve += (v*v - 1) * score.At(k, j) / float64(n) / math.Sqrt2
			}
			p.Dependence =
				math.Max(p.Dependence, math.Max(math.Abs(moments.At(i, j)), math.Abs(curve)))
		}
	}
	return p
}

// judges are draws that a normal distribution is judged by.
const judges = 400

// begin is the better one, by its importance weights, of the distributions of Laplace and of
// Pathfinder.
func (s Stein) begin(ctx context.Context) (*Normal, error) {
	paths, err := Pathfinder{Target: s.Target, Seed: s.Seed}.Run(ctx)
	if err != nil {
		return nil, err
	}
	best := paths.best()
	mode, err := Laplace{Target: s.Target, Seed: s.Seed}.Fit(ctx)
	if err != nil {
		return best, context.Cause(ctx) // there is no mode
	}
	ofMode, err := mode.Judge(s.Target, judges, s.Seed)
	if err != nil {
		return nil, err
	}
	ofPath, err := best.Judge(s.Target, judges, s.Seed)
	if err != nil {
		return nil, err
	}
	if ofMode.K < ofPath.K || math.IsNaN(ofPath.K) {
		return mode, nil
	}
	return best, nil
}

// moved is the distribution with the mean of the particles z in coordinates of n, and the precision
// of their moments; nil if that is not positive definite.
func (n *Normal) moved(mean []float64, z, moments *mat.Dense) *Normal {
	d := len(mean)
	var covariance, precision mat.SymDense
	stat.CovarianceMatrix(&covariance, z, nil)
	var p mat.Dense
	if err := p.Solve(&covariance, moments); err != nil {
		return nil
	}
	precision.ReuseAsSym(d)
	for i := range d {
		for j := range i + 1 {
			precision.SetSym(i, j, (p.At(i, j)+p.At(j, i))/2)
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(&precision) || factor.InverseTo(&covariance) != nil {
		return nil
	}
	inner, ok := newNormal(mean, &covariance)
	if !ok {
		return nil
	}
	return n.of(inner)
}
