package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
	"tobac/internal/report"

	"github.com/google/go-cmp/cmp"
)

// withPictures are quick command lines that draw pictures.
func withPictures(args ...string) []string {
	return append(quick(args...), "--set", "results.report=true")
}

// inFigures are the names of the figures in a folder of results, within it.
func inFigures(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for _, name := range listing(t, filepath.Join(dir, figuresFolder)) {
		names = append(names, filepath.Join(figuresFolder, name))
	}
	if len(names) < 5 {
		t.Errorf("%d figures in %s", len(names), dir)
	}
	return names
}

// A fit writes a page and figures; tobac report writes the same ones again, from the files
// and the table alone.
func TestReportAgain(t *testing.T) {
	simulated(t)
	succeed(t, withPictures("fit", "data/train.csv", "--truth", "data/graph.csv", "--engine",
		"exact", "--seed", "3", "--holdout", "0.2", "--out", "run")...)
	page := readFile(t, "run", reportFile)
	for _, want := range []string{"48 rows of 6 variables; 12 more rows held out",
		"Fit of each column", "Causes, direct or indirect", "Expected SHD",
		"tobac fit data/train.csv --holdout 0.2 --engine exact --seed 3 --truth " +
			"data/graph.csv</code>", "True graph"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	figures := map[string]string{}
	for _, name := range inFigures(t, "run") {
		figures[name] = readFile(t, "run", name)
	}
	for _, name := range []string{reportFile, filepath.Join(figuresFolder, "graph.svg")} {
		must.Do(t, os.Remove(filepath.Join("run", name)))
	}
	got := succeed(t, "report", "run", "--data", "data/train.csv", "--truth", "data/graph.csv")
	if want := "in run: report.html, 7 figures as SVG in figures\n"; got.stdout != want {
		t.Errorf("prints %q, want %q", got.stdout, want)
	}
	if again := readFile(t, "run", reportFile); again != page {
		t.Errorf("the page differs (-want +got):\n%s", cmp.Diff(page, again))
	}
	for name, want := range figures {
		if readFile(t, "run", name) != want {
			t.Errorf("%s differs", name)
		}
	}
	got = succeed(t, "report", "run", "--png")
	if want := "in run: report.html, 7 figures as SVG and PNG in figures\n"; got.stdout != want {
		t.Errorf("prints %q, want %q", got.stdout, want)
	}
	for name := range figures {
		name = strings.TrimSuffix(name, ".svg") + ".png"
		if _, err := png.Decode(strings.NewReader(readFile(t, "run", name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again := readFile(t, "run", reportFile); again != page {
		t.Errorf("the page without --data and --truth differs (-want +got):\n%s",
			cmp.Diff(page, again))
	}
	must.Do(t, os.Rename("data", "elsewhere"))
	succeed(t, "report", "run")
	if strings.Contains(readFile(t, "run", reportFile), "Fit of each column") {
		t.Error("a page without the table tells how it fits")
	}
}

// Columns that were standardised, and rows set by intervention, are read as the fit read them.
func TestReportAgainPrepared(t *testing.T) {
	simulated(t)
	mask := "X0,X1,X2,X3,X4,X5\n" + strings.Repeat("0,0,0,0,0,1\n", 20) +
		strings.Repeat("0,0,0,0,0,0\n", 40)
	must.Do(t, os.WriteFile("mask.csv", []byte(mask), 0o644))
	succeed(t, "fit", "data/train.csv", "--set", "data.standardize=true", "--model", "bge",
		"--engine", "exact", "--interventions", "mask.csv", "--out", "run")
	page := readFile(t, "run", reportFile)
	succeed(t, "report", "run", "--data", "data/train.csv")
	if again := readFile(t, "run", reportFile); again != page {
		t.Errorf("the page differs (-want +got):\n%s", cmp.Diff(page, again))
	}
}

func TestNoReport(t *testing.T) {
	simulated(t)
	got := succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--set",
		"results.report=false", "--out", "run")...)
	for _, name := range listing(t, "run") {
		if name == reportFile || name == figuresFolder || strings.Contains(got.stdout, reportFile) {
			t.Errorf("--set results.report=false: %s in the folder, standard output %s", name,
				got.stdout)
		}
	}
}

func TestReportErrors(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--set", "results.report=false",
		"--out", "run")...)
	rows := strings.SplitAfter(readFile(t, "data/train.csv"), "\n")
	for name, content := range map[string]string{
		"short.csv": strings.Join(rows[:11], ""), "other.csv": "a,b\n1,2\n3,4\n",
	} {
		must.Do(t, os.WriteFile(name, []byte(content), 0o644))
	}
	for args, want := range map[string]string{
		"report none": "open none/particles.json: no such file or directory; " +
			"allowed: a folder written by tobac fit --out",
		"report run --data short.csv": "short.csv: 10 rows, the fit had 60; allowed: the table " +
			"of the fit",
		"report data": "open data/particles.json: no such file or directory; " +
			"allowed: a folder written by tobac fit --out",
		"report run --truth data/nowhere": "data/nowhere: no such file or directory",
	} {
		refuses(t, args, cli.ExitFailed, strings.ReplaceAll(want, "open ", ""))
	}
	refuses(t, "report", cli.ExitUsage, "tobac report takes one folder, got none")
	got := runTobac(t, "report", "run", "--data", "other.csv")
	if got.code != cli.ExitFailed || !strings.HasPrefix(got.stderr, "tobac: other.csv: ") ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a table with other columns: %+v", got)
	}
	must.Do(t, os.WriteFile("run/summary.json", []byte("{"), 0o644))
	refuses(t, "report run --edited", cli.ExitFailed,
		"run/summary.json: unexpected end of JSON input")
}

// The command to repeat leaves out what changes no number, and quotes what a shell would
// take apart.
func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"":                                          "tobac fit",
		"my data.csv|--out|run|--seed|2":            "tobac fit 'my data.csv' --seed 2",
		"--out=run|--json|d.csv|--workers=2":        "tobac fit d.csv",
		"--json|--set|standardize=true|it's.csv":    `tobac fit 'it'\''s.csv' --set data.standardize=true`,
		"--set|results.report=false|--tiers|a,b; c": "tobac fit --tiers 'a,b; c'",
		"--forbid|a,b|--forbid|b,c":                 "tobac fit --forbid a,b --forbid b,c",
	} {
		o := newFitOptions()
		cmd := fitCommand(o)
		must.Do(t, cmd.ParseFlags(strings.Split(args, "|")))
		must.Do(t, o.assign())
		c := o.command
		if rest := cmd.Flags().Args(); len(rest) > 0 {
			c.Data = rest[0]
		}
		if got := c.String(); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

// Settings keep their sequence, and what changes no number is left out.
func TestSettingFacts(t *testing.T) {
	got, err := settingFacts(
		[]byte(
			`{"b_c":1e-3,"a":"x","settings":{"svgd.rank":2,"prior.x":null},"n":null,"workers":3,"versions":{"go":"1"}}`))
	want := []report.Fact{{Name: "b-c", Text: "1e-3"}, {Name: "a", Text: "x"},
		{Name: "svgd.rank", Text: "2"}, {Name: "prior.x", Text: "–"}, {Name: "n", Text: "–"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s, error %v", diff, err)
	}
}
