package smooth

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// The amplitudes of curves and of products, relative to that of the lines, with their prior
// probabilities. Those of curves ascend from 0 twice: with prior variances λ²/λ_1 of the functions,
// which leave little but the first, and with λ.
var (
	curveAmplitudes   = []float64{0, 0.3, 1, 0.3, 1, 3}
	curveSteep        = []bool{false, true, true, false, false, false}
	curvePrior        = logs(0.5, 0.1, 0.1, 0.1, 0.1, 0.1)
	productAmplitudes = []float64{0, 0.3, 1}
	productPrior      = logs(0.5, 0.25, 0.25)
)

func logs(p ...float64) []float64 {
	for k, v := range p {
		p[k] = math.Log(v)
	}
	return p
}

// A form is which amplitudes an equation has: of the curve of each parent, and of the products of
// each pair of parents, those of the first with all later ones first.
type form struct {
	curves, products []uint8
}

func (f form) clone() form {
	return form{append([]uint8(nil), f.curves...), append([]uint8(nil), f.products...)}
}

// pairAt is the place of the pair a < b among p parents.
func pairAt(a, b, p int) int { return a*(2*p-a-1)/2 + b - a - 1 }

// logPrior is that of the form.
func (f form) logPrior() (sum float64) {
	for _, c := range f.curves {
		sum += curvePrior[c]
	}
	for _, c := range f.products {
		sum += productPrior[c]
	}
	return sum
}

// A term is a function of an equation, as a row of the regression.
type term struct {
	root     float64 // of its prior variance, in units of the noise
	i, k, at int     // function at of column i, where k < 0; or product at of the pair i, k
}

// A regression is working memory for one equation.
type regression struct {
	terms []term
	// lower factor, row after row, the last for the child; the diagonal holds inverses
	l []float64
}

// row is the place of row r of the factor.
func row(r int) int { return r * (r + 1) / 2 }

// layTerms lists the terms of an equation.
func (w *regression) layTerms(s *Scorer, parents []int, f form) {
	t := s.data
	w.terms = w.terms[:0]
	for a, i := range parents {
		root := s.amplitude * s.parentScale[i]
		w.terms = append(w.terms, term{root: root, i: i, k: -1})
		if f.curves[a] == 0 {
			continue
		}
		root *= curveAmplitudes[f.curves[a]]
		for m, v := range t.basis[i].Variance {
			if curveSteep[f.curves[a]] {
				v *= v / t.basis[i].Variance[0]
			}
			w.terms = append(w.terms, term{root: root * math.Sqrt(v), i: i, k: -1, at: 1 + m})
		}
	}
	p := len(parents)
	for a, i := range parents {
		for b := a + 1; b < p; b++ {
			c := f.products[pairAt(a, b, p)]
			if c == 0 {
				continue
			}
			k := parents[b]
			root := s.amplitude * math.Sqrt(
				s.parentScale[i]*s.parentScale[k]) * productAmplitudes[c]
			at := 0
			for _, u := range t.variance[i] {
				for _, v := range t.variance[k] {
					w.terms = append(w.terms, term{root: root * math.Sqrt(u*v), i: i, k: k, at: at})
					at++
				}
			}
		}
	}
}

// factor makes the factor of I + D^½ G D^½, with a row for the child, and returns half the
// logarithm of its determinant and what the regression leaves of the child's square.
func (w *regression) factor(s *Scorer, j int) (half, rest float64) {
	t := s.data
	g := t.groups[t.of[j]]
	m := len(w.terms)
	if need := row(m + 1); cap(w.l) < need {
		w.l = make([]float64, need*3/2)
	}
	w.l = w.l[:row(m+1)]
	raw := g.gram.RawSymmetric()
	line := t.first[j]
	scale := s.childScale[j]
	// Rows of functions of single parents, then those of products, whose blocks are looked up once.
	var block []float64
	for r := 0; r < m; r++ {
		u := &w.terms[r]
		dst := w.l[row(r):]
		if u.k < 0 {
			from := raw.Data[(t.first[u.i]+u.at)*raw.Stride:]
			for c := range r + 1 {
				v := &w.terms[c]
				dst[c] = u.root * v.root * from[t.first[v.i]+v.at]
			}
			w.l[row(m)+r] = u.root * scale * from[line]
			continue
		}
		w.l[row(m)+r] = u.root * scale * t.block(g, blockKey{u.i, u.k, -1, -1})[u.at*t.d+j]
		last := blockKey{-2, 0, 0, 0}
		width := 0
		for c := range r + 1 {
			v := &w.terms[c]
			key := blockKey{u.i, u.k, v.i, v.k}
			at := v.at
			if v.k >= 0 && (v.i > u.i || v.i == u.i && v.k > u.k) {
				panic("smooth: products out of sequence")
			}
			if key != last {
				block, last = t.block(g, key), key
				if width = len(t.variance[v.i]); v.k >= 0 {
					width *= len(t.variance[v.k])
				} else {
					width = 1 + len(t.basis[v.i].Smooth)
				}
			}
			dst[c] = u.root * v.root * block[u.at*width+at]
		}
	}
	product := 1.0
	for r := 0; r < m; r++ {
		dst := w.l[row(r) : row(r)+r+1]
		for c := range r {
			other := w.l[row(c) : row(c)+c+1]
			dst[c] = (dst[c] - floats.Dot(dst[:c], other[:c])) * other[c]
		}
		p := 1 + dst[r] - floats.Dot(dst[:r], dst[:r])
		if !(p > 1) { // by rounding
			p = 1
		}
		dst[r] = 1 / math.Sqrt(p)
		if product *= p; product > 1e200 {
			half += 0.5 * math.Log(product)
			product = 1
		}
	}
	half += 0.5 * math.Log(product)
	last := w.l[row(m) : row(m)+m]
	square := scale * scale * raw.Data[line*raw.Stride+line]
	rest = square
	for c := range last {
		other := w.l[row(c) : row(c)+c+1]
		last[c] = (last[c] - floats.Dot(last[:c], other[:c])) * other[c]
		rest -= last[c] * last[c]
	}
	return half, math.Max(rest, 1e-14*square)
}

// solve replaces x by the solution of Lᵀ z = x.
func (w *regression) solve(x []float64) {
	for r := len(x) - 1; r >= 0; r-- {
		of := w.l[row(r) : row(r)+r+1]
		x[r] *= of[r]
		for c := range r {
			x[c] -= of[c] * x[r]
		}
	}
}

// log is the log evidence of an equation of a form, without the prior of the form.
func (w *regression) log(s *Scorer, j int, parents []int, f form) float64 {
	w.layTerms(s, parents, f)
	half, rest := w.factor(s, j)
	return s.evidence(j, len(parents), half, rest)
}
