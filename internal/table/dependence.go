package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/words"
)

// How much of a column's variance others may leave for it to count as determined by them, how much
// may then be wrong in any row in standard deviations, and how little a column may contribute, in
// standard deviations, to be left out of the combination.
const (
	leftVariance   = 1e-9
	largestError   = 1e-5
	smallestWeight = 1e-6
	nearVariance   = 1e-6
)

// mostProducts bounds the work of looking for dependences among many columns: rows times the square
// of the columns.
const mostProducts = 2e10

// dependences returns the columns of x that stay, and reports those that others determine.
func (p *preparation) dependences(x *mat.Dense) (keep []int) {
	if symmetric(x) {
		p.problem(Problem{Text: fmt.Sprintf("the numbers are a symmetric matrix of %d rows and "+
			"columns, such as one of correlations or distances; want the measurements, one row "+
			"for each observation", len(p.out.Columns))})
	}
	found, constant := p.search(x)
	t := &dataset.Table{Variables: p.out.variables()}
	for k, c := range p.out.Columns {
		if t.OfKinds() && t.Kind(k).Levelled() {
			// its levels need not be a sum of codes, and a table of probabilities may be certain
			delete(found, k)
		}
		name := fmt.Sprintf("column %d (%s)", c.Position, short(c.Name))
		text, dependent := found[k]
		if constant[k] {
			text, dependent = "is constant in the rows that are left", true
		}
		switch {
		case !dependent:
			keep = append(keep, k)
		case p.o.Dependent == DependentDrop:
			p.note("%s %s, and is left out", name, text)
		default:
			solve := "--set data.dependent=drop leaves out the last column of each dependence"
			if constant[k] {
				solve = "--set data.dependent=drop leaves it out"
			}
			p.problem(Problem{Column: c.Position, Text: name + " " + text, Solve: solve,
				remedy: func(o *Options) { o.Dependent = DependentDrop }})
			keep = append(keep, k)
		}
	}
	return keep
}

// search finds the columns that are sums of earlier ones, with the sum in words, and those that are
// constant. Rows with missing values do not count.
func (p *preparation) search(x *mat.Dense) (found map[int]string, constant map[int]bool) {
	found, constant = map[int]string{}, map[int]bool{}
	n, d := x.Dims()
	var rows []int
	for i := range n {
		if !hasNaN(x.RawRowView(i)) {
			rows = append(rows, i)
		}
	}
	s := newMoments(x, rows)
	for j := range d {
		constant[j] = columnConstant(x, j)
	}
	if len(rows) < 3 {
		return found, constant
	}
	few := len(rows) <= d+1
	if few || float64(len(rows))*float64(d)*float64(d) > mostProducts {
		for j, k := range s.copies() {
			found[j] = p.equation(j, []int{k}, []float64{s.slope(j, k)}, s)
		}
		if few {
			p.note("%s of %d columns are too few to look for columns that others determine",
				words.Counted(len(rows), "row"), d)
		}
		return found, constant
	}
	near := s.sequential(func(j int, of []int, weights []float64) bool {
		if constant[j] || len(of) == 0 {
			return false
		}
		found[j] = p.equation(j, of, weights, s)
		return true
	})
	p.noteExceptions(s, found, constant)
	for _, j := range near {
		if !constant[j] {
			p.note("%s is almost determined by the columns before it: less than a millionth of "+
				"its variance is its own", p.out.Columns[j].label())
		}
	}
	return found, constant
}

// Of a table the rows in which a dependence may fail, and still be one: so many parts are searched
// of which each may be free of them, and at most this part of the rows. A column must have other
// values than its most frequent one in many more.
const (
	searchedParts = 5
	exceptions    = 0.01
	moreThanMode  = 10
)

// noteExceptions warns of columns that are sums of earlier ones but in a few rows: such a sum is a
// definition with errors of recording, and no equation of a model.
func (p *preparation) noteExceptions(s *moments, found map[int]string, constant map[int]bool) {
	_, d := s.x.Dims()
	if len(s.rows) < searchedParts*(d+2) {
		return
	}
	t := &dataset.Table{Variables: p.out.variables()}
	seen := map[int]bool{}
	for k := range searchedParts {
		var rows []int
		for at := k; at < len(s.rows); at += searchedParts {
			rows = append(rows, s.rows[at])
		}
		part := newMoments(s.x, rows)
		part.sequential(func(j int, of []int, weights []float64) bool {
			_, exact := found[j]
			if exact || constant[j] || seen[j] || len(of) == 0 ||
				t.OfKinds() && t.Kind(j).Levelled() {
				return exact
			}
			weights = part.round(j, of, weights)
			failed := part.failing(j, of, weights, s.rows)
			if failed == 0 || float64(failed) > exceptions*float64(len(s.rows)) ||
				moreThanMode*failed > offMode(s, j) {
				return false
			}
			seen[j] = true
			c := p.out.Columns[j]
			p.warn("column %d (%s) %s, but for %s of %d, which seem to be errors: its relations "+
				"and those of these columns follow from this; --drop %s leaves it out", c.Position,
				short(c.Name), p.equation(j, of, weights, part), words.Counted(failed, "row"),
				len(s.rows), shellQuote(c.Name))
			return true
		})
	}
}

// failing is the number of some rows in which a combination is not the column.
func (s *moments) failing(j int, of []int, weights []float64, rows []int) int {
	failed := 0
	for _, i := range rows {
		row := s.x.RawRowView(i)
		e := row[j] - s.mean[j]
		for a, k := range of {
			e -= weights[a] * (row[k] - s.mean[k])
		}
		if math.Abs(e) > largestError*s.sd[j] {
			failed++
		}
	}
	return failed
}

// offMode is the number of rows in which a column has not its most frequent value.
func offMode(s *moments, j int) int {
	count, most := map[float64]int{}, 0
	for _, i := range s.rows {
		v := s.x.At(i, j)
		count[v]++
		most = max(most, count[v])
	}
	return len(s.rows) - most
}

// symmetric reports whether a table is a square matrix that equals its transpose.
func symmetric(x *mat.Dense) bool {
	n, d := x.Dims()
	return n == d && d > 2 && mat.Equal(x, x.T())
}

func hasNaN(row []float64) bool {
	for _, v := range row {
		if v != v {
			return true
		}
	}
	return false
}

// columnConstant reports whether a column has at most one value, missing ones aside.
func columnConstant(x *mat.Dense, j int) bool {
	n, _ := x.Dims()
	first := math.NaN()
	for i := range n {
		switch v := x.At(i, j); {
		case v != v:
		case first != first:
			first = v
		case v != first:
			return false
		}
	}
	return true
}

// equation is a dependence in words, what is added before what is subtracted: "exper = age − educ −
// 6".
func (p *preparation) equation(j int, of []int, weights []float64, s *moments) string {
	const most = 8
	weights = s.round(j, of, weights)
	constant, scale := s.mean[j], math.Abs(s.mean[j])+s.sd[j]
	var plus, minus []summand
	for a, k := range of {
		constant -= weights[a] * s.mean[k]
		scale = max(scale, math.Abs(weights[a]*s.mean[k]))
		if t := (summand{weights[a], short(p.out.Columns[k].Name)}); t.weight > 0 {
			plus = append(plus, t)
		} else {
			minus = append(minus, t)
		}
	}
	small := 1e-9 // weights that are no whole numbers are known less well
	if slices.ContainsFunc(weights, func(w float64) bool { return w != math.Trunc(w) }) {
		small = 1e-6
	}
	if math.Abs(constant) <= small*scale {
		constant = 0
	}
	if len(of) == 1 && weights[0] == 1 && constant == 0 {
		return "is a copy of " + p.out.Columns[of[0]].label()
	}
	switch c := (summand{tidy(constant), ""}); {
	case constant > 0 && len(plus) == 0:
		plus = append(plus, c)
	case constant != 0:
		minus = append(minus, c)
	}
	all := append(plus, minus...)
	var b strings.Builder
	for a, t := range all[:min(most, len(all))] {
		t.write(&b, a == 0)
	}
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return "is determined by others: " + short(p.out.Columns[j].Name) + " = " + b.String()
}

// A summand is a weight times a column; "": a constant.
type summand struct {
	weight float64
	name   string
}

func (t summand) write(b *strings.Builder, first bool) {
	switch {
	case t.weight < 0 && first:
		b.WriteString("−")
	case t.weight < 0:
		b.WriteString(" − ")
	case !first:
		b.WriteString(" + ")
	}
	size := math.Abs(t.weight)
	switch {
	case t.name == "":
		fmt.Fprintf(b, "%.6g", size)
	case size == 1:
		b.WriteString(t.name)
	default:
		fmt.Fprintf(b, "%.6g·%s", size, t.name)
	}
}

// tidy is the whole number next to v if that is very near.
func tidy(v float64) float64 {
	if r := math.Round(v); math.Abs(v-r) <= 1e-6*max(1, math.Abs(v)) {
		return r
	}
	return v
}

// moments are those of the complete rows of a table: means, standard deviations, and on demand
// correlations.
type moments struct {
	x        *mat.Dense
	rows     []int
	mean, sd []float64
}

func newMoments(x *mat.Dense, rows []int) *moments {
	_, d := x.Dims()
	s := &moments{x: x, rows: rows, mean: make([]float64, d), sd: make([]float64, d)}
	for _, i := range rows {
		for j, v := range x.RawRowView(i) {
			s.mean[j] += v / float64(len(rows))
		}
	}
	for _, i := range rows {
		for j, v := range x.RawRowView(i) {
			s.sd[j] += (v - s.mean[j]) * (v - s.mean[j]) / float64(len(rows))
		}
	}
	for j, v := range s.sd {
		s.sd[j] = math.Sqrt(v)
	}
	return s
}

// z is a value on the scale of mean 0 and variance 1, 0 in a constant column.
func (s *moments) z(i, j int) float64 {
	if !(s.sd[j] > 1e-14*math.Abs(s.mean[j])) {
		return 0
	}
	return (s.x.At(i, j) - s.mean[j]) / s.sd[j]
}

// correlations is the matrix of correlations, from blocks of rows.
func (s *moments) correlations() *mat.SymDense {
	_, d := s.x.Dims()
	g := mat.NewSymDense(d, nil)
	const block = 512
	z := mat.NewDense(block, d, nil)
	for from := 0; from < len(s.rows); from += block {
		part := s.rows[from:min(from+block, len(s.rows))]
		z.Zero()
		for a, i := range part {
			row := z.RawRowView(a)
			for j := range row {
				row[j] = s.z(i, j)
			}
		}
		g.SymRankK(g, 1/float64(len(s.rows)), z.T())
	}
	return g
}

// sequential goes through the columns and asks for each how much of its variance those before it
// leave, of which none is determined by the others. It calls found for a column that is determined,
// with the combination, and returns those that are nearly so.
func (s *moments) sequential(found func(j int, of []int, weights []float64) bool) (near []int) {
	_, d := s.x.Dims()
	g := s.correlations()
	var basis []int // columns that are not determined
	var rows [][]float64
	for j := range d {
		if g.At(j, j) == 0 {
			continue
		}
		l := make([]float64, len(basis)+1)
		left := g.At(j, j)
		for a, k := range basis {
			v := g.At(j, k)
			for b := range a {
				v -= l[b] * rows[a][b]
			}
			l[a] = v / rows[a][a]
			left -= l[a] * l[a]
		}
		if left < leftVariance {
			if of, weights, ok := s.combination(j, basis, rows, l); ok && found(j, of, weights) {
				continue
			}
		}
		if left < nearVariance {
			near = append(near, j)
		}
		if left < 1e-13 { // no use to those after it
			continue
		}
		l[len(basis)] = math.Sqrt(left)
		basis, rows = append(basis, j), append(rows, l)
	}
	return near
}

// combination solves for the weights of a column's dependence, in the units of the data, leaves out
// those that hardly contribute, and checks it row by row.
func (s *moments) combination(j int, basis []int, rows [][]float64, l []float64) (of []int,
	weights []float64, ok bool) {
	beta := make([]float64, len(basis))
	for a := len(basis) - 1; a >= 0; a-- {
		v := l[a]
		for b := a + 1; b < len(basis); b++ {
			v -= rows[b][a] * beta[b]
		}
		beta[a] = v / rows[a][a]
	}
	for a, k := range basis {
		if math.Abs(beta[a]) > smallestWeight {
			of = append(of, k)
			weights = append(weights, beta[a]*s.sd[j]/s.sd[k])
		}
	}
	return of, weights, s.worst(j, of, weights) <= largestError
}

// worst is the greatest error of a combination in any row, in standard deviations of the column.
func (s *moments) worst(j int, of []int, weights []float64) float64 {
	worst := 0.0
	for _, i := range s.rows {
		row := s.x.RawRowView(i)
		e := row[j] - s.mean[j]
		for a, k := range of {
			e -= weights[a] * (row[k] - s.mean[k])
		}
		worst = max(worst, math.Abs(e)/s.sd[j])
	}
	return worst
}

// round makes weights whole numbers where that is no worse.
func (s *moments) round(j int, of []int, weights []float64) []float64 {
	whole := make([]float64, len(weights))
	for a, w := range weights {
		whole[a] = math.Round(w)
		if math.Abs(w-whole[a]) > 1e-3*max(1, math.Abs(w)) || whole[a] == 0 {
			whole[a] = w
		}
	}
	if s.worst(j, of, whole) <= largestError {
		return whole
	}
	return weights
}

// slope is by how much column j changes with column k.
func (s *moments) slope(j, k int) float64 {
	sum := 0.0
	for _, i := range s.rows {
		sum += s.z(i, j) * s.z(i, k)
	}
	return sum / float64(len(s.rows)) * s.sd[j] / s.sd[k]
}

// copies finds columns that are linear functions of a single earlier one.
func (s *moments) copies() map[int]int {
	_, d := s.x.Dims()
	seen := map[string][]int{}
	out := map[int]int{}
	for j := range d {
		var key strings.Builder
		sign := 0.0
		for _, i := range s.rows[:min(20, len(s.rows))] {
			z := s.z(i, j)
			if sign == 0 && math.Abs(z) > 1e-3 {
				sign = math.Copysign(1, z)
			}
			fmt.Fprintf(&key, "%.3f ", sign*z+0) // −0 is 0
		}
		if sign == 0 {
			continue
		}
		k := key.String()
		for _, before := range seen[k] {
			if s.worst(j, []int{before}, []float64{s.slope(j, before)}) <= largestError {
				out[j] = before
				break
			}
		}
		if _, copied := out[j]; !copied {
			seen[k] = append(seen[k], j)
		}
	}
	return out
}
