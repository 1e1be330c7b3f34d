package score

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// BIC is the Bayesian information criterion of a linear Gaussian network with an
// intercept and a noise variance for each variable: for variable j, the n rows in
// which it was not set by intervention, and p parents A,
//
//	score(A) = −½ n ln(RSS/n) − ½ (p+2) ln n,
//
// with RSS the residual sum of squares of x_j regressed on x_A and an intercept.
// It is the same for Markov equivalent graphs of observational data. It lacks the
// −½ n (1 + ln 2π) that makes it an approximate log marginal likelihood, the same
// for every A: posteriors given the data are those of the criterion, evidences are not
// comparable with those of other scores. Residuals below 10⁻¹² of the variable's own sum
// of squares count as that much. A variable with fewer than two rows scores 0. A BIC is
// safe for concurrent use.
type BIC struct {
	d     int
	of    []int
	group []gram    // of standardised columns
	sd    []float64 // by which they were divided
}

var _ Scorer = (*BIC)(nil)

// NewBIC prepares the score for data x, n×d, with intervened as for [NewBGe]. A
// column that does not vary is a [*ConstantColumnError].
func NewBIC(x, intervened mat.Matrix) (*BIC, error) {
	data, err := newTable("BIC", x, intervened)
	if err != nil {
		return nil, err
	}
	b := &BIC{d: data.d, of: data.of}
	if _, b.sd, err = data.standardise(); err != nil {
		return nil, err
	}
	for g := range data.groups {
		b.group = append(b.group, data.gram(g))
	}
	return b, nil
}

// Vars implements [Scorer].
func (b *BIC) Vars() int { return b.d }

// LogScore implements [Scorer]. It panics if the parents are not ascending variables
// other than j.
func (b *BIC) LogScore(j int, parents []int) float64 {
	checkParents(b.d, j, parents)
	g := b.group[b.of[j]]
	if g.n < 2 {
		return 0
	}
	const least = 1e-12
	total := g.scatter[j*b.d+j]
	rss := max(b.residual(g, j, parents), least*total, math.SmallestNonzeroFloat64)
	n, p := float64(g.n), float64(len(parents))
	return -0.5*n*(math.Log(rss/n)+2*math.Log(b.sd[j])) - 0.5*(p+2)*math.Log(n)
}

// residual is the Schur complement C_jj − C_jA C_AA⁻¹ C_Aj by elimination of one parent
// after the other; one that the others determine is left out.
func (b *BIC) residual(g gram, j int, parents []int) float64 {
	k := len(parents) + 1
	m := make([]float64, k*k)
	at := func(r int) int {
		if r < len(parents) {
			return parents[r]
		}
		return j
	}
	for r := range k {
		for c := range k {
			m[r*k+c] = g.scatter[at(r)*b.d+at(c)]
		}
	}
	for e := range parents {
		pivot := m[e*k+e]
		if pivot <= 1e-12*g.scatter[parents[e]*b.d+parents[e]] {
			continue
		}
		for r := e + 1; r < k; r++ {
			factor := m[r*k+e] / pivot
			for c := e + 1; c < k; c++ {
				m[r*k+c] -= factor * m[e*k+c]
			}
		}
	}
	return m[k*k-1]
}
