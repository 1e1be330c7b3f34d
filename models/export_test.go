package models

import (
	"fmt"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Stages are the quantities between the particles and their scores, for M
// particles and S samples.
type Stages struct {
	EdgeProbs            []float64 // M×d×d
	SoftGraphs           []float64 // M×S×d×d
	HardGraphs           []float64 // M×S×d×d
	SoftTerms, HardTerms []float64 // M×S×d: L_j
	SoftEstimate         []float64 // M: estimate of log E[exp L] over soft graphs
	HardEstimate         []float64 // M: the same over hard graphs
	LogPrior             []float64 // M: log p(Z)
}

// Stages evaluates the target's own expressions at particles x.
func (t *TOBAC) Stages(x []*mat.Dense, step int) (*Stages, error) {
	e, s := t.expressions(), new(Stages)
	err := t.evaluate(e, x, step, map[*autograd.Node]*[]float64{
		e.edgeProbs: &s.EdgeProbs,
		e.softGraph: &s.SoftGraphs, e.hardGraph: &s.HardGraphs,
		e.softTerms: &s.SoftTerms, e.hardTerms: &s.HardTerms,
		e.logLikelihood: &s.SoftEstimate, e.objectiveTheta: &s.HardEstimate,
		e.logPrior: &s.LogPrior,
	})
	return s, err
}

// HardEstimate evaluates the estimate of log E[exp L] over hard graphs alone.
func (t *TOBAC) HardEstimate(x []*mat.Dense, step int) (estimate []float64, err error) {
	e := t.expressions()
	err = t.evaluate(e, x, step, map[*autograd.Node]*[]float64{e.objectiveTheta: &estimate})
	return estimate, err
}

func (t *TOBAC) evaluate(e *expressions, x []*mat.Dense, step int,
	dst map[*autograd.Node]*[]float64) error {
	var outputs []*autograd.Node
	var values [][]float64
	for n, p := range dst {
		lanes := 1
		for _, a := range n.Axes() {
			lanes *= a.Size()
		}
		*p = make([]float64, lanes*n.Shape().Len())
		outputs, values = append(outputs, n), append(values, *p)
	}
	run, err := autograd.NewEvaluator(e.inputs(), outputs, autograd.Options{})
	if err != nil {
		return err
	}
	defer run.Close()
	return run.Eval(values, []autograd.Feed{
		{Data: x[0].RawMatrix().Data}, {Data: x[1].RawMatrix().Data},
		{Data: []float64{t.alphaAt(step)}},
		{Fill: func(dst []float64, i int) { t.noise.Fill(dst, SoftGraphs, step, i) }},
		{Fill: func(dst []float64, i int) { t.noise.Fill(dst, HardGraphs, step, i) }},
	})
}

// NoisePoints are the points of the sum over the noise variances of variable j, and the logarithms
// of their weights.
func (v *integratedNetwork) NoisePoints(j int) (variances, logWeights []float64) {
	return v.nodes[j].variances, v.nodes[j].logWeights
}

// Graphs are the graphs of all particles, [TOBAC.HardGraph] of every row of the block
// Z.
func (t *TOBAC) Graphs(z *mat.Dense) []*dag.Graph {
	m, _ := z.Dims()
	graphs := make([]*dag.Graph, m)
	for i := range graphs {
		graphs[i] = t.HardGraph(z.RawRowView(i))
	}
	return graphs
}

// HeldOut is log p(D_ho|G_m, Θ_m, D) of other rows, as [NewIntegratedNetwork] takes them, for every
// graph with its row of parameters: the evidence of both tables less that of the data, with the
// last layer integrated over its posterior.
func (v *integratedNetwork) HeldOut(x, intervened mat.Matrix, graphs []*dag.Graph,
	theta *mat.Dense) ([]float64, error) {
	n, d := x.Dims()
	own, _ := v.net.x.Dims()
	if d != v.net.d {
		return nil, fmt.Errorf("models: held-out rows of %d variables, want %d", d, v.net.d)
	}
	both, mask := mat.NewDense(own+n, d, nil), mat.NewDense(own+n, d, nil)
	both.Slice(0, own, 0, d).(*mat.Dense).Copy(v.net.x)
	both.Slice(own, own+n, 0, d).(*mat.Dense).Copy(x)
	if intervened != nil {
		mask.Slice(own, own+n, 0, d).(*mat.Dense).Copy(intervened)
	}
	if v.net.rows != nil {
		for j, rows := range v.net.rows {
			for i := range own {
				mask.Set(i, j, 1)
			}
			for _, i := range rows {
				mask.Set(i, j, 0)
			}
		}
	}
	joint, err := NewIntegratedNetwork(both, mask, v.net.opt)
	if err != nil {
		return nil, err
	}
	_, after, err := LogJoint(joint, graphs, theta)
	if err != nil {
		return nil, err
	}
	_, before, err := LogJoint(v, graphs, theta)
	if err != nil {
		return nil, err
	}
	floats.Sub(after, before)
	return after, nil
}

func (t *TOBAC) Alpha(step int) float64 { return t.alphaAt(step) }

// SeededNoise is the noise of a [TOBAC] whose settings hold this seed and no Noise.
func SeededNoise(seed uint64) Noise { return seeded(seed) }

// NewIntegrated is [NewIntegratedNetwork] with the powers of its likelihood.
func NewIntegrated(x, intervened mat.Matrix, opt FeedForwardOptions) (IntegratedNetwork, error) {
	lik, err := NewIntegratedNetwork(x, intervened, opt)
	if err != nil {
		return nil, err
	}
	return lik.(IntegratedNetwork), nil
}

// An IntegratedNetwork is the likelihood of [NewIntegratedNetwork] with its powers.
type IntegratedNetwork interface {
	Likelihood
	Flippable
	Complete(graphs []*dag.Graph, theta *mat.Dense, rng func(m int) *rand.Rand) (*mat.Dense, error)
	NoisePoints(j int) (variances, logWeights []float64)
	HeldOut(x, intervened mat.Matrix, graphs []*dag.Graph, theta *mat.Dense) ([]float64, error)
}
