package autograd_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"
)

// FuzzPrograms builds a whole program from the bytes, softmax weights and stiff factors
// included, and compares all ways to run it with the reference engine.
func FuzzPrograms(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(programBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkWhole(t, data) })
}

// TestWholePrograms does the same for a fixed list of programs.
func TestWholePrograms(t *testing.T) {
	count := 300
	if testing.Short() || raceEnabled {
		count = 40
	}
	var total tally
	for seed := range uint64(count) {
		t.Run(fmt.Sprint("seed ", 50_000+seed), func(t *testing.T) { total.add(checkWhole(t, programBytes(50_000+seed))) })
	}
	t.Logf("%+v", total)
	if total.compared < total.elements*8/10 {
		t.Errorf("%d of %d elements were compared, want eight of ten: the generator is out of its domain", total.compared, total.elements)
	}
}

// A tally counts what was looked at.
type tally struct {
	elements int // of outputs
	compared int // the others are ill-conditioned, or NaN for a documented reason
	special  int // compared, and not finite
}

func (t *tally) add(o tally) {
	t.elements, t.compared, t.special = t.elements+o.elements, t.compared+o.compared, t.special+o.special
}

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
	noise *rand.Rand
	used  []*ad.Node // terms that the last operations were applied to
}

func newWholeProgram(source []byte, noise *rand.Rand) *wholeProgram {
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

// nudged changes a result as rounding might, if that is asked for.
func (p *wholeProgram) nudged(n *ad.Node) *ad.Node {
	if p.noise == nil {
		return n
	}
	return n.Scale(nearOne(p.noise))
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

// nearOne differs from 1 in the fourteenth digit.
func nearOne(rng *rand.Rand) float64 {
	return 1 + math.Copysign(1e-14*(0.5+0.5*rng.Float64()), rng.Float64()-0.5)
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
	p.late = append(p.late, k.Mul(flat).Add(c).LogMeanExpOver(a))
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
		condition = p.pickExact().n.Sum().Greater(x.n.Sum())
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
				loss = loss.LogMeanExpOver(a)
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

// wholeWays are the ways to run a program: with all passes, and without each.
func wholeWays() []way {
	ways := []way{{"with every pass", ad.Options{}}}
	for _, pass := range ad.Passes() {
		ways = append(ways, way{fmt.Sprintf("without %q", pass), ad.Options{Without: pass}})
	}
	return ways
}

// checkWhole compares all ways to run a program with the reference engine, three workers
// with one bit by bit, and a second run with the first.
//
// Programs amplify rounding, some without bound. How much is measured: the reference
// engine evaluates the program with all inputs and all results changed in the fourteenth
// digit, in three ways. An element may differ by ten thousand times what that changes.
func checkWhole(t *testing.T, data []byte) (seen tally) {
	t.Helper()
	p := newWholeProgram(data, nil)
	if err := p.b.Err(); err != nil {
		t.Fatalf("program %x: %v", data, err)
	}
	want := eval(t, p.inputs, p.outputs, p.feeds, ad.Options{Engine: ad.Reference})
	expected := p.expect(t, data, want)
	for i := range want {
		for k, e := range expected[i] {
			seen.elements++
			if !e.open {
				seen.compared++
				if !(math.Abs(want[i][k]) <= math.MaxFloat64) {
					seen.special++
				}
			}
		}
	}
	for _, w := range wholeWays() {
		program, err := ad.Compile(p.inputs, p.outputs, w.opt.Without)
		if err != nil {
			t.Fatalf("program %x %s: %v", data, w.name, err)
		}
		var one [][]float64
		for _, workers := range []int{1, 3} {
			ev, err := program.NewEvaluator(ad.Options{Workers: workers})
			if err != nil {
				t.Fatalf("program %x %s: %v", data, w.name, err)
			}
			first, second := room(p.outputs), room(p.outputs)
			for _, dst := range [][][]float64{first, second} {
				if err := ev.Eval(dst, feeds(p.feeds)); err != nil {
					t.Fatalf("program %x %s: %v", data, w.name, err)
				}
			}
			ev.Close()
			if one == nil {
				one = first
			}
			for i := range first {
				if !sameBits(first[i], second[i]) {
					t.Errorf("program %x %s, %d workers: output %d %v: the second run differs", data, w.name, workers, i, p.outputs[i])
				}
				if !sameBits(first[i], one[i]) {
					t.Errorf("program %x %s: output %d %v: %d workers differ from one", data, w.name, i, p.outputs[i], workers)
				}
			}
		}
		p.compare(t, fmt.Sprintf("program %x %s", data, w.name), one, want, expected)
		if t.Failed() {
			return seen
		}
	}
	return seen
}

// An expectation is how near an element must be to that of the reference engine.
type expectation struct {
	tolerance float64
	open      bool // not compared
}

// expect measures how the elements react to rounding.
func (p *wholeProgram) expect(t *testing.T, data []byte, want [][]float64) [][]expectation {
	t.Helper()
	all := make([][]expectation, len(want))
	for i, x := range want {
		all[i] = make([]expectation, len(x))
		top := 0.0
		for _, w := range x {
			if math.Abs(w) <= math.MaxFloat64 {
				top = max(top, math.Abs(w))
			}
		}
		for k, w := range x {
			all[i][k] = expectation{tolerance: 1e-9*math.Abs(w) + 1e-13*top + 1e-290, open: math.IsNaN(w) && p.zeros}
		}
	}
	for round := range uint64(3) {
		noise := rand.New(rand.NewPCG(round, 13))
		q := newWholeProgram(data, noise)
		for _, x := range q.feeds {
			for k := range x {
				x[k] *= nearOne(noise)
			}
		}
		for i, near := range eval(t, q.inputs, q.outputs, q.feeds, ad.Options{Engine: ad.Reference}) {
			for k, v := range near {
				e, w := &all[i][k], want[i][k]
				finite := math.Abs(w) <= math.MaxFloat64
				switch {
				case finite != (math.Abs(v) <= math.MaxFloat64), !finite && v != w && !math.IsNaN(v):
					e.open = true
				case finite:
					e.tolerance = max(e.tolerance, 10_000*math.Abs(v-w))
					e.open = e.open || !(e.tolerance <= 1e-3*max(math.Abs(w), 1e-3))
				}
			}
		}
	}
	return all
}

func (p *wholeProgram) compare(t *testing.T, what string, got, want [][]float64, expected [][]expectation) {
	t.Helper()
	for i := range want {
		for k, e := range expected[i] {
			g, w := got[i][k], want[i][k]
			if e.open || g == w || math.IsNaN(g) && math.IsNaN(w) || math.Abs(g-w) <= e.tolerance {
				continue
			}
			t.Errorf("%s: output %d %v, element %d: got %v, want %v ± %.1g", what, i, p.outputs[i], k, g, w, e.tolerance)
			break
		}
	}
}
