package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/words"
)

// Missing says what happens to missing values.
type Missing int

const (
	// MissingError refuses them.
	MissingError Missing = iota
	// MissingDrop leaves out the rows that have one.
	MissingDrop
	// MissingImpute keeps them, for an imputation to complete.
	MissingImpute
)

// String implements fmt.Stringer.
func (m Missing) String() string { return [...]string{"error", "drop", "impute"}[m] }

// Categories says what happens to categories of more than two levels.
type Categories int

const (
	// CategoriesNodes makes each one variable with the levels 0, 1, …, sorted by name.
	CategoriesNodes Categories = iota
	// CategoriesIndicators makes a column of 0 and 1 for each level but the most frequent, for
	// models that take numbers alone.
	CategoriesIndicators
	// CategoriesDrop leaves them out.
	CategoriesDrop
)

// String implements fmt.Stringer.
func (c Categories) String() string { return [...]string{"nodes", "indicators", "drop"}[c] }

// Dependent says what happens to columns that others determine, and to constant ones.
type Dependent int

const (
	// DependentError refuses them.
	DependentError Dependent = iota
	// DependentDrop leaves out the last column of every dependence, and constant columns.
	DependentDrop
)

// String implements fmt.Stringer.
func (d Dependent) String() string { return [...]string{"error", "drop"}[d] }

// Doubtful says what happens to rows that are hardly observations: copies of earlier ones, and
// those with errors of recording.
type Doubtful int

const (
	// DoubtfulDrop leaves them out.
	DoubtfulDrop Doubtful = iota
	// DoubtfulKeep keeps them.
	DoubtfulKeep
)

// String implements fmt.Stringer.
func (d Doubtful) String() string { return [...]string{"drop", "keep"}[d] }

// Options say which part of a table is wanted, and how it becomes numbers. The zero value takes
// everything, and refuses what is not clear. Columns are named, or numbered from 1; a name goes
// before a number.
type Options struct {
	Columns []string // only these, in this sequence; nil means all
	Drop    []string // not these
	Keep    []string // these also if they are an index, an identifier or dates
	Rows    string   // only these rows of data, counted from 1: "2-101,205,300-"; "": all
	Missing Missing
	// MissingCodes are texts and numbers that mean a missing value, beside the usual spellings.
	MissingCodes []string
	Categories   Categories
	// Kinds say what columns are: "stage=ordered", by the names of [dataset.Kind].
	Kinds []string
	// Ordinal gives levels their order: "size=small<medium<large". They are coded 0, 1, 2.
	Ordinal   []string
	Dependent Dependent
	Copies    Doubtful // rows, see [inspect.Distinct]
	Dates     Dates
	Censored  Censored
}

// find returns the column of a name or number.
func (t *Table) find(option, name string) (int, error) {
	name = strings.TrimSpace(name)
	found := -1
	for j, c := range t.Columns {
		if c.Name == name && name != "" {
			if found >= 0 {
				return 0, &OptionError{option,
					fmt.Sprintf("columns %d and %d are both named %s; give the number of one",
						found+1, j+1, delimited.Excerpt(name))}
			}
			found = j
		}
	}
	if found >= 0 {
		return found, nil
	}
	if k, err := strconv.Atoi(name); err == nil {
		if k < 1 || k > len(t.Columns) {
			return 0, &OptionError{option,
				fmt.Sprintf("no column %d; allowed: 1 to %d, or names", k, len(t.Columns))}
		}
		return k - 1, nil
	}
	names := t.names()
	return 0, &OptionError{option,
		fmt.Sprintf("no column is named %s%s; allowed: %s, or numbers from 1 to %d",
			delimited.Excerpt(name), words.Suggestion(name, names), delimited.Excerpts(names),
			len(names))}
}

// findAll returns which columns are named.
func (t *Table) findAll(option string, names []string) (is []bool, sequence []int, err error) {
	is = make([]bool, len(t.Columns))
	for _, name := range names {
		j, err := t.find(option, name)
		if err != nil {
			return nil, nil, err
		}
		if is[j] && option == "columns" {
			return nil, nil,
				&OptionError{option, fmt.Sprintf("names the %s twice", t.Columns[j].Label())}
		}
		if !is[j] {
			is[j] = true
			sequence = append(sequence, j)
		}
	}
	return is, sequence, nil
}

// selectRows reads the rows that are wanted, counted from 0; nil are all.
func (t *Table) selectRows(spec string) ([]int, error) {
	if strings.TrimSpace(spec) == "" {
		return nil, nil
	}
	wanted := make([]bool, t.Rows)
	for part := range strings.SplitSeq(spec, ",") {
		first, last, err := rowRange(part)
		switch {
		case err != nil:
			return nil, err
		case first > t.Rows:
			return nil, &OptionError{"rows", fmt.Sprintf("%s begins after the last of %s",
				strings.TrimSpace(part), words.Counted(t.Rows, "row"))}
		case last == math.MaxInt:
			last = t.Rows
		case last > t.Rows:
			return nil, &OptionError{"rows", fmt.Sprintf("%s ends after the last of %s",
				strings.TrimSpace(part), words.Counted(t.Rows, "row"))}
		}
		for row := first - 1; row < last; row++ {
			wanted[row] = true
		}
	}
	var rows []int
	for row, is := range wanted {
		if is {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// rowRange reads "3", "3-7" or "3-".
func rowRange(text string) (first, last int, err error) {
	fault := &OptionError{"rows", fmt.Sprintf("%q is not a row or a range of rows; allowed: such "+
		"as 5, 2-101 or 200-, counted from 1 below the header, separated by commas",
		strings.TrimSpace(text))}
	from, to, isRange := strings.Cut(strings.TrimSpace(text), "-")
	if first, err = strconv.Atoi(strings.TrimSpace(from)); err != nil || first < 1 {
		return 0, 0, fault
	}
	to = strings.TrimSpace(to)
	switch {
	case !isRange:
		return first, first, nil
	case to == "":
		return first, math.MaxInt, nil
	}
	if last, err = strconv.Atoi(to); err != nil || last < first {
		return 0, 0, fault
	}
	return first, last, nil
}

// ordinals reads the orders of levels, by column.
func (t *Table) ordinals(specs []string) (map[int][]string, error) {
	all := map[int][]string{}
	for _, spec := range specs {
		const allowed = `allowed: such as "size=small<medium<large"`
		at := strings.LastIndex(spec, "=")
		for _, c := range t.Columns { // names may have = in them
			if c.Name != "" && strings.HasPrefix(spec, c.Name+"=") {
				at = len(c.Name)
			}
		}
		if at < 1 {
			return nil, &OptionError{"ordinal",
				fmt.Sprintf("%q has no = after the name of a column; %s", spec, allowed)}
		}
		j, err := t.find("ordinal", spec[:at])
		if err != nil {
			return nil, err
		}
		if all[j] != nil {
			return nil, &OptionError{"ordinal",
				fmt.Sprintf("orders the %s twice", t.Columns[j].Label())}
		}
		levels := strings.Split(spec[at+1:], "<")
		seen := map[string]bool{}
		for k := range levels {
			levels[k] = strings.TrimSpace(levels[k])
			if levels[k] == "" || seen[levels[k]] {
				return nil, &OptionError{"ordinal",
					fmt.Sprintf("%q has an empty or repeated level; %s", spec, allowed)}
			}
			seen[levels[k]] = true
		}
		if len(levels) < 2 {
			return nil, &OptionError{"ordinal",
				fmt.Sprintf("%q has a single level; %s", spec, allowed)}
		}
		all[j] = levels
	}
	return all, nil
}

// Flags is the form of the options on a command line, without those that have their zero value.
func (o *Options) Flags() string {
	var b strings.Builder
	add := func(flag, value string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if name := optionName(flag); name[0] == '-' {
			b.WriteString(name + " " + shellQuote(value))
		} else {
			b.WriteString("--set " + name + "=" + shellQuote(value))
		}
	}
	list := func(flag string, names []string) {
		if len(names) > 0 {
			quoted := make([]string, len(names))
			for k, name := range names {
				if quoted[k] = name; strings.ContainsAny(name, ",\"\n") ||
					strings.TrimSpace(name) != name {
					quoted[k] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
				}
			}
			add(flag, strings.Join(quoted, ","))
		}
	}
	list("columns", o.Columns)
	list("drop", o.Drop)
	list("keep", o.Keep)
	if o.Rows != "" {
		add("rows", o.Rows)
	}
	if o.Missing != MissingError {
		add("missing", o.Missing.String())
	}
	for _, code := range o.MissingCodes {
		add("missing-code", code)
	}
	if o.Categories != CategoriesNodes {
		add("categories", o.Categories.String())
	}
	for _, spec := range o.Kinds {
		add("kind", spec)
	}
	for _, spec := range o.Ordinal {
		add("ordinal", spec)
	}
	if o.Dates != DatesAuto {
		add("dates", o.Dates.String())
	}
	if o.Censored != CensoredError {
		add("censored", o.Censored.String())
	}
	if o.Dependent != DependentError {
		add("dependent", o.Dependent.String())
	}
	if o.Copies != DoubtfulDrop {
		add("copies", o.Copies.String())
	}
	return b.String()
}

// longestValue is the number of bytes up to which an option with a name or value is proposed.
const longestValue = 200

// shellQuote quotes a value that a shell would not leave as it is.
func shellQuote(s string) string {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-.,:/=+%@", r)) {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return s
}
