package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/words"
)

// Prepare turns what a file holds into numbers. The error is an [*OptionError], or a [*Refusal]
// with everything that is wrong.
func Prepare(t *Table, o Options) (*Prepared, error) {
	p, problems, err := prepare(t, o)
	if err != nil {
		return nil, err
	}
	if len(problems) == 0 {
		p.release()
		return p, nil
	}
	return nil, refuse(t, o, problems)
}

// mostRounds is how often remedies are applied to find the problems behind problems.
const mostRounds = 8

// refuse looks for options that solve the problems, and for problems that come to light once these
// are solved.
func refuse(t *Table, o Options, problems []Problem) *Refusal {
	r := &Refusal{Source: t.Source, Problems: problems}
	for range mostRounds {
		o.Columns, o.Drop, o.MissingCodes = slices.Clone(o.Columns), slices.Clone(o.Drop),
			slices.Clone(o.MissingCodes)
		for _, p := range problems {
			if p.remedy == nil {
				return r
			}
			p.remedy(&o)
		}
		var err error
		if _, problems, err = prepare(t, o); err != nil {
			return r
		}
		if len(problems) == 0 {
			r.Together = o.Flags()
			return r
		}
		if slices.ContainsFunc(problems, func(p Problem) bool { return p.remedy == nil }) {
			return r // what is left after the remedies is no table
		}
		for _, p := range problems {
			if !slices.ContainsFunc(r.Problems, func(q Problem) bool {
				return q.Column == p.Column && (p.Column > 0 || q.Text == p.Text)
			}) {
				r.Problems = append(r.Problems, p)
			}
		}
	}
	return r
}

func prepare(t *Table, o Options) (*Prepared, []Problem, error) {
	p := &preparation{t: t, o: o, out: &Prepared{Notes: slices.Clone(t.Notes),
		Warnings: slices.Clone(t.Warnings), Profiles: make([]*Profile, len(t.Columns)), options: o,
		fileRows: t.Rows}}
	if err := p.choose(); err != nil {
		return nil, nil, err
	}
	p.problems = append(p.problems, t.problems...)
	if p.tooSmall() {
		return p.out, p.problems, nil
	}
	p.checkNames()
	for _, j := range p.wanted {
		p.code(j)
	}
	p.noteCodings()
	if len(p.problems) > 0 && len(p.out.Columns) == 0 {
		return p.out, p.problems, nil
	}
	p.fill()
	return p.out, p.problems, nil
}

// choose settles which columns and rows are wanted.
func (p *preparation) choose() (err error) {
	t, o := p.t, &p.o
	var columns []int
	if p.named, columns, err = t.findAll("columns", o.Columns); err != nil {
		return err
	}
	drop, _, err := t.findAll("drop", o.Drop)
	if err != nil {
		return err
	}
	keep, _, err := t.findAll("keep", o.Keep)
	if err != nil {
		return err
	}
	if p.order, err = t.ordinals(o.Ordinal); err != nil {
		return err
	}
	if p.kinds, p.limited, err = t.kinds(o.Kinds); err != nil {
		return err
	}
	if p.rows, err = t.selectRows(o.Rows); err != nil {
		return err
	}
	p.checkRows()
	if o.Columns == nil {
		for j := range t.Columns {
			columns = append(columns, j)
		}
	}
	ordinal, kinds := make([]bool, len(t.Columns)), make([]bool, len(t.Columns))
	for j := range p.order {
		ordinal[j] = true
	}
	for j := range p.kinds {
		kinds[j] = true
	}
	for j := range p.limited {
		kinds[j] = true
	}
	if err := p.checkNamed(drop,
		map[string][]bool{"keep": keep, "kind": kinds, "ordinal": ordinal}); err != nil {
		return err
	}
	for _, j := range columns {
		if drop[j] {
			continue
		}
		p.named[j] = p.named[j] || keep[j]
		p.wanted = append(p.wanted, j)
		if p.out.Profiles[j], err = p.profile(j); err != nil {
			return err
		}
	}
	if left := len(t.Columns) - len(p.wanted); left > 0 {
		p.note("%s left out as asked for", words.Counted(left, "column"))
	}
	if o.Rows != "" {
		p.note("rows %s: %d of %d", o.Rows, len(p.rows), t.Rows)
	}
	return nil
}

// profile describes a wanted column, as what the options say that it is.
func (p *preparation) profile(j int) (*Profile, error) {
	c := p.t.Columns[j]
	kind, asked := p.kinds[j]
	q := profile(p.t, c, p.rows, &p.o, asked && kind == dataset.Categorical, p.order[j],
		p.limited[j])
	if p.limited[j] != nil && !q.limited &&
		(q.Kind == Number || q.Kind != Mixed && q.Kind != Constant) {
		return nil, &OptionError{"kind",
			c.Label() + " has no limits such as <0.5 beside numbers, and cannot be " + censoredKind}
	}
	if !asked || kind == dataset.Categorical {
		return q, nil
	}
	fault := func(what string) (*Profile, error) {
		return nil, &OptionError{"kind",
			fmt.Sprintf("%s %s, and cannot be %v", c.Label(), what, kind)}
	}
	switch {
	case q.Kind == Ordinal && kind != dataset.Ordered, q.Kind == Category &&
		kind != dataset.Ordered && (kind != dataset.Binary || len(q.Levels) != 2):
		return fault(fmt.Sprintf("has %d levels (%s)", len(q.Levels), describe(q.Levels)))
	case q.Kind == Boolean && q.levelOf != nil && kind != dataset.Binary && kind != dataset.Ordered:
		return fault("has two words")
	case q.Kind == Mixed, q.Kind == Text, q.Kind == Date, q.Kind == Empty, q.Kind == Constant:
		return fault("is " + q.Kind.String())
	case kind == dataset.Binary && q.Distinct != 2:
		return fault(fmt.Sprintf("has %d values", q.Distinct))
	case kind == dataset.Count && !(q.Whole && q.Min >= 0):
		return fault("has numbers that are not whole or below 0")
	case kind == dataset.Positive && !(q.Min > 0):
		return fault("has numbers that are not above 0")
	case kind == dataset.Proportion && !(q.Min >= 0 && q.Max <= 1):
		return fault("has numbers outside of 0 to 1")
	case q.Kind == Number || q.Kind == Boolean && q.levelOf == nil:
		q.Kind = Number
		q.measure = kind
	}
	return q, nil
}

// checkNamed refuses options for columns that other options leave out.
func (p *preparation) checkNamed(drop []bool, of map[string][]bool) error {
	for j, c := range p.t.Columns {
		unlisted := p.o.Columns != nil && !p.named[j]
		if drop[j] && unlisted {
			return &OptionError{"drop",
				fmt.Sprintf("names the %s, which --columns leaves out", c.Label())}
		}
		for _, option := range []string{"keep", "kind", "ordinal"} {
			switch {
			case of[option][j] && drop[j]:
				return &OptionError{option,
					fmt.Sprintf("names the %s, which --drop leaves out", c.Label())}
			case of[option][j] && unlisted:
				return &OptionError{option,
					fmt.Sprintf("names the %s, which --columns leaves out", c.Label())}
			}
		}
	}
	return nil
}

// checkRows finds rows of other lengths among those that are wanted, and goes on without them.
func (p *preparation) checkRows() {
	var faults []fault
	for _, f := range p.t.faults {
		if p.rows == nil {
			faults = append(faults, f)
		} else if _, wanted := slices.BinarySearch(p.rows, f.row); wanted {
			faults = append(faults, f)
		}
	}
	if len(faults) == 0 {
		return
	}
	const most = 5
	first := faults[0]
	text := fmt.Sprintf("%s %d: got %s, want %d as elsewhere", p.t.unit, first.line,
		words.Counted(first.got, "value"), len(p.t.Columns))
	if len(faults) > 1 {
		var lines []string
		for _, f := range faults[:min(most, len(faults))] {
			lines = append(lines, fmt.Sprint(f.line))
		}
		if len(faults) > most {
			lines = append(lines, "...")
		}
		text += fmt.Sprintf(", and so in %d %ss in all (%s)", len(faults), p.t.unit,
			strings.Join(lines, ", "))
	}
	spec := without1(p.rows, faults, p.t.Rows)
	solve := "data.delimiter and data.comment say how lines are read"
	var remedy func(*Options)
	if spec != "" {
		solve = "--set data.rows=" + spec + " leaves out such rows; " + solve
		remedy = func(o *Options) { o.Rows = spec }
	}
	p.problem(Problem{Text: text, Solve: solve, remedy: remedy})
	bad := map[int]bool{} // the others are looked at for what else is wrong
	for _, f := range faults {
		bad[f.row] = true
	}
	var rows []int
	each(p.rows, p.t.Rows, func(_, row int) {
		if !bad[row] {
			rows = append(rows, row)
		}
	})
	p.rows = rows
}

// without1 are the selected rows without the faulty ones, as ranges counted from 1; "" if these are
// too many to write down.
func without1(rows []int, faults []fault, all int) string {
	const most = 10
	bad := map[int]bool{}
	for _, f := range faults {
		bad[f.row] = true
	}
	var parts []string
	first := -1
	last := -2
	end := func() {
		switch {
		case first < 0:
		case first == last:
			parts = append(parts, fmt.Sprint(first+1))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", first+1, last+1))
		}
		first = -1
	}
	each(rows, all, func(_, row int) {
		if bad[row] || row != last+1 {
			end()
		}
		if !bad[row] {
			if first < 0 {
				first = row
			}
			last = row
		}
	})
	end()
	if len(parts) > most {
		return ""
	}
	return strings.Join(parts, ",")
}

// checkNames finds names that occur twice among the wanted columns, and a first column without a
// name that is no index.
func (p *preparation) checkNames() {
	first := map[string]int{}
	for _, j := range p.wanted {
		c := p.t.Columns[j]
		before, taken := first[c.Name]
		if !taken || c.Name == "" {
			first[c.Name] = j
			continue
		}
		_, remedy := p.dropping(j)
		p.problem(Problem{Column: c.Position,
			Text: fmt.Sprintf("columns %d and %d are both named %s", before+1, j+1, short(c.Name)),
			Solve: fmt.Sprintf("--drop %d leaves the second out, --set data.names=a,b,... gives "+
				"other names", j+1), remedy: remedy})
	}
}

// fill completes the table of numbers: rows, missing values, dependence.
func (p *preparation) fill() {
	rows := p.rows
	if rows == nil {
		rows = make([]int, p.t.Rows)
		for row := range rows {
			rows[row] = row
		}
	}
	rows = p.handleGaps(rows)
	p.out.Rows = rows
	p.noteMeasurements()
	if len(rows) == 0 || len(p.out.Columns) == 0 {
		p.tooLittle(len(rows), len(p.out.Columns))
		return
	}
	x := mat.NewDense(len(rows), len(p.out.Columns), nil)
	raw := x.RawMatrix()
	missing := false
	for k, c := range p.out.Columns {
		for a, row := range rows {
			v := c.value(row)
			missing = missing || v != v
			raw.Data[a*raw.Stride+k] = v
		}
	}
	if rest := p.withoutCopies(x); rest != nil {
		data := (&dataset.Table{X: x}).Rows(rest)
		x, missing = data.X, slices.ContainsFunc(data.X.RawMatrix().Data, math.IsNaN)
		for a, row := range rest {
			rest[a] = rows[row]
		}
		rows, p.out.Rows = rest, rest
	}
	keep := p.dependences(x)
	if len(keep) < len(p.out.Columns) {
		x = chosen(x, keep)
		columns := p.out.Columns
		p.out.Columns = nil
		for _, k := range keep {
			p.out.Columns = append(p.out.Columns, columns[k])
		}
	}
	p.tooLittle(len(rows), len(p.out.Columns))
	names := make([]string, len(p.out.Columns))
	for k, c := range p.out.Columns {
		names[k] = c.Name
		if c.Level == "" {
			continue
		}
		for b, d := range p.out.Columns[:k] {
			if d.Level != "" && c.Position == d.Position {
				p.out.Exclusive = append(p.out.Exclusive, [2]int{b, k})
			}
		}
	}
	for a, row := range rows {
		for k, c := range p.out.Columns {
			if i, ok := c.profile.limits(row); ok {
				p.out.Limits =
					append(p.out.Limits, dataset.Limit{Row: a, Column: k, Low: i.low, High: i.high})
			}
		}
	}
	if data := (&dataset.Table{Names: names, X: x, Variables: p.out.variables()}); missing {
		p.out.Incomplete = data
	} else if len(names) > 0 {
		p.out.Data = data
	}
}

// withoutCopies are the rows of x that are not copies of earlier ones; nil means all.
func (p *preparation) withoutCopies(x *mat.Dense) []int {
	if p.o.Copies == DoubtfulKeep {
		return nil
	}
	rest := inspect.Distinct(&dataset.Table{X: x})
	if rest != nil {
		n, _ := x.Dims()
		p.warn("%d of %d rows are copies of an earlier row, and left out; "+
			"--set data.copies=keep takes them as independent observations", n-len(rest), n)
	}
	return rest
}

// tooSmall refuses a selection of a single row or column.
func (p *preparation) tooSmall() bool {
	rows, of := p.t.Rows, ""
	if p.rows != nil {
		rows, of = len(p.rows), " of those that data.rows takes"
	}
	switch {
	case rows < 2:
		p.problem(Problem{Text: "got a single row" + of + ", want at least 2"})
	case len(p.wanted) == 0:
		p.problem(Problem{Text: "got no column, want at least 2"})
	case len(p.wanted) == 1:
		p.problem(Problem{Text: "got a single column, want at least 2: one variable has no edges " +
			"to infer"})
	default:
		return false
	}
	return true
}

// tooLittle refuses a table of which too little is left, if nothing else is wrong.
func (p *preparation) tooLittle(rows, columns int) {
	switch {
	case len(p.problems) > 0:
	case columns < 2:
		p.problem(Problem{Text: fmt.Sprintf("%s of numbers left of %d, want at least 2",
			words.Counted(columns, "column"), len(p.wanted)),
			Solve: "data.keep takes columns of dates, and those that look like an index or " +
				"identifier, --kind NAME=categorical those with words"})
	case rows < 2:
		p.problem(Problem{Text: fmt.Sprintf("%s left, want at least 2", words.Counted(rows, "row")),
			Solve: "--missing impute keeps rows with missing values, --drop leaves out the " +
				"columns that have most of them"})
	}
}

// chosen is the matrix of some columns.
func chosen(x *mat.Dense, columns []int) *mat.Dense {
	n, _ := x.Dims()
	if len(columns) == 0 {
		return &mat.Dense{}
	}
	y := mat.NewDense(n, len(columns), nil)
	for i := range n {
		from, to := x.RawRowView(i), y.RawRowView(i)
		for a, j := range columns {
			to[a] = from[j]
		}
	}
	return y
}

// handleGaps finds the missing values in the wanted columns, and returns the rows that stay.
func (p *preparation) handleGaps(rows []int) []int {
	var gappy []*Profile
	coded := map[*Profile]bool{}
	for _, c := range p.out.Columns {
		coded[c.profile] = true
	}
	for _, j := range p.wanted {
		q := p.out.Profiles[j]
		if q.Gaps > 0 && coded[q] {
			gappy = append(gappy, q)
		}
	}
	if len(gappy) == 0 {
		return rows
	}
	var complete []int
	for _, row := range rows {
		if !slices.ContainsFunc(gappy, func(q *Profile) bool { return q.missing(row) }) {
			complete = append(complete, row)
		}
	}
	what := p.gapText(gappy)
	some := len(rows) - len(complete)
	switch p.o.Missing {
	case MissingDrop:
		p.note("%s with missing values left out of %d: %s", words.Counted(some, "row"), len(rows),
			what)
		return complete
	case MissingImpute:
		p.note("missing values in %s of %d are imputed: %s", words.Counted(some, "row"), len(rows),
			what)
		return rows
	}
	remedy := func(o *Options) { o.Missing = MissingDrop }
	solve := fmt.Sprintf("--missing drop leaves out %s and keeps %d, --missing impute completes "+
		"them", words.Counted(some, "row"), len(complete))
	if len(complete) < 2*len(p.out.Columns)+2 {
		remedy = func(o *Options) { o.Missing = MissingImpute }
		solve = fmt.Sprintf("--missing impute completes them, --missing drop keeps only %s",
			words.Counted(len(complete), "row"))
	}
	p.problem(Problem{Text: fmt.Sprintf("missing values in %s of %d: %s",
		words.Counted(some, "row"), len(rows), what), Solve: solve, remedy: remedy})
	return complete // for the problems behind this one
}

// gapText says which columns have missing values, and how they are spelled.
func (p *preparation) gapText(gappy []*Profile) string {
	const most = 8
	sorted := slices.Clone(gappy)
	slices.SortStableFunc(sorted, func(a, b *Profile) int { return b.Gaps - a.Gaps })
	var parts []string
	for _, q := range sorted[:min(most, len(sorted))] {
		part := fmt.Sprintf("%d in %s", q.Gaps, label(q.Position, q.Name))
		if len(q.Spellings) > 1 || len(q.Spellings) == 1 && q.Spellings[0].Name != "" {
			var spellings []string
			for _, s := range q.Spellings[:min(4, len(q.Spellings))] {
				spellings = append(spellings, fmt.Sprintf("%q", s.Name))
			}
			part += " spelled " + strings.Join(spellings, ", ")
		}
		parts = append(parts, part)
	}
	if more := len(sorted) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %s more", words.Counted(more, "column")))
	}
	return strings.Join(parts, ", ")
}

// noteMeasurements notes numbers that may be something else than measurements.
func (p *preparation) noteMeasurements() {
	for k, c := range p.out.Columns {
		q := c.profile
		if c.indicator >= 0 {
			continue
		}
		_, p.out.Columns[k].asked = p.kinds[q.Position-1]
		for _, e := range q.repeated {
			v := spelled(e.value)
			p.warn("%s: the value %s stands %d times, far from all others: if it means missing, "+
				"--set data.missing-code=%s says so", label(q.Position, q.Name), v, e.count, v)
		}
		if what, kind := q.given(); what != "" {
			if _, asked := p.kinds[q.Position-1]; asked {
				p.note("%s has %s, and is taken as a measurement; --drop leaves it out",
					label(q.Position, q.Name), what)
			} else {
				p.out.Columns[k].given = true
				p.note("%s has %s, which no other column causes; --kind %s takes it as a "+
					"measurement, --drop leaves it out", label(q.Position, q.Name), what,
					shellQuote(q.Name+"="+kind))
			}
		} else if q.Kind == Number && q.Whole && q.Rows >= 20 && identifying.MatchString(q.Name) {
			p.note(
				"%s is named like an identifier and taken as a measurement; --drop leaves it out",
				label(q.Position, q.Name))
		}
		if q.Kind == Identifier || q.Kind == Index {
			p.note("%s numbers the rows, and is kept as asked for", label(q.Position, q.Name))
		}
	}
	if years := p.out.Years(); years != nil {
		first := slices.IndexFunc(years, func(y int) bool { return y >= 0 })
		p.note("columns are named by years, such as %s: none causes one of an earlier year; "+
			"--kind %s takes one as any other column", p.out.Columns[first].Name,
			shellQuote(p.out.Columns[first].Name+"=real"))
	}
}
