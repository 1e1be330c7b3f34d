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

// A feature that is left out and put back changes nothing, one that is replaced makes the
// regression on the other features and the new one; and B B⁻¹ x is x.
func TestWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, m, s2 = 15, 10, 0.2
	rows := make([][]float64, n)
	for r := range rows {
		rows[r] = make([]float64, m+2) // the last is another feature
		for c := range rows[r] {
			rows[r][c] = rng.NormFloat64()
		}
	}
	s := ridge.New(m)
	for a := range m {
		old, changed := make([][]float64, n), make([][]float64, n)
		for r, row := range rows {
			old[r] = row[:m+1]
			changed[r] = append([]float64(nil), old[r]...)
			changed[r][a] = row[m+1]
		}
		s.Without(gramOf(old), n, s2, a)
		for name, gram := range map[string][]float64{"back": gramOf(old),
			"other": gramOf(changed)} {
			want := s.LogEvidence(gram, n, s2)
			products := make([]float64, m+1)
			for c := range products {
				products[c] = gram[max(a, c)*(m+1)+min(a, c)]
			}
			if got := s.LogEvidenceWith(products); !(math.Abs(got-want) <= 1e-11*math.Abs(want)) {
				t.Errorf("feature %d %s: log evidence %v, want %v", a, name, got, want)
			}
		}
	}
	var old [][]float64
	for _, row := range rows {
		old = append(old, row[:m+1])
	}
	gram := gramOf(old)
	s.LogEvidence(gram, n, s2)
	x := make([]float64, m)
	for a := range x {
		x[a] = rng.NormFloat64()
	}
	y := append([]float64(nil), x...)
	s.Solve(y)
	for a := range x {
		v := y[a]
		for c := range y {
			v += gram[max(a, c)*(m+1)+min(a, c)] * y[c] / s2
		}
		if !(math.Abs(v-x[a]) <= 1e-10) {
			t.Errorf("row %d of B B⁻¹ x is %v, want %v", a, v, x[a])
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
