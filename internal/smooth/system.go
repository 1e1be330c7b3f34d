package smooth

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"tobac/internal/vector"
)

// A block are functions of an equation that enter and leave it together: the line of column i, its
// smooth functions, both, or the products of the columns i < k.
type block struct{ i, k, from, count int }

// line is that of column i.
func line(i int) block { return block{i, -1, 0, 1} }

// curve are the smooth functions of column i.
func (t *Data) curve(i int) block { return block{i, -1, 1, len(t.basis[i].Smooth)} }

// whole are the line and the smooth functions of column i.
func (t *Data) whole(i int) block { return block{i, -1, 0, 1 + len(t.basis[i].Smooth)} }

// product are the products of two columns.
func (t *Data) product(i, k int) block {
	return block{i, k, 0, len(t.variance[i]) * len(t.variance[k])}
}

// A system is an equation with the inverse of its normal equations,
//
//	P = K⁻¹, K = I + D^½ G D^½, u = K⁻¹ v, v = D^½ Φᵀx,
//
// from which the evidence with another amplitude of a block T is read off: with S the Schur
// complement of T in G, and ρ what the others leave of Φ_Tᵀx,
//
//	log|K| = log|K_B| + log|I + D_T^½ S D_T^½|,
//
// and S follows from P_TT where T is in the equation, from G_BT and P where it is not. A block of t
// of the m terms enters or leaves in O(m² t), whatever the number of amplitudes that are tried.
type system struct {
	s          *Scorer
	j          int
	blocks     []block
	roots      []float64 // of the prior variances of all terms, in units of the noise
	v, u       []float64
	p          []float64 // m×m
	half, rest float64   // ½ log|K|, and what the regression leaves of the child's square
	square     float64

	spare []float64
	gram  []float64
	tried []float64
	row   []float64
	last  complement
}

// A complement is what is left of a block beside an equation, or beside the others in it.
type complement struct {
	t          int
	s, rho     []float64 // t×t, t
	weights    []float64 // of the terms of the equation, t×m: P G_BT, where the block is not in it
	k, l, b    []float64 // room
	half, rest float64   // of the equation without the block
}

// begin makes the equation of variable j without parents.
func (y *system) begin(s *Scorer, j int) {
	t := s.data
	raw := t.groups[t.of[j]].gram.RawSymmetric()
	at := t.first[j]
	scale := s.childScale[j]
	y.s, y.j, y.blocks = s, j, y.blocks[:0]
	y.roots, y.v, y.u, y.p = y.roots[:0], y.v[:0], y.u[:0], y.p[:0]
	y.square = scale * scale * raw.Data[at*raw.Stride+at]
	y.half, y.rest = 0, y.square
}

// copy makes the equation of another system.
func (y *system) copy(o *system) {
	y.s, y.j, y.half, y.rest, y.square = o.s, o.j, o.half, o.rest, o.square
	y.blocks, y.roots = append(y.blocks[:0], o.blocks...), append(y.roots[:0], o.roots...)
	y.v, y.u, y.p = append(y.v[:0], o.v...), append(y.u[:0], o.u...), append(y.p[:0], o.p...)
}

// of makes the equation of a fit.
func (y *system) of(s *Scorer, j int, f *fit) {
	y.begin(s, j)
	p := len(f.parents)
	for a, i := range f.parents {
		y.enter(s.data.whole(i), int(f.form.curves[a]))
	}
	for a, i := range f.parents {
		for b := a + 1; b < p; b++ {
			if c := f.form.products[pairAt(a, b, p)]; c > 0 {
				y.enter(s.data.product(i, f.parents[b]), int(c))
			}
		}
	}
}

// log is the log evidence with so many parents.
func (y *system) log(p int) float64 { return y.s.evidence(y.j, p, y.half, y.floor(y.rest)) }

// floor is what is left of the square, but for rounding.
func (y *system) floor(rest float64) float64 { return math.Max(rest, 1e-14*y.square) }

// rootsOf are those of the prior variances of a block with an amplitude, by its place in the lists;
// fewer than the block has where the amplitude leaves some out.
func (s *Scorer) rootsOf(dst []float64, b block, amplitude int) []float64 {
	t := s.data
	if b.k >= 0 {
		root := s.amplitude * math.Sqrt(s.parentScale[b.i]*s.parentScale[b.k])
		root *= productAmplitudes[amplitude]
		for _, u := range t.variance[b.i] {
			for _, v := range t.variance[b.k] {
				if root > 0 {
					dst = append(dst, root*math.Sqrt(u*v))
				}
			}
		}
		return dst
	}
	root := s.amplitude * s.parentScale[b.i]
	if b.from == 0 {
		dst = append(dst, root)
	}
	if b.from+b.count == 1 || amplitude == 0 {
		return dst
	}
	root *= curveAmplitudes[amplitude]
	for _, v := range t.basis[b.i].Variance {
		if curveSteep[amplitude] {
			v *= v / t.basis[b.i].Variance[0]
		}
		dst = append(dst, root*math.Sqrt(v))
	}
	return dst
}

// between is the part of the Gram matrix with rows of one block and columns of another.
func (y *system) between(dst []float64, rows, columns block) {
	t := y.s.data
	g := t.groups[t.of[y.j]]
	switch {
	case rows.k < 0 && columns.k < 0:
		raw := g.gram.RawSymmetric()
		at := t.first[columns.i] + columns.from
		for r := range rows.count {
			from := raw.Data[(t.first[rows.i]+rows.from+r)*raw.Stride+at:]
			copy(dst[r*columns.count:(r+1)*columns.count], from)
		}
	case rows.k >= 0 && columns.k < 0:
		b := t.block(g, blockKey{rows.i, rows.k, columns.i, -1})
		width := 1 + len(t.basis[columns.i].Smooth)
		for r := range rows.count {
			copy(dst[r*columns.count:(r+1)*columns.count], b[r*width+columns.from:])
		}
	case rows.k < 0:
		b := t.block(g, blockKey{columns.i, columns.k, rows.i, -1})
		width := 1 + len(t.basis[rows.i].Smooth)
		for r := range rows.count {
			for c := range columns.count {
				dst[r*columns.count+c] = b[c*width+rows.from+r]
			}
		}
	case rows.i > columns.i || rows.i == columns.i && rows.k >= columns.k:
		copy(dst, t.block(g, blockKey{rows.i, rows.k, columns.i, columns.k}))
	default:
		b := t.block(g, blockKey{columns.i, columns.k, rows.i, rows.k})
		for r := range rows.count {
			for c := range columns.count {
				dst[r*columns.count+c] = b[c*rows.count+r]
			}
		}
	}
}

// child writes the scalar products of a block with the child.
func (y *system) child(dst []float64, b block) {
	t := y.s.data
	g := t.groups[t.of[y.j]]
	scale := y.s.childScale[y.j]
	if b.k < 0 {
		raw := g.gram.RawSymmetric()
		for r := range b.count {
			dst[r] = scale * raw.Data[(t.first[b.i]+b.from+r)*raw.Stride+t.first[y.j]]
		}
		return
	}
	of := t.block(g, blockKey{b.i, b.k, -1, -1})
	for r := range b.count {
		dst[r] = scale * of[r*t.d+y.j]
	}
}

// sized is a slice of a length, with the room of another where it suffices.
func sized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, 2*n)
	}
	return x[:n]
}

// beside is the complement of a block that is not in the equation.
func (y *system) beside(b block) *complement {
	m, c := len(y.roots), &y.last
	c.t = b.count
	c.s, c.rho = sized(c.s, c.t*c.t), sized(c.rho, c.t)
	c.weights, y.gram = sized(c.weights, c.t*m), sized(y.gram, c.t*m)
	c.half, c.rest = y.half, y.rest
	y.between(c.s, b, b)
	y.child(c.rho, b)
	at := 0
	for _, o := range y.blocks {
		y.row = sized(y.row, b.count*o.count)
		y.between(y.row, b, o)
		for r := range b.count {
			to := y.gram[r*m+at : r*m+at+o.count]
			floats.MulTo(to, y.row[r*o.count:(r+1)*o.count], y.roots[at:at+o.count])
		}
		at += o.count
	}
	for r := range c.t {
		of, w := y.gram[r*m:(r+1)*m], c.weights[r*m:(r+1)*m]
		if m > 0 {
			kernels.MulVec(w, vector.Strided{Rows: m, Cols: m, Row: m, Col: 1, Data: y.p}, of)
		}
		c.rho[r] -= floats.Dot(w, y.v)
		for q := range r + 1 {
			c.s[r*c.t+q] -= floats.Dot(w, y.gram[q*m:(q+1)*m])
			c.s[q*c.t+r] = c.s[r*c.t+q]
		}
	}
	return c
}

// within is the complement of a block that is in the equation, whose first term is at.
func (y *system) within(b block, at int) *complement {
	m, c := len(y.roots), &y.last
	t := b.count
	c.t = t
	c.s, c.rho, c.k, c.l = sized(c.s, t*t), sized(c.rho, t), sized(c.k, t*t), sized(c.l, t*t)
	for r := range t {
		copy(c.k[r*t:(r+1)*t], y.p[(at+r)*m+at:])
	}
	log := cholesky(c.l, c.k, t, 1e-300)
	invert(c.s, c.l, t) // P_TT⁻¹ = I + D^½ S D^½
	c.half = y.half + 0.5*log
	c.rest = y.rest
	roots, u := y.roots[at:at+t], y.u[at:at+t]
	for r := range t {
		v := floats.Dot(c.s[r*t:(r+1)*t], u)
		c.rest += u[r] * v
		c.rho[r] = v / roots[r]
	}
	for r := range t {
		c.s[r*t+r]--
		for q := range t {
			c.s[r*t+q] /= roots[r] * roots[q]
		}
	}
	return c
}

// with is what the equation has with the first terms of the block, which have these roots.
func (c *complement) with(roots []float64) (half, rest float64) {
	t := len(roots)
	c.k, c.l, c.b = sized(c.k, t*t), sized(c.l, t*t), sized(c.b, t)
	for r := range t {
		for q := range r + 1 {
			c.k[r*t+q] = roots[r] * roots[q] * c.s[r*c.t+q]
		}
		c.k[r*t+r] = math.Max(c.k[r*t+r], 0) + 1
		c.b[r] = roots[r] * c.rho[r]
	}
	half, rest = c.half+0.5*cholesky(c.l, c.k, t, 1), c.rest
	for r := range t {
		l := c.l[r*t : (r+1)*t]
		c.b[r] = (c.b[r] - floats.Dot(l[:r], c.b[:r])) * l[r]
		rest -= c.b[r] * c.b[r]
	}
	return half, rest
}

// enter adds a block with an amplitude; of columns the line alone where the amplitude is 0.
func (y *system) enter(b block, amplitude int) {
	y.tried = y.s.rootsOf(y.tried[:0], b, amplitude)
	if len(y.tried) == 0 {
		return
	}
	b.count = len(y.tried)
	y.add(b, y.beside(b), y.tried)
}

// add adds a block, whose complement beside the equation is c.
func (y *system) add(b block, c *complement, roots []float64) {
	m, t := len(y.roots), len(roots)
	y.half, y.rest = c.with(roots)
	x := sized(c.k, t*t)
	invert(x, c.l, t)
	n := m + t
	p := sized(y.spare, n*n)
	for r := range m {
		copy(p[r*n:r*n+m], y.p[r*m:(r+1)*m])
	}
	for r := range t { // of P W D^½ X
		to := p[(m+r)*n : (m+r)*n+m]
		clear(to)
		for q := range t {
			floats.AddScaled(to, -x[r*t+q]*roots[q], c.weights[q*m:(q+1)*m])
		}
		copy(p[(m+r)*n+m:(m+r+1)*n], x[r*t:(r+1)*t])
	}
	for k := range m {
		of := p[k*n : k*n+m]
		for r := range t {
			floats.AddScaled(of, -roots[r]*c.weights[r*m+k], p[(m+r)*n:(m+r)*n+m])
			p[k*n+m+r] = p[(m+r)*n+k]
		}
	}
	y.v, y.u = append(y.v, make([]float64, t)...), append(y.u, make([]float64, t)...)
	y.child(y.v[m:], b)
	for r := range t {
		sum := 0.0
		for q := range t {
			sum += x[r*t+q] * roots[q] * c.rho[q]
		}
		y.v[m+r] *= roots[r]
		y.u[m+r] = sum
		floats.AddScaled(y.u[:m], -sum*roots[r], c.weights[r*m:(r+1)*m])
	}
	y.p, y.spare = p, y.p
	y.roots = append(y.roots, roots...)
	if b.k < 0 && b.from == 0 && b.count > 1 {
		y.blocks = append(y.blocks, line(b.i))
		b.from, b.count = 1, b.count-1
	}
	y.blocks = append(y.blocks, b)
}

// place is the first term of a block, and whether it is in the equation.
func (y *system) place(b block) (at int, found bool) {
	for _, o := range y.blocks {
		if o.i == b.i && o.k == b.k && o.from == b.from {
			return at, true
		}
		at += o.count
	}
	return 0, false
}

// along finds the mode along one amplitude of a fit, that of a block, which is an element of its
// form, takes the equation there, and returns ln Σ of the evidences over all values, less that of
// the mode.
func (y *system) along(f *fit, b block, value *uint8, prior []float64) float64 {
	p, began := len(f.parents), *value
	at, found := y.place(b)
	var c *complement
	if found {
		c = y.within(b, at)
	} else {
		c = y.beside(b)
	}
	others := f.form.logPrior() - prior[began]
	highest, all := math.Inf(-1), make([]float64, len(prior))
	for v := range prior {
		y.tried = y.s.rootsOf(y.tried[:0], b, v)
		half, rest := c.with(y.tried)
		all[v] = y.s.evidence(y.j, p, half, y.floor(rest)) + others + prior[v]
		if all[v] > highest {
			highest, *value = all[v], uint8(v)
		}
	}
	switch {
	case *value == began:
	case found:
		y.leave(b, at, c)
		y.enter(b, int(*value))
	default:
		y.tried = y.s.rootsOf(y.tried[:0], b, int(*value))
		y.add(b, c, y.tried)
	}
	f.mode = highest
	return floats.LogSumExp(all) - highest
}

// leave takes a block out, whose complement is c.
func (y *system) leave(b block, at int, c *complement) {
	m, t := len(y.roots), b.count
	n := m - t
	x := sized(c.k, t*t)
	for r := range t {
		for q := range t {
			x[r*t+q] = c.s[r*t+q] * y.roots[at+r] * y.roots[at+q]
		}
		x[r*t+r]++
	}
	p := sized(y.spare, n*n)
	y.row = sized(y.row, t*m)
	for r := range t {
		to := y.row[r*m : (r+1)*m]
		clear(to)
		for q := range t {
			floats.AddScaled(to, x[r*t+q], y.p[(at+q)*m:(at+q+1)*m])
		}
	}
	for k, row := 0, 0; k < m; k++ {
		if k >= at && k < at+t {
			continue
		}
		of := y.p[k*m : (k+1)*m]
		for r := range t {
			v := of[at+r]
			floats.AddScaled(of[:at], -v, y.row[r*m:r*m+at])
			floats.AddScaled(of[at+t:], -v, y.row[r*m+at+t:(r+1)*m])
			y.u[k] -= y.row[r*m+k] * y.u[at+r]
		}
		copy(p[row*n:], of[:at])
		copy(p[row*n+at:(row+1)*n], of[at+t:])
		row++
	}
	y.half, y.rest = c.half, c.rest
	y.p, y.spare = p, y.p
	y.roots = slices.Delete(y.roots, at, at+t)
	y.v, y.u = slices.Delete(y.v, at, at+t), slices.Delete(y.u, at, at+t)
	y.blocks = slices.DeleteFunc(y.blocks, func(o block) bool {
		return o.i == b.i && o.k == b.k && o.from == b.from
	})
}

// cholesky factorises k, t×t, with pivots of at least so much but for rounding, into l, whose
// diagonal holds inverses, and returns log|k|. It allocates nothing, and takes what [mat.Cholesky]
// refuses by rounding.
func cholesky(l, k []float64, t int, least float64) (log float64) {
	for r := range t {
		of := l[r*t : r*t+r+1]
		for c := range r {
			other := l[c*t : c*t+c+1]
			of[c] = (k[r*t+c] - floats.Dot(of[:c], other[:c])) * other[c]
		}
		p := k[r*t+r] - floats.Dot(of[:r], of[:r])
		if !(p > least) {
			p = least
		}
		of[r] = 1 / math.Sqrt(p)
		log += math.Log(p)
	}
	return log
}

// invert makes the inverse of the matrix with a factor of [cholesky].
func invert(dst, l []float64, t int) {
	for c := range t {
		for r := range t { // the columns of L⁻¹, as rows
			switch {
			case r < c:
				dst[c*t+r] = 0
			case r == c:
				dst[c*t+r] = l[r*t+r]
			default:
				dst[c*t+r] = -floats.Dot(l[r*t+c:r*t+r], dst[c*t+c:c*t+r]) * l[r*t+r]
			}
		}
	}
	for r := range t {
		for c := r; c < t; c++ { // row c has nothing before c
			dst[r*t+c] = floats.Dot(dst[r*t+c:(r+1)*t], dst[c*t+c:(c+1)*t])
		}
	}
	for r := range t {
		for c := range r {
			dst[r*t+c] = dst[c*t+r]
		}
	}
}
