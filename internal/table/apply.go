package table

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/words"
)

// Apply codes another table as this one was coded: the same columns, found by their names, the same
// levels and missing values. The rows that were chosen play no role. Rows with missing values are
// left out where [MissingDrop] or [MissingImpute] was asked for, which a note says. The error is a
// [*Refusal].
func (p *Prepared) Apply(t *Table) (data *dataset.Table, notes []string, err error) {
	var problems []Problem
	position := map[string]int{}
	for j, c := range t.Columns {
		position[c.Name] = j
	}
	columns := make([]Coded, len(p.Columns))
	var missing []string
	for k, c := range p.Columns {
		j, known := position[c.Source]
		if !known {
			if !slices.Contains(missing, c.Source) {
				missing = append(missing, c.Source)
			}
			continue
		}
		q := c.profile.like(t.Columns[j])
		if text, bad := q.strange(); bad && (k == 0 || p.Columns[k-1].Position != c.Position) {
			problems = append(problems,
				Problem{Column: j + 1, Text: t.Columns[j].Label() + ": " + text})
		}
		columns[k] = c
		columns[k].profile = q
	}
	if len(missing) > 0 {
		problems = append(problems, Problem{Text: "no column is named " +
			delimited.Excerpts(missing) + "; allowed: " + delimited.Excerpts(t.names())})
	}
	for _, f := range t.faults {
		problems = append(problems,
			Problem{Text: fmt.Sprintf("%s %d: got %s, want %d as elsewhere", t.unit, f.line,
				words.Counted(f.got, "value"), len(t.Columns))})
	}
	if len(problems) > 0 {
		return nil, nil, &Refusal{Source: t.Source, Problems: problems}
	}
	var complete []int
	for row := range t.Rows {
		if !slices.ContainsFunc(columns, func(c Coded) bool { return c.profile.missing(row) }) {
			complete = append(complete, row)
		}
	}
	if left := t.Rows - len(complete); left > 0 {
		if p.options.Missing == MissingError {
			return nil, nil,
				&Refusal{Source: t.Source,
					Problems: []Problem{{Text: "missing values in " + words.Counted(left, "row"),
						Solve: "--missing drop leaves them out"}}}
		}
		notes = append(notes, fmt.Sprintf("%s: %s with missing values left out of %d", t.Source,
			words.Counted(left, "row"), t.Rows))
	}
	if len(complete) == 0 {
		return nil, nil,
			&Refusal{Source: t.Source, Problems: []Problem{{Text: "no row without missing values"}}}
	}
	data = &dataset.Table{X: mat.NewDense(len(complete), len(columns), nil)}
	for k, c := range columns {
		data.Names = append(data.Names, c.Name)
		for a, row := range complete {
			data.X.Set(a, k, c.value(row))
		}
	}
	data.Variables = p.variables()
	return data, notes, nil
}

// like is the profile with its codes for a column of another table.
func (p *Profile) like(c *Column) *Profile {
	q := *p
	q.column = c
	q.gapText = make([]bool, len(c.texts))
	gap := map[string]bool{}
	for k, t := range p.column.texts {
		gap[t.text] = p.gapText[k]
	}
	for k, t := range c.texts {
		is, known := gap[t.text]
		q.gapText[k] = is || gapAlways(t.text) || !known && p.levelOf == nil &&
			gapAmongNumbers(t.text)
	}
	if p.values != nil {
		q.read()
	}
	return &q
}

// strange says what a column holds that its codes do not know.
func (p *Profile) strange() (text string, is bool) {
	var odd []Level
	for k, t := range p.column.texts {
		if _, known := p.levelOf[t.text]; !known && !p.gapText[k] &&
			(p.values == nil || p.values[k] != p.values[k]) {
			odd = append(odd, Level{t.text, t.count})
		}
	}
	if p.calendar != nil {
		for row := range p.column.rows {
			if v := p.column.number(row); v == v {
				return fmt.Sprintf("has numbers such as %s among dates", spelled(v)), true
			}
		}
	}
	if p.levelOf != nil {
		other := map[float64]int{}
		for row := range p.column.rows {
			if v := p.column.number(row); v == v && !p.missing(row) && len(other) < manyDistinct {
				if _, known := p.levelOf[spelled(v)]; !known {
					other[v]++
				}
			}
		}
		for v, count := range other {
			odd = append(odd, Level{spelled(v), count})
		}
		slices.SortFunc(odd, func(a, b Level) int { return strings.Compare(a.Name, b.Name) })
	}
	if len(odd) == 0 {
		return "", false
	}
	switch {
	case p.values != nil:
		return fmt.Sprintf("has values that are not spelled as in the data (%s)", describe(odd)),
			true
	case p.levelOf == nil:
		return fmt.Sprintf("has values that are not finite numbers (%s)", describe(odd)), true
	}
	return fmt.Sprintf("has levels that the data do not have (%s)", describe(odd)), true
}

// Mask arranges a table of marks, such as those of interventions, like the prepared table. Its
// columns bear the names of the file, all of them that were taken, or of the prepared table; its
// rows are those of the file, or those that were taken.
func (p *Prepared) Mask(t *dataset.Table) (*mat.Dense, error) {
	position := map[string]int{}
	for j, name := range t.Names {
		position[name] = j
	}
	from := make([]int, len(p.Columns))
	for k, c := range p.Columns {
		j, known := position[c.Name]
		if !known {
			j, known = position[c.Source]
		}
		if !known {
			return nil, fmt.Errorf("no column is named %s; allowed: %s",
				delimited.Excerpt(c.Source), delimited.Excerpts(t.Names))
		}
		from[k] = j
	}
	n, _ := t.X.Dims()
	if n != p.fileRows && n != len(p.Rows) {
		want := fmt.Sprintf("%d like the data", p.fileRows)
		if p.fileRows != len(p.Rows) {
			want += fmt.Sprintf(", or %d like the rows that are taken", len(p.Rows))
		}
		return nil, fmt.Errorf("got %s, want %s", words.Counted(n, "row"), want)
	}
	m := mat.NewDense(len(p.Rows), len(p.Columns), nil)
	for k, j := range from {
		for a, row := range p.Rows {
			if n != p.fileRows {
				row = a
			}
			m.Set(a, k, t.X.At(row, j))
		}
	}
	return m, nil
}

// Knows reports whether a name is that of a column of the file, or of the prepared table.
func (p *Prepared) Knows(name string) bool {
	return slices.ContainsFunc(p.Columns, func(c Coded) bool { return c.Name == name }) ||
		slices.ContainsFunc(p.Profiles, func(q *Profile) bool { return q != nil && q.Name == name })
}
