package score

import (
	"fmt"
	"math"
	"slices"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// A Scale says in which units a model with a prior on scale sees the columns.
type Scale int

const (
	// Standardised columns are (x_j − c_j)/sd_j with sd_j the standard deviation,
	// divisor n−1, over the rows in which variable j was not set by intervention (all
	// rows if fewer than two are left), and each variable's score has its prior mean at
	// the mean of the rows that the score uses. A column that is shifted or multiplied
	// changes every score of its variable by the same number and no other score. Log
	// scores are densities of the raw data: they include the Jacobian −n_j ln sd_j.
	Standardised Scale = iota
	// Raw columns are taken as they are, with the prior mean at 0. Gaussian processes have parents
	// as they are, but for one unit.
	Raw
	// OneUnit is of columns less their centres, as above, divided by one number. Of the scores here
	// only Gaussian processes have it.
	OneUnit
)

// BGeOptions are the hyperparameters of the Normal–Wishart prior. The zero value is
// the published setting on standardised columns.
type BGeOptions struct {
	AlphaMu     float64 // strength α_μ of the prior mean; defaults to 1
	AlphaLambda float64 // degrees of freedom α_λ > d+1; defaults to d+2
	Scale       Scale   // defaults to Standardised
}

// bge is the score of [NewBGe].
type bge struct {
	closed
	opt    BGeOptions
	t      float64
	mean   [][]float64 // by group, the posterior mean of μ, standardised
	centre []float64   // of a column's standardisation
	sd     []float64
}

// NewBGe is the Bayesian Gaussian equivalent score: the marginal likelihood of a linear Gaussian
// network in which every variable has its own noise variance, under a Normal–Wishart prior. It is
// the same for Markov equivalent graphs. For variable j and the N rows in which it was not set by
// intervention, with mean x̄ and scatter S, N' = N + α_λ − d and p parents A,
//
//	R        = t·I + S + (N α_μ/(N+α_μ)) (x̄−ν)(x̄−ν)ᵀ,   t = α_μ(α_λ−d−1)/(α_μ+1)
//	score(A) = ½ ln(α_μ/(N+α_μ)) + lnΓ(½(N'+p+1)) − lnΓ(½(α_λ−d+p+1)) − ½ N ln π
//	         + ½(α_λ−d+2p+1) ln t − ½ ln|R_AA| − ½(N'+p+1) ln s,   s = R_jj − R_jA R_AA⁻¹ R_Aj,
//
// where the prior mean ν is 0 on raw columns and x̄ on standardised ones. A variable
// without rows scores 0. The score is safe for concurrent use.
//
// The data x are n×d. intervened is nil, or n×d with 1 where
// the entry was set by intervention: such a row drops out of that variable's score,
// while it still counts for the variable's children. A column that cannot be
// standardised is an error that names it.
func NewBGe(x, intervened mat.Matrix, opt BGeOptions) (BGe, error) {
	data, err := scoring.NewTable("BGe", x, intervened)
	if err != nil {
		return nil, err
	}
	d := data.D
	t, err := scoring.NormalWishart(d, &opt.AlphaMu, &opt.AlphaLambda)
	if err != nil {
		return nil, fmt.Errorf("score: BGe: %w", err)
	}
	b := &bge{closed: closed{d: d, of: data.Of, logScales: make([]float64, d)}, opt: opt, t: t}
	switch opt.Scale {
	case Standardised:
		if b.centre, b.sd, err = data.Standardise(); err != nil {
			return nil, err
		}
		for j, sd := range b.sd {
			b.logScales[j] = math.Log(sd)
		}
	case Raw:
		b.centre, b.sd = make([]float64, d), make([]float64, d)
		for j := range d {
			b.sd[j] = 1
		}
	default:
		panic(fmt.Sprintf("score: BGe: unknown scale %d", opt.Scale))
	}
	for g := range data.Groups {
		b.add(data.Gram(g), len(data.Groups[g].Children))
	}
	return b, nil
}

// WithAlphaLambda implements [BGe].
func (b *bge) WithAlphaLambda(alphaLambda float64) BGe {
	if !(alphaLambda > float64(b.d+1)) || math.IsInf(alphaLambda, 0) {
		panic(fmt.Sprintf("score: BGe: alpha lambda %v on %d variables, want a finite number "+
			"above %d", alphaLambda, b.d, b.d+1))
	}
	q := *b
	q.opt.AlphaLambda = alphaLambda
	q.t = q.opt.AlphaMu * (alphaLambda - float64(q.d) - 1) / (q.opt.AlphaMu + 1)
	q.group, q.mean = nil, nil
	for _, g := range b.group {
		q.add(g.Gram, g.children)
	}
	return &q
}

// add adds a group, of which it computes R, the posterior mean and the constants by number of
// parents.
func (b *bge) add(m scoring.Gram, children int) {
	n, mu, d := float64(m.N), b.opt.AlphaMu, b.d
	mean, r := slices.Clone(m.Mean), slices.Clone(m.Scatter)
	for a := range d {
		if b.opt.Scale == Raw {
			for c := range d {
				r[a*d+c] += n * mu / (n + mu) * m.Mean[a] * m.Mean[c]
			}
		}
		r[a*d+a] += b.t
	}
	if b.opt.Scale == Raw {
		for a := range d {
			mean[a] *= n / (n + mu)
		}
	}
	free := b.opt.AlphaLambda - float64(d) // α_λ − d
	g := gaussian{constant: make([]float64, d), factor: make([]float64, d), logarithm: true,
		floor: b.t, least: b.t}
	for k := range d {
		p := float64(k)
		after, _ := math.Lgamma((n + free + p + 1) / 2)
		before, _ := math.Lgamma((free + p + 1) / 2)
		g.constant[k] = 0.5*math.Log(mu/(n+mu)) + after - before - n/2*math.Log(math.Pi) +
			(free+2*p+1)/2*math.Log(b.t)
		g.factor[k] = (n + free + p + 1) / 2
	}
	b.group = append(b.group, rowGroup{Gram: m, matrix: r, gaussian: g, children: children,
		shared: new(determinants)})
	b.mean = append(b.mean, mean)
}

// Equation implements [Weighted]: given the noise variance v, the weights are
// N(R_AA⁻¹ R_Aj, v·R_AA⁻¹), and v is inverse gamma with the shape ½(N'+p+1) and the
// rate ½s, so that the weights have a multivariate t distribution.
func (b *bge) Equation(j int, parents []int) Equation {
	scoring.CheckParents(b.d, j, parents)
	g := &b.group[b.of[j]]
	p := len(parents)
	freedom := 2 * g.gaussian.factor[p]
	e, s := regress(g.matrix, b.d, j, parents, 0)
	e.Freedom, e.Strength = freedom, float64(g.N)+b.opt.AlphaMu
	e.NoiseVariance = max(s, b.t) / (freedom - 2)
	e.scale(e.NoiseVariance, b.sd, j, parents)
	e.NoiseVariance *= b.sd[j] * b.sd[j]
	mean := b.mean[b.of[j]]
	e.Intercept = b.centre[j] + b.sd[j]*mean[j]
	for k, i := range parents {
		e.Intercept -= e.Mean[k] * (b.centre[i] + b.sd[i]*mean[i])
	}
	return e
}
