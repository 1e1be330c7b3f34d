package ordering_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

// adjacency is the matrix of an edge list.
func adjacency(d int, edges [][2]int) *mat.Dense {
	g := mat.NewDense(d, d, nil)
	for _, e := range edges {
		g.Set(e[0], e[1], 1)
	}
	return g
}

// The chain 0 → 1 → 2 → 3 has three paths of one edge, two of two, one of three.
func TestSortabilityByHand(t *testing.T) {
	g := adjacency(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	for _, row := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"ascending", []float64{1, 2, 3, 4}, 1},
		{"descending", []float64{4, 3, 2, 1}, 0},
		{"all equal", []float64{1, 1, 1, 1 + 1e-12}, 0.5},
		{"one exchange", []float64{2, 1, 3, 4}, 5.0 / 6}, // only 0 → 1 is wrong
		{"last is least", []float64{1, 2, 3, 0}, 3.0 / 6},
		{"one tie", []float64{1, 1, 3, 4}, 5.5 / 6},
	} {
		if got, err := ordering.Sortability(row.values, g); err != nil ||
			!(math.Abs(got-row.want) <= 1e-15) {
			t.Errorf("%s: %g, %v, want %g", row.name, got, err, row.want)
		}
	}
	// The diamond with a shortcut: 0 → 3 counts as a path of one edge, and once,
	// though there are two paths, as one of two edges.
	diamond := adjacency(4, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}})
	if got, err := ordering.Sortability([]float64{2, 3, 4, 1}, diamond); err != nil ||
		!(math.Abs(got-2.0/6) <= 1e-15) {
		t.Errorf("diamond: %g, %v, want 2 of 6", got, err)
	}
}

// Reversing the values reverses the share; relabelling changes nothing.
func TestSortabilityLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 91))
		d := rapid.IntRange(2, 9).Draw(t, "d")
		x, edges := network(d, 30, float64(d*(d-1))/4, rng)
		if len(edges) == 0 {
			t.Skip("no edge")
		}
		g := adjacency(d, edges)
		for _, measure := range []func(x, g mat.Matrix) (float64, error){ordering.Varsortability,
			ordering.R2Sortability} {
			if d >= 2 && measure != nil {
				plain := must.Get(measure(x, g))(t)
				if plain < 0 || plain > 1 {
					t.Fatalf("sortability %g", plain)
				}
				relabel := rng.Perm(d)
				position := make([]int, d)
				for c, j := range relabel {
					position[j] = c
				}
				moved := make([][2]int, len(edges))
				for i, e := range edges {
					moved[i] = [2]int{position[e[0]], position[e[1]]}
				}
				if got, err := measure(columns(x, relabel), adjacency(d, moved)); err != nil ||
					!(math.Abs(got-plain) <= 1e-12) {
					t.Fatalf("relabelled: %g, %v, want %g", got, err, plain)
				}
			}
		}
		values, negative := make([]float64, d), make([]float64, d)
		for j := range values {
			values[j] = float64(rng.IntN(4))
			negative[j] = -values[j]
		}
		up := must.Get(ordering.Sortability(values, g))(t)
		if down, err := ordering.Sortability(negative, g); err != nil ||
			!(math.Abs(up+down-1) <= 1e-12) {
			t.Fatalf("%g upwards and %g downwards, %v, want a sum of 1", up, down, err)
		}
	})
}

// Simulated linear data give their order away by scale; standardising hides the
// scale from varsortability, and nothing from R².
func TestSortabilityOfSimulatedData(t *testing.T) {
	x, edges := network(20, 500, 40, rand.New(rand.NewPCG(92, 92)))
	g := adjacency(20, edges)
	measure := func(f func(x, g mat.Matrix) (float64, error), x mat.Matrix) float64 {
		t.Helper()
		return must.Get(f(x, g))(t)
	}
	plain, flat := measure(ordering.Varsortability, x),
		measure(ordering.Varsortability, standardised(x))
	r2, r2flat := measure(ordering.R2Sortability, x),
		measure(ordering.R2Sortability, standardised(x))
	t.Logf("varsortability %.3f, standardised %.3f; R²-sortability %.3f, standardised %.3f", plain,
		flat, r2, r2flat)
	if plain < 0.9 || flat != 0.5 || r2 < 0.6 || !(math.Abs(r2-r2flat) <= 1e-9) {
		t.Error("want above 0.9 and exactly 0.5, and twice the same above 0.6")
	}
}

// R² against a regression on all other columns.
func TestR2(t *testing.T) {
	x := gaussian(30, 6, rand.New(rand.NewPCG(93, 93)))
	got := must.Get(ordering.R2(x))(t)
	for j, v := range got {
		others := identity(6)
		others = append(others[:j], others[j+1:]...)
		if want := 1 - regress(x, j, others)/regress(x, j, nil); !(math.Abs(v-want) <= 1e-9) {
			t.Errorf("column %d: %g, regression gives %g", j, v, want)
		}
	}
	if got, err := ordering.R2(mat.NewDense(3, 1, []float64{1, 2, 4})); err != nil ||
		len(got) != 1 || got[0] != 0 {
		t.Errorf("one column: %v, %v", got, err)
	}
}

func TestSortabilityErrors(t *testing.T) {
	x := gaussian(10, 3, rand.New(rand.NewPCG(94, 94)))
	edge := adjacency(3, [][2]int{{0, 1}})
	for _, row := range []struct {
		name string
		f    func() (float64, error)
		err  error
		text string
	}{
		{"nil graph", func() (float64, error) { return ordering.Varsortability(x, nil) }, nil,
			"nil graph"},
		{"size", func() (float64, error) {
			return ordering.Varsortability(x, mat.NewDense(3, 2, nil))
		}, nil, "3 values against a 3×2 graph"},
		{"no edge", func() (float64, error) {
			return ordering.Varsortability(x, mat.NewDense(3, 3, nil))
		}, nil, "without edges"},
		{"cycle", func() (float64, error) {
			return ordering.Varsortability(x, adjacency(3, [][2]int{{0, 1}, {1, 2}, {2, 0}}))
		}, nil, "cycle"},
		{"loop", func() (float64, error) {
			return ordering.Varsortability(x, adjacency(3, [][2]int{{1, 1}}))
		}, nil, "cycle"},
		{"infinite value", func() (float64, error) {
			return ordering.Sortability([]float64{1, 2, math.Inf(1)}, edge)
		}, ordering.ErrNotFinite, "value 2"},
		{"NaN", func() (float64, error) {
			return ordering.Sortability([]float64{1, math.NaN(), 2}, edge)
		}, ordering.ErrNotFinite, "value 1 is NaN"},
		{"one row", func() (float64, error) {
			return ordering.Varsortability(mat.NewDense(1, 3, nil), edge)
		}, ordering.ErrTooFewRows, ""},
		{"infinite", func() (float64, error) {
			return ordering.Varsortability(mat.NewDense(1, 3, []float64{1, math.Inf(1), 3}), edge)
		}, ordering.ErrNotFinite, ""},
		{"R² with n = d", func() (float64, error) {
			return ordering.R2Sortability(gaussian(3, 3, rand.New(rand.NewPCG(1, 1))), edge)
		}, ordering.ErrTooFewRows, "R²"},
		{"R² of a copy", func() (float64, error) {
			return ordering.R2Sortability(columns(x, []int{0, 1, 0}), edge)
		}, ordering.ErrDependent, ""},
		{"R² of a constant", func() (float64, error) {
			return ordering.R2Sortability(mat.NewDense(9, 3, nil), edge)
		}, ordering.ErrConstant, ""},
	} {
		if v, err := row.f(); err == nil || row.err != nil && !errors.Is(err, row.err) ||
			!strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %g, error %v, want %q that wraps %v", row.name, v, err, row.text, row.err)
		}
	}
}
