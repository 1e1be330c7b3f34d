package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/score"
)

// curved is the Gaussian processes of a table, one row of which is an intervention on its first column, and all rows on the last.
func curved(t *testing.T, n, d, most int) *score.GP {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	x, set := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+math.Sin(2*x.At(i, max(0, j-1))))
		}
		set.Set(i, d-1, 1)
	}
	set.Set(0, 0, 1)
	g, err := score.NewGP(x, set, score.GPOptions{MaxParents: most})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Unknown lists every score of the families that takes time, once; what Keep takes is no longer unknown, and is what LogScore returns.
func TestUnknownScores(t *testing.T) {
	s := curved(t, 12, 6, 2).Integrated()
	s.LogScore(1, []int{0, 2})
	families := []score.Family{
		{Child: 1, Candidates: []int{0, 2, 3}},
		{Child: 1, Candidates: []int{0, 3}},                          // all of which are there
		{Child: 3, Candidates: []int{0, 1, 2}, Most: 1},              // single ones
		{Child: 4, Candidates: []int{1, 3}, Given: []int{2}},         // the set of all is too large
		{Child: 2, Candidates: []int{0}, Given: []int{1, 3, 4}},      // and so are these
		{Child: 5, Candidates: []int{0, 1, 2, 3, 4}, Given: []int{}}, // which was never observed
	}
	want := []score.Query{
		{Parents: []int{}, Children: []int{1, 3}},
		{Parents: []int{0}, Children: []int{1, 3}}, {Parents: []int{1}, Children: []int{3}}, {Parents: []int{2}, Children: []int{1, 3, 4}}, {Parents: []int{3}, Children: []int{1}},
		{Parents: []int{0, 3}, Children: []int{1}}, {Parents: []int{1, 2}, Children: []int{4}}, {Parents: []int{2, 3}, Children: []int{1, 4}},
	}
	got := s.Unknown(families)
	equal := func(a, b score.Query) bool {
		return slices.Equal(a.Parents, b.Parents) && slices.Equal(a.Children, b.Children)
	}
	if !slices.EqualFunc(got, want, equal) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for k, q := range got {
		scores := make([]float64, len(q.Children))
		for c := range scores {
			scores[c] = float64(10*k + c)
		}
		if err := s.Keep(q, scores); err != nil {
			t.Fatal(err)
		}
		for c, j := range q.Children {
			if v := s.LogScore(j, q.Parents); v != scores[c] {
				t.Errorf("variable %d given %v scores %v, want %v, which was kept", j, q.Parents, v, scores[c])
			}
		}
	}
	if left := s.Unknown(families); len(left) > 0 {
		t.Errorf("%v are unknown after all", left)
	}
	for _, scores := range [][]float64{{1}, {1, math.NaN()}, {math.Inf(-1), 1}} {
		if err := s.Keep(want[0], scores); err == nil || !strings.Contains(err.Error(), "score: ") {
			t.Errorf("%v: got %v, want an error", scores, err)
		}
	}
}

// Where many variables share reductions, a query of several children takes little more than one of one; where they do not, as many times as long.
func TestSecondsOfQueries(t *testing.T) {
	one, all := score.Query{Parents: []int{1, 2}, Children: []int{3}}, score.Query{Parents: []int{1, 2}, Children: []int{3, 4, 5, 6}}
	few, many := curved(t, 60, 8, 2).Integrated(), curved(t, 60, 25, 2).Integrated()
	if r := few.Seconds(all) / few.Seconds(one); !(r > 1 && r < 3) {
		t.Errorf("of 8 variables 4 children take %v times as long as one, want between 1 and 3", r)
	}
	if r := many.Seconds(all) / many.Seconds(one); math.Abs(r-4) > 1e-9 {
		t.Errorf("of 25 variables 4 children take %v times as long as one, want 4", r)
	}
}
