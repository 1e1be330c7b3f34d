package table

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
)

// A Coded is a column of a prepared table: which column of the file it comes from, and how its
// values became numbers.
type Coded struct {
	Name     string // in the prepared table
	Source   string // of the column of the file
	Position int    // of the column of the file, counted from 1
	// Level is that of which the column is the indicator; "": it is none.
	Level string

	profile   *Profile
	indicator int // its level; −1: none
	given     bool
	asked     bool // for its kind
}

// Prepared is a table as numbers.
type Prepared struct {
	// Data is the table without missing values; nil if some are to be imputed.
	Data *dataset.Table
	// Incomplete is the table with missing values, which are NaN, under [MissingImpute] if there
	// are any; nil otherwise.
	Incomplete *dataset.Table
	// Limits are those of missing values of Incomplete that are kept, row by row.
	Limits []dataset.Limit
	// Rows are the rows of the file that were taken, counted from 0.
	Rows []int
	// Columns are those of the table, in its sequence.
	Columns []Coded
	// Exclusive are the pairs of columns that are indicators of one variable, i < j: no cause and
	// effect of each other.
	Exclusive [][2]int
	// Notes say what was found, left out and coded: those of the reader, then those of the
	// preparation.
	Notes []string
	// Warnings say what was left out that may hold data.
	Warnings []string
	// Profiles describe the columns of the file, in its sequence, in the rows that were asked for;
	// nil for columns that were not wanted.
	Profiles []*Profile

	options  Options
	fileRows int
}

// release lets go of the cells of the file, so that a prepared table does not keep them in memory.
func (p *Prepared) release() {
	for _, q := range p.Profiles {
		if q != nil {
			c := *q.column
			c.blocks, c.codes = nil, nil
			q.column = &c
		}
	}
}

// variables are the kinds of the columns of a prepared table.
func (p *Prepared) variables() []dataset.Variable {
	all := make([]dataset.Variable, len(p.Columns))
	for k, c := range p.Columns {
		if c.indicator >= 0 {
			all[k].Kind = dataset.Binary
			continue
		}
		all[k].Kind = c.profile.Measure()
		if c.profile.levelOf != nil {
			for _, level := range c.profile.Levels {
				all[k].Levels = append(all[k].Levels, level.Name)
			}
		}
	}
	return all
}

// Imputes reports whether missing values of which nothing is known are left.
func (p *Prepared) Imputes() bool { return p.options.Missing == MissingImpute }

// Numbers are the numbers of a prepared table, NaN where a value is missing.
func (p *Prepared) Numbers() *dataset.Table {
	return cmp.Or(p.Data, p.Incomplete)
}

// Together are the columns that are indicators of one variable, which are
// missing together.
func (p *Prepared) Together() (all [][]int) {
	of := map[string]int{} // place in all of each variable
	for _, pair := range p.Exclusive {
		for _, j := range pair {
			source := p.Columns[j].Source
			k, known := of[source]
			if !known {
				k = len(all)
				of[source] = k
				all = append(all, nil)
			}
			if !slices.Contains(all[k], j) {
				all[k] = append(all[k], j)
			}
		}
	}
	return all
}

// Given are the columns of the table that no other column causes: years and days, ages, and what is
// given at birth, but for those whose kind was asked for.
func (p *Prepared) Given() (columns []int) {
	for k, c := range p.Columns {
		if c.given {
			columns = append(columns, k)
		}
	}
	return columns
}

// Years are by column the years that columns are named by, as measurements of one thing year after
// year are, −1 for other columns and those whose kind was asked for; nil unless there are three.
func (p *Prepared) Years() []int {
	years, named := make([]int, len(p.Columns)), 0
	for k, c := range p.Columns {
		years[k] = -1
		if y, err := strconv.Atoi(c.Name); err == nil && !c.asked && y >= 1500 && y < 2200 {
			years[k] = y
			named++
		}
	}
	if named < 3 {
		return nil
	}
	return years
}

// ExclusivePairs are the pairs of indicators of one variable, which are no causes of each
// other.
func (p *Prepared) ExclusivePairs() (pairs []dag.Edge) {
	for _, pair := range p.Exclusive {
		pairs = append(pairs, dag.Edge{From: pair[0], To: pair[1]})
	}
	return pairs
}

func (c *Coded) label() string { return label(c.Position, c.Name) }

// missing reports whether the value in a row of the file is missing.
func (q *Profile) missing(row int) bool {
	if v := q.number(row); v == v {
		return slices.Contains(q.gapValue, v)
	}
	code := q.column.code(row)
	return code == 0 || q.gapText[code-1]
}

// level is that of a row, −1 if its value is missing or no level.
func (q *Profile) level(row int) int {
	if q.missing(row) {
		return -1
	}
	name := ""
	if v := q.column.number(row); v == v {
		name = spelled(v)
	} else {
		name = q.column.texts[q.column.code(row)-1].text
	}
	if k, known := q.levelOf[name]; known {
		return k
	}
	return -1
}

// value is the number of a column of a prepared table for a row of the file, NaN if it is missing.
func (c *Coded) value(row int) float64 {
	q := c.profile
	if q.levelOf == nil {
		if _, limited := q.limits(row); limited || q.missing(row) {
			return math.NaN()
		}
		return q.number(row)
	}
	switch k := q.level(row); {
	case k < 0:
		return math.NaN()
	case c.indicator < 0:
		return float64(k)
	case k == c.indicator:
		return 1
	}
	return 0
}
