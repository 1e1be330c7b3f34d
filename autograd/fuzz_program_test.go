package autograd_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	ad "tobac/autograd"
)

// A program is a random expression. The first byte of its source says what it is like, every
// other one decides one thing, so that the fuzzer can change one thing.
type program struct {
	b       *ad.Builder
	source  []byte
	rng     *rand.Rand // values of inputs and constants
	inputs  []*ad.Node
	src     []ad.Feed
	pool    []term
	late    []*ad.Node // what nothing is built on
	outputs []*ad.Node

	axes     []*ad.Axis
	particle *ad.Axis // but of general programs
	samples  []*ad.Axis

	squash float64 // terms that may be larger are squashed
	most   int     // numbers of a term
	plain  bool    // only what the compiled engine schedules element by element
	zeros  bool    // some elements are zero whatever the inputs: products with NaN differ

	// Of densities:
	vars    int        // d
	scalar  *ad.Node   // input without axes
	uniform []*ad.Node // inputs that are the same in all samples
	draws   []*ad.Node

	// If set, results that are rounded, and terms where they are used, are multiplied
	// by a number near 1 that it draws.
	noise *rounding
	used  []*ad.Node // terms that the last operations were applied to
}

// A term is a node to build on.
type term struct {
	n     *ad.Node
	bound float64 // rough bound of its elements; large ones are squashed
	exact bool    // the same bits in all engines: kinks are safe
}

// What programs are like.
const (
	general   = iota // all operations, over up to three axes
	whole            // softmax weights, stiff factors and conditions, over particles and samples
	densities        // what the lane compiler has special cases for
	crossed          // reductions over axes of each other, of arrays with zeros
	styles
)

func newProgram(source []byte, noise *rounding, end ...func(*program)) *program {
	style := general
	if len(source) > 0 {
		style, source = int(source[0])%styles, source[1:]
	}
	h := fnv.New64a()
	h.Write(source)
	p := &program{
		b:      ad.NewBuilder([]string{"general", "whole", "density", "crossed"}[style]),
		source: source[:min(len(source), 300)],
		rng:    rand.New(rand.NewPCG(h.Sum64(), []uint64{3, 11, 5, 17}[style])), squash: 30,
		most: 5000, noise: noise,
	}
	kinds, operations := []func() ([]func(), int){p.general, p.whole, p.density, p.crossed}[style]()
	for range operations {
		if len(p.source) == 0 || p.b.Err() != nil {
			break
		}
		from := len(p.pool)
		p.used = p.used[:0]
		kinds[p.next(len(kinds))]()
		for i := from; i < len(p.pool); i++ {
			if c := &p.pool[i]; !c.exact {
				c.n = p.nudgedSlope(p.nudged(c.n))
			}
		}
	}
	[]func(){p.endGeneral, p.endWhole, p.endDensity, p.endWhole}[style]()
	for _, f := range end {
		f(p)
	}
	return p
}

// general declares axes and inputs, and lists the kinds of operations and how many there may be.
func (p *program) general() (kinds []func(), operations int) {
	p.zeros = true
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
		x := p.input(fmt.Sprintf("x%d", i), shapes[p.next(len(shapes))], over...)
		if values := p.src[i].Data; p.next(4) == 0 {
			values[p.rng.IntN(len(values))] = 0
		}
		p.pool = append(p.pool, term{x, 3, true})
	}
	kinds = []func(){p.smooth, p.smooth, p.kinked, p.binary, p.binary, p.binary, p.choice, p.matrix,
		p.layout, p.layout, p.reduce, p.over, p.over, p.constant}
	if !p.plain {
		kinds = append(kinds, p.factor, p.mapped, p.special, p.special, p.pair, p.compare,
			p.extreme, p.cumulative)
	}
	return kinds, 40
}

func (p *program) whole() (kinds []func(), operations int) {
	p.declare()
	p.addInputs()
	kinds = []func(){
		p.smooth, p.smooth, p.kinked, p.choice, p.choice, p.binary, p.binary, p.reduce, p.over,
		p.matrix, p.layout, p.constant, p.factor,
		p.mapped, p.weights, p.weights, p.expectation, p.expectation, p.stiffMean, p.there,
		p.solved, p.selected, p.entropy,
	}
	if p.zeros = p.next(2) == 0; !p.zeros {
		all, plain := slices.Clone(kinds),
			[]int{0, 1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18, 19, 21, 22}
		for k := range kinds {
			kinds[k] = all[plain[k%len(plain)]]
		}
	}
	return kinds, 12
}

// density declares one loop axis and one lane axis.
func (p *program) density() (kinds []func(), operations int) {
	p.zeros, p.squash, p.most = true, 200, math.MaxInt
	p.particle = p.b.Axis("particle", []int{2, 1, 5}[p.next(3)])
	sample := p.b.Axis("sample", []int{8, 13, 16, 40, 3, 1, 24}[p.next(7)])
	p.samples = []*ad.Axis{sample}
	p.vars = 2 + p.next(5)
	p.scalar = p.input("c", ad.Shape{})
	p.uniform = []*ad.Node{
		p.input("w", ad.Shape{p.vars, p.vars}, p.particle),
		p.input("v", ad.Shape{p.vars * (p.vars - 1) / 2}, p.particle),
	}
	axes := []*ad.Axis{p.particle, sample}
	if p.next(4) == 0 {
		axes = axes[1:]
	}
	p.pool = []term{{p.input("x", ad.Shape{p.vars, 1 + p.next(3)}, axes...), 3, true}}
	for i := range 1 + p.next(2) {
		u := p.b.Uniform(fmt.Sprintf("u%d", i), ad.Shape{p.vars * (p.vars - 1) / 2}, p.particle,
			sample)
		p.draws, p.inputs = append(p.draws, u), append(p.inputs, u)
		if p.next(6) == 0 {
			p.src = append(p.src, fills(uint64(10*i)))
		} else {
			p.src = append(p.src, seeds(uint64(10*i)))
		}
	}
	return []func(){p.product, p.product, p.product, p.power, p.draw, p.draw, p.structural, p.lanes,
		p.lose, p.weigh, p.means}, 8
}

// crossed declares particles and samples, many enough to be lanes, and numbers that are special.
func (p *program) crossed() (kinds []func(), operations int) {
	p.zeros = true
	declare := []func(){
		func() { p.particle = p.b.Axis("particle", []int{2, 1, 3}[p.next(3)]) },
		func() { p.samples = append(p.samples, p.b.Axis("sample", []int{40, 64, 13}[p.next(3)])) },
		func() { p.samples = append(p.samples, p.b.Axis("second", 2+p.next(2))) },
	}
	for _, k := range [][]int{{0, 1}, {0, 1}, {1, 0}, {0, 2, 1}, {0, 1, 2}}[p.next(5)] {
		declare[k]()
	}
	p.axes = append([]*ad.Axis{p.particle}, p.samples...)
	p.addInputs()
	p.pool = append(p.pool, term{p.input("x", ad.Shape{3}, p.axes...), 3, true})
	special := []float64{math.Copysign(0, -1), 5e-324, -1e-310, 1e300, 750, -750, math.Inf(-1),
		math.Inf(1), math.NaN()}
	for range p.next(4) - 1 {
		x := p.src[p.next(len(p.src))].Data
		x[p.rng.IntN(len(x))] = special[p.next(len(special))]
	}
	kinds = []func(){p.smooth, p.binary, p.expectation, p.over}
	for range 12 {
		kinds = append(kinds, p.cross)
	}
	return kinds, 10
}

// input adds an input of normal numbers.
func (p *program) input(name string, shape ad.Shape, over ...*ad.Axis) *ad.Node {
	x := p.b.Input(name, shape, over...)
	p.inputs, p.src = append(p.inputs, x), append(p.src, ad.Feed{Data: normals(p.rng, sizeOf(x))})
	return x
}

// declare chooses the axes and their order.
func (p *program) declare() {
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
func (p *program) addInputs() {
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
		p.pool = append(p.pool,
			term{p.input(fmt.Sprintf("x%d", i), shapes[p.next(len(shapes))], over...), 3, true})
	}
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

// push adds a term unless it is too large, squashed if its elements may be.
func (p *program) push(n *ad.Node, bound float64, exact bool) {
	if n.Shape().Len() > 64 || sizeOf(n) > p.most {
		return
	}
	if bound > p.squash {
		n, bound, exact = n.Tanh(), 1, false
	}
	p.pool = append(p.pool, term{n, bound, exact})
}

// pick chooses a term, late ones more often.
func (p *program) pick() term {
	k := len(p.pool)
	return p.use(p.pool[k-1-min(p.next(k), p.next(k))])
}

// use is a term where something is made of it: two uses cancel each other up to rounding only.
func (p *program) use(c term) term {
	c.n = p.nudged(c.n)
	p.used = append(p.used, c.n)
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

// nudged changes the elements of a result as rounding might, if that is asked for: each another
// way at each index, since what cancels in a sum does so only in some sequences of it.
func (p *program) nudged(n *ad.Node) *ad.Node {
	if p.noise == nil {
		return n
	}
	x := p.b.Input(fmt.Sprint("noise", len(p.noise.inputs)), n.Shape(), n.Axes()...)
	factors := make([]float64, sizeOf(x))
	for k := range factors {
		factors[k] = nearOne(p.noise)
	}
	p.noise.inputs, p.noise.src = append(p.noise.inputs, x),
		append(p.noise.src, ad.Feed{Data: factors})
	return n.Mul(x)
}

// logMeanExpOver is that of the node, with an error before the difference that it ends with: it is
// 0 of equal elements.
func (p *program) logMeanExpOver(n *ad.Node, a *ad.Axis) *ad.Node {
	return p.nudged(n.LogSumExpOver(a)).AddScalar(-math.Log(float64(a.Size())))
}

// nudgedSlope changes the derivative of a result with respect to what it was made of, as
// rounding does where the terms of a derivative cancel: 1 − y² of a saturated tanh.
func (p *program) nudgedSlope(n *ad.Node) *ad.Node {
	if p.noise == nil {
		return n
	}
	for _, u := range p.used {
		if slices.ContainsFunc(u.Axes(), func(a *ad.Axis) bool {
			return !slices.Contains(n.Axes(), a)
		}) {
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
	rng    *rand.Rand
	inputs []*ad.Node // factors near 1
	src    []ad.Feed
	// of all errors: with both signs a comparison of equals goes one way and the other
	sign float64
}

// nearOne differs from 1 in the fourteenth digit.
func nearOne(r *rounding) float64 {
	return 1 + r.sign*math.Copysign(1e-14*(0.5+0.5*r.rng.Float64()), r.rng.Float64()-0.5)
}

// endGeneral chooses the outputs: late terms, a scalar made of them, its gradient, and for some
// programs the gradient of the squared gradient.
func (p *program) endGeneral() {
	loss := p.b.Scalar(0)
	for k := range min(3, len(p.pool)) {
		c := p.pool[len(p.pool)-1-k]
		p.outputs = append(p.outputs, c.n)
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
	p.outputs = append(append(p.outputs, loss), g...)
	if p.rng.Uint32()%3 == 0 {
		h := p.b.Scalar(0)
		for i, x := range p.inputs {
			h = h.Add(g[i].Tanh().Mul(g[i]).Sum()).Add(x.Square().Sum())
		}
		p.outputs = append(p.outputs, p.b.Grad(h, p.inputs...)...)
	}
}

// endDensity chooses the outputs: a sum of the losses and its gradient, and of some
// densities a term in every sample.
func (p *program) endDensity() {
	last := p.pool[len(p.pool)-1].n
	loss := last.Sum()
	if slices.Contains(loss.Axes(), p.samples[0]) {
		loss = loss.LogMeanExpOver(p.samples[0])
	}
	for _, l := range p.late {
		loss = loss.Add(l)
	}
	loss = loss.Add(p.uniform[0].Square().Sum().Scale(-0.5)).Add(p.uniform[1].Sum())
	wrt, kind := p.uniform, p.next(4)
	if x := p.pool[0].n; kind == 1 && slices.Contains(x.Axes(), p.particle) {
		wrt = append(slices.Clone(wrt), x)
		loss = loss.Add(x.Square().Sum().MeanOver(p.samples[0]))
	}
	p.outputs = append(p.b.Grad(loss, wrt...), loss)
	if kind == 0 && slices.Contains(last.Axes(), p.particle) {
		p.outputs = append(p.outputs, last)
	}
}

// endWhole chooses the outputs: late terms, sums of them with and without the axis of the
// particles, and gradients of these.
func (p *program) endWhole() {
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
