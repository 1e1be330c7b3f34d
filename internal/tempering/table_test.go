package tempering_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/tempering"
	"tobac/metrics"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

var (
	data = flag.String("data", "",
		"folder of the published simulated data, for the long tests")
	long       = flag.Bool("long", false, "run the tests that take minutes")
	iterations = flag.Int("iterations", 0, "of the chains in the long tests; 0: the default")
	rungs      = flag.Int("temperatures", 0, "of the chains in the long tests; 0: the default")
	seed       = flag.Uint64("seed", 1, "of the chains in the long tests")
)

// A set is a simulated data set with orders.
type set struct {
	x      *mat.Dense
	truth  *dag.Graph
	orders map[string][]int
}

// readSet reads a folder of the simulated data, or skips the test without it.
func readSet(t *testing.T, name string) *set {
	t.Helper()
	dir := filepath.Join(*data, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no data in %q: -data DIR", dir)
	}
	rows := func(file string) [][]string {
		f := must.Get(os.Open(filepath.Join(dir, file)))(t)
		defer f.Close()
		return must.Get(csv.NewReader(f).ReadAll())(t)
	}
	train := rows("train.csv")
	d := len(train[0])
	s := &set{x: mat.NewDense(len(train)-1, d, nil), truth: dag.New(d)}
	for i, row := range train[1:] {
		for j, text := range row {
			v := must.Get(strconv.ParseFloat(text, 64))(t)
			s.x.Set(i, j, v)
		}
	}
	column := map[string]int{}
	for j, name := range train[0] {
		column[name] = j
	}
	for _, row := range rows("graph.csv")[1:] {
		from, ok := column[row[0]]
		to, also := column[row[1]]
		if !ok || !also {
			from, _ = strconv.Atoi(row[0])
			to, _ = strconv.Atoi(row[1])
		}
		s.truth.Set(from, to, true)
	}
	text := must.Get(os.ReadFile(filepath.Join(dir, "orders.json")))(t)
	must.Do(t, json.Unmarshal(text, &s.orders))
	return s
}

// The posterior given two orders on the simulated nonlinear data, beside the published figures of
// tobac.md §15.1. It takes some minutes:
//
//	go test ./internal/tempering -run TestTable -long -v -timeout 60m
func TestTable(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: -long")
	}
	for _, row := range []struct {
		name         string
		runs         int
		order        string
		eshd, spread float64 // published mean, and what two runs differ by
	}{
		{"nonlinear-d10-e20", 3, "ground_truth", 6.0, 0.3},
		{"nonlinear-d10-e20", 3, "eqvar_float32", 6.5, 0.3},
		{"nonlinear-d20-e40", 3, "ground_truth", 12.27, 0.6},
		{"nonlinear-d20-e40", 3, "eqvar_float32", 17.43, 0.6},
	} {
		eshd, auroc := 0.0, 0.0
		for run := range row.runs {
			s := readSet(t, row.name+"-run"+strconv.Itoa(run))
			_, d := s.x.Dims()
			prior := must.Get(score.ErdosRenyi(d, 4/float64(d-1)))(t)
			start := time.Now()
			r := must.Get(tempering.Run(context.Background(), s.x, nil, s.orders[row.order], prior,
				tempering.Config{
					NoiseVariance: 0.1, Iterations: *iterations, Temperatures: *rungs, Seed: *seed,
					Workers: runtime.GOMAXPROCS(0)}))(t)
			judged := must.Get(metrics.EvaluateEdges(r.Probabilities, s.truth))(t)
			logZ, off := 0.0, 0.0
			for j := range d {
				logZ += r.LogEvidence[j]
				off = max(off, r.EvidenceDifference[j])
			}
			rejected := 0.0
			for _, v := range r.Rejections {
				rejected = max(rejected, v)
			}
			t.Logf("%s-run%d, %s: E-SHD %.2f, AUROC %.3f, chains differ by %.3f (mean %.4f), R̂ "+
				"≤ %.2f, log evidence %.2f (chains differ by %.2f), refused ≤ %.2f; %.1f s",
				row.name, run, row.order, float64(judged.ESHD), float64(judged.AUROCWithDiagonal),
				mat.Max(r.Difference), mat.Sum(r.Difference)*2/float64(d*(d-1)), mat.Max(r.RHat),
				logZ, off, rejected, time.Since(start).Seconds())
			eshd += float64(judged.ESHD) / float64(row.runs)
			auroc += float64(judged.AUROCWithDiagonal) / float64(row.runs)
		}
		t.Logf("%s, %s: mean E-SHD %.2f, AUROC %.3f; published %.1f", row.name, row.order, eshd,
			auroc, row.eshd)
		if d := eshd - row.eshd; d > row.spread || d < -row.spread {
			t.Errorf("%s, %s: mean E-SHD %.2f, want %v ± %v", row.name, row.order, eshd, row.eshd,
				row.spread)
		}
	}
}

// Chains and the table of all sets of parents, by sequential Monte Carlo, agree on the first
// simulated set, given the true order. It takes six minutes of one processor:
//
//	go test ./internal/tempering -run TestSetsAgainstChains -long -v -timeout 60m
func TestSetsAgainstChains(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: -long")
	}
	s := readSet(t, "nonlinear-d10-e20-run0")
	_, d := s.x.Dims()
	prior := must.Get(score.ErdosRenyi(d, 4/float64(d-1)))(t)
	cfg := tempering.Config{NoiseVariance: 0.1, Iterations: *iterations, Temperatures: *rungs,
		Seed: *seed, Workers: runtime.GOMAXPROCS(0)}
	order := s.orders["ground_truth"]
	chains := must.Get(tempering.Run(context.Background(), s.x, nil, order, prior, cfg))(t)
	start := time.Now()
	table := enumerate(t, s.x, order, prior, cfg, 1024, 8)
	var difference mat.Dense
	difference.Sub(chains.Probabilities, table.probabilities)
	difference.Apply(func(_, _ int, v float64) float64 { return max(v, -v) }, &difference)
	judged := must.Get(metrics.EvaluateEdges(table.probabilities, s.truth))(t)
	t.Logf("probabilities differ by %.3f at most, %.4f on average; E-SHD of the table %.2f; %.1f s",
		mat.Max(&difference), mat.Sum(&difference)*2/float64(d*(d-1)), float64(judged.ESHD),
		time.Since(start).Seconds())
	for _, j := range order {
		t.Logf("variable %d, %d candidates: log evidence %.3f by chains (these differ by %.3f), "+
			"%.3f by the table (populations differ by %.3f)", j, len(table.candidates[j]),
			chains.LogEvidence[j], chains.EvidenceDifference[j], table.total[j],
			table.difference[j])
		// Half of the difference of two estimates is their standard error, on average; four of
		// both, and what a difference that is small by chance leaves out.
		if e := chains.LogEvidence[j] -
			table.total[j]; !(math.Abs(e) <= 2*(chains.EvidenceDifference[j]+table.difference[j])+
			0.1) {
			t.Errorf("variable %d: log evidences differ by %.2f", j, e)
		}
	}
	if m := mat.Sum(&difference) * 2 / float64(d*(d-1)); m > 0.03 {
		t.Errorf("probabilities differ by %v on average", m)
	}
}
