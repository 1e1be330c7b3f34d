package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// The same three graphs in every form that other programs write: a folder of
// matrices, the matrix of their edge probabilities, a list of edges. One graph of
// the folder is a NumPy file with the names of --data.
func TestEvalOfOtherPrograms(t *testing.T) {
	simulatedTruth := "source,target\na,b\nb,c\n"
	// 10 bytes in front of the header, and 118 of it.
	header := "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 3), }"
	for len(header) < 117 {
		header += " "
	}
	numpy := "\x93NUMPY\x01\x00\x76\x00" + header + "\n" + string([]byte{0, 1, 0, 0, 0, 1, 0, 0, 0})
	inFolder(t, map[string]string{
		"truth.csv": simulatedTruth, "data.csv": "a,b,c\n1,2,3\n",
		"matrix.csv": ",a,b,c\na,0,0.75,0\nb,0.25,0,1\nc,0,0,0\n",
		"mixed.csv":  "c,a,b\n0,0,0\n0,0,0.75\n1,0.25,0\n",
		"bare.csv":   "0,0.75,0\n0.25,0,1\n0,0,0\n",
		"edges.csv":  "source,target,probability\na,b,0.75\nb,c,1\nb,a,0.25\n",
	})
	folder := map[string]string{
		"0.csv": "a,b,c\n0,1,0\n0,0,1\n0,0,0\n", "1.csv": "0,0,0\n1,0,1\n0,0,0\n", "2.npy": numpy,
		"3.txt":    "c;a;b\n0;0;0\n0;0;1\n1;0;0\n",
		"notes.md": "not a matrix",
	}
	must.Do(t, os.Mkdir("graphs", 0o755))
	for name, text := range folder {
		must.Do(t, os.WriteFile(filepath.Join("graphs", name), []byte(text), 0o644))
	}
	want := map[string]any{}
	for _, args := range [][]string{
		{"matrix.csv"}, {"edges.csv"}, {"mixed.csv"}, {"mixed.csv", "--data", "data.csv"},
		{"bare.csv", "--data", "data.csv"}, {"graphs", "--data", "data.csv"},
	} {
		got := parse(t,
			succeed(t, append([]string{"eval", "--truth", "truth.csv"}, args...)...).stdout)
		listed := at(got, "metrics", "listed").(map[string]any)
		if len(want) == 0 {
			want = listed
		}
		if diff := cmp.Diff(want, listed); diff != "" {
			t.Errorf("%v (-matrix.csv +got):\n%s", args, diff)
		}
		isFolder := args[0] == "graphs"
		if empirical, mixture := at(got, "metrics", "empirical"),
			at(got, "metrics", "mixture"); (empirical != nil) != isFolder || mixture != nil {
			t.Errorf("%v: empirical %v, mixture %v", args, empirical, mixture)
		}
		if isFolder && at(got, "metrics", "empirical", "eshd") != want["eshd"] {
			t.Errorf("E-SHD %v of the graphs, %v of their probabilities",
				at(got, "metrics", "empirical", "eshd"), want["eshd"])
		}
	}
	for key, value := range map[string]any{"variables": 3.0, "eshd": 0.25, "auroc": 1.0,
		"skeleton_auroc": 1.0, "cpdag_shd": 0.0, "expected_edges": 2.0} {
		if want[key] != value {
			t.Errorf("%s is %v, want %v", key, want[key], value)
		}
	}
}

func TestEvalOfOtherProgramsFaults(t *testing.T) {
	files := map[string]string{
		"truth.csv": "source,target\na,b\n", "rows.csv": "a,b\n1,2\n2,1\n",
		"p.csv": "a,b\n0,0.5\n0,0\n", "bare.csv": "0,0.5\n0,0\n", "other.csv": "a,c\n1,2\n",
		"text.npy": "no array",
	}
	for _, c := range []struct {
		name   string
		folder map[string]string // of the folder graphs
		args   []string
		code   int
		want   string
	}{
		{"missing", nil, []string{"--truth", "truth.csv", "nothing"}, cli.ExitFailed,
			"nothing: no such file or directory; allowed: a folder written by tobac fit --out, a " +
				"folder of adjacency matrices, or a file of edge probabilities"},
		{"no densities", nil, []string{"--heldout", "rows.csv", "p.csv"}, cli.ExitUsage,
			"--heldout needs a posterior written by tobac fit: p.csv has no densities of data"},
		{"unknown variable", nil, []string{"--truth", "truth.csv", "bare.csv"}, cli.ExitFailed,
			`truth.csv: line 2: unknown vertices "a", "b"; allowed: "X0", "X1"`},
		{"other names", nil, []string{"--truth", "truth.csv", "--data", "other.csv", "p.csv"},
			cli.ExitFailed, `p.csv: matrix without the variable "c"; it has "a", "b"`},
		{"NumPy", nil, []string{"--truth", "truth.csv", "text.npy"}, cli.ExitFailed,
			"text.npy: not a NumPy file: it does not begin as one"},
		{"empty folder", map[string]string{"notes.md": ""},
			[]string{"--truth", "truth.csv", "graphs"}, cli.ExitFailed,
			"graphs: no particles.json in it, and not a folder of adjacency matrices: no matrix " +
				"(.csv, .tsv, .txt, .npy)"},
		{"probabilities in a folder", map[string]string{"a.csv": files["p.csv"]},
			[]string{"--truth", "truth.csv", "graphs"}, cli.ExitFailed,
			"graphs: no particles.json in it, and not a folder of adjacency matrices: " +
				"graphs/a.csv: entry 1 -> 2 is 0.5, want 0 or 1: a matrix of probabilities is " +
				"judged as a single file"},
		{"two sets of names", map[string]string{"a.csv": "a,b\n0,1\n0,0\n",
			"b.csv": "b,a\n0,1\n0,0\n"}, []string{"--truth", "truth.csv", "graphs"}, cli.ExitFailed,
			"graphs: no particles.json in it, and not a folder of adjacency matrices: " +
				"graphs/b.csv: other variables than in graphs/a.csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, files)
			must.Do(t, os.Mkdir("graphs", 0o755))
			for name, text := range c.folder {
				must.Do(t, os.WriteFile(filepath.Join("graphs", name), []byte(text),
					0o644))
			}
			got := runTobac(t, append([]string{"eval"}, c.args...)...)
			if want := "tobac: " + c.want + "\n"; got.code != c.code || got.stderr != want {
				t.Errorf("got  %d %swant %d %s", got.code, got.stderr, c.code, want)
			}
		})
	}
}

// What eval says of a fit's edges.csv is what the fit said of the probabilities
// that it listed.
func TestEdgesFileIsListed(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--truth", "data/graph.csv", "--out", "run")...)
	want := at(parse(t, readFile(t, "run/summary.json")), "metrics", "listed")
	for _, args := range [][]string{{"run"}, {"run/edges.csv", "--data", "data/train.csv"}} {
		got := parse(t,
			succeed(t, append([]string{"eval", "--truth", "data/graph.csv"}, args...)...).stdout)
		if diff := cmp.Diff(want, at(got, "metrics", "listed")); diff != "" {
			t.Errorf("%v (-summary +eval):\n%s", args, diff)
		}
	}
	if !bytes.Contains([]byte(readFile(t, "run/particles.json")), []byte(`"version":5`)) {
		t.Error("particles.json has no version")
	}
}

// judge takes what every engine produces: probabilities alone, particles with
// densities, and draws, which are not weighted by their density again.
func TestJudgeKinds(t *testing.T) {
	edge, none := dag.New(2), dag.New(2)
	edge.Set(0, 1, true)
	draws := []posterior.Draw{{Graph: edge, LogLikelihood: -1},
		{Graph: none, LogLikelihood: -1 - math.Log(3)}}
	probabilities := posterior.Marginals{Probabilities: mat.NewDense(2, 2, []float64{0, 0.9, 0, 0})}
	for _, c := range []struct {
		name               string
		p                  posterior.Posterior
		empirical, mixture float64 // E-SHD; −1: null
	}{
		{"probabilities alone", posterior.Posterior{}, -1, -1},
		{"particles", posterior.Posterior{Draws: draws}, 0.5, 0.25},
		{"draws", posterior.Posterior{Draws: draws, Kind: posterior.Draws}, 0.5, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Names, c.p.Marginals = []string{"x", "y"}, probabilities
			var densities *metrics.HeldOut
			if c.p.Draws != nil {
				densities = metrics.NewHeldOut([]float64{-1, 0, 0}, []float64{-4, -6, -6})
			}
			e := must.Get(judge(&c.p, edge, densities))(t)
			if got := float64(e.Metrics.Listed.ESHD); math.Abs(got-0.1) > 1e-15 {
				t.Errorf("listed: E-SHD %v, want 0.1", got)
			}
			for _, row := range []struct {
				name string
				got  *scores
				want float64
			}{{"empirical", e.Metrics.Empirical, c.empirical},
				{"mixture", e.Metrics.Mixture, c.mixture}} {
				if (row.got == nil) != (row.want < 0) || row.got != nil &&
					math.Abs(float64(row.got.ESHD)-row.want) > 1e-15 {
					t.Errorf("%s: got %+v, want an E-SHD of %v", row.name, row.got, row.want)
				}
			}
			if e.Metrics.Empirical != nil && e.Metrics.Empirical.NegLL != 5.5 {
				t.Errorf("Neg.LL %v, want (5 + 6)/2", e.Metrics.Empirical.NegLL)
			}
			if e.Metrics.Empty.ESHD != 1 {
				t.Errorf("E-SHD %v of the empty graph, want 1", e.Metrics.Empty.ESHD)
			}
		})
	}
}
