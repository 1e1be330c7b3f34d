package generalised

import (
	"math"
	"slices"

	"tobac/internal/vector"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
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

var kernels, _ = vector.Default() // an unknown name of kernels is reported by what compiles

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
	log   float64 // Laplace's evidence
	root  factor  // of the negative Hessian
	cost  float64 // multiplications of the search, about
}

const (
	mostSteps = 100
	// gain of a step, in nats, at which the search ends: what this step changes of the Hessian is
	// then less than the error of Laplace's approximation
	settled = 1e-6
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
	eta, g, h  []float64 // by row and predictor; g and h are the derivatives of the rows
	hPair      int       // steps in h from a pair of predictors to the next one, and from a row
	hRow       int
	product    []float64
	products   blas64.General // of two columns, the constant first: by row and pair of columns
	ofProducts blas64.General // by pair of predictors, and of columns
	weights    []float64      // by column and predictor
}

// mostProducts bounds the pairs of columns whose products are kept.
const mostProducts = 64

func (p *problem) newWork() *work {
	n, all, columns := len(p.y), p.predictors(), len(p.columns)+1
	k := len(all)
	pairs := k * (k + 1) / 2
	w := &work{family: p.family, eta: make([]float64, n*k), g: make([]float64, n*k),
		h: make([]float64, n*pairs), hPair: n, hRow: 1, product: make([]float64, n)}
	if f, ok := p.family.(rememberer); ok {
		w.family = f.remembering()
	}
	products := columns * (columns + 1) / 2
	if k < 2 || products > mostProducts || slices.ContainsFunc(all, func(q predictor) bool {
		return !q.constant || !q.parents
	}) {
		return w
	}
	w.hPair, w.hRow = 1, pairs
	general := func(rows, columns int) blas64.General {
		return blas64.General{Rows: rows, Cols: columns, Stride: columns,
			Data: make([]float64, rows*columns)}
	}
	w.products, w.ofProducts = general(n, products), general(pairs, products)
	w.weights = make([]float64, columns*k)
	row := make([]float64, columns)
	row[0] = 1
	for i := range n {
		for a, column := range p.columns {
			row[a+1] = column[i]
		}
		at := w.products.Data[i*products:]
		for a, u := range row {
			for b, v := range row[a:] {
				at[b] = u * v
			}
			at = at[columns-a:]
		}
	}
	return w
}

// linear computes the linear predictors in all rows.
func (p *problem) linear(w *work, theta []float64) {
	if w.weights == nil {
		p.eta(w.eta, theta)
		return
	}
	k, columns := len(w.eta)/len(p.y), len(p.columns)+1
	for q := range k {
		for a, b := range theta[q*columns:][:columns] {
			w.weights[a*k+q] = b
		}
	}
	kernels.MulStrided(blas64.General{Rows: len(p.y), Cols: k, Stride: k, Data: w.eta},
		vector.Strided{Rows: len(p.y), Cols: columns, Row: w.products.Stride, Col: 1,
			Data: w.products.Data},
		blas64.General{Rows: columns, Cols: k, Stride: k, Data: w.weights})
}

// density is ln p(y, θ); with a gradient and a Hessian, these too.
func (p *problem) density(w *work, theta, gradient []float64, hessian *mat.SymDense) float64 {
	all := p.predictors()
	kk := len(all)
	p.linear(w, theta)
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
			w.g[i*kk+k] = c * v
		}
		at := i * w.hRow
		for k := range kk {
			for _, v := range h[k*kk+k : (k+1)*kk] {
				w.h[at] = c * v
				at += w.hPair
			}
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
	hessian.Zero()
	if w.weights != nil {
		p.sumProducts(w, gradient, hessian)
	} else {
		p.sumColumns(w, starts, gradient, hessian)
	}
	for k, a := range at {
		gradient[a] += cg[k]
		for l, b := range at[:k+1] {
			hessian.SetSym(a, b, hessian.At(a, b)+ch[k*len(at)+l])
		}
	}
	for k, q := range all {
		if !q.parents {
			continue
		}
		from := starts[k]
		if q.constant {
			from++
		}
		for a, v := range p.variance {
			gradient[from+a] -= theta[from+a] / v
			hessian.SetSym(from+a, from+a, hessian.At(from+a, from+a)-1/v)
		}
	}
	return sum
}

// sumProducts sums the derivatives of the rows where all predictors have the same columns.
func (p *problem) sumProducts(w *work, gradient []float64, hessian *mat.SymDense) {
	n, columns, of := len(p.y), len(p.columns)+1, w.products
	k := len(w.g) / n
	single := of
	single.Cols = columns
	kernels.MulStrided(blas64.General{Rows: k, Cols: columns, Stride: columns, Data: gradient},
		vector.Strided{Rows: k, Cols: n, Row: 1, Col: k, Data: w.g}, single)
	kernels.MulStrided(w.ofProducts,
		vector.Strided{Rows: w.hRow, Cols: n, Row: 1, Col: w.hRow, Data: w.h}, of)
	raw, next := hessian.RawSymmetric(), w.ofProducts.Data
	for q := range k {
		for l := q; l < k; l++ {
			for a := range columns {
				for b := a; b < columns; b++ {
					raw.Data[(q*columns+a)*raw.Stride+l*columns+b] = next[b-a]
					if l > q {
						raw.Data[(q*columns+b)*raw.Stride+l*columns+a] = next[b-a]
					}
				}
				next = next[columns-a:]
			}
		}
	}
}

// sumColumns sums the derivatives of the rows, column by column.
func (p *problem) sumColumns(w *work, starts []int, gradient []float64, hessian *mat.SymDense) {
	n, all := len(p.y), p.predictors()
	kk := len(all)
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
	sum := func(u, x []float64) float64 {
		if x == nil {
			return kernels.Sum(u)
		}
		return floats.Dot(u, x)
	}
	of := w.h
	for k := range all {
		for i := range n {
			w.product[i] = w.g[i*kk+k]
		}
		for a := range width(k) {
			gradient[starts[k]+a] = sum(w.product, column(k, a))
		}
		for l := k; l < kk; l++ {
			h := of[:n]
			if of = of[n:]; !slices.ContainsFunc(h, func(v float64) bool { return v != 0 }) {
				continue
			}
			same := all[k] == all[l]
			for a := range width(k) {
				u := h
				if x := column(k, a); x != nil {
					kernels.MulEach(w.product, h, x)
					u = w.product
				}
				from := 0
				if same {
					from = a
				}
				for b := from; b < width(l); b++ {
					v := sum(u, column(l, b))
					hessian.SetSym(starts[k]+a, starts[l]+b, v)
					if same && l > k {
						hessian.SetSym(starts[k]+b, starts[l]+a, v)
					}
				}
			}
		}
	}
}

// ofDensity is the multiplications of a row and predictor for its density and derivatives.
const ofDensity = 30

// cost is about the number of multiplications of a density of so many rows, with derivatives or
// without.
func (p *problem) cost(derivatives bool) float64 {
	k, columns, size := float64(len(p.predictors())), float64(len(p.columns)), float64(p.size())
	each := k * (columns + ofDensity)
	if derivatives {
		each += k*(columns+1) + k*(k+1)*(columns+1)*(columns+2)/4
		return each*float64(len(p.y)) + size*size*size/3
	}
	return each * float64(len(p.y))
}

// solve searches the mode by Newton's method from theta; nil means [problem.initial].
func (p *problem) solve(theta []float64) *fit {
	size := p.size()
	f := &fit{theta: slices.Clone(theta)}
	if theta == nil {
		f.theta = p.initial()
	}
	w := p.newWork()
	gradient, hessian := make([]float64, size), mat.NewSymDense(size, nil)
	value := p.density(w, f.theta, gradient, hessian)
	f.cost = p.cost(true)
	next, step, ahead := make([]float64, size), make([]float64, size), make([]float64, size)
	f.root = newFactor(size)
	for range mostSteps {
		for ridge := 0.0; !f.root.set(hessian, ridge); ridge = 10*ridge +
			1e-6*(1+trace(hessian)/float64(size)) {
			if math.IsInf(ridge, 0) || math.IsNaN(ridge) {
				f.log = math.Inf(-1)
				return f
			}
		}
		copy(step, gradient)
		f.root.solve(step)
		gain := floats.Dot(gradient, step)
		floats.AddTo(next, f.theta, step)
		if gain < settled {
			f.cost += p.cost(false)
			if v := p.density(w, next, nil, nil); v > value {
				copy(f.theta, next)
				value = v
			}
			break
		}
		// Most whole steps are taken, so that their derivatives are computed at once.
		v, length := p.density(w, next, ahead, hessian), 1.0
		f.cost += p.cost(true)
		for v < value+1e-4*length*gain || math.IsNaN(v) {
			if length /= 2; length <= 1e-10 {
				break
			}
			floats.AddScaledTo(next, f.theta, length, step)
			v = p.density(w, next, nil, nil)
			f.cost += p.cost(false)
		}
		if length <= 1e-10 {
			break // rounding
		}
		if length < 1 {
			v = p.density(w, next, ahead, hessian)
			f.cost += p.cost(true)
		}
		copy(f.theta, next)
		copy(gradient, ahead)
		value = v
	}
	f.log = value + float64(size)/2*math.Log(2*math.Pi) - 0.5*f.root.logDet()
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

// A factor is L of a matrix LLᵀ. Unlike [mat.Cholesky] it does not estimate the condition.
type factor struct{ l blas64.Triangular }

func newFactor(size int) factor {
	return factor{blas64.Triangular{N: size, Stride: size, Data: make([]float64, size*size),
		Uplo: blas.Lower, Diag: blas.NonUnit}}
}

// set makes it the factor of a multiple of the identity less a matrix; false if that is not
// positive definite.
func (f *factor) set(m *mat.SymDense, ridge float64) bool {
	n, raw := f.l.N, m.RawSymmetric()
	for i := range n {
		for j := range i + 1 {
			f.l.Data[i*n+j] = -raw.Data[j*raw.Stride+i]
		}
		f.l.Data[i*n+i] += ridge
	}
	_, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: n, Data: f.l.Data, Uplo: blas.Lower})
	return ok && !math.IsInf(f.logDet(), 0)
}

// solve replaces b with (LLᵀ)⁻¹b.
func (f *factor) solve(b []float64) {
	blas64.Trsv(blas.NoTrans, f.l, blas64.Vector{N: len(b), Inc: 1, Data: b})
	f.back(b)
}

// back replaces b with (Lᵀ)⁻¹b.
func (f *factor) back(b []float64) {
	blas64.Trsv(blas.Trans, f.l, blas64.Vector{N: len(b), Inc: 1, Data: b})
}

// logDet is ln|LLᵀ|.
func (f *factor) logDet() float64 {
	sum := 0.0
	for i := range f.l.N {
		sum += 2 * math.Log(f.l.Data[i*f.l.N+i])
	}
	return sum
}
