package metrics_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/metrics"
	"tobac/posterior"
)

// golden mirrors metrics.json; testdata/README.md says where it comes from.
type golden struct {
	Truth    [][]float64 `json:"truth"`
	HeldOut  [][]float64 `json:"heldout"`
	Variance float64     `json:"obs_noise_variance"`
	Cases    []struct {
		Name    string        `json:"case"`
		Graphs  [][][]float64 `json:"graphs"`
		Theta   [][][]float64 `json:"weights_theta"`
		Cyclic  int           `json:"cyclic"`
		Results map[string]struct {
			LogWeights       []float64 `json:"log_weights"`
			ESHD             float64   `json:"eshd"`
			ExpectedEdges    float64   `json:"expected_edges"`
			AUROC            float64   `json:"auroc_with_diagonal"`
			AUPRC            float64   `json:"auprc_trapezoid_with_diagonal"`
			AveragePrecision float64   `json:"average_precision_with_diagonal"`
			NegLL            float64   `json:"neg_ll"`
		} `json:"results"`
	} `json:"cases"`
}

// linearLogDensity is the linear Gaussian model, written out:
//
//	prior = Σ_ij G_ij lnN(Θ_ij; 0, 1),  data = Σ_nj lnN(x_nj; [X (G∘Θ)]_nj, variance).
func linearLogDensity(g *dag.Graph, theta, x [][]float64, variance float64) metrics.LogDensity {
	logNormal := func(x, mean, variance float64) float64 {
		return -0.5*math.Log(2*math.Pi*variance) - (x-mean)*(x-mean)/(2*variance)
	}
	var l metrics.LogDensity
	for j := range g.Len() {
		for _, i := range g.Parents(j) {
			l.Prior += logNormal(theta[i][j], 0, 1)
		}
		for _, row := range x {
			mean := 0.0
			for _, i := range g.Parents(j) {
				mean += row[i] * theta[i][j]
			}
			l.Data += logNormal(row[j], mean, variance)
		}
	}
	return l
}

// TestGoldenMetrics compares with the reference implementation, in float64. Set
// TOBAC_GOLDEN_DIR to read metrics.json from another folder than testdata.
func TestGoldenMetrics(t *testing.T) {
	folder := "testdata"
	if other := os.Getenv("TOBAC_GOLDEN_DIR"); other != "" {
		folder = other
	}
	text, err := os.ReadFile(filepath.Join(folder, "metrics.json"))
	if errors.Is(err, os.ErrNotExist) && folder != "testdata" {
		t.Skipf("no metrics.json in %s", folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	var file golden
	must.Do(t, json.Unmarshal(text, &file))
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	truth := dag.FromMatrix(matrix(file.Truth...))
	for _, c := range file.Cases {
		var graphs []*dag.Graph
		heldOut := &metrics.HeldOut{Empty: linearLogDensity(dag.New(truth.Len()), nil, file.HeldOut,
			file.Variance)}
		for m := range c.Graphs {
			g := dag.FromMatrix(matrix(c.Graphs[m]...))
			graphs = append(graphs, g)
			heldOut.Particles = append(heldOut.Particles,
				linearLogDensity(g, c.Theta[m], file.HeldOut, file.Variance))
		}
		uniform := posterior.Uniform(graphs)
		weighted := must.Get(posterior.Weighted(graphs, c.Results["weighted"].LogWeights))(t)
		for name, e := range map[string]*posterior.Ensemble{"uniform": uniform,
			"weighted": weighted} {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				want := c.Results[name]
				got := must.Get(metrics.Evaluate(e, truth, heldOut))(t)
				if got.Cyclic == len(graphs) {
					want.NegLL /= float64(len(graphs)) // the reference sums as many copies
				}
				for _, row := range []struct {
					name      string
					got, want float64
				}{
					{"cyclic", float64(got.Cyclic), float64(c.Cyclic)},
					{"eshd", float64(got.ESHD), want.ESHD},
					{"expected edges", float64(got.ExpectedEdges), want.ExpectedEdges},
					{"auroc with diagonal", float64(got.AUROCWithDiagonal), want.AUROC},
					{"auprc with diagonal", float64(got.AUPRCWithDiagonal), want.AUPRC},
					{"average precision with diagonal", float64(got.AveragePrecisionWithDiagonal),
						want.AveragePrecision},
					{"neg ll", float64(got.NegLL), want.NegLL},
				} {
					if !near(row.got, row.want, 1e-9) {
						t.Errorf("%s: got %.15g, want %.15g", row.name, row.got, row.want)
					}
				}
				for m, w := range want.LogWeights {
					if !near(e.LogWeights[m], w, 1e-9) {
						t.Errorf("log weight %d: got %.15g, want %.15g", m, e.LogWeights[m], w)
					}
				}
			})
		}
	}
}
