package models

import (
	"math"
	"slices"

	"tobac/autograd"
	"tobac/dag"
)

// Embedding says which ordered pairs of variables can have an edge.
type Embedding int

const (
	// OrderedPairs lets edges lead from earlier to later variables of the causal
	// order only: graphs are strictly upper triangular, and acyclic.
	OrderedPairs Embedding = iota
	// AllPairs lets every ordered pair have an edge, as DiBS does; graphs may
	// have cycles.
	AllPairs
)

// An embedding turns the latent vectors of one particle into a graph. Z has the
// shape (rows, k, 2): u_i = Z[i,:,0], v_j = Z[j,:,1], and scores s_ij = u_i·v_j.
// With an order rows is d−1 and the pair (i, j+1), i ≤ j, has the score s_ij;
// without, rows is d and the pair (i, j), i ≠ j, has it. Pairs are numbered column
// by column, child by child, since that is how likelihoods read them; those whose
// edge the prior has fixed are left out. Where it has fixed all, the first pair stays in
// their place, so that particles and noise keep a shape, but reaches no graph.
type embedding struct {
	d, k    int
	kind    Embedding
	latents Latents
	fixed   []float64 // see fixedEdges
}

func (e embedding) rows() int {
	if e.kind == AllPairs {
		return e.d
	}
	return e.d - 1
}

// latentLen is the number of latent values of one particle.
func (e embedding) latentLen() int {
	if e.latents != Factors {
		return e.pairs()
	}
	return e.rows() * e.k * 2
}

// pairs is the number of pairs that can have an edge.
func (e embedding) pairs() int { return len(e.cells()) }

// cells lists the elements of the d×d graph that can be edges or not.
func (e embedding) cells() []int {
	all := e.allCells()
	return e.free(all, all)
}

// scoreCells lists the elements of the rows×rows matrix of scores that belong
// to them.
func (e embedding) scoreCells() []int {
	if e.kind == AllPairs {
		return e.cells()
	}
	var scores []int
	for j := range e.d - 1 {
		for i := range j + 1 {
			scores = append(scores, i*(e.d-1)+j)
		}
	}
	return e.free(scores, e.allCells())
}

func (e embedding) allCells() []int {
	var cells []int
	for j := range e.d {
		for i := range e.d {
			if i < j || e.kind == AllPairs && i != j {
				cells = append(cells, i*e.d+j)
			}
		}
	}
	return cells
}

// free keeps the entries of list for which the cell is not fixed.
func (e embedding) free(list, cells []int) []int {
	if e.fixed == nil {
		return list
	}
	var kept []int
	for p, cell := range cells {
		if math.IsNaN(e.fixed[cell]) {
			kept = append(kept, list[p])
		}
	}
	if kept == nil {
		return list[:1]
	}
	return kept
}

// decided reports whether all edges are fixed.
func (e embedding) decided() bool {
	return e.fixed != nil && !slices.ContainsFunc(e.allCells(), func(cell int) bool {
		return math.IsNaN(e.fixed[cell])
	})
}

// certain lists the elements of the graph that are edges for sure.
func (e embedding) certain() []int {
	var list []int
	for cell, v := range e.fixed {
		if v == 1 {
			list = append(list, cell)
		}
	}
	return list
}

// scores are the pairs' scores, as a vector.
func (e embedding) scores(z *autograd.Node) *autograd.Node {
	if e.latents != Factors {
		return z
	}
	rows := e.rows()
	half := func(which int) *autograd.Node {
		idx := make([]int, rows*e.k)
		for i := range idx {
			idx[i] = 2*i + which
		}
		return z.Gather(idx, autograd.Shape{rows, e.k})
	}
	return half(0).MatMul(half(1).T()).Gather(e.scoreCells(), autograd.Shape{e.pairs()})
}

// graph places a vector of pairs into a d×d matrix, certain edges beside them.
func (e embedding) graph(pairs *autograd.Node) *autograd.Node {
	g := e.scatter(pairs)
	if certain := e.certain(); len(certain) > 0 {
		ones := make([]float64, e.d*e.d)
		for _, cell := range certain {
			ones[cell] = 1
		}
		g = g.Add(g.Builder().Constant(ones, autograd.Shape{e.d, e.d}))
	}
	return g
}

// scatter places a vector of pairs into a d×d matrix of zeros.
func (e embedding) scatter(pairs *autograd.Node) *autograd.Node {
	if e.decided() {
		pairs = pairs.Scale(0)
	}
	return pairs.ScatterAdd(e.cells(), autograd.Shape{e.d, e.d})
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
	for _, cell := range e.certain() {
		g.Set(cell/e.d, cell%e.d, true)
	}
	if e.decided() {
		return g
	}
	cells := e.cells()
	scores := make([]float64, len(cells))
	e.logits(scores, z, 1)
	for p, cell := range cells {
		if scores[p] > 0 {
			g.Set(cell/e.d, cell%e.d, true)
		}
	}
	return g
}

// logits are α times the scores of the pairs of a particle.
func (e embedding) logits(dst, z []float64, alpha float64) {
	if e.latents != Factors {
		for p, v := range z {
			dst[p] = alpha * v
		}
		return
	}
	rows := e.rows()
	for p, cell := range e.scoreCells() {
		i, j := cell/rows, cell%rows
		s := 0.0
		for l := range e.k {
			s += z[(i*e.k+l)*2] * z[(j*e.k+l)*2+1]
		}
		dst[p] = alpha * s
	}
}

func identity(b *autograd.Builder, d int) *autograd.Node {
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*d+i] = 1
	}
	return b.Constant(eye, autograd.Shape{d, d})
}
