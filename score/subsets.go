package score

import (
	"math"
)

// A gaussian is the form that the closed-form scores of linear models have in
// common. With M the matrix of a child (row 0) and its candidates, s the Schur
// complement M_jj − M_jA M_AA⁻¹ M_Aj of the child and p = |A|,
//
//	score(A) = constant[p] − ½ ln|M_AA| − factor[p]·g(s),   g = ln or the identity.
type gaussian struct {
	constant, factor []float64 // by number of parents
	logarithm        bool      // g is ln

	// floor is a lower bound of every pivot, least one of s, in exact arithmetic:
	// M_AA = positive semidefinite matrix + floor·I. Pivots that rounding puts below
	// are set to it, so that every score is finite.
	floor, least float64
}

// leaf is the score of a set of p parents, given the sum of −½ ln of its pivots.
func (g *gaussian) leaf(p int, sum, s float64) float64 {
	if s < g.least {
		s = g.least
	}
	if g.logarithm {
		s = math.Log(s)
	}
	return g.constant[p] + sum - g.factor[p]*s
}

// pivot returns v, not below the floor, and −½ ln of it.
func (g *gaussian) pivot(v float64) (float64, float64) {
	if v < g.floor {
		v = g.floor
	}
	return v, -0.5 * math.Log(v)
}

// triangle is the number of elements of a packed lower triangle of n rows.
func triangle(n int) int { return n * (n + 1) / 2 }

// A subsetWalk visits the subsets of candidates depth first, from the last
// candidate down, and keeps in m the Schur complement of the child and the
// candidates that are not decided yet. To leave the last candidate out drops the
// last row of m, which costs nothing. To take it in eliminates that row: with r
// candidates left, r²/2 multiplications, for one of 2^r subsets, which is four of
// them for each subset on average. Sets with the last candidate are the upper half
// of dst.
type subsetWalk struct {
	*gaussian
	block [][]float64 // room for the triangle of k+1 rows
}

func newSubsetWalk(g *gaussian, k int) *subsetWalk {
	w := &subsetWalk{gaussian: g, block: make([][]float64, k)}
	room := make([]float64, triangle(k)*(k+2)/3) // Σ of the triangles of 1 to k rows
	for i := range w.block {
		size := triangle(i + 1)
		w.block[i], room = room[:size:size], room[size:]
	}
	return w
}

func (w *subsetWalk) visit(dst, m []float64, k, p int, sum float64) {
	switch k {
	case 0:
		dst[0] = w.leaf(p, sum, m[0])
		return
	case 1:
		pair((*[2]float64)(dst), w.gaussian, m[0], m[1], m[2], p, sum)
		return
	case 2:
		// Candidate 0 is row 1 and candidate 1 is row 2 of m.
		m := (*[6]float64)(m)
		dst := (*[4]float64)(dst)
		pair((*[2]float64)(dst[:2]), w.gaussian, m[0], m[1], m[2], p, sum)
		v, l := w.pivot(m[5])
		inverse := 1 / v
		f, h := m[3]*inverse, m[4]*inverse
		pair((*[2]float64)(dst[2:]), w.gaussian, m[0]-f*m[3], m[1]-h*m[3], m[2]-h*m[4], p+1, sum+l)
		return
	}
	half := len(dst) / 2
	w.visit(dst[:half], m, k-1, p, sum)
	next := w.block[k-1]
	l := w.eliminate(next, m, k)
	w.visit(dst[half:], next, k-1, p+1, sum+l)
}

// pair writes the scores without and with the one candidate left, of pivot v and
// covariance r with the child.
func pair(dst *[2]float64, g *gaussian, s, r, v float64, p int, sum float64) {
	dst[0] = g.leaf(p, sum, s)
	v, l := g.pivot(v)
	f := r * (1 / v)
	dst[1] = g.leaf(p+1, sum+l, s-f*r)
}

// eliminate writes the Schur complement of the last of k+1 rows of m to dst, which
// may be m, and returns −½ ln of its pivot.
func (g *gaussian) eliminate(dst, m []float64, k int) float64 {
	row := m[triangle(k) : triangle(k)+k+1]
	v, l := g.pivot(row[k])
	inverse := 1 / v
	row = row[:k]
	at := 0
	for i, r := range row {
		f := r * inverse
		from, to := m[at:at+i+1], dst[at:at+i+1]
		for j, c := range row[:len(from)] {
			to[j] = from[j] - f*c
		}
		at += i + 1
	}
	return l
}

// score is the score of all p candidates of m, which is overwritten.
func (g *gaussian) score(m []float64, p int) float64 {
	sum := 0.0
	for k := p; k > 0; k-- {
		sum += g.eliminate(m, m, k)
	}
	return g.leaf(p, sum, m[0])
}

// gather packs the lower triangle of rows j, set[0], set[1], … of a symmetric d×d
// matrix, with ridge added to the diagonal of all rows but the first.
func gather(dst, a []float64, d, j int, set []int, ridge float64) []float64 {
	dst = append(dst[:0], a[j*d+j])
	for k, i := range set {
		row := a[i*d : (i+1)*d]
		dst = append(dst, row[j])
		for _, c := range set[:k+1] {
			dst = append(dst, row[c])
		}
		dst[len(dst)-1] += ridge
	}
	return dst
}
