package nodescore

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/scoring"

	"gonum.org/v1/gonum/mat"
)

// PseudoCounts says how a [Dirichlet] divides its equivalent sample size among the cells of a
// table.
type PseudoCounts int

const (
	// BDeu gives each of the q·r cells α/(q r), which alone gives Markov equivalent graphs the same
	// score (Heckerman, Geiger, Chickering 1995).
	BDeu PseudoCounts = iota
	// BDs divides α among the configurations of the parents that occur in the data (Scutari 2016).
	BDs
	// BDJ gives each cell ½, the prior of Jeffreys, and has no α.
	BDJ
)

// String is the text form: bdeu, bds or bdj.
func (p PseudoCounts) String() string { return [...]string{"bdeu", "bds", "bdj"}[p] }

// DirichletOptions are the settings of a [Dirichlet]; the zero value is BDeu with α = 1.
type DirichletOptions struct {
	Alpha        float64 // equivalent sample size; defaults to 1
	PseudoCounts PseudoCounts
	MaxParents   int // larger sets of parents score −Inf; 0 means no bound
}

// Dirichlet is the score of categories whose distribution given their parents is a table of
// probabilities, integrated over a Dirichlet prior. For variable j with r levels, parents with q
// configurations, counts n_ck of level k in configuration c, and pseudo-counts a,
//
//	score(A) = Σ_c [lnΓ(r a) − lnΓ(r a + n_c) + Σ_k (lnΓ(a + n_ck) − lnΓ(a))],   n_c = Σ_k n_ck.
//
// Only configurations that occur count, so that a table of any size takes time in proportion to the
// different rows of the data. A configuration of a single row adds −ln r whatever a is, and is not
// looked at again when more parents are added. A Dirichlet is safe for concurrent use.
type Dirichlet struct {
	data  *levelTable
	opt   DirichletOptions
	known []scoring.Memory[float64] // by variable

	shared *risings
}

// mostKnown is how many scores of each of d variables are remembered.
func mostKnown(d int) int { return min(1<<15, max(1<<10, 1<<21/d)) }

// DirichletBytes is about the memory of the scores that a [Dirichlet] of d variables remembers.
func DirichletBytes(d int) float64 {
	const bytes = 100 // of a score with its parents
	sets := float64(mostKnown(d))
	if d < 17 {
		sets = min(sets, float64(int(1)<<(d-1)))
	}
	return bytes * float64(d) * sets
}

// A levelTable holds the different rows of a table of levels.
type levelTable struct {
	levels []int
	code   [][]int32 // by variable and row
	weight []int32   // how often a row occurs
	set    [][]bool  // by variable and row, set by intervention; nil means none
}

var (
	_ GivenScorer = (*Dirichlet)(nil)
)

// NewDirichlet prepares the score for data x, n×d, of whole numbers: column j has values from 0 to
// levels[j]−1. intervened is as of [score.NewBGe].
func NewDirichlet(x, intervened mat.Matrix, levels []int, opt DirichletOptions) (*Dirichlet,
	error) {
	t, err := scoring.NewTable("Dirichlet", x, intervened)
	if err != nil {
		return nil, err
	}
	if len(levels) != t.D {
		return nil, fmt.Errorf("score: Dirichlet: levels of %d variables, want %d", len(levels),
			t.D)
	}
	if opt.Alpha == 0 {
		opt.Alpha = 1
	}
	if !(opt.Alpha > 0) || math.IsInf(opt.Alpha, 0) || opt.MaxParents < 0 {
		return nil, fmt.Errorf("score: Dirichlet: alpha %v and at most %d parents, want alpha > "+
			"0 and no negative number", opt.Alpha, opt.MaxParents)
	}
	for j, column := range t.Column {
		for i, v := range column {
			if v != math.Trunc(v) || v < 0 || v >= float64(levels[j]) {
				return nil, fmt.Errorf("score: Dirichlet: row %d, column %d is %v, want a whole "+
					"number from 0 to %d", i+1, j+1, v, levels[j]-1)
			}
		}
	}
	return &Dirichlet{data: newLevelTable(t, levels), opt: opt, known: newMemory(t.D),
		shared: new(risings)}, nil
}

// newLevelTable finds the different rows, with the variables that were set in them.
func newLevelTable(t *scoring.Table, levels []int) *levelTable {
	out := &levelTable{levels: slices.Clone(levels), code: make([][]int32, t.D)}
	set := make([][]bool, t.D)
	for j := range t.D {
		set[j] = slices.Repeat([]bool{true}, t.N)
		for _, i := range t.RowsOf(j) {
			set[j][i] = false
		}
	}
	place := map[string]int{}
	key := make([]byte, 0, 5*t.D)
	kept := make([][]bool, t.D)
	for i := range t.N {
		key = key[:0]
		for j := range t.D {
			v := uint32(t.Column[j][i])
			mark := byte(0)
			if set[j][i] {
				mark = 1
			}
			key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), mark)
		}
		at, known := place[string(key)]
		if !known {
			at = len(out.weight)
			place[string(key)] = at
			out.weight = append(out.weight, 0)
			for j := range t.D {
				out.code[j] = append(out.code[j], int32(t.Column[j][i]))
				kept[j] = append(kept[j], set[j][i])
			}
		}
		out.weight[at]++
	}
	if len(t.Groups) > 1 || len(t.Groups[0].Rows) < t.N {
		out.set = kept
	}
	return out
}

// WithAlpha is the score with another equivalent sample size for the same data. It panics unless
// alpha is positive and finite.
func (s *Dirichlet) WithAlpha(alpha float64) *Dirichlet {
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		panic(fmt.Sprintf("score: Dirichlet: alpha %v, want a finite number above 0", alpha))
	}
	q := &Dirichlet{data: s.data, opt: s.opt, known: newMemory(s.Vars()),
		shared: new(risings)}
	q.opt.Alpha = alpha
	return q
}

// WithMaxParents is the score with another bound on the parents for the same data; 0 means none.
func (s *Dirichlet) WithMaxParents(most int) *Dirichlet {
	q := s.WithAlpha(s.opt.Alpha)
	q.opt.MaxParents = most
	return q
}

// Rows is the number of different rows, with which the time of a score grows.
func (s *Dirichlet) Rows() int { return len(s.data.weight) }

// NearRows is the mean number of different rows of a variable and of so many others that tell most
// about it, as chains score them, over at most twenty variables.
func (s *Dirichlet) NearRows(others int) int {
	const most = 20
	d := s.Vars()
	if others >= d-1 {
		return s.Rows()
	}
	sum, count := 0, 0
	gain := make([]float64, d)
	for j := 0; j < d; j += (d + most - 1) / most {
		near := make([]int, 0, d-1)
		for i := range d {
			if i != j {
				near = append(near, i)
				gain[i] = s.LogScore(j, []int{i})
			}
		}
		slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(gain[b], gain[a]) })
		sum += len(s.merged(j, near[:others], nil).data.weight)
		count++
	}
	return sum / count
}

// Vars implements [score.Scorer].
func (s *Dirichlet) Vars() int { return len(s.data.levels) }

// LogScore implements [score.Scorer].
func (s *Dirichlet) LogScore(j int, parents []int) float64 {
	scoring.CheckParents(s.Vars(), j, parents)
	if s.opt.MaxParents > 0 && len(parents) > s.opt.MaxParents {
		return math.Inf(-1)
	}
	return s.known[j].Of(j, parents, func() float64 {
		if c, few := s.cellsOf(j, parents); few {
			defer cellsPool.Put(c)
			return s.ofCounts(c.counts, s.data.levels[j])
		}
		w := s.newWalk(j)
		p := w.root
		for k, c := range parents {
			p = w.refine(k, p, c)
		}
		return w.score(p)
	})
}

// newMemory keeps the scores of single sets of each of d variables.
func newMemory(d int) []scoring.Memory[float64] {
	all := make([]scoring.Memory[float64], d)
	for j := range all {
		all[j].Most = mostKnown(d)
	}
	return all
}

// LogScores implements [score.SubsetScorer].
func (s *Dirichlet) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresUntil(context.Background(), dst, j, candidates)
}

func (s *Dirichlet) LogScoresUntil(ctx context.Context, dst []float64, j int, candidates []int) {
	s.scores(ctx, dst, j, candidates, nil)
}

// LogScoresGiven implements [GivenScorer].
func (s *Dirichlet) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	scoring.CheckParents(s.Vars(), j, given)
	s.scores(context.Background(), dst, j, candidates, given)
}

// scores writes the scores of all subsets of the candidates beside the given parents.
func (s *Dirichlet) scores(ctx context.Context, dst []float64, j int, candidates, given []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(s.Vars(), j, candidates)
	w := s.narrowed(j, candidates, given).newWalk(j)
	p := w.root
	for k, c := range given {
		p = w.refine(k, p, c)
	}
	most := len(given) + len(candidates)
	if s.opt.MaxParents > 0 && s.opt.MaxParents < most {
		most = s.opt.MaxParents
		for set := range dst {
			dst[set] = math.Inf(-1)
		}
	}
	if len(given) > most {
		return
	}
	count := 0
	var visit func(set, depth, from int, p partition)
	visit = func(set, depth, from int, p partition) {
		if count++; count%64 == 0 && ctx.Err() != nil {
			return
		}
		for k := from; k < len(candidates) && depth < most; k++ {
			with := set | 1<<k
			if (k == len(candidates)-1 || depth == most-1) && s.opt.PseudoCounts != BDs {
				dst[with] = w.scoreWith(p, candidates[k])
				continue
			}
			q := w.refine(depth, p, candidates[k])
			dst[with] = w.score(q)
			visit(with, depth+1, k+1, q)
		}
	}
	dst[0] = w.score(p)
	visit(0, len(given), 0, p)
}

// narrowed is the score of the rows that differ in the named variables, for which alone it is.
func (s *Dirichlet) narrowed(j int, candidates, given []int) *Dirichlet {
	all := slices.Concat([]int{j}, candidates, given)
	if 2*len(all) > s.Vars() && len(all) > 12 {
		return s // hardly fewer rows
	}
	return s.merged(j, candidates, given)
}

// merged is narrowed, however many rows remain.
func (s *Dirichlet) merged(j int, candidates, given []int) *Dirichlet {
	all := slices.Concat([]int{j}, candidates, given)
	t := &levelTable{levels: s.data.levels, code: make([][]int32, s.Vars())}
	place := make(map[string]int, len(s.data.weight))
	key := make([]byte, 0, 4*len(all))
	for u, weight := range s.data.weight {
		if s.data.set != nil && s.data.set[j][u] {
			continue
		}
		key = key[:0]
		for _, c := range all {
			v := uint32(s.data.code[c][u])
			key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		at, known := place[string(key)]
		if !known {
			at = len(t.weight)
			place[string(key)] = at
			t.weight = append(t.weight, 0)
			for _, c := range all {
				t.code[c] = append(t.code[c], s.data.code[c][u])
			}
		}
		t.weight[at] += weight
	}
	return &Dirichlet{data: t, opt: s.opt, shared: s.shared}
}

// A partition divides rows into the configurations of some parents.
type partition struct {
	rows    []int32
	ends    []int32 // of the cells in rows
	singles int     // cells of one row of weight 1, which are left out of rows
	q       float64 // configurations
}

// A levelWalk refines partitions of the rows for one variable. It is of one goroutine.
type levelWalk struct {
	*Dirichlet
	j      int
	root   partition
	rows   [][]int32 // by depth, the memory of partitions
	ends   [][]int32
	counts []int32
	starts []int32 // of the values of the variable by which a cell is divided
	total  []int32 // their weights
	table  []int32 // counts of [levelWalk.scoreWith]
	// by pseudo-count, of which products of a few numbers of levels make few
	risings map[float64]*rising
	cell, k *rising
}

func (s *Dirichlet) newWalk(j int) *levelWalk {
	w := &levelWalk{Dirichlet: s, j: j, counts: make([]int32, s.data.levels[j]),
		risings: map[float64]*rising{}}
	most := slices.Max(s.data.levels)
	w.starts, w.total = make([]int32, most), make([]int32, most)
	rows := make([]int32, 0, len(s.data.weight))
	for u := range s.data.weight {
		if s.data.set == nil || !s.data.set[j][u] {
			rows = append(rows, int32(u))
		}
	}
	w.root = partition{rows: rows, q: 1}
	if len(rows) > 0 {
		w.root.ends = []int32{int32(len(rows))}
	}
	return w
}

// refine divides every cell by the values of variable c, in the memory of a depth.
func (w *levelWalk) refine(depth int, p partition, c int) partition {
	for len(w.rows) <= depth {
		w.rows = append(w.rows, make([]int32, len(w.root.rows)))
		w.ends = append(w.ends, make([]int32, 0, len(w.root.rows)))
	}
	levels := w.data.levels[c]
	code, weight := w.data.code[c], w.data.weight
	out := partition{singles: p.singles, q: p.q * float64(levels), ends: w.ends[depth][:0]}
	rows := w.rows[depth]
	starts, total := w.starts[:levels], w.total[:levels]
	filled, first := int32(0), int32(0)
	for _, end := range p.ends {
		cell := p.rows[first:end]
		first = end
		clear(starts)
		clear(total)
		for _, u := range cell {
			starts[code[u]]++
			total[code[u]] += weight[u]
		}
		for v, n := range starts {
			switch {
			case total[v] == 0:
			case total[v] == 1:
				out.singles++
				starts[v] = -1
			default:
				starts[v] = filled
				filled += n
				out.ends = append(out.ends, filled)
			}
		}
		for _, u := range cell {
			if at := &starts[code[u]]; *at >= 0 {
				rows[*at] = u
				*at++
			}
		}
	}
	out.rows = rows[:filled]
	w.ends[depth] = out.ends
	return out
}

// prior sets the pseudo-counts of q configurations.
func (w *levelWalk) prior(q float64) {
	r := float64(len(w.counts))
	if w.opt.PseudoCounts == BDJ {
		w.k, w.cell = w.rising(0.5), w.rising(r/2)
		return
	}
	w.k, w.cell = w.rising(w.opt.Alpha/(q*r)), w.rising(w.opt.Alpha/q)
}

func (w *levelWalk) rising(a float64) *rising {
	r := w.risings[a]
	if r == nil {
		r = newRising(a)
		w.risings[a] = r
	}
	return r
}

func newRising(a float64) *rising {
	r := &rising{a: a, known: []float64{0}}
	r.logGamma, _ = math.Lgamma(a)
	return r
}

// score is that of the parents whose configurations divide the rows.
func (w *levelWalk) score(p partition) float64 {
	if w.opt.PseudoCounts == BDs {
		w.prior(float64(max(1, len(p.ends)+p.singles)))
	} else {
		w.prior(p.q)
	}
	sum := -float64(p.singles) * math.Log(float64(len(w.counts)))
	code, weight := w.data.code[w.j], w.data.weight
	first := int32(0)
	for _, end := range p.ends {
		clear(w.counts)
		n := int32(0)
		for _, u := range p.rows[first:end] {
			w.counts[code[u]] += weight[u]
			n += weight[u]
		}
		first = end
		sum -= w.cell.of(int(n))
		for _, c := range w.counts {
			if c > 0 {
				sum += w.k.of(int(c))
			}
		}
	}
	return sum
}

// scoreWith is the score with variable c as another parent, without dividing the rows by it.
func (w *levelWalk) scoreWith(p partition, c int) float64 {
	levels, r := w.data.levels[c], len(w.counts)
	w.prior(p.q * float64(levels))
	sum := -float64(p.singles) * math.Log(float64(r))
	if len(w.table) < levels*r {
		w.table = make([]int32, levels*r)
	}
	table := w.table[:levels*r]
	other, code, weight := w.data.code[c], w.data.code[w.j], w.data.weight
	first := int32(0)
	for _, end := range p.ends {
		clear(table)
		for _, u := range p.rows[first:end] {
			table[int(other[u])*r+int(code[u])] += weight[u]
		}
		first = end
		for from := 0; from < len(table); from += r {
			n := int32(0)
			for _, count := range table[from : from+r] {
				if count > 0 {
					sum += w.k.of(int(count))
					n += count
				}
			}
			sum -= w.cell.of(int(n))
		}
	}
	return sum
}

// A rising is lnΓ(a+n) − lnΓ(a) for whole n, with a memory of small ones.
type rising struct {
	a, logGamma float64
	known       []float64
}

// mostRising is up to which n logarithms are added up: beyond, two values of lnΓ are as fast.
const mostRising = 512

func (r *rising) of(n int) float64 {
	if n > mostRising {
		v, _ := math.Lgamma(r.a + float64(n))
		return v - r.logGamma
	}
	for k := len(r.known); k <= n; k++ {
		r.known = append(r.known, r.known[k-1]+math.Log(r.a+float64(k-1)))
	}
	return r.known[n]
}
