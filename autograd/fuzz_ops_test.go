package autograd_test

import (
	"slices"

	ad "tobac/autograd"
)

// Further kinds of operations of random programs.

// special applies functions of one operand, some within their domain.
func (p *program) special() {
	c := p.pick()
	x, m := c.n, c.bound
	small := x.Tanh()
	inside := x.Sigmoid().Clamp(0.01, 0.99)
	switch p.next(15) {
	case 0:
		p.push(x.Erf(), 1, false)
	case 1:
		p.push(x.Erfc(), 2, false)
	case 2:
		p.push(small.Scale(0.9).ErfInv(), 2, false)
	case 3:
		p.push(x.LogNdtr(), m*m+5, false)
	case 4:
		p.push(x.InverseMills(), m+1, false)
	case 5:
		p.push(inside.NdtrInv(), 3, false)
	case 6:
		p.push(x.Gelu(), m, false)
	case 7:
		p.push(x.LogBesselI0(), m, false)
	case 8:
		p.push(x.BesselRatio(), 1, false)
	case 9:
		p.push(small.Tan(), 2, false)
	case 10:
		p.push(small.Sinh(), 2, false)
	case 11:
		p.push(small.Cosh(), 2, false)
	case 12:
		p.push(inside.Logit(), 5, false)
	case 13:
		p.push(x.Ndtr(), 1, false)
	case 14:
		e := p.pickExact()
		p.push(e.n.Floor(), e.bound+1, true)
	}
}

// pair applies smooth functions of two operands.
func (p *program) pair() {
	x := p.pick()
	y := p.fit(p.pick(), x.n.Shape())
	positive := x.n.Square().AddScalar(0.5)
	switch p.next(4) {
	case 0:
		p.push(x.n.LogAddExp(y.n), max(x.bound, y.bound)+1, false)
	case 1:
		p.push(positive.Power(y.n.Tanh()), x.bound*x.bound+2, false)
	case 2:
		p.push(positive.Atan2(y.n), 4, false)
	case 3:
		p.push(positive.LogBeta(y.n.Square().AddScalar(0.5)), x.bound*x.bound+y.bound*y.bound+4, false)
	}
}

// compare applies functions with jumps to terms with the same bits in every engine.
func (p *program) compare() {
	x := p.pickExact()
	y := p.fit(p.pickExact(), x.n.Shape())
	build := []func(n, m *ad.Node) *ad.Node{(*ad.Node).Equal, (*ad.Node).AtLeast, (*ad.Node).And, (*ad.Node).Or}[p.next(4)]
	p.push(build(x.n, y.n), 1, true)
}

// extreme reduces terms with the same bits in every engine, among which elements may
// tie, to the largest or the smallest.
func (p *program) extreme() {
	c := p.pickExact()
	var axes []int
	for i := range c.n.Shape() {
		if p.next(2) == 0 {
			axes = append(axes, i)
		}
	}
	switch p.next(4) {
	case 0:
		p.push(c.n.Max(axes...), c.bound, true)
	case 1:
		p.push(c.n.Min(axes...), c.bound, true)
	default:
		if len(p.axes) == 0 {
			return
		}
		if a := p.axes[p.next(len(p.axes))]; slices.Contains(c.n.Axes(), a) {
			p.push(c.n.MaxOver(a), c.bound, true)
		}
	}
}

// cumulative applies functions that are made of several ops.
func (p *program) cumulative() {
	c := p.pick()
	shape := c.n.Shape()
	n := float64(shape.Len())
	if len(p.axes) > 0 && p.next(2) == 0 {
		if a := p.axes[p.next(len(p.axes))]; slices.Contains(c.n.Axes(), a) {
			p.push(c.n.SoftmaxOver(a), 1, false)
		}
		return
	}
	if len(shape) == 0 {
		return
	}
	axis := p.next(len(shape))
	switch p.next(4) {
	case 0:
		p.push(c.n.CumSum(axis), c.bound*n, false)
	case 1:
		p.push(c.n.LogCumSumExp(axis), c.bound+5, false)
	case 2:
		p.push(c.n.Tanh().Prod(axis), 1, false)
	case 3:
		p.push(c.n.Variance(axis), c.bound*c.bound, false)
	}
}
