package trust

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/inspect"
	"tobac/internal/nodescore"
	"tobac/internal/ranks"
	"tobac/internal/scoring"
	"tobac/internal/stream"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Directions that a model reads off the form of its equations (the shape of the noise,
// curvature) rest on noise that is independent of the causes. Where the noise of the most
// probable graph is not, the form is refuted, and its evidence counts as that of two rows: ζ =
// 1/(1 + n/trustedRows), the rest being that of a linear model of the ranks, which tells no
// more directions than conditional independences do (Miller and Dunson, Robust Bayesian
// inference via coarsening, 2019).
//
// Forms describe what somebody measured only nearly, also where no test refutes them, and their
// small faults add up over the rows: there the form counts as that of recordedRows rows. The number
// was found on every other one of the 99 real pairs of the Tübingen collection that the package cdt
// ships (bench/notes/pairs.md). What depends on what is seen through the form all the same: the
// rest is the evidence of the form without its directions ([nodescore.Symmetric]). Of more
// variables than that takes, of interventions, of columns whose noise has no density, and of forms
// whose noise is normal, which misjudge a variable without its parents, it is the linear model of
// the ranks.
//
// Neither is any independence of what somebody measured exact, and what graphs of columns of every
// kind say of directions rests on independences alone. Their evidence counts for directions as that
// of independentRows rows; all of the evidence decides of adjacencies (bench/notes/kinds.md). That
// somebody measured shows in numbers that are equal, not in levels and counts. It is so too where
// another model, or the ranks in the place of a form that the noise refutes, reads directions off
// independences, and some columns are levels or counts.
//
// Forms hold only where no cause of two columns is hidden and the noise is of one of their classes.
// Elsewhere a wrong direction has a few nats, whatever the number of rows, where a right one mostly
// has dozens: differences are more dispersed than a true model's. So a part of the evidence of
// every form counts for directions, formed, all of it for adjacencies (bench/notes/noise.md).
const (
	trustedRows     = 2
	recordedRows    = 15
	independentRows = 50
	formed          = 0.5
	// probability of so much dependence by chance, in any equation, below which the form is
	// refuted, among at most so many rows: a dependence that these do not show misleads little, and
	// enough rows show that no form is exact
	refuted  = 1e-5
	mostRows = 5000
)

// Doubtable reports whether [Trust.In] may count a model in part.
func Doubtable(m sem.Model, data *dataset.Table) bool {
	return refutable(m) || ReadsForm(m) && inspect.Recorded(data) ||
		independences(m, data) && inspect.Tied(data)
}

// refutable reports whether the noise may refute a model: one that reads directions off the form
// of its equations, or off conditional independences of normal variables, which are then not those
// of the table (counts, codes).
func refutable(m sem.Model) bool {
	t := sem.TraitsOf(m)
	return t.Formed || t.Equivalent && !t.AnyNoise
}

// A misfit is the strongest dependence of the noise of a variable on another one.
type misfit struct {
	child, parent int
	chance        float64 // of one as strong in any equation
}

// examineNoise tests, in the equations of a graph, whether the noise depends on the parents:
// correlations of the residuals and of their squares with three functions of each parent, all
// of them of ranks, with and without the rows far out, where smooth functions are constant: what
// both show counts. rows is the part of the rows that counts. The other result is what else the
// equations leave.
func examineNoise(data *dataset.Table, g *dag.Graph, s score.Scorer, rows float64,
	seed uint64) (misfit, remainder) {
	worst, tests := misfit{chance: 1}, 0
	discrete, recorded := inspect.WithoutDensity(data), inspect.Recorded(data)
	var plain []int // whose equations are not of the form
	if f, ok := FormOf(s).(interface{ WithoutDensity() []int }); ok {
		plain = f.WithoutDensity()
	}
	noise, observed := make([][]float64, len(data.Names)), make([][]int, len(data.Names))
	for j := range data.Names {
		parents := g.Parents(j)
		observed[j] = data.ObservedRows(j)
		count := min(rows*float64(len(observed[j])), mostRows)
		if count < 10 {
			continue
		}
		rest := inspect.ColumnOf(data, j, observed[j])
		if len(parents) > 0 {
			rest = residuals(data, observed[j], j, parents, s, seed)
		}
		noise[j] = strided(rest, cellRows)
		if _, without := slices.BinarySearch(plain, j); len(parents) == 0 || without {
			continue
		}
		var levels []int // cells show small faults, for which measurements count in part anyway
		if !recorded {
			levels = classes(rest, cellLevels)
		}
		e := powers(rest)
		inner := innerRows(data, observed[j], parents)
		within := powers(scoring.Pick(nil, rest, inner))
		less := count * float64(len(inner)) / float64(len(rest))
		for _, i := range parents {
			x := inspect.ColumnOf(data, i, observed[j])
			if levels != nil && !slices.Contains(discrete, i) {
				tests++
				if p := cellChance(levels, classes(x, cellLevels),
					count/float64(len(rest))); p < worst.chance {
					worst = misfit{child: j, parent: i, chance: p}
				}
			}
			q, central := bends(x), bends(scoring.Pick(nil, x, inner))
			for k, f := range q {
				for l, power := range e {
					r := stat.Correlation(power, f, nil)
					of := stat.Correlation(within[l], central[k], nil)
					if math.IsNaN(r) || math.IsNaN(of) {
						continue
					}
					tests++
					least := math.Min(math.Abs(r)*math.Sqrt(count), math.Abs(of)*math.Sqrt(less))
					if p := math.Erfc(least / math.Sqrt2); p < worst.chance {
						worst = misfit{child: j, parent: i, chance: p}
					}
				}
			}
		}
	}
	worst.chance = math.Min(1, worst.chance*float64(max(tests, 1)))
	return worst, unexplainedBy(data, g, noise, observed, rows)
}

// powers are the ranks of noise, as normal scores, and their squares.
func powers(noise []float64) [][]float64 {
	e := ranks.NormalScores(noise)
	return [][]float64{e, floats.MulTo(make([]float64, len(e)), e, e)}
}

// bends are three functions of the ranks of a variable.
func bends(x []float64) [][]float64 {
	q := ranks.NormalScores(x)
	bend, twist := make([]float64, len(q)), make([]float64, len(q))
	for k, v := range q {
		bend[k], twist[k] = v*v-1, v*v*v-3*v
	}
	return [][]float64{q, bend, twist}
}

// innerRows are the places among some rows at which no parent is beyond its outermost values: eight
// at either end, or a fiftieth of few.
func innerRows(data *dataset.Table, rows []int, parents []int) (inner []int) {
	outer := min(8, len(rows)/50)
	out := make([]bool, len(rows))
	for _, i := range parents {
		x := inspect.ColumnOf(data, i, rows)
		sorted := slices.Sorted(slices.Values(x))
		low, high := sorted[outer], sorted[len(sorted)-1-outer]
		for k, v := range x {
			out[k] = out[k] || v < low || v > high
		}
	}
	for k := range rows {
		if !out[k] {
			inner = append(inner, k)
		}
	}
	return inner
}

// A Reserved model counts the form of its equations as that of a few rows, or knows when it
// misleads.
type Reserved interface {
	// FormNote says what the form speaks for in a probable graph under its scores, and how far that
	// can be trusted; "" if there is nothing to say.
	FormNote(data *dataset.Table, g *dag.Graph, s score.Scorer) string
}

// residuals are those of a score that has them, or what a linear equation or the mean of a few
// drawn functions leaves.
func residuals(data *dataset.Table, rows []int, j int, parents []int, s score.Scorer,
	seed uint64) []float64 {
	s = FormOf(s)
	if r, ok := s.(interface {
		Residuals(j int, parents []int) []float64
	}); ok {
		return r.Residuals(j, parents)
	}
	const draws = 16
	columns := make([][]float64, len(parents))
	for k, i := range parents {
		columns[k] = inspect.ColumnOf(data, i, rows)
	}
	rest, mean := inspect.ColumnOf(data, j, rows), make([]float64, len(rows))
	if w, ok := s.(score.Weighted); ok {
		for k, weight := range w.Equation(j, parents).Mean {
			floats.AddScaled(rest, -weight, columns[k])
		}
		return rest
	}
	for k := range draws {
		f, _, err := nodescore.NewFunction(len(parents), s.(sem.Functional).FunctionParameters(j,
			parents, stream.New(seed, stream.FunctionDraw, k)))
		if err != nil {
			panic("tobac: " + err.Error()) // numbers that were just made
		}
		f.Mean(mean, columns)
		floats.AddScaled(rest, -1./draws, mean)
	}
	return rest
}

// A Trust is the part of the evidence of a model that counts.
type Trust struct {
	Form  float64 // of the form of its equations; 1: all
	Rows  float64 // of the rows, as of [inspect.Sequence.Effective]; 1: all
	Ranks bool    // a linear model of the ranks has the evidence that the form has not
	// Whole: a form whose directions do not count decides of adjacencies, as of [Undirected].
	Whole bool
	// of the evidence, for the directions of what depends on each other; 1: all
	Directions float64
}

// WholeTrust counts all of the evidence.
var WholeTrust = Trust{Form: 1, Rows: 1, Directions: 1}

// SameEvidence reports whether as much of the evidence counts for what depends on what.
func (t Trust) SameEvidence(u Trust) bool {
	t.Directions = u.Directions
	return t == u
}

// An Undirected score is that of a form without its directions.
type Undirected interface {
	// Counting has the weight that the form with its directions gets.
	Counting(weight float64) score.Scorer
	// Surplus is as of [nodescore.Symmetric.Surplus].
	Surplus() float64
}

// counting is an undirected score of which the form with its directions has a weight, or a score as
// it is.
func counting(s score.Scorer, weight float64) score.Scorer {
	if u, ok := s.(Undirected); ok {
		return u.Counting(weight)
	}
	return s
}

// Directing are the scores by which directions are drawn of graphs that have others.
func (t Trust) Directing(s score.Scorer) score.Scorer {
	if t.Whole {
		return counting(s, 0)
	}
	return s
}

// Of are hypotheses of whose evidence this part counts. The form without its directions, or a
// linear model of the ranks, has the evidence that the form has not. Of rows that depend on each
// other the log evidence counts in proportion to the rows that would say as much if they were
// independent, and each parent costs what it would cost among so few (Schwarz 1978).
func (t Trust) Of(ctx context.Context, data *dataset.Table, all []sem.Hypothesis,
	workers int) ([]sem.Hypothesis, error) {
	out := slices.Clone(all)
	var fewer score.SubsetScorer
	if t.Rows < 1 {
		n, d := data.X.Dims()
		fewer = perParent{d, max(0, math.Log(float64(n))+math.Log(t.Rows)/(1-t.Rows)) / 2}
		for k, h := range out {
			out[k].Scores = blended(h.Scores, fewer, t.Rows)
		}
	}
	if t.Whole {
		for k, h := range out {
			out[k].Scores = counting(h.Scores, 1)
		}
		return out, nil
	}
	if t.symmetric(data) {
		for k, h := range out {
			base, err := nodescore.NewSymmetric(ctx, h.Scores, workers)
			if err != nil {
				return nil, err
			}
			out[k].Scores = blended(h.Scores, base, t.Form)
		}
		return out, nil
	}
	if t.Form < 1 {
		ranks, err := data.NormalScores()
		if err != nil {
			return nil, err
		}
		base, err := nodescore.Plain(ranks.X, ranks.Mask())
		if err != nil {
			return nil, err
		}
		if fewer != nil {
			base = &nodescore.Blend{Form: base, Base: fewer, Weight: t.Rows}
		}
		for k, h := range out {
			out[k].Scores = blended(h.Scores, base, t.Form)
		}
	}
	return out, nil
}

// symmetric reports whether the rest of the evidence is that of the form without its directions.
func (t Trust) symmetric(data *dataset.Table) bool {
	return t.Form < 1 && !t.Ranks && data.Mask() == nil &&
		len(data.Names) <= nodescore.MostSymmetric
}

// surplus is the evidence, in nats, that the form without its directions cannot have more than the
// form: the number of sequences of some variables is about that.
const surplus = 10

// WholeForm is t, unless the form without its directions finds a graph with more evidence than the
// form has: then the form does not fit what it is asked for there, and all of its evidence decides
// of adjacencies. The part of it decides of directions; of a form whose directions do not count,
// independences do, as those of measurements.
func (t Trust) WholeForm(ctx context.Context, data *dataset.Table, m sem.Model, s score.Scorer,
	why Doubt, workers int) (Trust, Doubt, error) {
	if u, ok := s.(Undirected); ok {
		if t.Form == 1 && u.Surplus() > surplus {
			t.Whole, t.Directions = true, math.Min(t.Directions, t.independent(data))
			if why.Basis == "" {
				n, _ := data.X.Dims()
				why.Basis = fmt.Sprintf("conditional independences. They count as %.0f rows for "+
					"directions, because the equations fit some columns in no sequence (--model "+
					"%v counts all rows)", t.Directions*t.Rows*float64(n), m)
			}
		}
		return t, why, nil
	}
	if !t.symmetric(data) {
		return t, why, nil
	}
	without, err := nodescore.NewSymmetric(ctx, FormOf(s), workers)
	if err == nil && without.Surplus() > surplus {
		t.Directions, t.Form = t.Form, 1
	}
	return t, why, err
}

// perParent scores every parent of every variable alike.
type perParent struct {
	vars int
	cost float64 // of a parent
}

func (p perParent) Vars() int { return p.vars }

func (p perParent) LogScore(_ int, parents []int) float64 { return -p.cost * float64(len(parents)) }

func (p perParent) LogScores(dst []float64, j int, candidates []int) {
	p.LogScoresGiven(dst, j, candidates, nil)
}

func (p perParent) LogScoresGiven(dst []float64, _ int, _, given []int) {
	for set := range dst {
		dst[set] = -p.cost * float64(bits.OnesCount(uint(set))+len(given))
	}
}

// blended is a part of a form, the rest of a base, with the equations or functions of the form.
func blended(form score.Scorer, base score.SubsetScorer, weight float64) score.Scorer {
	b := &nodescore.Blend{Form: form, Base: base, Weight: weight}
	switch s := form.(type) {
	case score.Weighted:
		_, rows := base.(perParent)
		return weightedBlend{b, s, rows}
	case sem.Functional:
		return functionalBlend{b, s}
	}
	return b
}

// FormOf is what was blended with something else.
func FormOf(s score.Scorer) score.Scorer {
	for {
		switch b := s.(type) {
		case weightedBlend:
			s = b.Form
		case functionalBlend:
			s = b.Form
		case *nodescore.Blend:
			s = b.Form
		default:
			return s
		}
	}
}

// A weightedBlend has the equations of its form, and where rows are fewer than they seem, with
// variances as of so many.
type weightedBlend struct {
	*nodescore.Blend
	form score.Weighted
	rows bool // the weight is that of the rows
}

func (b weightedBlend) Equation(j int, parents []int) score.Equation {
	e := b.form.Equation(j, parents)
	if b.rows {
		if e.Cov != nil {
			var wider mat.SymDense
			wider.ScaleSym(1/b.Weight, e.Cov)
			e.Cov = &wider
		}
		e.Strength *= b.Weight
	}
	return e
}

// A functionalBlend has the functions of its form.
type functionalBlend struct {
	*nodescore.Blend
	form sem.Functional
}

func (b functionalBlend) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return b.form.FunctionParameters(j, parents, rng)
}

// finding says what was found.
func (m misfit) finding(names []string) string {
	return fmt.Sprintf("the noise of %s depends on %s (%s), which refutes the form of the "+
		"equations", strconv.Quote(names[m.child]), strconv.Quote(names[m.parent]),
		chance(m.chance))
}

// chance is a small p-value, "p = 3e-05".
func chance(p float64) string {
	if p < 1e-12 {
		return "p < 1e-12"
	}
	return fmt.Sprintf("p = %.0e", p)
}

// A Doubt is why not all of the evidence of a form counts. Its zero value is none.
type Doubt struct {
	Finding string // what refutes the form
	Refuted string // that, and what follows; a warning
	Basis   string // as of [engine.Outcome]
	Beside  string // what else the equations leave; a warning
}

// In is the part of the evidence of a model, chosen for its evidence, that counts, and why that of
// its form is not all: the noise of the most probable graph refutes the form of the equations, or
// the values are measurements ([inspect.Recorded]), which no form describes exactly.
func (t Trust) In(data *dataset.Table, m sem.Model, g *dag.Graph, s score.Scorer,
	seed uint64) (Trust, Doubt) {
	n, _ := data.X.Dims()
	doubt := Doubt{}
	if refutable(m) {
		found, rest := examineNoise(data, g, s, t.Rows, seed)
		if found.chance <= refuted {
			t.Ranks = true
			t.Form = 1 / (1 + t.Rows*float64(n)/trustedRows)
			finding, of := found.finding(data.Names), "conditional independences"
			doubt = Doubt{Finding: finding, Basis: of,
				Refuted: fmt.Sprintf("%s: the evidence of that form counts as %.0f rows instead "+
					"of %d, and directions follow from %s", finding, t.Form*t.Rows*float64(n), n,
					of)}
			if data.HasKind(ofFewValues) && inspect.Tied(data) {
				t.Directions = t.independent(data)
				doubt.Basis = t.few(of, m, data)
			}
			return t, doubt
		}
		if rest.chance <= unexplained && !inspect.Recorded(data) {
			doubt.Beside = fmt.Sprintf("%s (%s): a hidden common cause or another form of the "+
				"equations would explain it, and directions may be wrong", rest.text,
				chance(rest.chance))
		}
	}
	if from := sem.TraitsOf(m).DirectionsFrom; from != "" && ReadsForm(m) &&
		inspect.Recorded(data) {
		t.Form, t.Ranks = t.recorded(data), !sem.TraitsOf(m).AnyNoise ||
			len(inspect.WithoutDensity(data)) > 0
		doubt.Basis = fmt.Sprintf("%s. That counts as %.0f rows for directions, because no form "+
			"of equations describes measurements exactly (--model %v counts all rows)", from,
			t.Form*t.Rows*float64(n), m)
	}
	if independences(m, data) && inspect.Tied(data) {
		t.Directions = t.independent(data)
		doubt.Basis = t.few("conditional independences", m, data)
	}
	if traits := sem.TraitsOf(m); traits.Formed && t.Form == 1 {
		t.Directions = math.Min(t.Directions, formed)
	}
	return t, doubt
}

// ofFewValues reports whether a column of a kind has levels or counts, as tables of people and
// things have that nobody simulated.
func ofFewValues(k dataset.Kind) bool { return k.Levelled() || k == dataset.Count }

// independent is the part of the evidence of independences of measurements that counts for
// directions.
func (t Trust) independent(data *dataset.Table) float64 {
	n, _ := data.X.Dims()
	return 1 / (1 + t.Rows*float64(n)/independentRows)
}

// few says as how many rows independences count for directions.
func (t Trust) few(independences string, m sem.Model, data *dataset.Table) string {
	n, _ := data.X.Dims()
	return fmt.Sprintf("%s. They count as %.0f rows for directions, because none is exact among "+
		"measurements (--model %v counts all rows)", independences,
		t.Directions*t.Rows*float64(n), m)
}

// independences reports whether a model reads directions off conditional independences alone, of a
// table that has levels or counts.
func independences(m sem.Model, data *dataset.Table) bool {
	t := sem.TraitsOf(m)
	return t.Equivalent && (t.Categories || data.HasKind(ofFewValues))
}

// Refuted reports whether the noise in the equations of a graph refutes their form.
func Refuted(data *dataset.Table, g *dag.Graph, s score.Scorer, seed uint64) bool {
	found, _ := examineNoise(data, g, s, 1, seed)
	return found.chance <= refuted
}

// recorded is the part of the form of equations of measurements that counts.
func (t Trust) recorded(data *dataset.Table) float64 {
	n, _ := data.X.Dims()
	return 1 / (1 + t.Rows*float64(n)/recordedRows)
}

// Prefers reports whether the first of two models, of which the second has so many nats of evidence
// more, is to be taken: of measurements, whose form counts in part, one that has noise of any shape
// and is not far behind by what counts.
func (t Trust) Prefers(first, second sem.Model, nats float64, data *dataset.Table) bool {
	return sem.TraitsOf(first).AnyNoise && ReadsForm(second) && !sem.TraitsOf(second).AnyNoise &&
		inspect.Recorded(data) && nats*t.recorded(data) < math.Log(20)
}

// ReadsForm reports whether a model reads directions off the form of its equations, or off a noise
// variance that they share.
func ReadsForm(m sem.Model) bool {
	t := sem.TraitsOf(m)
	return t.Formed || t.SharesNoise
}
