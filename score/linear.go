package score

import (
	"fmt"
	"math"
	"slices"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// LinearOptions are the fixed quantities of the linear model with equal noise
// variances.
type LinearOptions struct {
	// variance σ² of every equation's noise; required, see [EstimateNoiseVariance]
	NoiseVariance float64
	EdgeVariance  float64 // prior variance σ_e² of a weight; defaults to 1
	NoIntercept   bool    // through the origin, else intercepts are integrated out
}

// linear is the score of [NewLinear].
type linear struct {
	closed
	opt LinearOptions
}

// NewLinear is the marginal likelihood of linear structural equations whose noise has
// one variance σ² for all variables, which tells the directions of edges,
//
//	x_j = b_j + Σ_i θ_i (x_i − x̄_i) + ε,   ε ~ N(0, σ²),   θ_i ~ N(0, σ_e²),   b_j ~ N(x̄_j, σ²/α_μ),   α_μ = 1,
//
// with weights and intercept integrated out. With n the number of rows in which
// variable j was not set by intervention, C their scatter about their mean x̄,
// λ = σ²/σ_e² and p parents A,
//
//	score(A) = ½ ln(α_μ/(n+α_μ)) − ½ n ln(2πσ²) + ½ p ln λ − ½ ln|λI + C_AA| − s/(2σ²),
//	s        = C_jj − C_jA (λI + C_AA)⁻¹ C_Aj.
//
// The intercept's prior is that of [NewBGe], so that the evidences of both compare. Without
// intercept C = Σ x xᵀ and the first term is left out. Columns are in raw units: the noise
// variances are equal in no other. A shift of a column changes nothing. A variable without rows
// scores 0. It is safe for concurrent use, for data x, n×d, with intervened as for [NewBGe].
func NewLinear(x, intervened mat.Matrix, opt LinearOptions) (Linear, error) {
	l, err := newLinear(x, intervened, opt)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func newLinear(x, intervened mat.Matrix, opt LinearOptions) (*linear, error) {
	data, err := scoring.NewTable("linear model", x, intervened)
	if err != nil {
		return nil, err
	}
	if opt.EdgeVariance == 0 {
		opt.EdgeVariance = 1
	}
	if !(opt.EdgeVariance > 0) || math.IsInf(opt.EdgeVariance, 0) {
		return nil, fmt.Errorf("score: linear model: edge variance %v, want a finite positive "+
			"number", opt.EdgeVariance)
	}
	l := &linear{closed{d: data.D, of: data.Of}, opt}
	for g := range data.Groups {
		m := data.Gram(g)
		if opt.NoIntercept {
			for a := range l.d {
				for c := range l.d {
					m.Scatter[a*l.d+c] += float64(m.N) * m.Mean[a] * m.Mean[c]
				}
			}
		}
		l.group = append(l.group, rowGroup{Gram: m, children: len(data.Groups[g].Children)})
	}
	return l.withNoise(opt.NoiseVariance)
}

// WithNoiseVariance implements [Linear].
func (l *linear) WithNoiseVariance(variance float64) (Linear, error) {
	q, err := l.withNoise(variance)
	if err != nil {
		return nil, err
	}
	return q, nil
}

func (l *linear) withNoise(variance float64) (*linear, error) {
	if !(variance > 0) || math.IsInf(variance, 0) {
		return nil, fmt.Errorf(
			"score: linear model: noise variance %v, want a finite positive number", variance)
	}
	q := &linear{closed{d: l.d, of: l.of, group: slices.Clone(l.group)}, l.opt}
	q.opt.NoiseVariance = variance
	for i := range q.group {
		g := &q.group[i]
		g.matrix, g.ridge, g.gaussian, g.shared = g.Scatter, q.ridge(), q.gaussian(g.N),
			new(determinants)
	}
	return q, nil
}

// WithEdgeVariance implements [Linear].
func (l *linear) WithEdgeVariance(variance float64) Linear {
	if !(variance > 0) || math.IsInf(variance, 0) {
		panic(fmt.Sprintf("score: linear model: edge variance %v, want a finite positive number",
			variance))
	}
	q := *l
	q.opt.EdgeVariance = variance
	same, err := q.withNoise(l.opt.NoiseVariance)
	if err != nil {
		panic(err.Error()) // it was checked when l was made
	}
	return same
}

// gaussian has the constants of variables with n rows.
func (l *linear) gaussian(n int) gaussian {
	lambda := l.ridge()
	g := gaussian{constant: make([]float64, l.d), factor: make([]float64, l.d), floor: lambda}
	for p := range l.d {
		g.constant[p] = -0.5*float64(n)*math.Log(2*math.Pi*l.opt.NoiseVariance) +
			0.5*float64(p)*math.Log(lambda)
		if !l.opt.NoIntercept {
			g.constant[p] += 0.5 * math.Log(scoring.AlphaMu/(float64(n)+scoring.AlphaMu))
		}
		g.factor[p] = 1 / (2 * l.opt.NoiseVariance)
	}
	return g
}

// ridge is λ.
func (l *linear) ridge() float64 { return l.opt.NoiseVariance / l.opt.EdgeVariance }

// Equation implements [Weighted]: the weights are N((λI+C_AA)⁻¹ C_Aj, σ² (λI+C_AA)⁻¹).
func (l *linear) Equation(j int, parents []int) Equation {
	scoring.CheckParents(l.d, j, parents)
	g := &l.group[l.of[j]]
	e, _ := regress(g.Scatter, l.d, j, parents, l.ridge())
	for k := range parents {
		for h := range k + 1 {
			e.Cov.SetSym(k, h, l.opt.NoiseVariance*e.Cov.At(k, h))
		}
	}
	e.NoiseVariance, e.Freedom = l.opt.NoiseVariance, math.Inf(1)
	if !l.opt.NoIntercept {
		e.Strength = float64(g.N) + scoring.AlphaMu
		e.Intercept = g.Mean[j]
		for k, i := range parents {
			e.Intercept -= e.Mean[k] * g.Mean[i]
		}
	}
	return e
}

// A NoiseGrid integrates over the noise variance that all variables have in common,
//
//	p(D) = ∫ p(D | σ²) p(ln σ²) d ln σ² ≈ Σ_k e^LogWeights[k] p(D | Variances[k]),
//
// with one computation of an engine for each point. See [Linear].
type NoiseGrid struct {
	Variances  []float64
	LogWeights []float64
}

// noisePrior is the prior of the common noise variance: [scoring.RelativeNoise] in units
// of the geometric mean of the columns' variances.
func (l *linear) noisePrior() scoring.NoisePrior {
	p, varying := scoring.RelativeNoise, 0
	sum := 0.0
	for j := range l.d {
		g := &l.group[l.of[j]]
		if v := g.Scatter[j*l.d+j] / float64(max(g.N-1, 1)); v > 0 {
			sum += math.Log(v)
			varying++
		}
	}
	p.Mean += sum / float64(max(varying, 1))
	return p
}

// NoiseGrid implements [Linear].
func (l *linear) NoiseGrid(points int) NoiseGrid {
	rows := 0
	for j := range l.d {
		rows += l.group[l.of[j]].N
	}
	v, w := l.noisePrior().Grid(l.opt.NoiseVariance, rows, points)
	return NoiseGrid{Variances: v, LogWeights: w}
}
