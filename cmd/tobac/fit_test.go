package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// metricKeys are the keys of each posterior in summary.json.
var metricKeys = []string{"auroc", "auroc_with_diagonal", "average_precision", "eshd", "expected_edges", "neg_ll", "neg_ll_data_only"}

// listedKeys are the keys of the listed probabilities.
var listedKeys = []string{"auprc_trapezoid", "auroc", "auroc_with_diagonal", "average_precision", "brier", "calibration_error", "consensus_edges",
	"consensus_shd", "cpdag_shd", "eshd", "eshd_empty_graph", "expected_edges", "log_score", "skeleton_auroc", "skeleton_average_precision", "variables"}

func TestFitWritesFiles(t *testing.T) {
	simulated(t)
	args := quick("fit", "data/train.csv", "--heldout", "data/heldout.csv", "--truth", "data/graph.csv", "--out", "runs/first")
	got := succeed(t, args...)
	for _, want := range []string{
		"data    data/train.csv: 60 rows of 6 variables, 60 rows held out\n",
		"prior   1.25 edges per node, that is 7.5 expected edges\n",
		"run     6 particles, 40 steps, 8 samples, nodewise estimator, seed 1: ",
		"Strongest edges\n", "Consensus graph, edges of probability above 1/2: ",
		"Metrics against data/graph.csv, Neg.LL of 60 held-out rows\n", "empirical", "mixture", "empty graph",
		"particles with a cycle: 0 of 6\n",
		"written to runs/first: edges.csv, graph.csv, graph.dot, particles.json, summary.json\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("standard output lacks %q:\n%s", want, got.stdout)
		}
	}
	if !strings.Contains(got.stderr, "step 40 of 40, ") {
		t.Errorf("standard error lacks the last step:\n%s", got.stderr)
	}
	if diff := cmp.Diff(fitFiles, listing(t, "runs/first")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	summary := parse(t, readFile(t, "runs/first/summary.json"))
	for path, want := range map[string][]string{
		"":                  {"config", "cyclic", "metrics", "order", "seconds"},
		"metrics":           {"empirical", "empty", "listed", "mixture"},
		"metrics.listed":    listedKeys,
		"metrics.empirical": metricKeys,
		"metrics.mixture":   metricKeys,
		"metrics.empty":     metricKeys,
		"seconds":           {"compile", "order", "sample", "total"},
	} {
		node := summary
		for _, key := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' }) {
			node = node[key].(map[string]any)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(node))); diff != "" {
			t.Errorf("keys of summary.json at %q (-want +got):\n%s", path, diff)
		}
	}
	for _, posterior := range []string{"empirical", "mixture", "empty"} {
		for _, key := range metricKeys {
			if _, ok := at(summary, "metrics", posterior, key).(float64); !ok {
				t.Errorf("metric %s of %s is %v, want a number", key, posterior, at(summary, "metrics", posterior, key))
			}
		}
	}
	for _, key := range listedKeys {
		if _, ok := at(summary, "metrics", "listed", key).(float64); !ok {
			t.Errorf("metric %s of the listed probabilities is %v, want a number", key, at(summary, "metrics", "listed", key))
		}
	}
	if edges := at(summary, "metrics", "empty", "eshd"); edges != float64(strings.Count(readFile(t, "data/graph.csv"), "\n")-1) {
		t.Errorf("E-SHD of the empty graph is %v, want the number of true edges", edges)
	}

	checkFiles(t, "runs/first")

	// Metrics are recomputed exactly from the files.
	again := parse(t, succeed(t, "eval", "--truth", "data/graph.csv", "--heldout", "data/heldout.csv", "runs/first").stdout)
	for _, key := range []string{"metrics", "cyclic"} {
		if diff := cmp.Diff(summary[key], again[key]); diff != "" {
			t.Errorf("eval differs from summary.json in %s (-summary +eval):\n%s", key, diff)
		}
	}
	if len(again) != 2 {
		t.Errorf("eval has the keys %v, want metrics and cyclic", slices.Sorted(maps.Keys(again)))
	}

	// A second run replaces the files of the first.
	before := readFile(t, "runs/first/particles.json")
	succeed(t, append(args, "--seed", "2")...)
	if readFile(t, "runs/first/particles.json") == before {
		t.Error("another seed left particles.json as it was")
	}
	if diff := cmp.Diff(fitFiles, listing(t, "runs/first")); diff != "" {
		t.Errorf("files after the second run (-want +got):\n%s", diff)
	}
}

// checkFiles compares the files of a fit with each other.
func checkFiles(t *testing.T, dir string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, dir, "edges.csv")), "\n")
	if lines[0] != "source,target,probability,weight_mean,weight_sd" {
		t.Errorf("header of edges.csv is %q", lines[0])
	}
	consensus := "source,target,weight\n"
	var sure []string
	for _, line := range lines[1:] {
		f := strings.Split(line, ",")
		var p float64
		if _, err := fmt.Sscan(f[2], &p); err != nil || p <= 0 || p > 1 {
			t.Errorf("edges.csv: probability %q, want a number from 0 to 1", f[2])
		}
		if p > 0.5 {
			sure = append(sure, strings.Join([]string{f[0], f[1], f[3]}, ",")+"\n")
		}
	}
	slices.Sort(sure) // as the edges are sorted, for names X0 to X9
	consensus += strings.Join(sure, "")
	if diff := cmp.Diff(consensus, readFile(t, dir, "graph.csv")); diff != "" {
		t.Errorf("graph.csv (-edges.csv above 1/2 +got):\n%s", diff)
	}
	if dot := readFile(t, dir, "graph.dot"); strings.Count(dot, "->") != len(sure) || !strings.HasPrefix(dot, "digraph {") {
		t.Errorf("graph.dot does not show %d edges:\n%s", len(sure), dot)
	}
	p := saved(t, dir)
	if total := floats.Sum(p.Empirical().Weights()); len(p.Draws) != 6 || math.Abs(total-1) > 1e-12 {
		t.Errorf("particles.json has %d particles of total weight %v, want 6 and 1", len(p.Draws), total)
	}
	// The probabilities of edges.csv are those that particles.json has, bit by bit.
	listed, err := readPosterior(filepath.Join(dir, "edges.csv"), p.Names)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(listed.Probabilities, p.Probabilities) {
		t.Errorf("edges.csv has the probabilities\n%v\nparticles.json has\n%v", mat.Formatted(listed.Probabilities), mat.Formatted(p.Probabilities))
	}
}

func at(node map[string]any, path ...string) any {
	var v any = node
	for _, key := range path {
		v = v.(map[string]any)[key]
	}
	return v
}

// Particles depend on nothing but data, settings and seed.
func TestParticlesDoNotDependOnWorkers(t *testing.T) {
	inFolder(t, nil)
	args := []string{"fit", "--preset", "paper", "--particles", "9", "--samples", "16", "--steps", "30"}
	for _, workers := range []string{"1", "8"} {
		succeed(t, append(args, "--workers", workers, "--out", workers)...)
	}
	for _, name := range []string{"particles.json", "edges.csv", "graph.csv", "graph.dot"} {
		if readFile(t, "1", name) != readFile(t, "8", name) {
			t.Errorf("%s differs between 1 and 8 workers", name)
		}
	}
}

// The embedded data bring their truth and are standardised; without held-out
// rows the predictive density is null.
func TestFitEmbedded(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, quick("fit", "--json", "--out", "run")...)
	if want := readFile(t, "run", "summary.json"); got.stdout != want {
		t.Errorf("--json prints %q, summary.json is %q", got.stdout, want)
	}
	s := parse(t, got.stdout)
	for _, c := range []struct {
		path []string
		want any
	}{
		{[]string{"config", "data"}, "sachs (embedded)"},
		{[]string{"config", "truth"}, "sachs (embedded)"},
		{[]string{"config", "standardize"}, true},
		{[]string{"config", "training_rows"}, 853.0},
		{[]string{"config", "expected_edges"}, 22.0},
		{[]string{"config", "seed"}, 1.0},
		{[]string{"metrics", "empty", "eshd"}, 17.0},
		{[]string{"metrics", "empty", "auroc_with_diagonal"}, 0.5},
		{[]string{"metrics", "empirical", "neg_ll"}, nil},
		{[]string{"metrics", "mixture", "neg_ll_data_only"}, nil},
		{[]string{"cyclic"}, 0.0},
	} {
		if got := at(s, c.path...); got != c.want {
			t.Errorf("%v is %v, want %v", c.path, got, c.want)
		}
	}
	if order := s["order"].([]any); len(order) != 11 || order[0] != "pmek" {
		t.Errorf("order is %v, want 11 names from pmek on", order)
	}
	for _, want := range []string{"look standardised", `columns "pmek" and "P38" tie`} {
		if !strings.Contains(got.stderr, "tobac: warning: ") || !strings.Contains(got.stderr, want) {
			t.Errorf("standard error lacks a warning with %q:\n%s", want, got.stderr)
		}
	}
}

// Without a truth everything that needs one is null, and no metrics are printed.
func TestFitWithoutTruth(t *testing.T) {
	simulated(t)
	if got := succeed(t, quick("fit", "data/train.csv")...); strings.Contains(got.stdout, "Metrics") {
		t.Errorf("metrics without a truth:\n%s", got.stdout)
	}
	if got := listing(t, "."); !slices.Equal(got, []string{"data"}) {
		t.Errorf("a run without --out left %v", got)
	}
	s := parse(t, succeed(t, quick("fit", "data/train.csv", "--json")...).stdout)
	for _, posterior := range []string{"empirical", "mixture", "empty"} {
		for _, key := range metricKeys {
			if got := at(s, "metrics", posterior, key); (got == nil) != (key != "expected_edges") {
				t.Errorf("%s of %s is %v without truth and held-out rows", key, posterior, got)
			}
		}
	}
}

func TestPresets(t *testing.T) {
	inFolder(t, nil)
	for _, c := range []struct {
		name      string
		args      []string
		estimator string
		edges     float64
		preset    string
		start     string
	}{
		{"default", nil, "nodewise", 2, "default", "regression"},
		{"paper", []string{"--preset", "paper"}, "joint", 2, "paper", "prior"},
		{"overridden", []string{"--preset", "paper", "--estimator", "nodewise", "--edges-per-node", "1"}, "nodewise", 1, "paper", "prior"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := at(parse(t, succeed(t, append(quick("fit", "--json"), c.args...)...).stdout), "config").(map[string]any)
			for key, want := range map[string]any{"preset": c.preset, "estimator": c.estimator, "edges_per_node": c.edges, "particles": 6.0,
				"weight_start": c.start, "alpha_rate": 0.05, "bandwidth_z": 5.0, "bandwidth_theta": 500.0, "step_size": 0.005, "rank": 10.0} {
				if config[key] != want {
					t.Errorf("%s is %v, want %v", key, config[key], want)
				}
			}
			if v := config["noise_variance"].(float64); (v == 0.1) != (c.preset == "paper") || !(v > 0) {
				t.Errorf("noise_variance is %v, want 0.1 with the preset paper only, estimated otherwise", v)
			}
		})
	}
}

// Without options the paper's preset is the published recipe. Nothing is sampled.
func TestPaperDefaults(t *testing.T) {
	o := fitOptions{preset: presetPaper, order: "eqvar", workers: 1, given: func(string) bool { return false }}
	j, err := prepare(o, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := j.config
	if c.Particles != 30 || c.Steps != 1000 || c.Samples != 128 || c.Estimator != "joint" || c.EdgesPerNode != 2 || c.NoiseVariance != 0.1 {
		t.Errorf("preset paper is %+v", c)
	}
}

// brokenWriter is a full disk or a closed pipe.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestBrokenOutput(t *testing.T) {
	simulated(t)
	for _, args := range [][]string{quick("fit", "data/train.csv"), {"order", "data/train.csv"}, {"simulate", "--out", "s"}, {"version"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, nil, brokenWriter{}, &stderr); code != exitFailed {
			t.Errorf("tobac %q: exit %d, want %d", args, code, exitFailed)
		}
		if got := stderr.String(); !strings.HasSuffix(got, "no space left on device\n") {
			t.Errorf("tobac %q: standard error %q", args, got)
		}
	}
}
