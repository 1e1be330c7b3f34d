package nodescore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/dag"
	"tobac/internal/scoring"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// GPOptions are the settings of the Gaussian-process scores.
type GPOptions struct {
	// Scale says how the kernel sees the parents: less their means Standardised, or in OneUnit, or
	// Raw, in one unit without shifting them. Defaults to Standardised.
	Scale score.Scale

	// Unit is the one of OneUnit and Raw, and that of the amplitudes at one noise variance for all
	// variables. Defaults to the geometric mean of the standard deviations of the columns, with
	// which no unit of the data matters.
	Unit float64

	// Rank is the number of rows to which the function is restricted where there are
	// twice as many or more: an approximation for many rows, about 2n·Rank² instead of
	// 4/3 n³ operations for each set of parents. 0 means exact.
	Rank int

	// MaxParents bounds the number of parents. Larger sets score −Inf, or as [ExtendTable] says
	// with Extend set. 0 means no bound.
	MaxParents int
	Extend     bool

	// Base scores the variables listed in Plain, ascending, and is what Extend needs. Required with
	// either.
	Base  score.SubsetScorer
	Plain []int

	// Workers is the number of goroutines of LogScores, with the same result for any
	// number. Defaults to 1.
	Workers int
}

// mostUnits bounds the magnitude of what the kernel sees.
const mostUnits = 1e50

// amplitudes are the values of a over which the evidence is averaged, and those of raw columns,
// about quantiles of χ²/5 with 5 degrees of freedom: a network of five units has the kernel 5a·K0
// given the weights of its output layer, of which 5a is the sum of squares.
var (
	amplitudes    = [...]float64{0.02, 0.1, 0.4, 1.5, 5}
	rawAmplitudes = [...]float64{0.23, 0.43, 0.62, 0.87, 1.2, 1.85}
)

// amplitudes are those over which the evidence is averaged.
func (g *GP) amplitudes() []float64 {
	if g.opt.Scale == score.Raw {
		return rawAmplitudes[:]
	}
	return amplitudes[:]
}

// GP scores nonlinear structural equations x_j = b_j + f(x_A) + ε in closed form. f
// is a Gaussian process with the arc-cosine kernel of order one, the relative with
// infinitely many hidden units of a network of rectified linear units,
//
//	cov(f(x), f(x')) = 5a·K0(x, x'),   K0 = E[relu(w·x+b) relu(w·x'+b)],   w, b ~ N(0, I),
//
// less its mean over the rows, b_j ~ N(x̄_j, σ²/α_μ) with α_μ = 1 as in [score.NewLinear], and the
// evidence is averaged over a = 0.02, 0.1, 0.4, 1.5 and 5. For the n rows in which
// variable j was not set by intervention, y = x_j − x̄_j and H = I − 11ᵀ/n,
//
//	score(A) = ½ ln(α_μ/(n+α_μ)) + ln mean_a N(y; 0, 5a·u²·H K0 H + σ²I).
//
// [GP.At] scores with one noise variance σ² for all variables, in units of the data, and u is
// [GPOptions].Unit; [GP.Integrated] with one for each variable, integrated out, where u is the
// standard deviation of the column.
//
// Raw columns have functions that bend near 0 in place of the means, and other amplitudes: as
// networks have that take columns as they are.
//
// With a rank, K0 is approximated by L Lᵀ with rank columns, and Lᵀ H L takes the
// place of H K0 H below.
//
// A GP reduces H K0 H to tridiagonal form Q T Qᵀ, once for each set of parents and
// for all variables outside it, and keeps T and Qᵀy (beyond 24 variables, of the first 65,536
// sets). Any a and σ² then cost O(n). [GPOptions.Cost] says how much that is. Scorers keep the
// scores they have computed. A GP is safe for concurrent use.
type GP struct {
	d    int
	opt  GPOptions
	of   []int
	unit float64
	sd   []float64
	logs []float64 // ln sd, by variable
	// For functions: what the kernel subtracts from and divides the columns by, and the means over
	// the rows that count.
	centre, scale, means []float64
	group                []gpGroup
}

// A gpGroup is what the variables observed in the same rows have in common.
type gpGroup struct {
	n        int
	children []int
	input    [][]float64 // columns as the kernel sees them
	target   [][]float64 // by variable, y; nil if it is not among the children
	square   []float64   // by variable, yᵀy

	mu    *sync.RWMutex
	known map[string]*gpEntry // by parents, and by variable where entries are not shared
}

// A gpEntry holds the reduced kernel matrix of a set of parents.
type gpEntry struct {
	tridiagonal
	z map[int][]float64 // Qᵀy, by variable
}

// sharedVars is the number of variables up to which a reduced matrix is kept for all
// variables outside the set. Beyond, few of them are asked for.
const sharedVars = 24

// mostEntries is the number of entries that are kept beyond sharedVars: scores that were computed
// are kept all the same.
const mostEntries = 1 << 16

// NewGP prepares the scores for data x, n×d, with intervened as for [score.NewBGe]. A
// column that does not vary is a [*scoring.ConstantColumnError].
func NewGP(x, intervened mat.Matrix, opt GPOptions) (*GP, error) {
	data, err := scoring.NewTable("Gaussian process", x, intervened)
	if err != nil {
		return nil, err
	}
	if opt.Rank < 0 || opt.MaxParents < 0 || opt.Workers < 0 {
		return nil, fmt.Errorf("score: Gaussian process: rank %d, at most %d parents and %d "+
			"workers, want no negative number", opt.Rank, opt.MaxParents, opt.Workers)
	}
	if opt.Base == nil && (opt.Extend || len(opt.Plain) > 0) {
		return nil, errors.New(
			"score: Gaussian process: no base for larger sets or plain variables")
	}
	if !(opt.Unit >= 0) || math.IsInf(opt.Unit, 1) {
		return nil, fmt.Errorf("score: Gaussian process: unit %v, want a finite number from 0 on",
			opt.Unit)
	}
	g := &GP{d: data.D, opt: opt, of: data.Of, logs: make([]float64, data.D)}
	var targets [][]float64
	for j := range g.d {
		y := scoring.Pick(nil, data.Column[j], data.RowsOf(j))
		m := 0.0
		if len(y) > 0 {
			m = scoring.Mean(y)
			floats.AddConst(-m, y)
		}
		g.means = append(g.means, m)
		targets = append(targets, y)
	}
	if g.centre, g.sd, err = data.AllMoments(); err != nil {
		return nil, err
	}
	for j, sd := range g.sd {
		g.logs[j] = math.Log(sd)
	}
	if g.unit = opt.Unit; g.unit == 0 {
		g.unit = math.Exp(floats.Sum(g.logs) / float64(g.d))
	}
	switch opt.Scale {
	case score.Standardised:
		g.scale = g.sd
	case score.OneUnit:
		g.scale = slices.Repeat([]float64{g.unit}, g.d)
	case score.Raw:
		g.scale, g.centre = slices.Repeat([]float64{g.unit}, g.d), make([]float64, g.d)
	default:
		panic(fmt.Sprintf("score: Gaussian process: unknown scale %d", opt.Scale))
	}
	data.Rescale(g.centre, g.scale)
	for j, column := range data.Column {
		if opt.Scale != score.Standardised && !(floats.Norm(column, math.Inf(1)) <= mostUnits) {
			return nil, fmt.Errorf("score: Gaussian process: column %d has values of more than "+
				"%v units from its mean", j+1, mostUnits)
		}
	}
	for _, rows := range data.Groups {
		group := gpGroup{n: len(rows.Rows), children: rows.Children, target: make([][]float64, g.d),
			square: make([]float64, g.d), mu: new(sync.RWMutex), known: map[string]*gpEntry{}}
		for j := range g.d {
			group.input = append(group.input, scoring.Pick(nil, data.Column[j], rows.Rows))
		}
		for _, j := range rows.Children {
			group.target[j] = targets[j]
			group.square[j] = floats.Dot(targets[j], targets[j])
		}
		g.group = append(g.group, group)
	}
	return g, nil
}

// Unit is that of the options, or the one that the columns have.
func (g *GP) Unit() float64 { return g.unit }

// allows reports whether equations of p parents are computed.
func (g *GP) allows(p int) bool { return g.opt.MaxParents == 0 || p <= g.opt.MaxParents }

// plain reports whether the base scores variable j.
func (g *GP) plain(j int) bool {
	_, found := slices.BinarySearch(g.opt.Plain, j)
	return found
}

// entry finds or computes the reduced matrix of a set of parents of j. Two
// goroutines that ask for a new one at the same time both compute it, with the
// same result.
func (g *GP) entry(j int, parents []int, scratch *gpScratch) (*gpEntry, []float64) {
	group := &g.group[g.of[j]]
	key := scratch.key[:0]
	if g.d > sharedVars {
		key = scoring.AppendKey(key, j)
	}
	key = scoring.AppendKey(key, parents...)
	scratch.key = key
	group.mu.RLock()
	e := group.known[string(key)]
	group.mu.RUnlock()
	if e == nil {
		e = g.reduce(group, j, parents, scratch)
		group.mu.Lock()
		if g.d <= sharedVars || len(group.known) < mostEntries {
			group.known[string(key)] = e
		}
		group.mu.Unlock()
	}
	return e, e.z[j]
}

// gpScratch is the memory of one goroutine.
type gpScratch struct {
	key         []byte
	matrix      []float64
	norm, sum   []float64
	input       [][]float64
	householder tridiagonaliser
	shifts, all []shift
	rho         []float64
	forms, logs []float64
	lane        []shiftLane
	terms       []float64
}

// reduce computes the reduced matrix of a set of parents, and Qᵀy of j and, where
// entries are shared, of all other variables outside the set.
func (g *GP) reduce(group *gpGroup, j int, parents []int, s *gpScratch) *gpEntry {
	n, size := group.n, g.opt.size(group.n)
	if len(s.matrix) < size*size || len(s.norm) < n {
		s.matrix, s.norm, s.sum = make([]float64, size*size), make([]float64, n), make([]float64, n)
	}
	s.input = s.input[:0]
	for _, i := range parents {
		s.input = append(s.input, group.input[i])
	}
	e := &gpEntry{z: map[int][]float64{}}
	var factor [][]float64 // nil means exact
	if size < n {
		factor, size = s.lowRank(n, size, s.input)
	} else {
		arcCosine(s.matrix, n, s.input, s.norm, s.sum)
	}
	var z [][]float64
	next := 0 // in parents, which are ascending as children are
	for _, c := range group.children {
		for next < len(parents) && parents[next] < c {
			next++
		}
		if next < len(parents) && parents[next] == c || g.d > sharedVars && c != j {
			continue
		}
		y := slices.Clone(group.target[c])
		if size < n {
			y = y[:0:0]
			for _, column := range factor {
				y = append(y, floats.Dot(column, group.target[c]))
			}
		}
		e.z[c], z = y, append(z, y)
	}
	e.tridiagonal = s.householder.reduce(s.matrix, size, z)
	return e
}

// A Cost says how much work scores are.
type Cost struct {
	Sets  float64 // of parents, each reduced once
	Flops float64 // floating-point operations, of which a core does 2 to 6·10⁹ in a second
	Bytes float64 // of memory that a GP keeps
}

// Cost is that of all scores of d variables with n rows at one noise variance, so
// that a caller can leave the model out, bound the number of parents or lower the rank: for each
// set of parents, 4/3 n³ operations for the reduction and 30 n² for the kernel matrix, or with a
// rank r, 2nr² + 4/3 r³ and 30 nr, and 2n² + 50n, or 2nr, for each variable outside.
func (o GPOptions) Cost(n, d int) Cost {
	rows, most := float64(n), d-1
	if o.MaxParents > 0 {
		most = min(most, o.MaxParents)
	}
	size := float64(o.size(n))
	var c Cost
	for p := range most + 1 {
		sets, outside := math.Exp(scoring.LnChoose(d, p)), float64(d-p)
		c.Sets += sets
		c.Flops += sets * o.reduction(rows, float64(p), outside)
		c.Bytes += sets * 8 * size * (2 + outside)
	}
	return c
}

// reduction is about the operations of one set of so many parents with so many variables outside.
func (o GPOptions) reduction(rows, parents, outside float64) float64 {
	size, cost := rows, 4./3*rows*rows*rows
	if k := o.size(int(rows)); k < int(rows) {
		size = float64(k)
		cost = 2*rows*size*size + 4./3*size*size*size
	}
	return cost + (30+parents)*rows*size + outside*(2*rows*size+50*size)
}

// size is the number of rows of the reduced matrices of n rows: n, or the rank if
// that saves time.
func (o GPOptions) size(n int) int {
	if o.Rank > 0 && 2*o.Rank <= n {
		return o.Rank
	}
	return n
}

// InOneUnit are Gaussian processes in one unit: that bend near the means, and near 0.
type InOneUnit [2]*GP

// NewInOneUnit are those of some data.
func NewInOneUnit(x, intervened mat.Matrix, opt GPOptions) (all InOneUnit, err error) {
	for k, scale := range []score.Scale{score.OneUnit, score.Raw} {
		opt.Scale = scale
		if all[k], err = NewGP(x, intervened, opt); err != nil {
			break
		}
	}
	return all, err
}

// On has the noise variance of either with the greatest evidence on a graph, and by how many nats
// those near 0 are better there. 0 means no variance to begin the search from.
func (all InOneUnit) On(ctx context.Context, graph *dag.Graph, start float64) (noise [2]float64,
	ahead float64, err error) {
	for k, g := range all {
		from := start
		if from == 0 {
			from = g.LeastVariance()
		}
		if noise[k], err = MaximiseNoiseVariance(ctx, from, func(v float64) (float64, error) {
			return OfGraph(g.At(v), graph), nil
		}); err != nil {
			return noise, 0, err
		}
		ahead = OfGraph(g.At(noise[k]), graph) - ahead
	}
	return noise, ahead, nil
}
