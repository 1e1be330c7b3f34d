package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/internal/study"
)

// cheap are the cells of Table I that take no time.
const cheap = "reproduce table1 --runs 2 --only empty --only eqvar-bic --only exact-true"

// outputsOf are the files of the finished jobs of a folder.
func outputsOf(t *testing.T, dir string) []string {
	t.Helper()
	all := must.Get(filepath.Glob(
		filepath.Join(dir, "done", "*", strings.Repeat("[0-9a-f]", 64))))(t)
	return all
}

// kept reads files, with the seconds that jobs took, and returns a function that checks that they
// are still the same.
func kept(t *testing.T, paths []string) (check func()) {
	t.Helper()
	before := map[string]string{}
	for _, path := range paths {
		before[path] = readFile(t, path)
	}
	return func() {
		t.Helper()
		for path, text := range before {
			if readFile(t, path) != text {
				t.Errorf("%s was done again", path)
			}
		}
	}
}

// A study writes its files, goes on from its folder, does only what is new when it is extended, and
// does a damaged cell again, which it names.
func TestReproduce(t *testing.T) {
	inFolder(t, nil)
	first := succeed(t, append(strings.Fields(cheap), "--out", "r")...)
	if !strings.HasSuffix(first.stdout, "results.md, report.html, results.csv: 6 cells\n") {
		t.Errorf("%+v", first)
	}
	want := readFile(t, "r/results.csv")
	if lines, err := csv.NewReader(strings.NewReader(want)).ReadAll(); err != nil ||
		len(lines) != 1+2*6 {
		t.Errorf("results.csv: %d lines, %v, want a head, and for each cell listed probabilities "+
			"and draws", len(lines), err)
	}
	for _, name := range []string{"r/results.md", "r/report.html"} {
		text := readFile(t, name)
		for _, part := range []string{"tobac reproduce table1 --out r --runs 2 --only empty",
			"exact, true order", "empty graph", "15.6 ± 0.42", "Only a part was run"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
	for _, outside := range []string{"<script", "http://", "https://", "src="} {
		if page := strings.ReplaceAll(readFile(t, "r/report.html"), "http://www.w3.org/",
			""); strings.Contains(page, outside) {
			t.Errorf("report.html has %q, and is to stand alone", outside)
		}
	}
	check := kept(t, outputsOf(t, "r/cells"))
	// More runs: what is there is not done again.
	if got := succeed(t, append(strings.Fields(strings.Replace(cheap, "--runs 2", "--runs 3", 1)),
		"--out", "r")...); !strings.Contains(got.stdout, ": 9 cells\n") {
		t.Errorf("%+v", got)
	}
	check()
	if !strings.HasPrefix(readFile(t, "r/results.csv"),
		want[:strings.Index(want, "sachs-split1")]) {
		t.Error("the lines of the first split changed")
	}
	// A damaged cell.
	damaged := outputsOf(t, "r/cells")[0]
	must.Do(t, os.WriteFile(damaged,
		[]byte(strings.Replace(readFile(t, damaged), "eshd", "eshe", 1)), 0o644))
	got := succeed(t, append(strings.Fields(cheap), "--runs", "3", "--out", "r")...)
	if !strings.Contains(got.stderr, filepath.Base(damaged)) ||
		!strings.Contains(got.stderr, "done again") {
		t.Errorf("damaged: %q", got.stderr)
	}
	succeed(t, append(strings.Fields(cheap), "--out", "r")...)
	if readFile(t, "r/results.csv") != want {
		t.Error("results.csv of the same study differs from the first")
	}
}

// Parts done in folders of their own, copied together, are the study. What is there is collected
// without doing the rest; what is planned is recorded for an engine.
func TestReproduceInParts(t *testing.T) {
	inFolder(t, nil)
	args := strings.Fields(cheap)
	succeed(t, append(args, "--out", "whole")...)
	want := readFile(t, "whole/results.csv")
	for _, part := range []string{"1", "2"} {
		if got := succeed(t, append(args, "--shard", part+"/2", "--out",
			"part"+part)...); !strings.Contains(got.stdout, "3 jobs of shard "+part+"/2") {
			t.Errorf("part %s: %+v", part, got)
		}
	}
	got := succeed(t, append(args, "--collect", "--out", "part1")...)
	if !strings.Contains(got.stdout, ": 6 cells\n") ||
		!strings.Contains(readFile(t, "part1/results.md"), "3 cells of 6 have an outcome") {
		t.Errorf("collected: %+v", got)
	}
	must.Do(t, os.CopyFS("part1/cells/done", os.DirFS("part2/cells/done")))
	succeed(t, append(args, "--out", "part1")...)
	if readFile(t, "part1/results.csv") != want {
		t.Error("the study in two parts has other results")
	}
	if got := succeed(t, append(args, "--plan", "--out", "planned")...); !strings.Contains(
		got.stdout, "has 6 jobs to do") {
		t.Errorf("planned: %+v", got)
	}
	folder := must.Get(jobs.ExistingFolder("planned/cells"))(t)
	if list, err := folder.Jobs(); err != nil || len(list) != 6 || list[0].Kind != study.JobKind {
		t.Errorf("%d jobs are recorded, %v", len(list), err)
	}
}

// Mistakes are one line, before anything is computed or written.
func TestReproduceMistakes(t *testing.T) {
	inFolder(t, map[string]string{"file": "mine\n"})
	must.Do(t, os.MkdirAll("taken", 0o755))
	must.Do(t, os.WriteFile("taken/results.csv", []byte("mine\n"), 0o644))
	for args, want := range map[string]string{
		"reproduce tabel1 --out r": `unknown experiment "tabel1"; did you mean table1?; allowed: table1, linear, nonlinear, size, order, networks, authors, svidag, all`,
		"reproduce table1":         `tobac reproduce needs --out DIR, the folder for the cells and the results`,
		"reproduce":                `tobac reproduce takes one of table1, linear, nonlinear, size, order, networks, authors, svidag, all, got none`,
		"reproduce table1 --out r " +
			"--plan --shard 1/2": `--plan and --shard contradict each other: cells are written down, or done`,
		"reproduce table1 --out r " +
			"--plan --collect": `--collect contradicts --plan and --shard: results are written, or cells done for them`,
		"reproduce table1 --out r --data d":                   `--data is for the experiments authors, networks and all`,
		"reproduce authors --out r":                           `the experiment authors needs --data DIR, the folder with the data sets of the authors' program`,
		"reproduce table1 --out r --only dips --runs 1":       "",
		"reproduce table1 --out r --shard 3/2":                "",
		"reproduce order --out r --only tobac-npvar --runs 0": "",
	} {
		if want != "" {
			refuses(t, args, cli.ExitUsage, want)
			continue
		}
		if got := runTobac(t, strings.Fields(args)...); got.code != cli.ExitUsage ||
			strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "allowed: ") {
			t.Errorf("tobac %s: %+v", args, got)
		}
	}
	for args, want := range map[string]string{
		"reproduce table1 --only empty --out file": "file: is a file; allowed: the path " +
			"of a folder, which is created if it does not exist",
		"reproduce authors --data nowhere --out r":        "",
		"reproduce table1 --only empty --out /dev/null/x": "",
	} {
		if want != "" {
			refuses(t, args, cli.ExitFailed, want)
			continue
		}
		if got := runTobac(t, strings.Fields(args)...); got.code != cli.ExitFailed ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("tobac %s: %+v", args, got)
		}
	}
	refuses(t, "reproduce table1 --only empty --out taken", cli.ExitUsage, "taken: holds other "+
		"things than results of tobac (results.csv, no valid tobac.json); choose a new or empty "+
		"folder, or give --force")
	if os.Getuid() != 0 && runtime.GOOS != "windows" {
		must.Do(t, os.Mkdir("closed", 0o555))
		refuses(t, "reproduce table1 --only empty --out closed", cli.ExitFailed,
			"closed: permission denied")
	}
}
