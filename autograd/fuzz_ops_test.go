package autograd_test

import (
	"math"
	"slices"

	ad "tobac/autograd"
)

// Operations of random programs in general.

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
		p.push(x.Gather(p.indices(len(upper), s.Len()), ad.Shape{len(upper)}).ScatterAdd(upper,
			ad.Shape{d, d}), c.bound, c.exact)
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
				p.push(c.n.Gather(p.indices(2*a.Size(), s.Len()), ad.Shape{a.Size(), 2}).Unstack(a),
					c.bound, c.exact)
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

// special applies functions of one operand, some within their domain.
func (p *program) special() {
	c := p.pick()
	x, m := c.n, c.bound
	small := x.Tanh()
	inside := x.Sigmoid().Clamp(0.01, 0.99)
	switch p.next(16) {
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
	case 15:
		p.push(x.Asinh(), m, false)
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
		p.push(positive.LogBeta(y.n.Square().AddScalar(0.5)), x.bound*x.bound+y.bound*y.bound+4,
			false)
	}
}

// compare applies functions with jumps to terms with the same bits in every engine.
func (p *program) compare() {
	x := p.pickExact()
	y := p.fit(p.pickExact(), x.n.Shape())
	build := []func(n, m *ad.Node) *ad.Node{(*ad.Node).Equal, (*ad.Node).AtLeast, (*ad.Node).And,
		(*ad.Node).Or}[p.next(4)]
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
