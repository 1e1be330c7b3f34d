package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// flowers has a category, two levels, an index, a gap and a column that others determine.
func flowers() string {
	var b strings.Builder
	b.WriteString(",length,width,sum,species,wet\n")
	for i := range 40 {
		length, width := 3*i*i%23+i%3, 5*i%17+i*i%5
		gap := fmt.Sprint(width)
		if i == 7 {
			gap = "NA"
		}
		fmt.Fprintf(&b, "%d,%d,%s,%d,%s,%s\n", i, length, gap, length+width,
			[]string{"a", "b", "c", "a"}[i%4], []string{"yes", "no", "no"}[i*i%3])
	}
	return b.String()
}

// settled are the options that flowers need.
var settled = []string{"--missing", "drop", "--categories", "indicators", "--set",
	"data.dependent=drop"}

func TestCheck(t *testing.T) {
	inFolder(t, map[string]string{"flowers.csv": flowers()})
	got := runTobac(t, "check", "flowers.csv")
	if got.code != cli.ExitFailed {
		t.Errorf("exit %d, want %d", got.code, cli.ExitFailed)
	}
	for _, want := range []string{
		"text separated by commas, 40 rows of 6 columns", "index",
		"column 1 numbers the rows, and is left out",
		"sum = length + width", "missing values in 1 row of 40",
		"fix     all with: --missing drop --set data.dependent=drop",
	} {
		if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "),
			strings.Join(strings.Fields(want), " ")) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
	}
	got = succeed(t, append([]string{"check", "flowers.csv", "--json"}, settled...)...)
	report := parse(t, got.stdout)
	if report["taken"] != true || report["fit_rows"] != 39.0 ||
		len(report["variables"].([]any)) != 5 {
		t.Errorf("report %v", report)
	}
	if got := runTobac(t, "check", "flowers.csv", "--drop", "hight"); got.code != cli.ExitUsage ||
		!strings.Contains(got.stderr, "--drop: no column is named") {
		t.Errorf("unknown column: %+v", got)
	}
}

// Check and fit agree on whether a table is taken, and the summary says what was done with it.
func TestFitTable(t *testing.T) {
	inFolder(t, map[string]string{"flowers.csv": flowers()})
	refuses(t, "fit flowers.csv --columns length,width,species --missing drop --model linear",
		cli.ExitFailed,
		`flowers.csv: column "species" is a category of 3 levels, which the model linear does not take; allowed: the models generalised, latent-normal, mixed and bdeu, or --categories indicators`)
	got := succeed(t, quick(append([]string{"fit", "flowers.csv", "--json"}, settled...)...)...)
	config := parse(t, got.stdout)["config"].(map[string]any)
	if config["training_rows"] != 39.0 || config["variables"] != 5.0 ||
		config["table"] != "--missing drop --categories indicators --set data.dependent=drop" {
		t.Errorf("config %v", config)
	}
	if notes := fmt.Sprint(config["notes"]); !strings.Contains(notes, "is coded no = 0, yes = 1") ||
		!strings.Contains(notes, "sum = length + width") {
		t.Errorf("notes %s", notes)
	}
	// Indicators of one variable are no causes of each other.
	for _, edge := range strings.Split(got.stdout, "\n") {
		if strings.Contains(edge, "species=b") && strings.Contains(edge, "species=c") &&
			strings.Contains(edge, "source") {
			t.Errorf("edge between indicators: %s", edge)
		}
	}
	refuses(t, "fit flowers.csv --require species=b,species=c "+strings.Join(settled, " "),
		cli.ExitUsage,
		"--require species=b,species=c contradicts --categories indicators: both are levels of "+
			"species")
	if got := succeed(t, quick("fit", "flowers.csv", "--missing", "impute", "--columns",
		"length,width,wet")...); !strings.Contains(got.stdout,
		"gaps    1 missing value in 1 column, imputed 10 times") {
		t.Errorf("report %s", got.stdout)
	}
	refuses(t, "fit --drop praf", cli.ExitUsage,
		"--drop is for a data file: the embedded data are complete numbers")
}

// Indicators have no edge between them in the result, whatever the engine.
func TestIndicatorsExclude(t *testing.T) {
	inFolder(t, map[string]string{"flowers.csv": flowers()})
	for _, engine := range [][]string{{"--engine", "exact"},
		{"--engine", "mcmc", "--set", "mcmc.iterations=2000", "--set", "mcmc.chains=2"},
		{"--engine", "svgd", "--set", "svgd.steps=20", "--set", "svgd.particles=4", "--set",
			"svgd.samples=4", "--set", "order.count=2"}} {
		succeed(t, append(append([]string{"fit", "flowers.csv", "--out", "run" + engine[1]},
			engine...), settled...)...)
		edges := readFile(t, "run"+engine[1]+"/edges.csv")
		for _, line := range strings.Split(edges, "\n") {
			if strings.HasPrefix(line, "species=b,species=c,") ||
				strings.HasPrefix(line, "species=c,species=b,") {
				t.Errorf("%s: edge %s", engine[1], line)
			}
		}
	}
}

// Interventions and held-out rows follow the rows and columns that are taken.
func TestTableWithInterventions(t *testing.T) {
	var marks strings.Builder
	marks.WriteString("length,width,species,wet\n")
	for i := range 40 {
		fmt.Fprintf(&marks, "%d,0,%d,0\n", i/5%2, i/7%2)
	}
	inFolder(t, map[string]string{"flowers.csv": flowers(), "marks.csv": marks.String(),
		"more.csv":  "wet,width,length,species\nyes,3,4,b\nno,NA,5,a\nno,1,9,c\n",
		"other.csv": "wet,width,length,species\nyes,3,4,d\n"})
	args := append([]string{"flowers.csv", "--drop", "sum", "--set", "data.rows=1-30",
		"--interventions", "marks.csv", "--heldout", "more.csv", "--json"}, settled...)
	config := parse(t,
		succeed(t, quick(append([]string{"fit"}, args...)...)...).stdout)["config"].(map[string]any)
	if config["training_rows"] != 29.0 || config["heldout_rows"] != 2.0 {
		t.Errorf("%v training and %v held-out rows, want 29 and 2", config["training_rows"],
			config["heldout_rows"])
	}
	refuses(t, "fit flowers.csv --drop sum --heldout other.csv "+strings.Join(settled, " "),
		cli.ExitFailed, "other.csv: column 4 (species): has levels that the data do not have (d 1)")
	refuses(t, "fit flowers.csv --drop sum --set data.rows=1-30 --interventions more.csv "+
		"--missing drop --categories drop", cli.ExitFailed,
		`more.csv: line 2, column "wet": "yes" is not a number; allowed: finite numbers such as 1.5 or -2e-3`)
}

// Nothing causes a column of years, unless its kind is asked for or an edge into it is required.
func TestYearsAreCauses(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("year,speed,weight\n")
	for i := range 90 {
		year := 1950 + i*i%17
		speed := float64(year-1940)*1.5 + float64(i*7%11)
		fmt.Fprintf(&rows, "%d,%.1f,%.2f\n", year, speed, speed*0.3+float64(i*5%13))
	}
	inFolder(t, map[string]string{"t.csv": rows.String()})
	into := func(args ...string) (largest string) {
		out := "run" + strings.Join(args, "")
		succeed(t, append([]string{"fit", "t.csv", "--out", out, "--model", "bge"}, args...)...)
		for _, line := range strings.Split(readFile(t, out+"/edges.csv"), "\n") {
			if cells := strings.Split(line, ","); len(cells) > 2 && cells[1] == "year" &&
				cells[2] > largest {
				largest = cells[2]
			}
		}
		return largest
	}
	if p := into(); p > "0" {
		t.Errorf("an edge into years has probability %s", p)
	}
	if p := into("--kind", "year=real"); p < "0.01" {
		t.Errorf("edges into years as a measurement have probability %s", p)
	}
	if p := into("--require", "speed,year"); p != "1" {
		t.Errorf("a required edge into years has probability %s", p)
	}
}

// A column with limits of detection is refused with what takes it, and then fitted: an effect that
// the limits in place of the values bend is found as of the complete table.
func TestCensored(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	var whole, limits, numbers strings.Builder
	for _, b := range []*strings.Builder{&whole, &limits, &numbers} {
		b.WriteString("a,b,c\n")
	}
	for range 200 {
		a := 2 + rng.NormFloat64()
		b := 10 + 2*a + rng.NormFloat64()
		c := b + rng.NormFloat64()
		cell, number := fmt.Sprintf("%.3f", b), b
		switch {
		case b < 13.2:
			cell, number = "<13.2", 13.2
		case b > 16.5:
			cell, number = ">16.5", 16.5
		}
		fmt.Fprintf(&whole, "%.3f,%.3f,%.3f\n", a, b, c)
		fmt.Fprintf(&limits, "%.3f,%s,%.3f\n", a, cell, c)
		fmt.Fprintf(&numbers, "%.3f,%.3f,%.3f\n", a, number, c)
	}
	inFolder(t, map[string]string{"k.toml": "kinds = {b = \"censored:13.2..16.5\"}\n",
		"whole.csv": whole.String(), "limits.csv": limits.String(),
		"numbers.csv": numbers.String()})
	refuses(t, "fit limits.csv --out o", cli.ExitFailed,
		`limits.csv: column 2 (b): 108 of 200 values are limits: "<13.2" on line 4, ">16.5" on line 22; `+
			"--set data.censored=impute draws the values between them given the other columns, "+
			"data.censored=limit takes them for the values, --drop b leaves the column out")
	refuses(t, "order limits.csv --set data.censored=impute", cli.ExitUsage,
		"data.censored=impute: tobac order takes no missing values; allowed: data.censored=limit")
	refuses(t, "fit limits.csv --out o --set data.censored=impute --checkpoint s", cli.ExitUsage,
		"--checkpoint and --resume keep the state of a fit to one table, and missing values are "+
			"imputed several times; allowed: data.censored=limit, or neither option")
	refuses(t, "fit limits.csv --out o --set data.censored=impute --set "+
		"data.transform=normal-scores", cli.ExitUsage,
		"data.transform=normal-scores contradicts data.censored=impute: limits have no ranks; "+
			"allowed: data.transform=log or none, or data.censored=limit")
	if got := succeed(t, "check", "limits.csv", "--kind",
		"b=censored"); !strings.Contains(got.stdout, "positive, censored") {
		t.Errorf("check prints %s", got.stdout)
	}
	settings := []string{"--model", "linear-unequal", "--quiet", "--force", "--set",
		"results.report=false", "--require", "a,b", "--require", "b,c", "--seed", "1"}
	effect := func(args ...string) (of float64) {
		succeed(t, append(append([]string{"fit"}, args...), append(settings, "--out", "o")...)...)
		must.Get(fmt.Sscan(strings.Split(effectLine(t, "a", "b"), ",")[2], &of))(t)
		return of
	}
	want := effect("whole.csv")
	for _, args := range [][]string{
		{"limits.csv", "--set", "data.censored=impute"},
		{"limits.csv", "--kind", "b=censored", "--set", "data.standardize=true"},
		{"numbers.csv", "--knowledge", "k.toml", "--holdout", "0.1"},
	} {
		if got := effect(args...); got < 0.85*want || got > 1.15*want {
			t.Errorf("%q: effect %.3f, want %.3f of the complete table", args, got, want)
		}
	}
	if got := effect("limits.csv", "--set", "data.censored=limit"); got > 0.85*want {
		t.Errorf("limits as values: effect %.3f, want less than %.3f", got, want)
	}
}

// effectLine is the line of an effect in o/effects.csv.
func effectLine(t *testing.T, cause, effect string) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, "o/effects.csv")) {
		if strings.HasPrefix(line, cause+","+effect+",") {
			return line
		}
	}
	t.Fatalf("no effect of %s on %s", cause, effect)
	return ""
}

// Rows that depend on each other are said on standard error, at the top of the report and of the
// page, with the probabilities and the effects, and in summary.json; a time column with what can be
// done about it, until it is done.
func TestDependentRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	text, a, b := "step,a,b\n", 0.0, 0.0
	for i := range 60 {
		a, b = a+rng.NormFloat64(), b+rng.NormFloat64()
		text += fmt.Sprintf("%d,%v,%v\n", 10+3*i, a, b)
	}
	inFolder(t, map[string]string{"walks.csv": text})
	got := succeed(t, "fit", "walks.csv", "--engine", "exact", "--model", "linear-unequal", "--out",
		"run")
	const says = "he rows of this table are not independent, unless"
	found := regexp.MustCompile(
		`their evidence counts as if there were (\S+) independent rows`).FindStringSubmatch(
		got.stderr)
	if found == nil {
		t.Fatalf("standard error %q", got.stderr)
	}
	clause := "with the evidence of " + found[1] + " independent rows"
	if !strings.Contains(got.stderr, "tobac: warning: t"+says) {
		t.Errorf("standard error %q", got.stderr)
	}
	const time = `"step" rises or falls evenly from row to row, like a time or an index, and cannot be an effect of other columns: leave out with --drop "step", or rule out causes with --set knowledge.source="step"`
	if !strings.Contains(got.stderr, time) {
		t.Errorf("standard error %q", got.stderr)
	}
	for _, want := range []string{"Pairs, strongest first, " + clause,
		"Verdict\n      - The rows of this table are not"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
	}
	if page := readFile(t, "run", "report.html"); strings.Count(page, clause+".</p>") != 4 {
		t.Errorf("the page says %d times what is refuted", strings.Count(page, clause+".</p>"))
	}
	if summary := readFile(t, "run", "summary.json"); !strings.Contains(summary,
		`"refuted": "`+clause) {
		t.Error("summary.json does not say what is refuted")
	}
	for _, option := range []string{"--drop step", "--set knowledge.source=step"} {
		if got := succeed(t, strings.Fields("fit walks.csv --engine exact --model linear-unequal "+
			option)...); strings.Contains(got.stderr, "evenly") ||
			!strings.Contains(got.stderr, says) {
			t.Errorf("%s: standard error %q", option, got.stderr)
		}
	}
}
