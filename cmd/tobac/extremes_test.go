package main

import (
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// extremes are numbers at which sums overflow, differences vanish and quotients are no numbers, and texts of none.
var extremes = []string{"1e-300", "1e-160", "1e-20", "1e20", "1e160", "1e300", "0", "-1", "NaN", "Inf", "1e999"}

// Short runs of every engine that has numbers to set, and of its variants.
const (
	exactRun     = "--engine exact"
	chainRun     = "--engine mcmc --iterations 20 --warm-up 10 --rungs 2"
	particleRun  = "--engine svgd --model linear --order a,b,c --steps 3 --particles 2 --samples 2"
	networkRun   = "--engine svgd --model ffn --hidden 2 --order a,b,c --steps 3 --particles 2 --samples 2"
	ordersRun    = "--engine svgd --orders 2 --steps 3 --particles 2 --samples 2"
	lastLayerRun = networkRun + " --output-layer integrated"
	dibsRun      = "--method dibs --steps 3 --particles 2 --samples 2"
	paperRun     = "--preset paper --edges-per-node 0.3 --steps 3 --particles 2 --samples 2"
	preciseRun   = "--preset calibrated --steps 3 --particles 2 --samples 2"
	preciseNets  = preciseRun + " --model ffn --hidden 2"
	temperedRun  = "--engine tempering --model ffn --hidden 2 --order a,b,c --iterations 40 --rungs 2"
	bcdRun       = "--method bcd --steps 3 --bcd-starts 1 --bcd-batch 2"
	bcdEqualRun  = bcdRun + " --model linear"
	flowRun      = "--method gflownet --model linear-unequal"
	policyRun    = flowRun + " --gflownet-policy graph --steps 3 --gflownet-prefill 1 --gflownet-batch 2 --gflownet-width 4"
)

// extremeOptions are options with # in the place of a number, and the runs that read it.
var extremeOptions = []struct {
	option string
	runs   []string
}{
	{"--noise-variance #", []string{particleRun, networkRun, lastLayerRun, dibsRun + " --model linear", dibsRun + " --model ffn", paperRun, preciseNets, temperedRun}},
	{"--edges-per-node #", []string{exactRun, chainRun, particleRun, ordersRun, dibsRun, preciseRun, temperedRun, bcdRun, flowRun, policyRun}},
	{"--alpha-rate #", []string{particleRun, dibsRun, paperRun}},
	{"--bandwidth-z #", []string{particleRun, dibsRun, preciseRun, particleRun + " --kernel imq:coordinate", particleRun + " --kernel rbf:variable"}},
	{"--bandwidth-theta #", []string{particleRun, networkRun, particleRun + " --kernel imq:coordinate"}},
	{"--step-size #", []string{particleRun, ordersRun, networkRun, lastLayerRun, dibsRun, paperRun, preciseRun, preciseNets, bcdRun, policyRun, particleRun + " --model bge", particleRun + " --grad score", particleRun + " --kernel imq:coordinate:coordinate", particleRun + " --kernel rbf:variable"}},
	{"--penalty-rate #", []string{dibsRun}},
	{"--alpha-schedule geometric:#:1", []string{particleRun, dibsRun}},
	{"--alpha-schedule constant:#", []string{particleRun, networkRun}},
	{"--alpha-schedule growth:#", []string{particleRun}},
	{"--step-schedule linear:#:1", []string{particleRun, preciseRun}},
	{"--step-schedule geometric:1:#", []string{particleRun, dibsRun, preciseNets}},
	{"--penalty-schedule constant:#", []string{dibsRun}},
	{"--penalty-schedule cosine:0:#", []string{dibsRun}},
	{"--likelihood-schedule constant:#", []string{particleRun, dibsRun, preciseRun, preciseNets}},
	{"--likelihood-schedule linear:#:1", []string{networkRun}},
	{"--bcd-temperature #", []string{bcdRun, bcdEqualRun}},
	{"--bcd-draw-temperature #", []string{bcdRun}},
	{"--bcd-scale #", []string{bcdRun, bcdEqualRun}},
	{"--bcd-l2 #", []string{bcdRun}},
	{"--bcd-edges units:#", []string{bcdRun}},
	{"--bcd-edges largest:#", []string{bcdRun}},
	{"--bcd-edges signs:#", []string{bcdRun}},
	{"--gflownet-exploit #", []string{policyRun}},
	{"--gflownet-clip #", []string{policyRun}},
	{"--gflownet-tolerance #", []string{policyRun}},
	{"--odds a,c=#", []string{exactRun, particleRun}},
	{"--holdout #", []string{exactRun, particleRun}},
	{"--bcd-batch #", []string{bcdRun}}, // whole numbers
	{"--rows #", []string{exactRun}},
	{"--seed #", []string{exactRun}},
}

// Every number that an option may be given, with every engine that reads it, is a run whose results are numbers, or is refused in one line.
func TestExtremeOptions(t *testing.T) {
	inFolder(t, map[string]string{
		"data.csv": "a,b,c\n1.3,0.2,2.1\n0.4,1.7,1.2\n2.2,2.9,0.3\n3.1,2.5,0.9\n0.2,0.3,2.2\n1.9,1.1,2.8\n2.4,3.2,0.1\n0.9,1.4,1.5\n3.6,3.3,1.7\n1.1,2.1,0.6\n",
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
		t.Fatalf("%d of %d lines that were wrong before are in the table", len(once), len(extremeOnce))
	}
	if *somePairs > 0 {
		rng := rand.New(rand.NewPCG(1, 2))
		rng.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
		lines = slices.Concat(once, lines[:min(*somePairs, len(lines))])
	}
	count := map[int]int{}
	for _, line := range lines {
		os.RemoveAll("run")
		got := runTobac(t, strings.Fields("fit data.csv --out run --quiet --report=false --workers 1 "+line)...)
		count[got.code]++
		said := strings.Split(strings.TrimSuffix(slowness.ReplaceAllString(got.stderr, ""), "\n"), "\n")
		_, err := os.Stat("run")
		switch last := len(said) - 1; {
		case slices.ContainsFunc(said[:last], func(w string) bool { return !strings.HasPrefix(w, "tobac: warning: ") }),
			got.code == exitFailed && !outOfRange.MatchString(said[last]):
			t.Errorf("%s: %s", line, got.stderr)
		case got.code == exitFailed && err == nil:
			t.Errorf("%s: failed, and wrote results", line)
		case got.code != exitFailed:
			if wrong := faultOf(t, got, nil); wrong != "" {
				t.Errorf("%s: %s", line, wrong)
			}
		}
	}
	t.Logf("%d runs: %d done, %d refused as wrong usage, %d left the range of numbers", len(lines), count[exitDone], count[exitUsage], count[exitFailed])
}

// outOfRange says that a run ended for a number that is too large, and which.
var outOfRange = regexp.MustCompile(`^tobac: data\.csv: .*(numbers left the range of float64|too large to be compared); (the noise variance|settings that sizes of numbers depend on are) `)

// extremeOnce are lines that failed without saying why, or after the run, because the results were no numbers.
var extremeOnce = []string{
	preciseNets + " --noise-variance 1e-300",
	preciseNets + " --likelihood-schedule constant:1e300",
	particleRun + " --likelihood-schedule constant:1e300",
	lastLayerRun + " --step-size 1e20",
	dibsRun + " --step-schedule geometric:1:1e300",
	bcdRun + " --step-size 1e20",
	bcdRun + " --step-size 1e300",
	bcdRun + " --edges-per-node 1e-300",
	bcdEqualRun + " --bcd-scale 1e-300",
}
