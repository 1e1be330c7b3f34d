package impute

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// donors is the number of nearest rows that a value is drawn from; more where predicted means are
// equally near.
const donors = 5

// A matching is the last step of a chain, in which columns take values that were observed in them.
type matching struct {
	p     *problem
	m     *normal
	x     *mat.Dense          // the table
	z     *mat.Dense          // the completed rows of the problem, standardised
	given map[[2]int]float64  // matched values in units, by row and column of the problem
	gaps  map[[2]int]struct{} // of the columns to be matched
	rng   *rand.Rand
}

// match replaces the values of columns that take observed values, one set of columns after the
// other: with g the columns of a set and r all others, every row has the predicted mean
//
//	μ_g − K_gg⁻¹ K_gr (x_r − μ_r)
//
// in the completed row, in which earlier sets have their matched values already, and the distance
// of two rows is that of their predicted means in the metric K_gg, the inverse of what their
// conditional covariance is. Values are those of the chain, on the standardised scale, and out are
// those handed over, in units.
func (p *problem) match(m *normal, values, out []float64, sets [][]int, x *mat.Dense,
	rng *rand.Rand) {
	a := &matching{p: p, m: m, x: x, given: map[[2]int]float64{}, gaps: map[[2]int]struct{}{},
		rng: rng}
	var targets [][]int
	for _, set := range sets {
		if t := p.target(set); t != nil {
			targets = append(targets, t)
		}
	}
	if targets == nil {
		return
	}
	a.z = mat.DenseCopyOf(p.z)
	for _, q := range p.patterns {
		for k, r := range q.rows {
			for b, c := range q.gaps {
				a.z.Set(r, c, values[q.first+k*len(q.gaps)+b])
				a.gaps[[2]int{r, c}] = struct{}{}
			}
		}
	}
	for _, t := range targets {
		a.matchSet(t)
	}
	next := 0
	for _, q := range p.patterns {
		for _, r := range q.rows {
			if !p.hands(p.rows[r]) {
				continue
			}
			for _, c := range q.gaps {
				if v, ok := a.given[[2]int{r, c}]; ok {
					out[next] = v
				}
				next++
			}
		}
	}
}

// target are those columns of the problem that a set of columns of the table has; nil if none of
// them has a gap.
func (p *problem) target(set []int) []int {
	var t []int
	for a, j := range p.columns {
		if slices.Contains(set, j) {
			t = append(t, a)
		}
	}
	for _, q := range p.patterns {
		for _, a := range t {
			if slices.Contains(q.gaps, a) {
				return t
			}
		}
	}
	return nil
}

// matchSet gives every gap of the columns of a set the values of a donor.
func (a *matching) matchSet(set []int) {
	g := len(set)
	predicted := a.predict(set)
	var pool, gaps []int
	for r := range a.p.n {
		if _, gap := a.gaps[[2]int{r, set[0]}]; gap {
			gaps = append(gaps, r)
		} else {
			pool = append(pool, r)
		}
	}
	if g == 1 {
		slices.SortStableFunc(pool, func(r, s int) int {
			return cmp.Compare(predicted[r], predicted[s])
		})
	}
	sorted := make([]float64, len(pool))
	for k, r := range pool {
		sorted[k] = predicted[r*g]
	}
	for _, r := range gaps {
		var donor int
		if g == 1 {
			from, to := nearest(sorted, predicted[r])
			donor = pool[from+a.rng.IntN(to-from)]
		} else {
			near := nearestOf(pool, predicted, r, g)
			donor = near[a.rng.IntN(len(near))]
		}
		for _, c := range set {
			a.z.Set(r, c, a.z.At(donor, c))
			a.given[[2]int{r, c}] = a.x.At(a.p.rows[donor], a.p.columns[c])
		}
	}
}

// predict are the predicted means of all rows, times U with UᵀU = K_gg and shifted by what all rows
// have in common, so that distances are Euclidean: row r has the numbers from r·g on.
func (a *matching) predict(set []int) []float64 {
	g, d := len(set), a.p.d
	precision := a.m.precision.RawSymmetric().Data
	w := new(scratch)
	w.size(g)
	// K_gg is a block of a positive definite matrix that has been factorised before.
	u, _ := w.factorise(a.m, set)
	// K_gr, 0 in the columns of the set: rows that agree elsewhere must have the same prediction to
	// the bit
	rest := make([]float64, g*d)
	for b, c := range set {
		copy(rest[b*d:(b+1)*d], precision[c*d:(c+1)*d])
		for _, e := range set {
			rest[b*d+e] = 0
		}
	}
	out := make([]float64, a.p.n*g)
	for r := range a.p.n {
		own := blas64.Vector{N: g, Inc: 1, Data: out[r*g : (r+1)*g]}
		for b := range g {
			own.Data[b] = -floats.Dot(rest[b*d:(b+1)*d], a.z.RawRowView(r))
		}
		blas64.Trsv(blas.Trans, u, own)
	}
	return out
}

// nearest is the range of those of ascending numbers that are as near to v as the fifth nearest.
func nearest(sorted []float64, v float64) (from, to int) {
	to = sort.SearchFloat64s(sorted, v)
	from = to
	radius := 0.0
	for to-from < min(donors, len(sorted)) {
		if to == len(sorted) || from > 0 && v-sorted[from-1] <= sorted[to]-v {
			from--
			radius = v - sorted[from]
		} else {
			radius = sorted[to] - v
			to++
		}
	}
	for from > 0 && v-sorted[from-1] <= radius {
		from--
	}
	for to < len(sorted) && sorted[to]-v <= radius {
		to++
	}
	return from, to
}

// nearestOf are those rows of a pool that are as near to row r as the fifth nearest, by g numbers
// for each row.
func nearestOf(pool []int, numbers []float64, r, g int) []int {
	square := func(s int) float64 {
		sum := 0.0
		for b := range g {
			difference := numbers[s*g+b] - numbers[r*g+b]
			sum += difference * difference
		}
		return sum
	}
	best := make([]float64, 0, donors+1) // ascending
	for _, s := range pool {
		v := square(s)
		if len(best) == donors && v >= best[donors-1] {
			continue
		}
		at, _ := slices.BinarySearch(best, v)
		best = slices.Insert(best, at, v)
		best = best[:min(len(best), donors)]
	}
	radius := math.Inf(1)
	if len(best) > 0 {
		radius = best[len(best)-1]
	}
	var near []int
	for _, s := range pool {
		if square(s) <= radius {
			near = append(near, s)
		}
	}
	return near
}
