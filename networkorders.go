package tobac

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"tobac/dataset"
	"tobac/exact"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
	"tobac/tempering"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Of the estimates of evidences of networks, and the graphs with networks that are drawn.
const (
	setSweeps    = 4
	networkDraws = 200
)

// temperOverOrders is the posterior of networks over all orders: evidences of the sets of parents that matter, estimated by sequential Monte Carlo, in
// the sums of the engine exact. The table begins with the scores of Gaussian processes, whose posterior says what matters.
func (r *Run) temperOverOrders(ctx context.Context, asked FeedForward) (*inference, error) {
	table, o, noise, err := r.gaussianTable(ctx, asked)
	if err != nil {
		return nil, err
	}
	scale, own, err := networkScale(r.data, asked.NoiseVariance, noise)
	if err != nil {
		return nil, err
	}
	data, model := onScale(r.data, scale), asked.WithNoise(own).(FeedForward)
	d := len(data.Names)
	table.constant = unitConstants(data, scale.SD)
	if table.sets, err = tempering.NewSets(data.X, data.Mask(), model.setConfig(stream.Seed(r.cfg.Seed, stream.PosteriorPart, 0), r.cfg.Workers)); err != nil {
		return nil, err
	}
	table.estimates = make([]map[string]*tempering.Estimate, d)
	for j := range d {
		table.estimates[j] = map[string]*tempering.Estimate{}
	}
	held, err := table.correct(ctx, o, func(round, sets int) {
		r.cfg.doing(Tempering, fmt.Sprintf("evidences of networks, round %d: %d sets of parents", round, sets))
	})
	if err != nil {
		return nil, err
	}
	inf, err := inferExact(ctx, r.data, []Scored{settledModel{model, Hypothesis{Scores: table.pool, NoiseVariance: noise, InUnits: noise != asked.NoiseVariance}}}, &r.cfg)
	if err != nil {
		return nil, err
	}
	r.cfg.Model = model
	inf.model, inf.reason, inf.evidence, inf.orders = nil, "as asked for", nil, nil
	if noise != asked.NoiseVariance {
		inf.reason += fmt.Sprintf("; one noise variance for all columns, %.4g in their squared units, was estimated; networks have them divided by %.4g", noise, scale.SD[0])
	}
	return inf, r.withNetworks(ctx, inf, table, model, data, scale, held)
}

// networkScale is the scale of the columns of networks, and the noise variance on it: of mean 0, as biases are near zero and means in the units of the data need not be. With a noise
// variance for each (noise 0) columns have variance 1; where one for all was estimated they are divided by one number, so that their variance is 1 on average; one that was given is in the
// units of the data.
func networkScale(data *dataset.Table, asked, noise float64) (s *posterior.Standardization, own float64, err error) {
	if noise == 0 {
		_, s, err = standardised(data)
		return s, 0, err
	}
	mean, sd := data.Moments()
	unit := 1.0
	if own = noise; asked == 0 {
		unit = floats.Norm(sd, 2) / math.Sqrt(float64(len(sd)))
		own = rounded(noise / (unit * unit))
	}
	return &posterior.Standardization{Mean: mean, SD: slices.Repeat([]float64{unit}, len(sd))}, own, nil
}

// setConfig are the settings of estimates of evidences.
func (m FeedForward) setConfig(seed uint64, workers int) tempering.Config {
	return tempering.Config{Hidden: m.hidden()[0], Activation: m.Activation, NoBias: m.NoBias, NoiseVariance: m.NoiseVariance, Sweeps: setSweeps, Seed: seed, Workers: workers}
}

// gaussianTable is the table of Gaussian-process scores with the posterior under it, and the noise variance of all equations: that of the model, or, if that is unknown, one
// in common or, 0, one for each, as the data support.
func (r *Run) gaussianTable(ctx context.Context, m FeedForward) (*networkTable, *exact.Orders, float64, error) {
	n, d := r.data.X.Dims()
	densities := r.cfg.Prior.densities(d)
	prior, err := r.cfg.closedPrior(d, densities[len(densities)-1])
	if err != nil {
		return nil, nil, 0, err
	}
	r.cfg.doing(Tempering, "scores of Gaussian processes")
	var opt score.GPOptions
	if n > gaussRows {
		opt.Rank = gaussRank
	}
	table := func(s score.Scorer) (*networkTable, *exact.Orders, error) {
		t, err := newNetworkTable(ctx, s, prior, r.cfg.Workers)
		if err != nil {
			return nil, nil, err
		}
		o, err := t.grow(ctx)
		return t, o, err
	}
	raw, err := score.NewGP(r.data.X, r.data.Mask(), score.GPOptions{Scale: score.Raw, Rank: opt.Rank})
	if err != nil {
		return nil, nil, 0, err
	}
	if m.NoiseVariance != 0 {
		t, o, err := table(raw.At(m.NoiseVariance))
		return t, o, m.NoiseVariance, err
	}
	scaled, err := score.NewGP(r.data.X, r.data.Mask(), opt)
	if err != nil {
		return nil, nil, 0, err
	}
	own, ownOrders, err := table(scaled.Integrated())
	if err != nil || noCommonUnit(r.data) != "" {
		return own, ownOrders, 0, err
	}
	graph, err := own.best(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	var one *networkTable
	var oneOrders *exact.Orders
	v := raw.LeastVariance()
	for round := range 2 {
		if v, err = score.MaximiseNoiseVariance(ctx, v, func(v float64) (float64, error) { return logScore(raw.At(v), graph), nil }); err != nil {
			return nil, nil, 0, err
		}
		v = rounded(v)
		if round == 0 {
			if one, oneOrders, err = table(raw.At(v)); err == nil {
				graph, err = one.best(ctx)
			}
		} else if err = one.rescore(ctx, raw.At(v)); err == nil {
			oneOrders, err = one.grow(ctx)
		}
		if err != nil {
			return nil, nil, 0, err
		}
	}
	grid := raw.NoiseGrid(v, 1)
	if oneOrders.LogEvidence()+grid.LogWeights[0] > ownOrders.LogEvidence() {
		return one, oneOrders, v, nil
	}
	return own, ownOrders, 0, nil
}

// rounded keeps four digits, more than which nothing depends on.
func rounded(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64) // its own text is a number
	return short
}

// withNetworks gives some of the draws of graphs their networks, and says how good the evidences are.
func (r *Run) withNetworks(ctx context.Context, inf *inference, t *networkTable, m FeedForward, data *dataset.Table, scale *posterior.Standardization, held float64) error {
	d := len(data.Names)
	p := inf.post
	stride := max(1, len(p.Draws)/networkDraws)
	var some []posterior.Draw
	for k := 0; k < len(p.Draws); k += stride {
		some = append(some, p.Draws[k])
	}
	var list []tempering.Parents
	listed := map[string]bool{}
	for _, draw := range some {
		for j := range d {
			set := draw.Graph.Parents(j)
			if k := familyKey(j, set); t.estimates[j][setKey(set)] == nil && !listed[k] {
				listed[k] = true
				list = append(list, tempering.Parents{Of: j, Set: set})
			}
		}
	}
	later, err := t.sets.Estimate(ctx, list, levels[0].particles)
	if err != nil {
		return err
	}
	for _, e := range later { // beside the table, whose posterior is settled
		t.estimates[e.Of][setKey(e.Set)] = e
	}
	err = m.equip(some, data, t.sets, func(j int, set []int) *tempering.Estimate { return t.estimates[j][setKey(set)] })
	if err != nil {
		return err
	}
	out := *p
	out.Draws, out.Engine, out.Model, out.Standardization = some, Tempering.String(), m.String(), scale
	out.Components = slices.Clone(p.Components)
	out.Components[0].Draws, out.Components[0].NoiseVariance = len(some), m.NoiseVariance
	out.Components[0].Marginals = &out.Marginals
	if err := r.compareHalves(ctx, inf, &out, t, held); err != nil {
		return err
	}
	inf.post = inDataUnits(&out, r.data)
	return nil
}

// halvesApart is the difference of edge probabilities from which on the two halves of the particles do not agree.
const halvesApart = 0.15

// compareHalves computes the edge probabilities that either half of the particles gives, and says how they differ.
func (r *Run) compareHalves(ctx context.Context, inf *inference, p *posterior.Posterior, t *networkTable, held float64) error {
	r.cfg.doing(Tempering, "the two halves of the estimates compared")
	var edges [2]*mat.Dense
	for k := range edges {
		q, err := exact.New(ctx, t.half(k), t.prior, exact.Options{Workers: r.cfg.Workers})
		if err != nil {
			return err
		}
		o, err := q.Orders(ctx)
		if err != nil {
			return err
		}
		edges[k] = o.Edges()
	}
	d := len(p.Names)
	sum, largest, from, to := 0.0, 0.0, 0, 0
	for i := range d {
		for j := range d {
			v := math.Abs(edges[0].At(i, j) - edges[1].At(i, j))
			if sum += v; v > largest {
				largest, from, to = v, i, j
			}
		}
	}
	estimated := 0
	for _, m := range t.estimates {
		estimated += len(m)
	}
	inf.note += fmt.Sprintf("; evidences of %d sets of parents were estimated, which hold %.1f %% of the probability of each variable's parents or more; by either half of the particles edge probabilities differ by %.3f on average and %.2f at most",
		estimated, 100*held, sum/float64(d*(d-1)), largest)
	if largest > halvesApart {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the two halves of the particles do not agree on every edge: on %q → %q their probabilities differ by %.2f; more particles are needed", p.Names[from], p.Names[to], largest))
	}
	if held < 0.9 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("sets of parents with an estimated evidence hold only %.0f %% of the probability of some variable; the rest has scores of Gaussian processes", 100*held))
	}
	return nil
}
