package nodescore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// BlockOptions are the hyperparameters of [Blocks].
type BlockOptions struct {
	// Freedom is α_λ − D − 1 for D columns: the larger, the smaller are effects; defaults to 1.
	Freedom float64
	// Scale is t, the unit of the prior. 0 means Freedom + 2, under which columns of variance 1 are
	// most probable each by itself: their unit tells nothing.
	Scale float64
}

// Blocks is [score.NewBGe] whose variables are blocks of columns: an edge joins all columns of two
// blocks. A variable's score is the marginal likelihood of its columns given those of its parents,
//
//	score(A) = Σ_k BGe(column k of j | columns of A, columns of j before k) = ln p(X_{A∪j}) − ln p(X_A),
//
// so that Markov equivalent graphs have the same score. A category enters by contrasts of its
// levels ([Contrasts]), which makes it the degenerate Gaussian score of mixed tables (Andrews,
// Ramsey, Cooper 2019) with a prior in place of a penalty: all columns are treated as jointly
// normal. The columns of a block are shifted to mean 0 and divided by one number, the root of their
// mean variance, over the rows in which the variable was not set by intervention, so that rotating
// the columns of a block changes nothing. A Blocks is safe for concurrent use.
type Blocks struct {
	first    []int // column with which each block begins, and the number of columns
	opt      BlockOptions
	t        float64
	of       []int
	groups   []blockGroup
	logScale []float64 // of each variable, the sum over its columns
}

// A blockGroup is what the variables observed in the same rows have in common.
type blockGroup struct {
	n        int
	scatter  []float64 // D×D
	constant []float64 // by number of columns before
	factor   []float64
	sums     []float64 // of the constants before
	alone    []float64 // of each variable, the evidence of its columns, as logJoints has it
}

var (
	_ GivenScorer  = (*Blocks)(nil)
	_ ToggleScorer = (*Blocks)(nil)
)

// NewBlocks prepares the score for columns x, n×D, of which widths[j] in a row belong to variable
// j. intervened is nil, or n×d with 1 where a variable was set by intervention. A block without
// variation is a [*scoring.ConstantColumnError].
func NewBlocks(x mat.Matrix, widths []int, intervened mat.Matrix, opt BlockOptions) (*Blocks,
	error) {
	n, all := x.Dims()
	d := len(widths)
	b := &Blocks{first: make([]int, d+1), opt: opt, logScale: make([]float64, d)}
	for j, width := range widths {
		if width < 1 {
			return nil, fmt.Errorf("score: block %d has %d columns, want at least 1", j+1, width)
		}
		b.first[j+1] = b.first[j] + width
	}
	if b.first[d] != all {
		return nil, fmt.Errorf("score: blocks of %d columns, got %d", b.first[d], all)
	}
	if b.opt.Freedom == 0 {
		b.opt.Freedom = 1
	}
	if !(b.opt.Freedom > 0) || !(b.opt.Scale >= 0) || math.IsInf(b.opt.Freedom+b.opt.Scale, 0) {
		return nil, fmt.Errorf("score: blocks with freedom %v and scale %v, want finite numbers, "+
			"the first above 0 and none below", b.opt.Freedom, b.opt.Scale)
	}
	var wide mat.Matrix
	if intervened != nil {
		if r, c := intervened.Dims(); r != n || c != d {
			return nil, fmt.Errorf("score: blocks: mask of interventions is %d×%d, want %d×%d", r,
				c, n, d)
		}
		m := mat.NewDense(n, all, nil)
		for j := range d {
			for c := b.first[j]; c < b.first[j+1]; c++ {
				m.SetCol(c, mat.Col(nil, j, intervened))
			}
		}
		wide = m
	}
	t, err := scoring.NewTable("blocks", x, wide)
	if err != nil {
		return nil, err
	}
	if err := b.standardise(t); err != nil {
		return nil, err
	}
	b.of = make([]int, d)
	for j := range d {
		b.of[j] = t.Of[b.first[j]]
	}
	for g := range t.Groups {
		m := t.Gram(g)
		b.groups = append(b.groups, blockGroup{n: m.N, scatter: m.Scatter})
	}
	b.prepare()
	return b, nil
}

// standardise shifts every column to mean 0, and divides those of a block by one number.
func (b *Blocks) standardise(t *scoring.Table) error {
	for j := range b.logScale {
		columns := t.Column[b.first[j]:b.first[j+1]]
		rows := t.RowsOf(b.first[j])
		if len(rows) < 2 {
			rows = nil
		}
		sum := 0.0
		for _, column := range columns {
			v := column
			if rows != nil {
				v = scoring.Pick(nil, column, rows)
			}
			floats.AddConst(-scoring.Mean(v), column)
			if rows != nil {
				v = scoring.Pick(nil, column, rows)
			}
			sum += floats.Dot(v, v) / float64(max(1, len(v)-1))
		}
		sd := math.Sqrt(sum / float64(len(columns)))
		if !(sd > 0) || math.IsInf(sd, 0) {
			return &scoring.ConstantColumnError{Column: j}
		}
		for _, column := range columns {
			floats.Scale(1/sd, column)
		}
		b.logScale[j] = float64(len(columns)) * math.Log(sd)
	}
	return nil
}

// prepare computes what depends on the prior.
func (b *Blocks) prepare() {
	all, free := b.first[len(b.first)-1], b.opt.Freedom+1
	if b.t = b.opt.Scale; b.t == 0 {
		b.t = b.opt.Freedom + 2
	}
	for k := range b.groups {
		g := &b.groups[k]
		n := float64(g.n)
		g.constant, g.factor = make([]float64, all), make([]float64, all)
		g.sums = make([]float64, all+1)
		for k := range all {
			p := float64(k)
			after, _ := math.Lgamma((n + free + p + 1) / 2)
			before, _ := math.Lgamma((free + p + 1) / 2)
			g.constant[k] = -0.5*math.Log1p(n) + after - before - n/2*math.Log(math.Pi) +
				(free+2*p+1)/2*math.Log(b.t)
			g.factor[k] = (n + free + p + 1) / 2
			g.sums[k+1] = g.sums[k] + g.constant[k]
		}
	}
	for k := range b.groups {
		g := &b.groups[k]
		g.alone = make([]float64, len(b.logScale))
		for j := range g.alone {
			if g.n == 0 {
				break
			}
			w := &blockWalk{Blocks: b, group: g, ends: []int{0}}
			w.take([]int{j})
			_, logDet := w.eliminate(w.matrix(), 1, 0)
			g.alone[j] = g.joint(len(w.from), logDet)
		}
	}
}

// WithFreedom is the score with other freedom, and the unit that it sets, for the same data. It
// panics unless freedom is positive and finite.
func (b *Blocks) WithFreedom(freedom float64) *Blocks {
	if !(freedom > 0) || math.IsInf(freedom, 0) {
		panic(fmt.Sprintf("score: blocks with freedom %v, want a finite number above 0", freedom))
	}
	q := *b
	q.opt = BlockOptions{Freedom: freedom}
	q.groups = slices.Clone(b.groups)
	q.prepare()
	return &q
}

// Vars implements [score.Scorer].
func (b *Blocks) Vars() int { return len(b.logScale) }

// LogScore implements [score.Scorer].
func (b *Blocks) LogScore(j int, parents []int) float64 {
	v, _ := b.both(j, parents)
	return v
}

// both is the score of a set of parents, and their evidence, as logJoints has it.
func (b *Blocks) both(j int, parents []int) (score, joint float64) {
	scoring.CheckParents(b.Vars(), j, parents)
	w := walks.Get().(*blockWalk)
	defer walks.Put(w)
	w.begin(b, j, parents)
	m, logDet, columns := w.matrix(), 0.0, w.width(1)
	if columns > 0 {
		m, logDet = w.eliminate(m, 1, logDet)
	}
	if w.group.n > 0 {
		joint = w.group.joint(columns, logDet) - w.group.aloneOf(parents)
	}
	return w.score(m, columns, logDet), joint
}

// walks have room for scores of single sets, which searches ask for by the million.
var walks = sync.Pool{New: func() any { return &blockWalk{room: make([][]float64, 1)} }}

// begin makes a walk one of a variable and all of its parents as one block.
func (w *blockWalk) begin(b *Blocks, j int, parents []int) {
	w.Blocks, w.group, w.j, w.from, w.ends = b, &b.groups[b.of[j]], j, w.from[:0], w.ends[:0]
	add := func(i int) {
		for c := b.first[i]; c < b.first[i+1]; c++ {
			w.from = append(w.from, c)
		}
	}
	add(j)
	own := len(w.from)
	for _, i := range parents {
		add(i)
	}
	w.ends, w.stride = append(w.ends, own, len(w.from)), len(w.from)
	w.own = slices.Grow(w.own[:0], own*own)[:own*own]
}

// LogScores implements [score.SubsetScorer].
func (b *Blocks) LogScores(dst []float64, j int, candidates []int) {
	b.LogScoresUntil(context.Background(), dst, j, candidates)
}

func (b *Blocks) LogScoresUntil(ctx context.Context, dst []float64, j int, candidates []int) {
	b.scores(ctx, dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (b *Blocks) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckParents(b.Vars(), j, given)
	b.scores(context.Background(), dst, j, candidates, given)
}

// scores writes the scores of all subsets of the candidates beside the given parents.
func (b *Blocks) scores(ctx context.Context, dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(b.Vars(), j, candidates)
	b.newWalk(j, slices.Concat(candidates, given)).all(ctx, dst, nil, len(candidates))
}

// all writes the scores of all subsets of the first candidates of a walk beside the others, and
// unless joints is nil the evidences of these parents.
func (w *blockWalk) all(ctx context.Context, dst, joints []float64, candidates int) {
	m, logDet, columns := w.matrix(), 0.0, 0
	for k := len(w.ends) - 1; k > candidates; k-- {
		m, logDet = w.eliminate(m, k, logDet)
		columns += w.ends[k] - w.ends[k-1]
	}
	w.subsets(ctx, dst, joints, m, candidates, columns, logDet)
}

// subsets writes, for every subset of the first k variables, the score and the evidence of the
// parents from the matrix after their elimination, the number of columns and the logarithm of the
// determinant; those of which there is no room are left out.
func (w *blockWalk) subsets(ctx context.Context, dst, joints, m []float64, k, columns int,
	logDet float64) {
	if k == 0 {
		if len(dst) > 0 {
			dst[0] = w.score(m, columns, logDet)
		}
		if len(joints) > 0 {
			joints[0] = w.group.joint(columns, logDet)
		}
		return
	}
	if k > 12 && ctx.Err() != nil {
		return
	}
	half := 1 << (k - 1)
	low, high := func(v []float64) []float64 { return v[:min(half, len(v))] },
		func(v []float64) []float64 { return v[min(half, len(v)):] }
	w.subsets(ctx, low(dst), low(joints), m, k-1, columns, logDet)
	next, logDet := w.eliminate(m, k, logDet)
	w.subsets(ctx, high(dst), high(joints), next, k-1, columns+w.ends[k]-w.ends[k-1], logDet)
}

// logJoints writes, for every subset of some variables beside given ones, the evidence of their
// columns in the rows in which j was not set,
//
//	ln p(X_A) = Σ_{k<p} c_k − f_{p−1} ln|R_AA|,   p columns,
//
// which is the sum of the scores of these columns one after the other, but for their scales, less
// those of each variable alone. Unless scores is nil it has the scores of j given these parents.
func (b *Blocks) logJoints(dst, scores []float64, j int, variables, given []int) {
	g := &b.groups[b.of[j]]
	if g.n == 0 {
		clear(dst)
		clear(scores)
		return
	}
	w := &blockWalk{Blocks: b, group: g, j: j, ends: []int{0}}
	if all := slices.Concat(variables, given); scores != nil {
		w = b.newWalk(j, all)
	} else {
		w.take(all)
	}
	w.all(context.Background(), scores, dst, len(variables))
	alone := g.aloneOf(given)
	for set := range dst {
		dst[set] -= alone
		for k, i := range variables {
			if set>>k&1 == 1 {
				dst[set] -= g.alone[i]
			}
		}
	}
}

// aloneOf is the sum of the evidences of variables alone.
func (g *blockGroup) aloneOf(variables []int) float64 {
	sum := 0.0
	for _, i := range variables {
		sum += g.alone[i]
	}
	return sum
}

// take puts the columns of some variables behind those that a walk has.
func (w *blockWalk) take(variables []int) {
	for _, i := range variables {
		for c := w.first[i]; c < w.first[i+1]; c++ {
			w.from = append(w.from, c)
		}
		w.ends = append(w.ends, len(w.from))
	}
	w.stride, w.room = len(w.from), make([][]float64, len(w.ends)-1)
}

// LogScoresToggled implements [ToggleScorer].
func (b *Blocks) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	b.toggled(dst, nil, j, parents, variables)
}

// toggled writes the scores of j with each of some variables more or less among its parents, and,
// unless joints is nil, the evidences of these parents, as logJoints has them. With R_AA = LLᵀ of
// the columns of the parents, Y = L⁻¹R_Ai and Z = L⁻¹R_Aj, what is left of the columns of another
// parent i and of j given A is R_ii − YᵀY, R_ij − YᵀZ and R_jj − ZᵀZ. Without a parent i of A, with
// K = R_AA⁻¹ and B = K R_Aj, what is left of j is larger by B_iᵀ K_ii⁻¹ B_i, and |R| by |K_ii|.
func (b *Blocks) toggled(dst, joints []float64, j int, parents, variables []int) {
	scoring.CheckParents(b.Vars(), j, parents)
	g := &b.groups[b.of[j]]
	if g.n == 0 {
		clear(dst)
		clear(joints)
		return
	}
	c := b.newConditional(g, parents)
	child := c.columns(b, j)
	w := &blockWalk{Blocks: b, group: g, j: j, ends: make([]int, 2), room: make([][]float64, 1),
		own: c.own(child)}
	for k, i := range variables {
		if at, found := slices.BinarySearch(parents, i); found {
			from := 0
			for _, p := range parents[:at] {
				from += b.first[p+1] - b.first[p]
			}
			width := b.first[i+1] - b.first[i]
			m, logDet := c.without(b, from, from+width, child)
			columns := len(c.from) - width
			w.ends[0], w.stride = child, child
			dst[k] = w.score(m, columns, logDet)
			if joints != nil {
				joints[k] = g.joint(columns, logDet) - g.aloneOf(parents) + g.alone[i]
			}
			continue
		}
		c.solved = c.solved[:child]
		c.columns(b, i)
		w.ends[0], w.ends[1], w.stride = child, len(c.solved), len(c.solved)
		m, logDet := w.eliminate(c.left(b), 1, c.logDet)
		columns := len(c.from) + w.width(1)
		dst[k] = w.score(m, columns, logDet)
		if joints != nil {
			joints[k] = g.joint(columns, logDet) - g.aloneOf(parents) - g.alone[i]
		}
	}
}

// joint is the evidence of so many columns, from ln|R| of these.
func (g *blockGroup) joint(columns int, logDet float64) float64 {
	if columns == 0 {
		return 0
	}
	return g.sums[columns] - g.factor[columns-1]*logDet
}

// A conditional has the Cholesky factor of the columns of some parents.
type conditional struct {
	group  *blockGroup
	from   []int     // these columns
	factor []float64 // by row, lower
	logDet float64
	solved []solvedColumn
	room   [2][]float64
	// L⁻¹, by row, and R_AA⁻¹R_Aj of a child; nil until a parent is taken away
	inverse, coefficients []float64
}

// A solvedColumn is a column c with L⁻¹R_Ac.
type solvedColumn struct {
	column int
	y      []float64
}

func (b *Blocks) newConditional(g *blockGroup, parents []int) *conditional {
	c := &conditional{group: g}
	for _, i := range parents {
		for k := b.first[i]; k < b.first[i+1]; k++ {
			c.from = append(c.from, k)
		}
	}
	p := len(c.from)
	c.factor = make([]float64, p*p)
	for a, i := range c.from {
		row := c.factor[a*p : a*p+a+1]
		c.solve(b, row[:a], i)
		pivot := max(b.entry(g, i, i)-floats.Dot(row[:a], row[:a]), b.t) // rounding
		c.logDet += math.Log(pivot)
		row[a] = math.Sqrt(pivot)
	}
	return c
}

// entry is that of R.
func (b *Blocks) entry(g *blockGroup, i, k int) float64 {
	v := g.scatter[max(i, k)*b.first[len(b.first)-1]+min(i, k)]
	if i == k {
		v += b.t
	}
	return v
}

// solve writes L⁻¹R_Ai of as many columns as dst has elements.
func (c *conditional) solve(b *Blocks, dst []float64, i int) {
	p := len(c.from)
	for a := range dst {
		dst[a] = (b.entry(c.group, c.from[a], i) - floats.Dot(c.factor[a*p:a*p+a], dst[:a])) /
			c.factor[a*p+a]
	}
}

// columns solves those of a variable, and returns how many are solved.
func (c *conditional) columns(b *Blocks, i int) int {
	for k := b.first[i]; k < b.first[i+1]; k++ {
		at := len(c.solved)
		if c.solved = slices.Grow(c.solved, 1)[:at+1]; len(c.solved[at].y) != len(c.from) {
			c.solved[at].y = make([]float64, len(c.from))
		}
		c.solved[at].column = k
		c.solve(b, c.solved[at].y, k)
	}
	return len(c.solved)
}

// left is what is left of the solved columns.
func (c *conditional) left(b *Blocks) []float64 {
	size := len(c.solved)
	if cap(c.room[0]) < size*size {
		c.room[0] = make([]float64, size*size)
	}
	m := c.room[0][:size*size]
	for a, x := range c.solved {
		for k, y := range c.solved[:a+1] {
			m[a*size+k] = b.entry(c.group, x.column, y.column) - floats.Dot(x.y, y.y)
		}
	}
	return m
}

// invert computes L⁻¹ and the coefficients L⁻ᵀZ of the first solved columns, those of a child.
func (c *conditional) invert(child int) {
	p := len(c.from)
	c.inverse, c.coefficients = make([]float64, p*p), make([]float64, p*child)
	for k := range p { // column k of the identity
		c.inverse[k*p+k] = 1 / c.factor[k*p+k]
		for a := k + 1; a < p; a++ {
			sum := 0.0
			for e := k; e < a; e++ {
				sum += c.factor[a*p+e] * c.inverse[e*p+k]
			}
			c.inverse[a*p+k] = -sum / c.factor[a*p+a]
		}
		for e, z := range c.solved[:child] {
			for a := k; a < p; a++ {
				c.coefficients[k*child+e] += c.inverse[a*p+k] * z.y[a]
			}
		}
	}
}

// without is what is left of the child, the first solved columns, given the parents but those in
// columns from … to−1 of them, and ln|R| of these parents.
func (c *conditional) without(b *Blocks, from, to, child int) ([]float64, float64) {
	if c.inverse == nil {
		c.invert(child)
	}
	p, q := len(c.from), to-from
	// The Cholesky factor F of K_ii, then F⁻¹B_i.
	f, y, logDet := make([]float64, q*q), make([]float64, q*child), c.logDet
	for a := range q {
		for k := range a + 1 {
			sum := 0.0
			for e := from + a; e < p; e++ { // below, L⁻¹ has no others
				sum += c.inverse[e*p+from+a] * c.inverse[e*p+from+k]
			}
			sum -= floats.Dot(f[a*q:a*q+k], f[k*q:k*q+k])
			if k < a {
				f[a*q+k] = sum / f[k*q+k]
				continue
			}
			logDet += math.Log(sum)
			f[a*q+a] = math.Sqrt(sum)
		}
		for e := range child {
			sum := c.coefficients[(from+a)*child+e]
			for k := range a {
				sum -= f[a*q+k] * y[k*child+e]
			}
			y[a*child+e] = sum / f[a*q+a]
		}
	}
	m := make([]float64, child*child)
	for a, x := range c.solved[:child] {
		for k, z := range c.solved[:a+1] {
			m[a*child+k] = b.entry(c.group, x.column, z.column) - floats.Dot(x.y, z.y)
			for e := range q {
				m[a*child+k] += y[e*child+a] * y[e*child+k]
			}
		}
	}
	return m, logDet
}

// own is room for the columns of a child.
func (c *conditional) own(child int) []float64 {
	if c.room[1] == nil {
		c.room[1] = make([]float64, child*child)
	}
	return c.room[1]
}

// A blockWalk takes one block of candidates after the other, from the last, into the parents: of
// the matrix R of the others what is left given those taken. It is of one goroutine.
type blockWalk struct {
	*Blocks
	group  *blockGroup
	j      int
	from   []int // columns: of the child, then of each candidate
	ends   []int // where the child ends, and each candidate
	stride int
	room   [][]float64 // by number of candidates left
	own    []float64   // of the child
	whole  []float64   // room for the matrix
}

func (b *Blocks) newWalk(j int, candidates []int) *blockWalk {
	w := &blockWalk{Blocks: b, group: &b.groups[b.of[j]], j: j}
	w.take(append([]int{j}, candidates...))
	w.own = make([]float64, w.ends[0]*w.ends[0])
	return w
}

// matrix is R = t·I + the scatter of the columns.
func (w *blockWalk) matrix() []float64 {
	all := w.first[len(w.first)-1]
	w.whole = slices.Grow(w.whole[:0], w.stride*w.stride)[:w.stride*w.stride]
	m := w.whole // the lower triangle is used
	for a, i := range w.from {
		for c, k := range w.from[:a+1] {
			m[a*w.stride+c] = w.group.scatter[i*all+k]
		}
		m[a*w.stride+a] += w.t
	}
	return m
}

// width is the number of columns of the first k candidates.
func (w *blockWalk) width(k int) int { return w.ends[k] - w.ends[0] }

// wide is the number of columns from which on a call pays.
const wide = 12

// eliminate takes candidate k, counted from 1, into the parents: what is left of the matrix of the
// columns before it, and ln|R| of the parents.
func (w *blockWalk) eliminate(m []float64, k int, logDet float64) ([]float64, float64) {
	before, end := w.ends[k-1], w.ends[k]
	if cap(w.room[k-1]) < end*w.stride {
		w.room[k-1] = make([]float64, end*w.stride)
	}
	out := w.room[k-1][:end*w.stride]
	copy(out, m[:end*w.stride])
	for c := end - 1; c >= before; c-- {
		row := out[c*w.stride : c*w.stride+c+1]
		pivot := max(row[c], w.t) // rounding
		logDet += math.Log(pivot)
		for a := range c {
			f := row[a] / pivot
			to := out[a*w.stride : a*w.stride+a+1]
			if len(to) >= wide {
				floats.AddScaled(to, -f, row[:len(to)])
				continue
			}
			for e := range to {
				to[e] -= f * row[e]
			}
		}
	}
	return out, logDet
}

// score is that of the child given parents of so many columns, from what is left of its own block
// of the matrix given them, and ln|R| of the parents.
func (w *blockWalk) score(m []float64, columns int, logDet float64) float64 {
	g, b := w.group, w.ends[0]
	if g.n == 0 {
		return 0
	}
	if b > 1 {
		for a := range b {
			copy(w.own[a*b:a*b+a+1], m[a*w.stride:a*w.stride+a+1])
		}
		m = w.own
	}
	sum := -float64(g.n) * w.logScale[w.j]
	// The columns of the child are taken from the last, which gives the same sum as from the first.
	for c := b - 1; c >= 0; c-- {
		row := m[c*b : c*b+c+1]
		s := max(row[c], w.t)
		logS := math.Log(s)
		sum += g.constant[columns] - 0.5*logDet - g.factor[columns]*logS
		columns, logDet = columns+1, logDet+logS
		for a := range c {
			f := row[a] / s
			to := m[a*b : a*b+a+1]
			for e := range to {
				to[e] -= f * row[e]
			}
		}
	}
	return sum
}

// Contrasts are r − 1 columns for n rows of a category of r levels, n×(r−1), that treat all levels
// alike: orthonormal combinations of the indicators of the levels, orthogonal to their sum, so that
// numbering the levels otherwise rotates them. It panics if a code is not among 0 … r−1, or r < 2.
func Contrasts(codes []float64, r int) *mat.Dense {
	if r < 2 {
		panic(fmt.Sprintf("score: contrasts of %d levels, want at least 2", r))
	}
	// Column k of the Helmert matrix: level k+1 against the mean of those before.
	h := mat.NewDense(r, r-1, nil)
	for k := range r - 1 {
		size := math.Sqrt(float64((k + 1) * (k + 2)))
		for a := range k + 1 {
			h.Set(a, k, -1/size)
		}
		h.Set(k+1, k, float64(k+1)/size)
	}
	out := mat.NewDense(len(codes), r-1, nil)
	for i, v := range codes {
		if v != math.Trunc(v) || v < 0 || v >= float64(r) {
			panic(fmt.Sprintf("score: contrasts: row %d is %v, want a whole number from 0 to %d",
				i+1, v, r-1))
		}
		out.SetRow(i, h.RawRowView(int(v)))
	}
	return out
}
