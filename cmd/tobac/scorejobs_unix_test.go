//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// curvedTable is the text of a table with curved relations whose columns share no unit, so that Gaussian processes
// have one hypothesis.
func curvedTable(rows, columns int) string {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for j := range columns {
		fmt.Fprintf(&b, "c%d,", j)
	}
	for range rows {
		b.WriteString("\n")
		v := 0.0
		for j := range columns {
			v = math.Sin(2*v) + rng.NormFloat64()
			scale := 1.0
			if j == 0 {
				scale = 1e7
			}
			fmt.Fprintf(&b, "%.6g,", v*scale)
		}
	}
	return strings.ReplaceAll(b.String(), ",\n", "\n")
}

// Node scores are planned, done in shards, and go on after a kill; the result has the bytes of a fit without jobs.
func TestNodeScoreJobs(t *testing.T) {
	inFolder(t, map[string]string{"curved.csv": strings.TrimSuffix(curvedTable(120, 10), ",")})
	args := append(fitArgs("curved.csv --engine exact --model gp"), "--out", "run")
	succeed(t, args...)
	want := results(t, "run")
	if err := os.RemoveAll("run"); err != nil {
		t.Fatal(err)
	}
	var count, of, left int
	got := succeed(t, append(args, "--jobs", "shards", "--shard", "1/2")...).stdout
	if n, err := fmt.Sscanf(got, "%d jobs of shard 1/2 are in shards, and %d of all %d are not", &count, &left, &of); n != 3 || count+left != of || of < 3 {
		t.Fatalf("--shard 1/2 prints %q, %v; want it to name at least 3 jobs", got, err)
	}
	if got, want := succeed(t, append(args, "--jobs", "state", "--plan")...).stdout, fmt.Sprintf("state has %d jobs to do: tobac work state\n", of); got != want {
		t.Errorf("--plan prints %q, want %q", got, want)
	}
	victim := process([]string{"work", "state", "--quiet", "--workers", "1"})
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	killWhen(t, victim, func() bool { return len(outputsOf(t, "state")) > 0 })
	before := outputsOf(t, "state")
	check := kept(t, before)
	succeed(t, append(args, "--jobs", "state")...)
	after := results(t, "run")
	for name, text := range want {
		if after[name] != text {
			t.Errorf("%s differs from that of a fit without jobs", name)
		}
	}
	check()
	if n := len(outputsOf(t, "state")); n != of || len(before) == of || len(after) != len(want) {
		t.Errorf("%d jobs are finished, %d before the kill, want %d in the end; %d results, want %d", n, len(before), of, len(after), len(want))
	}
}
