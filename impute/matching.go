package impute

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// donors is the number of nearest rows that a value is drawn from; more where predicted means are equal.
const donors = 5

// match replaces the values of columns that take observed values. Column by column, the predicted mean of every row is
//
//	μ_j − Σ_{l≠j} K_jl (x_l − μ_l) / K_jj
//
// in the completed row, in which columns before have their matched values already. Values are those of the chain, on the standardised scale, and
// out are those handed over, in units.
func (p *problem) match(m *normal, values, out []float64, methods []Method, x *mat.Dense, rng *rand.Rand) {
	matched := make([]bool, p.d)
	any := false
	for _, q := range p.patterns {
		for _, a := range q.gaps {
			matched[a] = methods[p.columns[a]] == Matching
			any = any || matched[a]
		}
	}
	if !any {
		return
	}
	z := mat.DenseCopyOf(p.z)
	place := map[[2]int]int{} // of a matched gap in values
	for _, q := range p.patterns {
		for k, r := range q.rows {
			for b, a := range q.gaps {
				at := q.first + k*len(q.gaps) + b
				z.Set(r, a, values[at])
				if matched[a] {
					place[[2]int{r, a}] = at
				}
			}
		}
	}
	given := map[int]float64{} // by place in values: in units
	for a := range p.d {
		if matched[a] {
			p.matchColumn(a, m, z, place, given, x, rng)
		}
	}
	next := 0
	for _, q := range p.patterns {
		for k, r := range q.rows {
			if !p.hands(p.rows[r]) {
				continue
			}
			for b := range q.gaps {
				if v, ok := given[q.first+k*len(q.gaps)+b]; ok {
					out[next] = v
				}
				next++
			}
		}
	}
}

// A donor is a row in which a column was observed.
type donor struct {
	row       int
	predicted float64
}

// matchColumn gives every gap of column a the value of a donor.
func (p *problem) matchColumn(a int, m *normal, z *mat.Dense, place map[[2]int]int, given map[int]float64, x *mat.Dense, rng *rand.Rand) {
	// Rows that agree in the other columns must have the same prediction to the bit, so that the column itself stays out of the sums.
	weights := slices.Clone(m.precision.RawSymmetric().Data[a*p.d : (a+1)*p.d])
	own := weights[a]
	weights[a] = 0
	offset := floats.Dot(weights, m.mean)
	var pool []donor
	var gaps []donor
	for r := range p.n {
		d := donor{r, (offset - floats.Dot(weights, z.RawRowView(r))) / own}
		if _, gap := place[[2]int{r, a}]; gap {
			gaps = append(gaps, d)
		} else {
			pool = append(pool, d)
		}
	}
	slices.SortStableFunc(pool, func(a, b donor) int { return cmp.Compare(a.predicted, b.predicted) })
	for _, g := range gaps {
		from, to := nearest(pool, g.predicted)
		chosen := pool[from+rng.IntN(to-from)].row
		z.Set(g.row, a, z.At(chosen, a))
		given[place[[2]int{g.row, a}]] = x.At(p.rows[chosen], p.columns[a])
	}
}

// nearest is the range of those donors, in ascending sequence, that are as near to a prediction as the fifth
// nearest.
func nearest(pool []donor, v float64) (from, to int) {
	to = sort.Search(len(pool), func(k int) bool { return pool[k].predicted >= v })
	from = to
	radius := 0.0
	for to-from < min(donors, len(pool)) {
		if to == len(pool) || from > 0 && v-pool[from-1].predicted <= pool[to].predicted-v {
			from--
			radius = v - pool[from].predicted
		} else {
			radius = pool[to].predicted - v
			to++
		}
	}
	radius = math.Max(radius, 0)
	for from > 0 && v-pool[from-1].predicted <= radius {
		from--
	}
	for to < len(pool) && pool[to].predicted-v <= radius {
		to++
	}
	return from, to
}
