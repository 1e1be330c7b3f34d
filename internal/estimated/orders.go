package estimated

import (
	"context"
	"math"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
	"tobac/internal/refinement"
	"tobac/internal/scoring"
	"tobac/internal/smooth"
	"tobac/internal/stream"
	"tobac/internal/trust"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/stat"
)

// Chained prepares chains over the graphs of a table.
func Chained(ctx context.Context, p *engine.Problem, graphs *Graphs,
	chains *graphchains.Settings) (*networkChains, error) {
	s, err := graphchains.Settle(ctx, p.Data, []sem.Scored{graphs.Scored()}, p, chains,
		trust.WholeTrust)
	if err != nil {
		return nil, err
	}
	c, err := graphchains.New(ctx, p.Data, s, p, chains)
	return &networkChains{Chains: c, problem: p, settings: chains, graphs: graphs}, err
}

// Summed is the posterior over all orders under estimated evidences.
func Summed(ctx context.Context, p *engine.Problem, graphs *Graphs) (*inference.Inference, error) {
	inf, err := inference.Infer(ctx, p.Data, []sem.Scored{graphs.Scored()}, p, trust.WholeTrust)
	if err != nil {
		return nil, err
	}
	if err := graphs.equip(ctx, inf, p.Data); err != nil {
		return nil, err
	}
	inf.Method = "tempering, " + inf.Sum
	inf.Doubted = graphs.refuted(p, inf.Posterior)
	return inf, nil
}

// refuted reports whether the noise of the most probable of the drawn graphs refutes networks.
func (g *Graphs) refuted(p *engine.Problem, of *posterior.Posterior) bool {
	e, ok := g.table.estimates.(*Estimates)
	if !ok {
		return false
	}
	best, highest := of.Draws[0].Graph, math.Inf(-1)
	for _, d := range of.Draws {
		sum := 0.0
		for j := range d.Graph.Len() {
			sum += g.table.logDensity(nodescore.Family{Of: j, Set: d.Graph.Parents(j)})
		}
		if sum > highest {
			best, highest = d.Graph, sum
		}
	}
	return trust.Refuted(p.Data, best, fitted{g.table.pool, e}, p.Seed)
}

// fitted are the scores of a table with the residuals of its networks.
type fitted struct {
	*nodescore.Pool
	*Estimates
}

// Settle estimates the evidences of networks that matter. The table of them begins with the scores
// of a hypothesis, whose posterior says what matters; nil means those of Gaussian processes.
func Settle(
	ctx context.Context, p *engine.Problem, asked sem.Network, chains *graphchains.Settings,
	start *sem.Hypothesis,
) (*Graphs, error) {
	var first firstTable
	var err error
	if start != nil {
		first, err = startedTable(ctx, p, start, chains)
	} else {
		first, err = gaussianTable(ctx, p, asked, chains)
	}
	if err != nil {
		return nil, err
	}
	g, err := first.networks(p, asked)
	if err != nil {
		return nil, err
	}
	if raw, ok, err := g.asTheyAre(ctx, p, asked, first); err != nil || ok {
		return raw, err
	}
	say := func(text string) { p.Doing(name, text) }
	if err := g.table.settle(ctx, say); err != nil || start == nil || start.NoiseVariance != 0 {
		return g, err
	}
	// Equations that are fitted badly look as if each had a noise variance of its own.
	other, ok, err := commonTable(ctx, p, chains)
	if err != nil || !ok || other.behind(first) {
		return g, err
	}
	h, err := other.networks(p, asked)
	if err != nil {
		return nil, err
	}
	err = h.table.settle(ctx, say)
	if err == nil && h.logEvidence() > g.logEvidence() {
		g = h
	}
	return g, err
}

// networks has no estimates of the evidences of networks yet, of which the first table says what
// matters.
func (t firstTable) networks(p *engine.Problem, asked sem.Network) (*Graphs, error) {
	model := asked.Inferred(t.noise, t.raw)
	_, scaling := model.Sampled(false)
	if t.raw {
		scaling = sem.Centred // and not by their means
	}
	scale, err := problems.Scale(p, scaling)
	if err != nil {
		return nil, err
	}
	var units []float64 // nil means those of the data
	if scale != nil {
		if t.unit != 1 {
			scale.SD = slices.Repeat([]float64{t.unit}, len(scale.SD))
		}
		if units = scale.SD; t.raw {
			scale.Mean = make([]float64, len(units))
		}
	}
	data := drawn.OnScale(p.Data, scale)
	cfg := ChainSettings(model, stream.Seed(p.Seed, stream.PosteriorPart, 0), p.Workers)
	if t.estimates, err = NewEstimates(model, data, cfg); err != nil {
		return nil, err
	}
	t.constant = drawn.UnitConstants(data, units)
	return &Graphs{table: t.table, Model: model, noise: t.noise,
		estimated: t.noise != asked.Noise(), unit: t.unit, logWeight: t.logWeight,
		Scale: scale}, nil
}

// leastRaw is by how many nats columns as they are have to be better than columns less their means:
// 0 means nothing in many tables. With more than twelve variables the sets of parents that matter
// may be missed, whichever table they come from.
func leastRaw(d int) float64 {
	if d <= refinement.MixedVariables {
		return 3
	}
	return 5 * float64(d)
}

// asTheyAre are networks of columns that are not shifted, settled, if on the most probable graph of
// their first table they have clearly more evidence than g has on its own, and Gaussian processes
// as well. These say what their noise variance is.
func (g *Graphs) asTheyAre(ctx context.Context, p *engine.Problem, asked sem.Network,
	first firstTable) (raw *Graphs, ok bool, err error) {
	_, d := p.Data.X.Dims()
	if first.raw || asked.Noise() != 0 || d > exact.Affordable ||
		inspect.NoCommonUnit(p.Data) != "" {
		return nil, false, nil
	}
	both, err := nodescore.NewInOneUnit(p.Data.X, p.Data.Mask(), gaussianOptions(p))
	if err != nil {
		return nil, false, err
	}
	graph, err := first.graphs.best(ctx)
	if err != nil {
		return nil, false, err
	}
	if _, ahead, err := both.On(ctx, graph, 0); err != nil || ahead < leastRaw(1) {
		return nil, false, err
	}
	p.Doing(name, "scoring sets of parents by Gaussian processes of columns as they are")
	t, err := first.withOneVariance(ctx, both, leastRaw(1))
	if err != nil {
		return nil, false, err
	}
	if raw, err = t.networks(p, asked); err != nil {
		return nil, false, err
	}
	own, err := g.onBest(ctx)
	if err != nil {
		return nil, false, err
	}
	other, err := raw.onBest(ctx)
	if err != nil || other < own+leastRaw(d) {
		return nil, false, err
	}
	return raw, true, raw.table.settle(ctx, func(text string) { p.Doing(name, text) })
}

// onBest is the log evidence of networks, with their prior, on the most probable graph of a table.
func (g *Graphs) onBest(ctx context.Context) (float64, error) {
	t := g.table
	best, err := t.graphs.best(ctx)
	if err != nil {
		return 0, err
	}
	if err := t.estimates.estimate(ctx, missing(t.estimates, []*dag.Graph{best}),
		t.estimates.precisions()[1].points, 1); err != nil {
		return 0, err
	}
	t.fill()
	sum := g.logWeight
	for j := range best.Len() {
		sum += t.logDensity(nodescore.Family{Of: j, Set: best.Parents(j)})
	}
	return sum, nil
}

// A firstTable is one that evidences of networks begin with.
type firstTable struct {
	*table
	noise     float64 // variance of all equations; 0 means one for each
	unit      float64 // by which columns are divided if noise is of such; else 1
	logWeight float64 // what the estimation of noise costs, in nats
	first     float64 // log evidence of the scores that it begins with
	raw       bool    // networks get columns that are divided by the unit and not shifted
}

// startedTable is the table of the scores of a hypothesis, for networks that leave their noise
// variance open.
func startedTable(
	ctx context.Context, p *engine.Problem, start *sem.Hypothesis, chains *graphchains.Settings,
) (t firstTable, err error) {
	n, d := p.Data.X.Dims()
	prior, err := tablePrior(p, d)
	if err != nil {
		return t, err
	}
	p.Doing(name, "taking sets of parents from the scores of the model")
	t.unit = 1
	if t.table,
		err = newNetworkTable(ctx, start.Scores, prior, chains.Options(p, 0)); err != nil {
		return t, err
	}
	if t.first = t.graphs.logEvidence(); start.NoiseVariance == 0 {
		return t, nil
	}
	_, sd := p.Data.ObservedMoments()
	t.unit, t.raw = stat.GeometricMean(sd, nil), start.Raw
	t.noise = rounded(start.NoiseVariance / (t.unit * t.unit))
	_, weights := scoring.RelativeNoise.Grid(t.noise, n*d, 1)
	t.logWeight = weights[0]
	return t, nil
}

// Of networks with one noise variance beside a hypothesis with one for each equation.
const (
	// times the least variance: of the columns that vary little enough to be noise alone
	likeRoots = 1.5
	// variance of the weights of the smooth equations that their table begins with
	commonEdge  = 1
	hopelessOne = 15 // nats for each variable by which that table may be behind
)

// commonTable is the table of smooth equations with one noise variance, that of the columns that
// vary least: where noise variances are equal, those without parents do. It is none of more
// variables than are summed over, of columns without a unit in common, and where one column alone
// varies so little.
func commonTable(ctx context.Context, p *engine.Problem,
	chains *graphchains.Settings) (t firstTable, ok bool, err error) {
	_, d := p.Data.X.Dims()
	if d > exact.Affordable || inspect.NoCommonUnit(p.Data) != "" {
		return t, false, nil
	}
	_, sd := p.Data.ObservedMoments()
	least, sum, roots := slices.Min(sd), 0.0, 0
	for _, v := range sd {
		if v *= v; v <= likeRoots*least*least {
			sum, roots = sum+v, roots+1
		}
	}
	if roots < 2 || roots == d {
		return t, false, nil
	}
	noise := sum / float64(roots)
	data, err := smooth.New(p.Data.X, p.Data.Mask())
	if err != nil {
		return t, false, err
	}
	s, err := data.Common(noise, commonEdge)
	if err == nil {
		err = s.Prepare(ctx, min(2, d-1), p.Workers)
	}
	if err != nil {
		return t, false, err
	}
	t, err = startedTable(ctx, p, &sem.Hypothesis{Scores: s, NoiseVariance: noise, InUnits: true},
		chains)
	return t, true, err
}

// behind reports whether a first table is hopelessly behind another.
func (t firstTable) behind(other firstTable) bool {
	most := hopelessOne * float64(t.guess.Vars())
	return t.first+t.logWeight < other.first+other.logWeight-most
}

// gaussianTable is the table of Gaussian-process scores. The noise variance is that of the model,
// or, if that is unknown, one in common or one for each, as the data support. The unit is that of
// [nodescore.GPOptions].
func gaussianTable(ctx context.Context, p *engine.Problem, m sem.Network,
	chains *graphchains.Settings) (firstTable, error) {
	_, d := p.Data.X.Dims()
	prior, err := tablePrior(p, d)
	if err != nil {
		return firstTable{}, err
	}
	options := chains.Options(p, 0)
	p.Doing(name, "scoring sets of parents by Gaussian processes")
	opt := gaussianOptions(p)
	if noise := m.Noise(); noise != 0 {
		opt.Scale, opt.Unit = score.OneUnit, 1 // that in which it was given
		g, err := nodescore.NewGP(p.Data.X, p.Data.Mask(), opt)
		if err != nil {
			return firstTable{}, err
		}
		t, err := newNetworkTable(ctx, g.At(noise), prior, options)
		return firstTable{table: t, noise: noise, unit: 1}, err
	}
	g, err := nodescore.NewGP(p.Data.X, p.Data.Mask(), opt)
	if err != nil {
		return firstTable{}, err
	}
	best, err := newNetworkTable(ctx, g.Integrated(), prior, options)
	own := firstTable{table: best, unit: 1}
	if err != nil || inspect.NoCommonUnit(p.Data) != "" {
		return own, err
	}
	both, err := nodescore.NewInOneUnit(p.Data.X, p.Data.Mask(), opt)
	if err != nil {
		return firstTable{}, err
	}
	one, err := own.withOneVariance(ctx, both, leastRaw(d))
	if err == nil && one.graphs.logEvidence()+one.logWeight > best.graphs.logEvidence() {
		own = one
	}
	return own, err
}

// gaussianOptions are those of the Gaussian processes that guess.
func gaussianOptions(p *engine.Problem) (opt nodescore.GPOptions) {
	if n, _ := p.Data.X.Dims(); n > GaussRows {
		opt.Rank = gaussRank
	}
	return opt
}

// withOneVariance is the table of Gaussian processes with one noise variance for all equations,
// estimated given the best graph of a table, and once more given the best under the estimate; of
// functions that bend near 0 where these are so many nats better on the first graph.
func (t firstTable) withOneVariance(ctx context.Context, both nodescore.InOneUnit,
	least float64) (one firstTable, err error) {
	from, at, start := t.table, 0, 0.0
	for round := range 2 {
		graph, err := from.graphs.best(ctx)
		if err != nil {
			return one, err
		}
		noise, ahead, err := both.On(ctx, graph, start)
		if err != nil {
			return one, err
		}
		if round == 0 && ahead >= least {
			at = 1
		}
		g := both[at]
		start = noise[at]
		square := g.Unit() * g.Unit()
		one.noise, one.unit, one.raw = rounded(start/square), g.Unit(), at == 1
		one.logWeight = g.NoiseGrid(one.noise*square, 1).LogWeights[0]
		if round == 0 {
			one.table = &table{prior: t.prior, options: t.options, guess: t.guess}
			from = one.table
		}
		if err := one.rescore(ctx, g.At(one.noise*square)); err != nil {
			return one, err
		}
	}
	return one, nil
}

// rounded keeps four digits, more than which nothing depends on.
func rounded(v float64) float64 {
	// its own text is a number
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return short
}
