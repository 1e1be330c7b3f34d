package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tobac/internal/cli"
)

// A column with limits of detection is refused with what takes it, and then fitted: an effect that
// the limits in place of the values bend is found as of the complete table.
func TestCensored(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	var whole, limits, numbers strings.Builder
	for _, b := range []*strings.Builder{&whole, &limits, &numbers} {
		b.WriteString("a,b,c\n")
	}
	for range 200 {
		a := 2 + rng.NormFloat64()
		b := 10 + 2*a + rng.NormFloat64()
		c := b + rng.NormFloat64()
		cell, number := fmt.Sprintf("%.3f", b), b
		switch {
		case b < 13.2:
			cell, number = "<13.2", 13.2
		case b > 16.5:
			cell, number = ">16.5", 16.5
		}
		fmt.Fprintf(&whole, "%.3f,%.3f,%.3f\n", a, b, c)
		fmt.Fprintf(&limits, "%.3f,%s,%.3f\n", a, cell, c)
		fmt.Fprintf(&numbers, "%.3f,%.3f,%.3f\n", a, number, c)
	}
	inFolder(t, map[string]string{"k.toml": "kinds = {b = \"censored:13.2..16.5\"}\n",
		"whole.csv": whole.String(), "limits.csv": limits.String(),
		"numbers.csv": numbers.String()})
	refuses(t, "fit limits.csv --out o", cli.ExitFailed,
		`limits.csv: column 2 (b): 108 of 200 values are limits: "<13.2" on line 4, ">16.5" on line 22; `+
			"--set data.censored=impute draws the values between them given the other columns, "+
			"data.censored=limit takes them for the values, --drop b leaves the column out")
	refuses(t, "order limits.csv --set data.censored=impute", cli.ExitUsage,
		"data.censored=impute: tobac order takes no missing values; allowed: data.censored=limit")
	refuses(t, "fit limits.csv --out o --set data.censored=impute --checkpoint s", cli.ExitUsage,
		"--checkpoint and --resume keep the state of a fit to one table, and missing values are "+
			"imputed several times; allowed: data.censored=limit, or neither option")
	refuses(t, "fit limits.csv --out o --set data.censored=impute --set "+
		"data.transform=normal-scores", cli.ExitUsage,
		"data.transform=normal-scores contradicts data.censored=impute: limits have no ranks; "+
			"allowed: data.transform=log or none, or data.censored=limit")
	if got := succeed(t, "check", "limits.csv", "--kind",
		"b=censored"); !strings.Contains(got.stdout, "positive, censored") {
		t.Errorf("check prints %s", got.stdout)
	}
	settings := []string{"--model", "linear-unequal", "--quiet", "--force", "--set",
		"results.report=false", "--require", "a,b", "--require", "b,c", "--seed", "1"}
	effect := func(args ...string) (of float64) {
		succeed(t, append(append([]string{"fit"}, args...), append(settings, "--out", "o")...)...)
		_, err := fmt.Sscan(strings.Split(effectLine(t, "a", "b"), ",")[2], &of)
		if err != nil {
			t.Fatal(err)
		}
		return of
	}
	want := effect("whole.csv")
	for _, args := range [][]string{
		{"limits.csv", "--set", "data.censored=impute"},
		{"limits.csv", "--kind", "b=censored", "--set", "data.standardize=true"},
		{"numbers.csv", "--knowledge", "k.toml", "--holdout", "0.1"},
	} {
		if got := effect(args...); got < 0.85*want || got > 1.15*want {
			t.Errorf("%q: effect %.3f, want %.3f of the complete table", args, got, want)
		}
	}
	if got := effect("limits.csv", "--set", "data.censored=limit"); got > 0.85*want {
		t.Errorf("limits as values: effect %.3f, want less than %.3f", got, want)
	}
}

// effectLine is the line of an effect in o/effects.csv.
func effectLine(t *testing.T, cause, effect string) string {
	t.Helper()
	for line := range strings.Lines(readFile(t, "o/effects.csv")) {
		if strings.HasPrefix(line, cause+","+effect+",") {
			return line
		}
	}
	t.Fatalf("no effect of %s on %s", cause, effect)
	return ""
}
