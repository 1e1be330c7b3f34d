package models

import (
	"math"

	"tobac/dag"

	"gonum.org/v1/gonum/mat"
)

// regression is the posterior of the weights of some parents of a variable,
// N(A⁻¹b, A⁻¹) with A = C_pp/σ² + I/σ_e² and b = c_pj/σ² + μ_e/σ_e².
type regression struct {
	chol mat.Cholesky
	b    *mat.VecDense
	mean *mat.VecDense
}

// regress is the regression of variable j on the given parents, of which there
// is at least one. With finite data it always exists, since A is at least
// I/σ_e².
func (l *Linear) regress(g *gramGroup, j int, parents []int) (r regression, ok bool) {
	p := len(parents)
	a := mat.NewSymDense(p, nil)
	r.b, r.mean = mat.NewVecDense(p, nil), mat.NewVecDense(p, nil)
	for s, i := range parents {
		for t := s; t < p; t++ {
			a.SetSym(s, t, g.gram.At(i, parents[t])/l.opt.NoiseVariance)
		}
		a.SetSym(s, s, a.At(s, s)+1/l.opt.EdgeVariance)
		r.b.SetVec(s, g.gram.At(i, j)/l.opt.NoiseVariance+l.opt.EdgeMean/l.opt.EdgeVariance)
	}
	if !r.chol.Factorize(a) {
		return r, false
	}
	return r, r.chol.SolveVecTo(r.mean, r.b) == nil
}

// NodeScore is the evidence of a hard parent set, the weights integrated out:
//
//	log p(x_j | pa) = −n_j/2 ln(2πσ²) − ½ C_jj/σ² − ½ |pa| (ln σ_e² + μ_e²/σ_e²)
//	                  − ½ ln|A| + ½ bᵀA⁻¹b
//
// with A and b as for [RegressionStart]. It is 0 for a variable without rows.
func (l *Linear) NodeScore(j int, parents []int) float64 {
	s, _ := l.nodeScore(l.groupOf(j), j, parents)
	return s
}

func (l *Linear) nodeScore(g *gramGroup, j int, parents []int) (float64, regression) {
	if g.rows == 0 {
		return 0, regression{}
	}
	v, e := l.opt.NoiseVariance, l.opt.EdgeVariance
	score := -0.5*float64(g.rows)*math.Log(2*math.Pi*v) - 0.5*g.gram.At(j, j)/v
	if len(parents) == 0 {
		return score, regression{}
	}
	r, ok := l.regress(g, j, parents)
	if !ok {
		return math.Inf(-1), r
	}
	score -= 0.5 * float64(len(parents)) * (math.Log(e) + l.opt.EdgeMean*l.opt.EdgeMean/e)
	return score - 0.5*r.chol.LogDet() + 0.5*mat.Dot(r.b, r.mean), r
}

func (l *Linear) groupOf(j int) *gramGroup {
	for k := range l.groups {
		for _, c := range l.groups[k].columns {
			if c == j {
				return &l.groups[k]
			}
		}
	}
	panic("models: variable out of range")
}

// An EdgeConditional describes the edge i → j given everything else about a
// graph.
type EdgeConditional struct {
	Probability float64 // of the edge, given the other parents of j
	Mean, SD    float64 // of its weight, given that it is there
}

// Conditionals returns, for every pair i < j in order coordinates (entry
// i·d+j of the result), the probability of the edge given the rest of graph g
// and the data, with the weights integrated out:
//
//	logit P = log p(x_j | pa ∪ i) − log p(x_j | pa \ i) + logOdds,
//
// where logOdds is the prior's log-odds of an edge, and the conditional mean
// and standard deviation of its weight. Averaged over particles these are
// Rao-Blackwell estimates of what shares and particle weights estimate.
func (l *Linear) Conditionals(g *dag.Graph, logOdds float64) []EdgeConditional {
	d := l.d
	out := make([]EdgeConditional, d*d)
	for j := range d {
		group := l.groupOf(j)
		parents := g.Parents(j)
		for i := range j {
			without := make([]int, 0, len(parents)+1)
			for _, p := range parents {
				if p != i {
					without = append(without, p)
				}
			}
			with := append(without[:len(without):len(without)], i)
			s0, _ := l.nodeScore(group, j, without)
			s1, r := l.nodeScore(group, j, with)
			c := EdgeConditional{Probability: 1 / (1 + math.Exp(s0-s1-logOdds)), Mean: l.opt.EdgeMean, SD: math.Sqrt(l.opt.EdgeVariance)}
			if r.mean != nil {
				last := len(with) - 1
				c.Mean, c.SD = r.mean.AtVec(last), math.Sqrt(variance(&r.chol, last))
			}
			out[i*d+j] = c
		}
	}
	return out
}

// variance is entry (k,k) of A⁻¹.
func variance(chol *mat.Cholesky, k int) float64 {
	n := chol.SymmetricDim()
	e, x := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	e.SetVec(k, 1)
	if chol.SolveVecTo(x, e) != nil {
		return math.NaN()
	}
	return x.AtVec(k)
}
