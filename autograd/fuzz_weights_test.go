package autograd_test

import (
	"fmt"
	"slices"

	ad "tobac/autograd"
)

// What random programs make of softmax weights, stiff factors and conditions.

// rare adds an input that is usual in all samples but a few.
func (p *program) rare(usual, unusual float64, over []*ad.Axis) *ad.Node {
	x := p.input(fmt.Sprintf("rare%d", len(p.inputs)), ad.Shape{}, over...)
	values := p.src[len(p.src)-1].Data
	for i := range values {
		values[i] = usual * (1 + 0.1*values[i])
		if p.rng.IntN(8) == 0 {
			values[i] = unusual * (1 + 0.1*values[i])
		}
	}
	return x
}

// sample chooses an axis of samples, or that of the particles if there is none.
func (p *program) sample() *ad.Axis {
	if len(p.samples) == 0 {
		return p.particle
	}
	return p.samples[p.next(len(p.samples))]
}

// carrying is a scalar term that carries the axis.
func (p *program) carrying(a *ad.Axis) *ad.Node { return p.scalarOver(p.pick().n, a) }

// direct is a scalar function of an input that carries the axis: little on the way from
// it to a stiff factor cancels.
func (p *program) direct(a *ad.Axis) *ad.Node {
	x := p.inputs[p.next(len(p.inputs))]
	if p.next(2) == 0 {
		x = x.Tanh()
	}
	return p.scalarOver(x, a)
}

// scalarOver is the mean of the elements of x, repeated or changed to carry the axis.
func (p *program) scalarOver(x *ad.Node, a *ad.Axis) *ad.Node {
	if len(x.Shape()) > 0 {
		x = x.Mean()
	}
	if !slices.Contains(x.Axes(), a) {
		y := p.inputs[0]
		if len(y.Shape()) > 0 {
			y = y.Sum()
		}
		x = x.Add(y)
	}
	if !slices.Contains(x.Axes(), a) {
		x = x.ExpandOver(a)
	}
	return p.use(term{n: x}).n
}

// weights adds softmax weights: by their definition, or as the derivative of a
// log-sum-exp or log-mean-exp, near each other or far apart.
func (p *program) weights() {
	a := p.sample()
	x := p.carrying(a).Scale([]float64{1, 20, -20, 0.1, 400}[p.next(5)])
	switch p.next(4) {
	case 0:
		p.push(x.Sub(p.nudged(x.LogSumExpOver(a))).Exp(), 1, false)
	case 1:
		p.push(p.b.Grad(x.LogSumExpOver(a), x)[0], 1, false)
	case 2:
		p.push(p.b.Grad(x.LogMeanExpOver(a).Scale(0.5), x)[0], 1, false)
	case 3:
		c := p.pick()
		if slices.Contains(c.n.Axes(), a) && len(c.n.Shape()) > 0 {
			p.push(p.b.Grad(c.n.LogMeanExpOver(a).Sum(), c.n)[0], 1, false)
		}
	}
}

// expectation adds up weights times terms that are large where weights are small.
func (p *program) expectation() {
	a := p.sample()
	lw := p.direct(a).Scale([]float64{1, 30}[p.next(2)]).Add(p.rare(1, -40, p.axes))
	if !slices.Contains(lw.Axes(), a) {
		return
	}
	w := p.nudged(lw.Sub(p.nudged(lw.LogSumExpOver(a))).Exp())
	var y *ad.Node
	switch p.next(4) {
	case 0:
		y = w.Mul(lw.Neg().Exp()).SumOver(a)
	case 1:
		y = w.Mul(p.rare(1, 1e20, p.axes)).SumOver(a)
	case 2:
		y = w.Mul(p.rare(1, 1e-20, p.axes)).SumOver(a).Scale(1e20)
	case 3:
		y = w.Mul(p.direct(a)).Mul(p.rare(-1, 1e20, p.axes)).SumOver(a)
	}
	p.late = append(p.late, p.nudged(y))
}

// stiffMean is a log-mean-exp whose slope is steep in a few samples of small weight. Its
// value does not depend on the term whose derivative is multiplied.
func (p *program) stiffMean() {
	a := p.sample()
	u := p.direct(a)
	flat := u.Sub(u.StopGradient())
	k := p.rare(1, []float64{1e20, -1e20, 1e-20, 1e8}[p.next(4)], p.axes)
	c := p.rare(1, []float64{-37, -60, -700, 5}[p.next(4)], p.axes)
	p.late = append(p.late, p.logMeanExpOver(k.Mul(flat).Add(c), a))
}

// there and back: factors of 1e±20 that cancel.
func (p *program) there() {
	c := p.pick()
	x := c.n
	switch p.next(5) {
	case 0:
		x = x.Scale(1e20).Scale(1e-20)
	case 1:
		x = x.Scale(-1e-20).Add(x.Scale(3e-20)).Scale(1e20)
	case 2:
		x = x.Mul(p.rare(1e20, 1e-20, p.axes[:1])).Mul(p.rare(1e-20, 1e-20, p.axes[:1]))
	case 3:
		x = x.Div(p.rare(1e20, 1e20, p.axes)).Neg().Scale(1e20)
	case 4:
		x = x.Scale(1e20).Square().Sqrt().Scale(1e-20).AddScalar(1)
	}
	p.push(x, c.bound, false)
}

// solved solves with the factor of a small positive definite matrix, differently in
// every lane.
func (p *program) solved() {
	d := 1 + p.next(2)
	c, r := p.pick(), p.pick()
	a := c.n.Gather(p.indices(d*d, c.n.Shape().Len()), ad.Shape{d, d}).Sin()
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*(d+1)] = 0.5
	}
	l := a.MatMul(a.T()).Add(p.b.Constant(eye, ad.Shape{d, d})).Cholesky()
	y := l.SolveLower(p.asMatrix(r, d))
	p.push(l.SolveLowerT(y).Sum(1), 8*r.bound, false)
	p.push(y.Square().Sum().Scale(-0.5).Sub(l.Diagonal().Log().Sum()), r.bound*r.bound, false)
}

// selected chooses by data: where an input is positive, or larger than another one.
func (p *program) selected() {
	x, y := p.pickExact(), p.pick()
	condition := x.n.Positive()
	if p.next(2) == 0 {
		// The sum of the same numbers in another sequence is no smaller and no larger but for
		// rounding.
		condition = p.pickExact().n.Sum().Greater(x.n.Sum().AddScalar(0.3))
	}
	shape := y.n.Shape()
	if len(condition.Shape()) > 0 && !fits(condition.Shape(), shape) {
		condition = condition.Sum().Greater(p.b.Scalar(1.5))
	}
	one := p.b.Scalar(1)
	guarded := condition.Where(y.n.Square().AddScalar(0.5), one)
	switch p.next(3) {
	case 0:
		p.push(condition.Where(guarded.Log(), y.n), y.bound+1, false)
	case 1:
		p.push(condition.Where(y.n.Neg(), one), y.bound, false)
	case 2:
		p.push(condition.Where(one, guarded.Inverse()), 2, false)
	}
}

// entropy is −Σ w ln w of weights of any size, of elements or of samples.
func (p *program) entropy() {
	c := p.pick()
	spread := []float64{1, 30, 1000}[p.next(3)]
	if len(c.n.Shape()) > 0 && p.next(2) == 0 {
		x := c.n.Scale(spread)
		lw := x.Sub(p.nudged(x.LogSumExp()))
		p.late = append(p.late, lw.Exp().Mul(lw).Sum().Neg())
		return
	}
	a := p.sample()
	x := p.carrying(a).Scale(spread)
	w := x.Sub(p.nudged(x.LogSumExpOver(a))).Exp()
	p.late = append(p.late, w.Mul(w.Log()).SumOver(a).Neg())
}

// cross reduces a term over a mapped axis, elements that are zero in every index among its
// own, and makes something of the result that the next reduction may be of.
func (p *program) cross() {
	c := p.use(p.pool[len(p.pool)-1])
	if p.next(3) == 0 {
		c = p.pick()
	}
	x := p.padded(c.n)
	axes := x.Axes()
	if len(axes) == 0 {
		p.push(x.ExpandOver(p.sample()), c.bound, false)
		return
	}
	a := axes[p.next(len(axes))]
	if p.next(4) > 0 && slices.Contains(axes, p.samples[0]) { // stages of one part
		a = p.samples[0]
	}
	x = x.Scale([]float64{1, -3, 20}[p.next(3)])
	var y *ad.Node
	switch p.next(9) {
	case 0:
		y = x.SumOver(a)
	case 1:
		y = x.MeanOver(a)
	case 2:
		y = x.LogSumExpOver(a)
	case 3:
		y = p.logMeanExpOver(x, a)
	case 4, 5:
		y = x.SoftmaxOver(a)
	case 6: // whose gradient is another one where rounding decides
		y = x.StopGradient().MaxOver(a)
	case 7:
		y = p.b.Grad(x.LogSumExpOver(a).Sum(), x)[0]
	case 8:
		y = x.SoftmaxOver(a).Mul(x).SumOver(a)
	}
	y = p.nudged(y)
	switch p.next(5) {
	case 0:
	case 1: // sums of what is in different places
		y = y.Sum()
	case 2:
		y = x.Mul(y)
	default:
		y = x.Sub(y)
	}
	p.push(y, 100, false)
}

// padded is a term with elements that are zero whatever the inputs, or without.
func (p *program) padded(x *ad.Node) *ad.Node {
	size := x.Shape().Len()
	n := min(size, 4)
	flat := x.Gather(p.rng.Perm(size)[:n], ad.Shape{n})
	switch p.next(6) {
	case 0:
		return x
	case 1:
		return flat.ScatterAdd(p.rng.Perm(n + 1)[:n], ad.Shape{n + 1})
	case 2: // a strict triangle
		return x.Gather(p.indices(3, size), ad.Shape{3}).ScatterAdd(ad.StrictUpper(3),
			ad.Shape{3, 3})
	case 3:
		return ad.Concat(0, flat, p.b.Constant([]float64{0, 1}, ad.Shape{2}))
	case 4:
		mask := make([]float64, n)
		mask[0] = 1
		return flat.Mul(p.b.Constant(mask, ad.Shape{n}))
	}
	return flat
}
