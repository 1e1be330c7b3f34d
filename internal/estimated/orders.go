package estimated

import (
	"context"
	"math"
	"slices"
	"strconv"

	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/exact"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/problems"
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
	g, err := settled(ctx, p, asked, first)
	if err != nil || start == nil || start.NoiseVariance != 0 {
		return g, err
	}
	// Equations that are fitted badly look as if each had a noise variance of its own.
	other, ok, err := commonTable(ctx, p, chains)
	if err != nil || !ok || other.behind(first) {
		return g, err
	}
	h, err := settled(ctx, p, asked, other)
	if err == nil && h.logEvidence() > g.logEvidence() {
		g = h
	}
	return g, err
}

// settled estimates the evidences of networks that matter, from a first table on.
func settled(ctx context.Context, p *engine.Problem, asked sem.Network, first firstTable) (*Graphs,
	error) {
	table := first.table
	model := asked.Inferred(first.noise)
	_, scaling := model.Sampled(false)
	scale, err := problems.Scale(p, scaling)
	if err != nil {
		return nil, err
	}
	var units []float64 // nil means those of the data
	if scale != nil {
		if first.unit != 1 {
			scale.SD = slices.Repeat([]float64{first.unit}, len(scale.SD))
		}
		units = scale.SD
	}
	data := drawn.OnScale(p.Data, scale)
	cfg := ChainSettings(model, stream.Seed(p.Seed, stream.PosteriorPart, 0), p.Workers)
	if table.estimates, err = NewEstimates(model, data, cfg); err != nil {
		return nil, err
	}
	table.constant = drawn.UnitConstants(data, units)
	if err := table.settle(ctx, func(text string) { p.Doing(name, text) }); err != nil {
		return nil, err
	}
	return &Graphs{table: table, Model: model, noise: first.noise,
		estimated: first.noise != asked.Noise(), unit: first.unit, logWeight: first.logWeight,
		Scale: scale}, nil
}

// A firstTable is one that evidences of networks begin with.
type firstTable struct {
	*table
	noise     float64 // variance of all equations; 0 means one for each
	unit      float64 // by which columns are divided if noise is of such; else 1
	logWeight float64 // what the estimation of noise costs, in nats
	first     float64 // log evidence of the scores that it begins with
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
	t.unit = stat.GeometricMean(sd, nil)
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
	n, d := p.Data.X.Dims()
	prior, err := tablePrior(p, d)
	if err != nil {
		return firstTable{}, err
	}
	var best *table
	options := chains.Options(p, 0)
	p.Doing(name, "scoring sets of parents by Gaussian processes")
	rank := 0
	if n > GaussRows {
		rank = gaussRank
	}
	inOneUnit := nodescore.GPOptions{Scale: score.OneUnit, Rank: rank}
	if m.Noise() != 0 {
		inOneUnit.Unit = 1 // that in which it was given
	} else {
		g, err := nodescore.NewGP(p.Data.X, p.Data.Mask(), nodescore.GPOptions{Rank: rank})
		if err != nil {
			return firstTable{}, err
		}
		if best, err = newNetworkTable(ctx, g.Integrated(), prior, options); err != nil ||
			inspect.NoCommonUnit(p.Data) != "" {
			return firstTable{best, 0, 1, 0, 0}, err
		}
	}
	g, err := nodescore.NewGP(p.Data.X, p.Data.Mask(), inOneUnit)
	if err != nil {
		return firstTable{}, err
	}
	if noise := m.Noise(); noise != 0 {
		t, err := newNetworkTable(ctx, g.At(noise), prior, options)
		return firstTable{t, noise, 1, 0, 0}, err
	}
	one, v, err := best.withOneVariance(ctx, g)
	if err != nil {
		return firstTable{}, err
	}
	logWeight := g.NoiseGrid(v*g.Unit()*g.Unit(), 1).LogWeights[0]
	if e := one.graphs.logEvidence() + logWeight; e > best.graphs.logEvidence() {
		return firstTable{one, v, g.Unit(), logWeight, 0}, nil
	}
	return firstTable{best, 0, 1, 0, 0}, nil
}

// withOneVariance is the table of scores with one noise variance for all equations, in the squared
// unit of the Gaussian processes, estimated given the best graph of a table, and once more given
// the best under the estimate.
func (t *table) withOneVariance(ctx context.Context, g *nodescore.GP) (one *table,
	noise float64, err error) {
	square := g.Unit() * g.Unit()
	at := func(noise float64) score.Scorer { return g.At(noise * square) }
	maximise := func(from float64, under *table) (float64, error) {
		graph, err := under.graphs.best(ctx)
		if err != nil {
			return 0, err
		}
		v, err := nodescore.MaximiseNoiseVariance(ctx, from, func(v float64) (float64, error) {
			return nodescore.OfGraph(at(v), graph), nil
		})
		return rounded(v), err
	}
	if noise, err = maximise(g.LeastVariance()/square, t); err != nil {
		return nil, 0, err
	}
	if one, err = newNetworkTable(ctx, at(noise), t.prior, t.options); err != nil {
		return nil, 0, err
	}
	if noise, err = maximise(noise, one); err != nil {
		return nil, 0, err
	}
	return one, noise, one.rescore(ctx, at(noise))
}

// rounded keeps four digits, more than which nothing depends on.
func rounded(v float64) float64 {
	// its own text is a number
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return short
}
