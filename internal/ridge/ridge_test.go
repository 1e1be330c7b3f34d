package ridge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/ridge"
)

// gramOf is the Gram matrix of the columns of rows.
func gramOf(rows [][]float64) []float64 {
	k := len(rows[0])
	gram := make([]float64, k*k)
	for _, row := range rows {
		for i := range k {
			for j := range k {
				gram[i*k+j] += row[i] * row[j]
			}
		}
	}
	return gram
}

// The evidence follows from Bayes' rule at the posterior mean, where the density of the weights is
// known by the chain rule: adding one row after the other multiplies the predictive densities
// N(φᵀμ, s² + φᵀB⁻¹φ), which means and draws give.
func TestRowByRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{0, 1, 5, 19} { // more features than pivots in a group
		const n, s2 = 12, 0.3
		rows := make([][]float64, n)
		for r := range rows {
			rows[r] = make([]float64, m+1)
			for c := range rows[r] {
				rows[r][c] = rng.NormFloat64()
			}
		}
		s, sum := ridge.New(m), 0.0
		mean := make([]float64, m)
		for r, row := range rows {
			gram := gramOf(append([][]float64{make([]float64, m+1)}, rows[:r]...))
			s.LogEvidence(gram, r, s2)
			s.Mean(mean)
			predicted, variance := 0.0, s2
			for a := range m {
				predicted += mean[a] * row[a]
				// Column a of L⁻ᵀ: a draw with the normal numbers of a unit vector, less the mean.
				unit := make([]float64, m)
				unit[a] = 1
				s.Draw(unit)
				v := 0.0
				for c := range m {
					v += (unit[c] - mean[c]) * row[c]
				}
				variance += v * v
			}
			d := row[m] - predicted
			sum -= 0.5 * (math.Log(2*math.Pi*variance) + d*d/variance)
		}
		if got := s.LogEvidence(gramOf(rows), n, s2); !(math.Abs(got-sum) <= 1e-10*math.Abs(sum)) {
			t.Errorf("%d features: log evidence %v, row by row %v", m, got, sum)
		}
	}
}

func TestNotANumber(t *testing.T) {
	if e := ridge.New(1).LogEvidence([]float64{-10, 0, 0, 1}, 2, 0.1); !math.IsNaN(e) {
		t.Errorf("log evidence %v of a Gram matrix that is none", e)
	}
}

// One feature with the values 1 and 2 of two rows, in which y is 2 and 4.
func ExampleSolver() {
	s := ridge.New(1)
	e := s.LogEvidence([]float64{5, 0, 10, 20}, 2, 0.1) // the lower triangle: φᵀφ; yᵀφ, yᵀy
	mean := make([]float64, 1)
	s.Mean(mean)
	fmt.Printf("log evidence %.3f, mean %.3f\n", e, mean[0])
	// Output: log evidence -3.462, mean 1.961
}
