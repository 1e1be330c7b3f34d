package ordering

import (
	"fmt"
	"slices"
)

// A Precedence says which columns come before which others in every order: what is
// known of an order before the data are seen. Nil knows nothing. It is not modified
// after [NewPrecedence], and safe for concurrent use.
type Precedence struct {
	after [][]int // after[i]: the columns that come after i
}

// NewPrecedence is the precedence of d columns under which i comes before j where
// before(i, j) says so, i ≠ j. A sequence of columns that would have to come before
// itself is an error that names it.
func NewPrecedence(d int, before func(i, j int) bool) (*Precedence, error) {
	p := &Precedence{after: make([][]int, d)}
	waiting := make([]int, d)
	for i := range d {
		for j := range d {
			if i != j && before(i, j) {
				p.after[i] = append(p.after[i], j)
				waiting[j]++
			}
		}
	}
	f := &front{after: p.after, waiting: waiting}
	left := indices(d)
	for len(left) > 0 {
		at := slices.IndexFunc(left, f.open)
		if at < 0 {
			return nil, fmt.Errorf("ordering: %s come before each other",
				nameColumns(cycleAmong(left, before), nil))
		}
		f.place(left[at])
		left = slices.Delete(left, at, at+1)
	}
	return p, nil
}

// cycleAmong walks from column to a column before it, among columns each of which has
// one, until it comes back.
func cycleAmong(columns []int, before func(i, j int) bool) []int {
	var walk []int
	v := columns[0]
	for !slices.Contains(walk, v) {
		walk = append(walk, v)
		v = columns[slices.IndexFunc(columns, func(i int) bool { return i != v && before(i, v) })]
	}
	cycle := walk[slices.Index(walk, v):]
	slices.Reverse(cycle)
	return cycle
}

// Allows reports whether an order of all columns agrees with the precedence.
func (p *Precedence) Allows(order []int) bool {
	f := p.front(sourcesFirst)
	for _, j := range order {
		if !f.open(j) {
			return false
		}
		f.place(j)
	}
	return true
}

// check panics unless p, if not nil, is for d columns.
func (p *Precedence) check(d int) {
	if p != nil && len(p.after) != d {
		panic(fmt.Sprintf("ordering: precedence of %d columns for %d", len(p.after), d))
	}
}

// A sense says from which end an order is found.
type sense bool

const (
	sourcesFirst sense = false
	sinksFirst   sense = true
)

// A front knows which columns may be placed next. Nil allows all.
type front struct {
	after   [][]int // by column: those that wait for it
	waiting []int   // by column: how many not yet placed it waits for
}

// front is that of an order of which nothing is placed.
func (p *Precedence) front(from sense) *front {
	if p == nil {
		return nil
	}
	f := &front{after: p.after, waiting: make([]int, len(p.after))}
	if from == sinksFirst {
		f.after = make([][]int, len(p.after))
		for i, later := range p.after {
			for _, j := range later {
				f.after[j] = append(f.after[j], i)
			}
		}
	}
	for _, later := range f.after {
		for _, j := range later {
			f.waiting[j]++
		}
	}
	return f
}

// open reports whether a column may be placed next.
func (f *front) open(j int) bool { return f == nil || f.waiting[j] == 0 }

// of keeps the columns that may be placed next.
func (f *front) of(columns []int) []int {
	if f == nil {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(j int) bool { return !f.open(j) })
}

// place takes note that a column has been placed.
func (f *front) place(j int) {
	if f == nil {
		return
	}
	for _, k := range f.after[j] {
		f.waiting[k]--
	}
}

// arranged are choices among all columns by their values, one after the other, each the
// smallest of those that the precedence then allows.
func arranged(columns []int, value []float64, f *front) []choice {
	if f == nil {
		return ascending(columns, value)
	}
	var all []choice
	for left := columns; len(left) > 0; left = without(left, all[len(all)-1].column) {
		all = append(all, ascending(f.of(left), value)[0])
		f.place(all[len(all)-1].column)
	}
	return all
}
