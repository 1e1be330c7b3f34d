package generalised

import (
	"context"
	"fmt"
	"math"
	"sync"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/scoring"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Options are settings of a [Scorer].
type Options struct {
	// MaxParents is the number of parents up to which equations are fitted. Sets of more parents
	// get the score of Base and the difference of their most important ones,
	// [nodescore.ExtendTable]. 0 means no bound.
	MaxParents int
	Base       score.SubsetScorer // required

	trial *trial // what counts steps; nil means nothing does
}

// A Scorer scores the equations of a table, as the package comment says. It keeps the scores that
// it has computed.
type Scorer struct {
	opt       Options
	variables []Variable
	all       []covariates
	child     []child
	tabled    [][]float64 // values of the variables with levels

	known scoring.Memory[float64]
	drawn scoring.Memory[[]likelyForm]
	mu    sync.Mutex
	// a variable and its only parent: whether curves are worth trying with others
	bent map[[2]int]bool
}

// A trial counts the multiplications of a [Scorer] in some of its rows, as of so many.
type trial struct {
	rows  int
	spent float64
}

// A child is a variable on the left-hand side of equations.
type child struct {
	y        []float64
	parent   []covariates // in its rows
	place    [][2]int     // of their columns in the Gram matrix
	code     [][]int      // of parents with levels, in its rows
	families []family
	alone    [][]float64 // modes of the families without parents, from which searches begin
	normals  []normal
	weights  []float64 // prior variances τ² of the families
	tables   []*nodescore.Dirichlet
	lone     [][]float64 // scores of the variables with levels without parents, by table
	tableAt  []int       // of each variable among those with levels; −1: none
	values   []float64   // of the levels that occur
	level    float64     // the mean
	constant bool
}

// Prior variances τ² that are averaged over: of effects relative to the noise, on the scale of
// logits, and on that of logarithms of means.
var (
	normalWeights = []float64{0.01, 0.1, 1, 10}
	logitWeights  = []float64{0.015, 0.15, 1.5}
	logWeights    = []float64{0.003, 0.03, 0.4}
	tableSizes    = []float64{1, 5, 20, 80} // equivalent sample sizes
)

const (
	farBehind      = 8    // nats, from which on a distribution is left out
	mostParameters = 150  // of an equation
	startedRows    = 5000 // above which a search begins where one among half as many ended
	// nats that curves of a single parent may lose and still be tried with others
	hardlyBent = 1
)

var _ score.SubsetScorer = (*Scorer)(nil)

// New prepares the scores of a table x, n×d, whose columns are as variables says. intervened is as
// of [score.NewBGe]. A column that does not vary has the score 0, and no covariates.
func New(x, intervened mat.Matrix, variables []Variable, opt Options) (*Scorer, error) {
	if err := check(x, variables); err != nil {
		return nil, err
	}
	if opt.Base == nil && opt.trial == nil || opt.MaxParents < 0 {
		return nil, fmt.Errorf("generalised: at most %d parents, want no negative number and a "+
			"scorer for larger sets", opt.MaxParents)
	}
	n, d := x.Dims()
	s := &Scorer{opt: opt, variables: variables, bent: map[[2]int]bool{}}
	for j := range d {
		s.all = append(s.all, newCovariates(mat.Col(nil, j, x), variables[j]))
		if variables[j].Kind.Levelled() {
			s.tabled = append(s.tabled, variables[j].values())
		}
	}
	shared := map[string][]covariates{}
	grams := map[string]*gram{}
	for j := range d {
		rows := make([]int, 0, n)
		mark := make([]byte, n)
		for i := range n {
			if intervened == nil || intervened.At(i, j) == 0 {
				rows = append(rows, i)
				mark[i] = 1
			}
		}
		key := string(mark)
		if shared[key] == nil {
			if shared[key] = s.all; len(rows) < n {
				shared[key] = make([]covariates, d)
				for i := range d {
					shared[key][i] = s.all[i].at(rows)
				}
			}
			grams[key] = newGram(len(rows), shared[key])
		}
		c := child{parent: shared[key], place: grams[key].first}
		for _, i := range rows {
			c.y = append(c.y, x.At(i, j))
		}
		for i := range d {
			var code []int
			if variables[i].Kind.Levelled() {
				for _, r := range rows {
					code = append(code, int(x.At(r, i)))
				}
			}
			c.code = append(c.code, code)
		}
		if err := s.prepare(&c, j, rows, x, grams[key]); err != nil {
			return nil, err
		}
		s.child = append(s.child, c)
	}
	for j := range s.child {
		s.screen(j)
		c := &s.child[j]
		for _, f := range c.families {
			c.alone = append(c.alone, s.problem(j, f, nil, nil, nil, 1).solve(nil).theta)
		}
	}
	return s, nil
}

// prepare finds the distributions of a child.
func (s *Scorer) prepare(c *child, j int, rows []int, x mat.Matrix, g *gram) error {
	v := s.variables[j]
	if c.level = stat.Mean(mat.Col(nil, j, x), nil); v.Kind.Levelled() {
		c.level = v.values()[int(x.At(0, j))]
	}
	if len(c.y) == 0 || floats.Min(c.y) == floats.Max(c.y) {
		c.constant = true
		return nil
	}
	c.weights = logitWeights
	level := math.Log(stat.Mean(c.y, nil) + 0.5)
	switch v.Kind {
	case dataset.Binary:
		c.families = []family{logit{}}
	case dataset.Ordered:
		c.families = []family{ordinal{len(occurring(c.y))}}
	case dataset.Categorical:
		c.families = []family{newSoftmax(len(occurring(c.y)))}
	case dataset.Count:
		c.weights = logWeights
		for k := range 4 {
			if excess := k&2 != 0; !excess || floats.Min(c.y) == 0 {
				c.families = append(c.families, newCounted(level, k&1 != 0, excess))
			}
		}
	case dataset.Positive:
		c.weights = logWeights
		c.families = []family{gamma{level: normalPrior{math.Log(stat.Mean(c.y, nil)), levelSD}}}
	}
	if v.Kind.Levelled() {
		seen := occurring(c.y)
		c.values = make([]float64, len(seen))
		for code, at := range seen {
			c.values[at] = v.values()[int(code)]
		}
		number(c.y, seen)
		return s.tabulate(c, rows, x)
	}
	transform := func(form int, f func(v float64) (value, logDerivative float64)) {
		y, sum := make([]float64, len(c.y)), 0.0
		for i, v := range c.y {
			var log float64
			y[i], log = f(v)
			sum += log
		}
		if m, ok := newNormal(g, y, sum); ok {
			m.form = form
			c.normals = append(c.normals, m)
		}
	}
	switch {
	case v.Kind == dataset.Count:
		return nil
	case v.Kind == dataset.Positive:
		transform(ofLogNormal, func(v float64) (float64, float64) {
			return math.Log(v), -math.Log(v)
		})
	case v.Kind == dataset.Proportion && floats.Min(c.y) > 0 && floats.Max(c.y) < 1:
		transform(ofLogitNormal, func(v float64) (float64, float64) {
			return math.Log(v) - math.Log1p(-v), -math.Log(v) - math.Log1p(-v)
		})
	}
	transform(ofNormal, func(v float64) (float64, float64) { return v, 0 })
	return nil
}

// tabulate prepares tables of probabilities given variables with levels.
func (s *Scorer) tabulate(c *child, rows []int, x mat.Matrix) error {
	var levels, which []int
	c.tableAt = make([]int, len(s.variables))
	for i, v := range s.variables {
		if c.tableAt[i] = -1; v.Kind.Levelled() {
			c.tableAt[i] = len(which)
			which, levels = append(which, i), append(levels, v.Levels)
		}
	}
	data := mat.NewDense(len(rows), len(which), nil)
	for a, r := range rows {
		for b, i := range which {
			data.Set(a, b, x.At(r, i))
		}
	}
	first, err := nodescore.NewDirichlet(data, nil, levels, nodescore.DirichletOptions{})
	if err != nil {
		return err
	}
	for _, size := range tableSizes {
		t := first.WithAlpha(size)
		lone := make([]float64, len(which))
		for k := range lone {
			lone[k] = t.LogScore(k, nil)
		}
		c.tables, c.lone = append(c.tables, t), append(c.lone, lone)
	}
	return nil
}

// occurring are the codes that occur.
func occurring(y []float64) map[float64]int {
	most := int(floats.Max(y))
	seen := make([]bool, most+1)
	for _, v := range y {
		seen[int(v)] = true
	}
	out := map[float64]int{}
	for v, s := range seen {
		if s {
			out[float64(v)] = len(out)
		}
	}
	return out
}

// number replaces codes by their places among those that occur.
func number(y []float64, place map[float64]int) {
	for i, v := range y {
		y[i] = float64(place[v])
	}
}

// screen leaves out distributions that are far behind another without parents and with all other
// variables, where these have no more than mostParameters columns.
func (s *Scorer) screen(j int) {
	c := &s.child[j]
	if len(c.families)+len(c.normals) < 2 {
		return
	}
	all := dag.AllBut(len(s.variables), j)
	near := make([]bool, len(c.families)+len(c.normals))
	for _, parents := range [][]int{nil, all} {
		columns, variance, at := s.terms(j, parents, nil)
		if len(columns) > mostParameters {
			return // all of them are tried
		}
		values := make([]float64, 0, len(near))
		tau2 := c.weights[len(c.weights)-1]
		for _, f := range c.families {
			var start []float64
			if len(c.y) > startedRows { // steps among some of the rows are cheaper
				few := s.some(j, startedRows/2)
				start = s.problem(j, f, few, columns, variance, tau2).solve(nil).theta
			}
			p := s.problem(j, f, nil, columns, variance, tau2)
			found := p.solve(start)
			s.spend(j, parents, p, found)
			values = append(values, found.log)
		}
		for _, f := range c.normals {
			values = append(values, f.evidence(at, variance))
		}
		best := floats.Max(values)
		for k, v := range values {
			near[k] = near[k] || v >= best-farBehind
		}
	}
	var families []family
	var normals []normal
	for k, f := range c.families {
		if near[k] {
			families = append(families, f)
		}
	}
	for k, f := range c.normals {
		if near[len(c.families)+k] {
			normals = append(normals, f)
		}
	}
	c.families, c.normals = families, normals
}

// terms are the columns of an equation, straight lines first, then curves of the parents that bent
// says; their prior variances, and their places in the Gram matrix.
func (s *Scorer) terms(j int, parents []int, bent []bool) (columns [][]float64, variance []float64,
	at []int) {
	c := &s.child[j]
	for _, i := range parents {
		p := c.parent[i]
		columns, variance = append(columns, p.straight...), append(variance, p.straightV...)
		for k := range p.straight {
			at = append(at, c.place[i][0]+k)
		}
	}
	for k, i := range parents {
		if bent == nil || !bent[k] {
			continue
		}
		p := c.parent[i]
		columns, variance = append(columns, p.curved...), append(variance, p.curvedV...)
		for k := range p.curved {
			at = append(at, c.place[i][1]+k)
		}
	}
	return columns, variance, at
}

// cells are the different rows of a child and of parents that all have levels, and how often each
// occurs; nil if these are not much fewer.
func (s *Scorer) cells(j int, parents []int) *cellRows {
	c, cells := &s.child[j], &cellRows{}
	if kind := s.variables[j].Kind; !kind.Levelled() && kind != dataset.Count {
		return nil
	}
	size := 1.0
	for _, i := range parents {
		if c.code[i] == nil {
			return nil
		}
		size *= float64(s.variables[i].Levels)
	}
	most := floats.Max(c.y) + 1
	if size*most > 1e6 {
		return nil
	}
	place := make([]int32, int(size*most))
	for r, y := range c.y {
		at := int(y)
		stride := int(most)
		for _, i := range parents {
			at += stride * c.code[i][r]
			stride *= s.variables[i].Levels
		}
		if place[at] == 0 {
			if len(cells.rows) > len(c.y)/2 {
				return nil
			}
			cells.rows, cells.weight = append(cells.rows, r), append(cells.weight, 0)
			place[at] = int32(len(cells.rows))
		}
		cells.weight[place[at]-1]++
	}
	return cells
}

// problem is the equation of a child in a distribution, in all rows or in cells.
func (s *Scorer) problem(j int, f family, cells *cellRows, columns [][]float64, variance []float64,
	tau2 float64) *problem {
	p := &problem{family: f, y: s.child[j].y, columns: columns,
		variance: make([]float64, len(variance))}
	for k, v := range variance {
		p.variance[k] = tau2 * v
	}
	if cells != nil {
		p.y, p.weight = pick(p.y, cells.rows), cells.weight
		p.columns = make([][]float64, len(columns))
		for k, column := range columns {
			p.columns[k] = pick(column, cells.rows)
		}
	}
	return p
}

// cellRows are different rows and how often each occurs; nil means once.
type cellRows struct {
	rows   []int
	weight []float64
}

// some are so many rows of a child; nil means all.
func (s *Scorer) some(j, rows int) *cellRows {
	n := len(s.child[j].y)
	if rows >= n {
		return nil
	}
	return &cellRows{rows: scoring.Spread(n, rows)}
}

// affordable reports whether the equation of a set of parents has no more than mostParameters.
func (s *Scorer) affordable(j int, parents []int) bool {
	size := 0
	for _, i := range parents {
		size += len(s.child[j].parent[i].straight) + len(s.child[j].parent[i].curved)
	}
	for _, f := range s.child[j].families {
		for _, q := range f.predictors() {
			if q.parents {
				if size > 0 && len(f.predictors())*(size+1) > mostParameters {
					return false
				}
				break
			}
		}
	}
	return true
}

// Known reports whether the equation of a variable given its parents is fitted.
func (s *Scorer) Known(j int, parents []int) bool {
	return s.child[j].constant || (s.opt.MaxParents == 0 || len(parents) <= s.opt.MaxParents) &&
		s.affordable(j, parents)
}

// fitted is the score of a set of parents whose equation is fitted, once.
func (s *Scorer) fitted(j int, parents []int) float64 {
	if s.child[j].constant {
		return 0
	}
	return s.known.Of(j, parents, func() float64 {
		straight, curved := s.evidences(j, parents)
		v := straight
		if !math.IsNaN(curved) {
			v = logMean(straight, curved)
		} else if s.mayBend(j, parents) {
			v -= math.Ln2
		}
		if t := s.table(j, parents); !math.IsNaN(t) {
			v = logMean(v, t)
		}
		if len(parents) == 1 {
			s.mu.Lock()
			s.bent[[2]int{j, parents[0]}] = curved > straight-hardlyBent
			s.mu.Unlock()
		}
		return v
	})
}

// mayBend reports whether any parent has curves.
func (s *Scorer) mayBend(j int, parents []int) bool {
	for _, i := range parents {
		if len(s.child[j].parent[i].curved) > 0 {
			return true
		}
	}
	return false
}

// bends reports whether curves of a parent are worth trying together with those of others.
func (s *Scorer) bends(j, i int) bool {
	if len(s.child[j].parent[i].curved) == 0 {
		return false
	}
	s.fitted(j, []int{i})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bent[[2]int{j, i}]
}

// table is the evidence of a table of probabilities; NaN if there is none.
func (s *Scorer) table(j int, parents []int) float64 {
	values := s.tableGains(j, parents)
	if values == nil {
		return math.NaN()
	}
	return s.fitted(j, nil) + floats.LogSumExp(values) - math.Log(float64(len(values)))
}

// tableGains are what tables of probabilities gain by some parents, by size; nil if there are none.
// It is added to the equation without parents, to which both forms come down. Sizes have the
// weights that the columns alone give them: one under which rare levels are improbable gains by any
// parent that divides its pseudo-counts.
func (s *Scorer) tableGains(j int, parents []int) []float64 {
	c := &s.child[j]
	if len(c.tables) == 0 || len(parents) == 0 {
		return nil
	}
	at := make([]int, len(parents))
	for k, i := range parents {
		if at[k] = c.tableAt[i]; at[k] < 0 {
			return nil
		}
	}
	values, weights := make([]float64, len(c.tables)), make([]float64, len(c.tables))
	for k, t := range c.tables {
		alone := c.lone[k][c.tableAt[j]]
		values[k], weights[k] = t.LogScore(c.tableAt[j], at)-alone, alone
		for _, i := range at {
			weights[k] += c.lone[k][i]
		}
	}
	floats.Add(values, weights)
	floats.AddConst(math.Log(float64(len(values)))-floats.LogSumExp(weights), values)
	return values
}

// evidences are those of the equation with straight lines, and with curves; NaN if there are none
// that could pay.
func (s *Scorer) evidences(j int, parents []int) (straight, curved float64) {
	var of [2][]float64
	s.eachForm(j, parents, nil, func(e likelyForm) {
		k := 0
		if e.bent != nil {
			k = 1
		}
		of[k] = append(of[k], e.log)
	})
	straight, curved = floats.LogSumExp(of[0]), math.NaN()
	if of[1] != nil {
		curved = floats.LogSumExp(of[1])
	}
	return straight, curved
}

// A likelyForm is a form of an equation with its evidence, prior weight included.
type likelyForm struct {
	log      float64
	form     int
	problem  *problem // of a family
	fit      *fit
	normal   *normal
	at       []int
	variance []float64
	bent     []bool // parents with curves; nil means none
	table    *nodescore.Dirichlet
}

// eachForm yields the forms of an equation with straight lines and, where these could pay, with
// curves, each with its evidence and its prior weight among those. Equations of more than
// mostParameters have straight lines alone, and of the prior variances the middle one. Families see
// the given rows only, or all if cells is nil.
func (s *Scorer) eachForm(j int, parents []int, cells *cellRows, yield func(likelyForm)) {
	c, all := &s.child[j], s.affordable(j, parents)
	weights := c.weights
	if !all {
		weights = weights[len(weights)/2:][:1]
	}
	bent, any := make([]bool, len(parents)), false
	for k, i := range parents {
		bent[k] = all && (len(parents) == 1 && len(c.parent[i].curved) > 0 ||
			len(parents) > 1 && s.bends(j, i))
		any = any || bent[k]
	}
	if cells == nil {
		cells = s.cells(j, parents)
	}
	columns, variance, at := s.terms(j, parents, nil)
	more, moreVariance, moreAt := s.terms(j, parents, bent)
	logForms := math.Log(float64(len(c.families) + len(c.normals)))
	for a, f := range c.families {
		of := -logForms - math.Log(float64(len(weights)))
		var from []float64
		for k := len(weights) - 1; k >= 0; k-- {
			p := s.problem(j, f, cells, columns, variance, weights[k])
			if from == nil {
				from = p.extended(c.alone[a], 0)
			}
			found := p.solve(from)
			s.spend(j, parents, p, found)
			from = found.theta
			yield(likelyForm{log: found.log + of, form: formOf(f), problem: p, fit: found})
			if !any {
				continue
			}
			q := s.problem(j, f, cells, more, moreVariance, weights[k])
			found = q.solve(q.extended(from, len(columns)))
			s.spend(j, parents, q, found)
			yield(likelyForm{log: found.log + of, form: formOf(f), problem: q, fit: found,
				bent: bent})
		}
	}
	for m := range c.normals {
		f := &c.normals[m]
		of := -logForms - math.Log(float64(len(normalWeights)))
		for _, tau2 := range normalWeights {
			v := floats.ScaleTo(make([]float64, len(variance)), tau2, variance)
			s.spendOnce(cube(len(at)))
			yield(likelyForm{log: f.evidence(at, v) + of, form: f.form, normal: f, at: at,
				variance: v})
			if any {
				v = floats.ScaleTo(make([]float64, len(moreVariance)), tau2, moreVariance)
				s.spendOnce(cube(len(moreAt)))
				yield(likelyForm{log: f.evidence(moreAt, v) + of, form: f.form, normal: f,
					at: moreAt, variance: v, bent: bent})
			}
		}
	}
}

// logMean is ln ½(e^a + e^b).
func logMean(a, b float64) float64 { return floats.LogSumExp([]float64{a, b}) - math.Ln2 }

// Vars implements [score.Scorer].
func (s *Scorer) Vars() int { return len(s.child) }

// LogScore implements [score.Scorer].
func (s *Scorer) LogScore(j int, parents []int) float64 {
	return nodescore.Extend(s.opt.Base, j, parents, s.knownOf(j))
}

// LogScores implements [score.SubsetScorer].
func (s *Scorer) LogScores(dst []float64, j int, candidates []int) {
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

// Prepare fits the equations of all sets of at most MaxParents parents, by so many goroutines.
func (s *Scorer) Prepare(ctx context.Context, workers int) error {
	type family struct {
		j   int
		set []int
	}
	d := s.Vars()
	most := s.opt.MaxParents
	if most == 0 {
		most = d - 1
	}
	var all []family
	var add func(j, from int, set []int)
	add = func(j, from int, set []int) {
		all = append(all, family{j, set})
		for i := from; i < d && len(set) < most; i++ {
			if i != j {
				add(j, i+1, append(set[:len(set):len(set)], i))
			}
		}
	}
	for j := range d {
		add(j, 0, nil)
	}
	return parallel.For(ctx, len(all), workers, func(k int) error {
		if s.Known(all[k].j, all[k].set) {
			s.fitted(all[k].j, all[k].set)
		}
		return ctx.Err()
	})
}

// spend counts the search of a fit, in as many rows as it would see of the whole table.
func (s *Scorer) spend(j int, parents []int, p *problem, f *fit) {
	t := s.opt.trial
	if t == nil {
		return
	}
	rows, cells := t.rows, s.variables[j].Kind.Levelled() || s.variables[j].Kind == dataset.Count
	size := floats.Max(s.child[j].y) + 1
	for _, i := range parents {
		cells = cells && s.variables[i].Kind.Levelled()
		size *= float64(s.variables[i].Levels)
	}
	if cells && size < float64(rows)/2 {
		rows = max(int(size), len(p.y))
	}
	t.spent += f.cost * float64(rows) / float64(len(p.y))
}

// spendOnce counts what does not depend on the rows of a search.
func (s *Scorer) spendOnce(multiplications float64) {
	if s.opt.trial != nil {
		s.opt.trial.spent += multiplications
	}
}

// cube is x³.
func cube(x int) float64 { return math.Pow(float64(x), 3) }
