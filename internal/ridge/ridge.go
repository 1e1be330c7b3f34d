package ridge

import "math"

// A Solver factors [[B, b], [bᵀ, yᵀy/s²]] for regressions on m features.
type Solver struct {
	m int
	l []float64 // the lower factor, row-major (m+1)×(m+1): the last row holds L⁻¹b
}

// New is a solver for m ≥ 0 features.
func New(m int) *Solver { return &Solver{m: m, l: make([]float64, (m+1)*(m+1))} }

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
