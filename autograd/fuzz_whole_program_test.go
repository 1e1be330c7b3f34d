package autograd_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	ad "tobac/autograd"
)

// A wholeProgram is a random program over particles and samples, in any order, or over
// particles alone, or over two axes of samples.
type wholeProgram struct {
	program
	particle *ad.Axis
	samples  []*ad.Axis
	zeros    bool // some elements are zero whatever the inputs: products with NaN differ
	late     []*ad.Node
	outputs  []*ad.Node

	// If set, results that are rounded, and terms where they are used, are multiplied
	// by a number near 1 that it draws.
	noise *rounding
	used  []*ad.Node // terms that the last operations were applied to
}

func newWholeProgram(source []byte, noise *rounding) *wholeProgram {
	h := fnv.New64a()
	h.Write(source)
	p := &wholeProgram{noise: noise, program: program{
		b: ad.NewBuilder("whole"), source: source[:min(len(source), 300)], rng: rand.New(rand.NewPCG(h.Sum64(), 11)),
	}}
	p.use = func(n *ad.Node) *ad.Node { // two uses cancel each other up to rounding only
		n = p.nudged(n)
		p.used = append(p.used, n)
		return n
	}
	p.declare()
	p.addInputs()
	kinds := []func(){
		p.smooth, p.smooth, p.kinked, p.choice, p.choice, p.binary, p.binary, p.reduce, p.over, p.matrix, p.layout, p.constant, p.factor,
		p.mapped, p.weights, p.weights, p.expectation, p.expectation, p.stiffMean, p.there, p.solved, p.selected, p.entropy,
	}
	plain := []int{0, 1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 21, 22} // without structural zeros
	zeros := p.next(2) == 0
	for range 12 {
		if len(p.source) == 0 || p.b.Err() != nil {
			break
		}
		k := p.next(len(kinds))
		if !zeros {
			k = plain[k%len(plain)]
		}
		p.zeros = p.zeros || !slices.Contains(plain, k)
		from := len(p.pool)
		p.used = p.used[:0]
		kinds[k]()
		for i := from; i < len(p.pool); i++ {
			if c := &p.pool[i]; !c.exact {
				c.n = p.nudgedSlope(p.nudged(c.n))
			}
		}
	}
	p.end()
	return p
}

// nudged changes the elements of a result as rounding might, if that is asked for: each another
// way, since elements that cancel in a sum do so only in some sequences of it.
func (p *wholeProgram) nudged(n *ad.Node) *ad.Node {
	if p.noise == nil {
		return n
	}
	factors := make([]float64, n.Shape().Len())
	for k := range factors {
		factors[k] = nearOne(p.noise)
	}
	return n.Mul(p.b.Constant(factors, n.Shape()))
}

// logMeanExpOver is that of the node, with an error before the difference that it ends with: it is 0 of equal elements.
func (p *wholeProgram) logMeanExpOver(n *ad.Node, a *ad.Axis) *ad.Node {
	return p.nudged(n.LogSumExpOver(a)).AddScalar(-math.Log(float64(a.Size())))
}

// nudgedSlope changes the derivative of a result with respect to what it was made of, as
// rounding does where the terms of a derivative cancel: 1 − y² of a saturated tanh.
func (p *wholeProgram) nudgedSlope(n *ad.Node) *ad.Node {
	if p.noise == nil {
		return n
	}
	for _, u := range p.used {
		if slices.ContainsFunc(u.Axes(), func(a *ad.Axis) bool { return !slices.Contains(n.Axes(), a) }) {
			continue
		}
		flat := u.Sub(u.StopGradient()).Scale(nearOne(p.noise) - 1)
		if !flat.Shape().Equal(n.Shape()) && len(flat.Shape()) > 0 {
			flat = flat.Sum()
		}
		n = n.Add(flat)
	}
	return n
}

// rounding are errors in the place of those of floating-point numbers.
type rounding struct {
	rng  *rand.Rand
	sign float64 // of all errors: with both signs a comparison of equals goes one way and the other
}

// nearOne differs from 1 in the fourteenth digit.
func nearOne(r *rounding) float64 {
	return 1 + r.sign*math.Copysign(1e-14*(0.5+0.5*r.rng.Float64()), r.rng.Float64()-0.5)
}

// declare chooses the axes and their order.
func (p *wholeProgram) declare() {
	particles := func() { p.particle = p.b.Axis("particle", []int{2, 1, 3, 5}[p.next(4)]) }
	sample := func(name string, sizes ...int) {
		p.samples = append(p.samples, p.b.Axis(name, sizes[p.next(len(sizes))]))
	}
	switch p.next(8) {
	case 0, 1, 2:
		particles()
		sample("sample", 8, 13, 24, 3, 1, 40)
	case 3:
		sample("sample", 8, 13, 24, 3)
		particles()
	case 4:
		particles()
		sample("sample", 8, 3, 13)
		sample("second", 2, 5)
	case 5:
		sample("sample", 8, 3)
		particles()
		sample("second", 2, 4)
	case 6:
		p.particle = p.b.Axis("particle", []int{5, 1, 70, 24}[p.next(4)])
	case 7: // an axis of samples that every particle shares
		sample("sample", 8, 13)
		sample("second", 3, 2)
		particles()
	}
	p.axes = append([]*ad.Axis{p.particle}, p.samples...)
}

// addInputs adds inputs that carry all axes, those of particles or of samples, or none.
func (p *wholeProgram) addInputs() {
	shapes := []ad.Shape{{3}, {}, {2, 3}, {4}, {3, 3}}
	for i := range 2 + p.next(3) {
		over := p.axes
		switch k := p.next(5); {
		case i == 1 || k == 0:
			over = p.axes[:1]
		case i > 0 && k == 1:
			over = p.samples
		case i > 1 && k == 2:
			over = nil
		}
		p.pool = append(p.pool, term{p.input(fmt.Sprintf("x%d", i), shapes[p.next(len(shapes))], over), 3, true})
	}
}

// input adds an input of normal numbers.
func (p *wholeProgram) input(name string, shape ad.Shape, over []*ad.Axis) *ad.Node {
	x := p.b.Input(name, shape, over...)
	p.inputs, p.feeds = append(p.inputs, x), append(p.feeds, normals(p.rng, sizeOf(x)))
	return x
}

// rare adds an input that is usual in all samples but a few.
func (p *wholeProgram) rare(usual, unusual float64, over []*ad.Axis) *ad.Node {
	x := p.input(fmt.Sprintf("rare%d", len(p.inputs)), ad.Shape{}, over)
	values := p.feeds[len(p.feeds)-1]
	for i := range values {
		values[i] = usual * (1 + 0.1*values[i])
		if p.rng.IntN(8) == 0 {
			values[i] = unusual * (1 + 0.1*values[i])
		}
	}
	return x
}

// sample chooses an axis of samples, or that of the particles if there is none.
func (p *wholeProgram) sample() *ad.Axis {
	if len(p.samples) == 0 {
		return p.particle
	}
	return p.samples[p.next(len(p.samples))]
}

// carrying is a scalar term that carries the axis.
func (p *wholeProgram) carrying(a *ad.Axis) *ad.Node { return p.scalarOver(p.pick().n, a) }

// direct is a scalar function of an input that carries the axis: little on the way from
// it to a stiff factor cancels.
func (p *wholeProgram) direct(a *ad.Axis) *ad.Node {
	x := p.inputs[p.next(len(p.inputs))]
	if p.next(2) == 0 {
		x = x.Tanh()
	}
	return p.scalarOver(x, a)
}

// scalarOver is the mean of the elements of x, repeated or changed to carry the axis.
func (p *wholeProgram) scalarOver(x *ad.Node, a *ad.Axis) *ad.Node {
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
	return p.use(x)
}

// weights adds softmax weights: by their definition, or as the derivative of a
// log-sum-exp or log-mean-exp, near each other or far apart.
func (p *wholeProgram) weights() {
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
func (p *wholeProgram) expectation() {
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
func (p *wholeProgram) stiffMean() {
	a := p.sample()
	u := p.direct(a)
	flat := u.Sub(u.StopGradient())
	k := p.rare(1, []float64{1e20, -1e20, 1e-20, 1e8}[p.next(4)], p.axes)
	c := p.rare(1, []float64{-37, -60, -700, 5}[p.next(4)], p.axes)
	p.late = append(p.late, p.logMeanExpOver(k.Mul(flat).Add(c), a))
}

// there and back: factors of 1e±20 that cancel.
func (p *wholeProgram) there() {
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
func (p *wholeProgram) solved() {
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
func (p *wholeProgram) selected() {
	x, y := p.pickExact(), p.pick()
	condition := x.n.Positive()
	if p.next(2) == 0 {
		// The sum of the same numbers in another sequence is no smaller and no larger but for rounding.
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
func (p *wholeProgram) entropy() {
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

// end chooses the outputs: late terms, sums of them with and without the axis of the
// particles, and gradients of these.
func (p *wholeProgram) end() {
	sum := func(n *ad.Node) *ad.Node {
		if len(n.Shape()) > 0 {
			n = n.Sum()
		}
		return n
	}
	terms := p.late[:len(p.late):len(p.late)]
	for k := range min(2, len(p.pool)) {
		terms = append(terms, p.pool[len(p.pool)-1-k].n)
	}
	total := p.rng.IntN(2) == 0
	for i, n := range terms {
		p.outputs = append(p.outputs, n)
		if i >= 4 {
			continue
		}
		loss := sum(n)
		for _, a := range p.samples {
			switch {
			case !slices.Contains(loss.Axes(), a):
			case p.rng.IntN(2) == 0:
				loss = p.logMeanExpOver(loss, a)
			default:
				loss = loss.SumOver(a)
			}
		}
		if total && slices.Contains(loss.Axes(), p.particle) {
			loss = loss.SumOver(p.particle)
			p.outputs = append(p.outputs, loss)
		}
		for _, x := range p.inputs { // every input counts
			loss = loss.Add(sum(x).Scale(0.125))
		}
		p.outputs = append(p.outputs, p.b.Grad(loss, p.inputs...)...)
	}
}
