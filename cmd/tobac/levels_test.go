package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tobac/internal/cli"
)

// Levels are set and predicted by their names, and categories have no effect of a unit.
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
	refuses(t, "effect run --from site", cli.ExitFailed,
		`column "site" is a category, whose levels have no unit; allowed: --to B, which compares levels`)
	refuses(t, "effect run --from smoke --to site", cli.ExitFailed,
		`column "site" is a category, whose levels have no unit; allowed: tobac predict --do, which prints the probabilities of levels`)
	out = succeed(t, "effect", "run", "--from", "smoke", "--to", "cough").stdout
	for _, want := range []string{"set one level higher", "more than for smoke = no",
		"smoke = yes"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = succeed(t, "effect", "run", "--from", "site", "--to", "cough").stdout
	if !strings.Contains(out, "more than for site = a") || strings.Contains(out, "Total effect") {
		t.Errorf("levels of a category:\n%s", out)
	}
	if !strings.Contains(succeed(t, "effect", "run", "--from", "site", "--to", "cough",
		"--json").stdout, `"contrast"`) {
		t.Error("no contrasts in JSON")
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
	if err := os.WriteFile("p.csv", []byte("source,target,probability\nX0,X1,0.5\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	plain := succeed(t, args...).stdout
	if json := succeed(t, append(args, "--json")...).stdout; json != plain {
		t.Errorf("%s, want %s", json, plain)
	}
}
