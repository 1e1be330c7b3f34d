package models

import (
	"tobac/autograd"
	"tobac/dag"
)

// An embedding turns the latent vectors of one particle into a graph, in order
// coordinates. Z has the shape (d−1, k, 2): u_i = Z[i,:,0], v_j = Z[j,:,1], and
// the score of the pair (i, j+1) is s_ij = u_i·v_j for i ≤ j. In row-major
// order these are the d(d−1)/2 entries above the diagonal of the d×d graph.
type embedding struct{ d, k int }

// latentLen is the number of latent values of one particle.
func (e embedding) latentLen() int { return (e.d - 1) * e.k * 2 }

func (e embedding) pairs() int { return e.d * (e.d - 1) / 2 }

// scores are the pairs' scores, as a vector of d(d−1)/2.
func (e embedding) scores(z *autograd.Node) *autograd.Node {
	rows := e.d - 1
	half := func(which int) *autograd.Node {
		idx := make([]int, rows*e.k)
		for i := range idx {
			idx[i] = 2*i + which
		}
		return z.Gather(idx, autograd.Shape{rows, e.k})
	}
	return half(0).MatMul(half(1).T()).Gather(autograd.UpperTriangle(rows), autograd.Shape{e.pairs()})
}

// graph places a vector of pairs above the diagonal of a d×d matrix.
func (e embedding) graph(pairs *autograd.Node) *autograd.Node {
	return pairs.ScatterAdd(autograd.StrictUpper(e.d), autograd.Shape{e.d, e.d})
}

// softSample is σ(τ(ε + logit)) with the logistic noise ε = ln(u/(1−u)) of a
// uniform u: the Gumbel-softmax relaxation of a Bernoulli draw.
func softSample(logit, u *autograd.Node, tau float64) *autograd.Node {
	if tau == 1 {
		return logit.SigmoidShift(u)
	}
	noise := u.Log().Sub(u.Neg().Log1p())
	return noise.Add(logit).Scale(tau).Sigmoid()
}

// hardSample is the Bernoulli draw 1[u < σ(logit)].
func hardSample(logit, u *autograd.Node) *autograd.Node { return logit.Sigmoid().Greater(u) }

// limit is the graph at infinite α: an edge wherever the score is positive.
func (e embedding) limit(z []float64) *dag.Graph {
	g := dag.New(e.d)
	for i := range e.d - 1 {
		for j := i; j < e.d-1; j++ {
			s := 0.0
			for l := range e.k {
				s += z[(i*e.k+l)*2] * z[(j*e.k+l)*2+1]
			}
			if s > 0 {
				g.Set(i, j+1, true)
			}
		}
	}
	return g
}
