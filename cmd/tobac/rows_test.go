package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// Rows that depend on each other are said on standard error, at the top of the report and of the
// page, with the probabilities and the effects, and in summary.json; a time column with what can be
// done about it, until it is done.
func TestDependentRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	text, a, b := "step,a,b\n", 0.0, 0.0
	for i := range 60 {
		a, b = a+rng.NormFloat64(), b+rng.NormFloat64()
		text += fmt.Sprintf("%d,%v,%v\n", 10+3*i, a, b)
	}
	inFolder(t, map[string]string{"walks.csv": text})
	got := succeed(t, "fit", "walks.csv", "--engine", "exact", "--model", "linear-unequal", "--out",
		"run")
	const says = "he rows of this table are not independent, unless"
	found := regexp.MustCompile(
		`their evidence counts as if there were (\S+) independent rows`).FindStringSubmatch(
		got.stderr)
	if found == nil {
		t.Fatalf("standard error %q", got.stderr)
	}
	clause := "with the evidence of " + found[1] + " independent rows"
	if !strings.Contains(got.stderr, "tobac: warning: t"+says) {
		t.Errorf("standard error %q", got.stderr)
	}
	const time = `"step" rises or falls evenly from row to row, like a time or an index, and cannot be an effect of other columns: leave out with --drop "step", or rule out causes with --set knowledge.source="step"`
	if !strings.Contains(got.stderr, time) {
		t.Errorf("standard error %q", got.stderr)
	}
	for _, want := range []string{"Pairs, strongest first, " + clause,
		"Verdict\n      - The rows of this table are not"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
	}
	if page := readFile(t, "run", "report.html"); strings.Count(page, clause+".</p>") != 4 {
		t.Errorf("the page says %d times what is refuted", strings.Count(page, clause+".</p>"))
	}
	if summary := readFile(t, "run", "summary.json"); !strings.Contains(summary,
		`"refuted": "`+clause) {
		t.Error("summary.json does not say what is refuted")
	}
	for _, option := range []string{"--drop step", "--set knowledge.source=step"} {
		if got := succeed(t, strings.Fields("fit walks.csv --engine exact --model linear-unequal "+
			option)...); strings.Contains(got.stderr, "evenly") ||
			!strings.Contains(got.stderr, says) {
			t.Errorf("%s: standard error %q", option, got.stderr)
		}
	}
}
