package tobac

import (
	"context"
	"slices"
	"strconv"

	"tobac/exact"
	"tobac/internal/stream"
	"tobac/score"
	"tobac/sem"
)

// temperOverOrders is the posterior of networks over all orders: evidences of the sets of parents that matter, estimated by sequential Monte Carlo, in
// the sums of the engine exact, or of more variables than it takes in the chains of the engine mcmc, which it leaves as the stage of the run: then there is no posterior yet.
func (r *Run) temperOverOrders(ctx context.Context, asked sem.Network) (*inference, error) {
	graphs, err := r.networkGraphs(ctx, asked)
	if err != nil {
		return nil, err
	}
	scored := []sem.Scored{graphs.scored()}
	r.cfg.Model, r.networkScale = graphs.model, graphs.scale
	if len(r.data.Names) > exact.Affordable {
		s, err := settle(ctx, r.data, scored, &r.cfg, sem.WholeTrust)
		if err != nil {
			return nil, err
		}
		c, err := newChains(ctx, r.data, s, &r.cfg)
		if err != nil {
			return nil, err
		}
		r.stage = &networkChains{c, graphs}
		return nil, nil
	}
	inf, err := inferExact(ctx, r.data, scored, &r.cfg, sem.WholeTrust)
	if err != nil {
		return nil, err
	}
	return inf, graphs.equip(ctx, inf, r.data)
}

// networkGraphs estimates the evidences of networks that matter. The table of them begins with the scores of Gaussian processes, whose posterior says what matters.
func (r *Run) networkGraphs(ctx context.Context, asked sem.Network) (*networkGraphs, error) {
	table, noise, unit, err := r.gaussianTable(ctx, asked)
	if err != nil {
		return nil, err
	}
	model := asked.Inferred(noise)
	_, scaling := model.Sampled(false)
	scale, err := r.scale(scaling)
	if err != nil {
		return nil, err
	}
	var units []float64 // nil: those of the data
	if scale != nil {
		if unit != 1 {
			scale.SD = slices.Repeat([]float64{unit}, len(scale.SD))
		}
		units = scale.SD
	}
	data := onScale(r.data, scale)
	cfg := model.TemperingConfig(stream.Seed(r.cfg.Seed, stream.PosteriorPart, 0), r.cfg.Workers)
	cfg.Sweeps = setSweeps
	if table.estimates, err = newNetworkEstimates(data, cfg); err != nil {
		return nil, err
	}
	table.constant = unitConstants(data, units)
	if err := table.settle(ctx, func(text string) { r.cfg.doing(Tempering, text) }); err != nil {
		return nil, err
	}
	return &networkGraphs{table: table, model: model, estimated: noise != asked.Noise(), unit: unit, scale: scale}, nil
}

// gaussianTable is the table of Gaussian-process scores, and the noise variance of all equations: that of the model, or, if that is unknown, one
// in common or, 0, one for each, as the data support. One in common that was estimated is of columns divided by unit, that of [score.GPOptions]; else the unit is 1.
func (r *Run) gaussianTable(ctx context.Context, m sem.Network) (best *networkTable, noise, unit float64, err error) {
	n, d := r.data.X.Dims()
	prior, err := r.cfg.tablePrior(d)
	if err != nil {
		return nil, 0, 1, err
	}
	options := r.cfg.chainOptions(0)
	r.cfg.doing(Tempering, "scoring sets of parents by Gaussian processes")
	rank := 0
	if n > gaussRows {
		rank = gaussRank
	}
	inOneUnit := score.GPOptions{Scale: score.OneUnit, Rank: rank}
	if m.Noise() != 0 {
		inOneUnit.Unit = 1 // that in which it was given
	} else {
		g, err := score.NewGP(r.data.X, r.data.Mask(), score.GPOptions{Rank: rank})
		if err != nil {
			return nil, 0, 1, err
		}
		if best, err = newNetworkTable(ctx, g.Integrated(), prior, options); err != nil || sem.NoCommonUnit(r.data) != "" {
			return best, 0, 1, err
		}
	}
	g, err := score.NewGP(r.data.X, r.data.Mask(), inOneUnit)
	if err != nil {
		return nil, 0, 1, err
	}
	if noise = m.Noise(); noise != 0 {
		t, err := newNetworkTable(ctx, g.At(noise), prior, options)
		return t, noise, 1, err
	}
	one, v, err := best.withOneVariance(ctx, g)
	if err != nil {
		return nil, 0, 1, err
	}
	if e := one.graphs.logEvidence() + g.NoiseGrid(v*g.Unit()*g.Unit(), 1).LogWeights[0]; e > best.graphs.logEvidence() {
		return one, v, g.Unit(), nil
	}
	return best, 0, 1, nil
}

// withOneVariance is the table of scores with one noise variance for all equations, in the squared unit of the Gaussian processes, estimated given the best graph of a table, and once more given the best
// under the estimate.
func (t *networkTable) withOneVariance(ctx context.Context, g *score.GP) (one *networkTable, noise float64, err error) {
	square := g.Unit() * g.Unit()
	at := func(noise float64) score.Scorer { return g.At(noise * square) }
	maximise := func(from float64, under *networkTable) (float64, error) {
		graph, err := under.graphs.best(ctx)
		if err != nil {
			return 0, err
		}
		v, err := score.MaximiseNoiseVariance(ctx, from, func(v float64) (float64, error) { return score.OfGraph(at(v), graph), nil })
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
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // its own text is a number
	return short
}
