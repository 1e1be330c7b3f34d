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
	"tobac/internal/must"
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

// goldenParams holds the weights of the linear model or the arrays of the
// network.
type goldenParams struct {
	Weights array `json:"weights"`
	W1      array `json:"w1"`
	B1      array `json:"b1"`
	W2      array `json:"w2"`
	B2      array `json:"b2"`
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
	LogMarginalZSamples  array        `json:"log_marginal_z_samples"`
	AcyclicityNoise      array        `json:"acyclicity_noise"`
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
	BetaLinear     float64 `json:"beta_linear"`
	AlphaMu        float64 `json:"alpha_mu"`
	AlphaLambda    float64 `json:"alpha_lambda"`
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

// marginal reports whether the file has no parameters.
func (g *goldenFile) marginal() bool { return g.ObsNoiseVariance == 0 }

// params stacks the parameters of all particles in order coordinates, one row
// per particle.
func (g *goldenFile) params(p goldenParams) []float64 {
	if g.Hidden == 0 {
		return g.toOrder(p.Weights)
	}
	d, h := g.D, g.Hidden
	var out []float64
	for m := range g.Particles {
		for _, c := range g.Order {
			for _, i := range g.Order {
				out = append(out, p.W1[((m*d+c)*d+i)*h:][:h]...)
			}
		}
		for _, x := range []array{p.B1, p.W2} {
			for _, c := range g.Order {
				out = append(out, x[(m*d+c)*h:][:h]...)
			}
		}
		for _, c := range g.Order {
			out = append(out, p.B2[m*d+c])
		}
	}
	return out
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
	g, s := r.g, r.g.Samples
	emb := embedding{d: g.D, kind: g.embedding()}
	rows, scores := emb.rows(), emb.scoreCells()
	if purpose == penaltyGraphs {
		s = g.penaltySamples()
	}
	for e, cell := range emb.cells() {
		for sample := range s {
			k := particle*s + sample
			hard := func(graphs array) float64 { // 0 is below every probability, 1 above
				return 1 - graphs[k*g.D*g.D+g.position(cell/g.D, cell%g.D)]
			}
			soft := func(noise array) float64 {
				return 1 / (1 + math.Exp(-noise[k*rows*rows+scores[e]]))
			}
			u := &dst[e*s+sample]
			switch {
			case purpose == HardGraphs:
				*u = hard(r.step.HardGraphs)
			case purpose == penaltyGraphs:
				*u = soft(r.step.AcyclicityNoise)
			case g.Estimator == "score":
				*u = hard(r.step.GraphsZ)
			default:
				*u = soft(r.step.LogisticNoise)
			}
		}
	}
}

func (g *goldenFile) embedding() Embedding {
	if g.Method == "dibs" {
		return AllPairs
	}
	return OrderedPairs
}

// penaltySamples is the number of acyclicity samples.
func (g *goldenFile) penaltySamples() int {
	return len(g.Steps[0].AcyclicityNoise) / (g.Particles * g.D * g.D)
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
		text := must.Get(os.ReadFile(path))(t)
		var g goldenFile
		if err := json.Unmarshal(text, &g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if g.Steps == nil {
			continue // bge.json and metrics.json hold no steps
		}
		if g.Method == "dibs" { // there is no order: labels stay
			g.Order = seq(g.D)
		}
		for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference} {
			t.Run(fmt.Sprintf("%s/%v", g.Name, engine), func(t *testing.T) {
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
	var lik Likelihood
	var err error
	switch x := g.columns(g.X); {
	case g.marginal():
		lik, err = NewBGe(x, mask, BGeOptions{AlphaMu: g.AlphaMu, AlphaLambda: g.AlphaLambda})
	case g.Hidden > 0:
		lik, err = NewFeedForward(x, mask,
			FeedForwardOptions{NoiseVariance: g.ObsNoiseVariance, Hidden: []int{g.Hidden}})
	default:
		lik, err = NewLinear(x, mask, LinearOptions{NoiseVariance: g.ObsNoiseVariance})
	}
	if err != nil {
		t.Fatal(err)
	}
	var prior GraphPrior = ErdosRenyi(g.GraphPrior.EdgeProbability)
	switch g.GraphPrior.Kind {
	case "er":
	case "sf":
		prior = ScaleFree()
	case "uniform":
		prior = UniformPrior()
	default:
		t.Fatalf("graph prior %q, want er, sf or uniform", g.GraphPrior.Kind)
	}
	gradient := Reparameterised
	if g.Estimator == "score" {
		gradient = ScoreFunction
	}
	target := must.Get(NewTOBAC(lik, TOBACConfig{
		Particles: g.Particles, Samples: g.Samples, Rank: g.Rank, AlphaRate: g.AlphaLinear,
		Tau:       g.Tau,
		Estimator: Joint, Gradient: gradient, Embedding: g.embedding(), Prior: prior,
		Penalty: Penalty{Rate: g.BetaLinear, Samples: g.penaltySamples()},
		Noise:   recorded{g, &g.Steps[0]}, Options: Options{Engine: engine, Workers: 2},
	}))(t)
	t.Cleanup(target.Close)
	return target, lik
}

// run compares every recorded stage of every step, each from recorded inputs.
func (g *goldenFile) run(t *testing.T, engine autograd.Engine) {
	target, lik := g.target(t, engine)
	m := g.Particles
	var phi []*mat.Dense
	kernel := svgd.Additive{Bandwidths: []float64{g.BandwidthZ, g.BandwidthTheta}[:target.blocks()]}
	sampler := &svgd.Sampler{
		Target: target,
		Kernel: kernel,
		Optimizer: spy{svgd.RMSProp{StepSize: g.RMSProp.StepSize, Decay: g.RMSProp.Gamma,
			Epsilon: g.RMSProp.Epsilon}, func(delta []*mat.Dense) {
			phi = copyBlocks(delta)
		}},
	}
	// stack is the list of blocks of Z and, if there is one, of Θ.
	stack := func(z array, theta goldenParams) []*mat.Dense {
		x := []*mat.Dense{mat.NewDense(m, len(z)/m, slices.Clone(z))}
		if !g.marginal() {
			p := g.params(theta)
			x = append(x, mat.NewDense(m, len(p)/m, p))
		}
		return x
	}
	var x []*mat.Dense
	for i := range g.Steps {
		s := &g.Steps[i]
		same := func(what string, got, want []*mat.Dense) {
			t.Helper()
			for b := range want {
				compare(t, fmt.Sprintf("t=%d %s, block %d", s.T, what, b), got[b].RawMatrix().Data,
					want[b].RawMatrix().Data)
			}
		}
		target.noise = recorded{g, s}
		x = stack(s.Z, s.Theta)
		g.compareStages(t, target, engine, s, x)

		score := copyBlocks(x)
		must.Do(t, target.Score(score, x, s.T))
		gradZ := slices.Clone(s.GradZLogLikelihood)
		for k := range gradZ {
			gradZ[k] += s.GradZLogPrior[k]
		}
		same("score", score, stack(gradZ, s.GradTheta))

		gram := mat.NewDense(m, m, nil)
		kernel.Evaluate(gram, copyBlocks(x), x)
		compare(t, fmt.Sprintf("t=%d kernel", s.T), gram.RawMatrix().Data, s.Kernel)

		must.Do(t, sampler.Run(context.Background(), x, s.T, s.T+1))
		same("φ", phi, stack(s.PhiZ, s.PhiTheta))
		same("next particles", x, stack(s.ZNext, s.ThetaNext))
	}
	g.compareFinal(t, target, lik, x)
}

func copyBlocks(x []*mat.Dense) []*mat.Dense {
	y := make([]*mat.Dense, len(x))
	for b := range x {
		y[b] = mat.DenseCopyOf(x[b])
	}
	return y
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
func (g *goldenFile) compareStages(t *testing.T, target *TOBAC, engine autograd.Engine,
	s *goldenStep, x []*mat.Dense) {
	t.Helper()
	e := target.expressions()
	type stage struct {
		what string
		node *autograd.Node
		want []float64
	}
	samples := s.LogJointZSamples
	if g.marginal() {
		samples = s.LogMarginalZSamples
	}
	stages := []stage{
		{"edge probabilities", e.edgeProbs, g.toOrder(s.EdgeProbs)},
		{"graphs for Z", e.softGraph, g.toOrder(s.GraphsZ)},
		{"log joint of graphs for Z", e.softTerms.Sum(), samples},
		{"gradient of the log likelihood", e.b.Grad(e.logLikelihood, e.z)[0], s.GradZLogLikelihood},
	}
	if target.penalty == nil {
		stages = append(stages,
			stage{"gradient of the log prior", e.b.Grad(e.logPrior, e.z)[0], s.GradZLogPrior})
	}
	if !g.marginal() {
		stages = append(stages,
			stage{"graphs for Θ", e.hardGraph, g.toOrder(s.HardGraphs)},
			stage{"log joint of graphs for Θ", e.hardTerms.Sum(), s.LogJointThetaSamples})
	}
	var outputs []*autograd.Node
	var got [][]float64
	for _, st := range stages {
		outputs = append(outputs, st.node)
		got = append(got, make([]float64, len(st.want)))
	}
	run := must.Get(autograd.NewEvaluator(e.inputs(), outputs,
		autograd.Options{Engine: engine, CheckFinite: true}))(t)
	defer run.Close()
	var src []autograd.Feed
	for _, block := range x {
		src = append(src, autograd.Feed{Data: block.RawMatrix().Data})
	}
	target.alpha[0] = target.alphaAt(s.T)
	must.Do(t, run.Eval(got, append(src, target.feeds(e)...)))
	for i, st := range stages {
		compare(t, fmt.Sprintf("t=%d %s", s.T, st.what), got[i], st.want)
	}
}

// compareFinal checks the limit graphs and their log joint densities.
func (g *goldenFile) compareFinal(t *testing.T, target *TOBAC, lik Likelihood, x []*mat.Dense) {
	t.Helper()
	if g.FinalGraphs == nil {
		return // marginal models record the steps only
	}
	var graphs []*dag.Graph
	var adjacency []float64
	for i := range g.Particles {
		graph := target.HardGraph(x[0].RawRowView(i))
		graphs = append(graphs, graph)
		adjacency = append(adjacency, graph.Matrix().RawMatrix().Data...)
	}
	compare(t, "final graphs", adjacency, g.toOrder(g.FinalGraphs))
	prior, data := must.Two(LogJoint(lik, graphs, x[1]))(t)
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

// TestGoldenBGe compares the score of hard graphs, with and without
// interventions, and of soft graphs with its gradient.
func TestGoldenBGe(t *testing.T) {
	for _, path := range goldenFiles(t) {
		text := must.Get(os.ReadFile(path))(t)
		var g struct {
			D           int     `json:"d"`
			N           int     `json:"n"`
			X           array   `json:"x"`
			Intervened  array   `json:"intervened"`
			AlphaMu     float64 `json:"alpha_mu"`
			AlphaLambda float64 `json:"alpha_lambda"`
			Graphs      []struct {
				Adjacency             array   `json:"adjacency"`
				LogMarginal           float64 `json:"log_marginal"`
				LogMarginalIntervened float64 `json:"log_marginal_intervened"`
			} `json:"graphs"`
			Soft []struct {
				Adjacency   array   `json:"adjacency"`
				LogMarginal float64 `json:"log_marginal"`
				Grad        array   `json:"grad"`
			} `json:"soft"`
		}
		if json.Unmarshal(text, &g) != nil || g.Soft == nil {
			continue
		}
		opt := BGeOptions{AlphaMu: g.AlphaMu, AlphaLambda: g.AlphaLambda}
		x := mat.NewDense(g.N, g.D, g.X)
		plain := must.Get(NewBGe(x, nil, opt))(t)
		masked := must.Get(NewBGe(x, mat.NewDense(g.N, g.D, g.Intervened), opt))(t)
		for _, engine := range []autograd.Engine{autograd.Compiled, autograd.Reference} {
			for i, h := range g.Graphs {
				value, _ := scoreAndGradient(t, plain, h.Adjacency, engine)
				compare(t, fmt.Sprintf("%v engine, graph %d", engine, i), []float64{value},
					[]float64{h.LogMarginal})
				value, _ = scoreAndGradient(t, masked, h.Adjacency, engine)
				compare(t, fmt.Sprintf("%v engine, graph %d with interventions", engine, i),
					[]float64{value}, []float64{h.LogMarginalIntervened})
			}
			for i, s := range g.Soft {
				value, grad := scoreAndGradient(t, plain, s.Adjacency, engine)
				compare(t, fmt.Sprintf("%v engine, soft graph %d", engine, i), []float64{value},
					[]float64{s.LogMarginal})
				compare(t, fmt.Sprintf("%v engine, gradient at soft graph %d", engine, i), grad,
					s.Grad)
			}
		}
	}
}

// scoreAndGradient evaluates a likelihood without parameters at one adjacency.
func scoreAndGradient(t *testing.T, lik Likelihood, adjacency []float64,
	engine autograd.Engine) (value float64, grad []float64) {
	t.Helper()
	b := autograd.NewBuilder("score")
	g := b.Input("g", autograd.Shape{lik.Vars(), lik.Vars()})
	_, data := lik.Terms(g, nil)
	y := data.Sum()
	run := must.Get(autograd.NewEvaluator([]*autograd.Node{g}, append(b.Grad(y, g), y),
		autograd.Options{Engine: engine}))(t)
	defer run.Close()
	grad = make([]float64, len(adjacency))
	v := make([]float64, 1)
	must.Do(t, run.Eval([][]float64{grad, v}, []autograd.Feed{{Data: adjacency}}))
	return v[0], grad
}
