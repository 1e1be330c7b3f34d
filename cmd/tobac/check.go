package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/exact"
	"tobac/internal/file"
	"tobac/internal/inspect"
	"tobac/internal/table"
	"tobac/internal/words"
	"tobac/metrics"
	"tobac/sem"

	"github.com/spf13/cobra"

	"gonum.org/v1/gonum/mat"
)

const checkLong = `Check reads a table as tobac fit does with the same options, and describes it: rows, kinds
and ranges of columns, missing values, scales, linear dependences, tails, and the models
and engines that suit it. It lists every problem that fit would refuse, with the options
that solve it. tobac help data explains tables and their settings.

Exit status: 0 if fit takes the table with these options, 1 if not.`

func newCheck() *cobra.Command {
	var o tableOptions
	var asJSON bool
	var assign func() error
	cmd := &cobra.Command{
		Use:   "check DATA",
		Short: "Describe a table and check that fit can use it",
		Long:  checkLong,
		Example: `  tobac check data.csv
  tobac check data.xlsx --set sheet=2 --missing drop
  tobac check data.csv.gz --json`,
		Args: cli.Arguments(1, 1, "one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := assign(); err != nil {
				return err
			}
			p := cli.NewProgress(cmd.ErrOrStderr(), cli.IsQuiet(cmd))
			defer p.Close()
			p.During("reading " + cli.DataLabel(args[0]))
			t, err := o.open(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			p.During("looking at the columns")
			d, err := table.Describe(t, o.want)
			if err != nil {
				return tableError(err)
			}
			p.Close()
			cli.Warn(cmd.ErrOrStderr(), d.Prepared.Warnings)
			c := newCheckReport(t, d, cli.DataLabel(args[0]))
			var text strings.Builder
			stdout := cmd.OutOrStdout()
			if asJSON {
				stdout = cli.Exactly(stdout)
				err = cli.WriteJSON(&text, c)
			} else {
				err = c.print(&text)
			}
			if err != nil {
				return err
			}
			if _, err := io.WriteString(stdout, text.String()); err != nil {
				return file.WithPath("standard output", err)
			}
			if !c.Taken {
				return errNotTaken
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	o.flags(f)
	assign = cli.WithSettings(f, o.topic())
	cli.Toggle(f, &asJSON, "json", cli.JSONUsage)
	return cmd
}

// errNotTaken makes the exit status 1 after a report that says why.
var errNotTaken = fmt.Errorf("fit does not take this table with these options")

// A checkReport is what tobac check prints.
type checkReport struct {
	Data     string         `json:"data"`
	Format   string         `json:"format"`
	Rows     int            `json:"rows"` // of the file
	Columns  []checkColumn  `json:"columns"`
	Notes    []string       `json:"notes"`
	Warnings []string       `json:"warnings"` // which standard error has too
	Problems []checkProblem `json:"problems"`
	Together string         `json:"solved_together_by,omitempty"`
	// Taken says whether fit takes the table; the others are about what it gets.
	Taken     bool     `json:"taken"`
	FitRows   int      `json:"fit_rows"`
	Variables []string `json:"variables"`
	Missing   bool     `json:"missing_values_left"`
	Findings  []string `json:"findings"`
	Fit       []string `json:"fit,omitempty"`
}

// A checkColumn is a column of the file. Numbers are null where there are none.
type checkColumn struct {
	Position int            `json:"position"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Taken    bool           `json:"taken"`
	Missing  int            `json:"missing"`
	Spelled  []table.Level  `json:"missing_as,omitempty"`
	Distinct int            `json:"distinct"` // 1001 stands for more than 1000
	Min      metrics.Number `json:"min"`
	Mean     metrics.Number `json:"mean"`
	SD       metrics.Number `json:"sd"`
	Max      metrics.Number `json:"max"`
	Skewness metrics.Number `json:"skewness"`
	Kurtosis metrics.Number `json:"excess_kurtosis"`
	Levels   []table.Level  `json:"levels,omitempty"`
}

type checkProblem struct {
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
	Solve  string `json:"solved_by,omitempty"`
}

func newCheckReport(t *table.Table, d *table.Description, label string) *checkReport {
	p := d.Prepared
	c := &checkReport{Data: label, Format: t.Format, Rows: t.Rows,
		Notes: append([]string{}, p.Notes...), Warnings: append([]string{}, p.Warnings...),
		Problems: []checkProblem{}, Findings: []string{}, FitRows: len(p.Rows),
		Missing: p.Incomplete != nil, Variables: columnNames(p)}
	for j, column := range t.Columns {
		c.Columns = append(c.Columns, newCheckColumn(column, p.Profiles[j],
			slices.ContainsFunc(p.Columns, func(k table.Coded) bool { return k.Position == j+1 })))
	}
	if d.Refusal != nil {
		for _, q := range d.Refusal.Problems {
			c.Problems = append(c.Problems, checkProblem{q.Column, q.Text, q.Solve})
		}
		c.Together = d.Refusal.Together
	}
	n, k := len(p.Rows), len(p.Columns)
	if d.Refusal == nil && (k < 2 || n < 2) {
		c.Problems = append(c.Problems,
			checkProblem{Text: fmt.Sprintf("%s of %s are too few: fit needs two of each",
				words.Counted(n, "row"), words.Counted(k, "column")),
				Solve: "data.keep and --columns take columns that are left out"})
	}
	if d.Refusal == nil {
		c.checkRanges(p.Numbers(), p)
	}
	c.Taken = len(c.Problems) == 0
	c.find(p)
	if c.Taken {
		c.Fit = fitAdvice(stoodIn(p.Numbers()), c.Missing)
	}
	return c
}

// checkRanges finds columns whose values are too large or too small to compute with.
func (c *checkReport) checkRanges(t *dataset.Table, p *table.Prepared) {
	for k, column := range p.Columns {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range p.Rows {
			if v := t.X.At(i, k); !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		if problem := inspect.OutOfRange(low, high); problem != "" {
			c.Problems = append(c.Problems,
				checkProblem{column.Position, fmt.Sprintf("column %d (%s) %s", column.Position,
					column.Name, problem), "give it in another unit"})
		}
	}
}

func newCheckColumn(column *table.Column, q *table.Profile, taken bool) checkColumn {
	nan := metrics.Number(math.NaN())
	c := checkColumn{Position: column.Position, Name: column.Name, Kind: "not wanted", Taken: taken,
		Min: nan, Mean: nan, SD: nan, Max: nan, Skewness: nan, Kurtosis: nan}
	if q == nil {
		return c
	}
	c.Kind, c.Missing, c.Spelled, c.Distinct = kindText(q, taken), q.Gaps, q.Spellings, q.Distinct
	c.Levels = q.Levels[:min(50, len(q.Levels))]
	if q.Measured() {
		c.Min, c.Mean, c.SD, c.Max = metrics.Number(q.Min), metrics.Number(q.Mean),
			metrics.Number(q.SD), metrics.Number(q.Max)
		c.Skewness, c.Kurtosis = metrics.Number(q.Skewness), metrics.Number(q.Kurtosis)
	}
	return c
}

// kindText is what the values of a column are, or why it holds none that fit takes.
func kindText(q *table.Profile, taken bool) string {
	if taken && q.Kind <= table.Ordinal {
		if q.Limited() {
			return q.Measure().String() + ", censored"
		}
		return q.Measure().String()
	}
	return q.Kind.String()
}

// find says what stands out in the columns that fit would get.
func (c *checkReport) find(p *table.Prepared) {
	var discrete, skewed []string
	low, high := math.Inf(1), 0.0
	var narrow, wide string
	for _, q := range p.Profiles {
		if q == nil || !q.Measured() || q.Kind == table.Constant ||
			!slices.ContainsFunc(p.Columns, func(k table.Coded) bool {
				return k.Position == q.Position
			}) {
			continue
		}
		name := cli.Label(q.Name)
		if q.SD > 0 && q.SD < low {
			low, narrow = q.SD, name
		}
		if q.SD > high {
			high, wide = q.SD, name
		}
		switch {
		case q.Distinct <= inspect.Levels:
			discrete = append(discrete, fmt.Sprintf("%s (%d)", name, q.Distinct))
		case !q.Normal() && q.Kind != table.Date:
			skewed = append(skewed, name)
		}
	}
	if high >= inspect.ApartUnits*low {
		c.Findings = append(c.Findings, fmt.Sprintf("scales differ by a factor of %.2g, from %s "+
			"(standard deviation %.3g) to %s (%.3g): the models linear-unequal and gp scale "+
			"every column, linear does not", high/low, narrow, low, wide, high))
	}
	if len(discrete) > 0 && !p.Numbers().OfKinds() {
		c.Findings = append(c.Findings, "few different values: "+words.Some(discrete, 10)+
			": the models take them for continuous numbers, which is an approximation")
	}
	if len(skewed) > 0 {
		c.Findings = append(c.Findings, "far from a normal distribution: "+words.Some(skewed, 10)+
			": data.transform=log or normal-scores brings them nearer")
	}
}

// stoodIn is a table in which other values of their columns stand in for missing ones.
func stoodIn(t *dataset.Table) *dataset.Table {
	if !hasGaps(t) {
		return t
	}
	out := *t
	out.X = mat.DenseCopyOf(t.X)
	n, d := t.X.Dims()
	for j := range d {
		known := slices.DeleteFunc(mat.Col(nil, j, t.X), math.IsNaN)
		for i := range n {
			if len(known) == 0 {
				out.X.Set(i, j, float64(i)) // every value of the column has limits
			} else if math.IsNaN(t.X.At(i, j)) {
				out.X.Set(i, j, known[i%len(known)])
			}
		}
	}
	return &out
}

// fitAdvice says what fit does with a table.
func fitAdvice(t *dataset.Table, missing bool) []string {
	n, d := t.X.Dims()
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	rows := fmt.Sprintf("%s of %s", words.Counted(n, "row"), words.Counted(d, "column"))
	switch {
	case n <= d+1:
		add("%s: fewer rows than an equation with all parents needs; linear cannot estimate its "+
			"noise variance, and the result depends on the prior", rows)
	case n < 10*d:
		add("%s: few rows; expect many uncertain relations", rows)
	default:
		add("%s", rows)
	}
	models, left := []string{}, ""
	for _, m := range sem.Compared(t) {
		if why := sem.Unsuited(m, t); why == "" {
			models = append(models, m.String())
		} else {
			left += fmt.Sprintf("; %s is left out, %s", m, why)
		}
	}
	add("models that auto compares: %s%s", strings.Join(models, ", "), left)
	switch {
	case d <= exact.Affordable:
		add("engine: exact sums over all orders, up to %d columns", exact.Affordable)
	default:
		add("engine: mcmc, chains over graphs; exact takes at most %d columns", exact.Affordable)
	}
	if missing {
		add("missing values, and those of which limits are known, are imputed first")
	}
	return out
}

// print writes the report for a reader.
func (c *checkReport) print(w io.Writer) error {
	cli.PrintField(w, "data", fmt.Sprintf("%s: %s, %s of %s", c.Data, c.Format,
		words.Counted(c.Rows, "row"), words.Counted(len(c.Columns), "column")))
	fmt.Fprintln(w)
	t := cli.NewTable(w)
	fmt.Fprint(t, "  #\tcolumn\tkind\tmissing\tmin\tmean\tsd\tmax\t\n")
	const most = 200
	for _, column := range c.Columns[:min(most, len(c.Columns))] {
		missing := ""
		if column.Missing > 0 {
			missing = strconv.Itoa(column.Missing)
		}
		mark := ""
		if !column.Taken {
			mark = "not taken"
		}
		if levels := column.levelText(); levels != "" {
			mark = strings.TrimPrefix(mark+"; "+levels, "; ")
		}
		kind := column.Kind
		if kind == "not wanted" {
			kind, mark = "", "not wanted"
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", column.Position,
			cli.Label(shortened(column.Name)), kind, missing, significant(column.Min),
			significant(column.Mean), significant(column.SD), significant(column.Max), mark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(c.Columns) - most; more > 0 {
		fmt.Fprintf(w, "  and %d more columns, which --json lists\n", more)
	}
	section := func(name string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintln(w)
		}
		for _, line := range lines {
			cli.PrintField(w, name, line)
			name = ""
		}
	}
	section("notes", c.Notes)
	section("remarks", c.Findings)
	var problems []string
	for _, p := range c.Problems {
		text := p.Text
		if p.Solve != "" {
			text += "; " + p.Solve
		}
		problems = append(problems, "- "+text)
	}
	section("problem", problems)
	if c.Together != "" {
		section("fix", []string{"all with: " + c.Together})
	}
	if c.Taken {
		section("fit", append([]string{"takes it"}, c.Fit...))
	}
	return nil
}

// levelText lists the first levels of a column that has any.
func (c *checkColumn) levelText() string {
	var parts []string
	for _, level := range c.Levels {
		parts = append(parts, fmt.Sprintf("%s %d", shortened(level.Name), level.Count))
	}
	return words.Some(parts, 4)
}

// shortened is a name that fits a cell of a table.
func shortened(name string) string {
	if r := []rune(name); len(r) > 32 {
		return string(r[:29]) + "..."
	}
	return name
}

// significant writes a number with four digits, nothing where there is none.
func significant(v metrics.Number) string {
	if math.IsNaN(float64(v)) {
		return ""
	}
	return strconv.FormatFloat(float64(v), 'g', 4, 64)
}
