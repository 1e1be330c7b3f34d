package generalised

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A predictor is a linear predictor of a family: what it consists of.
type predictor struct{ constant, parents bool }

// A family is the distribution of a child given linear predictors η.
type family interface {
	predictors() []predictor
	// row is ln p(y | η), with its gradient g and its Hessian h, K×K, which it overwrites; −Inf
	// where η is impossible.
	row(y float64, eta, g, h []float64) float64
	// prior is the log density of the constants, in the sequence of their predictors, to whose
	// gradient and Hessian it adds.
	prior(c, g, h []float64) float64
	// start are constants near the mode without parents.
	start(y, weight []float64) []float64
}

// A rememberer is a family of which a copy for one goroutine remembers what rows share.
type rememberer interface{ remembering() family }

// A problem is one equation with everything fixed but its parameters: for each predictor its
// constant and the weights of the columns, if it has them.
type problem struct {
	family
	y, weight []float64 // weight: how often a row occurs; nil means once
	columns   [][]float64
	variance  []float64 // prior variances of the weights of the columns
}

// A fit is the mode of a problem.
type fit struct {
	theta []float64
	log   float64      // Laplace's evidence
	root  mat.Cholesky // of the negative Hessian
}

const (
	mostSteps = 100
	settled   = 1e-9 // gain of a step, in nats, at which the search ends
)

// size is the number of parameters.
func (p *problem) size() int {
	size := 0
	for _, q := range p.predictors() {
		if q.constant {
			size++
		}
		if q.parents {
			size += len(p.columns)
		}
	}
	return size
}

// initial are parameters to begin with: weights of 0.
func (p *problem) initial() []float64 { return p.extended(p.start(p.y, p.weight), 0) }

// extended are the parameters of an equation of so many of the columns, the weights of the others
// 0.
func (p *problem) extended(theta []float64, columns int) []float64 {
	var out []float64
	at := 0
	for _, q := range p.predictors() {
		if q.constant {
			out = append(out, theta[at])
			at++
		}
		if q.parents {
			out = append(out, theta[at:at+columns]...)
			at += columns
			out = append(out, make([]float64, len(p.columns)-columns)...)
		}
	}
	return out
}

// eta are the linear predictors in all rows, K numbers for each.
func (p *problem) eta(dst, theta []float64) {
	all := p.predictors()
	kk, at := len(all), 0
	for k, q := range all {
		c := 0.0
		if q.constant {
			c = theta[at]
			at++
		}
		for i := range p.y {
			dst[i*kk+k] = c
		}
		if !q.parents {
			continue
		}
		for _, column := range p.columns {
			b := theta[at]
			at++
			if b == 0 {
				continue
			}
			for i, v := range column {
				dst[i*kk+k] += b * v
			}
		}
	}
}

// constants are the positions of the constants.
func (p *problem) constants() []int {
	var all []int
	at := 0
	for _, q := range p.predictors() {
		if q.constant {
			all = append(all, at)
			at++
		}
		if q.parents {
			at += len(p.columns)
		}
	}
	return all
}

// A work is the memory of a search.
type work struct {
	family
	eta     []float64
	g, h    [][]float64 // by predictor, and by pair of predictors: of the rows
	product []float64
}

func (p *problem) newWork() *work {
	n, k := len(p.y), len(p.predictors())
	w := &work{family: p.family, eta: make([]float64, n*k), product: make([]float64, n)}
	if f, ok := p.family.(rememberer); ok {
		w.family = f.remembering()
	}
	for range k {
		w.g = append(w.g, make([]float64, n))
	}
	for range k * k {
		w.h = append(w.h, make([]float64, n))
	}
	return w
}

// density is ln p(y, θ); with a gradient and a Hessian, these too.
func (p *problem) density(w *work, theta, gradient []float64, hessian *mat.SymDense) float64 {
	all := p.predictors()
	kk := len(all)
	p.eta(w.eta, theta)
	sum := 0.0
	g, h := make([]float64, kk), make([]float64, kk*kk)
	for i, y := range p.y {
		v := w.row(y, w.eta[i*kk:(i+1)*kk], g, h)
		c := 1.0
		if p.weight != nil {
			c = p.weight[i]
		}
		if sum += c * v; math.IsInf(v, -1) || math.IsNaN(v) {
			return math.Inf(-1)
		}
		if gradient == nil {
			continue
		}
		for k, v := range g {
			w.g[k][i] = c * v
		}
		for k, v := range h {
			w.h[k][i] = c * v
		}
	}
	at := p.constants()
	c := make([]float64, len(at))
	for k, a := range at {
		c[k] = theta[a]
	}
	cg, ch := make([]float64, len(at)), make([]float64, len(at)*len(at))
	sum += p.prior(c, cg, ch)
	place := 0
	starts := make([]int, kk)
	for k, q := range all {
		starts[k] = place
		if q.constant {
			place++
		}
		if !q.parents {
			continue
		}
		for a, v := range p.variance {
			b := theta[place+a]
			sum -= 0.5*b*b/v + 0.5*math.Log(2*math.Pi*v)
		}
		place += len(p.columns)
	}
	if gradient == nil {
		return sum
	}
	// The columns of a predictor: a constant, then those of the parents.
	column := func(k, a int) []float64 {
		if all[k].constant {
			if a == 0 {
				return nil
			}
			a--
		}
		return p.columns[a]
	}
	width := func(k int) int {
		n := 0
		if all[k].constant {
			n++
		}
		if all[k].parents {
			n += len(p.columns)
		}
		return n
	}
	hessian.Zero()
	for k := range all {
		for a := range width(k) {
			if x := column(k, a); x == nil {
				gradient[starts[k]+a] = floats.Sum(w.g[k])
			} else {
				gradient[starts[k]+a] = floats.Dot(w.g[k], x)
			}
		}
		for l := k; l < kk; l++ {
			of := w.h[k*kk+l]
			if !slices.ContainsFunc(of, func(v float64) bool { return v != 0 }) {
				continue
			}
			for a := range width(k) {
				u := of
				if x := column(k, a); x != nil {
					floats.MulTo(w.product, of, x)
					u = w.product
				}
				from := 0
				if l == k {
					from = a
				}
				for b := from; b < width(l); b++ {
					v := 0.0
					if x := column(l, b); x == nil {
						v = floats.Sum(u)
					} else {
						v = floats.Dot(u, x)
					}
					hessian.SetSym(starts[k]+a, starts[l]+b, v)
				}
			}
		}
	}
	for k, a := range at {
		gradient[a] += cg[k]
		for l := k; l < len(at); l++ {
			hessian.SetSym(a, at[l], hessian.At(a, at[l])+ch[k*len(at)+l])
		}
	}
	for k, q := range all {
		if !q.parents {
			continue
		}
		from := starts[k] + width(k) - len(p.columns)
		for a, v := range p.variance {
			gradient[from+a] -= theta[from+a] / v
			hessian.SetSym(from+a, from+a, hessian.At(from+a, from+a)-1/v)
		}
	}
	return sum
}

// solve searches the mode by Newton's method from theta; nil means [problem.initial].
func (p *problem) solve(theta []float64) *fit {
	size := p.size()
	f := &fit{theta: slices.Clone(theta)}
	if theta == nil {
		f.theta = p.initial()
	}
	w := p.newWork()
	gradient, hessian, negative := make([]float64, size), mat.NewSymDense(size, nil),
		mat.NewSymDense(size, nil)
	value := p.density(w, f.theta, gradient, hessian)
	next, step := make([]float64, size), mat.NewVecDense(size, nil)
	ahead := make([]float64, size)
	for range mostSteps {
		negative.ScaleSym(-1, hessian)
		for ridge := 0.0; !f.root.Factorize(negative); ridge = 10*ridge +
			1e-6*(1+trace(hessian)/float64(size)) {
			for a := range size {
				negative.SetSym(a, a, ridge-hessian.At(a, a))
			}
			if math.IsInf(ridge, 0) || math.IsNaN(ridge) {
				f.log = math.Inf(-1)
				return f
			}
		}
		if f.root.SolveVecTo(step, mat.NewVecDense(size, gradient)) != nil &&
			mat.Norm(step, 2) == 0 {
			break
		}
		gain := floats.Dot(gradient, step.RawVector().Data)
		if gain < settled {
			break
		}
		// Most whole steps are taken, so that their derivatives are computed at once.
		floats.AddTo(next, f.theta, step.RawVector().Data)
		v, length := p.density(w, next, ahead, hessian), 1.0
		for v < value+1e-4*length*gain || math.IsNaN(v) {
			if length /= 2; length <= 1e-10 {
				break
			}
			floats.AddScaledTo(next, f.theta, length, step.RawVector().Data)
			v = p.density(w, next, nil, nil)
		}
		if length <= 1e-10 {
			break // rounding
		}
		if length < 1 {
			v = p.density(w, next, ahead, hessian)
		}
		copy(f.theta, next)
		copy(gradient, ahead)
		value = v
	}
	f.log = value + float64(size)/2*math.Log(2*math.Pi) - 0.5*f.root.LogDet()
	return f
}

// trace is the sum of the magnitudes on the diagonal.
func trace(m *mat.SymDense) float64 {
	sum := 0.0
	for a := range m.SymmetricDim() {
		sum += math.Abs(m.At(a, a))
	}
	return sum
}
