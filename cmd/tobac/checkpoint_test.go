package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
)

// A run that is interrupted and resumed from its checkpoint, with other workers,
// writes the files of a run that was not, under one order and under several.
func TestResumeFromCheckpoint(t *testing.T) {
	for at, row := range []struct {
		name, args string
		stop       int
	}{
		{"one order", "--engine svgd --order eqvar --set steps=30", 15},
		{"orders from the posterior", "--engine svgd --set order.count=2 --set steps=30", 40},
		{"DiBS", "--engine dibs --set penalty-rate=2 --set steps=30", 15},
		{"several orders", "--engine svgd --order eqvar --set order.count=3 --set " +
			"order.weights=evidence --set steps=30", 40},
	} {
		t.Run(row.name, func(t *testing.T) {
			simulated(t)
			args := quick("fit", "data/train.csv", "--set", "checkpoint.every=7", "--checkpoint",
				"state.json")
			args = append(args, strings.Fields(row.args)...)
			succeed(t, append(args, "--out", "whole")...)
			end := snapshotIn(t, "state.json")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stderr := &stepWriter{at: row.stop, found: cancel}
			code := run(ctx, append(args, "--out", "cut"), nil, &bytes.Buffer{}, stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			last := lines[len(lines)-1]
			if code != cli.ExitInterrupted ||
				!strings.HasPrefix(last, "tobac: interrupted after step ") ||
				!strings.HasSuffix(last, "; to continue: tobac fit --resume state.json") {
				t.Fatalf("exit %d and %q", code, last)
			}
			k := must.Get(readCheckpoint("state.json"))(t)
			s := k.Snapshot
			if want := fmt.Sprintf("tobac: interrupted after step %d of ",
				s.Step); s.Step < row.stop || !strings.HasPrefix(last, want) {
				t.Errorf("the checkpoint is at step %d, %q", s.Step, last)
			}
			got := succeed(t, "fit", "--workers", "3", "--resume", "state.json", "--out", "resumed")
			if first := fmt.Sprintf("svgd: step %d of ", s.Step); strings.Contains(got.stderr,
				first) {
				t.Errorf("standard error begins with a step that had been taken: %q", got.stderr)
			}
			for _, name := range []string{"particles.json", "edges.csv", "consensus.csv",
				"consensus.dot"} {
				if readFile(t, "resumed", name) != readFile(t, "whole", name) {
					t.Errorf("%s differs from that of a run that was not interrupted", name)
				}
			}
			if snapshotIn(t, "state.json") != end {
				t.Error("the last checkpoint differs from that of a run that was not interrupted")
			}
			if at > 0 {
				return
			}
			// A checkpoint of the last step gives the results again, with all options repeated too.
			succeed(t, append(args, "--resume", "state.json", "--out", "again")...)
			if readFile(t, "again/particles.json") != readFile(t, "whole/particles.json") {
				t.Error("the finished run has other particles")
			}
			if left := listing(t, "."); !slices.Equal(left,
				[]string{"again", "data", "resumed", "state.json", "whole"}) {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// snapshotIn is the state that a checkpoint holds, beside the command.
func snapshotIn(t *testing.T, path string) string {
	t.Helper()
	content, err := file.Unseal([]byte(readFile(t, path)))
	_, state, found := strings.Cut(string(content), `"snapshot":`)
	if err != nil || !found {
		t.Fatalf("%s has no snapshot", path)
	}
	return state
}

// stepWriter calls found once a step from at on is reported.
type stepWriter struct {
	bytes.Buffer
	at    int
	found func()
}

func (w *stepWriter) Write(p []byte) (int, error) {
	var step int
	_, line, _ := strings.Cut(string(p), ": ")
	if _, err := fmt.Sscanf(line, "step %d of", &step); err == nil && step >= w.at {
		w.found()
	}
	return w.Buffer.Write(p)
}

// Checkpoints that cannot be written or used are one line, found before the run.
func TestBadCheckpoints(t *testing.T) {
	simulated(t)
	must.Do(t, os.Mkdir("folder", 0o777))
	succeed(t, sampled("fit", "data/train.csv", "--checkpoint", "state.json", "--set",
		"svgd.steps=3")...)
	for name, text := range map[string]string{"text.json": "no", "empty.json": "{}",
		"damaged.json": readFile(t, "state.json")[:100],
		"later.json":   `{"format":"tobac checkpoint 99","snapshot":{}}`} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--checkpoint folder", cli.ExitFailed, "folder: is a folder; allowed: a file"},
		{"--checkpoint no/state.json", cli.ExitFailed, "no/state.json: no such file or directory"},
		{"--checkpoint data/train.csv/state.json", cli.ExitFailed,
			"data/train.csv/state.json: data/train.csv is no folder"},
		{"--set checkpoint.every=5", cli.ExitUsage,
			"checkpoint.every has no effect: --checkpoint FILE asks for checkpoints"},
		{"--checkpoint s.json --set checkpoint.every=0", cli.ExitUsage,
			`--set checkpoint.every=0: allowed: whole numbers from 1 to 1000000000`},
		{"--resume no.json", cli.ExitFailed, "no.json: no such file or directory; allowed: a " +
			"file written by tobac fit --checkpoint"},
		{"--resume folder", cli.ExitFailed, "folder: is a folder; allowed: a file"},
		{"--resume text.json", cli.ExitFailed,
			"text.json: not a checkpoint written by tobac fit --checkpoint\n"},
		{"--resume empty.json", cli.ExitFailed,
			"empty.json: not a checkpoint written by tobac fit --checkpoint\n"},
		{"--resume damaged.json", cli.ExitFailed, "damaged.json: a damaged checkpoint: its last " +
			"line is not the checksum of what stands before it: the file was cut short or " +
			"changed, or the disk fails\n"},
		{"--resume later.json", cli.ExitFailed, "later.json: a checkpoint in the form \"tobac " +
			"checkpoint 99\", want \"tobac checkpoint 3\": it was written by another version of " +
			"tobac, or is damaged\n"},
		{"--resume state.json --config run.toml", cli.ExitUsage, "--config and --resume " +
			"contradict each other: a checkpoint holds the options of its run\n"},
		{"--resume state.json --seed 2", cli.ExitUsage, "state.json: was made without --seed, " +
			"here 2; leave out what differs, or start anew without --resume\n"},
		{"--resume state.json --set svgd.samples=9 --seed 2", cli.ExitUsage,
			"state.json: was made without --seed, here 2; with svgd.samples 8, here 9; leave out"},
		{"--resume state.json --set svgd.steps=2", cli.ExitUsage,
			"state.json: was made with svgd.steps 3, here 2; leave out"},
		{"--resume state.json --set data.standardize=true", cli.ExitUsage,
			"state.json: was made without data.standardize, here true; leave out"},
		{"--resume state.json --order X5,X1,X2,X3,X4,X0", cli.ExitUsage,
			"state.json: was made with --order eqvar, here X5,X1,X2,X3,X4,X0; leave out"},
		{"--resume state.json --model ffn --set ffn.hidden=5", cli.ExitUsage, "state.json: was " +
			"made without --model, here ffn; without ffn.hidden, here 5; leave out"},
		{"--checkpoint data/train.csv", cli.ExitFailed, "data/train.csv: is the data, which is " +
			"never overwritten; choose another place for the results\n"},
		{"--checkpoint data/train.csv --force", cli.ExitFailed, "data/train.csv: is the data, " +
			"which is never overwritten; choose another place for the results\n"},
		{"--checkpoint text.json", cli.ExitFailed, "text.json: is not a checkpoint, and is not " +
			"overwritten; choose another file for --checkpoint, or give --force\n"},
		{"--checkpoint /dev/null --force", cli.ExitFailed,
			"/dev/null: is not a regular file; allowed: a new file, or an earlier checkpoint\n"},
	} {
		before, state := tree(t), readFile(t, "state.json")
		args := append([]string{"fit", "data/train.csv"}, strings.Fields(c.args)...)
		if !strings.HasPrefix(c.args, "--resume") {
			args = sampled(args...)
		}
		got := runTobac(t, args...)
		if got.code != c.code || !strings.HasPrefix(got.stderr, "tobac: "+c.want) ||
			strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("tobac fit %s:\n got %+v\nwant exit %d and %s", c.args, got, c.code, c.want)
		}
		if tree(t) != before || readFile(t, "state.json") != state {
			t.Errorf("tobac fit %s left files behind:\n%s", c.args, tree(t))
		}
	}
}

// A checkpoint may lie in the folder of the results, which an interruption then
// leaves there.
func TestCheckpointInOutputFolder(t *testing.T) {
	simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &stepWriter{at: 30, found: cancel}
	args := sampled("fit", "data/train.csv", "--out", "run", "--checkpoint", "run/state.json",
		"--set", "svgd.steps=300")
	if code := run(ctx, args, nil, &bytes.Buffer{}, stderr); code != cli.ExitInterrupted {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
	if left := listing(t, "run"); !slices.Equal(left, []string{"state.json"}) {
		t.Errorf("left in the folder: %v", left)
	}
	succeed(t, "fit", "--resume", "run/state.json")
	want := append(slices.DeleteFunc(filesWithoutFormats(), func(name string) bool {
		return name == reportFile
	}), "state.json")
	slices.Sort(want)
	if left := listing(t, "run"); !slices.Equal(left, want) {
		t.Errorf("in the folder: %v", left)
	}
}

// Networks without biases and another penalty reach the model, the summary and
// eval.
func TestBiasAndPenaltyRate(t *testing.T) {
	simulated(t)
	got := succeed(t, quick("fit", "data/train.csv", "--engine", "svgd", "--model", "ffn", "--set",
		"ffn.hidden=2", "--set", "ffn.bias=false", "--truth", "data/graph.csv", "--out", "run")...)
	if !strings.Contains(got.stdout, "model   nonlinear with neural networks (hidden=2 no-bias) "+
		"on columns scaled to variance 1:\n        as asked for\n") {
		t.Errorf("report %s", got.stdout)
	}
	if n := len(saved(t, "run").Draws[0].Parameters); n != 6*(6*2+2)+6 {
		t.Errorf("%d parameters of a network without biases and noise variances, want 90", n)
	}
	succeed(t, "eval", "--truth", "data/graph.csv", "--heldout", "data/heldout.csv", "run")
	particles := map[string]bool{}
	for _, rate := range []string{"1", "30"} {
		succeed(t, quick("fit", "data/train.csv", "--engine", "dibs", "--set",
			"dibs.penalty-rate="+rate, "--out", "run")...)
		if got := fmt.Sprint(at(parse(t, readFile(t, "run/summary.json")), "config", "settings",
			"dibs.penalty-rate")); got != rate {
			t.Errorf("penalty_rate is %s, want %s", got, rate)
		}
		particles[readFile(t, "run/particles.json")] = true
	}
	if len(particles) != 2 {
		t.Error("the penalty rate changes nothing")
	}
	for args, want := range map[string]string{
		"--set ffn.bias=false": "ffn.bias has no effect: the model is auto; --model ffn takes it",
		"--set penalty-rate=2": "dibs.penalty-rate has no effect: the engine is " +
			"exact, which 853 rows of 11 columns take; --engine dibs takes it",
		"--engine dibs --set penalty-rate=0": "--set penalty-rate=0: allowed: finite numbers " +
			"above 0",
		"--model ffn --set bias=x": "--set bias=x: allowed: true, false",
	} {
		if got := runTobac(t,
			append([]string{"fit"}, strings.Fields(args)...)...); got.code != cli.ExitUsage ||
			got.stderr != "tobac: "+want+"\n" {
			t.Errorf("tobac fit %s: %+v", args, got)
		}
	}
}

func init() { checkpointPause = 0 } // checkpoints at the same steps in every run

// Checkpoints that take long are few: at the start, at the end, and after an interruption, from
// which the run goes on to the same bits.
func TestCheckpointsTakeLittleTime(t *testing.T) {
	defer func() { checkpointPause = 0 }()
	simulated(t)
	args := quick("fit", "data/train.csv", "--engine", "svgd", "--order", "eqvar", "--set",
		"svgd.steps=300", "--set", "checkpoint.every=1", "--checkpoint", "state")
	succeed(t, append(quick("fit", "data/train.csv", "--engine", "svgd", "--order", "eqvar",
		"--set", "svgd.steps=300"), "--out", "whole")...)
	checkpointPause = math.MaxInt64 / time.Duration(time.Hour) // × 1 h is less than forever
	written := 0
	defer file.Inject(func(call, path string) error {
		if call == "rename" && filepath.Base(path) == "state" {
			written++
		}
		return nil
	})()
	succeed(t, args...)
	if written != 2 {
		t.Errorf("%d checkpoints, want the first and the last", written)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	written = 0
	stderr := &stepWriter{at: 100, found: cancel}
	if code := run(ctx, args, nil, &bytes.Buffer{}, stderr); code != cli.ExitInterrupted ||
		written != 2 {
		t.Fatalf("exit %d, %d checkpoints, %q", code, written, stderr.String())
	}
	if k, err := readCheckpoint("state"); err != nil || k.Snapshot.Step < 100 ||
		k.Snapshot.Step == 300 {
		t.Fatalf("%v, %v", k, err)
	}
	succeed(t, "fit", "--resume", "state", "--out", "resumed")
	same(t, "whole", "resumed")
}
