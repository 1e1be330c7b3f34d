package main

import (
	"os"
	"strings"
	"testing"
)

// With --center a model without intercepts gives what it gives on columns that the user has
// centred; a model with intercepts gives the same with and without, in units of the data.
func TestCenter(t *testing.T) {
	simulated(t)
	var raw, centred strings.Builder
	lines := strings.Split(strings.TrimSpace(readFile(t, "data/train.csv")), "\n")
	raw.WriteString(lines[0] + ",shifted\n")
	centred.WriteString(lines[0] + ",shifted\n")
	for k, line := range lines[1:] {
		v := []string{"1", "-1", "3", "-3"}[k%4]
		raw.WriteString(line + "," + map[string]string{"1": "101", "-1": "99", "3": "103",
			"-3": "97"}[v] + "\n")
		centred.WriteString(line + "," + v + "\n")
	}
	for name, text := range map[string]string{"raw.csv": raw.String(),
		"centred.csv": centred.String()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edges := func(args ...string) string {
		succeed(t, append(quick(append([]string{"fit"}, args...)...), "--out", "run", "--set",
			"results.report=false", "--force")...)
		return readFile(t, "run/edges.csv")
	}
	paper := []string{"--engine", "svgd", "--set", "recipe=paper", "--order",
		"shifted,X0,X1,X2,X3,X4,X5", "--set", "data.center=true"}
	if a, b := edges(append([]string{"raw.csv"}, paper...)...),
		edges(append([]string{"centred.csv"}, paper...)...); a != b {
		t.Errorf(
			"the paper's model on shifted columns, centred, lists\n%s\nand on centred ones\n%s", a,
			b)
	}
	got := succeed(t, quick("fit", "raw.csv", "--engine", "exact", "--set", "data.center=true")...)
	if !strings.Contains(got.stdout, "7 variables, centred") ||
		!strings.Contains(got.stdout, "in units of the data") {
		t.Errorf("report %s", got.stdout)
	}
}
