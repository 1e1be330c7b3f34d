package score

import (
	"fmt"
	"math"
	"slices"
	"tobac/internal/scoring"
)

// A ToggleScorer is a [Scorer] that scores all sets of parents that differ in one parent from a
// set faster than one by one.
type ToggleScorer interface {
	Scorer
	// LogScoresToggled writes to dst[k] the log score of variable j given the parents without
	// variables[k] if it is one of them, and with it if not. Parents and variables are
	// ascending, without j; dst has as many elements as variables.
	LogScoresToggled(dst []float64, j int, parents, variables []int)
}

var (
	_ ToggleScorer = (*BGe)(nil)
	_ ToggleScorer = (*Linear)(nil)
)

// LogScoresToggled writes the log scores of the neighbours of a set of parents, as
// [ToggleScorer] says, whether or not s is one.
func LogScoresToggled(s Scorer, dst []float64, j int, parents, variables []int) {
	if t, ok := s.(ToggleScorer); ok {
		t.LogScoresToggled(dst, j, parents, variables)
		return
	}
	var room [32]int
	for k, i := range variables {
		dst[k] = s.LogScore(j, Toggle(room[:0], parents, i))
	}
}

// LogWeight is the log score of a set of parents with the logarithm of its prior: −Inf where the
// prior does not allow it, which is then not scored.
func LogWeight(s Scorer, p *Prior, j int, parents []int) float64 {
	prior := p.LogPrior(j, parents)
	if math.IsInf(prior, -1) {
		return prior
	}
	return prior + s.LogScore(j, parents)
}

// LogWeightsToggled is LogScoresToggled with the logarithms of the prior added: −Inf where it
// does not allow a set, which is then not scored unless s is a [ToggleScorer].
func LogWeightsToggled(s Scorer, p *Prior, dst []float64, j int, parents, variables []int) {
	if t, ok := s.(ToggleScorer); ok {
		t.LogScoresToggled(dst, j, parents, variables)
		p.addToToggled(dst, j, parents, variables)
		return
	}
	var room [32]int
	for k, i := range variables {
		dst[k] = LogWeight(s, p, j, Toggle(room[:0], parents, i))
	}
}

// Toggle appends to dst an ascending set without i if i is a member of it, and with i if not.
func Toggle(dst, set []int, i int) []int {
	at, found := slices.BinarySearch(set, i)
	dst = append(dst, set[:at]...)
	if found {
		at++
	} else {
		dst = append(dst, i)
	}
	return append(dst, set[at:]...)
}

// addToToggled adds ln ρ_j to dst for the sets of parents of [ToggleScorer]: −Inf where they are
// not allowed.
func (p *Prior) addToToggled(dst []float64, j int, parents, variables []int) {
	n, odds, required := len(parents), p.odds[j], p.required[j]
	sum, missing := 0.0, p.needed[j]
	for _, i := range parents {
		sum += odds[i]
		if required[i] {
			missing--
		}
	}
	var room [32]int
	for k, i := range variables {
		switch _, found := slices.BinarySearch(parents, i); {
		case found: // odds may be −Inf: no difference of sums
			dst[k] += p.LogPrior(j, Toggle(room[:0], parents, i))
		case missing > 1 || missing == 1 && !required[i]:
			dst[k] = math.Inf(-1)
		default:
			dst[k] += p.size[n+1] + (sum + odds[i])
		}
	}
}

// LogScoresToggled implements [ToggleScorer].
func (b *BGe) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	checkToggled(b.d, dst, j, parents, variables)
	g := &b.group[b.of[j]]
	if g.n == 0 {
		clear(dst)
		return
	}
	g.gaussian.toggled(dst, g.r, b.d, j, parents, variables, 0, -float64(g.n)*b.logScales[j])
}

// LogScoresToggled implements [ToggleScorer].
func (l *Linear) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	checkToggled(l.d, dst, j, parents, variables)
	g := &l.group[l.of[j]]
	if g.N == 0 {
		clear(dst)
		return
	}
	g.gaussian.toggled(dst, g.Scatter, l.d, j, parents, variables, l.ridge(), 0)
}

func checkToggled(d int, dst []float64, j int, parents, variables []int) {
	scoring.CheckParents(d, j, parents)
	scoring.CheckParents(d, j, variables)
	if len(dst) != len(variables) {
		panic(fmt.Sprintf("score: room for %d scores of %d variables", len(dst), len(variables)))
	}
}

// toggleBlock is the number of variables that are scored side by side, toggleParents the number of
// parents up to which nothing is allocated.
const (
	toggleBlock   = 32
	toggleParents = 12
)

// toggled scores all neighbours of a set of p parents A from the Cholesky factor M_AA = LLᵀ. With
// y = L⁻¹M_Ai and z = L⁻¹M_Aj, another parent i has the pivot r = M_ii − y·y, and takes
// (M_ij − y·z)²/r from s.
func (g *gaussian) toggled(
	dst, a []float64, d, j int, parents, variables []int, ridge, offset float64,
) {
	p := len(parents)
	var rowRoom [toggleParents * toggleBlock]float64
	var factorRoom [toggleParents * (toggleParents + 1)]float64
	rows, factor := rowRoom[:], factorRoom[:]
	if p > toggleParents {
		rows, factor = make([]float64, p*toggleBlock), make([]float64, p*(p+1))
	}
	z := factor[p*p : p*(p+1)]
	sum, s := offset, a[j*d+j]
	for k, i := range parents {
		row := factor[k*p : k*p+k+1]
		for l := range k + 1 {
			v := a[i*d+parents[l]]
			if l == k {
				v += ridge
			}
			for h, f := range row[:l] {
				v -= f * factor[l*p+h]
			}
			if l == k {
				pivot, half := g.pivot(v)
				sum += half
				row[k] = 1 / math.Sqrt(pivot) // of the diagonal, its inverse
			} else {
				row[l] = v * factor[l*p+l]
			}
		}
		v := a[i*d+j]
		for h, f := range row[:k] {
			v -= f * z[h]
		}
		z[k] = v * row[k]
		s -= z[k] * z[k]
	}
	var pivots, cross [toggleBlock]float64
	for first := 0; first < len(variables) && p < d-1; first += toggleBlock {
		block := variables[first:min(first+toggleBlock, len(variables))]
		m := len(block)
		for c, i := range block {
			pivots[c], cross[c] = a[i*d+i]+ridge, a[j*d+i]
		}
		for k, i := range parents {
			y := rows[k*toggleBlock : k*toggleBlock+m]
			for c, v := range block {
				y[c] = a[i*d+v]
			}
			for l, f := range factor[k*p : k*p+k] {
				for c, v := range rows[l*toggleBlock : l*toggleBlock+m] {
					y[c] -= f * v
				}
			}
			f, zk := factor[k*p+k], z[k]
			for c := range y {
				y[c] *= f
				pivots[c] -= y[c] * y[c]
				cross[c] -= y[c] * zk
			}
		}
		for c := range block {
			pivot, half := g.pivot(pivots[c])
			dst[first+c] = g.leaf(p+1, sum+half, s-cross[c]*cross[c]/pivot)
		}
	}
	g.removed(dst, factor, parents, variables, sum, s)
}

// removed scores the sets without one of the parents: with B = M_AA⁻¹ and b = B M_Aj, parent m
// leaves the determinant |M_AA| B_mm, and adds b_m²/B_mm to s.
func (g *gaussian) removed(dst, factor []float64, parents, variables []int, sum, s float64) {
	p := len(parents)
	var room [toggleParents]float64
	w, z := room[:], factor[p*p:p*(p+1)]
	if p > toggleParents {
		w = make([]float64, p)
	}
	for m, i := range parents {
		at, found := slices.BinarySearch(variables, i)
		if !found {
			continue
		}
		// Column m of L⁻¹, of which the elements above m are 0.
		w[m] = factor[m*p+m]
		square, b := w[m]*w[m], w[m]*z[m]
		for k := m + 1; k < p; k++ {
			v := 0.0
			for h, f := range factor[k*p+m : k*p+k] {
				v -= f * w[m+h]
			}
			w[k] = v * factor[k*p+k]
			square += w[k] * w[k]
			b += w[k] * z[k]
		}
		dst[at] = g.leaf(p-1, sum-0.5*math.Log(square), s+b*b/square)
	}
}
