package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tobac/engine/stein"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
	"tobac/models"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// metricKeys are the keys of each posterior in summary.json.
var metricKeys = []string{"auroc", "auroc_with_diagonal", "average_precision", "eshd",
	"expected_edges", "neg_ll", "neg_ll_data_only"}

// listedKeys are the keys of the listed probabilities.
var listedKeys = []string{"auprc_trapezoid", "auroc", "auroc_with_diagonal", "average_precision",
	"brier", "calibration_error", "consensus_edges",
	"consensus_shd", "cpdag_shd", "eshd", "eshd_empty_graph", "expected_edges", "log_score",
	"skeleton_auroc", "skeleton_average_precision", "variables"}

// All files, of an exact posterior and of the particles that it is compared with.
func TestFitWritesFiles(t *testing.T) {
	simulated(t)
	args := withPictures("fit", "data/train.csv", "--heldout", "data/heldout.csv", "--truth",
		"data/graph.csv", "--out", "runs/first", "--details", "--beside", "svgd",
		"--set", "results.formats=graphml,bif,networkx,npz,txt")
	got := succeed(t, args...)
	for _, want := range []string{
		"data    data/train.csv: 60 rows of 6 variables, 60 rows held out\n",
		"model   linear with equal noise variances, which the data support by ",
		" nats\n        - linear with unequal noise variances: -",
		"\n        log evidence:\n        - linear with equal noise variances: -",
		"engine  exact, over all graphs: the choice up to 20 variables\n",
		" expected edges (", " per node), inferred\n",
		"svgd    linear with equal noise variances, 6 particles, ",
		"edge probabilities differ from those above by 0.",
		"files   in runs/first: particles-svgd.json too\n", "run     seed 1: ",
		"Pairs, strongest first: ",
		"coefficient given the edge ± its standard deviation, in units of the data\n",
		"Total effects, strongest first", "\nVerdict\n      - ", " of 15 pairs ",
		"Consensus graph, pairs adjacent above 1/2: 6 edges directed",
		"Metrics against data/graph.csv, Neg.LL of 60 held-out rows\n", "\n  listed  ",
		"\n  draws  ", "\n  svgd particles, weighted  ", "\n  empty graph  ",
		"files   in runs/first: edges.csv, pairs.csv, effects.csv, consensus.csv,",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("standard output lacks %q:\n%s", want, got.stdout)
		}
	}
	for line := range strings.Lines(got.stdout) {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("line of more than 100 columns: %q", line)
		}
	}
	if !strings.Contains(got.stderr, "svgd: step 200 of 200, ") {
		t.Errorf("standard error lacks the last step:\n%s", got.stderr)
	}
	all := slices.Sorted(slices.Values(append(filesWithoutGaps(), figuresFolder)))
	if diff := cmp.Diff(all, listing(t, "runs/first")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	summary := parse(t, readFile(t, "runs/first/summary.json"))
	for path, want := range map[string][]string{
		"": {"columns", "command", "config", "cyclic", "diagnostics",
			"edges_per_node", "engine", "evidence", "metrics", "model", "order", "reason", "run",
			"seconds", "svgd", "verdict", "warnings"},
		"metrics":                {"empirical", "empty", "listed", "mixture"},
		"metrics.listed":         listedKeys,
		"metrics.empirical":      metricKeys,
		"metrics.empty":          metricKeys,
		"svgd":                   {"cyclic", "distance", "metrics", "model", "seconds"},
		"svgd.metrics":           {"empirical", "empty", "listed", "mixture"},
		"svgd.metrics.listed":    listedKeys,
		"svgd.metrics.empirical": metricKeys,
		"svgd.metrics.mixture":   metricKeys,
		"svgd.metrics.empty":     metricKeys,
		"seconds":                {"compile", "infer", "order", "sample", "total"},
	} {
		node := summary
		for _, key := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' }) {
			node = node[key].(map[string]any)
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(node))); diff != "" {
			t.Errorf("keys of summary.json at %q (-want +got):\n%s", path, diff)
		}
		if !strings.Contains(path, "metrics.") {
			continue
		}
		for _, key := range want {
			_, number := node[key].(float64)
			if unknown := path == "metrics.empirical" && key == "neg_ll"; number == unknown {
				t.Errorf("%s of %s is %v", key, path, node[key])
			}
		}
	}
	if at(summary, "metrics", "mixture") != nil {
		t.Error("draws are weighted by their density")
	}
	if edges := at(summary, "metrics", "empty",
		"eshd"); edges != float64(strings.Count(readFile(t, "data/graph.csv"), "\n")-1) {
		t.Errorf("E-SHD of the empty graph is %v, want the number of true edges", edges)
	}

	checkFiles(t, "runs/first", 1000)
	checkEval(t, summary, "runs/first")
	checkComparison(t, summary, "runs/first")

	// A second run replaces the files of the first.
	before := readFile(t, "runs/first/particles.json")
	succeed(t, append(args, "--seed", "2")...)
	if readFile(t, "runs/first/particles.json") == before {
		t.Error("another seed left particles.json as it was")
	}
	if diff := cmp.Diff(all, listing(t, "runs/first")); diff != "" {
		t.Errorf("files after the second run (-want +got):\n%s", diff)
	}
}

// checkEval asserts that eval says of the files in dir what the summary says.
func checkEval(t *testing.T, summary map[string]any, dir string) {
	t.Helper()
	again := parse(t, succeed(t, "eval", "--truth", "data/graph.csv", "--heldout",
		"data/heldout.csv", dir).stdout)
	for _, key := range []string{"metrics", "cyclic"} {
		if diff := cmp.Diff(summary[key], again[key]); diff != "" {
			t.Errorf("eval differs from summary.json in %s (-summary +eval):\n%s", key, diff)
		}
	}
	if len(again) != 2 {
		t.Errorf("eval has the keys %v, want metrics and cyclic", slices.Sorted(maps.Keys(again)))
	}
	listed := parse(t, succeed(t, "eval", "--truth", "data/graph.csv", "--data", "data/train.csv",
		filepath.Join(dir, "edges.csv")).stdout)
	if diff := cmp.Diff(at(summary, "metrics", "listed"),
		at(listed, "metrics", "listed")); diff != "" {
		t.Errorf("eval of edges.csv differs from summary.json (-summary +eval):\n%s", diff)
	}
}

// checkComparison asserts that the file of the particles that a posterior is compared with is what
// the summary says of them.
func checkComparison(t *testing.T, summary map[string]any, dir string) {
	t.Helper()
	var particles map[string]any
	must.Do(t, os.Mkdir("compared", 0o777))
	text := readFile(t, dir, comparedFile)
	must.Do(t, os.WriteFile(filepath.Join("compared", particlesFile), []byte(text),
		0o644))
	particles = parse(t, succeed(t, "eval", "--truth", "data/graph.csv", "--heldout",
		"data/heldout.csv", "compared").stdout)
	if diff := cmp.Diff(at(summary, "svgd", "metrics"), particles["metrics"]); diff != "" {
		t.Errorf("eval of %s differs from summary.json (-summary +eval):\n%s", comparedFile, diff)
	}
	p, q := saved(t, dir).Probabilities, saved(t, "compared").Probabilities
	d, _ := p.Dims()
	distance := 0.0
	for i := range d {
		for j := range d {
			distance += math.Abs(p.At(i, j)-q.At(i, j)) / float64(d*(d-1))
		}
	}
	if got := at(summary, "svgd", "distance").(float64); math.Abs(got-distance) > 1e-12 {
		t.Errorf("distance %v, of the files %v", got, distance)
	}
}

// checkFiles compares the files of a fit with each other.
func checkFiles(t *testing.T, dir string, draws int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, dir, "edges.csv")), "\n")
	if lines[0] != "source,target,probability,weight_mean,weight_sd,adjacent,direction,fixed" {
		t.Errorf("header of edges.csv is %q", lines[0])
	}
	consensus := "source,target,weight,type\n"
	var sure []string
	for _, line := range lines[1:] {
		f := strings.Split(line, ",")
		var p float64
		if _, err := fmt.Sscan(f[2], &p); err != nil || p <= 0 || p > 1 {
			t.Errorf("edges.csv: probability %q, want a number from 0 to 1", f[2])
		}
		if p > 0.5 {
			sure = append(sure, strings.Join([]string{f[0], f[1], f[3], "->"}, ",")+"\n")
		}
	}
	slices.Sort(sure) // as the edges are sorted, for names X0 to X9
	consensus += strings.Join(sure, "")
	if diff := cmp.Diff(consensus, readFile(t, dir, "consensus.csv")); diff != "" {
		t.Errorf("consensus.csv (-edges.csv above 1/2 +got):\n%s", diff)
	}
	if dot := readFile(t, dir, "consensus.dot"); strings.Count(dot, "->") != len(sure) ||
		!strings.HasPrefix(dot, "digraph {") {
		t.Errorf("consensus.dot does not show %d edges:\n%s", len(sure), dot)
	}
	p := saved(t, dir)
	if total := floats.Sum(p.Empirical().Weights()); len(p.Draws) != draws ||
		math.Abs(total-1) > 1e-12 {
		t.Errorf("particles.json has %d draws of total weight %v, want %d and 1", len(p.Draws),
			total, draws)
	}
	// The probabilities of edges.csv are those that particles.json has, bit by bit.
	listed := must.Get(readPosterior(filepath.Join(dir, "edges.csv"), p.Names, false))(t)
	if !mat.Equal(listed.Probabilities, p.Probabilities) {
		t.Errorf("edges.csv has the probabilities\n%v\nparticles.json has\n%v",
			mat.Formatted(listed.Probabilities), mat.Formatted(p.Probabilities))
	}
}

func at(node map[string]any, path ...string) any {
	var v any = node
	for _, key := range path {
		v = v.(map[string]any)[key]
	}
	return v
}

// Results depend on nothing but data, settings and seed.
func TestFilesDoNotDependOnWorkers(t *testing.T) {
	for _, args := range []string{
		"data/train.csv --set results.report=true",
		"data/train.csv --model gp --set prior.max-parents=1 --engine exact",
		"data/train.csv --engine svgd --set recipe=paper", "data/train.csv --engine svgd",
		"data/train.csv --engine svgd --model bge", "data/train.csv --engine dibs",
		"data/train.csv --engine mcmc --model bge --set iterations=200 --set warm-up=100",
	} {
		t.Run(args, func(t *testing.T) {
			simulated(t)
			for _, workers := range []string{"1", "8"} {
				succeed(t, append(quick(append([]string{"fit"}, strings.Fields(args)...)...),
					"--workers", workers, "--out", workers)...)
			}
			names := listing(t, "1")
			if strings.Contains(args, "results.report=true") {
				names = append(names, inFigures(t, "1")...)
			}
			for _, name := range names {
				if name != "summary.json" && name != file.Manifest && name != figuresFolder &&
					readFile(t, "1", name) != readFile(t, "8", name) {
					t.Errorf("%s differs between 1 and 8 workers", name)
				}
			}
		})
	}
}

// The embedded data bring their truth; without held-out rows the predictive
// density is null.
func TestFitEmbedded(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, quick("fit", "--model", "linear-unequal", "--json", "--out", "run", "--set",
		"svgd.particles=6", "--set", "svgd.samples=8", "--set", "svgd.steps=40")...)
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
		{[]string{"config", "standardize"}, false},
		{[]string{"config", "training_rows"}, 853.0},
		{[]string{"config", "seed"}, 1.0},
		{[]string{"config", "recipe"}, "default"},
		{[]string{"config", "engine"}, "auto"},
		{[]string{"config", "settings", "svgd.estimator"}, "nodewise"},
		{[]string{"config", "settings", "prior.edges-per-node"}, nil},
		{[]string{"config", "settings", "svgd.marginals"}, "conditional"},
		{[]string{"engine"}, "exact"},
		{[]string{"model"}, "bge"},
		{[]string{"svgd", "model"}, "linear unequal"},
		{[]string{"metrics", "empty", "eshd"}, 17.0},
		{[]string{"metrics", "empty", "auroc_with_diagonal"}, 0.5},
		{[]string{"metrics", "empirical", "neg_ll"}, nil},
		{[]string{"metrics", "mixture"}, nil},
		{[]string{"cyclic"}, 0.0},
	} {
		if got := at(s, c.path...); got != c.want {
			t.Errorf("%v is %v, want %v", c.path, got, c.want)
		}
	}
	if eshd, auroc := at(s, "metrics", "listed", "eshd").(float64),
		at(s, "metrics", "listed", "auroc").(float64); eshd > 15 || auroc < 0.65 {
		t.Errorf("listed: E-SHD %v, AUROC %v, want at most 15 and at least 0.65", eshd, auroc)
	}
}

// The recipe paper standardises the embedded data, and warns of the order.
func TestPaperEmbedded(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, quick("fit", "--engine", "svgd", "--set", "recipe=paper", "--json")...)
	s := parse(t, got.stdout)
	if at(s, "config", "standardize") != true || s["edges_per_node"] != 2.0 ||
		s["engine"] != "svgd" {
		t.Errorf("config %v, edges per node %v, engine %v", s["config"], s["edges_per_node"],
			s["engine"])
	}
	if order := s["order"].([]any); len(order) != 11 || order[0] != "pmek" {
		t.Errorf("order is %v, want 11 names from pmek on", order)
	}
	for _, want := range []string{"look standardised", `columns "pmek" and "P38" tie`} {
		if !strings.Contains(got.stderr, "tobac: warning: ") ||
			!strings.Contains(got.stderr, want) {
			t.Errorf("standard error lacks a warning with %q:\n%s", want, got.stderr)
		}
		if !strings.Contains(fmt.Sprint(s["warnings"]), want) {
			t.Errorf("summary.json lacks a warning with %q: %v", want, s["warnings"])
		}
	}
}

// Without a truth everything that needs one is null, and no metrics are printed.
func TestFitWithoutTruth(t *testing.T) {
	simulated(t)
	if got := succeed(t, quick("fit", "data/train.csv")...); strings.Contains(got.stdout,
		"Metrics") {
		t.Errorf("metrics without a truth:\n%s", got.stdout)
	}
	if got := listing(t, "."); !slices.Equal(got, []string{"data"}) {
		t.Errorf("a run without --out left %v", got)
	}
	s := parse(t, succeed(t, sampled("fit", "data/train.csv", "--json")...).stdout)
	for _, posterior := range []string{"empirical", "mixture", "empty"} {
		for _, key := range metricKeys {
			if got := at(s, "metrics", posterior, key); (got == nil) != (key != "expected_edges") {
				t.Errorf("%s of %s is %v without truth and held-out rows", key, posterior, got)
			}
		}
	}
}

func TestRecipes(t *testing.T) {
	inFolder(t, nil)
	for _, c := range []struct {
		name     string
		args     []string
		settings map[string]any
	}{
		{"paper", []string{"--engine", "svgd", "--set", "recipe=paper"},
			map[string]any{"estimator": "joint", "marginals": "frequency"}},
		{"overridden", []string{"--engine", "svgd", "--set", "recipe=paper", "--set",
			"svgd.estimator=nodewise", "--set", "prior.edges-per-node=1"},
			map[string]any{"estimator": "nodewise"}},
		{"marginal", []string{"--engine", "svgd", "--set", "recipe=paper", "--model", "bge"},
			map[string]any{"grad": "score", "alpha-rate": 1.0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := at(
				parse(t, succeed(t,
					quick(append([]string{"fit", "--json"}, c.args...)...)...).stdout), "config",
				"settings").(map[string]any)
			for key, want := range map[string]any{"particles": 6.0, "bandwidth-z": 5.0,
				"bandwidth-theta": 500.0, "step-size": 0.005, "rank": 10.0} {
				c.settings[key] = want
			}
			for key, want := range c.settings {
				if got := settings["svgd."+key]; got != want {
					t.Errorf("svgd.%s is %v, want %v", key, got, want)
				}
			}
		})
	}
}

// Without options the recipe paper is the published recipe. Nothing is sampled.
func TestPaperDefaults(t *testing.T) {
	c := prepared(t, "", "--engine", "svgd", "--set", "recipe=paper").fit
	if s := c.Engine.(*stein.SVGD); s.Particles != 30 || s.Steps != 1000 || s.Samples != 128 ||
		s.Estimator != models.Joint || c.Prior.EdgesPerNode != 2 ||
		c.Model != (sem.Linear{NoiseVariance: 0.1, NoIntercept: true, PriorStart: true}) {
		t.Errorf("the recipe paper is %+v", c)
	}
}

// brokenWriter is a full disk or a closed pipe.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestBrokenOutput(t *testing.T) {
	simulated(t)
	for _, args := range [][]string{quick("fit", "data/train.csv"), {"order", "data/train.csv"},
		{"simulate", "--out", "s"}, {"version"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, nil, brokenWriter{}, &stderr); code != cli.ExitFailed {
			t.Errorf("tobac %q: exit %d, want %d", args, code, cli.ExitFailed)
		}
		want := "no space left on device\n"
		if args[0] == "fit" {
			want = "no space left on device; nothing was written: --out DIR keeps the results\n"
		}
		if got := stderr.String(); !strings.HasSuffix(got, want) {
			t.Errorf("tobac %q: standard error %q", args, got)
		}
	}
}
