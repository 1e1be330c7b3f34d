package additive

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/internal/smooth"
	"tobac/score"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Options are settings of a [Scorer].
type Options struct {
	// Linear leaves out the forms with smooth functions: all equations are straight lines,
	// whose weights [Scorer.Equation] has.
	Linear bool

	// MaxParents is the number of parents up to which all equations are fitted. Sets of more
	// parents get the score of Base and the difference of their most important ones,
	// [score.ExtendTable], but for those that [Scorer.Refine] is asked for. 0 means no bound.
	MaxParents int
	Base       score.SubsetScorer // required with MaxParents, and with Plain

	// Modes are shared by scorers of the same data, for which one finds the modes of straight
	// lines; nil means that the scorer finds its own.
	Modes *Modes

	// Plain are the variables that Base scores, ascending: columns of few values, say, whose
	// noise has no density. Their edges from and to others gain what they gain under Base, so that
	// no direction of theirs rests on two models.
	Plain []int
}

// A form says which terms an equation has.
type form struct {
	shape         int  // of the noise, in shapes
	smooth, scale bool // smooth functions of the parents; their effect on the noise's scale
	within        int  // index of a form with fewer terms, at whose mode the search begins
}

// forms are those that a score averages over, with equal prior probabilities; the linear ones
// come first.
var forms = []form{{shape: normal}, {shape: student}, {shape: lightTails}, {shape: sinhArcsinh}, {scale: true},
	{smooth: true}, {shape: student, smooth: true, within: 1}, {shape: lightTails, smooth: true, within: 2}, {shape: sinhArcsinh, smooth: true, within: 3},
	{smooth: true, scale: true, within: 5}}

const linearForms = 5

// amplitudes are the standard deviations of smooth functions that their evidence is averaged
// over, in units of those of the columns.
var amplitudes = []float64{1, 0.3, 3}

// Prior variances, of columns with variance 1.
const (
	interceptVariance = 4
	weightVariance    = 1
	logScaleVariance  = 1.5 * 1.5
	scaleVariance     = 0.5 * 0.5 // of the weights of the scale's functions
)

// Modes are those of equations that are straight lines, with their log evidences. They are safe
// for concurrent use.
type Modes struct {
	mu sync.Mutex
	of map[string][]mode // by [score.FamilyKey], of all linear forms
}

// NewModes has none.
func NewModes() *Modes { return &Modes{of: map[string][]mode{}} }

// A mode is that of a form.
type mode struct {
	theta []float64
	log   float64 // without the prior probability of the form
}

// find returns those of an equation; nil means that they are not known.
func (m *Modes) find(key string) []mode {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[key]
}

// keep keeps the modes of the first linearForms fits.
func (m *Modes) keep(key string, fits []*fit, forms int) {
	if m == nil {
		return
	}
	all := make([]mode, linearForms)
	for k := range all {
		all[k] = mode{fits[k].theta, fits[k].log + math.Log(float64(forms))}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[key] = all
}

// A Scorer scores additive equations, as the package comment says. A variable without rows
// scores 0. It is safe for concurrent use, and keeps the scores that it has computed.
type Scorer struct {
	opt    Options
	child  []child
	parent []smooth.Basis
	centre []float64 // of all rows, by which parents are standardised
	sd     []float64

	mu    sync.Mutex
	known map[string]float64                 // scores of fitted equations, by [score.FamilyKey]
	drawn map[string][]*fit                  // likely forms of the equations that functions were drawn of
	keep  func(key string, e score.Equation) // takes their weights; may be nil
}

// A child is a variable as the left-hand side of an equation: its rows that were not set by
// intervention.
type child struct {
	rows       []int // nil: all
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
// does not vary is a [*score.ConstantColumnError].
func New(x, intervened mat.Matrix, opt Options) (*Scorer, error) {
	n, d := x.Dims()
	if n < 2 || d < 1 {
		return nil, fmt.Errorf("additive: got %d rows of %d variables, want at least two rows of one", n, d)
	}
	if opt.Base == nil && (opt.MaxParents > 0 || len(opt.Plain) > 0) || opt.MaxParents < 0 {
		return nil, fmt.Errorf("additive: at most %d parents and %d plain variables, want a scorer for other sets", opt.MaxParents, len(opt.Plain))
	}
	s := &Scorer{opt: opt, known: map[string]float64{}, drawn: map[string][]*fit{}}
	for j := range d {
		column := mat.Col(nil, j, x)
		for i, v := range column {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				return nil, fmt.Errorf("additive: row %d, column %d is %v, want a finite number of magnitude up to 1e150", i+1, j+1, v)
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
		centre, sd := standardise(column)
		if sd == 0 {
			return nil, &score.ConstantColumnError{Column: j}
		}
		s.centre, s.sd = append(s.centre, centre), append(s.sd, sd)
		s.parent = append(s.parent, smooth.NewBasis(column, !opt.Linear))
		c.y = at(mat.Col(nil, j, x), c.rows)
		if c.centre, c.sd = standardise(c.y); c.sd == 0 && len(c.y) > 0 {
			if len(c.y) > 1 {
				return nil, &score.ConstantColumnError{Column: j}
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
	return s, nil
}

// standardise shifts and scales a column to mean 0 and variance 1, and returns by how much; sd
// is 0 for a column that does not vary.
func standardise(x []float64) (centre, sd float64) {
	if len(x) == 0 || floats.Min(x) == floats.Max(x) {
		return 0, 0
	}
	centre = stat.Mean(x, nil)
	floats.AddConst(-centre, x)
	largest := floats.Norm(x, math.Inf(1))
	floats.Scale(1/largest, x) // keeps squares in range
	rest := stat.Mean(x, nil)
	floats.AddConst(-rest, x)
	sd = math.Sqrt(floats.Dot(x, x) / float64(len(x)))
	floats.Scale(1/sd, x)
	return centre + rest*largest, sd * largest
}

// at are the elements in some rows; nil: x itself.
func at(x []float64, rows []int) []float64 {
	if rows == nil {
		return x
	}
	out := make([]float64, len(rows))
	for k, i := range rows {
		out[k] = x[i]
	}
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
	if s.plain(j) || s.opt.MaxParents == 0 || len(parents) <= s.opt.MaxParents {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.known[score.FamilyKey(j, parents)]
	return ok
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
	return score.Extend(s.opt.Base, j, parents, s.knownOf(j))
}

// LogScores implements [score.SubsetScorer].
func (s *Scorer) LogScores(dst []float64, j int, candidates []int) {
	if s.plain(j) {
		s.opt.Base.LogScores(dst, j, candidates)
		return
	}
	score.ExtendedScores(s.opt.Base, dst, j, candidates, s.knownOf(j))
}

// knownOf is the function of parents that returns the score of a set whose equation is fitted, NaN of
// others.
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
	key := score.FamilyKey(j, parents)
	s.mu.Lock()
	v, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return v
	}
	rest := slices.DeleteFunc(slices.Clone(parents), s.plain)
	var fits []*fit
	switch {
	case s.keep != nil:
		fits = s.fits(j, parents)
		s.opt.Modes.keep(key, fits, linearForms)
	case len(rest) == len(parents):
		fits = s.fitsFrom(j, parents, s.opt.Modes.find(key))
	}
	// An edge between a column with a density and one without gains what it gains in Base, whatever
	// its direction.
	if len(rest) < len(parents) {
		v = s.fitted(j, rest) + s.opt.Base.LogScore(j, parents) - s.opt.Base.LogScore(j, rest)
	} else {
		v = logEvidence(fits)
		if len(parents) == 0 { // a density of any form is as probable as each of the forms
			v = floats.LogSumExp([]float64{v, treeEvidence(s.child[j].y) - math.Log(float64(len(forms)))})
		}
		v -= float64(len(s.child[j].y)) * math.Log(s.child[j].sd)
	}
	if s.keep != nil {
		s.keep(key, s.equationOf(j, parents, fits))
	}
	s.mu.Lock()
	s.known[key] = v
	s.mu.Unlock()
	return v
}

// A fit is the mode of one form of an equation with its log evidence, the prior probability of
// the form included.
type fit struct {
	form
	equation
	theta []float64
	root  blas64.Triangular // U of the negative Hessian UᵀU
	log   float64
}

// negligible is how far, in nats, a form with smooth functions may lie behind the best, by the
// estimate of one Newton step from the mode without them, before its own mode is not looked
// for.
const negligible = 20

// fits are all forms of the equation of a variable given its parents.
func (s *Scorer) fits(j int, parents []int) []*fit { return s.fitsFrom(j, parents, nil) }

// fitsFrom are those of fits, of which the straight lines have no more than a mode and an evidence
// if their modes are given.
func (s *Scorer) fitsFrom(j int, parents []int, modes []mode) []*fit {
	in := forms
	if s.opt.Linear {
		in = forms[:linearForms]
	}
	var all []*fit
	first := make([]*fit, len(in)) // of each form
	best := math.Inf(-1)
	for k, f := range in {
		logWeight := -math.Log(float64(len(in)))
		var from *fit
		if k > 0 {
			from = first[f.within]
		}
		least := math.Inf(-1)
		if f.smooth {
			least = best - negligible
		}
		if k < len(modes) {
			first[k] = &fit{form: f, theta: modes[k].theta, log: modes[k].log + logWeight}
			all = append(all, first[k])
			best = max(best, first[k].log)
			continue
		}
		try := func(amplitude, logWeight float64) {
			from = s.fit(j, parents, f, amplitude, logWeight, from, least)
			if all = append(all, from); first[k] == nil {
				first[k] = from
			}
			best = max(best, from.log)
		}
		switch {
		case len(parents) == 0 && (f.smooth || f.scale): // the same as the form without
			first[k] = first[f.shape]
			all = append(all, first[k])
		case f.smooth:
			for _, a := range amplitudes {
				if try(a, logWeight-math.Log(float64(len(amplitudes)))); from.log < least {
					break // other amplitudes have no more
				}
			}
		default:
			try(0, logWeight)
		}
	}
	return all
}

// logEvidence is that of all forms together.
func logEvidence(fits []*fit) float64 {
	all := make([]float64, len(fits))
	for k, f := range fits {
		all[k] = f.log
	}
	return floats.LogSumExp(all)
}

// fit finds the mode of one form, from that of a form with fewer terms or another amplitude;
// nil: from least squares.
func (s *Scorer) fit(j int, parents []int, f form, amplitude, logWeight float64, from *fit, least float64) *fit {
	c := &s.child[j]
	p := take(f.shape, len(c.y))
	defer pool(f.shape, len(c.y)).Put(p)
	out := &fit{form: f, equation: equation{y: c.y, p: p}}
	add := func(channel int, column []float64, variance float64) {
		out.terms = append(out.terms, term{channel: channel, column: column, variance: variance})
	}
	// where the search begins: the terms that from has too have their weights there, all others 0
	at, sd := 0, 1.0
	start := func(has bool) {
		for len(out.theta) < len(out.terms) {
			v := 0.0
			if has && from != nil && at < len(from.theta) {
				v = from.theta[at]
				at++
			}
			out.theta = append(out.theta, v)
		}
	}
	add(0, nil, interceptVariance)
	for _, i := range parents {
		add(0, c.parent[i].Column, weightVariance)
	}
	if from == nil {
		out.theta, sd = out.leastSquares()
	}
	start(true)
	if f.smooth {
		for _, i := range parents {
			for k, v := range c.parent[i].Variance {
				add(0, c.parent[i].Smooth[k], amplitude*amplitude*v)
			}
		}
	}
	start(from != nil && from.smooth)
	add(1, nil, logScaleVariance)
	start(true)
	if from == nil {
		out.theta[len(out.theta)-1] = math.Log(math.Max(sd, 1e-3))
	}
	if f.scale {
		for _, i := range parents {
			for _, g := range c.parent[i].Scale {
				add(1, g, scaleVariance)
			}
		}
	}
	start(from != nil && from.scale)
	for k := range shapes[f.shape].params {
		add(2+k, nil, 1)
	}
	start(from != nil && from.shape == f.shape)
	log, err := out.laplace(out.theta, &out.root, least-logWeight)
	if err != nil {
		panic("additive: " + err.Error()) // of a program that was compiled
	}
	out.log, out.p = log+logWeight, nil
	return out
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
		each := (0.6 + 0.6*float64(k)) * (0.5 + 0.0033*float64(n))
		if linear {
			each = (1 + 0.1*float64(k)) * (0.2 + 0.0016*float64(n))
		}
		sum += sets * each / 1e3
		sets *= float64(d-1-k) / float64(k+1)
	}
	return sum
}
