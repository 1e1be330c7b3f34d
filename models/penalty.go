package models

import (
	"tobac/autograd"
	"tobac/schedule"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Penalty is the term −β_t E[h(G)] of log p(Z) that keeps DiBS from cycles, with
// h(G) = tr[(I + G/d)^d] − d over soft graphs and β_t = Rate·t.
type Penalty struct {
	Rate    float64           // defaults to 1
	Beta    schedule.Schedule // of β_t, in place of Rate; nil means schedule.Growth with it
	Samples int               // soft graphs per particle and step; defaults to 32
}

// penalty evaluates the gradient of the term. Its samples are a separate axis, so it is a separate
// program.
type penalty struct {
	t      *TOBAC
	scorer *scorer
	beta   [1]float64
	grad   *mat.Dense
}

func (t *TOBAC) newPenalty(opt autograd.Options) (*penalty, error) {
	z, inputs, objective := t.penaltyExpression()
	s, err := newScorer(inputs, z.Builder().Grad(objective, z), opt)
	if err != nil {
		return nil, err
	}
	p := &penalty{t: t, scorer: s, grad: mat.NewDense(t.cfg.Particles, t.emb.latentLen(), nil)}
	copy(s.src[1:], []autograd.Feed{{Data: t.alpha[:]}, {Data: p.beta[:]}, t.draws(penaltyGraphs)})
	return p, nil
}

// penaltyExpression is −β mean_s h(G_s) of one particle.
func (t *TOBAC) penaltyExpression() (z *autograd.Node, inputs []*autograd.Node,
	objective *autograd.Node) {
	b := autograd.NewBuilder("penalty")
	particle := b.Axis("particle", t.cfg.Particles)
	sample := b.Axis("penalty sample", t.cfg.Penalty.Samples)
	z = b.Input("Z", autograd.Shape{t.emb.latentLen()}, particle)
	alpha := b.Input("alpha", autograd.Shape{})
	beta := b.Input("beta", autograd.Shape{})
	u := t.uniform(b, "uniform penalty", autograd.Shape{t.emb.pairs()}, particle, sample)
	g := t.emb.graph(softSample(t.emb.scores(z).Mul(alpha), u, t.cfg.Tau))
	return z, []*autograd.Node{z, alpha, beta, u}, acyclicity(g).MeanOver(sample).Mul(beta).Neg()
}

// acyclicity is h(G) = tr[(I + G/d)^d] − d, zero exactly for acyclic graphs. Its
// gradient is ((I + G/d)^(d−1))ᵀ, which is on the way to its value: it enters as
// the slope of a linear function, so that no pass backwards through the powers is
// needed. A second derivative would be lost.
func acyclicity(g *autograd.Node) *autograd.Node {
	d := g.Shape()[0]
	a := identity(g.Builder(), d).Add(g.Scale(1 / float64(d)))
	slope := power(a, d-1).StopGradient().T()
	value := a.StopGradient().Dot(slope).AddScalar(-float64(d))
	linear := g.Dot(slope)
	return value.Add(linear.Sub(linear.StopGradient()))
}

// power is aⁿ for n ≥ 1, by repeated squaring.
func power(a *autograd.Node, n int) *autograd.Node {
	var out *autograd.Node
	for ; n > 0; n >>= 1 {
		switch {
		case n&1 == 1 && out == nil:
			out = a
		case n&1 == 1:
			out = out.MatMul(a)
		}
		if n > 1 {
			a = a.MatMul(a)
		}
	}
	return out
}

// at sets what depends on the step.
func (p *penalty) at(step int) { p.beta[0] = p.t.cfg.Penalty.Beta.At(step) }

// add adds the gradient at the given step to dst.
func (p *penalty) add(dst, z *mat.Dense, step int) error {
	if err := p.scorer.bind(0, z); err != nil {
		return err
	}
	p.at(step)
	if err := p.scorer.eval([]*mat.Dense{p.grad}); err != nil {
		return err
	}
	floats.Add(dst.RawMatrix().Data, p.grad.RawMatrix().Data)
	return nil
}
