package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"tobac/internal/cli"
	"tobac/internal/must"
)

// Levels are set and predicted by their names, and categories have effects by level.
func TestPredictLevels(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("smoke,cough,site\n")
	for i := range 240 {
		smoke, cough := i%2, (i%2*3+i/2%4)/4
		fmt.Fprintf(&rows, "%s,%s,%s\n", []string{"no", "yes"}[smoke],
			[]string{"none", "some"}[cough], []string{"a", "b", "c"}[(i*i+i/5)%3])
	}
	inFolder(t, map[string]string{"t.csv": rows.String()})
	succeed(t, "fit", "t.csv", "--require", "smoke,cough", "--out", "run", "--quiet")
	out := succeed(t, "predict", "run", "--do", "smoke=yes").stdout
	for _, want := range []string{"do smoke = yes", "P(cough = some)", "P(site = c)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(succeed(t, "predict", "run", "--do", "smoke=yes", "--json").stdout,
		`"some"`) {
		t.Error("no levels in JSON")
	}
	refuses(t, "predict run --do smoke=maybe", cli.ExitUsage,
		`--do "smoke=maybe": the value is "maybe"; allowed: "no", "yes"`)
	out = succeed(t, "effect", "run", "--from", "smoke", "--to", "cough").stdout
	for _, want := range []string{"set one level higher", "more than for smoke = no",
		"smoke = yes", "P(cough)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = succeed(t, "effect", "run", "--from", "site", "--to", "cough").stdout
	if !strings.Contains(out, "more than for site = a") || strings.Contains(out, "Total effect") {
		t.Errorf("levels of a category:\n%s", out)
	}
	out = succeed(t, "effect", "run", "--from", "smoke", "--to", "site").stdout
	if !strings.Contains(out, "P(site) when smoke is set to a level, and how much more than for "+
		"smoke = no") || !strings.Contains(out, "smoke = yes  c  ") {
		t.Errorf("levels of a category that is no cause:\n%s", out)
	}
	if out = succeed(t, "effect", "run", "--from", "site").stdout; !strings.Contains(out,
		"P(cough) when site is set") {
		t.Errorf("all effects of a category:\n%s", out)
	}
}

// The probabilities of the levels of a column sum to 1 whatever is set, and how much they differ to
// 0; contrasts.csv has what the command prints.
func TestContrasts(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("site,dose,kind\n")
	for i := range 300 {
		site := i * 7 % 3
		fmt.Fprintf(&rows, "%s,%.3f,%s\n", []string{"a", "b", "c"}[site],
			float64(i*31%97)/10+float64(site), []string{"u", "v", "w"}[(site+i%5/4)%3])
	}
	inFolder(t, map[string]string{"t.csv": rows.String()})
	succeed(t, "fit", "t.csv", "--require", "site,kind", "--out", "run", "--quiet")
	got := parse(t, succeed(t, "effect", "run", "--from", "site", "--to", "kind", "--json").stdout)
	one := got["effects"].([]any)[0].(map[string]any)
	if one["path"] != 1. || one["mean"] != nil {
		t.Errorf("path %v, mean %v", one["path"], one["mean"])
	}
	file := readFile(t, "run/contrasts.csv")
	for k, at := range one["curve"].([]any) {
		sum, differences := 0.0, 0.0
		for _, l := range at.(map[string]any)["levels"].([]any) {
			level := l.(map[string]any)
			sum += level["mean"].(float64)
			differences += level["contrast"].(map[string]any)["mean"].(float64)
			line := fmt.Sprintf("site,%s,kind,%s,%v,", []string{"a", "b", "c"}[k], level["name"],
				level["mean"])
			if !strings.Contains(file, line) {
				t.Errorf("no line %q in\n%s", line, file)
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(differences) > 1e-9 {
			t.Errorf("value %d: probabilities sum to %v, differences to %v", k, sum, differences)
		}
	}
	if n := strings.Count(file, "\nsite,"); n < 9 {
		t.Errorf("%d lines of site", n)
	}
}

// A model that the fit chose, and that SVGD does not sample, has no comparison: a note says so, and
// the results stand.
func TestBesideKinds(t *testing.T) {
	rows := "a,b\n"
	for i := range 40 {
		rows += fmt.Sprintf("%s,%s\n", []string{"x", "y", "z"}[i%3], []string{"p", "q"}[i*7%10/5])
	}
	inFolder(t, map[string]string{"t.csv": rows})
	got := succeed(t, "fit", "t.csv", "--beside", "svgd", "--quiet")
	if !strings.Contains(got.stderr,
		"tobac: note: no comparison with svgd: the model of the fit") ||
		strings.Contains(got.stdout, "Comparison") {
		t.Errorf("%s\n%s", got.stdout, got.stderr)
	}
}

// simulate --json and eval --json print JSON, as every command with the option does.
func TestJSONOption(t *testing.T) {
	inFolder(t, nil)
	got := parse(t, succeed(t, "simulate", "--vars", "3", "--edges-per-node", "0.5", "--out", "d",
		"--json").stdout)
	if got["rows"] != 100. || got["variables"] != 3. {
		t.Error(got)
	}
	args := []string{"eval", "p.csv", "--truth", "d/graph.csv", "--data", "d/train.csv"}
	must.Do(t, os.WriteFile("p.csv", []byte("source,target,probability\nX0,X1,0.5\n"),
		0o644))
	plain := succeed(t, args...).stdout
	if json := succeed(t, append(args, "--json")...).stdout; json != plain {
		t.Errorf("%s, want %s", json, plain)
	}
}

// Engines with particles take tables of numbers, categories and counts under the model generalised,
// with effects and predictions; rows that are held out have no density, which is a warning.
func TestParticlesOfKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 6))
	var data strings.Builder
	data.WriteString("group,dose,cases,cured\n")
	for range 90 {
		g := rng.IntN(3)
		dose := 2*float64(g) + rng.NormFloat64()
		cured := "no"
		if dose+rng.NormFloat64() > 2 {
			cured = "yes"
		}
		fmt.Fprintf(&data, "%c,%.3f,%d,%s\n", "abc"[g], dose,
			rng.IntN(3)+rng.IntN(1+max(0, int(4+dose))), cured)
	}
	inFolder(t, map[string]string{"kinds.csv": data.String()})
	settings := []string{"--model", "generalised", "--quiet", "--set", "particles=4", "--set",
		"steps=20", "--set", "samples=4", "--set", "results.report=false"}
	succeed(t, append([]string{"fit", "kinds.csv", "--engine", "svgd", "--set", "order.count=1",
		"--out", "svgd"}, settings...)...)
	if !strings.Contains(readFile(t, "svgd/effects.csv"), "dose") {
		t.Error("no effects of particles")
	}
	if got := succeed(t, "predict", "svgd", "--do", "group=c"); !strings.Contains(got.stdout,
		"cured") {
		t.Errorf("predict prints %s", got.stdout)
	}
	got := succeed(t, append([]string{"fit", "kinds.csv", "--engine", "dibs", "--holdout", "0.2",
		"--out", "dibs"}, settings...)...)
	if !strings.Contains(got.stderr, "no density of held-out rows") {
		t.Errorf("stderr %s", got.stderr)
	}
}
