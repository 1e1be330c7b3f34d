package impute

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A problem is a set of rows, standardised, with the patterns of their gaps. It does not change
// while chains run.
type problem struct {
	n, d     int   // rows, and columns that are not constant
	rows     []int // of the table
	columns  []int // of the table
	z        *mat.Dense
	mean, sd []float64 // of the observed values of the columns
	patterns []pattern // of the rows with gaps
	gaps     int       // of the columns of the problem, in all rows
	prior    prior
	// fixed is Σ_i z_i z_iᵀ over pairs that are both observed; total is Σ_i z_i over observed
	// values.
	fixed *mat.SymDense
	total []float64

	constants []constant   // gaps of columns whose observed values are all equal
	wanted    map[int]bool // rows of the table whose gaps are handed over; nil means all
}

// A pattern is a set of rows with gaps in the same columns.
type pattern struct {
	gaps  []int // columns of the problem, ascending
	rows  []int // of the problem, ascending
	first int   // place of the first row's first value; rows follow each other
	// Limits of the values in the same sequence, standardised; nil means none.
	low, high []float64
}

// A constant is a gap with the only value that was observed in its column.
type constant struct {
	row, column int // of the table
	value       float64
}

// newProblem prepares rows of x. A column whose standard deviation overflows is an error.
func newProblem(x *mat.Dense, rows []int, s *Settings) (*problem, error) {
	_, width := x.Dims()
	p := &problem{n: len(rows), rows: rows}
	for j := range width {
		mean, sd := observedMoments(x, rows, j)
		if math.IsInf(sd, 0) || math.IsNaN(sd) {
			return nil, fmt.Errorf("impute: column %s cannot be standardised: its values lie too "+
				"far apart for float64", s.name(j))
		}
		if sd > 0 {
			p.columns, p.mean, p.sd = append(p.columns, j), append(p.mean, mean), append(p.sd, sd)
			continue
		}
		for _, i := range rows {
			if math.IsNaN(x.At(i, j)) {
				p.constants = append(p.constants, constant{i, j, mean})
			}
		}
	}
	if p.d = len(p.columns); p.d == 0 {
		return p, nil
	}
	p.z = mat.NewDense(p.n, p.d, nil)
	p.total = make([]float64, p.d)
	for r, i := range rows {
		from, to := x.RawRowView(i), p.z.RawRowView(r)
		for a, j := range p.columns {
			if v := from[j]; !math.IsNaN(v) {
				to[a] = (v - p.mean[a]) / p.sd[a]
				p.total[a] += to[a]
			}
		}
	}
	p.fixed = mat.NewSymDense(p.d, nil)
	p.fixed.SymOuterK(1, p.z.T())
	p.findPatterns(x, s.Limits)
	p.prior = newPrior(p.fewestPairs(x), p.d)
	return p, nil
}

// observedMoments are the mean and the population standard deviation of the observed values of a
// column; the standard deviation is 0 if they are all equal, and then the mean is their value.
func observedMoments(x *mat.Dense, rows []int, j int) (mean, sd float64) {
	first, equal, count := math.NaN(), true, 0.0
	for _, i := range rows {
		v := x.At(i, j)
		if math.IsNaN(v) {
			continue
		}
		if count++; count == 1 {
			first = v
		}
		equal = equal && v == first
		mean += (v - mean) / count
	}
	if equal {
		return first, 0
	}
	widest, squares := 0.0, 0.0 // widest keeps squares from overflow and underflow
	for _, i := range rows {
		if v := x.At(i, j); !math.IsNaN(v) {
			widest = math.Max(widest, math.Abs(v-mean))
		}
	}
	for _, i := range rows {
		if v := x.At(i, j); !math.IsNaN(v) {
			part := (v - mean) / widest
			squares += part * part / count
		}
	}
	return mean, widest * math.Sqrt(squares)
}

// findPatterns groups the rows with gaps, in the sequence in which patterns appear. Rows with
// limits have patterns of their own.
func (p *problem) findPatterns(x *mat.Dense, limits Limits) {
	_, width := x.Dims()
	index := map[string]int{}
	key := make([]byte, p.d)
	for r, i := range p.rows {
		var gaps []int
		for a, j := range p.columns {
			key[a] = 0
			if math.IsNaN(x.At(i, j)) {
				key[a] = 1
				if _, _, ok := limits.at(i*width + j); ok {
					key[a] = 2
				}
				gaps = append(gaps, a)
			}
		}
		if gaps == nil {
			continue
		}
		k, known := index[string(key)]
		if !known {
			k = len(p.patterns)
			index[string(key)] = k
			p.patterns = append(p.patterns, pattern{gaps: gaps})
		}
		q := &p.patterns[k]
		q.rows = append(q.rows, r)
		if slices.Contains(key, 2) {
			for _, a := range gaps {
				low, high, _ := limits.at(i*width + p.columns[a])
				q.low = append(q.low, (low-p.mean[a])/p.sd[a])
				q.high = append(q.high, (high-p.mean[a])/p.sd[a])
			}
		}
	}
	for k := range p.patterns {
		p.patterns[k].first = p.gaps
		p.gaps += len(p.patterns[k].rows) * len(p.patterns[k].gaps)
	}
}

// fewestPairs is the smallest number of rows in which two columns, or one of a single column, are
// observed.
func (p *problem) fewestPairs(x *mat.Dense) int {
	words := (p.n + 63) / 64
	seen := make([][]uint64, p.d)
	for a, j := range p.columns {
		seen[a] = make([]uint64, words)
		for r, i := range p.rows {
			if !math.IsNaN(x.At(i, j)) {
				seen[a][r/64] |= 1 << (r % 64)
			}
		}
	}
	fewest := p.n
	for a := range seen {
		for b := range a + 1 {
			count := 0
			for w, v := range seen[a] {
				count += bits.OnesCount64(v & seen[b][w])
			}
			fewest = min(fewest, count)
		}
	}
	return fewest
}

// places are the gaps whose values a chain hands over: row·(columns of the table) + column.
func (p *problem) places(x *mat.Dense) []int {
	_, width := x.Dims()
	var out []int
	for _, q := range p.patterns {
		for _, r := range q.rows {
			if i := p.rows[r]; p.hands(i) {
				for _, a := range q.gaps {
					out = append(out, i*width+p.columns[a])
				}
			}
		}
	}
	for _, c := range p.constants {
		if p.hands(c.row) {
			out = append(out, c.row*width+c.column)
		}
	}
	return slices.Clip(out)
}

// hands reports whether the gaps of a row of the table are handed over.
func (p *problem) hands(row int) bool { return p.wanted == nil || p.wanted[row] }

// inUnits are the values of a chain in the units of the data, in the sequence of places.
func (p *problem) inUnits(values []float64) []float64 {
	out := make([]float64, 0, p.gaps+len(p.constants))
	for _, q := range p.patterns {
		for k, r := range q.rows {
			if !p.hands(p.rows[r]) {
				continue
			}
			for b, a := range q.gaps {
				out = append(out, p.mean[a]+p.sd[a]*values[q.first+k*len(q.gaps)+b])
			}
		}
	}
	for _, c := range p.constants {
		if p.hands(c.row) {
			out = append(out, c.value)
		}
	}
	return out
}
