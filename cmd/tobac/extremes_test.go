package main

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac/internal/cli"
)

// extremes are numbers at which sums overflow, differences vanish and quotients are no numbers, and
// texts of none.
var extremes = []string{"1e-300", "1e-160", "1e-20", "1e20", "1e160", "1e300", "0", "-1", "NaN",
	"Inf", "1e999"}

// Short runs of every engine that has numbers to set, and of its variants.
const (
	exactRun    = "--engine exact"
	chainRun    = "--engine mcmc --set iterations=20 --set warm-up=10 --set rungs=2"
	particleRun = "--engine svgd --model linear --order a,b,c --set steps=3 --set particles=2 " +
		"--set samples=2"
	networkRun = "--engine svgd --model ffn --set ffn.hidden=2 --order a,b,c --set steps=3 " +
		"--set particles=2 --set samples=2"
	ordersRun = "--engine svgd --set order.count=2 --set steps=3 --set particles=2 --set " +
		"samples=2"
	lastLayerRun = networkRun + " --set ffn.output-layer=integrated"
	dibsRun      = "--engine dibs --set steps=3 --set particles=2 --set samples=2"
	paperRun     = "--engine svgd --set recipe=paper --set prior.edges-per-node=0.3 --set " +
		"steps=3 --set particles=2 --set samples=2"
	preciseRun = "--engine svgd --set recipe=calibrated --set steps=3 --set particles=2 --set " +
		"samples=2"
	preciseNets = preciseRun + " --model ffn --set ffn.hidden=2"
	temperedRun = "--engine tempering --model ffn --set ffn.hidden=2 --order a,b,c --set " +
		"iterations=40 --set rungs=2"
	bcdRun      = "--engine bcd --set steps=3 --set starts=1 --set batch=2"
	bcdEqualRun = bcdRun + " --model linear"
	flowRun     = "--engine gflownet --model linear-unequal"
	policyRun   = flowRun + " --set gflownet.policy=graph --set svgd.steps=3 --set " +
		"gflownet.prefill=1 --set gflownet.batch=2 --set gflownet.width=4"
)

// extremeOptions are options with # in the place of a number, and the runs that read it.
var extremeOptions = []struct {
	option string
	runs   []string
}{
	{"--set linear.noise-variance=#", []string{particleRun, networkRun, lastLayerRun,
		dibsRun + " --model linear", dibsRun + " --model ffn", paperRun, preciseNets, temperedRun}},
	{"--set prior.edges-per-node=#", []string{exactRun, chainRun, particleRun, ordersRun, dibsRun,
		preciseRun, temperedRun, bcdRun, flowRun, policyRun}},
	{"--set svgd.alpha-rate=#", []string{particleRun, dibsRun, paperRun}},
	{"--set svgd.bandwidth-z=#", []string{particleRun, dibsRun, preciseRun, particleRun +
		" --set svgd.kernel=imq:coordinate", particleRun + " --set svgd.kernel=rbf:variable"}},
	{"--set svgd.bandwidth-theta=#",
		[]string{particleRun, networkRun, particleRun + " --set svgd.kernel=imq:coordinate"}},
	{"--set svgd.step-size=#", []string{particleRun, ordersRun, networkRun, lastLayerRun, dibsRun,
		paperRun, preciseRun, preciseNets, bcdRun, policyRun, particleRun + " --model bge",
		particleRun + " --set svgd.grad=score", particleRun +
			" --set svgd.kernel=imq:coordinate:coordinate",
		particleRun + " --set svgd.kernel=rbf:variable"}},
	{"--set dibs.penalty-rate=#", []string{dibsRun}},
	{"--set svgd.alpha-schedule=geometric:#:1", []string{particleRun, dibsRun}},
	{"--set svgd.alpha-schedule=constant:#", []string{particleRun, networkRun}},
	{"--set svgd.alpha-schedule=growth:#", []string{particleRun}},
	{"--set svgd.step-schedule=linear:#:1", []string{particleRun, preciseRun}},
	{"--set svgd.step-schedule=geometric:1:#", []string{particleRun, dibsRun, preciseNets}},
	{"--set dibs.penalty-schedule=constant:#", []string{dibsRun}},
	{"--set dibs.penalty-schedule=cosine:0:#", []string{dibsRun}},
	{"--set svgd.likelihood-schedule=constant:#",
		[]string{particleRun, dibsRun, preciseRun, preciseNets}},
	{"--set svgd.likelihood-schedule=linear:#:1", []string{networkRun}},
	{"--set bcd.temperature=#", []string{bcdRun, bcdEqualRun}},
	{"--set bcd.draw-temperature=#", []string{bcdRun}},
	{"--set bcd.scale=#", []string{bcdRun, bcdEqualRun}},
	{"--set bcd.l2=#", []string{bcdRun}},
	{"--set bcd.edges=units:#", []string{bcdRun}},
	{"--set bcd.edges=largest:#", []string{bcdRun}},
	{"--set bcd.edges=signs:#", []string{bcdRun}},
	{"--set gflownet.exploit=#", []string{policyRun}},
	{"--set gflownet.clip=#", []string{policyRun}},
	{"--set gflownet.tolerance=#", []string{policyRun}},
	{"--set knowledge.odds=a,c=#", []string{exactRun, particleRun}},
	{"--holdout #", []string{exactRun, particleRun}},
	{"--set bcd.batch=#", []string{bcdRun}}, // whole numbers
	{"--set data.rows=#", []string{exactRun}},
	{"--seed #", []string{exactRun}},
}

// Every number that an option may be given, with every engine that reads it, is a run whose results
// are numbers, or is refused in one line.
func TestExtremeOptions(t *testing.T) {
	inFolder(t, map[string]string{
		"data.csv": "a,b,c\n1.3,0.2,2.1\n0.4,1.7,1.2\n2.2,2.9,0.3\n3.1,2.5,0.9\n0.2,0.3,2.2\n1.9" +
			",1.1,2.8\n2.4,3.2,0.1\n0.9,1.4,1.5\n3.6,3.3,1.7\n1.1,2.1,0.6\n",
	})
	var lines, once []string
	for _, o := range extremeOptions {
		for _, run := range o.runs {
			for _, number := range extremes {
				line := run + " " + strings.Replace(o.option, "#", number, 1)
				if slices.Contains(extremeOnce, line) {
					once = append(once, line)
				}
				lines = append(lines, line)
			}
		}
	}
	if len(once) != len(extremeOnce) {
		t.Fatalf("%d of %d lines that were wrong before are in the table", len(once),
			len(extremeOnce))
	}
	if *somePairs > 0 {
		rng := rand.New(rand.NewPCG(1, 2))
		rng.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
		lines = slices.Concat(once, lines[:min(*somePairs, len(lines))])
	}
	count := map[int]int{}
	for _, line := range lines {
		os.RemoveAll("run")
		got := runTobac(t,
			strings.Fields("fit data.csv --out run --quiet --set results.report=false --workers 1 "+
				line)...)
		count[got.code]++
		said := strings.Split(strings.TrimSuffix(slowness.ReplaceAllString(got.stderr, ""), "\n"),
			"\n")
		_, err := os.Stat("run")
		switch last := len(said) - 1; {
		case slices.ContainsFunc(said[:last], func(w string) bool {
			return !strings.HasPrefix(w, "tobac: warning: ")
		}),
			got.code == cli.ExitFailed && !outOfRange.MatchString(said[last]):
			t.Errorf("%s: %s", line, got.stderr)
		case got.code == cli.ExitFailed && err == nil:
			t.Errorf("%s: failed, and wrote results", line)
		case got.code != cli.ExitFailed:
			if wrong := faultOf(t, got, nil); wrong != "" {
				t.Errorf("%s: %s", line, wrong)
			}
		}
	}
	t.Logf("%d runs: %d done, %d refused as wrong usage, %d left the range of numbers", len(lines),
		count[cli.ExitDone], count[cli.ExitUsage], count[cli.ExitFailed])
}

// outOfRange says that a run ended for a number that is too large, and which.
var outOfRange = regexp.MustCompile(
	`^tobac: data\.csv: .*(numbers left the range of float64|too large to be compared); (the noise variance|settings that sizes of numbers depend on are) `)

// extremeOnce are lines that failed without saying why, or after the run, because the results were
// no numbers.
var extremeOnce = []string{
	preciseNets + " --set linear.noise-variance=1e-300",
	preciseNets + " --set svgd.likelihood-schedule=constant:1e300",
	particleRun + " --set svgd.likelihood-schedule=constant:1e300",
	lastLayerRun + " --set svgd.step-size=1e20",
	dibsRun + " --set svgd.step-schedule=geometric:1:1e300",
	bcdRun + " --set svgd.step-size=1e20",
	bcdRun + " --set svgd.step-size=1e300",
	bcdRun + " --set prior.edges-per-node=1e-300",
	bcdEqualRun + " --set bcd.scale=1e-300",
}
