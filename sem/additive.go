package sem

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/internal/additive"
	"tobac/internal/exact"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/refinement"
	"tobac/internal/scoring"
	"tobac/internal/smooth"
	"tobac/posterior"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// NonGaussian is the linear model with noise of any shape: for each equation normal, Student's t,
// sinh–arcsinh noise, noise of light tails, or normal noise whose scale changes with the parents,
// averaged by their evidence. Up to twelve columns may share a kind. Noise that is not normal
// tells directions (LiNGAM, Shimizu et al. 2006). Equal values are spread over what was rounded to
// them; columns of few values, or with an atom, have the scores of [BGe].
type NonGaussian struct {
	// MaxParents is the number of parents up to which equations are fitted; larger sets are scored
	// by their most important parents. 0 means that the equations of all sets that carry posterior
	// probability are fitted.
	MaxParents int

	modes *sharedModes
}

// String implements [Model].
func (m NonGaussian) String() string { return text(m) }

func (m NonGaussian) form() form {
	return form{"linear-nongaussian", m, nonGaussianModel{m}, &m, []*setting.Setting{
		maxParents(&m.MaxParents),
	}}
}

// nonGaussianModel is [NonGaussian] with its powers.
type nonGaussianModel struct{ NonGaussian }

// Additive is the model whose equations are sums of smooth functions of the parents, and perhaps of
// products of two parents, with noise as of [NonGaussian]. Where the data speak for it, an equation
// may be such a sum of logarithms, or for a monotone transform of its variable.
type Additive struct {
	MaxParents int // as of [NonGaussian]

	modes *sharedModes
}

// String implements [Model].
func (m Additive) String() string { return text(m) }

func (m Additive) form() form {
	return form{"additive", m, additiveModel{m}, &m, []*setting.Setting{
		maxParents(&m.MaxParents),
	}}
}

// additiveModel is [Additive] with its powers.
type additiveModel struct{ Additive }

// sharedModes are modes that both models find in the same data; nil means that they are not shared.
type sharedModes struct {
	mu    sync.Mutex
	data  *dataset.Table
	modes *additive.Modes
}

func (s *sharedModes) of(data *dataset.Table) *additive.Modes {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.data != data {
		s.data, s.modes = data, additive.NewModes()
	}
	return s.modes
}

var (
	_ Scored       = nonGaussianModel{}
	_ SampledModel = nonGaussianModel{}
	_ Scored       = additiveModel{}
	_ SampledModel = additiveModel{}
)

// All equations of at most two parents that may matter are fitted: where each variable is fitted
// with single parents alone, two causes that tell their directions together are missed, whatever is
// refined later. Those of more parents are while they take no more than so many seconds of
// processor time, and with smooth functions only where there are so many rows for each parent;
// others where they matter ([refinement.Refine]).
const (
	linearSeconds = 0.5
	smoothSeconds = 0.1
	rowsPerParent = 20
)

// additiveOptions are the settings of the scores for some data.
func additiveOptions(data *dataset.Table, most int, linear bool,
	modes *sharedModes) (*dataset.Table, additive.Options, error) {
	n, d := data.X.Dims()
	base, err := nodescore.Plain(data.X, data.Mask())
	spread, plain := inspect.Spread(data)
	opt := additive.Options{Linear: linear, Base: base, Plain: plain, MaxParents: most,
		Modes: modes.of(data), Causes: data.X}
	if most == 0 {
		seconds := linearSeconds
		if most = d - 1; !linear {
			most, seconds = max(2, min(most, n/rowsPerParent)), smoothSeconds
		}
		opt.Sparse = true
		for opt.MaxParents = min(2, d-1); opt.MaxParents < most &&
			additive.Seconds(n, d, opt.MaxParents+1, linear) <= seconds; {
			opt.MaxParents++
		}
	}
	if opt.MaxParents >= d-1 {
		opt.MaxParents = 0
	}
	return spread, opt, err
}

// leastSeconds is about the processor time of the scores with at most two parents.
func leastSeconds(data *dataset.Table, linear bool) float64 {
	n, d := data.X.Dims()
	return additive.Seconds(n, d, min(2, d-1), linear)
}

// unsuitedScores says why a model is left out of a comparison whose scores take so many seconds of
// processor time, and rest on the density of noise; "" if it is not.
func unsuitedScores(data *dataset.Table, seconds float64, model string) string {
	d := len(data.Names)
	switch {
	case d > exact.Affordable:
		return fmt.Sprintf("its scores take too long for %d variables; --model %s computes them", d,
			model)
	case seconds > mostScoreSeconds:
		return TooLong(seconds, model)
	}
	if len(inspect.WithoutDensity(data)) == d {
		return "every column has few values or an atom, so that its noise has no density"
	}
	return ""
}

// mostScoreSeconds is the processor time of the scores of a model that is compared with others.
const mostScoreSeconds = 60

// TooLong is why a model is left out whose scores take so many seconds of processor time.
func TooLong(seconds float64, model string) string {
	return fmt.Sprintf("its scores would take about %s of processor time; --model %s computes them",
		roughly(seconds), model)
}

// roughly is a time in words.
func roughly(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 100*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", math.Ceil(seconds/3600))
}

// Unsuited is read by [Unsuited].
func (m nonGaussianModel) Unsuited(data *dataset.Table) string {
	return unsuitedScores(data, leastSeconds(data, true), "linear-nongaussian")
}

// someCurvature is the evidence in nats from which one equation speaks for smooth functions.
const someCurvature = 3

// Pointless is read where models are compared: where no curvature shows, and where noise of
// another shape is pointless and no equation with one parent gains from curvature.
func (m additiveModel) Pointless(data *dataset.Table, compared []Evidence) string {
	if straightLines(data, compared) {
		return straight
	}
	if !slices.ContainsFunc(compared, func(e Evidence) bool {
		return e.Model == familyNonGaussian && e.Note == noOtherNoise
	}) {
		return ""
	}
	if slices.ContainsFunc(compared, func(e Evidence) bool {
		return e.family() == familySmooth && !math.IsNaN(e.Log)
	}) {
		return curvesInSmooth
	}
	s, opt, err := m.scorer(data)
	if err != nil {
		return "" // the scores say what is wrong
	}
	for j := range data.Names {
		if _, plain := slices.BinarySearch(opt.Plain, j); plain {
			continue
		}
		for _, i := range dag.AllBut(len(data.Names), j) {
			if s.Curvature(j, []int{i}) > someCurvature {
				return ""
			}
		}
	}
	return noCurvature
}

// Pointless is read where models are compared: where no equation without parents, and none with all
// other columns, gains from other noise than normal one of a single scale, none does.
func (m nonGaussianModel) Pointless(data *dataset.Table, _ []Evidence) string {
	s, opt, err := m.scorer(data)
	if err != nil {
		return "" // the scores say what is wrong
	}
	var together [additive.SharedForms]float64
	for j := range data.Names {
		if _, plain := slices.BinarySearch(opt.Plain, j); plain {
			continue
		}
		alone, _ := s.Gains(j, nil)
		given, forms := s.Gains(j, dag.AllBut(len(data.Names), j))
		if alone > someGain || given > someGain {
			return ""
		}
		floats.Add(together[:], forms[:])
	}
	if slices.Max(together[:]) > someGain {
		return ""
	}
	return noOtherNoise
}

// someGain is the evidence in nats from which one equation speaks for other noise.
const someGain = 2

// Unsuited is read by [Unsuited].
func (m additiveModel) Unsuited(data *dataset.Table) string {
	return unsuitedScores(data, leastSeconds(data, false), "additive")
}

// Hypotheses implements [Scored]: noise of the shapes that each variable has for itself, or of one
// that most variables share, with half of the prior probability.
func (m nonGaussianModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	spread, opt, err := additiveOptions(data, m.MaxParents, true, m.modes)
	if err != nil {
		return nil, err
	}
	if opt.Modes == nil {
		opt.Modes = additive.NewModes()
	}
	return shared(ctx, data, m.MaxParents, prior, workers,
		func(kind int) (refinement.Refinable, error) {
			opt := opt
			opt.Shared = kind
			return additive.NewLinear(spread.X, data.Mask(), opt)
		})
}

// lessProbable is the evidence in nats, beside noise of each variable's own, under which noise of a
// kind that most variables share is left out.
const lessProbable = -6

// shared are the hypotheses that each variable has noise of a kind for itself, and that most have
// the same, up to twelve variables that are not measurements, with half of the prior probability.
// A kind is left out that is improbable with the best of the sets of parents that carry the
// posterior without it: no set has much more evidence under one hypothesis than under another,
// since all average over the same shapes.
func shared(ctx context.Context, data *dataset.Table, maxParents int, prior *score.Prior,
	workers int, scores func(kind int) (refinement.Refinable, error)) ([]Hypothesis, error) {
	d := len(data.Names)
	open := leftOpen(maxParents, d)
	own, err := scores(0)
	var likely [][][]int
	if err == nil {
		likely, err = refine(ctx, own, maxParents, prior, workers)
	}
	if err != nil || d > refinement.MixedVariables || inspect.Recorded(data) {
		return []Hypothesis{{Scores: own, Open: open}}, err
	}
	if likely == nil {
		if likely, _, err = refinement.LikelySets(ctx, own, prior, workers); err != nil {
			return nil, err
		}
	}
	all := []Hypothesis{{Scores: own, LogWeight: math.Log(0.5), Open: open}}
	for kind := 1; kind <= additive.SharedForms; kind++ {
		s, err := scores(kind)
		if err != nil {
			return nil, err
		}
		if mostGain(s, own, likely) < lessProbable {
			continue
		}
		if _, err := refine(ctx, s, maxParents, prior, workers); err != nil {
			return nil, err
		}
		all = append(all, Hypothesis{Scores: s, LogWeight: math.Log(0.5 / additive.SharedForms),
			Open: open})
	}
	return all, nil
}

// mostGain is the sum over all variables of the most that s has more than own for one of their sets
// of parents. It refines those of s that own has refined.
func mostGain(s, own refinement.Refinable, sets [][][]int) (gain float64) {
	for j, of := range sets {
		most := math.Inf(-1)
		for _, set := range of {
			if own.Known(j, set) {
				s.Refine(j, set)
			}
			most = max(most, s.LogScore(j, set)-own.LogScore(j, set))
		}
		gain += most
	}
	return gain
}

// Hypotheses implements [Scored].
func (m additiveModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	first, _, err := m.scorer(data)
	if err != nil {
		return nil, err
	}
	scores, err := transformed(ctx, first, data, workers)
	if err != nil {
		return nil, err
	}
	return shared(ctx, data, m.MaxParents, prior, workers,
		func(kind int) (refinement.Refinable, error) { return scores(kind), nil })
}

// From someTransform nats of evidence for each row on, of transformRows at most, one equation with
// one parent speaks for one that is additive in the normal scores of the columns. Of simulated
// tables of 200 rows, post-nonlinear ones had .18 to 6.5 nats for each row, others .01 to .19
// (bench/notes/noise.md).
const (
	someTransform = 0.15
	transformRows = 400
)

// FormNote is read after models were compared: with few rows, which transform a column has says
// much of the directions, and is not known.
func (additiveModel) FormNote(data *dataset.Table, _ *dag.Graph, s score.Scorer) string {
	n, _ := data.X.Dims()
	if t, ok := s.(*additive.Transformed); !ok || !t.InNormalScores() || n >= transformRows {
		return ""
	}
	return fmt.Sprintf(
		"columns look transformed, so that equations may be additive in their normal scores, "+
			"and %d rows tell little of the transforms: directions may be wrong (of those with "+
			"probability 0.95 or more 9 of 14 were right for exponentials, 52 of 54 for powers, "+
			"in simulated tables of 200 rows)", n)
}

// someLogs is the evidence in nats from which one equation speaks for logarithms.
const someLogs = 3

// transformed are the scores of equations of which each may be one of logarithms, or of the normal
// scores of all columns, where one gains from that, by the kind of noise that most share.
// Measurements have no normal scores: what little their form tells of directions would be lost
// (bench/notes/pairs.md).
func transformed(ctx context.Context, s *additive.Scorer, data *dataset.Table,
	workers int) (func(kind int) refinement.Refinable, error) {
	all := additive.NewTransformed(s)
	spread, plain := inspect.Spread(data)
	join := func(both *additive.Transformed, err error, least float64) error {
		if err != nil {
			return err
		}
		gain, err := both.Gain(ctx, workers)
		if gain >= least {
			all = both
		}
		return err
	}
	if logs, causes, jacobian := logarithms(data, spread, plain); logs != nil {
		both, err := all.Logarithms(logs, causes, data.Mask(), jacobian)
		if err = join(both, err, someLogs); err != nil {
			return nil, err
		}
	}
	if len(data.Names) > 1 && !inspect.Recorded(data) {
		scores, err := spread.NormalScores()
		if err != nil {
			return nil, err
		}
		n, _ := data.X.Dims()
		both, err := all.NormalScores(scores.X, data.Mask())
		err = join(both, err, someTransform*float64(min(n, transformRows)))
		if err != nil {
			return nil, err
		}
	}
	if all.Plain() {
		return func(kind int) refinement.Refinable { return s.Sharing(kind) }, nil
	}
	return func(kind int) refinement.Refinable { return all.Sharing(kind) }, nil
}

// shift is what numbers that are not negative get before their logarithm: 0, or the least number
// above 0 where one is 0; NaN of numbers of which some are negative.
func shift(column []float64) float64 {
	least := math.Inf(1)
	for _, v := range column {
		if v > 0 {
			least = math.Min(least, v)
		}
	}
	switch v := floats.Min(column); {
	case v < 0 || math.IsInf(least, 1):
		return math.NaN()
	case v > 0:
		return 0
	}
	return least
}

// logarithms are columns, and the same as causes, of which those that are not negative are replaced
// by ln(x + c), c as of [shift], and the logarithms of the derivatives, summed over the rows of
// each; NaN of columns that are nearer to a normal distribution as they are. Without any logarithm
// that is nearer they are nil.
func logarithms(data, spread *dataset.Table, plain []int) (logs, causes *mat.Dense,
	jacobian []float64) {
	n, d := data.X.Dims()
	x, at := mat.DenseCopyOf(spread.X), mat.DenseCopyOf(data.X)
	for j := range d {
		jacobian = append(jacobian, math.NaN())
		column := mat.Col(nil, j, x)
		c := shift(column)
		if _, found := slices.BinarySearch(plain, j); found || math.IsNaN(c) ||
			math.IsNaN(shift(mat.Col(nil, j, at))) {
			continue
		}
		width := stat.PopStdDev(column, nil)
		for i, v := range column {
			column[i] = math.Log(v + c)
			x.Set(i, j, column[i])
			at.Set(i, j, math.Log(at.At(i, j)+c))
		}
		if stat.Mean(column, nil)+math.Log(stat.PopStdDev(column, nil)) >= math.Log(width) {
			continue
		}
		if rows := data.ObservedRows(j); len(rows) < n {
			column = scoring.Pick(nil, column, rows)
		}
		jacobian[j] = -floats.Sum(column)
		logs, causes = x, at
	}
	return logs, causes, jacobian
}

// scorer makes the scores for some data.
func (m nonGaussianModel) scorer(data *dataset.Table) (*additive.Linear, additive.Options, error) {
	spread, opt, err := additiveOptions(data, m.MaxParents, true, m.modes)
	if err != nil {
		return nil, opt, err
	}
	s, err := additive.NewLinear(spread.X, data.Mask(), opt)
	return s, opt, err
}

// scorer makes the scores for some data.
func (m additiveModel) scorer(data *dataset.Table) (*additive.Scorer, additive.Options, error) {
	spread, opt, err := additiveOptions(data, m.MaxParents, false, m.modes)
	if err != nil {
		return nil, opt, err
	}
	s, err := additive.New(spread.X, data.Mask(), opt)
	return s, opt, err
}

// Sampled implements [SampledModel]: the linear model with a noise variance for each equation.
func (m nonGaussianModel) Sampled(compared bool) (Model, Scaling) {
	return linearModel{Linear{Unequal: true}}.Sampled(compared)
}

// Sampled implements [SampledModel]: networks, and the linear model for a comparison, since
// networks of many rows take minutes.
func (m additiveModel) Sampled(compared bool) (Model, Scaling) {
	if compared {
		return linearModel{Linear{Unequal: true}}.Sampled(compared)
	}
	return networkModel{}.Sampled(compared)
}

// Traits implements [Described].
func (nonGaussianModel) Traits() Traits {
	return Traits{DirectionsFrom: "noise that is not normal and conditional independences",
		Formed: true, AnyNoise: true}
}

// Traits implements [Described].
func (additiveModel) Traits() Traits {
	return Traits{DirectionsFrom: "the shape of the noise and the curvature of the relations",
		Formed: true, AnyNoise: true}
}

// Structure implements [Structural].
func (m additiveModel) Structure(p *posterior.Posterior) (func(k int) (effects.Equations, error),
	error) {
	return drawnFunctions(p, func(parents int, numbers []float64) (curve, []float64, error) {
		return smooth.NewFunction(parents, numbers)
	}), nil
}
