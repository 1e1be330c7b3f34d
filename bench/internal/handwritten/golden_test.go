package handwritten_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/bench/internal/handwritten"
	"tobac/models"
)

// numbers is a nested array, flattened in row-major order; null is empty.
type numbers []float64

func (n *numbers) UnmarshalJSON(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*n = flatten(nil, v)
	return nil
}

func flatten(dst numbers, v any) numbers {
	switch v := v.(type) {
	case float64:
		return append(dst, v)
	case []any:
		for _, e := range v {
			dst = flatten(dst, e)
		}
	}
	return dst
}

// parameters are Weights of the linear model, or the others of the network.
type parameters struct{ Weights, W1, B1, W2, B2 numbers }

// golden is the part of a file of the reference implementation that concerns the
// score. Graphs and parameters are in original labels, latents in order
// coordinates; models/testdata/golden/SOURCE.md says where the files come from.
type golden struct {
	D          int     `json:"d"`
	N          int     `json:"n"`
	Particles  int     `json:"particles"`
	Samples    int     `json:"mc_samples"`
	Rank       int     `json:"rank"`
	Hidden     int     `json:"hidden"`
	Order      []int   `json:"order"`
	X          numbers `json:"x"`
	Intervened numbers `json:"intervened"`
	GraphPrior struct {
		Kind            string  `json:"kind"`
		EdgeProbability float64 `json:"edge_probability"`
	} `json:"graph_prior"`
	AlphaLinear      float64 `json:"alpha_linear"`
	Tau              float64 `json:"tau"`
	ObsNoiseVariance float64 `json:"obs_noise_variance"`
	FirstStep        int     `json:"first_step"`
	Steps            []struct {
		T                  int        `json:"t"`
		Z                  numbers    `json:"z"`
		Theta              parameters `json:"theta"`
		HardGraphs         numbers    `json:"hard_graphs_theta"`
		LogisticNoise      numbers    `json:"logistic_noise"`
		GradZLogLikelihood numbers    `json:"grad_z_log_likelihood"`
		GradZLogPrior      numbers    `json:"grad_z_log_prior"`
		GradTheta          parameters `json:"grad_theta"`
	} `json:"steps"`
}

// columns relabels the columns of an n×d matrix; it is nil without one.
func (g *golden) columns(x numbers) mat.Matrix {
	if x == nil {
		return nil
	}
	m := mat.NewDense(g.N, g.D, nil)
	for i := range g.N {
		for c, j := range g.Order {
			m.Set(i, c, x[i*g.D+j])
		}
	}
	return m
}

// toOrder relabels the variables of the parameters, M × their number.
func (g *golden) toOrder(p parameters) *mat.Dense {
	d, h := g.D, g.Hidden
	var rows []float64
	for m := range g.Particles {
		if h == 0 {
			for at := range d * d {
				rows = append(rows, p.Weights[(m*d+g.Order[at/d])*d+g.Order[at%d]])
			}
			continue
		}
		for at := range d * d {
			rows = append(rows, p.W1[((m*d+g.Order[at/d])*d+g.Order[at%d])*h:][:h]...)
		}
		for _, layer := range []numbers{p.B1, p.W2, p.B2} {
			units := len(layer) / (g.Particles * d)
			for _, j := range g.Order {
				rows = append(rows, layer[(m*d+j)*units:][:units]...)
			}
		}
	}
	return mat.NewDense(g.Particles, len(rows)/g.Particles, rows)
}

// Fill implements [models.Noise] with uniform numbers that give the recorded
// logistic noise, and that force the recorded hard graphs.
func (g *golden) Fill(dst []float64, purpose models.Purpose, step, particle int) {
	d, n, s := g.D, g.Samples, g.Steps[step-g.FirstStep]
	e := 0
	for b := range d {
		for a := range b {
			for sample := range n {
				k := particle*n + sample
				if purpose == models.SoftGraphs {
					dst[e*n+sample] = 1 / (1 + math.Exp(-s.LogisticNoise[(k*(d-1)+a)*(d-1)+b-1]))
				} else {
					dst[e*n+sample] = 1 - s.HardGraphs[k*d*d+g.Order[a]*d+g.Order[b]]
				}
			}
			e++
		}
	}
}

// TestGolden compares the score with the reference implementation's at every
// recorded step.
func TestGolden(t *testing.T) {
	for _, name := range []string{"tobac-linear", "tobac-linear-interventions", "tobac-linear-scale-free", "tobac-nonlinear"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "models", "testdata", "golden", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var g golden
			if err := json.Unmarshal(text, &g); err != nil {
				t.Fatal(err)
			}
			var prior models.GraphPrior = models.ErdosRenyi{EdgeProbability: g.GraphPrior.EdgeProbability}
			if g.GraphPrior.Kind == "sf" {
				prior = models.ScaleFree{}
			}
			target := newTarget(t, g.columns(g.X), g.columns(g.Intervened), g.Hidden, handwritten.Config{
				NoiseVariance: g.ObsNoiseVariance, EdgeVariance: 1,
				Particles: g.Particles, Samples: g.Samples, Rank: g.Rank, AlphaRate: g.AlphaLinear, Tau: g.Tau,
				Estimator: models.Joint, Prior: prior, Noise: &g, Workers: 2,
			})
			if len(g.Steps) == 0 {
				t.Fatal("no steps")
			}
			for _, s := range g.Steps {
				m := g.Particles
				x := []*mat.Dense{mat.NewDense(m, len(s.Z)/m, s.Z), g.toOrder(s.Theta)}
				got := score(t, target, x, s.T)
				want := mat.NewDense(m, len(s.Z)/m, nil)
				want.Add(mat.NewDense(m, len(s.Z)/m, s.GradZLogLikelihood), mat.NewDense(m, len(s.Z)/m, s.GradZLogPrior))
				wantClose(t, "score of Z", got[0], want)
				wantClose(t, "score of Θ", got[1], g.toOrder(s.GradTheta))
			}
		})
	}
}
