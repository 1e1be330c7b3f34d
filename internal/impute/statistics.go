package impute

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A normal distribution by its mean and precision.
type normal struct {
	mean      []float64
	precision *mat.SymDense
}

// statistics are what the values of the gaps add to sums over rows. Complete sums are those of the
// problem plus these.
type statistics struct {
	sum []float64
	// half has, in row j, Σ_i x_ij w_i over the rows i with a gap in column j, with w_i the row and
	// one half of the values in its gaps: half + halfᵀ has every product of which a factor is in a
	// gap once.
	half []float64
	cov  []float64 // Σ_i Cov(x_i | observed), of expectations alone; nil means none
	row  []float64 // scratch
}

func newStatistics(d int, expected bool) *statistics {
	s := &statistics{sum: make([]float64, d), half: make([]float64, d*d), row: make([]float64, d)}
	if expected {
		s.cov = make([]float64, d*d)
	}
	return s
}

func (s *statistics) reset() {
	clear(s.sum)
	clear(s.half)
	clear(s.cov)
}

// add adds other statistics.
func (s *statistics) add(t *statistics) {
	floats.Add(s.sum, t.sum)
	floats.Add(s.half, t.half)
	if s.cov != nil {
		floats.Add(s.cov, t.cov)
	}
}

// A scratch has the matrices of the pattern at hand.
type scratch struct {
	factor, cov []float64 // k×k, row-major
	offset, h   []float64
}

func (w *scratch) size(k int) {
	if cap(w.h) < k {
		w.factor, w.cov, w.offset, w.h = make([]float64, k*k), make([]float64, k*k),
			make([]float64, k), make([]float64, k)
	}
	w.factor, w.cov, w.offset, w.h = w.factor[:k*k], w.cov[:k*k], w.offset[:k], w.h[:k]
}

// fill completes the rows of the patterns: with values drawn given the observed ones, or with their
// expectations if rng is nil. It writes the values, and adds their sums to s.
func (p *problem) fill(patterns []pattern, m *normal, values []float64, s *statistics, w *scratch,
	rng *rand.Rand) error {
	for _, q := range patterns {
		if q.low != nil && rng != nil {
			p.fillLimited(&q, m, values, s, rng)
			continue
		}
		k := len(q.gaps)
		w.size(k)
		u, err := w.factorise(m, q.gaps)
		if err != nil {
			return err
		}
		if s.cov != nil {
			w.addCovariance(u, q.gaps, float64(len(q.rows)), s.cov, p.d)
		}
		h := blas64.Vector{N: k, Inc: 1, Data: w.h}
		for at, r := range q.rows {
			row := p.z.RawRowView(r)
			for b, a := range q.gaps {
				w.h[b] = floats.Dot(m.precision.RawSymmetric().Data[a*p.d:(a+1)*p.d], row) -
					w.offset[b]
			}
			blas64.Trsv(blas.Trans, u, h)
			for b := range w.h {
				w.h[b] = -w.h[b]
				if rng != nil {
					w.h[b] += rng.NormFloat64()
				}
			}
			blas64.Trsv(blas.NoTrans, u, h)
			own := values[q.first+at*k : q.first+(at+1)*k]
			for b, a := range q.gaps {
				own[b] = m.mean[a] + w.h[b]
			}
			s.addRow(row, q.gaps, own)
		}
	}
	return nil
}

// fillLimited is fill of rows with values that have limits: every gap is drawn given all other
// values of its row and those of the step before, which leaves their distribution as it is.
func (p *problem) fillLimited(q *pattern, m *normal, values []float64, s *statistics,
	rng *rand.Rand) {
	precision, k := m.precision.RawSymmetric().Data, len(q.gaps)
	for at, r := range q.rows {
		own := values[q.first+at*k : q.first+(at+1)*k]
		low, high := q.low[at*k:], q.high[at*k:]
		row := slices.Clone(p.z.RawRowView(r))
		for b, a := range q.gaps {
			row[a] = min(max(own[b], low[b]), high[b])
		}
		floats.Sub(row, m.mean)
		for range sweepsOfLimits {
			for b, a := range q.gaps {
				own := precision[a*p.d:][:p.d]
				sd := 1 / math.Sqrt(own[a])
				mean := row[a] - floats.Dot(own, row)/own[a]
				from, to := (low[b]-m.mean[a]-mean)/sd, (high[b]-m.mean[a]-mean)/sd
				row[a] = mean + sd*within(from, to, rng)
			}
		}
		for b, a := range q.gaps {
			own[b] = min(max(m.mean[a]+row[a], low[b]), high[b])
		}
		s.addRow(p.z.RawRowView(r), q.gaps, own)
	}
}

// sweepsOfLimits is how often the gaps of a row are gone through in an I-step.
const sweepsOfLimits = 3

// addRow adds a row with values in its gaps.
func (s *statistics) addRow(row []float64, gaps []int, values []float64) {
	copy(s.row, row)
	for b, a := range gaps {
		s.row[a] = values[b] / 2
	}
	for b, a := range gaps {
		s.sum[a] += values[b]
		floats.AddScaled(s.half[a*len(row):][:len(row)], values[b], s.row)
	}
}

// factorise is U with UᵀU = K_mm for the gaps m. It sets offset_m = K_mo μ_o, so that K_mm⁻¹ times
// K_mo x_o − offset is what the conditional mean lies below μ_m.
func (w *scratch) factorise(m *normal, gaps []int) (blas64.Triangular, error) {
	k, d := len(gaps), len(m.mean)
	precision := m.precision.RawSymmetric().Data
	for b, a := range gaps {
		from := precision[a*d : (a+1)*d]
		w.offset[b] = floats.Dot(from, m.mean)
		for c, e := range gaps {
			w.factor[b*k+c] = from[e]
			w.offset[b] -= from[e] * m.mean[e]
		}
	}
	u, ok := lapack64.Potrf(blas64.Symmetric{N: k, Stride: k, Data: w.factor, Uplo: blas.Upper})
	if !ok {
		return u, fmt.Errorf("impute: the precision matrix of %d columns is not positive definite",
			k)
	}
	return u, nil
}

// addCovariance adds count times (UᵀU)⁻¹ at the gaps.
func (w *scratch) addCovariance(u blas64.Triangular, gaps []int, count float64, cov []float64,
	d int) {
	k := len(gaps)
	copy(w.cov, w.factor)
	lapack64.Potri(blas64.Triangular{N: k, Stride: k, Data: w.cov, Uplo: u.Uplo, Diag: u.Diag})
	for b, a := range gaps {
		for c := b; c < k; c++ {
			v := count * w.cov[b*k+c]
			cov[a*d+gaps[c]] += v
			if c != b {
				cov[gaps[c]*d+a] += v
			}
		}
	}
}

// moments are the mean of all rows, and their scatter around it.
func (p *problem) moments(s *statistics) (mean []float64, scatter *mat.SymDense) {
	n := float64(p.n)
	mean = make([]float64, p.d)
	floats.AddTo(mean, p.total, s.sum)
	floats.Scale(1/n, mean)
	scatter = mat.NewSymDense(p.d, nil)
	for a := range p.d {
		for b := a; b < p.d; b++ {
			v := p.fixed.At(a, b) + s.half[a*p.d+b] + s.half[b*p.d+a] - n*mean[a]*mean[b]
			if s.cov != nil {
				v += s.cov[a*p.d+b]
			}
			scatter.SetSym(a, b, v)
		}
	}
	return mean, scatter
}

// withRidge adds the prior's scale matrix to a scatter.
func (p *problem) withRidge(scatter *mat.SymDense) {
	for a := range p.d {
		scatter.SetSym(a, a, scatter.At(a, a)+p.prior.ridge)
	}
}

// mirror makes the lower triangle of the storage the upper one's, so that rows can be read as
// slices.
func mirror(m *mat.SymDense) *mat.SymDense {
	raw := m.RawSymmetric()
	for a := range raw.N {
		for b := range a {
			raw.Data[a*raw.Stride+b] = raw.Data[b*raw.Stride+a]
		}
	}
	return m
}

// distance is the largest difference of two lists.
func distance(a, b []float64) float64 {
	most := 0.0
	for k, v := range a {
		most = math.Max(most, math.Abs(v-b[k]))
	}
	return most
}
