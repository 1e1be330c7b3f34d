package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

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
