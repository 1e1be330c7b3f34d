package main

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/report"
)

// inFigures are the names of the figures in a folder of results, within it.
func inFigures(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for _, name := range listing(t, filepath.Join(dir, figuresFolder)) {
		names = append(names, filepath.Join(figuresFolder, name))
	}
	if len(names) < 10 {
		t.Errorf("%d figures in %s", len(names), dir)
	}
	return names
}

// A fit writes a page and figures; tobac report writes the same ones again, from the files
// and the table alone.
func TestReportAgain(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--truth", "data/graph.csv", "--engine", "exact", "--seed", "3", "--holdout", "0.2", "--out", "run")...)
	page := readFile(t, "run", reportFile)
	for _, want := range []string{"48 rows of 6 variables; 12 more rows held out", "Fit of each column", "Causes, direct or indirect", "Expected SHD",
		"tobac fit data/train.csv --truth data/graph.csv --engine exact --seed 3 --holdout 0.2</code>", "True graph"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	figures := map[string]string{}
	for _, name := range inFigures(t, "run") {
		figures[name] = readFile(t, "run", name)
		if strings.HasSuffix(name, ".png") {
			if _, err := png.Decode(strings.NewReader(figures[name])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{reportFile, filepath.Join(figuresFolder, "graph.svg")} {
		if err := os.Remove(filepath.Join("run", name)); err != nil {
			t.Fatal(err)
		}
	}
	got := succeed(t, "report", "run", "--data", "data/train.csv", "--truth", "data/graph.csv")
	if want := "in run: report.html, 6 figures as SVG and PNG in figures\n"; got.stdout != want {
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
	succeed(t, "report", "run")
	if strings.Contains(readFile(t, "run", reportFile), "Fit of each column") {
		t.Error("a page without the table tells how it fits")
	}
}

// Columns that were standardised, and rows set by intervention, are read as the fit read them.
func TestReportAgainPrepared(t *testing.T) {
	simulated(t)
	mask := "X0,X1,X2,X3,X4,X5\n" + strings.Repeat("0,0,0,0,0,1\n", 20) + strings.Repeat("0,0,0,0,0,0\n", 40)
	if err := os.WriteFile("mask.csv", []byte(mask), 0o644); err != nil {
		t.Fatal(err)
	}
	succeed(t, "fit", "data/train.csv", "--standardize", "--model", "bge", "--engine", "exact", "--interventions", "mask.csv", "--out", "run")
	page := readFile(t, "run", reportFile)
	succeed(t, "report", "run", "--data", "data/train.csv")
	if again := readFile(t, "run", reportFile); again != page {
		t.Errorf("the page differs (-want +got):\n%s", cmp.Diff(page, again))
	}
}

func TestNoReport(t *testing.T) {
	simulated(t)
	got := succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--report=false", "--out", "run")...)
	for _, name := range listing(t, "run") {
		if name == reportFile || name == figuresFolder || strings.Contains(got.stdout, reportFile) {
			t.Errorf("--report=false: %s in the folder, standard output %s", name, got.stdout)
		}
	}
}

func TestReportErrors(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--engine", "exact", "--report=false", "--out", "run")...)
	rows := strings.SplitAfter(readFile(t, "data/train.csv"), "\n")
	for name, content := range map[string]string{
		"short.csv": strings.Join(rows[:11], ""), "other.csv": "a,b\n1,2\n3,4\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"report none":                     "open none/particles.json: no such file or directory; allowed: a folder written by tobac fit --out",
		"report run --data short.csv":     "short.csv: 10 rows, the fit had 60; allowed: the table of the fit",
		"report data":                     "open data/particles.json: no such file or directory; allowed: a folder written by tobac fit --out",
		"report run --truth data/nowhere": "data/nowhere: no such file or directory",
	} {
		refuses(t, args, exitFailed, strings.ReplaceAll(want, "open ", ""))
	}
	refuses(t, "report", exitUsage, "tobac report takes one folder, got none")
	got := runTobac(t, "report", "run", "--data", "other.csv")
	if got.code != exitFailed || !strings.HasPrefix(got.stderr, "tobac: other.csv: ") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a table with other columns: %+v", got)
	}
	if err := os.WriteFile("run/summary.json", []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	refuses(t, "report run", exitFailed, "run/summary.json: unexpected end of JSON input")
}

func TestReportEffects(t *testing.T) {
	names := []string{"a", "b,c"}
	got, err := reportEffects(strings.NewReader("from,to,mean,sd,q05,q50,q95,path,mean_in_sd\na,\"b,c\",1.5,,,1,,0.75,2\n"), names)
	if err != nil || len(got) != 1 {
		t.Fatalf("%v, error %v", got, err)
	}
	e := got[0]
	if !math.IsNaN(e.SD) || !math.IsNaN(e.Lower) || !math.IsNaN(e.Upper) {
		t.Errorf("empty fields are %+v, want NaN", e)
	}
	e.SD, e.Lower, e.Upper = 0, 0, 0
	if want := (report.Effect{From: "a", To: "b,c", Mean: 1.5, PathProbability: 0.75}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	for text, want := range map[string]string{
		"":          "effects.csv: is empty; allowed: a header and rows",
		"from,to\n": `effects.csv: no column "mean" in the header`,
		"from,to,mean,sd,q05,q95,path\na,x,1,1,1,1,1\n":   `effects.csv: line 2: effect of "a" on "x", want names of the posterior's variables`,
		"from,to,mean,sd,q05,q95,path\na,a,1,one,1,1,1\n": `effects.csv: line 2: sd is "one", want a number`,
	} {
		if _, err := reportEffects(strings.NewReader(text), names); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// What is read is what was written, and nothing panics.
func FuzzReportEffects(f *testing.F) {
	const header = "from,to,mean,sd,q05,q95,path\n"
	for _, seed := range []string{"", header, header + "a,b,1,2,3,4,0.5\n", header + "a,b,,,,,\n", header + "a,b,NaN,Inf,-1e999,x,\n", "path,q95,q05,sd,mean,to,from\n1,2,3,4,5,b,a\n", header + "a,b\n", "\"", header + "\"a\nb\",b,1,1,1,1,1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		effects, err := reportEffects(strings.NewReader(text), []string{"a", "b"})
		if err != nil && (effects != nil || strings.Contains(err.Error(), "\n")) {
			t.Errorf("effects %v with error %q", effects, err)
		}
		for _, e := range effects {
			if e.From != "a" && e.From != "b" || e.To != "a" && e.To != "b" {
				t.Errorf("%+v", e)
			}
		}
	})
}

// The command to repeat leaves out what changes no number, and quotes what a shell would
// take apart.
func TestRepeatCommand(t *testing.T) {
	flags := newFit().Flags()
	for args, want := range map[string]string{
		"fit":                                    "tobac fit",
		"fit|my data.csv|--out|run|--seed|2":     "tobac fit 'my data.csv' --seed 2",
		"fit|--out=run|--json|d.csv|--workers=2": "tobac fit d.csv",
		"fit|--json|--standardize|it's.csv":      `tobac fit --standardize 'it'\''s.csv'`,
		"fit|--report=false|--tiers|a,b; c":      "tobac fit --tiers 'a,b; c'",
		"fit|--checkpoint|c|--resume|c|--out":    "tobac fit --resume c",
	} {
		if got := repeatCommand(withArguments(t.Context(), strings.Split(args, "|")), flags); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	if got := repeatCommand(t.Context(), flags); got != "" {
		t.Errorf("without arguments: %q", got)
	}
}

// Settings keep their sequence, and what changes no number is left out.
func TestSettingFacts(t *testing.T) {
	got, err := settingFacts([]byte(`{"b_c":1e-3,"a":"x","n":null,"workers":3,"versions":{"go":"1"}}`))
	want := []report.Fact{{Name: "b-c", Text: "1e-3"}, {Name: "a", Text: "x"}, {Name: "n", Text: "–"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s, error %v", diff, err)
	}
	if !bytes.Contains([]byte(fitLong), []byte(reportFile)) {
		t.Error("the help of fit does not name the page")
	}
}
