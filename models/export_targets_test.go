package models

import "tobac/autograd"

// Acyclicity builds h(G).
func Acyclicity(g *autograd.Node) *autograd.Node { return acyclicity(g) }

// An Objective is an expression of a target with the values of its inputs at
// particles x and a step.
type Objective struct {
	Y      *autograd.Node   // of one particle
	Blocks []*autograd.Node // inputs of the particles
	Fixed  []*autograd.Node // inputs for temperature and noise
	Values [][]float64      // of Fixed, in the layout of autograd.Feed.Data
}

// Objectives are the expressions whose gradients make up the score: of Z, of Θ
// if there are parameters, and of Z once more, the acyclicity penalty, if there
// is one.
func (t *TOBAC) Objectives(step int) []Objective {
	e := t.expressions()
	alpha := []float64{t.alphaAt(step)}
	soft := t.dense(SoftGraphs, t.cfg.Samples, step)
	z := Objective{Y: e.objectiveZ, Blocks: []*autograd.Node{e.z},
		Fixed: []*autograd.Node{e.alpha, e.soft}, Values: [][]float64{alpha, soft}}
	out := []Objective{z}
	if e.theta != nil {
		out[0].Blocks = append(out[0].Blocks, e.theta)
		hard := t.dense(HardGraphs, t.cfg.Samples, step)
		out = append(out, Objective{
			Y: e.objectiveTheta, Blocks: []*autograd.Node{e.z, e.theta},
			Fixed: []*autograd.Node{e.alpha, e.hard}, Values: [][]float64{alpha, hard},
		})
	}
	if t.penalty != nil {
		pz, inputs, y := t.penaltyExpression()
		beta := []float64{t.cfg.Penalty.Rate * float64(step)}
		out = append(out, Objective{
			Y: y, Blocks: []*autograd.Node{pz}, Fixed: inputs[1:],
			Values: [][]float64{alpha, beta, t.dense(penaltyGraphs, t.cfg.Penalty.Samples, step)},
		})
	}
	return out
}

// dense is the noise of all particles in the layout of autograd.Feed.Data.
func (t *TOBAC) dense(purpose Purpose, samples, step int) []float64 {
	pairs := t.emb.pairs()
	out := make([]float64, 0, t.cfg.Particles*samples*pairs)
	buf := make([]float64, pairs*samples)
	for i := range t.cfg.Particles {
		t.noise.Fill(buf, purpose, step, i)
		for s := range samples {
			for e := range pairs {
				out = append(out, buf[e*samples+s])
			}
		}
	}
	return out
}

// Samples are the graphs for Z with what the estimators make of them, for M
// particles and S samples.
type Samples struct {
	EdgeProbs []float64 // M×d×d
	Graphs    []float64 // M×S×d×d
	Terms     []float64 // M×S×d: L_j
}

// Samples evaluates the graphs for Z at particles x. It serves likelihoods
// without parameters too.
func (t *TOBAC) Samples(x [][]float64, step int) (*Samples, error) {
	e, s := t.expressions(), new(Samples)
	outputs := []*autograd.Node{e.edgeProbs, e.softGraph, e.softTerms}
	var dst [][]float64
	for i, p := range []*[]float64{&s.EdgeProbs, &s.Graphs, &s.Terms} {
		n := outputs[i].Shape().Len()
		for _, a := range outputs[i].Axes() {
			n *= a.Size()
		}
		*p = make([]float64, n)
		dst = append(dst, *p)
	}
	run, err := autograd.NewEvaluator(e.inputs(), outputs, autograd.Options{})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	t.step, t.alpha[0] = step, t.alphaAt(step)
	var src []autograd.Feed
	for _, block := range x {
		src = append(src, autograd.Feed{Data: block})
	}
	return s, run.Eval(dst, append(src, t.feeds(e)...))
}

// PenaltyGraphsAt evaluates the soft graphs of the penalty, M×S×d×d, at latents z.
func (t *TOBAC) PenaltyGraphsAt(z []float64, step int) ([]float64, error) {
	zn, inputs, _ := t.penaltyExpression()
	g := t.emb.graph(softSample(t.emb.scores(zn).Mul(inputs[1]), inputs[3], t.cfg.Tau))
	run, err := autograd.NewEvaluator(inputs, []*autograd.Node{g}, autograd.Options{})
	if err != nil {
		return nil, err
	}
	defer run.Close()
	d := t.lik.Vars()
	out := make([]float64, t.cfg.Particles*t.cfg.Penalty.Samples*d*d)
	return out, run.Eval([][]float64{out}, []autograd.Feed{
		{Data: z}, {Data: []float64{t.alphaAt(step)}},
		{Data: []float64{t.cfg.Penalty.Rate * float64(step)}},
		{Data: t.dense(penaltyGraphs, t.cfg.Penalty.Samples, step)},
	})
}
