package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
	_ "tobac/internal/unwritten"
	"tobac/posterior"
)

func init() {
	if os.Getenv("TOBAC_ARGS") == "" { // which makes this the program itself
		collectSeldom()
	}
}

// collectSeldom is for tests, which make much garbage and keep little.
func collectSeldom() { debug.SetGCPercent(1000) }

// An invocation is what one command line left behind.
type invocation struct {
	code           int
	stdout, stderr string
}

// runTobac runs a command line in the current folder.
func runTobac(t *testing.T, args ...string) invocation {
	t.Helper()
	return runWith(t, t.Context(), "", args...)
}

func runWith(t *testing.T, ctx context.Context, stdin string, args ...string) invocation {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
	collectSeldom() // which a large table changes
	return invocation{code, stdout.String(), stderr.String()}
}

// succeed runs a command line that must not fail.
func succeed(t *testing.T, args ...string) invocation {
	t.Helper()
	got := runTobac(t, args...)
	if got.code != cli.ExitDone {
		t.Fatalf("tobac %q: exit %d, stderr %q", args, got.code, got.stderr)
	}
	return got
}

// prepared is a fit whose inputs are read, for a table and options.
func prepared(t *testing.T, data string, args ...string) *job {
	t.Helper()
	o := newFitOptions()
	must.Do(t, fitCommand(o).ParseFlags(args))
	must.Do(t, o.recall())
	return must.Get(prepare(*o, data, nil))(t)
}

// saved reads the posterior that a fit wrote into a folder.
func saved(t *testing.T, dir string) *posterior.Posterior {
	t.Helper()
	return must.Get(readPosterior(dir, nil, false))(t)
}

// drawsIn is the part of particles.json in a folder that the draws are.
func drawsIn(t *testing.T, dir string) string {
	t.Helper()
	_, draws, found := strings.Cut(readFile(t, dir, particlesFile), "\n\"draws\":[")
	if !found {
		t.Fatalf("%s in %s has no draws", particlesFile, dir)
	}
	return draws
}

// slowness is a line of progress, which a busy machine may need anywhere.
var slowness = regexp.MustCompile(`(?m)^.*, elapsed .*\n`)

// refuses runs a command line, given as words, that must fail with the one line
// "tobac: want" and change no file.
func refuses(t *testing.T, args string, code int, want string) {
	t.Helper()
	before := tree(t)
	got := runTobac(t, strings.Fields(args)...)
	got.stderr = slowness.ReplaceAllString(got.stderr, "")
	if want := (invocation{code, "", "tobac: " + want + "\n"}); got != want {
		t.Errorf("tobac %s:\n got %+v\nwant %+v", args, got, want)
	}
	if after := tree(t); after != before {
		t.Errorf("tobac %s left files behind:\n%s\nbefore:\n%s", args, after, before)
	}
}

// inFolder makes a temporary folder with the given files the current one.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
			os.WriteFile(name, []byte(content), 0o644)))
	}
}

// simulated makes a temporary folder with simulated data of six variables in the
// folder data the current one.
func simulated(t *testing.T) {
	t.Helper()
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "6", "--edges-per-node", "1", "--samples", "60", "--out",
		"data")
}

// A line for every step shows tests how far a run is.
func init() { cli.FirstLine, cli.NextLine = 0, 0 }

// quick are a command line of words with options for runs that take a moment,
// which those of the line override. Pictures take longest, and are left out.
func quick(args ...string) []string {
	out := []string{args[0], "--set", "results.report=false", "--workers", "2"}
	line := strings.Join(args, " ") + " "
	if strings.Contains(line, "--model ffn") && !strings.Contains(line, "--engine") {
		line += "--engine svgd "
		out = append(out, "--engine", "svgd")
	}
	of := "svgd."
	if strings.Contains(line, "--engine ") && !strings.Contains(line, "--beside") {
		of = ""
	}
	if slices.ContainsFunc([]string{"--engine svgd", "--engine dibs", "--order eqvar",
		"--order variance", "--beside svgd "}, func(words string) bool {
		return strings.Contains(line, words)
	}) {
		out = append(out, "--set", of+"particles=6", "--set", of+"samples=8", "--set",
			of+"steps=40")
	}
	return append(out, args[1:]...)
}

// sampled are the same for SVGD alone, under the order that EqVar finds.
func sampled(args ...string) []string {
	return append(quick(args[0], "--engine", "svgd", "--order", "eqvar"), args[1:]...)
}

func readFile(t *testing.T, elements ...string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(elements...)))(t)
	return string(text)
}

// parse reads a JSON object.
func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// listing returns the names in a folder, hidden ones included.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
