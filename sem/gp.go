package sem

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/exact"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/refinement"
	"tobac/internal/smooth"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// GaussianProcess is the nonlinear model whose equations are drawn from a mixture of Gaussian
// processes, with one noise variance for all equations or one for each, as the data support. A
// score costs O(n³), so that it suits a few hundred rows.
type GaussianProcess struct {
	// MaxParents bounds the number of parents. 0 means what keeps the work within
	// seconds, at least two, and as many as are required of a variable.
	MaxParents int
	// Rank is that of a low-rank approximation of the covariances, for many rows. 0 means none, but
	// 40 where sets of two parents without it would take more than seconds.
	Rank int
}

// String implements [Model].
func (m GaussianProcess) String() string { return text(m) }

func (m GaussianProcess) form() form {
	return form{"gp", m, gpModel{m}, &m, []*setting.Setting{
		maxParents(&m.MaxParents),
		setting.WholeNumber(&m.Rank, mostRank, "rank", "rank of an approximation for many rows",
			"none; 40 where scores would take more than seconds"),
	}}
}

// gpModel is [GaussianProcess] with its powers.
type gpModel struct{ GaussianProcess }

// Of functions that bend near 0, by nats on most probable graphs: how much better than those that
// bend near the means they have to be, since 0 means nothing in many tables, and by how much one
// noise variance in one unit may be behind one for each variable before they are left out.
const (
	leastRaw    = 3
	hopelessRaw = 10
)

// gpWork is the number of floating-point operations that all scores may take, some
// seconds on one core.
const gpWork = 5e9

// bound is the largest number of parents for which all scores cost no more than
// gpWork, from 2 to d−1.
func (m gpModel) bound(n, d int) (parents int, affordable bool) {
	cost := func(k int) float64 {
		return nodescore.GPOptions{Rank: m.Rank, MaxParents: k}.Cost(n, d).Flops
	}
	parents = min(2, d-1)
	for parents < d-1 && cost(parents+1) <= gpWork {
		parents++
	}
	return parents, cost(parents) <= gpWork
}

// Unsuited is read by [Unsuited]: its scores may take too long, or be those of two parents alone
// where [Smooth] has more, and columns of repeated values have no normal noise.
func (m gpModel) Unsuited(data *dataset.Table) string {
	n, d := data.X.Dims()
	if parents, _ := m.bound(n, d); d > refinement.MixedVariables && parents < 3 {
		return fmt.Sprintf("with %d variables its equations have %d parents at most; --model gp "+
			"computes them", d, parents)
	}
	return unsuitedScores(data, gpSeconds*m.options(n, d, 0, 1).Cost(n, d).Flops, "gp")
}

// When the model is pointless, where its scores take long.
const (
	fastScores = 0.2 // seconds of processor time that are spent whatever the others say
	// of what the shape of the noise gains, that curvature must gain where rows lie far out
	shapeShare = 0.2
	// nats by which more than straight lines with normal noise must be better than these
	worthwhile = 5

	// by which smooth equations with normal noise are behind those with noise of any shape
	hopelessNats = 100
)

// Pointless is read where models are compared.
func (m gpModel) Pointless(data *dataset.Table, compared []Evidence) string {
	n, d := data.X.Dims()
	if gpSeconds*m.options(n, d, 0, 1).Cost(n, d).Flops <= fastScores {
		return ""
	}
	if straightLines(data, compared) {
		return unlessBent(data, straight)
	}
	plain, shaped, more := math.NaN(), math.NaN(), math.NaN()
	lines, curves := math.Inf(-1), math.NaN()
	for _, e := range compared {
		if e.family() == familySmooth {
			curves = e.Log
		} else if !math.IsNaN(e.Log) && e.family() != familyNonGaussian &&
			e.family() != familyAdditive {
			lines = math.Max(lines, e.Log)
		}
		switch e.family() {
		// whose noise variances are those of an additive model; equal ones would hide curvature
		case familyBGe:
			plain = e.Log
		case familyNonGaussian:
			shaped = e.Log
		case familyAdditive:
			if more = e.Log; e.Note == noCurvature {
				return unlessBent(data, noMore)
			}
		}
	}
	switch {
	case more <= plain+worthwhile, curves <= lines+worthwhile:
		return unlessBent(data, noMore)
	case more-shaped < shapeShare*(shaped-plain) && farOut(data):
		return farTails
	case normalCurves(data) < more-hopelessNats:
		return noShape
	}
	return ""
}

// normalCurves is the log density of the best graph that a search finds under smooth equations with
// normal noise, of which Gaussian processes are relatives; +∞ where that fails.
func normalCurves(data *dataset.Table) float64 {
	ctx, d := context.Background(), len(data.Names)
	t, err := smooth.New(data.X, data.Mask())
	if err != nil {
		return math.Inf(1)
	}
	s, err := t.Own(smoothRates[0], inspect.Repeated(data))
	if err == nil {
		err = s.Prepare(ctx, min(2, d-1), 1)
	}
	if err != nil {
		return math.Inf(1)
	}
	g, err := s.Probable(ctx, nil, nil, 1)
	if err != nil {
		return math.Inf(1)
	}
	return nodescore.OfGraph(s, g)
}

// farOut reports whether half of the columns have rows too far out for normal noise.
func farOut(data *dataset.Table) bool {
	const excess = 20 // kurtosis
	far := 0
	for j := range data.Names {
		if stat.ExKurtosis(mat.Col(nil, j, data.X), nil) > excess {
			far++
		}
	}
	return 2*far >= len(data.Names)
}

// gpSeconds is about the processor time of a floating-point operation of the scores.
const gpSeconds = 3e-10

// optionsFor are the settings of the scores for some data.
func (m gpModel) optionsFor(data *dataset.Table, needed, workers int) (opt nodescore.GPOptions,
	err error) {
	n, d := data.X.Dims()
	opt = m.options(n, d, needed, workers)
	opt.Plain = inspect.Repeated(data)
	opt.Extend = m.MaxParents == 0
	opt.Base, err = nodescore.Plain(data.X, data.Mask())
	return opt, err
}

// options are the settings of the scores for n rows of d variables, one of which has as
// many required parents as needed says.
func (m gpModel) options(n, d, needed, workers int) nodescore.GPOptions {
	k, affordable := m.bound(n, d)
	if !affordable && m.Rank == 0 {
		m.Rank = 40
		k, _ = m.bound(n, d)
	}
	if needed > k {
		k = needed
		if opt := (nodescore.GPOptions{Rank: m.Rank, MaxParents: k}); m.Rank == 0 &&
			opt.Cost(n, d).Flops > gpWork {
			m.Rank = 40
		}
	}
	if m.MaxParents > 0 {
		k = min(m.MaxParents, d-1)
	}
	if k == d-1 {
		k = 0
	}
	return nodescore.GPOptions{Rank: m.Rank, MaxParents: k, Workers: workers}
}

// Hypotheses implements [Scored]: a noise variance for each equation, integrated out, on columns
// scaled to variance 1; or one for all, on a grid, with the parents scaled so too or divided by one
// number for all. The three are equally probable, and neither shifting a column nor a unit of all
// matters, unless up to twelve columns clearly prefer functions that bend near 0 in place of the
// means. More than twenty variables, and columns of scales far apart, have the first alone.
func (m gpModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	_, d := data.X.Dims()
	needed := 0
	if prior != nil {
		needed = prior.MostRequired()
	}
	if m.MaxParents > 0 && needed > m.MaxParents {
		return nil, fmt.Errorf("a variable has %d required parents, more than the %d of the "+
			"model %v", needed, m.MaxParents, m)
	}
	opt, err := m.optionsFor(data, needed, workers)
	if err != nil {
		return nil, err
	}
	scaled, err := nodescore.NewGP(data.X, data.Mask(), opt)
	if err != nil {
		return nil, err
	}
	own := scaled.Integrated()
	if d > exact.Affordable || len(opt.Plain) > 0 || inspect.NoCommonUnit(data) != "" {
		return []Hypothesis{{Scores: own}}, nil
	}
	third := -math.Log(3)
	all := []Hypothesis{{Scores: own, LogWeight: third}}
	graph, err := exact.MostProbable(ctx, own, prior, workers)
	if err != nil {
		return nil, err
	}
	both, err := nodescore.NewInOneUnit(data.X, data.Mask(), opt)
	if err != nil {
		return nil, err
	}
	raw := false
	for _, g := range []*nodescore.GP{scaled, both[0]} {
		v, likely, err := commonVariance(ctx, g, graph, prior, workers)
		if err != nil {
			return nil, err
		}
		least, free := density(g.At(v), likely, prior), density(own, graph, prior)
		if g == both[0] && d <= refinement.MixedVariables && least > free-hopelessRaw {
			at, also, err := commonVariance(ctx, both[1], likely, prior, workers)
			if err != nil {
				return nil, err
			}
			if raw = density(both[1].At(at), also, prior) >= max(least, free)+leastRaw; raw {
				g, v = both[1], at
			}
		}
		for _, h := range onGrid(g.NoiseGrid(v, gridPoints(d)), third,
			func(v float64) score.Scorer { return g.At(v) }) {
			h.InUnits, h.Raw = true, raw
			all = append(all, h)
		}
	}
	return all, nil
}

// density is the log density of a graph with that of the data; no prior means an even one.
func density(s score.Scorer, g *dag.Graph, prior *score.Prior) float64 {
	sum := nodescore.OfGraph(s, g)
	for j := range g.Len() {
		if prior != nil {
			sum += prior.LogPrior(j, g.Parents(j))
		}
	}
	return sum
}

// commonVariance estimates the noise variance that all equations share: it maximises the score of a
// graph, then, up to twelve variables, that of the best graph under the estimate, which it returns,
// too.
func commonVariance(ctx context.Context, g *nodescore.GP, graph *dag.Graph, prior *score.Prior,
	workers int) (v float64, best *dag.Graph, err error) {
	v = g.LeastVariance()
	for round := 1; ; round++ {
		v, err = nodescore.MaximiseNoiseVariance(ctx, v, func(v float64) (float64, error) {
			return nodescore.OfGraph(g.At(v), graph), nil
		})
		if err != nil || round == 2 || graph.Len() > refinement.MixedVariables {
			return v, graph, err
		}
		if graph, err = exact.MostProbable(ctx, g.At(v), prior, workers); err != nil {
			return 0, nil, err
		}
	}
}

// Sampled implements [SampledModel]: networks.
func (m gpModel) Sampled(compared bool) (Model, Scaling) {
	return networkModel{}.Sampled(compared)
}

// Traits implements [Described].
func (gpModel) Traits() Traits { return Traits{DirectionsFrom: curvature, Formed: true} }

// Structure implements [Structural].
func (m gpModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error), error) {
	return drawnFunctions(p, func(parents int, numbers []float64) (curve, []float64, error) {
		f, rest, err := nodescore.NewFunction(parents, numbers)
		return gpCurve{f}, rest, err
	}), nil
}

// ScoreBytes is read where memory is checked.
func (gpModel) ScoreBytes(d int) float64 {
	// sets of parents for each pair of variables, and the memory of each
	const sets, bytes = 10, 120
	return sets * bytes * float64(d*d)
}
