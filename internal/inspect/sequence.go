package inspect

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
)

// A Sequence is what the sequence of the rows says about the assumption that rows are
// independent. The zero value says nothing against it.
type Sequence struct {
	// columns of which neighbouring rows are alike, or unlike, beyond chance: the strongest first
	Serial   []Serial
	Repeated int      // rows that are copies of an earlier one, beyond chance
	Rows     int      // that were looked at for these
	Even     []string // columns that rise or fall evenly from row to row, as times and indexes do
	Sorted   []string // columns by which the rows are sorted; none where Even has some
	// Explained says that the dependence of neighbours may come from the column by which the
	// rows are sorted: they are then alike even if the rows are independent.
	Explained bool
	// Effective is the number of independent rows that would say as much about a relation
	// between two columns: Rows, unless they depend on each other.
	Effective float64
	// Counted says that the evidence of a result counts as that of Effective rows.
	Counted bool
}

// A Serial is the dependence of neighbouring rows in a column.
type Serial struct {
	Column      string
	Residual    bool    // the correlation is that of its residuals given all other columns
	Correlation float64 // of the ranks of neighbouring rows
	PValue      float64 // of that, times the number of correlations looked at
}

// Limits of what a sequence of independent rows shows.
const (
	leastSequence = 12    // rows
	mostSequence  = 20000 // rows of which correlations are computed: the first
	serialChance  = 1e-3  // of a warning, over all columns
	// correlation: smaller ones hardly change an evidence, however many rows show them
	leastSerial    = 0.1
	sortedByChance = 1e-6 // that the rows are sorted by a column
	smoothTerms    = 8    // of the functions of a column by which the rows are sorted
	// fraction of copied rows up to which an evidence is about that of the others
	fewCopies = 0.05
)

// Dependent reports whether rows are not independent: neighbours are alike, or many rows are
// copies.
func (s *Sequence) Dependent() bool {
	return len(s.Serial) > 0 && !s.Explained || float64(s.Repeated) > fewCopies*float64(s.Rows)
}

// Refutation says that the rows are not independent, and what follows, as a sentence; "":
// nothing shows it.
func (s *Sequence) Refutation() string {
	if !s.Dependent() {
		return ""
	}
	serial := len(s.Serial) > 0 && !s.Explained
	text, advice := "the rows of this table are not independent", "leave copies out"
	if serial {
		text += ", unless they were sorted by something that is not a column: the lag-one rank " +
			"correlation of " + s.Serial[0].String()
		if more := len(s.Serial) - 1; more > 0 {
			text += fmt.Sprintf(", and significant in %d more", more)
		}
		advice = "for a time series, analyse changes from row to row, or use another method"
	} else {
		text += fmt.Sprintf(": %d of %d are copies of an earlier row", s.Repeated, s.Rows)
	}
	if s.Counted {
		return text +
			fmt.Sprintf("; their evidence counts as if there were %.0f independent rows; %s",
				s.Effective, advice)
	}
	return text + "; the probabilities assume that they are: neither directions nor " +
		"probabilities can be trusted; " + advice
}

// String names what is correlated, the correlation and its chance.
func (s *Serial) String() string {
	of, p := strconv.Quote(s.Column), "p < 1e-15"
	if s.Residual {
		of = "the residuals of " + of + " given the other columns"
	}
	if s.PValue >= 1e-15 {
		p = "p = " + strconv.FormatFloat(s.PValue, 'g', 1, 64)
	}
	return fmt.Sprintf("%s is %.3g (%s)", of, s.Correlation, p)
}

// Warnings are what was found as sentences.
func (s *Sequence) Warnings() (w []string) {
	text := s.Refutation()
	if text != "" {
		w = append(w, text)
	}
	if s.Repeated > 0 && (text == "" || len(s.Serial) > 0) {
		counts := ": the evidence counts them as independent observations"
		if s.Counted {
			counts = ""
		}
		w = append(w,
			fmt.Sprintf("%d of %d rows are copies of an earlier row, more than chance explains%s",
				s.Repeated, s.Rows, counts))
	}
	if n := len(s.Even); n > 0 {
		rises, drop, source := "rises or falls evenly from row to row, like a time or an index, "+
			"and cannot be an effect of other columns", "", ""
		if n > 1 {
			rises = "rise or fall evenly from row to row, like times and indexes, and cannot be " +
				"effects of other columns"
		}
		for _, name := range s.Even[:min(3, n)] {
			drop += " --drop " + strconv.Quote(name)
			source += " --set knowledge.source=" + strconv.Quote(name)
		}
		w = append(w, fmt.Sprintf("%s %s: leave out with%s, or rule out causes with%s",
			Quoted(s.Even), rises, drop, source))
	}
	if len(s.Sorted) > 0 {
		text := "the rows are sorted by " + Quoted(s.Sorted)
		switch {
		case s.Explained:
			text += fmt.Sprintf(", and neighbouring values of %s are similar: if they were "+
				"measured in this sequence, the rows depend on each other, and neither "+
				"directions nor probabilities can be trusted", strconv.Quote(s.Serial[0].Column))
		case len(s.Serial) == 0:
			text += ", which may hide a dependence between rows"
		}
		w = append(w, text)
	}
	return w
}

// Rows looks at the rows in their sequence, at those with the marks of interventions that most rows
// have. A time or an index that has no causes, as isSource says, is left out of Even.
func Rows(data *dataset.Table, isSource func(j int) bool) (s Sequence) {
	rows := sameMarks(data)
	s.Rows, s.Effective = len(rows), float64(len(rows))
	if s.Rows < leastSequence {
		return s
	}
	if rest, several, pairs := distinctRows(data, rows); several > 1 &&
		beyondChance(data, rows, pairs) {
		s.Repeated, rows = len(rows)-len(rest), rest
	}
	keys := sortedBy(data, rows)
	even := slices.ContainsFunc(keys, func(k sortKey) bool { return k.even })
	for _, k := range keys {
		switch name := data.Names[k.column]; {
		case k.even && !isSource(k.column):
			s.Even = append(s.Even, name)
		case !k.even && !even:
			s.Sorted = append(s.Sorted, name)
		}
	}
	s.Serial = serial(data, rows[:min(len(rows), mostSequence)], keys)
	s.Explained = len(s.Serial) > 0 && slices.ContainsFunc(keys, func(k sortKey) bool {
		return !k.even && fewValues(data, k.column) == 0
	})
	if s.Dependent() {
		s.Effective = float64(len(rows))
		if len(s.Serial) > 0 && !s.Explained {
			s.Effective *= independentPart(data, rows[:min(len(rows), mostSequence)])
		}
	}
	return s
}

// sameMarks are the rows with the most frequent marks of interventions: in others a column may
// have another distribution.
func sameMarks(data *dataset.Table) []int {
	n, d := data.X.Dims()
	if data.Intervened == nil {
		return dag.Identity(n)
	}
	of := map[string][]int{}
	var most []int
	key := make([]byte, d)
	for i := range n {
		for j := range d {
			key[j] = byte(data.Intervened.At(i, j))
		}
		same := append(of[string(key)], i)
		of[string(key)] = same
		if len(same) > len(most) {
			most = same
		}
	}
	return most
}

// distinctRows are the rows without copies of earlier ones, how many of them have copies, and
// the number of pairs of equal rows. One that has copies may be zeros of a device that was off.
func distinctRows(data *dataset.Table, rows []int) (rest []int, several int, pairs float64) {
	// by a hash, and by the first of equal rows
	first, copies := make(map[uint64]int32, len(rows)), map[int32]int{}
	for _, i := range rows {
		hash, row := uint64(len(rows)), data.X.RawRowView(i)
		for _, v := range row {
			hash = (hash ^ math.Float64bits(v+0)) * 0x9e3779b97f4a7c15 // −0 is 0
			hash ^= hash >> 29
		}
		if k, ok := first[hash]; !ok {
			first[hash] = int32(i)
		} else if slices.EqualFunc(data.X.RawRowView(int(k)), row, same) {
			copies[k]++
			pairs += float64(copies[k])
			continue
		}
		rest = append(rest, i)
	}
	several = len(copies)
	return rest, several, pairs
}

// same reports whether two values are equal, or both missing.
func same(a, b float64) bool { return a == b || a != a && b != b }

// Distinct are the rows that are not copies of an earlier one, if many rows are copies and chance
// does not explain them: most of the others have a value of some column that no other row has.
// Otherwise it is nil.
func Distinct(data *dataset.Table) []int {
	n, d := data.X.Dims()
	rest, several, _ := distinctRows(data, dag.Identity(n))
	if float64(n-len(rest)) <= fewCopies*float64(n) ||
		float64(several) <= fewCopies*float64(len(rest)) {
		return nil
	}
	for j := range d {
		v := ColumnOf(data, j, rest)
		slices.Sort(v)
		unique := 0
		for _, c := range runs(v) {
			if c == 1 {
				unique++
			}
		}
		if 2*unique > len(rest) {
			return rest
		}
	}
	return nil
}

// beyondChance reports whether so many pairs of equal rows are more than ten times as many as
// the equal values of the two columns with the fewest would give, were these independent. Ten
// times allow for dependence; values that are recorded in few digits come again.
func beyondChance(data *dataset.Table, rows []int, equal float64) bool {
	all := float64(len(rows)) * float64(len(rows)-1) / 2
	least := [2]float64{1, 1} // probabilities that two rows have the same value
	for j := range data.Names {
		v := ColumnOf(data, j, rows)
		slices.Sort(v)
		p := 0.0
		for _, c := range runs(v) {
			p += float64(c) * float64(c-1) / 2 / all
		}
		least = [2]float64{min(p, least[0]), min(max(p, least[0]), least[1])}
	}
	mean := 10 * all * least[0] * least[1]
	// Chernoff's bound of the tail of Poisson's distribution.
	return equal > mean && equal*math.Log(equal/mean)-equal+mean > -math.Log(serialChance)
}

// ColumnOf are the values of a column in some rows.
func ColumnOf(data *dataset.Table, j int, rows []int) []float64 {
	v := make([]float64, len(rows))
	for k, i := range rows {
		v[k] = data.X.At(i, j)
	}
	return v
}

// runs are the lengths of the runs of equal values.
func runs(v []float64) (lengths []int) {
	from := 0
	for k := 1; k <= len(v); k++ {
		if k == len(v) || v[k] != v[from] {
			lengths = append(lengths, k-from)
			from = k
		}
	}
	return lengths
}

// A sortKey is a column by which rows are sorted.
type sortKey struct {
	column int
	even   bool // its values have equal distances, as times and indexes do
}

// sortedBy are the columns by which the rows are sorted: by the first ones, then among rows of
// the same values by the next ones. Columns that happen to be sorted are none.
func sortedBy(data *dataset.Table, rows []int) (keys []sortKey) {
	_, d := data.X.Dims()
	blocks := [][]int{rows}
	for len(blocks) < len(rows) {
		var even, level []sortKey
		for j := range d {
			if slices.ContainsFunc(keys, func(k sortKey) bool { return k.column == j }) {
				continue
			}
			if monotone(data, j, blocks) && unlikely(data, j, blocks) {
				k := sortKey{j, evenly(data, j, blocks)}
				if level = append(level, k); k.even {
					even = append(even, k)
				}
			}
		}
		if len(even) > 0 {
			level = even // others that rise are no reason for the sequence
		}
		if len(level) == 0 {
			return keys
		}
		keys = append(keys, level...)
		var finer [][]int
		for _, block := range blocks {
			from := 0
			for k := 1; k <= len(block); k++ {
				if k == len(block) || slices.ContainsFunc(level, func(s sortKey) bool {
					return data.X.At(block[k], s.column) != data.X.At(block[from], s.column)
				}) {
					finer = append(finer, block[from:k])
					from = k
				}
			}
		}
		blocks = finer
	}
	return keys
}

// monotone reports whether a column rises in no block, or falls in none.
func monotone(data *dataset.Table, j int, blocks [][]int) bool {
	rises, falls := false, false
	for _, block := range blocks {
		for k := 1; k < len(block); k++ {
			a, b := data.X.At(block[k-1], j), data.X.At(block[k], j)
			rises, falls = rises || a < b, falls || a > b
			if rises && falls {
				return false
			}
		}
	}
	return rises || falls
}

// unlikely reports whether chance hardly sorts the values of a column within the blocks: of all
// arrangements two are sorted.
func unlikely(data *dataset.Table, j int, blocks [][]int) bool {
	arrangements := -math.Ln2 - math.Log(float64(len(data.Names))/sortedByChance)
	for _, block := range blocks {
		arrangements += logFactorial(len(block))
		for _, c := range runs(ColumnOf(data, j, block)) { // sorted
			arrangements -= logFactorial(c)
		}
	}
	return arrangements > 0
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// evenly reports whether most steps between the values of a sorted column are the same, as
// those of years, or about the same, as those of months, each value in as many rows. Of all
// rows, a column of few values is none: these are levels.
func evenly(data *dataset.Table, j int, blocks [][]int) bool {
	const most = 0.7 // of the steps and of the values; rows may have been left out
	if len(blocks) == 1 && fewValues(data, j) > 0 {
		return false
	}
	var steps []float64
	var lengths []int
	for _, block := range blocks {
		v := ColumnOf(data, j, block)
		lengths = append(lengths, runs(v)...)
		for k := 1; k < len(v); k++ {
			if v[k] != v[k-1] {
				steps = append(steps, math.Abs(v[k]-v[k-1]))
			}
		}
	}
	slices.Sort(steps)
	slices.Sort(lengths)
	same, equal := 0, 0
	middle, length := steps[len(steps)/2], lengths[len(lengths)/2]
	for _, s := range steps {
		if math.Abs(s-middle) <= 1e-6*middle {
			same++
		}
	}
	for _, l := range lengths {
		if l == length {
			equal++
		}
	}
	// Months have 28 to 31 days.
	regular := float64(same) >= most*float64(len(steps)) || steps[len(steps)-1] <= 1.15*steps[0]
	return regular && float64(equal) >= most*float64(len(lengths))
}
