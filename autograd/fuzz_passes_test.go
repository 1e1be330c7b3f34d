package autograd_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// FuzzPasses builds a random density over samples from the bytes and compares value
// and gradient, compiled with and without the passes, with the reference engine.
func FuzzPasses(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(programBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { newSampleDensity(data).check(t) })
}

// TestRandomDensities does the same for a fixed list of densities, and asserts that
// the list has what the passes work on.
func TestRandomDensities(t *testing.T) {
	count := 80
	if testing.Short() || raceEnabled {
		count = 20
	}
	compared := 0
	covered := []string{"tile", "tile-relu", "tile-squares", "block", "dot", "draw", "sigmoid-shift", "logsumexp-lanes", "packed"}
	listed := map[string]int{}
	for seed := range uint64(count) {
		d := newSampleDensity(programBytes(20_000 + seed))
		if d.check(t) {
			compared++
		}
		if t.Failed() {
			t.Fatalf("density of seed %d", 20_000+seed)
		}
		p, err := ad.Compile(d.inputs, d.outputs, ad.MachineCode) // which is faster than few lanes
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for line := range strings.Lines(p.String()) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			found[name] = true
			found["packed"] = found["packed"] || strings.Contains(line, "group on lanes weighted")
		}
		for _, name := range covered {
			if found[name] {
				listed[name]++
			}
		}
	}
	t.Logf("%d of %d densities compared; of them have %v", compared, count, listed)
	if compared < count*9/10 {
		t.Errorf("%d of %d densities were compared, want nine of ten", compared, count)
	}
	least := count / 27
	if count < 80 {
		least = 1 // a fraction of few densities says little
	}
	for _, name := range covered {
		if listed[name] < least {
			t.Errorf("%d of %d densities have operation %s, want at least %d", listed[name], count, name, least)
		}
	}
}

// A sampleDensity is a program of one loop axis and one lane axis, made of what the lane
// compiler has special cases for.
type sampleDensity struct {
	program
	bytes        []byte
	nudge        float64
	loop, sample *ad.Axis
	vars         int        // d
	scalar       *ad.Node   // input without axes
	uniform      []*ad.Node // inputs that are the same in all samples
	draws        []*ad.Node
	src          []ad.Feed
	losses       []*ad.Node
	outputs      []*ad.Node
}

func newSampleDensity(source []byte) *sampleDensity { return newNudgedDensity(source, 0) }

// newNudgedDensity is the same density but for the normalisation of softmax weights,
// whose terms have nudge as a relative error.
func newNudgedDensity(source []byte, nudge float64) *sampleDensity {
	h := fnv.New64a()
	h.Write(source)
	p := &sampleDensity{nudge: nudge, bytes: source, program: program{
		b: ad.NewBuilder("density"), source: source[:min(len(source), 300)], rng: rand.New(rand.NewPCG(h.Sum64(), 5)),
	}}
	p.loop = p.b.Axis("particle", []int{2, 1, 5}[p.next(3)])
	p.sample = p.b.Axis("sample", []int{8, 13, 16, 40, 3, 1, 24}[p.next(7)])
	p.vars = 2 + p.next(5)
	p.scalar = p.input("c", ad.Shape{})
	p.uniform = []*ad.Node{
		p.input("w", ad.Shape{p.vars, p.vars}, p.loop),
		p.input("v", ad.Shape{p.vars * (p.vars - 1) / 2}, p.loop),
	}
	axes := []*ad.Axis{p.loop, p.sample}
	if p.next(4) == 0 {
		axes = axes[1:]
	}
	p.pool = []term{{p.input("x", ad.Shape{p.vars, 1 + p.next(3)}, axes...), 3, true}}
	for i := range 1 + p.next(2) {
		u := p.b.Uniform(fmt.Sprintf("u%d", i), ad.Shape{p.vars * (p.vars - 1) / 2}, p.loop, p.sample)
		p.draws = append(p.draws, u)
		p.inputs = append(p.inputs, u)
		if p.next(6) == 0 {
			p.src = append(p.src, fills(uint64(10*i)))
		} else {
			p.src = append(p.src, seeds(uint64(10*i)))
		}
	}
	kinds := []func(){p.product, p.product, p.product, p.power, p.draw, p.draw, p.structural, p.lanes, p.lose, p.weigh, p.late}
	for range 8 {
		if len(p.source) == 0 || p.b.Err() != nil {
			break
		}
		kinds[p.next(len(kinds))]()
	}
	p.finish()
	return p
}

// input adds an input of normal numbers.
func (p *sampleDensity) input(name string, shape ad.Shape, over ...*ad.Axis) *ad.Node {
	x := p.b.Input(name, shape, over...)
	p.inputs = append(p.inputs, x)
	p.src = append(p.src, ad.Feed{Data: normals(p.rng, sizeOf(x))})
	return x
}

// push adds a term, squashed if its elements may be large.
func (p *sampleDensity) push(n *ad.Node, bound float64) {
	if n.Shape().Len() > 64 {
		return
	}
	if bound > 200 {
		n, bound = n.Tanh(), 1
	}
	p.pool = append(p.pool, term{n: n, bound: bound})
}

// vector is a list of numbers that are the same in all samples.
func (p *sampleDensity) vector(shape ad.Shape) *ad.Node {
	n := shape.Len()
	switch p.next(4) {
	case 0:
		return p.b.Constant(normals(p.rng, n), shape)
	case 1:
		return p.scalar.Mul(p.b.Constant(normals(p.rng, n), shape))
	case 2:
		w := p.uniform[p.next(2)]
		return w.Gather(p.indices(n, w.Shape().Len()), shape)
	}
	w := p.uniform[0]
	return w.Gather(p.indices(n, w.Shape().Len()), shape).Mul(p.b.Constant(normals(p.rng, n), shape))
}

// matrix is a factor of a product: dense, a triangle, a diagonal or with empty
// rows, with some elements 0, 1 or −1 unless it is to be generic.
func (p *sampleDensity) matrix(rows, cols int, generic bool) *ad.Node {
	shape := ad.Shape{rows, cols}
	mask := make([]float64, shape.Len())
	kind := p.next(6)
	for i := range mask {
		r, c := i/cols, i%cols
		if kind < 2 || kind == 2 && r <= c || kind == 3 && r < c || kind == 4 && r == c || kind == 5 && r%2 == 0 {
			mask[i] = 1
		}
	}
	if p.next(2) == 0 { // constant
		for i := range mask {
			if generic || p.rng.IntN(3) > 0 {
				mask[i] *= p.rng.NormFloat64()
			} else {
				mask[i] *= float64(p.rng.IntN(3) - 1)
			}
		}
		return p.b.Constant(mask, shape)
	}
	if slices.Contains(mask, 0) || p.next(2) == 0 {
		return p.vector(shape).Mul(p.b.Constant(mask, shape))
	}
	return p.vector(shape)
}

// operand is a matrix of lanes with a number of rows, some scaled, negated or
// joined by rows that are all 1.
func (p *sampleDensity) operand(rows int) (x *ad.Node, bound float64) {
	c := p.pick()
	x = p.asMatrix(c, rows)
	cols := x.Shape()[1]
	ones := func(n int) *ad.Node {
		one := make([]float64, n)
		for i := range one {
			one[i] = 1
		}
		return p.b.Constant(one, ad.Shape{1, n})
	}
	switch p.next(8) {
	case 0:
		x = x.Neg()
	case 1:
		x = x.Mul(p.vector(ad.Shape{rows, 1}))
	case 2:
		x = x.Mul(p.vector(ad.Shape{rows, cols})).Neg()
	case 3:
		x = x.Neg().Scale(-0.7)
	case 4:
		x = ad.Concat(0, x, ones(cols)).Slice(0, 1, rows+1)
	case 5: // 1 − 0 on the diagonal
		if rows == cols {
			upper := ad.StrictUpper(rows)
			if rows > 1 {
				x = p.identity(rows).Sub(x.Reshape(ad.Shape{rows * rows}).Gather(upper, ad.Shape{len(upper)}).ScatterAdd(upper, ad.Shape{rows, rows}))
			}
		}
	case 6:
		x = p.b.Constant(make([]float64, rows*cols), ad.Shape{rows, cols}).Sub(x)
	}
	return x, 3 * c.bound
}

func (p *sampleDensity) identity(d int) *ad.Node {
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*(d+1)] = 1
	}
	return p.b.Constant(eye, ad.Shape{d, d})
}

// product is a matrix product of numbers that are the same in all samples with
// lanes, with a bias or without, and what reads it.
func (p *sampleDensity) product() {
	rows, inner := 1+p.next(7), 1+p.next(6)
	tail := p.next(7)
	x, bound := p.operand(inner)
	f := p.matrix(rows, inner, tail < 2)
	y := f.MatMul(x)
	if p.next(3) == 0 {
		y = x.T().MatMul(f.T())
	}
	bound *= float64(inner)
	switch shape := y.Shape(); p.next(5) {
	case 0:
		y = y.Add(p.vector(ad.Shape{shape[0], 1}))
	case 1:
		y = p.vector(ad.Shape{shape[1]}).Add(y)
	case 2:
		y = y.Add(p.scalar)
	default:
		if tail < 2 { // off the kink
			y = y.AddScalar(0.1 + p.rng.Float64())
		}
	}
	switch tail {
	case 0:
		y = y.Relu()
	case 1: // a network with a hidden layer
		r := 1 + p.next(4)
		if y = y.Relu(); p.next(2) == 0 {
			y = y.Mul(p.vector(ad.Shape{y.Shape()[0], 1}))
		}
		y = p.matrix(r, y.Shape()[0], false).MatMul(y).Add(p.vector(ad.Shape{r, 1}))
		bound *= 10
	case 2:
		y = y.Square().Sum(p.next(2))
		bound *= bound * 3
	case 3:
		y = y.Square().Sum()
		bound *= bound * 9
	case 4:
		y = y.Neg()
	case 5:
		y = y.Square().Mul(p.vector(ad.Shape{y.Shape()[1]})).Sum(0).Add(y.Slice(0, 0, 1).Reshape(ad.Shape{y.Shape()[1]}))
		bound *= bound * 3
	}
	p.push(y, bound)
}

// laneMatrix is a matrix of elements of a term, with the zeros of a triangle, a band or
// a corner, or without.
func (p *sampleDensity) laneMatrix(c term, rows, cols int) *ad.Node {
	shape := ad.Shape{rows, cols}
	x := c.n.Gather(p.indices(shape.Len(), c.n.Shape().Len()), shape)
	kind := p.next(6)
	if kind < 2 {
		return x
	}
	mask := make([]float64, shape.Len())
	for i := range mask {
		r, c := i/cols, i%cols
		if kind == 2 && r < c || kind == 3 && r >= c || kind == 4 && r-c < 2 && c-r < 2 || kind == 5 && (r > 2 || c > 1) {
			mask[i] = 1
		}
	}
	return x.Mul(p.b.Constant(mask, shape))
}

// power multiplies two matrices of lanes, or one with itself, and reads the product or
// parts of it.
func (p *sampleDensity) power() {
	x, y := p.pick(), p.pick()
	rows, inner, cols := 2+p.next(6), 2+p.next(4), 2+p.next(6)
	a, b := p.laneMatrix(x, rows, inner), p.laneMatrix(y, inner, cols)
	bound := x.bound * y.bound * float64(inner)
	var z *ad.Node
	switch p.next(5) {
	case 0, 1:
		z = a.MatMul(b)
	case 2:
		z = b.T().MatMul(a.T()).AddScalar(0.3)
	case 3:
		z, bound = a.MatMul(a.T()), x.bound*x.bound*float64(inner)
	case 4: // (I + a/4)³
		a = p.laneMatrix(x, rows, rows).Tanh().Scale(0.25).Add(p.identity(rows))
		z, bound = a.MatMul(a).MatMul(a), 20
	}
	if n := z.Shape().Len(); p.next(3) == 0 {
		z = z.Gather(p.indices(n/2+1, n), ad.Shape{n/2 + 1})
	}
	p.push(z, bound)
}

// draw reads an input of uniform numbers: all of them or some, in any order.
func (p *sampleDensity) draw() {
	u := p.draws[p.next(len(p.draws))]
	n := u.Shape().Len()
	shape := ad.Shape{n}
	switch p.next(4) {
	case 0:
		u = u.Gather(p.rng.Perm(n), shape)
	case 1:
		u = u.Gather(p.indices(n, n), shape)
	case 2:
		u = u.Slice(0, p.next(n), n)
		shape = u.Shape()
	}
	logit := p.vector(shape)
	var g *ad.Node
	switch p.next(7) {
	case 0, 1:
		g = logit.SigmoidShift(u)
	case 2:
		g = logit.Sigmoid().Greater(u)
	case 3:
		g = u.Greater(logit.Sigmoid())
	case 4:
		g = u.Mul(logit)
	case 5:
		g = logit.Sub(u)
	case 6:
		g = logit.Sigmoid().Greater(u).Mul(logit)
	}
	p.push(g, 3)
	if shape[0] != p.vars*(p.vars-1)/2 || p.next(2) == 0 {
		return
	}
	d := p.vars // residuals of a linear model
	w := g.ScatterAdd(ad.StrictUpper(d), ad.Shape{d, d}).Mul(p.uniform[0])
	r := p.matrix(d, d, false)
	y := r.MatMul(p.identity(d).Sub(w)).Square().Sum(0)
	p.push(y, 30)
}

// structural gathers and joins lanes.
func (p *sampleDensity) structural() {
	x, y := p.pick(), p.pick()
	n := 1 + p.next(8)
	a, b := x.n.Gather(p.indices(n, x.n.Shape().Len()), ad.Shape{n}), y.n.Gather(p.indices(n, y.n.Shape().Len()), ad.Shape{n})
	switch p.next(4) {
	case 0:
		p.push(ad.Concat(0, a, b), max(x.bound, y.bound))
	case 1:
		p.push(a.Mul(b), x.bound*y.bound)
	case 2:
		p.push(a.Mul(p.vector(ad.Shape{n})).Add(b.Mul(p.vector(ad.Shape{n}))), 3*(x.bound+y.bound))
	case 3:
		p.push(a.Neg().Mul(p.vector(ad.Shape{1})).Sub(b), 3*x.bound+y.bound)
	}
}

// lanes applies functions of lanes.
func (p *sampleDensity) lanes() {
	c := p.pick()
	switch p.next(7) {
	case 0:
		p.push(c.n.Tanh(), 1)
	case 1:
		p.push(c.n.Tanh().Exp(), 3)
	case 2:
		p.push(c.n.Sigmoid().Neg(), 1)
	case 3:
		p.push(p.pool[0].n.Positive().Where(c.n.Sum(), c.n.Mean().Mul(p.scalar)), 9*c.bound)
	case 4:
		p.push(c.n.Sum(), 4*c.bound)
	case 5:
		p.push(c.n.AddScalar(-1), c.bound+1)
	case 6:
		p.push(p.scalar.Sub(c.n), c.bound+3)
	}
}

// lose adds a log-mean-exp over the samples: one for all elements or one for each,
// with weights that are near each other or far apart.
func (p *sampleDensity) lose() {
	c := p.pick()
	if !slices.Contains(c.n.Axes(), p.sample) {
		return
	}
	x := c.n.Scale([]float64{-1, 1, -20, 20, 0.1}[p.next(5)])
	switch p.next(4) {
	case 0, 1:
		p.losses = append(p.losses, x.Sum().LogMeanExpOver(p.sample))
	case 2:
		p.losses = append(p.losses, x.LogMeanExpOver(p.sample).Sum())
	case 3:
		p.losses = append(p.losses, x.LogSumExpOver(p.sample).Mul(p.vector(x.Shape())).Sum())
	}
}

// weigh adds a sum of one term by the softmax weights of another.
func (p *sampleDensity) weigh() {
	x, y := p.pick(), p.pick()
	s := x.n.Sum()
	if !slices.Contains(s.Axes(), p.sample) {
		return
	}
	s = s.Scale([]float64{1, 10, -10}[p.next(3)])
	terms := s
	if p.nudge != 0 {
		terms = s.Scale(1 + p.nudge)
	}
	weight := s.Sub(terms.LogSumExpOver(p.sample)).Exp()
	mean := weight.Mul(y.n).SumOver(p.sample)
	switch p.next(3) {
	case 0:
		p.losses = append(p.losses, mean.Sum())
	case 1: // the mean goes back into the lanes
		p.push(y.n.Sub(mean), 2*y.bound)
	case 2:
		p.losses = append(p.losses, mean.Square().Sum().Neg())
	}
}

// late makes a product of numbers that are the same in all samples, and a second one
// whose factors start with the same ones and end with means over the samples.
func (p *sampleDensity) late() {
	rows, inner := 2+p.next(4), 1+p.next(4)
	f, x := p.vector(ad.Shape{rows, inner}), p.asMatrix(p.pick(), inner)
	y := f.MatMul(x)
	if !slices.Contains(y.Axes(), p.sample) {
		return
	}
	first := y.Slice(1, 0, 1)
	mean := first.MeanOver(p.sample)
	if p.next(2) == 0 {
		mean = first.LogMeanExpOver(p.sample)
	}
	more := ad.Concat(0, x, x.Slice(0, 0, 1).Tanh())
	p.push(first.Square().Sum(), 30)
	p.push(ad.Concat(1, f, mean).MatMul(more), 100)
}

// finish chooses the outputs: a sum of the losses and its gradient, and of some
// densities a term in every sample.
func (p *sampleDensity) finish() {
	last := p.pool[len(p.pool)-1].n
	loss := last.Sum()
	if slices.Contains(loss.Axes(), p.sample) {
		loss = loss.LogMeanExpOver(p.sample)
	}
	for _, l := range p.losses {
		loss = loss.Add(l)
	}
	loss = loss.Add(p.uniform[0].Square().Sum().Scale(-0.5)).Add(p.uniform[1].Sum())
	wrt, kind := p.uniform, p.next(4)
	if x := p.pool[0].n; kind == 1 && slices.Contains(x.Axes(), p.loop) {
		wrt = append(slices.Clone(wrt), x)
		loss = loss.Add(x.Square().Sum().MeanOver(p.sample))
	}
	p.outputs = append(p.b.Grad(loss, wrt...), loss)
	if kind == 0 && slices.Contains(last.Axes(), p.loop) {
		p.outputs = append(p.outputs, last)
	}
}

// passCases are the sets of passes to leave out: none, all, each, all but each, and
// all but each and the one that most others need.
func passCases() []ad.Pass {
	all := ad.Pass(0)
	for _, pass := range ad.Passes() {
		all |= pass
	}
	cases := []ad.Pass{0, all}
	for _, pass := range ad.Passes() {
		cases = append(cases, pass, all&^pass)
		if pass != ad.ElementSchedule {
			cases = append(cases, all&^(pass|ad.ElementSchedule))
		}
	}
	return cases
}

// check reports whether the density was compared: whether it is finite and does not
// amplify rounding to what would count as a difference. Rounding is a change in the
// fourteenth digit of all inputs, and of softmax weights, because one weight that
// is exactly 1 cancels what it multiplies exactly, whatever the inputs.
func (p *sampleDensity) check(t *testing.T) (compared bool) {
	t.Helper()
	if err := p.b.Err(); err != nil {
		t.Fatal(err)
	}
	const rounding = 1e-14
	want := p.run(t, p.reference(t), p.src)
	nudged := newNudgedDensity(p.bytes, rounding)
	for i, near := range nudged.run(t, nudged.reference(t), p.perturbed(rounding)) {
		tolerance := fuzzTolerance * max(1, largest(want[i]))
		for k, w := range want[i] {
			if !(math.Abs(w) <= 1e12 && math.Abs(near[k]-w) <= tolerance/10) {
				return false
			}
		}
	}
	for _, without := range passCases() {
		program, err := ad.Compile(p.inputs, p.outputs, without)
		if err != nil {
			t.Fatalf("without %q: %v", without, err)
		}
		var got [2][][]float64
		for i, workers := range []int{1, 3} {
			e, err := program.NewEvaluator(ad.Options{Workers: workers})
			if err != nil {
				t.Fatalf("without %q: %v", without, err)
			}
			got[i] = p.run(t, e, p.src)
		}
		one, three := got[0], got[1]
		for i := range want {
			if !sameBits(one[i], three[i]) {
				t.Errorf("without %q: output %d %v: three workers got %v, one %v", without, i, p.outputs[i], three[i], one[i])
			}
			tolerance := fuzzTolerance * max(1, largest(want[i]))
			for k, w := range want[i] {
				if g := one[i][k]; !(math.Abs(g-w) <= tolerance) {
					t.Errorf("without %q: output %d %v, element %d: got %v, want %v", without, i, p.outputs[i], k, g, w)
					break
				}
			}
		}
	}
	return true
}

func (p *sampleDensity) reference(t *testing.T) ad.Evaluator {
	t.Helper()
	e, err := ad.NewEvaluator(p.inputs, p.outputs, ad.Options{Engine: ad.Reference})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// perturbed are the feeds with a relative error.
func (p *sampleDensity) perturbed(relative float64) []ad.Feed {
	src := slices.Clone(p.src)
	for i, f := range src {
		src[i].Data = slices.Clone(f.Data)
		for k := range f.Data {
			src[i].Data[k] *= 1 + relative*math.Sin(float64(k+1))
		}
	}
	return src
}

// run evaluates twice, since the second run finds what the first has left, and
// closes the evaluator.
func (p *sampleDensity) run(t *testing.T, e ad.Evaluator, src []ad.Feed) [][]float64 {
	t.Helper()
	defer e.Close()
	first, second := room(p.outputs), room(p.outputs)
	for _, dst := range [][][]float64{first, second} {
		if err := e.Eval(dst, src); err != nil {
			t.Fatal(err)
		}
	}
	for i := range first {
		if !sameBits(first[i], second[i]) {
			t.Errorf("output %d %v: the second run got %v, the first %v", i, p.outputs[i], second[i], first[i])
		}
	}
	return first
}
