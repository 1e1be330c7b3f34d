package autograd_test

import (
	"slices"

	ad "tobac/autograd"
)

// What random densities are made of: what the lane compiler has special cases for.

// vector is a list of numbers that are the same in all samples.
func (p *program) vector(shape ad.Shape) *ad.Node {
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
	return w.Gather(p.indices(n, w.Shape().Len()),
		shape).Mul(p.b.Constant(normals(p.rng, n), shape))
}

// uniformMatrix is a factor of a product: dense, a triangle, a diagonal or with empty
// rows, with some elements 0, 1 or −1 unless it is to be generic.
func (p *program) uniformMatrix(rows, cols int, generic bool) *ad.Node {
	shape := ad.Shape{rows, cols}
	mask := make([]float64, shape.Len())
	kind := p.next(6)
	for i := range mask {
		r, c := i/cols, i%cols
		if kind < 2 || kind == 2 && r <= c || kind == 3 && r < c || kind == 4 && r == c ||
			kind == 5 && r%2 == 0 {
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
func (p *program) operand(rows int) (x *ad.Node, bound float64) {
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
				x = p.identity(rows).Sub(x.Reshape(ad.Shape{rows * rows}).Gather(upper,
					ad.Shape{len(upper)}).ScatterAdd(upper, ad.Shape{rows, rows}))
			}
		}
	case 6:
		x = p.b.Constant(make([]float64, rows*cols), ad.Shape{rows, cols}).Sub(x)
	}
	return x, 3 * c.bound
}

func (p *program) identity(d int) *ad.Node {
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*(d+1)] = 1
	}
	return p.b.Constant(eye, ad.Shape{d, d})
}

// product is a matrix product of numbers that are the same in all samples with
// lanes, with a bias or without, and what reads it.
func (p *program) product() {
	rows, inner := 1+p.next(7), 1+p.next(6)
	tail := p.next(7)
	x, bound := p.operand(inner)
	f := p.uniformMatrix(rows, inner, tail < 2)
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
		y = p.uniformMatrix(r, y.Shape()[0], false).MatMul(y).Add(p.vector(ad.Shape{r, 1}))
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
		y = y.Square().Mul(p.vector(ad.Shape{y.Shape()[1]})).Sum(0).Add(
			y.Slice(0, 0, 1).Reshape(ad.Shape{y.Shape()[1]}))
		bound *= bound * 3
	}
	p.push(y, bound, false)
}

// laneMatrix is a matrix of elements of a term, with the zeros of a triangle, a band or
// a corner, or without.
func (p *program) laneMatrix(c term, rows, cols int) *ad.Node {
	shape := ad.Shape{rows, cols}
	x := c.n.Gather(p.indices(shape.Len(), c.n.Shape().Len()), shape)
	kind := p.next(6)
	if kind < 2 {
		return x
	}
	mask := make([]float64, shape.Len())
	for i := range mask {
		r, c := i/cols, i%cols
		if kind == 2 && r < c || kind == 3 && r >= c || kind == 4 && r-c < 2 && c-r < 2 ||
			kind == 5 && (r > 2 || c > 1) {
			mask[i] = 1
		}
	}
	return x.Mul(p.b.Constant(mask, shape))
}

// power multiplies two matrices of lanes, or one with itself, and reads the product or
// parts of it.
func (p *program) power() {
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
	p.push(z, bound, false)
}

// draw reads an input of uniform numbers: all of them or some, in any order.
func (p *program) draw() {
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
	p.push(g, 3, false)
	if shape[0] != p.vars*(p.vars-1)/2 || p.next(2) == 0 {
		return
	}
	d := p.vars // residuals of a linear model
	w := g.ScatterAdd(ad.StrictUpper(d), ad.Shape{d, d}).Mul(p.uniform[0])
	r := p.uniformMatrix(d, d, false)
	y := r.MatMul(p.identity(d).Sub(w)).Square().Sum(0)
	p.push(y, 30, false)
}

// structural gathers and joins lanes.
func (p *program) structural() {
	x, y := p.pick(), p.pick()
	n := 1 + p.next(8)
	a, b := x.n.Gather(p.indices(n, x.n.Shape().Len()), ad.Shape{n}),
		y.n.Gather(p.indices(n, y.n.Shape().Len()), ad.Shape{n})
	switch p.next(4) {
	case 0:
		p.push(ad.Concat(0, a, b), max(x.bound, y.bound), false)
	case 1:
		p.push(a.Mul(b), x.bound*y.bound, false)
	case 2:
		p.push(a.Mul(p.vector(ad.Shape{n})).Add(b.Mul(p.vector(ad.Shape{n}))), 3*(x.bound+y.bound),
			false)
	case 3:
		p.push(a.Neg().Mul(p.vector(ad.Shape{1})).Sub(b), 3*x.bound+y.bound, false)
	}
}

// lanes applies functions of lanes.
func (p *program) lanes() {
	c := p.pick()
	switch p.next(7) {
	case 0:
		p.push(c.n.Tanh(), 1, false)
	case 1:
		p.push(c.n.Tanh().Exp(), 3, false)
	case 2:
		p.push(c.n.Sigmoid().Neg(), 1, false)
	case 3:
		p.push(p.pool[0].n.Positive().Where(c.n.Sum(), c.n.Mean().Mul(p.scalar)), 9*c.bound, false)
	case 4:
		p.push(c.n.Sum(), 4*c.bound, false)
	case 5:
		p.push(c.n.AddScalar(-1), c.bound+1, false)
	case 6:
		p.push(p.scalar.Sub(c.n), c.bound+3, false)
	}
}

// lose adds a log-mean-exp over the samples: one for all elements or one for each,
// with weights that are near each other or far apart.
func (p *program) lose() {
	c := p.pick()
	if !slices.Contains(c.n.Axes(), p.samples[0]) {
		return
	}
	x := c.n.Scale([]float64{-1, 1, -20, 20, 0.1}[p.next(5)])
	switch p.next(4) {
	case 0, 1:
		p.late = append(p.late, x.Sum().LogMeanExpOver(p.samples[0]))
	case 2:
		p.late = append(p.late, x.LogMeanExpOver(p.samples[0]).Sum())
	case 3:
		p.late = append(p.late, x.LogSumExpOver(p.samples[0]).Mul(p.vector(x.Shape())).Sum())
	}
}

// weigh adds a sum of one term by the softmax weights of another.
func (p *program) weigh() {
	x, y := p.pick(), p.pick()
	s := x.n.Sum()
	if !slices.Contains(s.Axes(), p.samples[0]) {
		return
	}
	s = s.Scale([]float64{1, 10, -10}[p.next(3)])
	weight := s.Sub(p.nudged(s.LogSumExpOver(p.samples[0]))).Exp()
	mean := weight.Mul(y.n).SumOver(p.samples[0])
	switch p.next(3) {
	case 0:
		p.late = append(p.late, mean.Sum())
	case 1: // the mean goes back into the lanes
		p.push(y.n.Sub(mean), 2*y.bound, false)
	case 2:
		p.late = append(p.late, mean.Square().Sum().Neg())
	}
}

// means makes a product of numbers that are the same in all samples, and a second one
// whose factors start with the same ones and end with means over the samples.
func (p *program) means() {
	rows, inner := 2+p.next(4), 1+p.next(4)
	f, x := p.vector(ad.Shape{rows, inner}), p.asMatrix(p.pick(), inner)
	y := f.MatMul(x)
	if !slices.Contains(y.Axes(), p.samples[0]) {
		return
	}
	first := y.Slice(1, 0, 1)
	mean := first.MeanOver(p.samples[0])
	if p.next(2) == 0 {
		mean = first.LogMeanExpOver(p.samples[0])
	}
	more := ad.Concat(0, x, x.Slice(0, 0, 1).Tanh())
	p.push(first.Square().Sum(), 30, false)
	p.push(ad.Concat(1, f, mean).MatMul(more), 100, false)
}
