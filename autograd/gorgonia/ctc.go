package gorgonia

import (
	"math"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/internal/ir"
)

// ctcLoss is the loss of connectionist temporal classification (A. Graves et al., ICML 2006):
// minus the log of the probability of a label, summed over all ways to spread it over the steps.
// The label a b is − a − b −, with blanks, which are class 0, in between. At each step an
// alignment stays at its place or goes to the next, or over a blank to another letter than its
// own. Operands are log-probabilities (steps, batch, classes), labels (batch, letters), or one
// after the other, and for each of the batch how many steps and letters there are.
func ctcLoss(m *importer, c *call, x []*ad.Node) *ad.Node {
	logp, labels, steps, letters := x[0], x[1], x[2], x[3]
	if len(logp.Shape()) != 3 || len(labels.Shape()) > 2 {
		return m.fail(c.Shape, "node %v: log-probabilities of shape %v and labels of shape %v, "+
			"want 3 dimensions and at most 2", c.Node.Name(), logp.Shape(), labels.Shape())
	}
	const never = -1e300 // the log of 0, whose sums are finite
	b := m.b
	length, batch, classes := logp.Shape()[0], logp.Shape()[1], logp.Shape()[2]
	from := func(n, step int, shape ad.Shape) *ad.Node {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i * step)
		}
		return b.Constant(values, shape)
	}
	if n := labels.Shape().Len(); len(labels.Shape()) == 1 {
		first := letters.CumSum(0).Sub(letters).Reshape(ad.Shape{batch, 1})
		at := first.Add(from(n, 1, ad.Shape{n}))
		labels = labels.Take(at.Clamp(0, float64(n-1)), 0)
	}
	most := labels.Shape()[1]
	places := 2*most + 1
	odd := ir.Identity(batch * most)
	for i := range odd {
		odd[i] = i/most*places + 2*(i%most) + 1
	}
	at := labels.Clamp(0, float64(classes-1)).ScatterAdd(odd, ad.Shape{batch, places})
	emitted := flat(logp).Take(from(length*batch, classes, ad.Shape{length, batch, 1}).Add(at), 0)

	nothing := b.Scalar(never).Expand(ad.Shape{batch, places})
	before := func(n *ad.Node, k int) *ad.Node { // of the place k places before
		return ad.Concat(1, nothing.Slice(1, 0, k), n.Slice(1, 0, places-k))
	}
	other := at.Equal(before(at, 2))
	alpha := ad.Concat(1, emitted.Index(0, 0).Slice(1, 0, 2), nothing.Slice(1, 2, places))
	steps = steps.Reshape(ad.Shape{batch, 1})
	for t := 1; t < length; t++ {
		jump := other.Where(nothing, before(alpha, 2))
		next := alpha.LogAddExp(before(alpha, 1)).LogAddExp(jump).Add(emitted.Index(0, t))
		alpha = steps.Greater(b.Scalar(float64(t))).Where(next, alpha)
	}

	last := from(batch, places, ad.Shape{batch}).Add(letters.Scale(2))
	some := letters.Positive()
	end := some.Where(flat(alpha).Take(last.Sub(some), 0), b.Scalar(never))
	loss := flat(alpha).Take(last, 0).LogAddExp(end).Neg()
	loss = b.Scalar(-never/2).Greater(loss).Where(loss, b.Scalar(math.Inf(1)))
	if c.field("reduction").Uint() == uint64(G.ReductionSum) {
		return loss.Sum()
	}
	return loss.Div(letters.Maximum(b.Scalar(1))).Mean()
}
