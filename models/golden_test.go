package models

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/dag"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// goldenTolerance is relative to max(1, |want|).
const goldenTolerance = 1e-9

// array is a nested JSON array of numbers, flattened in row-major order; null
// is empty.
type array []float64

func (a *array) UnmarshalJSON(text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	*a = flatten(nil, v)
	return nil
}

func flatten(out array, v any) array {
	switch v := v.(type) {
	case float64:
		return append(out, v)
	case []any:
		for _, x := range v {
			out = flatten(out, x)
		}
	}
	return out
}

type goldenParams struct {
	Weights array `json:"weights"`
}

type goldenStep struct {
	T                    int          `json:"t"`
	Z                    array        `json:"z"`
	Theta                goldenParams `json:"theta"`
	EdgeProbs            array        `json:"edge_probs"`
	HardGraphs           array        `json:"hard_graphs_theta"`
	LogJointThetaSamples array        `json:"log_joint_theta_samples"`
	LogisticNoise        array        `json:"logistic_noise"`
	GraphsZ              array        `json:"graphs_z"`
	LogJointZSamples     array        `json:"log_joint_z_samples"`
	GradZLogLikelihood   array        `json:"grad_z_log_likelihood"`
	GradZLogPrior        array        `json:"grad_z_log_prior"`
	GradTheta            goldenParams `json:"grad_theta"`
	Kernel               array        `json:"kernel"`
	PhiZ                 array        `json:"phi_z"`
	PhiTheta             goldenParams `json:"phi_theta"`
	ZNext                array        `json:"z_next"`
	ThetaNext            goldenParams `json:"theta_next"`
}

type goldenFile struct {
	Name       string `json:"name"`
	Method     string `json:"method"`
	D          int    `json:"d"`
	N          int    `json:"n"`
	Particles  int    `json:"particles"`
	Samples    int    `json:"mc_samples"`
	Rank       int    `json:"rank"`
	Estimator  string `json:"estimator"`
	Order      []int  `json:"order"`
	X          array  `json:"x"`
	Intervened array  `json:"intervened"`
	GraphPrior struct {
		Kind            string  `json:"kind"`
		EdgeProbability float64 `json:"edge_probability"`
	} `json:"graph_prior"`
	Hidden         int     `json:"hidden"`
	AlphaLinear    float64 `json:"alpha_linear"`
	Tau            float64 `json:"tau"`
	BandwidthZ     float64 `json:"bandwidth_z"`
	BandwidthTheta float64 `json:"bandwidth_theta"`
	RMSProp        struct {
		StepSize float64 `json:"stepsize"`
		Gamma    float64 `json:"gamma"`
		Epsilon  float64 `json:"eps"`
	} `json:"rmsprop"`
	FirstStep         int          `json:"first_step"`
	Steps             []goldenStep `json:"steps"`
	FinalGraphs       array        `json:"final_graphs"`
	FinalLogJoint     array        `json:"final_log_joint"`
	MixtureLogWeights array        `json:"mixture_log_weights"`
	ObsNoiseVariance  float64      `json:"obs_noise_variance"`
}

// supported says why a file cannot be compared yet, or nothing.
func (g *goldenFile) unsupported() string {
	switch {
	case g.Method != "tobac":
		return "method " + g.Method
	case g.Hidden != 0:
		return "feed-forward model"
	case g.ObsNoiseVariance == 0:
		return "marginal model"
	case g.Estimator != "reparam":
		return "estimator " + g.Estimator
	}
	return ""
}

// position maps entry (a,b) in order coordinates to original labels.
func (g *goldenFile) position(a, b int) int { return g.Order[a]*g.D + g.Order[b] }

// toOrder relabels the last two axes, d×d, of a stack of matrices from original
// labels to order coordinates.
func (g *goldenFile) toOrder(x array) []float64 {
	out := make([]float64, len(x))
	for base := 0; base < len(x); base += g.D * g.D {
		for a := range g.D {
			for b := range g.D {
				out[base+a*g.D+b] = x[base+g.position(a, b)]
			}
		}
	}
	return out
}

// columns relabels the columns of an n×d matrix.
func (g *goldenFile) columns(x array) *mat.Dense {
	m := mat.NewDense(g.N, g.D, nil)
	for i := range g.N {
		for c, j := range g.Order {
			m.Set(i, c, x[i*g.D+j])
		}
	}
	return m
}

// recorded replays the noise of one golden step: uniform numbers that give the
// recorded logistic noise, and that force the recorded hard graphs.
type recorded struct {
	g    *goldenFile
	step *goldenStep
}

func (r recorded) Fill(dst []float64, purpose Purpose, _, particle int) {
	g, d, s := r.g, r.g.D, r.g.Samples
	e := 0
	for a := range d {
		for b := a + 1; b < d; b++ {
			for sample := range s {
				k := particle*s + sample
				if purpose == SoftGraphs {
					dst[e*s+sample] = 1 / (1 + math.Exp(-r.step.LogisticNoise[(k*(d-1)+a)*(d-1)+b-1]))
				} else {
					dst[e*s+sample] = 1 - r.step.HardGraphs[k*d*d+g.position(a, b)]
				}
			}
			e++
		}
	}
}

func goldenFiles(t *testing.T) []string {
	dir := os.Getenv("TOBAC_GOLDEN_DIR")
	if dir == "" {
		dir = filepath.Join("testdata", "golden")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files in %s (%v)", dir, err)
	}
	return files
}

func TestGoldenSteps(t *testing.T) {
	ran := 0
	for _, path := range goldenFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var g goldenFile
		if err := json.Unmarshal(text, &g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if g.Steps == nil {
			continue // bge.json and metrics.json hold no steps
		}
		for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference} {
			t.Run(fmt.Sprintf("%s/%v", g.Name, engine), func(t *testing.T) {
				if why := g.unsupported(); why != "" {
					t.Skipf("%s is not built yet", why)
				}
				ran++
				g.run(t, engine)
			})
		}
	}
	if ran == 0 {
		t.Error("no golden file was compared")
	}
}

// worst collects the largest relative error of one quantity.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d values, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if err := math.Abs(got[i]-w) / math.Max(1, math.Abs(w)); !(err <= goldenTolerance) {
			t.Errorf("%s[%d]: got %v, want %v (relative error %.2g)", what, i, got[i], w, err)
			return
		}
	}
}

func (g *goldenFile) target(t *testing.T, engine autograd.Engine) (*TOBAC, Likelihood) {
	t.Helper()
	var mask mat.Matrix
	if g.Intervened != nil {
		mask = g.columns(g.Intervened)
	}
	lik, err := NewLinear(g.columns(g.X), mask, LinearOptions{NoiseVariance: g.ObsNoiseVariance})
	if err != nil {
		t.Fatal(err)
	}
	var prior GraphPrior = ErdosRenyi{EdgeProbability: g.GraphPrior.EdgeProbability}
	if g.GraphPrior.Kind == "sf" {
		prior = ScaleFree{}
	}
	target, err := NewTOBAC(lik, TOBACConfig{
		Particles: g.Particles, Samples: g.Samples, Rank: g.Rank, AlphaRate: g.AlphaLinear, Tau: g.Tau,
		Estimator: Joint, Prior: prior, Noise: recorded{g: g}, Options: Options{Engine: engine, Workers: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(target.Close)
	return target, lik
}

// run compares every recorded stage of every step, each from recorded inputs.
func (g *goldenFile) run(t *testing.T, engine autograd.Engine) {
	target, lik := g.target(t, engine)
	m := g.Particles
	var phi [2]*mat.Dense
	sampler := &svgd.Sampler{
		Target: target,
		Kernel: svgd.Additive{Bandwidths: []float64{g.BandwidthZ, g.BandwidthTheta}},
		Optimizer: spy{svgd.RMSProp{StepSize: g.RMSProp.StepSize, Decay: g.RMSProp.Gamma, Epsilon: g.RMSProp.Epsilon}, func(delta []*mat.Dense) {
			phi[0], phi[1] = mat.DenseCopyOf(delta[0]), mat.DenseCopyOf(delta[1])
		}},
	}
	var x []*mat.Dense
	for i := range g.Steps {
		s := &g.Steps[i]
		at := func(what string) string { return fmt.Sprintf("t=%d %s", s.T, what) }
		target.noise = recorded{g, s}
		theta := g.toOrder(s.Theta.Weights)
		x = []*mat.Dense{
			mat.NewDense(m, len(s.Z)/m, slices.Clone(s.Z)),
			mat.NewDense(m, len(theta)/m, theta),
		}
		g.compareStages(t, target, engine, s, x)

		score := []*mat.Dense{mat.DenseCopyOf(x[0]), mat.DenseCopyOf(x[1])}
		if err := target.Score(score, x, s.T); err != nil {
			t.Fatal(err)
		}
		gradZ := slices.Clone(s.GradZLogLikelihood)
		for k := range gradZ {
			gradZ[k] += s.GradZLogPrior[k]
		}
		compare(t, at("score of Z"), score[0].RawMatrix().Data, gradZ)
		compare(t, at("score of Θ"), score[1].RawMatrix().Data, g.toOrder(s.GradTheta.Weights))

		gram := mat.NewDense(m, m, nil)
		repulsion := []*mat.Dense{mat.DenseCopyOf(x[0]), mat.DenseCopyOf(x[1])}
		sampler.Kernel.Evaluate(gram, repulsion, x)
		compare(t, at("kernel"), gram.RawMatrix().Data, s.Kernel)

		if err := sampler.Run(context.Background(), x, s.T, s.T+1); err != nil {
			t.Fatal(err)
		}
		compare(t, at("φ of Z"), phi[0].RawMatrix().Data, s.PhiZ)
		compare(t, at("φ of Θ"), phi[1].RawMatrix().Data, g.toOrder(s.PhiTheta.Weights))
		compare(t, at("next Z"), x[0].RawMatrix().Data, s.ZNext)
		compare(t, at("next Θ"), x[1].RawMatrix().Data, g.toOrder(s.ThetaNext.Weights))
	}
	g.compareFinal(t, target, lik, x)
}

// spy hands the direction φ on before the optimiser turns it into an increment.
type spy struct {
	svgd.Optimizer
	see func(phi []*mat.Dense)
}

func (o spy) Update(delta []*mat.Dense, s *svgd.State, t int) error {
	o.see(delta)
	return o.Optimizer.Update(delta, s, t)
}

// compareStages checks what lies between the particles and their scores.
func (g *goldenFile) compareStages(t *testing.T, target *TOBAC, engine autograd.Engine, s *goldenStep, x []*mat.Dense) {
	t.Helper()
	e := target.expressions()
	gradLik, gradPrior := e.b.Grad(e.logLikelihood, e.z), e.b.Grad(e.logPrior, e.z)
	stages := []struct {
		what string
		node *autograd.Node
		want []float64
	}{
		{"edge probabilities", e.edgeProbs, g.toOrder(s.EdgeProbs)},
		{"soft graphs", e.softGraph, g.toOrder(s.GraphsZ)},
		{"hard graphs", e.hardGraph, g.toOrder(s.HardGraphs)},
		{"log joint of soft graphs", e.softTerms.Sum(), s.LogJointZSamples},
		{"log joint of hard graphs", e.hardTerms.Sum(), s.LogJointThetaSamples},
		{"gradient of the log likelihood", gradLik[0], s.GradZLogLikelihood},
		{"gradient of the log prior", gradPrior[0], s.GradZLogPrior},
	}
	inputs := []*autograd.Node{e.z, e.theta, e.alpha, e.soft, e.hard}
	var outputs []*autograd.Node
	var got [][]float64
	for _, st := range stages {
		outputs = append(outputs, st.node)
		got = append(got, make([]float64, len(st.want)))
	}
	run, err := autograd.NewEvaluator(inputs, outputs, autograd.Options{Engine: engine, CheckFinite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	noise := recorded{g, s}
	err = run.Eval(got, []autograd.Feed{
		{Data: x[0].RawMatrix().Data}, {Data: x[1].RawMatrix().Data}, {Data: []float64{target.Alpha(s.T)}},
		{Fill: func(dst []float64, i int) { noise.Fill(dst, SoftGraphs, s.T, i) }},
		{Fill: func(dst []float64, i int) { noise.Fill(dst, HardGraphs, s.T, i) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, st := range stages {
		compare(t, fmt.Sprintf("t=%d %s", s.T, st.what), got[i], st.want)
	}
}

// compareFinal checks the limit graphs and their log joint densities.
func (g *goldenFile) compareFinal(t *testing.T, target *TOBAC, lik Likelihood, x []*mat.Dense) {
	t.Helper()
	var graphs []*dag.Graph
	var adjacency []float64
	for i := range g.Particles {
		graph := target.Graph(x[0].RawRowView(i))
		graphs = append(graphs, graph)
		adjacency = append(adjacency, graph.Matrix().RawMatrix().Data...)
	}
	compare(t, "final graphs", adjacency, g.toOrder(g.FinalGraphs))
	prior, data, err := LogJoint(lik, graphs, x[1])
	if err != nil {
		t.Fatal(err)
	}
	top := math.Inf(-1)
	for i := range prior {
		prior[i] += data[i]
		top = math.Max(top, prior[i])
	}
	compare(t, "final log joint", prior, g.FinalLogJoint)
	sum := 0.0
	for _, v := range prior {
		sum += math.Exp(v - top)
	}
	for i := range prior {
		prior[i] -= top + math.Log(sum)
	}
	compare(t, "mixture log weights", prior, g.MixtureLogWeights)
}
