package additive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/internal/scoring"
	"tobac/internal/smooth"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Options are settings of a [Scorer].
type Options struct {
	// Linear leaves out the forms with smooth functions: all equations are straight lines,
	// whose weights [Linear.Equation] has.
	Linear bool

	// Shared is the kind of noise that most variables have, from 1 to [SharedForms]; 0 means that
	// all kinds are as probable.
	Shared int

	// MaxParents is the number of parents up to which all equations are fitted. Sets of more
	// parents get the score of Base and the difference of their most important ones,
	// [nodescore.ExtendTable], but for those that [Scorer.Refine] is asked for. 0 means no bound.
	MaxParents int
	Base       score.SubsetScorer // required with MaxParents, and with Plain

	// Sparse leaves out equations of several parents one of which does not matter: neither alone,
	// nor beside the best other one, nor beside all others under Base.
	Sparse bool

	// Modes are shared by scorers of the same data, for which one finds the modes of straight
	// lines; nil means that the scorer finds its own.
	Modes *Modes

	// Sums leaves out the forms with products.
	Sums bool

	// Causes are the columns as parents, n×d; nil means the data themselves. Numbers that were
	// rounded have a density when equal ones are spread, but act as they are.
	Causes mat.Matrix

	// Plain are the variables that Base scores, ascending: columns of few values, say, whose
	// noise has no density. Their edges from and to others gain what they gain under Base, so that
	// no direction of theirs rests on two models.
	Plain []int
}

// Prior variances, of columns with variance 1.
const (
	interceptVariance = 4
	weightVariance    = 1
	logScaleVariance  = 1.5 * 1.5
	scaleVariance     = 0.5 * 0.5 // of the weights of the scale's functions
)

// Many rows show what few smooth functions of a column leave.
const manyRows, manyFunctions = 1500, 12

// A Scorer scores additive equations, as the package comment says. A variable without rows
// scores 0. It is safe for concurrent use, and keeps the scores that it has computed.
type Scorer struct {
	opt    Options
	child  []child
	parent []smooth.Basis
	centre []float64 // of all rows, by which parents are standardised
	sd     []float64
	sketch *Scorer // of some of the rows; nil where these are few

	known  scoring.Memory[float64] // scores of fitted equations
	drawn  scoring.Memory[[]*fit]  // likely forms of the equations that functions were drawn of
	matter scoring.Memory[[]bool]  // of no parents: which variables matter
	pairs  *scoring.Memory[[]product]
}

// A child is a variable as the left-hand side of an equation: its rows that were not set by
// intervention.
type child struct {
	rows       []int // nil means all
	y          []float64
	centre, sd float64
	parent     []smooth.Basis // at these rows
}

var (
	_ score.SubsetScorer = (*Scorer)(nil)
	_ score.SubsetScorer = (*Linear)(nil)
	_ score.Weighted     = (*Linear)(nil)
)

// New prepares the scores for data x, n×d, with intervened as for [score.NewBGe]. A column that
// does not vary is a [*scoring.ConstantColumnError].
func New(x, intervened mat.Matrix, opt Options) (*Scorer, error) {
	n, d := x.Dims()
	if n < 2 || d < 1 {
		return nil, fmt.Errorf(
			"additive: got %d rows of %d variables, want at least two rows of one", n, d)
	}
	if opt.Base == nil && (opt.MaxParents > 0 || len(opt.Plain) > 0) || opt.MaxParents < 0 {
		return nil, fmt.Errorf("additive: at most %d parents and %d plain variables, want a "+
			"scorer for other sets", opt.MaxParents, len(opt.Plain))
	}
	if opt.Modes == nil {
		opt.Modes = NewModes()
	}
	s := &Scorer{opt: opt, pairs: new(scoring.Memory[[]product])}
	for j := range d {
		column := mat.Col(nil, j, x)
		for i, v := range column {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				return nil, fmt.Errorf("additive: row %d, column %d is %v, want a finite number "+
					"of magnitude up to 1e150", i+1, j+1, v)
			}
		}
		c := child{}
		if intervened != nil {
			c.rows = []int{}
			for i := range n {
				if intervened.At(i, j) == 0 {
					c.rows = append(c.rows, i)
				}
			}
			if len(c.rows) == n {
				c.rows = nil
			}
		}
		if opt.Causes != nil {
			mat.Col(column, j, opt.Causes)
		}
		centre, sd := scoring.Standardise(column)
		if sd == 0 {
			return nil, &scoring.ConstantColumnError{Column: j}
		}
		s.centre, s.sd = append(s.centre, centre), append(s.sd, sd)
		functions := smooth.Functions
		switch {
		case opt.Linear:
			functions = 0
		case n >= manyRows:
			functions = manyFunctions
		}
		s.parent = append(s.parent, smooth.NewBasis(column, functions, smooth.GrowingTails))
		c.y = at(mat.Col(nil, j, x), c.rows)
		if c.centre, c.sd = scoring.Standardise(c.y); c.sd == 0 && len(c.y) > 0 {
			if len(c.y) > 1 {
				return nil, &scoring.ConstantColumnError{Column: j}
			}
			c.sd = sd
		}
		s.child = append(s.child, c)
	}
	for j := range s.child {
		c := &s.child[j]
		if c.parent = s.parent; c.rows != nil {
			c.parent = make([]smooth.Basis, d)
			for i := range d {
				c.parent[i] = s.parent[i].At(c.rows)
			}
		}
	}
	if n >= sketchedFrom {
		s.sketch = s.sketched(n)
	}
	return s, nil
}

// Of many rows a search for modes first looks at some of them ([sketch]).
const (
	sketchRows   = 8192
	sketchedFrom = 4 * sketchRows // rows of a table
)

// sketched is a scorer of one in so many of n rows, about sketchRows of them, with the same
// functions and units.
func (s *Scorer) sketched(n int) *Scorer {
	out := &Scorer{opt: s.opt, parent: s.parent, centre: s.centre, sd: s.sd,
		pairs: new(scoring.Memory[[]product])}
	out.opt.Modes = s.opt.Modes.sketch
	for _, c := range s.child {
		t := child{centre: c.centre, sd: c.sd}
		places := scoring.Spread(len(c.y), len(c.y)*sketchRows/n) // among the rows of the child
		t.rows = places
		if c.rows != nil {
			t.rows = scoring.Pick(nil, c.rows, places)
		}
		t.y = scoring.Pick(nil, c.y, places)
		for i := range s.parent {
			t.parent = append(t.parent, s.parent[i].At(t.rows))
		}
		out.child = append(out.child, t)
	}
	return out
}

// at are the elements in some rows; nil means x itself.
func at(x []float64, rows []int) []float64 {
	if rows == nil {
		return x
	}
	return scoring.Pick(nil, x, rows)
}

// Sharing are the scores with another kind of noise that most variables have, as of
// [Options].Shared, with the same modes.
func (s *Scorer) Sharing(kind int) *Scorer {
	out := &Scorer{opt: s.opt, child: s.child, parent: s.parent, centre: s.centre, sd: s.sd,
		sketch: s.sketch, pairs: s.pairs}
	out.opt.Shared = kind
	return out
}

// Vars implements [score.Scorer].
func (s *Scorer) Vars() int { return len(s.child) }

// plain reports whether Base scores variable j.
func (s *Scorer) plain(j int) bool {
	_, found := slices.BinarySearch(s.opt.Plain, j)
	return found
}

// Known reports whether the equation of a variable given its parents is fitted.
func (s *Scorer) Known(j int, parents []int) bool {
	if s.plain(j) || s.opt.MaxParents == 0 || len(parents) <= s.opt.MaxParents &&
		s.allMatter(j, parents) {
		return true
	}
	return s.known.Has(j, parents)
}

// someMatter is the evidence, in nats, from which on a parent may matter: one of no effect has
// about −½ ln n, the number of rows.
const someMatter = -1

// allMatter reports whether each of several parents matters, unless all equations are fitted.
func (s *Scorer) allMatter(j int, parents []int) bool {
	if !s.opt.Sparse || len(parents) < 2 || len(s.child[j].y) == 0 {
		return true
	}
	matter := s.matter.Of(j, nil, func() []bool {
		d := s.Vars()
		others, all, base := dag.AllBut(d, j), make([]bool, d), s.opt.Base
		of := func(score func(j int, parents []int) float64, i int, beside ...int) float64 {
			return score(j, nodescore.Toggled(beside, i)) - score(j, beside)
		}
		best := slices.MaxFunc(others, func(a, b int) int {
			return cmp.Compare(s.fitted(j, []int{a}), s.fitted(j, []int{b}))
		})
		for _, i := range others {
			gain := max(of(s.fitted, i), of(base.LogScore, i), -of(base.LogScore, i, others...))
			if i != best && gain <= someMatter {
				gain = of(s.lines, i, best)
			}
			all[i] = gain > someMatter
		}
		all[best] = true
		return all
	})
	return !slices.ContainsFunc(parents, func(i int) bool { return !matter[i] })
}

// lines is the score of the straight lines of a set of parents alone, but for a constant.
func (s *Scorer) lines(j int, parents []int) float64 {
	if slices.ContainsFunc(parents, s.plain) {
		return s.fitted(j, parents)
	}
	_, v := s.logWeights(s.straight(j, parents), len(parents))
	return v
}

// Refine fits the equation of a variable given its parents, whatever their number. Scores of
// larger sets change with it.
func (s *Scorer) Refine(j int, parents []int) {
	if !s.plain(j) {
		s.fitted(j, parents)
	}
}

// LogScore implements [score.Scorer].
func (s *Scorer) LogScore(j int, parents []int) float64 {
	if s.plain(j) {
		return s.opt.Base.LogScore(j, parents)
	}
	return nodescore.Extend(s.opt.Base, j, parents, s.knownOf(j))
}

// LogScores implements [score.SubsetScorer].
func (s *Scorer) LogScores(dst []float64, j int, candidates []int) {
	if s.plain(j) {
		s.opt.Base.LogScores(dst, j, candidates)
		return
	}
	nodescore.ExtendedScores(s.opt.Base, dst, j, candidates, s.knownOf(j))
}

// knownOf is the function of parents that returns the score of a set whose equation is fitted, NaN
// of others.
func (s *Scorer) knownOf(j int) func(parents []int) float64 {
	return func(parents []int) float64 {
		if !s.Known(j, parents) {
			return math.NaN()
		}
		return s.fitted(j, parents)
	}
}

// fitted is the score of a set of parents whose equations are fitted, once.
func (s *Scorer) fitted(j int, parents []int) float64 {
	if len(s.child[j].y) == 0 {
		return 0
	}
	return s.known.Of(j, parents, func() float64 {
		// An edge between a column with a density and one without gains what it gains in Base,
		// whatever its direction.
		if rest := slices.DeleteFunc(slices.Clone(parents), s.plain); len(rest) < len(parents) {
			return s.fitted(j, rest) + s.opt.Base.LogScore(j, parents) - s.opt.Base.LogScore(j,
				rest)
		}
		_, v := s.logWeights(s.modes(j, parents), len(parents))
		if len(parents) == 0 { // a density of any form is as probable as each of the forms
			v = floats.LogSumExp(
				[]float64{v, treeEvidence(s.child[j].y) - math.Log(float64(len(forms)))})
		}
		return v - float64(len(s.child[j].y))*math.Log(s.child[j].sd)
	})
}

// equation has the terms of a form of the equation of a variable given its parents: of the mean, of
// the logarithm of the noise's scale, and of its shape.
func (s *Scorer) equation(j int, parents []int, form int, amplitude float64) *equation {
	f, c := forms[form], &s.child[j]
	e := &equation{y: c.y, shape: f.shape}
	add := func(at place, column []float64, variance float64) {
		e.terms = append(e.terms, term{at, column, variance})
	}
	add(place{0, -1, -1, 0}, nil, interceptVariance)
	for _, i := range parents {
		add(place{0, i, -1, 0}, c.parent[i].Column, weightVariance)
	}
	for _, i := range parents {
		for k, v := range c.parent[i].Variance {
			if f.smooth {
				add(place{0, i, -1, 1 + k}, c.parent[i].Smooth[k], amplitude*amplitude*v)
			}
		}
	}
	for a, i := range parents {
		for _, k := range parents[:a] {
			if f.products {
				for m, p := range s.pair(j, k, i) {
					add(place{0, k, i, m}, p.column, amplitude*amplitude*p.variance)
				}
			}
		}
	}
	add(place{1, -1, -1, 0}, nil, logScaleVariance)
	for _, i := range parents {
		for k, g := range c.parent[i].Scale {
			if f.scale {
				add(place{1, i, -1, k}, g, scaleVariance)
			}
		}
	}
	for k := range shapes[f.shape].params {
		add(place{2 + k, -1, -1, 0}, nil, 1)
	}
	return e
}

// A product is that of functions of two parents, less its mean over all rows.
type product struct {
	column   []float64 // at the rows of the child
	mean     float64
	variance float64 // prior, at amplitude 1
}

// pair are the products of two parents of variable j: of the lines and of the leading smooth
// functions of either. Columns without smooth functions have none.
func (s *Scorer) pair(j, i, k int) []product {
	if !s.multiply(j, []int{i, k}) {
		return nil
	}
	key := []int{i, k}
	if s.child[j].rows != nil {
		key = append(key, j)
	}
	return s.pairs.Of(0, key, func() []product {
		var all []product
		functions := func(i int) ([][]float64, []float64) {
			b := &s.child[j].parent[i]
			return [][]float64{b.Column, b.Smooth[0]}, []float64{1, b.Variance[0]}
		}
		left, u := functions(i)
		right, v := functions(k)
		for a, f := range left {
			for b, g := range right {
				column := floats.MulTo(make([]float64, len(f)), f, g)
				mean := stat.Mean(column, nil)
				floats.AddConst(-mean, column)
				all = append(all, product{column, mean, u[a] * v[b]})
			}
		}
		return all
	})
}

// rowsPerPair is the number of rows from which on there are products of a pair of parents.
const rowsPerPair = 16

// multiply reports whether there are products of some parents of variable j.
func (s *Scorer) multiply(j int, parents []int) bool {
	if s.opt.Sums {
		return false
	}
	curved := 0
	for _, i := range parents {
		if len(s.child[j].parent[i].Smooth) > 0 {
			curved++
		}
	}
	return curved > 1 && curved*(curved-1)/2*rowsPerPair <= len(s.child[j].y)
}

// programs are compiled ones that nobody uses, a [sync.Pool] for each [programKey]: several scorers
// of one table take them in turn.
var programs sync.Map

type programKey struct{ shape, rows int }

// pool is that of the programs of a shape for so many rows.
func pool(shape, rows int) *sync.Pool {
	p, _ := programs.LoadOrStore(programKey{shape, rows}, new(sync.Pool))
	return p.(*sync.Pool)
}

// take finds a program that nobody uses, or makes one.
func take(shape, rows int) *program {
	if p, ok := pool(shape, rows).Get().(*program); ok {
		return p
	}
	p, err := newProgram(shapes[shape], rows)
	if err != nil {
		panic("additive: " + err.Error()) // the shapes are known to compile
	}
	return p
}

// Seconds is about the processor time of the scores of all sets of at most `most` parents, on
// one core of an AMD EPYC: go test ./internal/additive -bench Scores prints how far it is off.
func Seconds(n, d, most int, linear bool) float64 {
	sum, sets := 0.0, float64(d)
	for k := 0; k <= most; k++ {
		each := (0.6 + 0.6*float64(k)) * (0.5 + 0.0008*float64(n))
		switch {
		case linear:
			each = (1 + 0.1*float64(k)) * (0.1 + 0.0005*float64(n))
		case n >= manyRows:
			each *= 1.4
		}
		sum += sets * each / 1e3
		sets *= float64(d-1-k) / float64(k+1)
	}
	return sum
}
