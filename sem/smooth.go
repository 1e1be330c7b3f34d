package sem

import (
	"context"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/exact"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/smooth"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"
)

// Smooth is the model whose equations are sums of smooth functions of the parents and of products
// of these for pairs of parents, with normal noise of one variance for all equations or of one for
// each, as the data support. Its scores cost the same for any number of rows.
type Smooth struct {
	// MaxParents is the number of parents up to which all equations are fitted; larger sets are
	// scored by their most important parents. 0 means that all sets that carry posterior
	// probability are fitted.
	MaxParents int
}

// String implements [Model].
func (m Smooth) String() string { return text(m) }

func (m Smooth) form() form {
	return form{"smooth", m, smoothModel{m}, &m, []*setting.Setting{
		maxParents(&m.MaxParents),
	}}
}

// smoothModel is [Smooth] with its powers.
type smoothModel struct{ Smooth }

var (
	_ Scored       = smoothModel{}
	_ SampledModel = smoothModel{}
	_ Structural   = smoothModel{}
)

// familySmooth is the first word of the text form of [Smooth].
const familySmooth = "smooth"

// The settings that its scores are averaged over: rates of the prior of noise variances, as those
// of [BGe], and prior variances of weights, as those of [Linear].
var (
	smoothRates = []float64{0.05, 0.5, 0.005}
	smoothEdges = []float64{0.25, 1, 0.06, 4}
)

// allFits is the processor time, in seconds, up to which all sets of more than two parents are
// fitted.
const allFits = 1

// mostSmoothSeconds is the processor time of its scores up to which the model is compared with
// others.
const mostSmoothSeconds = 10

// Unsuited is read by [Unsuited]: columns of few values have no normal noise, and all pairs of
// parents of many columns take long.
func (m smoothModel) Unsuited(data *dataset.Table) string {
	if len(inspect.Repeated(data)) == len(data.Names) {
		return "the values of every column are repeated, so that their noise has no density"
	}
	if seconds := smooth.Seconds(len(data.Names), 2); seconds > mostSmoothSeconds {
		return TooLong(seconds, familySmooth)
	}
	return ""
}

// Pointless is read where models are compared: where no curvature shows.
func (m smoothModel) Pointless(data *dataset.Table, _ []Evidence) string {
	if curved(data) {
		return ""
	}
	return straight
}

// straightLines reports whether no curvature shows, or smooth equations were left out for that.
func straightLines(data *dataset.Table, compared []Evidence) bool {
	for _, e := range compared {
		switch {
		case e.Note == straight:
			return true
		case e.family() == familySmooth || e.family() == familyAdditive:
			return false // was compared, or looked at
		}
	}
	return !curved(data)
}

// Hypotheses implements [Scored]: a noise variance for each equation, on columns scaled to variance
// 1, and one for all. The two are equally probable.
func (m smoothModel) Hypotheses(
	ctx context.Context, data *dataset.Table, prior *score.Prior, workers int,
) ([]Hypothesis, error) {
	d := len(data.Names)
	plain := inspect.Repeated(data)
	t, err := smooth.New(data.X, data.Mask())
	if err != nil {
		return nil, err
	}
	most := m.MaxParents
	if most == 0 {
		for most = min(2, d-1); most < d-1 && smooth.Seconds(d, most+1) <= allFits; {
			most++
		}
	}
	own, err := t.Own(smoothRates[0], plain)
	if err == nil {
		err = own.Prepare(ctx, most, workers)
	}
	if err != nil {
		return nil, err
	}
	graph, err := own.Probable(ctx, prior, nil, workers)
	if err != nil {
		return nil, err
	}
	if own, err = m.rated(ctx, t, own, graph, plain, workers); err != nil {
		return nil, err
	}
	if _, err := refine(ctx, own, m.MaxParents, prior, workers); err != nil {
		return nil, err
	}
	if m.listed(d) {
		own.List()
	}
	half := math.Log(0.5)
	all := []Hypothesis{{Scores: own, Open: leftOpen(m.MaxParents, d),
		LogWeight: half - math.Log(float64(len(smoothRates)))}}
	if len(plain) > 0 || inspect.NoCommonUnit(data) != "" {
		return all, nil
	}
	common, behind, err := m.common(ctx, t, own, graph, prior, most, workers)
	if err != nil {
		return nil, err
	}
	for k := range common {
		common[k].LogWeight += half
	}
	switch {
	case behind > hopeless:
		return all, nil
	case behind < -hopeless:
		return common, nil
	}
	return append(all, common...), nil
}

// Hopeless is read by chains after other models were compared: why none of its graphs is as
// probable as those of the best model. With the equations of the most probable graph of that, and
// with one parent more where that helps, its graphs have over hopeless nats less.
func (m smoothModel) Hopeless(
	data *dataset.Table, prior *score.Prior, g *dag.Graph, level float64, workers int,
) (string, error) {
	t, err := smooth.New(data.X, data.Mask())
	if err != nil {
		return "", err
	}
	plain := inspect.Repeated(data)
	own, err := t.Own(smoothRates[0], plain)
	if err != nil {
		return "", err
	}
	own.FitGraph(g)
	if nodescore.LogDensity(own, prior, g)+furtherGains(own, prior, g) >= level-hopeless {
		return "", nil
	}
	if len(plain) == 0 && inspect.NoCommonUnit(data) == "" {
		v, edge, err := variances(context.Background(), t, own, g, t.LeastVariance())
		if err != nil {
			return "", err
		}
		common, err := t.Common(v, edge)
		if err == nil {
			err = own.Again(context.Background(), common, workers)
		}
		if err != nil || nodescore.LogDensity(common, prior, g)+furtherGains(common, prior, g) >=
			level-hopeless {
			return "", err
		}
	}
	return noGraph, nil
}

// furtherGains are what the equations of a graph gain by one parent more that is not a descendant,
// each by the best one.
func furtherGains(s *smooth.Scorer, prior *score.Prior, g *dag.Graph) (sum float64) {
	below := g.Closure()
	for j := range g.Len() {
		parents := g.Parents(j)
		var further []int
		for i := range g.Len() {
			if i != j && !g.Has(i, j) && !below.Has(j, i) {
				further = append(further, i)
			}
		}
		s.RefineNeighbours(j, parents, further)
		now, most := s.LogScore(j, parents)+prior.LogPrior(j, parents), 0.0
		for _, i := range further {
			set := nodescore.Toggled(parents, i)
			most = max(most, s.LogScore(j, set)+prior.LogPrior(j, set)-now)
		}
		sum += most
	}
	return sum
}

// listed reports whether sets that were not fitted have no probability: of many variables their
// estimates would be taken for the best there are.
func (m smoothModel) listed(d int) bool {
	return leftOpen(m.MaxParents, d) || d > exact.Affordable
}

// hopeless is how far, in nats, the best graph under one treatment of noise variances may be behind
// that under the other before that treatment is left out.
const hopeless = 40

// rated are scores with the rate under which a graph is most probable.
func (m smoothModel) rated(
	ctx context.Context, t *smooth.Data, own *smooth.Scorer, g *dag.Graph, plain []int, workers int,
) (*smooth.Scorer, error) {
	best, highest := own, own.UnderForms(g, own)
	for _, rate := range smoothRates[1:] {
		s, err := t.Own(rate, plain)
		if err != nil {
			return nil, err
		}
		if v := own.UnderForms(g, s); v > highest {
			best, highest = s, v
		}
	}
	if best == own {
		return own, nil
	}
	return best, own.Again(ctx, best, workers)
}

// common are the scores with one noise variance for all equations: that under which the best graph
// is most probable, and up to [refinement.MixedVariables] a grid around it; none where the best
// graph is hopelessly behind, by so many nats.
func (m smoothModel) common(
	ctx context.Context, t *smooth.Data, own *smooth.Scorer, g *dag.Graph, prior *score.Prior,
	most, workers int,
) (all []Hypothesis, behind float64, err error) {
	if prior == nil {
		prior = score.Fair(t.Vars())
	}
	highest := nodescore.LogDensity(own, prior, g)
	var s *smooth.Scorer
	from, v := own, t.LeastVariance()
	var edge float64
	for round := range 2 {
		if v, edge, err = variances(ctx, t, from, g, v); err != nil {
			return nil, 0, err
		}
		next, err := t.Common(v, edge)
		if err != nil {
			return nil, 0, err
		}
		if s = next; round == 0 {
			err = s.Prepare(ctx, most, workers)
		} else {
			err = from.Again(ctx, s, workers)
		}
		if err == nil {
			g, err = s.Probable(ctx, prior, g, workers)
		}
		if err != nil {
			return nil, 0, err
		}
		from = s
		if behind = highest - nodescore.LogDensity(s, prior, g); behind > hopeless {
			return nil, behind, nil
		}
	}
	if _, err := refine(ctx, s, m.MaxParents, prior, workers); err != nil {
		return nil, 0, err
	}
	grid := s.NoiseGrid(gridPoints(t.Vars()))
	for k, at := range grid.Variances {
		next, err := t.Common(at, edge)
		if err == nil {
			err = s.Again(ctx, next, workers)
		}
		if err != nil {
			return nil, 0, err
		}
		if m.listed(t.Vars()) {
			next.List()
		}
		weight := grid.LogWeights[k] - math.Log(float64(len(smoothEdges)))
		all = append(all, Hypothesis{Scores: next, NoiseVariance: at, InUnits: true,
			Open: leftOpen(m.MaxParents, t.Vars()), LogWeight: weight})
	}
	return all, behind, nil
}

// variances are the noise variance of all equations and the variance of weights under which a graph
// is most probable, with the forms of the equations of s.
func variances(
	ctx context.Context, t *smooth.Data, s *smooth.Scorer, g *dag.Graph, start float64,
) (noise, edge float64, err error) {
	highest := math.Inf(-1)
	for _, e := range smoothEdges {
		under := func(v float64) (float64, error) {
			c, err := t.Common(v, e)
			if err != nil {
				return 0, err
			}
			return s.UnderForms(g, c), nil
		}
		v, err := nodescore.MaximiseNoiseVariance(ctx, start, under)
		if err != nil {
			return 0, 0, err
		}
		if at, err := under(v); err != nil {
			return 0, 0, err
		} else if at > highest {
			highest, noise, edge = at, v, e
		}
	}
	return noise, edge, nil
}

// Sampled implements [SampledModel]: networks, and the linear model for a comparison, since
// networks of many rows take minutes.
func (m smoothModel) Sampled(compared bool) (Model, Scaling) {
	return additiveModel{}.Sampled(compared)
}

// Traits implements [Described].
func (smoothModel) Traits() Traits { return Traits{DirectionsFrom: curvature, Formed: true} }

// Structure implements [Structural].
func (m smoothModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	return drawnFunctions(p, func(parents int, numbers []float64) (curve, []float64, error) {
		return smooth.NewFunction(parents, numbers)
	}), nil
}

// ScoreBytes is read where memory is checked.
func (smoothModel) ScoreBytes(d int) float64 {
	const bytes = 400 // of a set of parents
	n := float64(d)
	return bytes * n * (n*n/2 + 1e4)
}
