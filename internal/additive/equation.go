package additive

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/scoring"
	"tobac/internal/smooth"
	"tobac/internal/stream"
	"tobac/score"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Linear scores as a [Scorer] of linear forms only, whose equations have weights.
type Linear struct {
	scores    *Scorer
	equations scoring.Memory[score.Equation]
}

// NewLinear is [New] with [Options].Linear.
func NewLinear(x, intervened mat.Matrix, opt Options) (*Linear, error) {
	opt.Linear = true
	s, err := New(x, intervened, opt)
	if err != nil {
		return nil, err
	}
	return &Linear{scores: s}, nil
}

// Known is that of [Scorer].
func (l *Linear) Known(j int, parents []int) bool { return l.scores.Known(j, parents) }

// Refine is that of [Scorer].
func (l *Linear) Refine(j int, parents []int) { l.scores.Refine(j, parents) }

// Vars implements [score.Scorer].
func (l *Linear) Vars() int { return l.scores.Vars() }

// LogScore implements [score.Scorer].
func (l *Linear) LogScore(j int, parents []int) float64 { return l.scores.LogScore(j, parents) }

// LogScores implements [score.SubsetScorer].
func (l *Linear) LogScores(dst []float64, j int, candidates []int) {
	l.scores.LogScores(dst, j, candidates)
}

// Gains are how much more evidence, in nats, the equation of variable j given its parents has than
// with normal noise of one scale: with all forms together, and with each of the others.
func (l *Linear) Gains(j int, parents []int) (all float64, forms [SharedForms]float64) {
	if len(l.scores.child[j].y) == 0 {
		return 0, forms
	}
	modes := l.scores.straight(j, parents)
	_, total := l.scores.logWeights(modes, len(parents))
	for k := range forms {
		forms[k] = modes[1+k].log - modes[0].log
	}
	return total - modes[0].log, forms
}

// Curvature is how much more evidence, in nats, the forms of an equation with smooth functions
// have than those of straight lines.
func (s *Scorer) Curvature(j int, parents []int) float64 {
	if len(s.child[j].y) == 0 || len(parents) == 0 {
		return 0
	}
	weights, _ := s.logWeights(s.modes(j, parents), len(parents))
	return floats.LogSumExp(weights[linearForms:]) - floats.LogSumExp(weights[:linearForms])
}

// Equation implements [score.Weighted]: the mixture of the forms by their evidence, each with
// the normal approximation at its mode. The noise variance is that of the residuals.
func (l *Linear) Equation(j int, parents []int) score.Equation {
	return l.equations.Of(j, parents, func() score.Equation {
		return l.scores.equationOf(j, parents)
	})
}

// equationOf has the weights of an equation.
func (s *Scorer) equationOf(j int, parents []int) score.Equation {
	c := &s.child[j]
	p := len(parents)
	e := score.Equation{Mean: make([]float64, p), Freedom: math.Inf(1), Intercept: c.centre,
		NoiseVariance: c.sd * c.sd, Strength: float64(len(c.y)) + 1}
	if p > 0 {
		e.Cov = mat.NewSymDense(p, nil)
	}
	if len(c.y) == 0 {
		for k, i := range parents {
			e.Cov.SetSym(k, k, weightVariance*math.Pow(s.sd[j]/s.sd[i], 2))
		}
		return e
	}
	fits := s.likely(j, parents)
	e.NoiseVariance = 0
	intercept := 0.0
	for _, f := range fits {
		w := f.weight
		mean, variance := f.noise()
		intercept += w * (f.theta[0] + mean)
		for a := range p {
			e.Mean[a] += w * f.theta[1+a]
		}
		e.NoiseVariance += w * variance
	}
	for _, f := range fits { // about the mean, so that no rounding leaves a negative variance
		cov := f.covariance()
		for a := range p {
			for b := range a + 1 {
				e.Cov.SetSym(a, b, e.Cov.At(a, b)+
					f.weight*(cov.At(1+a, 1+b)+(f.theta[1+a]-e.Mean[a])*(f.theta[1+b]-e.Mean[b])))
			}
		}
	}
	// To the units of the data.
	e.NoiseVariance *= c.sd * c.sd
	e.Intercept = c.centre + c.sd*intercept
	for a, i := range parents {
		e.Mean[a] *= c.sd / s.sd[i]
		e.Intercept -= e.Mean[a] * s.centre[i]
		for b, h := range parents[:a+1] {
			e.Cov.SetSym(a, b, e.Cov.At(a, b)*(c.sd/s.sd[i])*(c.sd/s.sd[h]))
		}
	}
	return e
}

// covariance is the inverse of the negative Hessian.
func (f *fit) covariance() *mat.SymDense {
	u := f.root
	u.Data = slices.Clone(u.Data)
	inverse, _ := lapack64.Potri(u)
	out := new(mat.SymDense)
	out.SetRawSymmetric(inverse)
	return out
}

// likelyFits are the likely forms of an equation, which are found once.
func (s *Scorer) likelyFits(j int, parents []int) []*fit {
	return s.drawn.Of(j, parents, func() []*fit { return s.likely(j, parents) })
}

// residuals are what the terms of the mean leave of y, and the number of these terms.
func (f *fit) residuals() (rest []float64, weights int) {
	rest = slices.Clone(f.y)
	for k, t := range f.terms {
		if t.channel != 0 {
			return rest, k
		}
		t.addTo(rest, -f.theta[k])
	}
	return rest, len(f.terms)
}

// noise are the mean and the variance of the residuals: the location of a skewed density is not
// its mean. The variance is for as many rows as there are more than weights.
func (f *fit) noise() (mean, variance float64) {
	rest, weights := f.residuals()
	mean = stat.Mean(rest, nil)
	floats.AddConst(-mean, rest)
	return mean, floats.Dot(rest, rest) / float64(max(len(rest)-weights, 1))
}

// Function draws the equation of variable j given its parents: a form by its evidence, and its
// parameters from the normal approximation at the mode. The noise variance is that of the
// residuals.
func (s *Scorer) Function(j int, parents []int, rng *rand.Rand) *smooth.Function {
	c := &s.child[j]
	f := &smooth.Function{Intercept: c.centre, Variance: c.sd * c.sd}
	for _, i := range parents {
		f.Parts = append(f.Parts, smooth.Part{Knots: []float64{s.centre[i]},
			Values: [][]float64{{0}}})
	}
	if len(c.y) == 0 {
		return f
	}
	fits := s.likelyFits(j, parents)
	weights := make([]float64, len(fits))
	for k, f := range fits {
		weights[k] = f.weight
	}
	drawn := fits[stream.Choose(rng, weights)]
	n := len(drawn.theta)
	z, theta := make([]float64, n), make([]float64, n)
	for k := range z {
		z[k] = rng.NormFloat64()
	}
	copy(theta, z)
	// the covariance (UᵀU)⁻¹
	blas64.Trsv(blas.NoTrans, drawn.root, blas64.Vector{N: n, Inc: 1, Data: theta})
	floats.Add(theta, drawn.theta)

	mean, variance := drawn.noise()
	f.Variance *= variance
	f.Intercept += c.sd * (theta[0] + mean)
	next := 1 + len(parents) // of the smooth functions' weights
	for k, i := range parents {
		b := &s.parent[i]
		slope, constant := theta[1+k], 0.0
		p := &f.Parts[k]
		if drawn.smooth && len(b.Tables) > 0 {
			s.fillPart(p, i, drawn.products)
			for m, table := range b.Tables {
				floats.AddScaled(p.Values[0], c.sd*theta[next], table)
				constant += theta[next] * b.Intercept[m]
				slope += theta[next] * b.Slope[m]
				next++
			}
		}
		p.Slope = slope * c.sd / s.sd[i]
		f.Intercept += c.sd*constant - p.Slope*s.centre[i]
	}
	if !drawn.products {
		return f
	}
	for a := range parents {
		for b := range a {
			q := smooth.Product{A: b, B: a}
			for _, t := range s.pair(j, parents[b], parents[a]) {
				q.Weights = append(q.Weights, c.sd*theta[next])
				f.Intercept -= c.sd * theta[next] * t.mean
				next++
			}
			if len(q.Weights) > 0 {
				f.Products = append(f.Products, q)
			}
		}
	}
	return f
}

// fillPart gives the part of parent i its knots, in the units of the data, and room for the values
// of its function; with products, the values of the functions that these are made of: the straight
// line between the ends of the data is one of them.
func (s *Scorer) fillPart(p *smooth.Part, i int, products bool) {
	b := &s.parent[i]
	knots := slices.Clone(b.Knots)
	p.Values = [][]float64{make([]float64, len(knots))}
	if products {
		p.Values = append(p.Values, slices.Clone(knots))
		curve := slices.Clone(b.Tables[0])
		for g, v := range knots {
			curve[g] += b.Intercept[0] + b.Slope[0]*v
		}
		p.Values = append(p.Values, curve)
	}
	floats.Scale(s.sd[i], knots)
	floats.AddConst(s.centre[i], knots)
	p.Knots = knots
}

// FunctionParameters are those of [Scorer.Function].
func (s *Scorer) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.Function(j, parents, rng).Parameters()
}

// Residuals are (y − mean)/scale of the most probable form of the equation of variable j given
// its parents, in the rows in which j was not set by intervention.
func (s *Scorer) Residuals(j int, parents []int) []float64 {
	best := slices.MaxFunc(s.likely(j, parents), func(a, b *fit) int {
		return cmp.Compare(a.weight, b.weight)
	})
	rest, _ := best.residuals()
	scale := make([]float64, len(rest)) // but for the constant
	for k, t := range best.terms {
		if t.channel == 1 && t.column != nil {
			t.addTo(scale, best.theta[k])
		}
	}
	for i, l := range scale {
		rest[i] /= math.Exp(l)
	}
	return rest
}

// Without is what the other terms of the mean leave of variable j, in the most probable form of its
// equation given its parents, in the rows in which j was not set by intervention: of a parent what
// depends on it, and noise; of j itself the noise.
func (s *Scorer) Without(j int, parents []int, of int) []float64 {
	best := slices.MaxFunc(s.likely(j, parents), func(a, b *fit) int {
		return cmp.Compare(a.weight, b.weight)
	})
	rest := slices.Clone(best.y)
	for k, t := range best.terms {
		if t.channel == 0 && (t.column == nil || t.parent != of && t.other != of) {
			t.addTo(rest, -best.theta[k])
		}
	}
	return rest
}

// Residuals are those of [Scorer.Residuals].
func (l *Linear) Residuals(j int, parents []int) []float64 { return l.scores.Residuals(j, parents) }
