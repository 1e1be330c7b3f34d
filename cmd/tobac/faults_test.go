package main

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
)

var long = flag.Bool("long", false, "let every call to the file system fail and end the process "+
	"there, and kill 300 runs, instead of a few")

// keptRuns are runs whose results must not be lost, one for every engine and method. In
// the folder run lie the results of another one before. Those that are alike save what exact,
// mcmc, svgd and bcd save, by the same calls.
var keptRuns = []struct {
	name, args string
	alike      bool
}{
	{"exact", "data/train.csv --engine exact --model linear-unequal --set prior.max-parents=2 " +
		"--checkpoint state", false},
	{"mcmc", "data/train.csv --engine mcmc --model linear-unequal --set chains=2 --set " +
		"warm-up=40 --set iterations=60 --set rungs=1 --set prior.max-parents=2 --checkpoint " +
		"state --set checkpoint.every=50", false},
	{"svgd", "data/train.csv --engine svgd --order eqvar --set particles=3 --set samples=4 --set " +
		"steps=20 --checkpoint state --set checkpoint.every=10", false},
	{"gflownet", "data/train.csv --engine gflownet --model bge --set steps=20 --set prefill=3 " +
		"--set width=4 --set batch=4 --checkpoint state --set checkpoint.every=10", true},
	{"bcd", "data/train.csv --engine bcd --set steps=20 --set batch=4 --checkpoint state --set " +
		"checkpoint.every=10", false},
	{"orders", "data/train.csv --engine svgd --model linear --set order.count=2 --set " +
		"particles=2 --set samples=4 --set steps=10 --checkpoint state --set checkpoint.every=10",
		true},
	{"dibs", "data/train.csv --engine dibs --set particles=3 --set samples=4 --set steps=20 " +
		"--checkpoint state --set checkpoint.every=10", true},
	{"calibrated", "data/train.csv --engine svgd --set recipe=calibrated --model linear --set " +
		"marginals=reweighted --order eqvar --set particles=3 --set samples=4 --set steps=20 " +
		"--checkpoint state --set checkpoint.every=10", true},
	{"calibrated networks", "data/train.csv --engine svgd --set recipe=calibrated --model ffn " +
		"--set ffn.hidden=2 --order eqvar --set particles=3 --set samples=4 --set steps=10 " +
		"--checkpoint state --set checkpoint.every=5", true},
	{"tempering", "data/train.csv --engine tempering --model ffn --set ffn.hidden=3 --order " +
		"eqvar --set iterations=40 --set rungs=2", true},
	{"networks", "data/train.csv --model ffn --set ffn.hidden=2 --set prior.max-parents=1", true},
	{"imputed", "gaps.csv --missing impute --engine exact --model linear-unequal --set " +
		"imputation.tables=2 --set imputation.rounds=0 --set prior.max-parents=2", false},
}

// fitArgs is a command line of words.
func fitArgs(words string) []string {
	return append([]string{"fit", "--quiet", "--set", "results.report=false", "--workers", "2"},
		strings.Fields(words)...)
}

// scenes makes folders that are alike: the data, and the results of another run.
type scenes struct{ files map[string]string }

func newScenes(t *testing.T) *scenes {
	t.Helper()
	simulated(t)
	lines := strings.Split(readFile(t, "data/train.csv"), "\n")
	_, rest, _ := strings.Cut(lines[3], ",")
	lines[3] = "," + rest
	must.Do(t, os.WriteFile("gaps.csv", []byte(strings.Join(lines, "\n")), 0o644))
	succeed(t, fitArgs(
		"data/train.csv --engine exact --seed 9 --set prior.max-parents=1 --out run")...)
	s := &scenes{map[string]string{}}
	must.Do(t, filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			s.files[path] = readFile(t, path)
		}
		return err
	}))
	return s
}

// next makes such a folder the current one, with one for temporary files in it.
func (s *scenes) next(t *testing.T) {
	t.Helper()
	dir := must.Get(os.MkdirTemp(t.TempDir(), ""))(t)
	t.Chdir(dir)
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	for path, text := range s.files {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	}
	must.Do(t, os.Mkdir("tmp", 0o777))
}

// results are the texts of the files of a run in a folder, without what says when it
// was and how long it took.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range listing(t, dir) {
		if strings.HasPrefix(name, ".tobac-") {
			continue
		}
		text := readFile(t, dir, name)
		switch name {
		case file.Manifest:
			continue
		case summaryFile:
			before, after, _ := strings.Cut(text, `"seconds": {`)
			_, after, _ = strings.Cut(after, "}")
			text = before + after
		}
		all[name] = text
	}
	return all
}

// checkKept asserts that the folder run has the results of an uninterrupted run, and
// that nothing else has been left anywhere.
func checkKept(t *testing.T, name string, want map[string]string) {
	t.Helper()
	if got := results(t, "run"); !maps.Equal(got, want) {
		t.Errorf("%s: the files %v differ from those of an uninterrupted run, %v", name,
			slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	top := slices.DeleteFunc(listing(t, "."), func(name string) bool {
		return slices.Contains([]string{"data", "gaps.csv", "run", "state", "tmp"}, name)
	})
	hidden := must.Get(filepath.Glob("run/.tobac-*"))(t)
	if left := slices.Concat(top, hidden, listing(t, "tmp")); len(left) > 0 {
		t.Errorf("%s: %v is left", name, left)
	}
}

// again is the command that finishes a run that has ended.
func again(args []string) []string {
	if _, err := os.Stat("state"); err == nil {
		return []string{"fit", "--resume", "state", "--quiet", "--set", "results.report=false",
			"--out", "run"}
	}
	return args
}

// Whichever call of a run to the file system is the last before its process ends, the
// next run leaves the results of an uninterrupted one and nothing else. Whichever one
// fails alone, the run itself does. Where all fail from one on, the report is printed
// as soon as there is one.
func TestRunFaults(t *testing.T) {
	s := newScenes(t)
	defer file.Inject(func(string, string) error { return nil })()
	for k, row := range keptRuns {
		t.Run(row.name, func(t *testing.T) {
			if row.alike && !*long {
				t.Skip("saves what others save, by the same calls: -long")
			}
			args := append(fitArgs(row.args), "--out", "run")
			s.next(t)
			calls, writing := 0, 0
			restore := file.Inject(func(call, path string) error {
				if calls++; writing == 0 && filepath.Base(path) == "edges.csv" && call == "open" &&
					calls > 1 && strings.Contains(path, ".tobac-") {
					writing = calls
				}
				return nil
			})
			report := succeed(t, args...).stdout
			restore()
			want := results(t, "run")
			checkKept(t, "uninterrupted", want)
			for way, kind := range []string{"end", "error", "errors"} {
				step, first := 1, 1
				if !*long { // one other place for each row and kind
					step = calls
					first += (3*k + way) * calls / (3 * len(keptRuns))
				}
				for at := first; at <= calls; at += step {
					s.next(t)
					n, last := 0, ""
					restore := file.Inject(func(call, path string) error {
						if n++; n == at {
							last = call + " of " + filepath.Base(path)
						}
						if n == at || n > at && kind != "error" {
							return syscall.ENOSPC
						}
						return nil
					})
					got := runTobac(t, args...)
					restore()
					name := fmt.Sprintf("%s at call %d of %d, %s: exit %d, %s", kind, at, calls,
						last, got.code, got.stderr)
					switch {
					case strings.Contains(got.stderr, "internal error"):
						t.Error(name)
					case kind == "end" || kind == "error" && got.code != cli.ExitDone &&
						at < writing:
						succeed(t, again(args)...)
						checkKept(t, name, want)
					case kind == "error" && got.code == cli.ExitDone:
						if got := results(t, "run"); !maps.Equal(got, want) {
							t.Errorf("%s: other results", name)
						}
						succeed(t, again(args)...)
						checkKept(t, name, want)
					case at >= writing && pairsOf(got.stdout) != pairsOf(report):
						t.Errorf("%s: printed %q", name, got.stdout)
					case kind == "error" && at >= writing:
						t.Error(name)
					}
				}
			}
		})
	}
}

// pairsOf is the part of a report that lists the pairs.
func pairsOf(report string) string {
	_, pairs, _ := strings.Cut(report, "\nPairs")
	pairs, _, _ = strings.Cut(pairs, "\nConsensus graph")
	return pairs
}
