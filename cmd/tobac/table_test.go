package main

import (
	"fmt"
	"strings"
	"testing"

	"tobac/internal/cli"
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
