package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/table"

	"github.com/spf13/pflag"
)

// tableOptions are the flags that say how a data file is read and what is taken
// of it.
type tableOptions struct {
	layout table.Layout
	want   table.Options
}

// flags defines the options for a table.
func (o *tableOptions) flags(f *pflag.FlagSet) {
	f.Var(&columnList{&o.want.Columns}, "columns", "take only these columns, in this sequence")
	f.Var(&columnList{&o.want.Drop}, "drop", "leave these columns out")
	f.Var(cli.Choice(&o.want.Missing, table.MissingError, table.MissingDrop, table.MissingImpute),
		"missing", "missing values: error, drop their rows, or impute them")
	f.Var(cli.SeveralOf(&o.want.Kinds, "NAME=KIND"), "kind", "what a column is: "+kindNames()+
		"; may be repeated")
	f.Var(cli.Choice(&o.want.Categories, table.CategoriesNodes, table.CategoriesIndicators,
		table.CategoriesDrop), "categories",
		"categories of more than two levels: nodes, indicators, drop")
}

// kindNames are the kinds of columns.
func kindNames() string {
	var names []string
	for _, k := range dataset.Kinds() {
		names = append(names, k.String())
	}
	return strings.Join(names, ", ") + ", censored"
}

// topic has the settings of a table.
func (o *tableOptions) topic() cli.Topic {
	f := cli.NewSettings()
	f.Var(cli.PlainText(&o.want.Rows, "2-101,205,..."), "rows",
		"rows to take, counted from 1 below the header")
	f.Var(&columnList{&o.want.Keep}, "keep",
		"columns to take although they look like an index or identifier, or hold dates")
	f.Var(cli.SeveralOf(&o.want.Ordinal, "NAME=a<b<..."), "ordinal",
		"order of the levels of a column, coded 0, 1, ...; may be repeated")
	f.Var(cli.SeveralOf(&o.want.MissingCodes, "TEXT"), "missing-code",
		"a value that means missing, besides the usual spellings; may be repeated")
	f.Var(cli.Choice(&o.want.Dependent, table.DependentError, table.DependentDrop), "dependent",
		"what to do about constant columns and those that others determine")
	f.Var(cli.Choice(&o.want.Copies, table.DoubtfulDrop, table.DoubtfulKeep), "copies",
		"what to do about rows that are copies of earlier ones, where chance does not explain them")
	f.Var(cli.Choice(&o.want.Dates, table.DatesAuto, table.DayFirst, table.MonthFirst), "dates",
		"what comes first in dates such as 03/04/2020")
	f.Var(cli.Choice(&o.want.Censored, table.CensoredError, table.CensoredLimit,
		table.CensoredImpute), "censored",
		"limits in place of values, such as <0.5, >100 and 2-5: error, take them for the values, "+
			"or impute values between them")
	f.Var(cli.PlainText(&o.layout.Sheet, "NAME|N"), "sheet",
		"sheet of a workbook, or array of an .npz file")
	f.Var(cli.Choice(&o.layout.Header, table.HeaderAuto, table.HeaderYes, table.HeaderNo), "header",
		"whether the first line has the names")
	cli.DefaultText(f, "header", "auto: where it has words above numbers")
	f.Var(&columnList{&o.layout.Names}, "names",
		"names of all columns, in place of those in the file")
	f.Var(cli.WholeNumber(&o.layout.Skip, 0, cli.MostLines), "skip",
		"lines to skip at the beginning of the file")
	f.Var(&delimiter{&o.layout.Delimiter}, "delimiter",
		"separator of the values of a text: a character, or tab, blank")
	cli.DefaultText(f, "delimiter", "detected")
	f.Var(cli.PlainText(&o.layout.Comment, "TEXT"), "comment",
		"text with which lines to skip begin")
	return cli.NewTopic("data", cli.GroupOthers, dataHelp, f)
}

// columnList is a flag with the names or numbers of columns; given again, it has
// more of them.
type columnList struct{ values *[]string }

// Set implements pflag.Value.
func (c *columnList) Set(text string) error {
	names, err := delimited.Fields(text, "value")
	if err != nil {
		return errors.New("allowed: names separated by commas, those with commas in quotes")
	}
	for _, name := range names {
		if name == "" {
			return errors.New(
				"allowed: names or numbers of columns, separated by commas, none empty")
		}
	}
	*c.values = append(*c.values, names...)
	return nil
}

// String implements pflag.Value.
func (c *columnList) String() string {
	if c.values == nil {
		return ""
	}
	return cli.JoinNames(*c.values)
}

// Type implements pflag.Value.
func (c *columnList) Type() string { return "a,b,..." }

// delimiter is the separator of a text.
type delimiter struct{ value *rune }

// delimiterNames are words for separators.
var delimiterNames = map[string]rune{
	",": ',', ";": ';', "\t": '\t', "|": '|', " ": ' ', `\t`: '\t', "comma": ',', "semicolon": ';',
	"tab": '\t', "bar": '|', "pipe": '|', "blank": ' ', "space": ' ',
}

// Set implements pflag.Value.
func (d *delimiter) Set(text string) error {
	c, known := delimiterNames[text]
	if !known {
		return errors.New(`allowed: "," ";" "|" tab blank`)
	}
	*d.value = c
	return nil
}

// String implements pflag.Value.
func (d *delimiter) String() string {
	if d.value == nil || *d.value == 0 {
		return ""
	}
	return string(*d.value)
}

// Type implements pflag.Value.
func (d *delimiter) Type() string { return "C" }

var _, _ pflag.Value = (*columnList)(nil), (*delimiter)(nil)

// open reads what a file holds, or standard input for the path "-".
func (o *tableOptions) open(path string, stdin io.Reader) (*table.Table, error) {
	t, err := o.openAny(path, stdin)
	if err == nil {
		err = t.CheckLayout(o.layout)
	}
	return t, tableError(err)
}

func (o *tableOptions) openAny(path string, stdin io.Reader) (*table.Table, error) {
	if path == "-" {
		return table.Read(stdin, cli.StandardInput, o.layout)
	}
	return table.ReadFile(path, o.layout)
}

// read reads a data file, or standard input for the path "-", and takes what the
// options ask for.
func (o *tableOptions) read(path string, stdin io.Reader) (*table.Prepared, error) {
	t, err := o.open(path, stdin)
	if err != nil {
		return nil, err
	}
	p, err := table.Prepare(t, o.want)
	const large = 1 << 22 // cells
	if t.Rows*len(t.Columns) > large {
		// An analysis keeps few, large arrays: a smaller fraction of garbage costs it little
		// time, and saves a third of the memory. What the file took is free again.
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(25)
		}
		debug.FreeOSMemory()
	}
	return p, tableError(err)
}

// tableError makes an option that does not fit the table wrong usage.
func tableError(err error) error {
	if errors.As(err, new(*table.OptionError)) {
		return cli.WrongUse(err)
	}
	return err
}

// imputing is the option by which values are imputed, missing ones or those with limits, and what
// does without.
func imputing(missing, limits bool) (how, without string) {
	switch {
	case !limits:
		return "--missing impute", "--missing drop"
	case !missing:
		return "data.censored=impute", "data.censored=limit"
	}
	return "--missing impute", "--missing drop and data.censored=limit"
}

// complete is the table of an analysis that takes no missing values.
func complete(p *table.Prepared, command string) (*dataset.Table, error) {
	if p.Incomplete != nil {
		how, without := imputing(p.Imputes(), len(p.Limits) > 0)
		return nil, cli.Usagef("%s: %s takes no missing values; allowed: %s", how, command, without)
	}
	return p.Data, nil
}

// interventionsOf reads which values of a prepared table were set by
// intervention: 1 where one was, 0 elsewhere, columns matched by name. Indicators
// of a category are set where the category is.
func interventionsOf(path string, p *table.Prepared) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, name := range t.Names {
		if !p.Knows(name) {
			return nil, fmt.Errorf("%s: unknown column %s; allowed: %s", path,
				delimited.Excerpt(name), delimited.Excerpts(columnNames(p)))
		}
	}
	m, err := p.Mask(t)
	if err != nil {
		return nil, cli.Located(path, err)
	}
	return &dataset.Table{Names: columnNames(p), X: m}, checkMarks(path, t)
}

// checkMarks finds a mark of an intervention that is neither 0 nor 1.
func checkMarks(path string, t *dataset.Table) error {
	n, d := t.X.Dims()
	for i := range n {
		for j := range d {
			if v := t.X.At(i, j); v != 0 && v != 1 {
				return fmt.Errorf("%s: row %d, column %s is %v; allowed: 1 where the value was "+
					"set by intervention, 0 elsewhere", path, i+1, delimited.Excerpt(t.Names[j]), v)
			}
		}
	}
	return nil
}

func columnNames(p *table.Prepared) []string {
	names := make([]string, len(p.Columns))
	for k, c := range p.Columns {
		names[k] = c.Name
	}
	return names
}

// heldoutOf reads held-out rows, with the layout of the data, and codes them like
// these.
func (o *tableOptions) heldoutOf(path string, p *table.Prepared) (data *dataset.Table,
	notes, warnings []string, err error) {
	t, err := table.ReadFile(path, o.layout)
	if err != nil {
		return nil, nil, nil, tableError(err)
	}
	data, notes, err = p.Apply(t)
	for _, w := range t.Warnings {
		warnings = append(warnings, path+": "+w)
	}
	return data, notes, warnings, err
}

// note tells the user what was done with the table.
func note(stderr io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(stderr, cli.Printable("tobac: note: "+n))
	}
}

// readHeldout reads held-out rows of the named columns. Columns are matched by name; others
// are left out.
func readHeldout(path string, names []string) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(names); err != nil {
		return nil, cli.Located(path, err)
	}
	return t, nil
}

// readInterventions reads which values of a table were set by intervention: 1
// where one was, 0 elsewhere, columns matched by name.
func readInterventions(path string, data *dataset.Table) (*dataset.Table, error) {
	t, err := readColumns(path, data.Names)
	if err != nil {
		return nil, err
	}
	if t, err = t.Select(data.Names); err != nil {
		return nil, cli.Located(path, err)
	}
	want, _ := data.X.Dims()
	if n, _ := t.X.Dims(); n != want {
		return nil, fmt.Errorf("%s: got %d rows, want %d like the data", path, n, want)
	}
	return t, checkMarks(path, t)
}

// readColumns reads a table that has the named columns, in any sequence, and no
// others.
func readColumns(path string, names []string) (*dataset.Table, error) {
	t, err := dataset.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, err := t.Select(names); err != nil {
		return nil, cli.Located(path, err)
	}
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	for _, name := range t.Names {
		if !known[name] {
			return nil, fmt.Errorf("%s: unknown column %s; allowed: %s", path,
				delimited.Excerpt(name), delimited.Excerpts(names))
		}
	}
	return t, nil
}
