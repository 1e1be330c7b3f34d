package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/engine/stein"
	"tobac/internal/drawn"
	"tobac/internal/stream"
	"tobac/metrics"
	"tobac/ordering"
	"tobac/posterior"
	"tobac/sem"
)

// Fit infers the posterior of a problem. All random numbers come from the seed. order is the causal
// order that was taken as known, nil if there was none.
func (m Method) Fit(ctx context.Context, p *Problem, seed uint64) (f *Fitted, order []int,
	err error) {
	if order, err = m.order(ctx, p, seed); err != nil {
		return nil, nil, err
	}
	switch m.Kind {
	case FitKind:
		f, err = m.fit(ctx, p, order, seed)
	case EmptyKind:
		f, err = pointMass(p, dag.New(p.Truth.Len()), &posterior.Equations{
			Weights:        mat.NewDense(p.Truth.Len(), p.Truth.Len(), nil),
			NoiseVariances: repeated(m.NoiseVariance, p.Truth.Len()),
		}, m.NoiseVariance)
	case StepwiseKind:
		if order == nil {
			return nil, nil, fmt.Errorf("study: the method %q needs an order", m.Kind)
		}
		g, equations := stepwise(p.Train.X, order)
		f, err = pointMass(p, g, equations, m.NoiseVariance)
	default:
		return nil, nil, fmt.Errorf("study: unknown method %q", m.Kind)
	}
	return f, order, err
}

// order is the causal order that the method takes as known.
func (m Method) order(ctx context.Context, p *Problem, seed uint64) ([]int, error) {
	switch m.Order {
	case NoOrder:
		return nil, nil
	case TrueOrder:
		return p.Truth.TopologicalOrder()
	case RandomOrder:
		return stream.New(seed, stream.RandomOrder).Perm(p.Truth.Len()), nil
	}
	name := m.Order
	if name == releasedNPVar {
		name = By(ordering.MethodVariance)
	}
	var by ordering.Method
	if err := by.UnmarshalText([]byte(name)); err != nil {
		return nil, err
	}
	found, err := by.Order(ctx, p.Train.X, nil, 1)
	if err != nil {
		return nil, ordering.WithNames(err, p.Train.Names)
	}
	if m.Order == releasedNPVar {
		slices.Sort(found.Order[1:])
	}
	return found.Order, nil
}

func (m Method) fit(ctx context.Context, p *Problem, order []int, seed uint64) (*Fitted, error) {
	cfg, err := m.Config()
	if err != nil {
		return nil, err
	}
	cfg.Seed, cfg.Order.Known = seed, order
	run, err := tobac.NewRun(ctx, p.Train, cfg)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	f := &Fitted{}
	steps := run.Steps()
	// Under several orders there are no particles of all before the end, and what is reweighted
	// takes long and says little of the particles.
	curve := false
	switch e := cfg.Engine.(type) {
	case *stein.SVGD:
		curve = order != nil && e.Marginals != stein.ReweightedMarginals && steps >= curvePoints
	case *stein.DiBS:
		curve = steps >= curvePoints
	}
	for k := 1; curve && k <= curvePoints; k++ {
		if err := f.advance(ctx, run, steps*k/curvePoints, p); err != nil {
			return nil, err
		}
	}
	if err := run.Advance(ctx, steps); err != nil {
		return nil, err
	}
	res, err := run.Result(ctx)
	if err != nil {
		return nil, err
	}
	f.Posterior = res.Posterior
	f.HeldOut, err = heldOut(res, p)
	return f, err
}

// curvePoints is the number of steps at which particles are judged on their way, the last one
// included.
const curvePoints = 10

// advance takes a run to a step, and judges the particles there.
func (f *Fitted) advance(ctx context.Context, run *tobac.Run, to int, p *Problem) error {
	if err := run.Advance(ctx, to); err != nil {
		return err
	}
	res, err := run.Result(ctx)
	if err != nil {
		return err
	}
	r, err := metrics.Evaluate(res.Posterior.Empirical(), p.Truth, nil)
	if err != nil {
		return err
	}
	f.Curve = append(f.Curve, Point{Step: to, ESHD: r.ESHD, AUROC: r.AUROCWithDiagonal})
	return nil
}

// heldOut is the density of the held-out rows, in the units of the data, under every draw; nil if
// the problem has no such rows, or the draws no density. A density of parameters that is not known
// is 0, and judged as unknown.
func heldOut(res *tobac.Result, p *Problem) (*metrics.HeldOut, error) {
	if p.Heldout == nil || len(res.Draws) == 0 {
		return nil, nil
	}
	if _, differentiable := sem.As[sem.Differentiable](res.Config.Model); !differentiable &&
		res.Draws[0].Equations == nil {
		return nil, nil
	}
	prior, data, err := drawn.LogDensity(res.Posterior, res.Config.Model, p.Heldout)
	if err != nil {
		return nil, err
	}
	scale := 0.0
	if s := res.Standardization; s != nil {
		rows, _ := p.Heldout.X.Dims()
		for _, sd := range s.SD {
			scale += float64(rows) * math.Log(sd)
		}
	}
	for m := range data {
		data[m] -= scale
		if math.IsNaN(prior[m]) {
			prior[m] = 0
		}
	}
	return metrics.NewHeldOut(prior, data), nil
}

// pointMass is the posterior of a single graph. The density of its weights is that of the published
// model, N(0, 1) each.
func pointMass(p *Problem, g *dag.Graph, equations *posterior.Equations,
	noiseVariance float64) (*Fitted, error) {
	d := g.Len()
	prior := 0.0
	for _, e := range g.Edges() {
		w := equations.Weights.At(e.From, e.To)
		prior -= 0.5 * (w*w + math.Log(2*math.Pi))
	}
	empty := &posterior.Equations{Weights: mat.NewDense(d, d, nil),
		NoiseVariances: repeated(noiseVariance, d)}
	f := &Fitted{Posterior: &posterior.Posterior{
		Names: p.Train.Names, Kind: posterior.Draws,
		Marginals: posterior.Marginals{Probabilities: g.Matrix()},
		Draws: []posterior.Draw{{Graph: g, Equations: equations, LogPrior: prior,
			LogLikelihood: equations.LogDensity(p.Train.X, p.Train.Mask())}},
		Components: []posterior.Component{{Draws: 1, Weight: 1, LogEvidence: math.NaN(),
			Empty: empty}},
	}}
	if p.Heldout == nil {
		return f, nil
	}
	logPrior, likelihood, err := drawn.LogDensity(f.Posterior, nil, p.Heldout)
	if err != nil {
		return nil, err
	}
	f.HeldOut = metrics.NewHeldOut(logPrior, likelihood)
	return f, nil
}

func repeated(v float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = v
	}
	return all
}
