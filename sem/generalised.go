package sem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/exact"
	"tobac/internal/generalised"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/score"
	"tobac/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Generalised is the model whose equations are those of the kinds of their columns: generalised
// linear ones with smooth terms. Directions between columns of different kinds would follow from
// the form of these equations alone, which tells nothing about real tables (bench/notes/kinds.md).
// A graph therefore has the joint evidence of each set of variables in all sequences, so that
// equivalent graphs have the same probability, unless FormRows says otherwise.
type Generalised struct {
	// FormRows is the number of rows as which the form of the equations counts for directions: what
	// one direction has more than another. +Inf means that all of it counts.
	FormRows float64
	// MaxParents is the number of parents up to which all equations are fitted; larger sets are
	// scored by their most important parents. 0 means the number that takes some seconds.
	MaxParents int
}

// String implements [Model].
func (m Generalised) String() string { return text(m) }

func (m Generalised) form() form {
	return form{"generalised", m, generalisedModel{Generalised: m}, &m, []*setting.Setting{
		setting.Parsed(&m.FormRows, "form-rows",
			"rows that the form of the equations counts as for directions", "none", "X",
			"numbers above 0, or Inf", rows, positiveRows),
		maxParents(&m.MaxParents),
	}}
}

// generalisedModel is [Generalised] with its powers.
type generalisedModel struct {
	Generalised
	amongNumbers bool // compared with models of numbers
}

var (
	_ Scored         = generalisedModel{}
	_ Differentiable = generalisedModel{}
)

// familyGeneralised is the first word of the text form of [Generalised].
const familyGeneralised = "generalised"

// generalisedSeconds is the processor time up to which sets of more than two parents are fitted.
const generalisedSeconds = 6

// Unsuited is read by [Unsuited].
func (m generalisedModel) Unsuited(data *dataset.Table) string {
	d := len(data.Names)
	if d > nodescore.MostSymmetric {
		return fmt.Sprintf("its scores are for at most %d variables", nodescore.MostSymmetric)
	}
	seconds, err := forecast(data)
	if err != nil {
		return "" // the scores say what is wrong
	}
	if least := seconds(min(2, d-1)); least > mostScoreSeconds {
		return fmt.Sprintf(
			"its scores would take about %s of processor time; --model %s computes them",
			roughly(least), familyGeneralised)
	}
	return ""
}

// Pointless says why the model takes no part in a comparison: columns of levels alone have no
// equations but those that use the order of the levels.
func (generalisedModel) Pointless(data *dataset.Table, compared []Evidence) string {
	if !allLevelled(data) {
		return ""
	}
	for _, e := range compared {
		if e.Note == noOrder {
			return e.Note
		}
	}
	return ""
}

// forecast is about the processor time of the equations of at most so many parents, those of each
// group of rows taking as long as those of all.
func forecast(data *dataset.Table) (seconds func(most int) float64, err error) {
	x, variables := ofKinds(data)
	f, err := generalised.NewForecast(x, variables)
	groups := float64(len(rowGroups(data)))
	return func(most int) float64 { return groups * f.Seconds(most) }, err
}

// Hypotheses implements [Scored].
func (m generalisedModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	n, d := data.X.Dims()
	if d > nodescore.MostSymmetric {
		return nil, fmt.Errorf("the model generalised is for at most %d variables, got %d; "+
			"allowed: the model mixed", nodescore.MostSymmetric, d)
	}
	if !(m.FormRows >= 0) || m.MaxParents < 0 {
		return nil, fmt.Errorf("the model generalised has form-rows %v and max-parents %d, want "+
			"no negative numbers", m.FormRows, m.MaxParents)
	}
	// One scale, under which no set of columns that are nearly determined by each other outweighs
	// the equations that are fitted.
	base, err := jointScores(data, prior, []float64{3})
	if err != nil {
		return nil, err
	}
	groups, most := rowGroups(data), m.MaxParents
	if most == 0 {
		seconds, err := forecast(data)
		if err != nil {
			return nil, err
		}
		for most = min(2, d-1); most < d-1 && seconds(most+1) <= generalisedSeconds; {
			most++
		}
	}
	if most >= d-1 {
		most = 0
	}
	x, variables := ofKinds(data)
	form, equal := &nodescore.Each{Of: make([]score.SubsetScorer, d)},
		&nodescore.Each{Of: make([]score.SubsetScorer, d)}
	for _, g := range groups {
		if len(g.rows) < 2 {
			continue
		}
		part := x
		if len(g.rows) < n {
			part = mat.NewDense(len(g.rows), d, nil)
			for a, i := range g.rows {
				part.SetRow(a, x.RawRowView(i))
			}
		}
		s, err := generalised.New(part, nil, variables,
			generalised.Options{MaxParents: most, Base: base})
		if err == nil {
			err = s.Prepare(ctx, workers)
		}
		if err != nil {
			return nil, err
		}
		symmetric, err := nodescore.NewSymmetric(ctx, s, workers)
		if err != nil {
			return nil, err
		}
		for _, j := range g.variables {
			form.Of[j], equal.Of[j] = s, symmetric
		}
	}
	weight := m.FormRows / (m.FormRows + float64(n))
	if math.IsInf(m.FormRows, 1) {
		weight = 1
	}
	var any *generalised.Scorer
	if slices.Contains(form.Of, nil) {
		if any, err = generalised.New(x, nil, variables,
			generalised.Options{MaxParents: most, Base: base}); err != nil {
			return nil, err
		}
	}
	blend := &nodescore.Blend{Form: form, Base: equal, Weight: weight}
	h := Hypothesis{Scores: generalisedScores{blend, form, any}}
	if m.amongNumbers {
		h.LogWeight, err = densities(data, h.Scores)
	}
	return []Hypothesis{h}, err
}

// densities is what normal densities of levels and counts have more than their probabilities. With
// it evidences are comparable with those of models of numbers: what differs is what edges gain.
func densities(data *dataset.Table, s score.Scorer) (more float64, err error) {
	linear, err := nodescore.Plain(data.X, data.Mask())
	for _, j := range inspect.WithoutDensity(data) {
		if err == nil && ofFewValues(data.Kind(j)) {
			more += linear.LogScore(j, nil) - s.LogScore(j, nil)
		}
	}
	return more, err
}

// ofFewValues reports whether columns of a kind have probabilities instead of densities.
func ofFewValues(k dataset.Kind) bool { return k.Levelled() || k == dataset.Count }

// A rowGroup is the variables that were not set in the same rows.
type rowGroup struct{ variables, rows []int }

// rowGroups are those of a table.
func rowGroups(data *dataset.Table) []rowGroup {
	var groups []rowGroup
	for j := range data.Names {
		rows := data.ObservedRows(j)
		at := slices.IndexFunc(groups, func(g rowGroup) bool { return slices.Equal(g.rows, rows) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, rowGroup{rows: rows})
		}
		groups[at].variables = append(groups[at].variables, j)
	}
	return groups
}

// ofKinds are the columns of a table with the codes of levels, and what they are. A column whose
// values its kind does not have counts as real numbers.
func ofKinds(data *dataset.Table) (*mat.Dense, []generalised.Variable) {
	x := mat.DenseCopyOf(data.X)
	variables := make([]generalised.Variable, len(data.Names))
	for j := range variables {
		v := generalised.Variable{Kind: data.Kind(j)}
		switch values := mat.Col(nil, j, data.X); {
		case v.Kind.Levelled():
			codes, r := data.Codes(j)
			x.SetCol(j, codes)
			v.Values = levelValues(data, j, r)
			if v.Levels = r; v.Kind == dataset.Binary && r != 2 {
				v.Kind, v.Levels = dataset.Ordered, max(r, 2)
			}
		case v.Kind == dataset.Positive && !(floats.Min(values) > 0),
			v.Kind == dataset.Count && (floats.Min(values) < 0 || fractional(values)):
			v.Kind = dataset.Real
		}
		variables[j] = v
	}
	return x, variables
}

// fractional reports whether any of some values is not a whole number.
func fractional(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

// Traits implements [Described].
func (m generalisedModel) Traits() Traits {
	if m.FormRows == 0 {
		return Traits{DirectionsFrom: independences, Equivalent: true, AnyNoise: true,
			Categories: true}
	}
	return Traits{
		DirectionsFrom: "conditional independences and the form of the equations", AnyNoise: true,
		Categories: true,
	}
}

// FormNote is read after models were compared: for which direction between columns of different
// kinds that are adjacent in a graph the form of the equations of the two speaks most.
func (m generalisedModel) FormNote(data *dataset.Table, g *dag.Graph, s score.Scorer) string {
	found, ok := s.(generalisedScores)
	if !ok || m.FormRows == 0 {
		return ""
	}
	most := 0.0
	var best dag.Edge
	for _, e := range g.Edges() {
		i, j := e.From, e.To
		if kindOfForm(data.Kind(i)) == kindOfForm(data.Kind(j)) {
			continue
		}
		gain := found.Form.LogScore(i, nil) + found.Form.LogScore(j, []int{i}) -
			found.Form.LogScore(j, nil) - found.Form.LogScore(i, []int{j})
		if gain < 0 {
			gain, i, j = -gain, j, i
		}
		if gain > most {
			most, best = gain, dag.Edge{From: i, To: j}
		}
	}
	if most < someForm {
		return ""
	}
	n, _ := data.X.Dims()
	return fmt.Sprintf("between columns of different kinds the form of the equations alone would "+
		"tell directions: most of all %s → %s, by %.0f nats, which count as %.1f, as if there "+
		"were %.0f rows instead of %d",
		strconv.Quote(data.Names[best.From]), strconv.Quote(data.Names[best.To]), most,
		most*found.Weight, found.Weight*float64(n), n)
}

// someForm is the evidence of the form, in nats, from which on it is worth a warning.
const someForm = 3

// kindOfForm are kinds whose equations have the same form.
func kindOfForm(k dataset.Kind) dataset.Kind {
	if k == dataset.Positive || k == dataset.Proportion {
		return dataset.Real
	}
	return k
}

// ScoreBytes is read where memory is checked.
func (generalisedModel) ScoreBytes(d int) float64 {
	if d > exact.Affordable {
		return 0
	}
	return 8 * float64(int(1)<<d) * (float64(d)/2 + 1)
}

// rows is a number of rows as text.
func rows(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// positiveRows is a number above 0, which may be infinite.
func positiveRows(text string) (float64, error) {
	if strings.EqualFold(strings.TrimPrefix(text, "+"), "inf") {
		return math.Inf(1), nil
	}
	v, ok := delimited.Number(text)
	if !ok || !(v > 0) {
		return 0, errors.New("no positive number")
	}
	return v, nil
}
