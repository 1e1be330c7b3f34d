package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tobac/internal/cli"
)

// signalWriter calls found when a text comes by.
type signalWriter struct {
	bytes.Buffer
	text  string
	found func()
}

func (w *signalWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(w.text)) {
		w.found()
	}
	return w.Buffer.Write(p)
}

func TestInterrupted(t *testing.T) {
	const nothing = "nothing was written: --checkpoint FILE would keep the state of the run"
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"with folder", []string{"--out", "new/run"}, nothing},
		{"without folder", nil, nothing},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			stderr := &signalWriter{text: "step 100 of 1000,", found: cancel}
			var stdout bytes.Buffer
			code := run(ctx,
				append([]string{"fit", "--engine", "svgd", "--order", "eqvar", "--set",
					"svgd.particles=2", "--set", "svgd.samples=8"}, c.args...), nil, &stdout,
				stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			want := "tobac: interrupted after step 100 of 1000; " + c.want
			if last := lines[len(lines)-1]; code != cli.ExitInterrupted || last != want {
				t.Errorf("exit %d and %q, want %d and %q", code, last, cli.ExitInterrupted, want)
			}
			if left := listing(t, "."); stdout.Len() > 0 || len(left) > 0 {
				t.Errorf("left behind: files %v, output %q", left, stdout.String())
			}
		})
	}
}

// A comparison with particles that is interrupted leaves complete results, printed before.
func TestInterruptedComparison(t *testing.T) {
	simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &stepWriter{at: 20, found: cancel}
	var stdout bytes.Buffer
	code := run(ctx, quick("fit", "data/train.csv", "--beside", "svgd", "--out", "run"), nil,
		&stdout, stderr)
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if want := "tobac: interrupted; the results are in run, complete except for comparison with " +
		"svgd"; code != cli.ExitInterrupted || lines[len(lines)-1] != want {
		t.Errorf("exit %d and %q, want %d and %q", code, lines[len(lines)-1], cli.ExitInterrupted,
			want)
	}
	succeed(t, "fit", "data/train.csv", "--workers", "2", "--set", "results.report=false", "--out",
		"plain")
	if got := succeed(t, "eval", "run", "--truth", "data/graph.csv").stdout; got != succeed(t,
		"eval", "plain", "--truth", "data/graph.csv").stdout ||
		!slices.Equal(listing(t, "run"), listing(t, "plain")) {
		t.Errorf("files %v, want %v; evaluated as %s", listing(t, "run"), listing(t, "plain"), got)
	}
	if !strings.Contains(stdout.String(), "\nVerdict\n") ||
		strings.Contains(stdout.String(), "Comparison") {
		t.Errorf("standard output:\n%s", stdout.String())
	}
}

// A run that is interrupted while it prepares or within a long step says so in one
// line too.
func TestInterruptedInLongStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "100", "--samples", "150", "--out", "data")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	got := runWith(t, ctx, "", "fit", "data/train.csv", "--out", "run", "--engine", "svgd", "--set",
		"svgd.particles=60", "--quiet")
	if want := "tobac: interrupted "; got.code != cli.ExitInterrupted ||
		!strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("got %+v, want exit %d and one line with %q", got, cli.ExitInterrupted, want)
	}
	if left := listing(t, "."); !slices.Equal(left, []string{"data"}) {
		t.Errorf("left behind: %v", left)
	}
}
