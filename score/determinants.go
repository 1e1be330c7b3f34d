package score

import (
	"math"
	"math/bits"
	"sync"
)

// sharedDeterminants is the largest number of variables of a table of determinants,
// of 16·2^d bytes.
const sharedDeterminants = 20

// A determinants holds |M_S| of all subsets S of the d variables of a group, from
// which the scores of every variable with any parents follow, since
//
//	M_jj − M_jA M_AA⁻¹ M_Aj = |M_{A∪j}| / |M_AA|.
//
// One table of 2^d determinants takes the place of 2^(d−1) eliminations for each of d
// variables. It is made when it is first asked for.
type determinants struct {
	once sync.Once
	log  []float64 // ln|M_S|, by bit mask
	unit []float64 // |M_S| / Π_{i∈S} M_ii
}

// share reports whether a table of determinants pays, all other variables being
// candidates and several variables observed in the same rows, and no determinant of
// the matrix a can underflow: M = a + ridge·I has no pivot below the floor.
func (g *gaussian) share(a []float64, d, candidates, children int, ridge float64) bool {
	if d > sharedDeterminants || candidates < 2 || candidates != d-1 || children < 3 {
		return false
	}
	least := 0.0
	for i := range d {
		least += math.Log(g.floor / (a[i*d+i] + ridge))
	}
	return least > -600
}

// make computes the table for M = a + ridge·I, d×d.
func (t *determinants) make(g *gaussian, a []float64, d int, ridge float64) {
	m := make([]float64, 0, triangle(d))
	w := determinantWalk{subsetWalk: newSubsetWalk(g, d), diagonal: make([]float64, d)}
	for i := range d {
		m = append(m, a[i*d:i*d+i+1]...)
		w.diagonal[i] = a[i*d+i] + ridge
		m[len(m)-1] = w.diagonal[i]
	}
	t.log, t.unit = make([]float64, 1<<d), make([]float64, 1<<d)
	w.visit(t.log, t.unit, m, d, 0, 1)
}

// A determinantWalk visits the subsets of variables as a subsetWalk does.
type determinantWalk struct {
	*subsetWalk
	diagonal []float64
}

func (w *determinantWalk) visit(log, unit, m []float64, k int, sum, product float64) {
	last := triangle(k) - 1
	v, l := w.pivot(m[last])
	v *= product / w.diagonal[k-1]
	if k == 1 {
		log[0], log[1] = sum, sum-2*l
		unit[0], unit[1] = product, v
		return
	}
	half := len(log) / 2
	w.visit(log[:half], unit[:half], m, k-1, sum, product)
	next := w.block[k-1]
	w.eliminate(next, m, k-1)
	w.visit(log[half:], unit[half:], next, k-1, sum-2*l, v)
}

// scoresOf writes the scores of all sets of parents of variable j, whose diagonal
// element in the table includes ridge and in the score does not. offset is added to
// all.
func (g *gaussian) scoresOf(dst []float64, t *determinants, j int,
	diagonal, ridge, offset float64) {
	block := 1 << j // sets are numbered without bit j
	for first := 0; first < len(dst); first += block {
		at := first << 1
		p := bits.OnesCount(uint(first))
		out, constant, factor := dst[first:first+block], g.constant[p:], g.factor[p:]
		log := t.log[at : at+block]
		if g.logarithm {
			for set, with := range t.log[at+block : at+2*block][:len(out)] {
				p := bits.OnesCount(uint(set))
				out[set] = constant[p] + offset - 0.5*log[set] - factor[p]*(with-log[set])
			}
			continue
		}
		unit := t.unit[at : at+block]
		for set, with := range t.unit[at+block : at+2*block][:len(out)] {
			p := bits.OnesCount(uint(set))
			s := diagonal*(with/unit[set]) - ridge
			if s < g.least {
				s = g.least
			}
			out[set] = constant[p] + offset - 0.5*log[set] - factor[p]*s
		}
	}
}
