package sem

import (
	"context"
	"fmt"

	"tobac/dataset"
	"tobac/internal/generalised"
	"tobac/internal/nodescore"
	"tobac/internal/ranks"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// LatentNormal is the model in which every column with an order is a function of a latent normal
// variable that never falls: a number is any such function of it, and levels are intervals, as in
// ordered probit equations. The latent variables are jointly normal given the categories without an
// order, which have tables of probabilities ([nodescore.Latent]). Graphs of one equivalence class
// have the same probability, and no function of a column that never falls changes one.
type LatentNormal struct{}

// String implements [Model].
func (m LatentNormal) String() string { return text(m) }

func (m LatentNormal) form() form {
	return form{"latent-normal", m, latentModel{m}, &m, nil}
}

// latentModel is [LatentNormal] with its powers.
type latentModel struct{ LatentNormal }

var (
	_ Scored     = latentModel{}
	_ Structural = latentModel{}
)

// Unsuited is read by [Unsuited].
func (latentModel) Unsuited(data *dataset.Table) string {
	n, d := data.X.Dims()
	if d > nodescore.MostSymmetric {
		return fmt.Sprintf("chains over its scores take minutes above %d variables; --model %v "+
			"computes them", nodescore.MostSymmetric, LatentNormal{})
	}
	if seconds := 6e-6 * float64(n) * float64(d*(d-1)/2); seconds > mostScoreSeconds {
		return fmt.Sprintf("its scores would take about %s of processor time; --model %v computes "+
			"them", roughly(seconds), LatentNormal{})
	}
	return ""
}

// Pointless says why a model that uses the order of levels takes no part in a comparison with
// tables of probabilities; "" if it does: linear dependences of normal scores explain less of the
// pairs that depend most on each other.
func (latentModel) Pointless(data *dataset.Table, _ []Evidence) string {
	if !allLevelled(data) {
		return ""
	}
	ordered, tables, err := orderedPairs(data)
	if err != nil || ordered > mostOfPairs*tables-fewNats {
		return ""
	}
	return noOrder
}

// The part of the evidence of pairs that their order explains, below which it is not used, and nats
// that do not count.
const (
	mostOfPairs = 0.8
	fewNats     = 10
	leastTold   = 30 // nats by which the order of a pair may explain more
)

// isOrdered reports whether values of a kind are levels with an order.
func isOrdered(k dataset.Kind) bool { return k == dataset.Ordered }

// orderedPairs are the evidences of dependence, in nats, of the spanning trees of columns with
// levels whose pairs depend most on each other, by normal scores and by tables of probabilities.
// Normal scores of columns that determine each other exaggerate: they count as little more than
// tables say.
func orderedPairs(data *dataset.Table) (ordered, tables float64, err error) {
	x, widths := embeddedRanks(data)
	joint, err := jointOf(data, nil, x, widths, func(dataset.Kind) bool { return false },
		jointScales)
	if err != nil {
		return 0, 0, err
	}
	all, _, err := generalised.Tables(data, dataset.Kind.Levelled)
	if err != nil {
		return 0, 0, err
	}
	of := func(s score.Scorer, i, j int) float64 {
		return s.LogScore(j, []int{i}) - s.LogScore(j, nil)
	}
	sized := likelySize(all)
	byTables := func(i, j int) float64 { return of(sized, i, j) }
	d := len(widths)
	return nodescore.TreeEvidence(d, func(i, j int) float64 {
		return min(of(joint, i, j), byTables(i, j)+leastTold)
	}), nodescore.TreeEvidence(d, byTables), nil
}

// Hypotheses implements [Scored].
func (m latentModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	workers int) ([]Hypothesis, error) {
	x, widths := embeddedRanks(data)
	joint, err := jointOf(data, prior, x, widths, isCategory, jointScales)
	if err != nil {
		return nil, err
	}
	columns := make([][]float64, len(widths))
	for j := range columns {
		if !isCategory(data.Kind(j)) {
			columns[j] = mat.Col(nil, j, data.X)
		}
	}
	mask := data.Mask()
	set := func(i, j int) bool { return mask != nil && mask.At(i, j) != 0 }
	if joint.Latent, err = nodescore.NewLatent(ctx, columns, set, joint, workers); err != nil {
		return nil, err
	}
	return jointHypothesis(ctx, data, joint, true)
}

// embeddedRanks are contrasts of categories, and normal scores of all other columns, and how many
// stand for each.
func embeddedRanks(data *dataset.Table) (*mat.Dense, []int) {
	n, d := data.X.Dims()
	ranked := dataset.Table{Names: data.Names, X: mat.NewDense(n, d, nil),
		Intervened: data.Intervened, Variables: make([]dataset.Variable, d)}
	for j := range d {
		column := mat.Col(nil, j, data.X)
		if isCategory(data.Kind(j)) {
			ranked.Variables[j] = data.Variables[j]
		} else {
			column = ranks.NormalScores(column)
		}
		ranked.X.SetCol(j, column)
	}
	return embedded(&ranked)
}

// Traits implements [Described].
func (latentModel) Traits() Traits { return bdeuModel{}.Traits() }

// ScoreBytes is read where memory is checked.
func (latentModel) ScoreBytes(d int) float64 { return nodescore.DirichletBytes(d) }
