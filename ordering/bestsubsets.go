package ordering

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// BestSubsets is the high-dimensional form of [EqVar]: top-down, but a column is
// compared given the best few of those placed instead of given all of them, so
// it also orders more columns than there are rows. With A the columns placed,
// the next one minimises
//
//	min over Q ⊆ A, |Q| = min(J, |A|), of  v_j(Q) = C_jj − C_jQ C_QQ⁻¹ C_Qj,
//
// C the sample covariance (divisor n−1) and J = MaxParents. Smaller sets cannot
// do better. Criterion holds the minima.
//
// It assumes a linear model with equal noise variances in which no variable has
// more than J parents. A common factor on all columns changes nothing, a factor
// on one column can change everything; on standardised data the order means
// nothing, and the result has a [DoubtStandardised]. Where n is near J, the best
// of many subsets fits by chance.
//
// When the t-th column is placed, the subsets with it are new: binom(t, J−1) of
// them, whose factors share their first rows, so that each costs J
// multiplications per column left. That makes J·binom(d+1, J+1) in all, beside
// those of the covariance: at J = 3 about 10⁶ for d = 50, 10⁷ for d = 100 and
// 10¹¹ for d = 1,000.
//
// It fails like EqVar, but needs only n ≥ min(J, d−1)+2, and finds a column
// dependent ([ErrDependent]) only if J others explain it.
type BestSubsets struct {
	MaxParents int // J; 0: 3
}

var _ Orderer = BestSubsets{}

// Order runs the estimator on x (n×d). A negative MaxParents is an error.
func (o BestSubsets) Order(x mat.Matrix) (*Result, error) {
	size := o.MaxParents
	switch {
	case size < 0:
		return nil, fmt.Errorf("ordering: best subsets of at most %d columns, want at least 1, or 0 for 3", size)
	case size == 0:
		size = 3
	}
	method := fmt.Sprintf("eqvar top-down, best subsets of %d", size)
	c, result, err := covarianceForOrder(x, method, func(d int) int { return min(size, d-1) + 2 })
	if err != nil || c.Data == nil {
		return result, err
	}
	own := diagonal(c)
	best := diagonal(c) // given the empty set
	left := indices(len(own))
	for len(left) > 0 {
		next := ascending(left, best)[0]
		j := next.column
		if !(best[j] > dependence*own[j]) {
			return nil, dependent(j, best[j], own[j], fmt.Sprintf("%d of the %d columns placed before it", min(size, len(result.Order)), len(result.Order)))
		}
		result.record(next)
		left = without(left, j)
		s := subsets{c: c, left: left, best: best}
		s.extend(size, result.Order)
	}
	return result, nil
}

// without returns the columns but j, in a new slice.
func without(columns []int, j int) []int {
	out := make([]int, 0, len(columns))
	for _, k := range columns {
		if k != j {
			out = append(out, k)
		}
	}
	return out
}

// subsets lowers best[j], for every column j in left, to the smallest v_j(Q)
// over sets Q of columns, which it enumerates one member at a time. Each set
// extends a Cholesky factor by a row, which is all that a new member adds.
type subsets struct {
	c    blas64.General
	left []int
	best []float64

	member []int       // of the current set, dependent ones left out
	row    [][]float64 // row[k]: row k of the factor of C over the members, up to and with the diagonal
	solved [][]float64 // solved[k][i]: entry k of L⁻¹ C_Qj for the i-th column j left
	spread [][]float64 // spread[k][i]: v_j(Q) for the first k members
}

// extend visits the sets of up to size placed columns that contain the last one
// and have as many members as there can be.
func (s *subsets) extend(size int, placed []int) {
	marginal := make([]float64, len(s.left))
	for i, j := range s.left {
		marginal[i] = s.c.Data[j*s.c.Stride+j]
	}
	s.spread = [][]float64{marginal}
	last := len(placed) - 1
	undo := s.add(placed[last])
	s.visit(placed[:last], size-1)
	undo()
}

// visit extends the current set by up to more of the candidates.
func (s *subsets) visit(candidates []int, more int) {
	if more == 0 || len(candidates) == 0 {
		for i, j := range s.left {
			s.best[j] = math.Min(s.best[j], math.Max(0, s.spread[len(s.member)][i]))
		}
		return
	}
	for k := len(candidates) - 1; k >= min(more, len(candidates))-1; k-- {
		undo := s.add(candidates[k])
		s.visit(candidates[:k], more-1)
		undo()
	}
}

// add makes q a member, unless nothing of it is left given those there are, as
// rounding can have it; a placed column does not depend on J others.
func (s *subsets) add(q int) (undo func()) {
	k, d := len(s.member), s.c.Stride
	row := make([]float64, k+1)
	rest := s.c.Data[q*d+q]
	for a, m := range s.member {
		v := s.c.Data[q*d+m]
		for b := range a {
			v -= row[b] * s.row[a][b]
		}
		row[a] = v / s.row[a][a]
		rest -= row[a] * row[a]
	}
	if !(rest > dependence*s.c.Data[q*d+q]) {
		return func() {}
	}
	row[k] = math.Sqrt(rest)
	solved, spread := make([]float64, len(s.left)), make([]float64, len(s.left))
	for i, j := range s.left {
		v := s.c.Data[q*d+j]
		for a := range k {
			v -= row[a] * s.solved[a][i]
		}
		solved[i] = v / row[k]
		spread[i] = s.spread[k][i] - solved[i]*solved[i]
	}
	s.member, s.row, s.solved, s.spread = append(s.member, q), append(s.row, row), append(s.solved, solved), append(s.spread, spread)
	return func() {
		s.member, s.row, s.solved, s.spread = s.member[:k], s.row[:k], s.solved[:k], s.spread[:k+1]
	}
}
