package impute

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A regime is a set of rows that one normal model describes.
type regime struct {
	number int
	rows   []int        // of the table, all that the model is estimated from
	wanted map[int]bool // rows whose gaps it completes; nil means all
	places []int        // of these gaps: see problem.places
}

// regimes are the rows with equal sets of intervened columns where they are enough for a model of
// their own, and a model of all rows for the others. Regimes without gaps are left out.
func regimes(x, intervened *mat.Dense) []*regime {
	n, d := x.Dims()
	all := &regime{rows: make([]int, n)}
	for i := range n {
		all.rows[i] = i
	}
	if intervened == nil {
		return withGaps(x, []*regime{all})
	}
	index := map[string]int{}
	var groups [][]int
	key := make([]byte, d)
	for i := range n {
		for j, v := range intervened.RawRowView(i) {
			key[j] = byte(v)
		}
		g, known := index[string(key)]
		if !known {
			g = len(groups)
			index[string(key)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	if len(groups) == 1 {
		return withGaps(x, []*regime{all})
	}
	all.wanted = map[int]bool{}
	list := []*regime{all}
	for g, rows := range groups {
		if len(rows) >= 2*(d+1) && tellsEnough(x, rows) {
			list = append(list, &regime{number: g + 1, rows: rows})
			continue
		}
		for _, i := range rows {
			all.wanted[i] = true
		}
	}
	return withGaps(x, list)
}

// tellsEnough reports whether every column with gaps in these rows has three different observed
// values in them.
func tellsEnough(x *mat.Dense, rows []int) bool {
	_, d := x.Dims()
	for j := range d {
		gaps, different := false, map[float64]bool{}
		for _, i := range rows {
			v := x.At(i, j)
			switch {
			case math.IsNaN(v):
				gaps = true
			case len(different) < 3:
				different[v] = true
			}
		}
		if gaps && len(different) < 3 {
			return false
		}
	}
	return true
}

// withGaps are the regimes that have a gap to complete.
func withGaps(x *mat.Dense, list []*regime) []*regime {
	var out []*regime
	for _, r := range list {
		if r.hasGaps(x) {
			out = append(out, r)
		}
	}
	return out
}

func (r *regime) hasGaps(x *mat.Dense) bool {
	for _, i := range r.rows {
		if r.wanted != nil && !r.wanted[i] {
			continue
		}
		for _, v := range x.RawRowView(i) {
			if math.IsNaN(v) {
				return true
			}
		}
	}
	return false
}
