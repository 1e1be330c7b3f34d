package impute

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Equations of a linear Gaussian model in d variables, those of package posterior: given its
// parents, x_j is normal with the mean b_j + Σ_i w_ij x_i and the variance v_j.
type Equations struct {
	Weights    mat.Matrix // d×d, w_ij in row i; 0 without an edge, and the edges have no cycle
	Intercepts []float64  // b
	Variances  []float64  // v, above 0
	Limits     Limits     // of values that are drawn
}

// Redraw draws the values of x, n×d, at places, row·d + column in ascending sequence, from their
// distribution under the equations given all other values of their rows. Where intervened, n×d or
// nil, is not 0, the equation of the variable does not hold, so that its causes do not follow from
// it. With the equations J that hold in a row, and ω_j the j-th unit vector less the weights into
// j, values have the precision
//
//	K = Σ_{j ∈ J} ω_j ω_jᵀ / v_j,
//
// and, given the others, the distribution of the package comment with a mean that the intercepts
// shift. It changes x in place. An error says that a precision matrix is singular to working
// precision; x is then changed in part. It panics if shapes differ, if places are not ascending, or
// if a value at one of them was set by intervention.
func (e *Equations) Redraw(x *mat.Dense, places []int, intervened *mat.Dense,
	rng *rand.Rand) error {
	n, d := x.Dims()
	if rows, cols := e.Weights.Dims(); rows != d || cols != d || len(e.Intercepts) != d ||
		len(e.Variances) != d {
		panic(fmt.Sprintf("impute: equations of %d×%d weights, %d intercepts, %d variances for "+
			"%d columns", rows, cols, len(e.Intercepts), len(e.Variances), d))
	}
	w := &redrawing{equations: e, d: d, scratch: new(scratch), solved: map[string]*conditional{}}
	for from := 0; from < len(places); {
		row, to := places[from]/d, from+1
		for to < len(places) && places[to]/d == row {
			if to++; places[to-1] <= places[to-2] {
				panic("impute: places are not ascending")
			}
		}
		if row >= n {
			panic(fmt.Sprintf("impute: place %d is outside of %d×%d values", places[from], n, d))
		}
		var set []float64
		if intervened != nil {
			set = intervened.RawRowView(row)
		}
		gaps := make([]int, 0, to-from)
		for _, place := range places[from:to] {
			if j := place % d; set == nil || set[j] == 0 {
				gaps = append(gaps, j)
				continue
			}
			panic(fmt.Sprintf("impute: the value in row %d, column %d was set by intervention", row,
				place%d))
		}
		values := x.RawRowView(row)
		if !e.Limits.anyOf(places[from:to]) {
			if err := w.row(values, gaps, set, math.Inf(-1), math.Inf(1), rng); err != nil {
				return err
			}
			from = to
			continue
		}
		for range sweeps {
			for k := range gaps {
				low, high, _ := e.Limits.at(places[from+k])
				if err := w.row(values, gaps[k:k+1], set, low, high, rng); err != nil {
					return err
				}
			}
		}
		from = to
	}
	return nil
}

// A redrawing holds what rows with equal gaps and interventions share.
type redrawing struct {
	equations *Equations
	d         int
	scratch   *scratch
	solved    map[string]*conditional
}

// A conditional is U with UᵀU = K_mm, and the equations that a gap takes part in.
type conditional struct {
	factor blas64.Triangular
	terms  []int
}

// row draws the gaps of a row. With them at 0, the equations leave residuals r_j, and the draw is
// −K_mm⁻¹ Σ_j ω_jm r_j/v_j + U⁻¹ε. A single one may have limits.
func (w *redrawing) row(x []float64, gaps []int, set []float64, low, high float64,
	rng *rand.Rand) error {
	key := make([]byte, w.d) // 1: set, 2: a gap
	for j, v := range set {
		key[j] = byte(v)
	}
	for _, a := range gaps {
		key[a] = 2
	}
	c, known := w.solved[string(key)]
	if !known {
		var err error
		if c, err = w.condition(gaps, set); err != nil {
			return err
		}
		w.solved[string(key)] = c
	}
	for _, a := range gaps {
		x[a] = 0
	}
	h := blas64.Vector{N: len(gaps), Inc: 1, Data: make([]float64, len(gaps))}
	for _, j := range c.terms {
		residual := x[j] - w.equations.Intercepts[j]
		for i, v := range x {
			residual -= w.equations.Weights.At(i, j) * v
		}
		for b, a := range gaps {
			h.Data[b] += w.omega(a, j) * residual / w.equations.Variances[j]
		}
	}
	blas64.Trsv(blas.Trans, c.factor, h)
	for b := range h.Data {
		from, to := low, high
		if len(gaps) == 1 {
			from, to = low*c.factor.Data[0]+h.Data[0], high*c.factor.Data[0]+h.Data[0]
		}
		h.Data[b] = within(from, to, rng) - h.Data[b]
	}
	blas64.Trsv(blas.NoTrans, c.factor, h)
	for b, a := range gaps {
		x[a] = min(max(h.Data[b], low), high)
	}
	return nil
}

// omega is entry a of ω_j.
func (w *redrawing) omega(a, j int) float64 {
	if a == j {
		return 1
	}
	return -w.equations.Weights.At(a, j)
}

// condition factorises K_mm.
func (w *redrawing) condition(gaps []int, set []float64) (*conditional, error) {
	c := &conditional{}
	precision := mat.NewSymDense(w.d, nil)
	for j := range w.d {
		if set != nil && set[j] != 0 {
			continue
		}
		part := false
		for b, a := range gaps {
			part = part || w.omega(a, j) != 0
			for _, e := range gaps[b:] {
				precision.SetSym(a, e,
					precision.At(a, e)+w.omega(a, j)*w.omega(e, j)/w.equations.Variances[j])
			}
		}
		if part {
			c.terms = append(c.terms, j)
		}
	}
	w.scratch.size(len(gaps))
	u, err := w.scratch.factorise(&normal{mean: make([]float64, w.d), precision: mirror(precision)},
		gaps)
	if err != nil {
		return nil, err
	}
	u.Data = append([]float64(nil), u.Data...)
	c.factor = u
	return c, nil
}

// solve is dst with a·dst = b for a triangular a. An ill-conditioned a is no error: the ridge
// bounds what follows from it.
func solve(dst *mat.Dense, a, b mat.Matrix) error {
	var condition mat.Condition
	if err := dst.Solve(a, b); err != nil && !errors.As(err, &condition) {
		return err
	}
	return nil
}
