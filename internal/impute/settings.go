package impute

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/internal/words"

	"gonum.org/v1/gonum/mat"
)

// Method says how the gaps of a column are completed.
type Method int

const (
	// Auto is Matching for a column with at most ten different observed values, each of which
	// occurs three times or more on average, and Normal for others.
	Auto Method = iota
	// Normal draws from the normal model. Values may lie outside the range of those observed.
	Normal
	// Matching takes a value that was observed in the column: see the package comment.
	Matching
)

// Methods are those of d columns: Matching where it is needed, so that no value appears that was
// not observed, and Auto elsewhere.
func Methods(d int, matching func(j int) bool) []Method {
	all := make([]Method, d)
	for j := range all {
		if matching(j) {
			all[j] = Matching
		}
	}
	return all
}

// String is the name of the method.
func (m Method) String() string {
	return words.Name(m, "auto", "normal", "matching")
}

// check panics for what a caller must not do.
func (s *Settings) check(x *mat.Dense) {
	if x == nil || x.IsEmpty() {
		panic("impute: no table")
	}
	n, d := x.Dims()
	switch {
	case s.Count < 0 || s.Workers < 0 || s.Iterations < 0:
		panic(fmt.Sprintf("impute: count %d, workers %d, iterations %d, want at least 0", s.Count,
			s.Workers, s.Iterations))
	case !s.Limits.check(x):
		panic("impute: limits are not those of gaps in ascending sequence")
	case s.Methods != nil && len(s.Methods) != d:
		panic(fmt.Sprintf("impute: %d methods for %d columns", len(s.Methods), d))
	case s.Names != nil && len(s.Names) != d:
		panic(fmt.Sprintf("impute: %d names for %d columns", len(s.Names), d))
	}
	for j, m := range s.Methods {
		if m < Auto || m > Matching {
			panic(fmt.Sprintf("impute: unknown method %d of column %d", int(m), j))
		}
	}
	together := make([]bool, d)
	for _, set := range s.Together {
		for _, j := range set {
			if j < 0 || j >= d || together[j] {
				panic(fmt.Sprintf("impute: column %d in the sets of columns that are missing "+
					"together is repeated, or none of %d", j, d))
			}
			together[j] = true
		}
	}
	if s.Intervened != nil {
		if rows, cols := s.Intervened.Dims(); rows != n || cols != d {
			panic(fmt.Sprintf("impute: interventions are %d×%d, the table is %d×%d", rows, cols, n,
				d))
		}
	}
}

// Check finds what [Complete] cannot complete, all of it in one error. It panics as Complete does.
func Check(x *mat.Dense, s Settings) error {
	s.check(x)
	return s.checkData(x)
}

// checkData is Check of settings that fit the table.
func (s *Settings) checkData(x *mat.Dense) error {
	n, d := x.Dims()
	var infinite, set, rows, columns, apart []string
	observed := make([]int, d)
	for i := range n {
		any := false
		for j, v := range x.RawRowView(i) {
			place := fmt.Sprintf("row %d, column %s", i+1, s.name(j))
			switch {
			case math.IsInf(v, 0):
				infinite = append(infinite, place)
			case math.IsNaN(v) && s.Intervened != nil && s.Intervened.At(i, j) != 0:
				set = append(set, place)
			}
			if !math.IsNaN(v) {
				any = true
				observed[j]++
			} else if _, _, limited := s.Limits.at(i*d + j); limited {
				any = true
			}
		}
		for _, list := range s.Together {
			missing := 0
			for _, j := range list {
				if math.IsNaN(x.At(i, j)) {
					missing++
				}
			}
			if missing > 0 && missing < len(list) {
				apart = append(apart, fmt.Sprintf("row %d, columns of %s", i+1, s.name(list[0])))
			}
		}
		if !any {
			rows = append(rows, strconv.Itoa(i+1))
		}
	}
	for j, count := range observed {
		if count == 0 {
			columns = append(columns, s.name(j))
		}
	}
	var problems []string
	for _, p := range []struct {
		what  string
		where []string
	}{
		{"infinite values cannot be imputed from: ", infinite},
		{"without any observed value, leave out the column: ", columns},
		{"without any observed value, leave out the row: ", rows},
		{"missing although set by intervention, want the value that was set: ", set},
		{"missing in only some of the columns that are missing together: ", apart},
	} {
		if len(p.where) > 0 {
			problems = append(problems, p.what+words.Some(p.where, 5))
		}
	}
	if problems == nil {
		return nil
	}
	return errors.New("impute: " + strings.Join(problems, "; "))
}

// name of a column in messages.
func (s *Settings) name(j int) string {
	if s.Names == nil {
		return strconv.Itoa(j + 1)
	}
	return fmt.Sprintf("%d (%q)", j+1, s.Names[j])
}

// methods settles Auto for every column.
func (s *Settings) methods(x *mat.Dense) []Method {
	n, d := x.Dims()
	out := make([]Method, d)
	for j := range d {
		if s.Methods != nil {
			out[j] = s.Methods[j]
		}
		if slices.ContainsFunc(s.Together, func(set []int) bool {
			return slices.Contains(set, j)
		}) {
			out[j] = Matching
		}
		if slices.ContainsFunc(s.Limits, func(l Limit) bool { return l.Place%d == j }) {
			out[j] = Normal
		}
		if out[j] != Auto {
			continue
		}
		const most, repeats = 10, 3
		different, observed := map[float64]bool{}, 0
		for i := range n {
			v := x.At(i, j)
			if math.IsNaN(v) {
				continue
			}
			observed++
			if len(different) <= most {
				different[v] = true
			}
		}
		out[j] = Normal
		if len(different) <= most && observed >= repeats*len(different) {
			out[j] = Matching
		}
	}
	return out
}

// sets are the columns that are matched, those of Together as one, in the sequence of their first
// columns.
func (s *Settings) sets(methods []Method) [][]int {
	var out [][]int
	for j, m := range methods {
		at := slices.IndexFunc(s.Together, func(set []int) bool { return slices.Contains(set, j) })
		switch {
		case at >= 0 && slices.Min(s.Together[at]) == j:
			out = append(out, s.Together[at])
		case at < 0 && m == Matching:
			out = append(out, []int{j})
		}
	}
	return out
}

// Settings of [Complete]. The zero value is the default.
type Settings struct {
	Count int // completed tables; defaults to 10
	Seed  uint64
	// Workers is the number of goroutines; defaults to 1. It changes nothing but the time.
	Workers int
	// Iterations of every chain. Defaults to as many as the rate of convergence of EM asks for,
	// from 20 to 500.
	Iterations int
	// Methods say how each column is completed; nil means Auto for all.
	Methods []Method
	// Together are sets of columns that are missing together, such as the indicators of one
	// category: a row takes the values of all of them from one donor, whatever Methods says. A row
	// in which only some columns of a set are missing is an error. A column belongs to one set at
	// most.
	Together [][]int
	// Limits say of some gaps between which numbers their values lie. Their columns are completed
	// by Normal, on the scale of logarithms if they are above 0 and skewed.
	Limits Limits
	// Intervened is n×d, 1 where a value was set by intervention and 0 elsewhere; nil means
	// nowhere.
	Intervened *mat.Dense
	// Names of the columns, for messages; nil means their numbers, from 1.
	Names []string
}
