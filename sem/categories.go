package sem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/dataset"
	"tobac/internal/exact"
	"tobac/internal/generalised"
	"tobac/internal/nodescore"
	"tobac/internal/ranks"
	"tobac/score"
	"tobac/setting"
)

// BDeu is the model of categories: the distribution of a variable given each combination of its
// parents' levels is a row of a table of probabilities with a Dirichlet prior. Graphs of one
// equivalence class have the same probability, unless PseudoCounts says otherwise. It takes columns
// whose kind is [dataset.Kind.Levelled], or that have at most 100 different values.
type BDeu struct {
	// Alpha is the equivalent sample size; 0 means that it is averaged over by its evidence, above
	// 12 variables estimated.
	Alpha float64
	// MaxParents is the number of parents beyond which sets are left out; 0 means as many as can be
	// scored in some seconds.
	MaxParents int
	// PseudoCounts says how the equivalent sample size is divided; the default is that of BDeu.
	// Others tell equivalent graphs apart a little, and BDJ has no Alpha.
	PseudoCounts PseudoCounts
}

// String implements [Model].
func (m BDeu) String() string { return text(m) }

func (m BDeu) form() form {
	alpha := setting.Positive(&m.Alpha, "alpha", "equivalent sample size of the prior",
		"averaged from 0.5 to 50; settled with the engine mcmc")
	if m.PseudoCounts == BDJCounts {
		text := alpha.String()
		alpha = setting.Parsed(&m.Alpha, alpha.Name, alpha.Usage, alpha.Default, alpha.Type(),
			"none with pseudo-counts bdj, which have no equivalent sample size",
			func(float64) string { return text },
			func(string) (float64, error) { return 0, errors.New("not allowed") })
	}
	return form{"bdeu", m, bdeuModel{m}, &m, []*setting.Setting{
		alpha,
		maxParents(&m.MaxParents),
		setting.OneOf(&m.PseudoCounts, "pseudo-counts",
			"prior counts of the cells of a table: bdeu divides alpha among all cells, bds "+
				"among those of the parents' levels that occur, bdj has 1/2 in each", "",
			BDeuCounts, BDsCounts, BDJCounts),
	}}
}

// bdeuModel is [BDeu] with its powers.
type bdeuModel struct{ BDeu }

// PseudoCounts says how [BDeu] divides its equivalent sample size among the cells of a table.
type PseudoCounts int

const (
	// BDeuCounts are alike in all cells, which alone gives equivalent graphs the same score.
	BDeuCounts = PseudoCounts(nodescore.BDeu)
	BDsCounts  = PseudoCounts(nodescore.BDs) // among the configurations of the parents that occur
	// one half in each cell, without an equivalent sample size
	BDJCounts = PseudoCounts(nodescore.BDJ)
)

// String is the text form: bdeu, bds or bdj.
func (p PseudoCounts) String() string { return nodescore.PseudoCounts(p).String() }

// Mixed is the model of numbers and categories in one table: categories have tables of
// probabilities, and numbers are jointly normal given them, with linear equations. Graphs of one
// equivalence class have the same probability, so that no direction rests on the kinds of columns.
// Columns with an order and counts enter by the normal scores of their values, skewed ones above 0
// by their logarithms.
type Mixed struct{}

// String implements [Model].
func (m Mixed) String() string { return text(m) }

func (m Mixed) form() form {
	return form{"mixed", m, mixedModel{m}, &m, nil}
}

// mixedModel is [Mixed] with its powers.
type mixedModel struct{ Mixed }

var (
	_ Scored = bdeuModel{}
	_ Scored = mixedModel{}
)

// mostNumberLevels is how many values a column of numbers may have under [BDeu].
const mostNumberLevels = 100

// isCategory reports whether numbers cannot stand for values of a kind.
func isCategory(k dataset.Kind) bool { return k == dataset.Categorical }

// allLevelled reports whether every column has levels.
func allLevelled(data *dataset.Table) bool {
	return data.Variables != nil &&
		!data.HasKind(func(k dataset.Kind) bool { return !k.Levelled() })
}

// Hypotheses implements [Scored].
func (m bdeuModel) Hypotheses(_ context.Context, data *dataset.Table, prior *score.Prior,
	_ int) ([]Hypothesis, error) {
	n, d := data.X.Dims()
	x, levels := mat.NewDense(n, d, nil), make([]int, d)
	values := make([][]float64, d)
	for j, name := range data.Names {
		codes, r := data.Codes(j)
		if r > mostNumberLevels && !data.Named(j) {
			return nil, fmt.Errorf("column %s has %d values, and the model bdeu takes "+
				"categories; allowed: models of numbers, such as mixed", strconv.Quote(name), r)
		}
		x.SetCol(j, codes)
		levels[j] = r
		values[j] = levelValues(data, j, r)
	}
	opt := nodescore.DirichletOptions{
		Alpha: m.Alpha, PseudoCounts: nodescore.PseudoCounts(m.PseudoCounts),
		MaxParents: m.MaxParents,
	}
	s, err := nodescore.NewDirichlet(x, data.Mask(), levels, opt)
	if err == nil && m.MaxParents == 0 {
		s = s.WithMaxParents(affordableParents(s, d, prior))
	}
	if err != nil || m.Alpha != 0 || m.PseudoCounts == BDJCounts {
		return []Hypothesis{{Scores: tableScores{s, values}}}, err
	}
	all := make([]Hypothesis, len(nodescore.EquivalentSizes))
	for k, alpha := range nodescore.EquivalentSizes {
		all[k] = Hypothesis{Scores: tableScores{s.WithAlpha(alpha), values},
			LogWeight: -math.Log(float64(len(all)))}
	}
	return all, nil
}

// Sets of parents are scored while the rows that are counted for all of them are at most these,
// with at least leastParents of each variable. Chains score sets of their candidates many times, in
// the rows that differ in these, and a set takes as long as setRows more.
const (
	summedRows   = 2e9
	chainedRows  = 4e8
	setRows      = 200
	leastParents = 3
	listed       = 16 // candidate parents that chains list of each variable, about
)

// affordableParents is the number of parents up to which all sets of d variables are scored; 0
// means all.
func affordableParents(s *nodescore.Dirichlet, d int, prior *score.Prior) int {
	n, candidates, most := s.Rows(), d-1, summedRows
	if d > exact.Affordable {
		candidates, most = min(candidates, listed), chainedRows
		n = s.NearRows(candidates) + setRows
	}
	sets, of := 1.0, 1.0
	for k := 1; k <= candidates; k++ {
		of *= float64(candidates-k+1) / float64(k)
		if sets += of; k > leastParents && sets*float64(n)*float64(d) > most {
			if prior != nil {
				return max(k-1, prior.MostRequired()+1)
			}
			return k - 1
		}
	}
	return 0
}

// Hypotheses implements [Scored].
func (m mixedModel) Hypotheses(ctx context.Context, data *dataset.Table, prior *score.Prior,
	_ int) ([]Hypothesis, error) {
	joint, err := jointScores(data, prior, jointScales)
	if err != nil {
		return nil, err
	}
	// The model generalised takes no more variables.
	return jointHypothesis(ctx, data, joint, len(data.Names) <= nodescore.MostSymmetric)
}

// jointHypothesis are scores under which the evidences of columns without parents, of numbers those
// under [Generalised], take the place of those of normal columns if models are compared: so that
// the evidences of all are about the same values, and only what parents add is that of a model.
func jointHypothesis(ctx context.Context, data *dataset.Table, joint *nodescore.Joint,
	compared bool) ([]Hypothesis, error) {
	equations := sync.OnceValues(func() (*generalised.Scorer, error) {
		x, variables := ofKinds(data)
		return generalised.New(x, data.Mask(), variables,
			generalised.Options{MaxParents: 1, Base: joint})
	})
	var alone []float64
	if compared {
		s, err := equations()
		if err != nil {
			return nil, err
		}
		for j := range data.Names {
			alone = append(alone, s.LogScore(j, nil))
		}
	}
	drawn := func() *generalised.Scorer {
		s, err := equations()
		if err != nil {
			panic("tobac: " + err.Error()) // the table has been checked
		}
		return s
	}
	s := *joint
	s.Constant = make([]float64, len(alone))
	for j, v := range alone {
		if s.Place[j] < 0 {
			s.Constant[j] = v - joint.LogScore(j, nil)
		}
	}
	return []Hypothesis{{Scores: mixedScores{nodescore.NewKept(&s), drawn}}}, ctx.Err()
}

// jointScales are the scales of the prior of [Mixed] that are averaged over: correlations of two
// numbers have the standard deviations 0.5, 0.28 and 0.1.
var jointScales = []float64{1, 10, 100}

// jointScores are the scores of [Mixed] with some scales.
func jointScores(data *dataset.Table, prior *score.Prior, scales []float64) (*nodescore.Joint,
	error) {
	x, widths := embedded(data)
	return jointOf(data, prior, x, widths, tabulated, scales)
}

// jointOf are scores of the columns that stand for those of a table, widths[j] for each, with
// tables of probabilities of some kinds.
func jointOf(data *dataset.Table, prior *score.Prior, x *mat.Dense, widths []int,
	tabulated func(dataset.Kind) bool, scales []float64) (*nodescore.Joint, error) {
	numbers, err := nodescore.NewBlocks(x, widths, data.Mask(),
		nodescore.BlockOptions{Freedom: scales[0]})
	if err != nil {
		return nil, err
	}
	joint := &nodescore.Joint{Numbers: []*nodescore.Blocks{numbers},
		Place: slices.Repeat([]int{-1}, len(data.Names))}
	for _, f := range scales[1:] {
		joint.Numbers = append(joint.Numbers, numbers.WithFreedom(f))
	}
	tables, which, err := generalised.Tables(data, tabulated)
	if err != nil || tables == nil {
		return joint, err
	}
	for k, j := range which {
		joint.Place[j] = k
	}
	joint.Categories =
		likelySize(tables).WithMaxParents(affordableParents(tables, len(which), prior))
	return joint, nil
}

// tabulated reports whether columns of a kind have tables of probabilities under [Mixed].
func tabulated(k dataset.Kind) bool { return k == dataset.Binary || k == dataset.Categorical }

// likelySize are tables with the equivalent sample size under which all pairs of variables, each of
// them dependent or not, are most probable.
func likelySize(s *nodescore.Dirichlet) *nodescore.Dirichlet {
	best, highest := s, math.Inf(-1)
	for _, size := range nodescore.EquivalentSizes {
		next, sum := s.WithAlpha(size), 0.0
		for j := range next.Vars() {
			alone := next.LogScore(j, nil)
			sum += alone
			for i := range j {
				gain := next.LogScore(j, []int{i}) - alone
				sum += max(gain, 0) + math.Log1p(math.Exp(-math.Abs(gain))) - math.Ln2
			}
		}
		if sum > highest {
			best, highest = next, sum
		}
	}
	return best
}

// embedded are the columns that stand for those of a table among jointly normal ones, and how many
// stand for each: contrasts of categories, normal scores of levels with an order and of counts,
// logarithms of skewed columns above 0, and other numbers as they are.
func embedded(data *dataset.Table) (*mat.Dense, []int) {
	n, d := data.X.Dims()
	var columns [][]float64
	widths := make([]int, d)
	for j := range d {
		column := mat.Col(nil, j, data.X)
		switch data.Kind(j) {
		case dataset.Categorical:
			codes, r := occurring(data, j)
			if r < 2 { // refused elsewhere
				break
			}
			c := nodescore.Contrasts(codes, r)
			for k := range r - 1 {
				columns = append(columns, mat.Col(nil, k, c))
			}
			widths[j] = r - 1
			continue
		case dataset.Ordered, dataset.Count:
			column = ranks.NormalScores(column)
		case dataset.Positive:
			column = lessSkewed(column)
		}
		columns = append(columns, column)
		widths[j] = 1
	}
	x := mat.NewDense(n, len(columns), nil)
	for c, column := range columns {
		x.SetCol(c, column)
	}
	return x, widths
}

// lessSkewed is a column above 0, or its logarithm if the column is skewed and that is so less.
func lessSkewed(x []float64) []float64 {
	const skewed = 1
	log := make([]float64, len(x))
	for i, v := range x {
		if !(v > 0) {
			return x
		}
		log[i] = math.Log(v)
	}
	if s := math.Abs(stat.Skew(x, nil)); s > skewed && math.Abs(stat.Skew(log, nil)) < s {
		return log
	}
	return x
}

// occurring numbers the levels of column j that occur.
func occurring(data *dataset.Table, j int) (codes []float64, levels int) {
	values := data.Values(j)
	codes = mat.Col(nil, j, data.X)
	for i, v := range codes {
		at, _ := slices.BinarySearch(values, v)
		codes[i] = float64(at)
	}
	return codes, len(values)
}

// Traits implements [Described].
func (m bdeuModel) Traits() Traits {
	return Traits{DirectionsFrom: independences, Equivalent: m.PseudoCounts == BDeuCounts,
		AnyNoise: true, Categories: true}
}

// Traits implements [Described].
func (mixedModel) Traits() Traits { return bdeuModel{}.Traits() }

// ScoreBytes is read where memory is checked.
func (bdeuModel) ScoreBytes(d int) float64 { return nodescore.DirichletBytes(d) }

// ScoreBytes is read where memory is checked.
func (mixedModel) ScoreBytes(d int) float64 { return nodescore.DirichletBytes(d) }
