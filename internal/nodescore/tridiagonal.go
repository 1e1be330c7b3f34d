package nodescore

import "math"

// A tridiagonal is T = Qᵀ A Q of a symmetric matrix A.
type tridiagonal struct{ diag, off []float64 } // n and n−1 elements, off[i] = T[i][i+1]

// A tridiagonaliser has the scratch memory of [tridiagonaliser.reduce]. The zero
// value is ready.
type tridiagonaliser struct{ v, q, u, p []float64 }

// reduce turns a, the lower triangle of n rows of n elements, into T by
// Householder reflections from the last row up, and every vector z into Qᵀz. a is
// overwritten.
//
// Each pass over the triangle subtracts the last reflection's v qᵀ + q vᵀ and, on
// the way, multiplies the result with the next reflection's u: 8 operations for each
// element loaded, 4/3 n³ in all.
func (h *tridiagonaliser) reduce(a []float64, n int, z [][]float64) tridiagonal {
	t := tridiagonal{diag: make([]float64, n), off: make([]float64, max(n-1, 0))}
	if len(h.v) < n {
		h.v, h.q, h.u, h.p = make([]float64, n), make([]float64, n), make([]float64, n),
			make([]float64, n)
	}
	v, q, u, p := h.v[:n], h.q[:n], h.u[:n], h.p[:n]
	clear(v)
	clear(q)
	for i := n - 1; i >= 0; i-- {
		row := a[i*n : i*n+i+1]
		for j := range row {
			row[j] -= v[i]*q[j] + q[i]*v[j]
		}
		t.diag[i] = row[i]
		if i == 0 {
			break
		}
		half := reflector(u[:i], row[:i], &t.off[i-1]) // uᵀu/2
		if half == 0 {
			update(a, n, i, v, q)
			clear(v[:i])
			clear(q[:i])
			continue
		}
		updateAndMultiply(a, n, i, v, q, u, p)
		k := 0.0
		for j, x := range u[:i] {
			p[j] /= half
			k += x * p[j]
		}
		k /= 2 * half
		for j, x := range u[:i] {
			p[j] -= k * x
		}
		for _, y := range z {
			c := 0.0
			for j, x := range u[:i] {
				c += x * y[j]
			}
			c /= half
			for j, x := range u[:i] {
				y[j] -= c * x
			}
		}
		v, u = u, v
		q, p = p, q
	}
	return t
}

// reflector writes the vector u of the reflection I − u uᵀ/half that turns x into a
// multiple of the last unit vector, which off becomes. It returns half = uᵀu/2,
// or 0 if x is that already.
func reflector(u, x []float64, off *float64) (half float64) {
	last := len(x) - 1
	scale := 0.0
	for _, e := range x[:last] {
		scale = max(scale, math.Abs(e))
	}
	if scale == 0 {
		*off = x[last]
		return 0
	}
	scale = max(scale, math.Abs(x[last]))
	sum := 0.0
	for j, e := range x {
		u[j] = e / scale
		sum += u[j] * u[j]
	}
	norm := math.Copysign(math.Sqrt(sum), u[last])
	*off = -norm * scale
	half = sum + norm*u[last]
	u[last] += norm
	return half
}

// update subtracts v qᵀ + q vᵀ from the first rows of the triangle a.
func update(a []float64, n, rows int, v, q []float64) {
	for r := range rows {
		row := a[r*n : r*n+r+1]
		for j := range row {
			row[j] -= v[r]*q[j] + q[r]*v[j]
		}
	}
}

// updateAndMultiply is update, and p = A u with the result.
func updateAndMultiply(a []float64, n, rows int, v, q, u, p []float64) {
	for r := range rows {
		row := a[r*n : r*n+r]
		v, q, u, p := v[:r+1], q[:r+1], u[:r+1], p[:r+1]
		vr, qr, ur := v[r], q[r], u[r]
		s0, s1 := 0.0, 0.0
		j := 0
		for ; j+1 < len(row) && j+1 < len(v) && j+1 < len(q) && j+1 < len(u) &&
			j+1 < len(p); j += 2 {
			x := row[j] - (vr*q[j] + qr*v[j])
			y := row[j+1] - (vr*q[j+1] + qr*v[j+1])
			row[j], row[j+1] = x, y
			s0 += x * u[j]
			s1 += y * u[j+1]
			p[j] += x * ur
			p[j+1] += y * ur
		}
		for ; j < r; j++ {
			x := row[j] - (vr*q[j] + qr*v[j])
			row[j] = x
			s0 += x * u[j]
			p[j] += x * ur
		}
		d := &a[r*n+r]
		*d -= 2 * vr * qr
		p[r] = s0 + s1 + *d*ur
	}
}

// solve writes, for every shift ρ > 0, zᵀ (T + ρI)⁻¹ z to forms and ln|T + ρI| to
// logs, which have one number for each shift. T is positive semidefinite but for
// rounding: pivots are not below ρ. All shifts advance together, so that their
// divisions overlap. lane is scratch, one for each shift.
func (t *tridiagonal) solve(forms, logs []float64, z, shifts []float64, lane []shiftLane) {
	for k := range lane {
		lane[k] = shiftLane{product: 1}
	}
	before := 0.0
	for i, a := range t.diag {
		next := 0.0
		if i < len(t.off) {
			next = t.off[i]
		}
		for k, rho := range shifts[:len(lane)] {
			l := &lane[k]
			d := a + rho - before*l.link
			if d < rho {
				d = rho
			}
			inverse := 1 / d
			l.w = z[i] - l.link*l.w
			l.form += l.w * l.w * inverse
			l.link = next * inverse
			l.product *= d
			if l.product > 1e100 || l.product < 1e-100 {
				l.log += math.Log(l.product)
				l.product = 1
			}
		}
		before = next
	}
	for k, l := range lane {
		forms[k], logs[k] = l.form, l.log+math.Log(l.product)
	}
}

// A shiftLane is the state of the elimination for one shift: link = T[i][i+1]/d_i
// of the last row.
type shiftLane struct{ link, w, form, product, log float64 }
