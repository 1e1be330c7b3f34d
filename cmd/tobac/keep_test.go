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
	"tobac/internal/file"
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
	return fitArgs("data/train.csv --engine exact --model linear-unequal --max-parents 2 " + words)
}

// Results that cannot be written where they belong are written elsewhere, whole, and
// can be moved; the report is printed, and the status says that something is left to do.
func TestResultsAreKeptElsewhere(t *testing.T) {
	simulated(t)
	t.Setenv("TMPDIR", t.TempDir())
	report := succeed(t, exactArgs("--out good")...).stdout
	want := results(t, "good")
	for _, c := range []struct {
		name  string
		fails func(call, path string) bool
		place string // of the results; "": nowhere
		say   string
	}{
		{"full at the end", func(call, path string) bool {
			return strings.HasPrefix(path, "run"+string(filepath.Separator)) && call == "write" && filepath.Base(path) != lockFile
		}, "run-kept", "tobac: run/edges.csv: no space left on device; the results are in run-kept; to move them: mv run-kept run\n"},
		{"all full but the folder for temporary files", func(call, path string) bool {
			return !filepath.IsAbs(path) && call == "write" && filepath.Base(path) != lockFile
		}, filepath.Join(os.TempDir(), "run-kept"), "; to move them: mv " + filepath.Join(os.TempDir(), "run-kept") + " run\n"},
		{"all full", func(call, path string) bool { return call == "write" && filepath.Base(path) != lockFile }, "",
			"tobac: run/edges.csv: no space left on device; the results could not be written anywhere else\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			restore := file.Inject(func(call, path string) error {
				if c.fails(call, path) {
					return syscall.ENOSPC
				}
				return nil
			})
			got := runTobac(t, exactArgs("--out run")...)
			restore()
			if got.code != exitFailed || !strings.HasSuffix(got.stderr, c.say) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("exit %d and %q, want %q", got.code, got.stderr, c.say)
			}
			if pairsOf(got.stdout) != pairsOf(report) {
				t.Errorf("printed %q", got.stdout)
			}
			if c.place != "" {
				kept := results(t, c.place)
				// Paths in it do not depend on where it is moved to.
				if text := kept[configFile]; !strings.Contains(text, tomlString(filepath.Join(mustGetwd(t), "data", "train.csv"))) {
					t.Errorf("%s: %s", configFile, text)
				}
				for name, text := range want {
					if name != configFile && kept[name] != text {
						t.Errorf("%s differs", name)
					}
				}
				if err := os.Rename(c.place, "moved"); err != nil {
					t.Fatal(err)
				}
				succeed(t, "fit", "--config", "moved/"+configFile, "--quiet", "--report=false", "--out", "repeated")
				if err := os.RemoveAll("moved"); err != nil {
					t.Fatal(err)
				}
			}
			left := slices.DeleteFunc(listing(t, "."), func(name string) bool { return slices.Contains([]string{"data", "good", "repeated"}, name) })
			if left = append(left, listing(t, os.TempDir())...); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// lockFile is the first that is written, before the run.
const lockFile = ".lock"

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A folder that is removed while the run goes on is made again.
func TestRemovedFolderIsMadeAgain(t *testing.T) {
	simulated(t)
	removed := false
	failing(t, func(call, path string) bool {
		if filepath.Base(path) == "edges.csv" && call == "open" && strings.Contains(path, ".tobac-") && !removed {
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
	if err := os.WriteFile("far.csv", []byte(names+"\n1e200,1,1,1,1,1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := runTobac(t, sampled("fit", "data/train.csv", "--quiet", "--heldout", "far.csv", "--truth", "data/graph.csv", "--out", "run")...)
	if got.code != exitFailed || !strings.Contains(got.stderr, "tobac: no density of held-out rows: far.csv: ") {
		t.Errorf("exit %d and %q", got.code, got.stderr)
	}
	var s struct {
		Metrics *figures `json:"metrics"`
		Failed  string   `json:"metrics_error"`
	}
	if err := json.Unmarshal([]byte(readFile(t, "run", summaryFile)), &s); err != nil {
		t.Fatal(err)
	}
	if s.Metrics == nil || s.Metrics.Listed == nil || !strings.HasPrefix(s.Failed, "far.csv: ") || !strings.Contains(got.stdout, "Metrics against data/graph.csv") {
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
		{"the first", 1, 1, exitFailed, false, "tobac: --checkpoint: state: no space left on device\n"},
		{"one in between", 2, 2, exitDone, true, ""},
		{"all after the first", 2, 99, exitFailed, true, "tobac: --checkpoint: state: no space left on device; the results are complete, and the state of the run was not kept\n"},
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
			got := runTobac(t, sampled("fit", "data/train.csv", "--quiet", "--steps", "40", "--checkpoint", "state", "--checkpoint-every", "10", "--out", "run")...)
			const warning = "tobac: warning: --checkpoint: state: no space left on device; the run goes on, and tries again at the next checkpoint\n"
			want := c.finalError
			if c.warned {
				want = warning + want
			}
			lines := slices.DeleteFunc(slices.Collect(strings.Lines(got.stderr)), func(line string) bool { return !strings.Contains(line, "--checkpoint") })
			if got.code != c.code || strings.Join(lines, "") != want {
				t.Errorf("exit %d and %q, want %d and %q", got.code, got.stderr, c.code, want)
			}
			if c.warned {
				saved(t, "run")
			}
		})
	}
}

// The state of an interrupted run whose last checkpoint fails is kept elsewhere.
func TestInterruptedWithFailedCheckpoint(t *testing.T) {
	simulated(t)
	args := quick("fit", "data/train.csv", "--engine", "svgd", "--order", "eqvar", "--steps", "300", "--checkpoint", "state", "--out", "run")
	succeed(t, args...)
	want := readFile(t, "run", particlesFile)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := false
	restore := file.Inject(func(call, path string) error {
		if stop && call == "rename" && filepath.Base(path) == "state" {
			return syscall.ENOSPC
		}
		return nil
	})
	stderr := &stepWriter{at: 150, found: func() { stop = true; cancel() }}
	code := run(ctx, args, nil, &bytes.Buffer{}, stderr)
	restore()
	if code != exitInterrupted || !strings.HasSuffix(stderr.String(), "; --checkpoint: state: no space left on device; to continue: tobac fit --resume state-kept --checkpoint state\n") {
		t.Fatalf("exit %d and %q", code, stderr.String())
	}
	if err := os.Remove("run/" + particlesFile); err != nil {
		t.Fatal(err)
	}
	succeed(t, "fit", "--resume", "state-kept", "--checkpoint", "state", "--quiet")
	if readFile(t, "run", particlesFile) != want {
		t.Error("the resumed run has other particles")
	}
}

// Checkpoints have places of their own, and graphs are not converted into themselves.
func TestTargetsOfWriting(t *testing.T) {
	simulated(t)
	if err := os.MkdirAll(filepath.Join("run", figuresFolder), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{particlesFile, file.Manifest, figureFiles()[0]} {
		refuses(t, "fit data/train.csv --force --out run --checkpoint "+filepath.Join("run", name), exitUsage, "--checkpoint "+filepath.Join("run", name)+": is where a result is written; choose another file")
	}
	if err := os.Symlink("nowhere", "link.dot"); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	if err := os.Symlink("data/graph.csv", "graph.csv"); err != nil {
		t.Fatal(err)
	}
	const dangling = "link.dot: is a link to a file that is not there; allowed: a new file, or a link to one that is there"
	refuses(t, "fit data/train.csv --checkpoint link.dot", exitFailed, dangling)
	refuses(t, "convert data/graph.csv link.dot", exitFailed, dangling)
	for _, in := range []string{"graph.csv", "data/graph.csv"} {
		refuses(t, "convert "+in+" data/graph.csv --force", exitFailed, "data/graph.csv: is the graph that is read, which is never overwritten; choose another place for the results")
	}
}

// finished is a fit whose inference has been done.
func finished(t *testing.T, words string) (*job, *result) {
	t.Helper()
	o := newFitOptions()
	cmd := fitCommand(o)
	if err := cmd.Flags().Parse(strings.Fields(words)); err != nil {
		t.Fatal(err)
	}
	o.given, o.command = cmd.Flags().Changed, &commandLine{flags: cmd.Flags(), data: "data/train.csv"}
	j, err := prepare(*o, "data/train.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := j.infer(t.Context(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	r.command = o.command
	return j, r
}

// Whatever is interrupted after the inference, or panics, the posterior is saved.
func TestConclusionsDoNotMatter(t *testing.T) {
	const words = "--quiet --engine exact --model linear-unequal --max-parents 2 --truth data/graph.csv --holdout 0.2"
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(&signalError{syscall.SIGTERM})
	for _, c := range []struct {
		name   string
		ctx    context.Context
		want   string
		status int
	}{
		{"interrupted", stopped, "interrupted; the results are in run, complete but for metrics, effects, report", 143},
		{"panic in the evaluation", t.Context(), "no metrics: internal error at ", exitFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			simulated(t)
			j, r := finished(t, words)
			k := &keeping{out: "run"}
			if err := k.open(); err != nil {
				t.Fatal(err)
			}
			defer k.discard()
			if c.name != "interrupted" {
				j.truth = dag.New(1) // of another number of columns, which no check lets through
			}
			var stderr bytes.Buffer
			k.conclude(c.ctx, r, j, &stderr)
			k.draw(c.ctx, r, j, &stderr)
			k.save(r)
			err := k.verdict(c.ctx, j)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || exitStatus(c.ctx, err) != c.status {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if text := readFile(t, "run", summaryFile); !strings.Contains(text, `"metrics": null`) || !strings.Contains(text, `"metrics_error": "`) {
				t.Errorf("%s: %s", summaryFile, text)
			}
			saved(t, "run")
			var report bytes.Buffer
			if err := r.print(&report, k.saved); err != nil || !strings.Contains(report.String(), "metrics none: ") {
				t.Errorf("error %v, report %q", err, report.String())
			}
			succeed(t, "report", "run")
			succeed(t, "eval", "--truth", "data/graph.csv", "run")
		})
	}
}
