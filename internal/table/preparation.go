package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tobac/dataset"
)

// A preparation is the work of [Prepare].
type preparation struct {
	t       *Table
	o       Options
	out     *Prepared
	rows    []int // selected; nil means all
	wanted  []int // columns, in sequence
	named   []bool
	order   map[int][]string
	kinds   map[int]dataset.Kind // asked for
	limited map[int]*detection   // of columns that are said to have limits
	// of the columns by their names, −1 for a name of several; nil until needed
	places   map[string]int
	problems []Problem
	codings  []coding
}

// A coding is how some columns became numbers.
type coding struct {
	how     string
	columns []string
}

func (p *preparation) note(format string, args ...any) {
	p.out.Notes = append(p.out.Notes, fmt.Sprintf(format, args...))
}

func (p *preparation) warn(format string, args ...any) {
	p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(format, args...))
}

func (p *preparation) problem(q Problem) { p.problems = append(p.problems, q) }

// dropping is the remedy that leaves a column out.
func (p *preparation) dropping(j int) (name string, remedy func(*Options)) {
	name = p.t.Columns[j].Name
	if p.places == nil {
		p.places = map[string]int{}
		for k, c := range p.t.Columns {
			if _, taken := p.places[c.Name]; taken {
				k = -1 // of several
			}
			p.places[c.Name] = k
		}
	}
	if k, known := p.places[strings.TrimSpace(name)]; !known || k != j || name == "" ||
		len(name) > longestValue {
		name = fmt.Sprint(j + 1)
	}
	return name, func(o *Options) {
		o.Drop = append(o.Drop, name)
		if o.Columns != nil {
			o.Columns = slices.DeleteFunc(o.Columns, func(c string) bool {
				k, err := p.t.find("columns", c)
				return err == nil && k == j
			})
			o.Drop = o.Drop[:len(o.Drop)-1]
		}
	}
}

// A Description says everything about a table that is known before an analysis.
type Description struct {
	// Prepared is what an analysis would get; where something is wrong, what there is of it.
	Prepared *Prepared
	// Refusal is what is wrong; nil means nothing.
	Refusal *Refusal
}

// Describe reads off a table what [Prepare] would make of it, and completes the profiles by their
// moments, over the rows that were asked for. The error is an [*OptionError].
func Describe(t *Table, o Options) (*Description, error) {
	p, problems, err := prepare(t, o)
	if err != nil {
		return nil, err
	}
	d := &Description{Prepared: p}
	if len(problems) > 0 {
		d.Refusal = refuse(t, o, problems)
	}
	rows, err := t.selectRows(o.Rows)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Profiles {
		if q != nil && q.Measured() {
			q.moments(func(yield func(v float64) bool) {
				c := Coded{profile: q, indicator: -1}
				going := true
				each(rows, t.Rows, func(_, row int) { going = going && yield(c.value(row)) })
			})
		}
	}
	return d, nil
}

// Measured reports whether a column has numbers, or levels with an order, and so range and moments.
func (p *Profile) Measured() bool {
	switch p.Kind {
	case Number, Boolean, Ordinal, Index, Identifier:
		return true
	case Date:
		return !p.openDate
	case Constant:
		return p.Min == p.Max
	}
	return false
}

// Normal reports whether the values are near a normal distribution: skewness within ±1, excess
// kurtosis within −1.5 and 3, and more than ten different values. NaN moments are not.
func (p *Profile) Normal() bool {
	return p.Kind == Number && p.Distinct > 10 && math.Abs(p.Skewness) <= 1 && p.Kurtosis >= -1.5 &&
		p.Kurtosis <= 3
}
