package ridge

import "math"

// A Solver factors [[B, b], [bᵀ, yᵀy/s²]] for regressions on m features.
type Solver struct {
	m    int
	l    []float64 // the lower factor, row-major (m+1)×(m+1): the last row holds L⁻¹b
	rest rest
}

// A rest is a regression without one of its features.
type rest struct {
	without  int
	inverse  float64   // 1/s²
	l        []float64 // the lower factor, packed by rows
	b        []float64 // L⁻¹b
	row      []float64 // L⁻¹ times the products with the feature
	constant float64   // −2 log p(y) without it
}

// New is a solver for m ≥ 0 features.
func New(m int) *Solver {
	less := max(0, m-1)
	return &Solver{m: m, l: make([]float64, (m+1)*(m+1)), rest: rest{
		l: make([]float64, less*(less+1)/2), b: make([]float64, less), row: make([]float64, less)}}
}

// groups is how many pivots are multiplied before a logarithm is taken: each is at least 1,
// and 1e38 at most wherever a regression means anything.
const groups = 8

// LogEvidence is log p(y) of n rows, and keeps the factor for [Solver.Mean] and [Solver.Draw].
// It is NaN if the Gram matrix is not positive semi-definite or not finite.
func (s *Solver) LogEvidence(gram []float64, n int, variance float64) float64 {
	m, k := s.m, s.m+1
	inverse := 1 / variance
	product, logs := 1.0, 0.0
	for i := range m {
		row := s.l[i*k : i*k+i+1]
		for j := range row[:i] {
			other := s.l[j*k : j*k+j+1]
			v := gram[i*k+j] * inverse
			for c, w := range other[:j] {
				v -= row[c] * w
			}
			row[j] = v * other[j] // the diagonal holds inverses
		}
		p := 1 + gram[i*k+i]*inverse
		for _, w := range row[:i] {
			p -= w * w
		}
		row[i] = 1 / math.Sqrt(p)
		if product *= p; i%groups == groups-1 {
			logs += math.Log(product)
			product = 1
		}
	}
	last := s.l[m*k : m*k+m]
	square := gram[m*k+m] * inverse
	for j := range last {
		other := s.l[j*k : j*k+j+1]
		v := gram[m*k+j] * inverse
		for c, w := range other[:j] {
			v -= last[c] * w
		}
		v *= other[j]
		last[j] = v
		square -= v * v
	}
	logs += math.Log(product)
	return -0.5 * (float64(n)*math.Log(2*math.Pi*variance) + logs + square)
}

// Without prepares [Solver.LogEvidenceWith] for a feature a, whose products in the Gram matrix do
// not matter: each set of products then costs m² multiplications, where a factor costs m³/3.
func (s *Solver) Without(gram []float64, n int, variance float64, a int) {
	r, k := &s.rest, s.m+1
	r.without, r.inverse = a, 1/variance
	product, logs := 1.0, 0.0
	square := gram[s.m*k+s.m] * r.inverse
	start, i := 0, 0 // of row i of the factor
	for feature := range s.m {
		if feature == a {
			continue
		}
		row := r.l[start : start+i+1]
		j, other := 0, 0
		for before := range feature {
			if before == a {
				continue
			}
			v := gram[feature*k+before] * r.inverse
			for c, w := range r.l[other : other+j] {
				v -= row[c] * w
			}
			row[j] = v * r.l[other+j]
			other += j + 1
			j++
		}
		p, v := 1+gram[feature*k+feature]*r.inverse, gram[s.m*k+feature]*r.inverse
		for c, w := range row[:i] {
			p -= w * w
			v -= w * r.b[c]
		}
		row[i] = 1 / math.Sqrt(p)
		r.b[i] = v * row[i]
		square -= r.b[i] * r.b[i]
		if product *= p; i%groups == groups-1 {
			logs += math.Log(product)
			product = 1
		}
		start += i + 1
		i++
	}
	r.constant = float64(n)*math.Log(2*math.Pi*variance) + logs + math.Log(product) + square
}

// LogEvidenceWith is [Solver.LogEvidence] with other products of the feature that
// [Solver.Without] has left out: with all features and, last, y.
func (s *Solver) LogEvidenceWith(products []float64) float64 {
	r := &s.rest
	p, v := 1+products[r.without]*r.inverse, products[s.m]*r.inverse
	start, i := 0, 0
	for feature := range s.m {
		if feature == r.without {
			continue
		}
		u := products[feature] * r.inverse
		for c, w := range r.l[start : start+i] {
			u -= w * r.row[c]
		}
		u *= r.l[start+i]
		r.row[i] = u
		p -= u * u
		v -= u * r.b[i]
		start += i + 1
		i++
	}
	v /= math.Sqrt(p)
	return -0.5 * (r.constant + math.Log(p) - v*v)
}

// Mean writes B⁻¹b of the last evidence to dst, of m numbers.
func (s *Solver) Mean(dst []float64) {
	copy(dst, s.l[s.m*(s.m+1):][:s.m])
	s.solve(dst)
}

// Draw replaces m standard normal numbers by a draw from N(B⁻¹b, B⁻¹) of the last evidence.
func (s *Solver) Draw(normals []float64) {
	for i, v := range s.l[s.m*(s.m+1):][:s.m] {
		normals[i] += v
	}
	s.solve(normals)
}

// Half replaces x by L⁻¹x of the last evidence, B = LLᵀ.
func (s *Solver) Half(x []float64) {
	k := s.m + 1
	for i := range s.m {
		v := x[i]
		for c := range i {
			v -= s.l[i*k+c] * x[c]
		}
		x[i] = v * s.l[i*k+i]
	}
}

// Solve replaces x by B⁻¹x of the last evidence.
func (s *Solver) Solve(x []float64) {
	s.Half(x)
	s.solve(x)
}

// solve replaces x by the solution of Lᵀ z = x.
func (s *Solver) solve(x []float64) {
	k := s.m + 1
	for i := s.m - 1; i >= 0; i-- {
		v := x[i] * s.l[i*k+i]
		x[i] = v
		for c := range i {
			x[c] -= s.l[i*k+c] * v
		}
	}
}
