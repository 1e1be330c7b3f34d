package main

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"
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
			var at time.Time
			stderr := &signalWriter{text: "step 100 of 1000", found: func() { at = time.Now(); cancel() }}
			var stdout bytes.Buffer
			code := run(ctx, append([]string{"fit", "--particles", "2", "--samples", "8"}, c.args...), nil, &stdout, stderr)
			if took := time.Since(at); took > time.Second {
				t.Errorf("stopped %v after the interruption, want less than a second", took)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			want := "tobac: interrupted after step 100 of 1000; " + c.want
			if last := lines[len(lines)-1]; code != exitFailed || last != want {
				t.Errorf("exit %d and %q, want %d and %q", code, last, exitFailed, want)
			}
			if left := listing(t, "."); stdout.Len() > 0 || len(left) > 0 {
				t.Errorf("left behind: files %v, output %q", left, stdout.String())
			}
		})
	}
}

// A run that is interrupted within a long step does not wait for its end.
func TestInterruptedInLongStep(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "100", "--samples", "150", "--out", "data")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	start := time.Now()
	got := runWith(t, ctx, "", "fit", "data/train.csv", "--out", "run", "--particles", "60")
	if took := time.Since(start); took > 1500*time.Millisecond {
		t.Errorf("stopped after %v, want within a second of the deadline of 0.5 s", took)
	}
	if want := "tobac: interrupted "; got.code != exitFailed || !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("got %+v, want exit %d and one line with %q", got, exitFailed, want)
	}
	if left := listing(t, "."); !slices.Equal(left, []string{"data"}) {
		t.Errorf("left behind: %v", left)
	}
}
