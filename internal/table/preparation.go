package table

import (
	"fmt"
	"slices"
	"strings"

	"tobac/dataset"
)

// A preparation is the work of [Prepare].
type preparation struct {
	t        *Table
	o        Options
	out      *Prepared
	rows     []int // selected; nil: all
	wanted   []int // columns, in sequence
	named    []bool
	order    map[int][]string
	kinds    map[int]dataset.Kind // asked for
	places   map[string]int       // of the columns by their names, −1 for a name of several; nil: not yet needed
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
	if k, known := p.places[strings.TrimSpace(name)]; !known || k != j || name == "" || len(name) > longestValue {
		name = fmt.Sprint(j + 1)
	}
	return name, func(o *Options) {
		o.Drop = append(o.Drop, name)
		if o.Columns != nil {
			o.Columns = slices.DeleteFunc(o.Columns, func(c string) bool { k, err := p.t.find("columns", c); return err == nil && k == j })
			o.Drop = o.Drop[:len(o.Drop)-1]
		}
	}
}
