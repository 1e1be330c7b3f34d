package autograd_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	ad "tobac/autograd"
)

// A program is a random expression. Every byte of its source decides one
// thing, so that the fuzzer can change one thing.
type program struct {
	b      *ad.Builder
	source []byte
	axes   []*ad.Axis
	inputs []*ad.Node
	feeds  [][]float64
	pool   []term
	rng    *rand.Rand // values of inputs and constants
	plain  bool       // only what the compiled engine schedules element by element

	// use, if set, stands for a term wherever pick chooses it.
	use func(n *ad.Node) *ad.Node
}

// A term is a node to build on.
type term struct {
	n     *ad.Node
	bound float64 // rough bound of its elements; large ones are squashed
	exact bool    // the same bits in all engines: kinks are safe
}

func newProgram(source []byte) *program {
	h := fnv.New64a()
	h.Write(source)
	p := &program{b: ad.NewBuilder("fuzz"), source: source[:min(len(source), 300)], rng: rand.New(rand.NewPCG(h.Sum64(), 3))}
	p.plain = p.next(2) == 0
	sizes := []int{2, 3, 1, 5, 70} // 70 is longer than a strip, and used once
	axes := p.next(4)
	if p.plain {
		axes = min(axes, 2)
	}
	for k := range axes {
		size := sizes[p.next(len(sizes))]
		if size == 70 {
			sizes = sizes[:4]
		}
		p.axes = append(p.axes, p.b.Axis(fmt.Sprintf("a%d", k), size))
	}
	shapes := []ad.Shape{{}, {1}, {3}, {9}, {2, 3}, {3, 3}, {1, 3}, {3, 1}, {10}, {2, 1, 3}}
	for i := range 1 + p.next(4) {
		var over []*ad.Axis
		mask := p.next(8)
		for k, a := range p.axes {
			if mask>>k&1 == 1 {
				over = append(over, a)
			}
		}
		x := p.b.Input(fmt.Sprintf("x%d", i), shapes[p.next(len(shapes))], over...)
		values := normals(p.rng, sizeOf(x))
		if p.next(4) == 0 {
			values[p.rng.IntN(len(values))] = 0
		}
		p.inputs = append(p.inputs, x)
		p.feeds = append(p.feeds, values)
		p.pool = append(p.pool, term{x, 3, true})
	}
	return p
}

// next takes one decision among n; a used-up source always decides 0.
func (p *program) next(n int) int {
	if len(p.source) == 0 {
		return 0
	}
	v := int(p.source[0]) % n
	p.source = p.source[1:]
	return v
}

// push adds a term unless it is too large.
func (p *program) push(n *ad.Node, bound float64, exact bool) {
	if n.Shape().Len() > 64 || sizeOf(n) > 5000 {
		return
	}
	if bound > 30 {
		n, bound, exact = n.Tanh(), 1, false
	}
	p.pool = append(p.pool, term{n, bound, exact})
}

// pick chooses a term, late ones more often.
func (p *program) pick() term {
	k := len(p.pool)
	c := p.pool[k-1-min(p.next(k), p.next(k))]
	if p.use != nil {
		c.n = p.use(c.n)
	}
	return c
}

// pickExact chooses a term without rounding.
func (p *program) pickExact() term {
	start := p.next(len(p.pool))
	for k := range p.pool {
		if c := p.pool[(start+k)%len(p.pool)]; c.exact {
			return c
		}
	}
	return p.pool[0] // the first input
}

// fit gives a term a shape that broadcasts with s.
func (p *program) fit(c term, s ad.Shape) term {
	from := c.n.Shape()
	if len(s) == 0 || len(from) == 0 || fits(from, s) || fits(s, from) {
		return c
	}
	return term{c.n.Gather(p.indices(s.Len(), from.Len()), s), c.bound, c.exact}
}

func fits(s, t ad.Shape) bool {
	if len(s) > len(t) {
		return false
	}
	for i, d := range s {
		if e := t[len(t)-len(s)+i]; d != e && d != 1 {
			return false
		}
	}
	return true
}

func (p *program) indices(n, below int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = p.rng.IntN(below)
	}
	return idx
}

// grow adds operations until the source is used up.
func (p *program) grow() {
	kinds := []func(){p.smooth, p.smooth, p.kinked, p.binary, p.binary, p.binary, p.choice, p.matrix, p.layout, p.layout, p.reduce, p.over, p.over, p.constant}
	if !p.plain {
		kinds = append(kinds, p.factor, p.mapped, p.special, p.special, p.pair, p.compare, p.extreme, p.cumulative)
	}
	for range 40 {
		if len(p.source) == 0 || p.b.Err() != nil {
			return
		}
		kinds[p.next(len(kinds))]()
	}
}

func (p *program) smooth() {
	c := p.pick()
	x, m := c.n, c.bound
	positive := x.Square().AddScalar(0.5)
	switch p.next(20) {
	case 18:
		p.push(positive.LogGamma(), m*m+2, false)
	case 19:
		p.push(positive.Polygamma(p.next(2)), m+6, false)
	case 0:
		p.push(x.Sigmoid(), 1, false)
	case 1:
		p.push(x.Tanh(), 1, false)
	case 2:
		p.push(x.Softplus(), m+1, false)
	case 3:
		p.push(x.Sin(), 1, false)
	case 4:
		p.push(x.Cos(), 1, false)
	case 5:
		p.push(x.Neg(), m, c.exact)
	case 6:
		p.push(x.Square(), m*m, false)
	case 7:
		p.push(x.Cube(), m*m*m, false)
	case 8:
		p.push(positive.Inverse(), 2, false)
	case 9:
		p.push(positive.Sqrt(), m+1, false)
	case 10:
		p.push(positive.Log(), m+1, false)
	case 11:
		p.push(x.Tanh().Exp(), 3, false)
	case 12:
		p.push(x.Tanh().Expm1(), 2, false)
	case 13:
		p.push(x.Square().Log1p(), m+1, false)
	case 14:
		p.push(positive.Pow([]float64{1.5, -0.5, 3, 0.25}[p.next(4)]), m*m*m+3, false)
	case 15:
		p.push(x.Sigmoid().Log(), m+1, false)
	case 16:
		p.push(x.Tanh().Exp().Log1p(), 3, false)
	case 17:
		p.push(x.StopGradient(), m, c.exact)
	}
}

// kinked applies functions with kinks or jumps to terms that have the same
// bits in every engine.
func (p *program) kinked() {
	c := p.pickExact()
	switch p.next(7) {
	case 0:
		p.push(c.n.Abs(), c.bound, true)
	case 1:
		p.push(c.n.Relu(), c.bound, true)
	case 2:
		p.push(c.n.Clamp(-0.5, 1), 1, true)
	case 3:
		p.push(c.n.Clamp(-0.5, math.Nextafter(1, 2)), 1, true)
	case 4:
		p.push(c.n.Sign(), 1, true)
	case 5:
		p.push(c.n.Positive(), 1, true)
	case 6:
		p.push(c.n.LeakyRelu(0.1), c.bound, false)
	}
}

func (p *program) binary() {
	x := p.pick()
	y := p.fit(p.pick(), x.n.Shape())
	switch p.next(7) {
	case 0:
		p.push(x.n.Add(y.n), x.bound+y.bound, false)
	case 1:
		p.push(x.n.Sub(y.n), x.bound+y.bound, false)
	case 2, 3:
		p.push(x.n.Mul(y.n), x.bound*y.bound, false)
	case 4:
		p.push(x.n.Div(y.n.Square().AddScalar(1)), x.bound, false)
	case 5:
		p.push(x.n.StraightThrough(y.n), x.bound, false)
	case 6:
		p.push(x.n.SigmoidShift(y.n.Sigmoid().Clamp(0.05, 0.95)), 1, false)
	}
}

func (p *program) choice() {
	x := p.pickExact()
	y := p.fit(p.pickExact(), x.n.Shape())
	bound := max(x.bound, y.bound)
	switch p.next(4) {
	case 0:
		p.push(x.n.Maximum(y.n), bound, true)
	case 1:
		p.push(x.n.Minimum(y.n), bound, true)
	case 2:
		p.push(x.n.Greater(y.n), 1, true)
	case 3:
		a, b := p.pick(), p.pick()
		shape := a.n.Shape()
		cond, b := p.fit(x, shape), p.fit(b, shape)
		if ok := fits(cond.n.Shape(), shape) && fits(b.n.Shape(), shape); !ok {
			return
		}
		p.push(cond.n.Positive().Where(a.n, b.n), max(a.bound, b.bound), false)
	}
}

// asMatrix gives a term the shape of a matrix with the given number of rows,
// any if 0.
func (p *program) asMatrix(c term, rows int) *ad.Node {
	s := c.n.Shape()
	switch {
	case len(s) == 2 && (rows == 0 || s[0] == rows):
		return c.n
	case rows == 0:
		return c.n.Reshape(ad.Shape{1, s.Len()})
	}
	cols := 1 + p.next(3)
	return c.n.Gather(p.indices(rows*cols, s.Len()), ad.Shape{rows, cols})
}

func (p *program) matrix() {
	x, y := p.pick(), p.pick()
	a := p.asMatrix(x, 0)
	b := p.asMatrix(y, a.Shape()[1])
	bound := x.bound * y.bound * float64(a.Shape()[1])
	switch p.next(3) {
	case 0:
		p.push(a.MatMul(b), bound, false)
	case 1:
		p.push(b.T().MatMul(a.T()), bound, false)
	case 2:
		p.push(a.MatMul(a.T()), x.bound*x.bound*float64(a.Shape()[1]), false)
	}
}

func (p *program) layout() {
	c := p.pick()
	x, s := c.n, c.n.Shape()
	shapes := []ad.Shape{{4}, {2, 2}, {}, {3, 3}, {12}}
	switch p.next(9) {
	case 0:
		p.push(x.Reshape(ad.Shape{s.Len()}), c.bound, c.exact)
	case 1:
		to := shapes[p.next(len(shapes))]
		p.push(x.Gather(p.indices(to.Len(), s.Len()), to), c.bound, c.exact)
	case 2: // collisions add up
		to := shapes[p.next(len(shapes))]
		p.push(x.ScatterAdd(p.indices(s.Len(), to.Len()), to), c.bound*float64(s.Len()), false)
	case 3: // a strict triangle: structural zeros
		d := 4
		upper := ad.StrictUpper(d)
		p.push(x.Gather(p.indices(len(upper), s.Len()), ad.Shape{len(upper)}).ScatterAdd(upper, ad.Shape{d, d}), c.bound, c.exact)
	case 4:
		if len(s) == 2 {
			p.push(x.T(), c.bound, c.exact)
		}
	case 5:
		if len(s) > 0 {
			a := p.next(len(s))
			from := p.next(s[a])
			p.push(x.Slice(a, from, from+1+p.next(s[a]-from)), c.bound, c.exact)
		}
	case 6:
		if len(s) > 0 {
			a := p.next(len(s))
			p.push(x.Index(a, p.next(s[a])), c.bound, c.exact)
		}
	case 7:
		if len(s) > 0 {
			p.push(ad.Concat(p.next(len(s)), x, x.Neg()), c.bound, false)
		}
	case 8:
		p.push(x.Expand(append(ad.Shape{1 + p.next(3)}, s...)), c.bound, c.exact)
	}
}

func (p *program) reduce() {
	c := p.pick()
	var axes []int
	for i := range c.n.Shape() {
		if p.next(2) == 0 {
			axes = append(axes, i)
		}
	}
	n := float64(c.n.Shape().Len())
	choices := 5
	if p.plain {
		choices = 2
	}
	switch p.next(choices) {
	case 0:
		p.push(c.n.Sum(axes...), c.bound*n, false)
	case 1:
		p.push(c.n.Mean(axes...), c.bound, false)
	case 2:
		p.push(c.n.LogSumExp(axes...), c.bound+4, false)
	case 3:
		p.push(c.n.LogMeanExp(axes...), c.bound, false)
	case 4:
		if len(c.n.Shape()) > 0 {
			p.push(c.n.Softmax(p.next(len(c.n.Shape()))), 1, false)
		}
	}
}

// over crosses mapped axes.
func (p *program) over() {
	if len(p.axes) == 0 {
		return
	}
	c, a := p.pick(), p.axes[p.next(len(p.axes))]
	if !slices.Contains(c.n.Axes(), a) {
		choices := 3
		if p.plain {
			choices = 1
		}
		switch s := c.n.Shape(); p.next(choices) {
		case 0:
			p.push(c.n.ExpandOver(a), c.bound, c.exact)
		case 1:
			if len(s) > 0 && s[0] == a.Size() {
				p.push(c.n.Unstack(a), c.bound, c.exact)
			}
		case 2:
			if a.Size() <= 16 {
				p.push(c.n.Gather(p.indices(2*a.Size(), s.Len()), ad.Shape{a.Size(), 2}).Unstack(a), c.bound, c.exact)
			}
		}
		return
	}
	choices := 6
	if p.plain {
		choices = 5
	}
	switch p.next(choices) {
	case 0:
		p.push(c.n.SumOver(a), c.bound*float64(a.Size()), false)
	case 1:
		p.push(c.n.MeanOver(a), c.bound, false)
	case 2:
		p.push(c.n.LogSumExpOver(a), c.bound+5, false)
	case 3:
		p.push(c.n.LogMeanExpOver(a), c.bound, false)
	case 4: // weights so far apart that most do not count
		p.push(c.n.Scale(20).LogMeanExpOver(a).Scale(0.05), c.bound, false)
	case 5:
		p.push(c.n.Stack(a), c.bound, c.exact)
	}
}

// constant adds constants: masks with zeros, scalars a bit apart, and pairs of
// tensors that differ in the middle only.
func (p *program) constant() {
	switch p.next(4) {
	case 0: // a triangular mask times a matrix
		c := p.pick()
		shape := ad.Shape{3, 3}
		x := c.n.Gather(p.indices(shape.Len(), c.n.Shape().Len()), shape)
		p.push(x.Mul(p.b.Constant([]float64{0, 1, 1, 0, 0, 1, 0, 0, 0}, shape)), c.bound, c.exact)
	case 1: // equal when printed
		n := 9 + p.next(4)
		u := make([]float64, n)
		v := slices.Clone(u)
		v[n/2] = 1.5
		p.push(p.b.Constant(u, ad.Shape{n}), 1, true)
		p.push(p.b.Constant(v, ad.Shape{n}), 1.5, true)
	case 2:
		c := p.pick()
		p.push(c.n.Scale(2).Sin().Add(c.n.Scale(2.0001).Sin()), 2, false)
	case 3:
		shape := ad.Shape{2, 3}
		p.push(p.b.Constant(normals(p.rng, shape.Len()), shape), 3, true)
	}
}

// factor factorises a positive definite matrix, or solves with its factor.
func (p *program) factor() {
	d := 1 + p.next(3)
	c := p.pick()
	a := c.n.Gather(p.indices(d*d, c.n.Shape().Len()), ad.Shape{d, d}).Tanh()
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*(d+1)] = 1
	}
	l := a.MatMul(a.T()).Add(p.b.Constant(eye, ad.Shape{d, d})).Cholesky()
	switch p.next(4) {
	case 0:
		p.push(l, 3, false)
	case 1:
		p.push(l.Diagonal().Log().Sum(), 4, false)
	case 2:
		rhs := p.pick()
		p.push(l.SolveLower(p.asMatrix(rhs, d)), rhs.bound, false)
	case 3:
		rhs := p.pick()
		p.push(l.SolveLowerT(p.asMatrix(rhs, d)), rhs.bound, false)
	}
}

// mapped lifts a small function over a leading dimension.
func (p *program) mapped() {
	if len(p.axes) == 0 {
		return
	}
	a, c, d := p.axes[p.next(len(p.axes))], p.pick(), p.pick()
	if slices.Contains(c.n.Axes(), a) || slices.Contains(d.n.Axes(), a) || a.Size() > 16 {
		return
	}
	x := c.n.Gather(p.indices(3*a.Size(), c.n.Shape().Len()), ad.Shape{a.Size(), 3})
	p.push(ad.Map(a, func(x []*ad.Node) *ad.Node {
		return x[0].Softmax(0).Mul(d.n.Sum().Tanh())
	}, x), 1, false)
}

// finish picks the outputs: late terms, a scalar made of them, its gradient,
// and for some programs the gradient of the squared gradient, from position
// second on.
func (p *program) finish() (outputs []*ad.Node, second int) {
	loss := p.b.Scalar(0)
	for k := range min(3, len(p.pool)) {
		c := p.pool[len(p.pool)-1-k]
		outputs = append(outputs, c.n)
		loss = loss.Add(c.n.Sum())
	}
	for _, x := range p.inputs { // every input counts
		loss = loss.Add(x.Scale(0.1).Sum())
	}
	mode := int(p.rng.Uint32() % 4)
	for _, a := range loss.Axes() {
		switch mode {
		case 1:
			loss = loss.SumOver(a)
		case 2:
			loss = loss.LogMeanExpOver(a)
		}
	}
	g := p.b.Grad(loss, p.inputs...)
	outputs = append(append(outputs, loss), g...)
	second = len(outputs)
	if p.rng.Uint32()%3 == 0 {
		h := p.b.Scalar(0)
		for i, x := range p.inputs {
			h = h.Add(g[i].Tanh().Mul(g[i]).Sum()).Add(x.Square().Sum())
		}
		outputs = append(outputs, p.b.Grad(h, p.inputs...)...)
	}
	return outputs, second
}
