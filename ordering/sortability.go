package ordering

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// sortabilityTie is the relative difference up to which two values of a
// sortability are equal.
const sortabilityTie = 1e-9

// sortability returns how well ascending values would order the variables of a
// graph, truth (d×d, non-zero entry (i,j): edge i → j): of all pairs joined by a
// directed path, counted once per path length, the fraction in which the value at
// the end is the larger one,
//
//	Σ_k #{(i,j) ∈ E^k : value_i < value_j} / Σ_k #E^k,     k = 1…d−1,
//
// E^k the pairs joined by a path of k edges. Ties, to 1e-9 relative, count ½. It
// is 1 if sorting by value gives a causal order, ½ in expectation for values
// that know nothing, 0 if it gives a reversed one.
//
// It fails if truth is not d×d for the d values, if a value is NaN or infinite
// , and if the graph has no edge or has a cycle. It needs up to d⁴
// operations.
func sortability(values []float64, truth mat.Matrix) (float64, error) {
	d := len(values)
	if truth == nil {
		return 0, errors.New("ordering: sortability against a nil graph")
	}
	if r, c := truth.Dims(); r != d || c != d {
		return 0, fmt.Errorf("ordering: sortability of %d values against a %d×%d graph", d, r, c)
	}
	for j, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("ordering: sortability: %w: value %d is %g", errNotFinite, j, v)
		}
	}
	edge := make([]bool, d*d)
	for i := range d {
		for j := range d {
			edge[i*d+j] = truth.At(i, j) != 0
		}
	}
	pairs, sorted := 0.0, 0.0
	walk := edge
	for k := 1; ; k++ {
		found := false
		for i, from := range values {
			for j, to := range values {
				if !walk[i*d+j] {
					continue
				}
				found = true
				pairs++
				switch {
				case from == to ||
					math.Abs(from-to) <= sortabilityTie*math.Max(math.Abs(from), math.Abs(to)):
					sorted += 0.5
				case from < to:
					sorted++
				}
			}
		}
		switch {
		case !found && k == 1:
			return 0, errors.New("ordering: sortability against a graph without edges")
		case !found:
			return sorted / pairs, nil
		case k == d:
			return 0, errors.New("ordering: sortability against a graph with a cycle")
		}
		walk = extendWalks(walk, edge, d)
	}
}

// extendWalks returns the pairs joined by a walk and one more edge.
func extendWalks(walk, edge []bool, d int) []bool {
	out := make([]bool, d*d)
	for i := range d {
		for via := range d {
			if !walk[i*d+via] {
				continue
			}
			for j, e := range edge[via*d : via*d+d] {
				out[i*d+j] = out[i*d+j] || e
			}
		}
	}
	return out
}

// Varsortability is the sortability of the marginal variances of the columns
// of x (n×d). Near 1, the scale of the columns gives the order away, and success
// of an estimator that reads variances is no evidence for the estimator. It is ½
// on standardised data. It fails like [MethodVariance] and Sortability.
func Varsortability(x, truth mat.Matrix) (float64, error) {
	columns, err := summarise(alone(), x)
	if err != nil {
		return 0, err
	}
	n, d := x.Dims()
	if n < 2 {
		return 0, tooFewRows("varsortability", n, d, 2)
	}
	v := variances(alone(), x, columns)
	if err := checkScales(v, columns); err != nil {
		return 0, err
	}
	return sortability(v, truth)
}

// R2Sortability is the sortability of r2. Unlike varsortability it does not
// depend on the units of the columns: near 1, the order can be read off even
// standardised data, by how well each column is explained by all others.
func R2Sortability(x, truth mat.Matrix) (float64, error) {
	r2, err := r2(x)
	if err != nil {
		return 0, err
	}
	return sortability(r2, truth)
}

// r2 returns, for every column of x (n×d), the coefficient of determination of
// its linear regression on all others, 1 − 1/(C_jj Θ_jj) with C the covariance
// and Θ its inverse. It needs d³ multiplications beside those of the
// covariance, and fails like [MethodEqVarBottomUp]; a single column has 0.
func r2(x mat.Matrix) ([]float64, error) {
	c, _, err := covarianceForOrder(alone(), x, "R²", func(d int) int { return d + 1 })
	if err != nil {
		return nil, err
	}
	if c.Data == nil {
		return []float64{0}, nil
	}
	own := diagonal(c)
	theta, unit, err := precision(alone(), c)
	if err != nil {
		return nil, err
	}
	r2 := make([]float64, len(own))
	for j, v := range own {
		r2[j] = math.Max(0, 1-unit/v/theta.Data[j*theta.Stride+j])
	}
	return r2, nil
}
