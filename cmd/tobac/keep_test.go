package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
)

// failing lets the calls to the file system fail that match finds.
func failing(t *testing.T, match func(call, path string) bool) {
	t.Helper()
	t.Cleanup(file.Inject(func(call, path string) error {
		if match(call, path) {
			return syscall.ENOSPC
		}
		return nil
	}))
}

// exactArgs is a fit that takes a moment.
func exactArgs(words string) []string {
	return fitArgs(
		"data/train.csv --engine exact --model linear-unequal --set prior.max-parents=2 " + words)
}

// lockFile is the first that is written, before the run.
const lockFile = ".lock"

// Where the results cannot be written the report is printed, nothing is left behind, and the error
// says why.
func TestResultsThatCannotBeWritten(t *testing.T) {
	simulated(t)
	report := succeed(t, exactArgs("--out good")...).stdout
	restore := file.Inject(func(call, path string) error {
		if call == "write" && filepath.Base(path) != lockFile {
			return syscall.ENOSPC
		}
		return nil
	})
	got := runTobac(t, exactArgs("--out run")...)
	restore()
	if got.code != cli.ExitFailed ||
		!strings.HasSuffix(got.stderr, "tobac: run/edges.csv: no space left on device\n") ||
		pairsOf(got.stdout) != pairsOf(report) {
		t.Errorf("exit %d, %q and %q", got.code, got.stderr, got.stdout)
	}
	if left := listing(t, "."); !slices.Equal(left, []string{"data", "good"}) {
		t.Errorf("left behind: %v", left)
	}
}

// A folder that is removed while the run goes on is made again.
func TestRemovedFolderIsMadeAgain(t *testing.T) {
	simulated(t)
	removed := false
	failing(t, func(call, path string) bool {
		if filepath.Base(path) == "edges.csv" && call == "open" &&
			strings.Contains(path, ".tobac-") && !removed {
			removed = true
			os.RemoveAll("run")
		}
		return false
	})
	succeed(t, exactArgs("--out run")...)
	if !removed || len(results(t, "run")) < 5 {
		t.Errorf("the folder holds %v", results(t, "run"))
	}
}

// Held-out rows without a density, and a model whose density panics, cost the metrics
// that need them, and nothing else.
func TestFailedEvaluation(t *testing.T) {
	simulated(t)
	names, _, _ := strings.Cut(readFile(t, "data/train.csv"), "\n")
	must.Do(t, os.WriteFile("far.csv", []byte(names+"\n1e200,1,1,1,1,1\n"), 0o644))
	got := runTobac(t, sampled("fit", "data/train.csv", "--quiet", "--heldout", "far.csv",
		"--truth", "data/graph.csv", "--out", "run")...)
	if got.code != cli.ExitFailed ||
		!strings.Contains(got.stderr, "tobac: no density of held-out rows: far.csv: ") {
		t.Errorf("exit %d and %q", got.code, got.stderr)
	}
	var s struct {
		Metrics *figures `json:"metrics"`
		Failed  string   `json:"metrics_error"`
	}
	must.Do(t, json.Unmarshal([]byte(readFile(t, "run", summaryFile)), &s))
	if s.Metrics == nil || s.Metrics.Listed == nil || !strings.HasPrefix(s.Failed, "far.csv: ") ||
		!strings.Contains(got.stdout, "Metrics against data/graph.csv") {
		t.Errorf("metrics %+v, error %q, report %q", s.Metrics, s.Failed, got.stdout)
	}
	saved(t, "run")
}

// A checkpoint that cannot be written once is a warning, and the next one is tried; it is
// an error at the end if the last failed.
func TestFailedCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name       string
		from, to   int // renames of the checkpoint that fail
		code       int
		warned     bool
		finalError string
	}{
		{"the first", 1, 1, cli.ExitFailed, false,
			"tobac: --checkpoint: state: no space left on device\n"},
		{"one in between", 2, 2, cli.ExitDone, true, ""},
		{"all after the first", 2, 99, cli.ExitFailed, true, "tobac: --checkpoint: state: no " +
			"space left on device; the results are complete, and the state of the run was not " +
			"kept\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			simulated(t)
			renames := 0
			failing(t, func(call, path string) bool {
				if call != "rename" || filepath.Base(path) != "state" {
					return false
				}
				renames++
				return c.from <= renames && renames <= c.to
			})
			got := runTobac(t, sampled("fit", "data/train.csv", "--quiet", "--set", "svgd.steps=40",
				"--checkpoint", "state", "--set", "checkpoint.every=10", "--out", "run")...)
			const warning = "tobac: warning: --checkpoint: state: no space left on device; the " +
				"run continues, and tries again at the next checkpoint\n"
			want := c.finalError
			if c.warned {
				want = warning + want
			}
			lines := slices.DeleteFunc(slices.Collect(strings.Lines(got.stderr)),
				func(line string) bool { return !strings.Contains(line, "--checkpoint") })
			if got.code != c.code || strings.Join(lines, "") != want {
				t.Errorf("exit %d and %q, want %d and %q", got.code, got.stderr, c.code, want)
			}
			if c.warned {
				saved(t, "run")
			}
		})
	}
}

// Checkpoints have places of their own, and graphs are not converted into themselves.
func TestTargetsOfWriting(t *testing.T) {
	simulated(t)
	must.Do(t, os.MkdirAll(filepath.Join("run", figuresFolder), 0o777))
	for _, name := range []string{particlesFile, file.Manifest, figureFiles()[0]} {
		refuses(t, "fit data/train.csv --force --out run --checkpoint "+filepath.Join("run", name),
			cli.ExitUsage, "--checkpoint "+filepath.Join("run", name)+
				" is a file of the results; choose another file")
	}
	if err := os.Symlink("nowhere", "link.dot"); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	must.Do(t, os.Symlink("data/graph.csv", "graph.csv"))
	const dangling = "link.dot: is a link to a file that is not there; allowed: a new file, or a " +
		"link to one that is there"
	refuses(t, "fit data/train.csv --checkpoint link.dot", cli.ExitFailed, dangling)
	refuses(t, "convert data/graph.csv link.dot", cli.ExitFailed, dangling)
	for _, in := range []string{"graph.csv", "data/graph.csv"} {
		refuses(t, "convert "+in+" data/graph.csv --force", cli.ExitFailed, "data/graph.csv: is "+
			"the graph that is read, which is never overwritten; choose another place for the "+
			"results")
	}
}

// finished is a fit whose inference has been done.
func finished(t *testing.T, words string) (*job, *result) {
	t.Helper()
	j := prepared(t, "data/train.csv", strings.Fields(words)...)
	r := must.Get(j.infer(t.Context(), &bytes.Buffer{}))(t)
	r.command = j.command
	r.command.Data = "data/train.csv"
	return j, r
}

// Whatever is interrupted after the inference, or panics, the posterior is saved.
func TestConclusionsDoNotMatter(t *testing.T) {
	const words = "--quiet --engine exact --model linear-unequal --set prior.max-parents=2 " +
		"--truth data/graph.csv --holdout 0.2"
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(&cli.SignalError{Signal: syscall.SIGTERM})
	for _, c := range []struct {
		name   string
		ctx    context.Context
		want   string
		status int
	}{
		{"interrupted", stopped,
			"interrupted; the results are in run, complete except for metrics, effects, report",
			143},
		{"panic in the evaluation", t.Context(), "no metrics: internal error at ", cli.ExitFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			simulated(t)
			j, r := finished(t, words)
			k := &keeping{out: "run"}
			must.Do(t, k.open())
			defer k.discard()
			if c.name != "interrupted" {
				j.truth = dag.New(1) // of another number of columns, which no check lets through
			}
			var stderr bytes.Buffer
			k.conclude(c.ctx, r, j, &stderr)
			k.draw(c.ctx, r, j, &stderr)
			k.save(r)
			err := k.verdict(c.ctx, j)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) ||
				cli.ExitStatus(c.ctx, err) != c.status {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if text := readFile(t, "run", summaryFile); !strings.Contains(text,
				`"metrics": null`) || !strings.Contains(text, `"metrics_error": "`) {
				t.Errorf("%s: %s", summaryFile, text)
			}
			saved(t, "run")
			var report bytes.Buffer
			if err := r.print(&report, k.saved); err != nil ||
				!strings.Contains(report.String(), "metrics none: ") {
				t.Errorf("error %v, report %q", err, report.String())
			}
			succeed(t, "report", "run")
			succeed(t, "eval", "--truth", "data/graph.csv", "run")
		})
	}
}
