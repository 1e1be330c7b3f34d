package ordering_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/ordering"
)

// shd counts the pairs on which two graphs differ.
func shd(a, b mat.Matrix) int {
	d, _ := a.Dims()
	count := 0
	for i := range d {
		for j := range i {
			if a.At(i, j) != b.At(i, j) || a.At(j, i) != b.At(j, i) {
				count++
			}
		}
	}
	return count
}

// auroc is the chance that an edge of truth scores above another entry, the
// diagonal included; ties count half.
func auroc(score, truth mat.Matrix) float64 {
	d, _ := truth.Dims()
	sum, pairs := 0.0, 0.0
	for e := range d * d {
		if truth.At(e/d, e%d) == 0 {
			continue
		}
		for o := range d * d {
			if truth.At(o/d, o%d) != 0 {
				continue
			}
			pairs++
			switch a, b := score.At(e/d, e%d), score.At(o/d, o%d); {
			case a > b:
				sum++
			case a == b:
				sum += 0.5
			}
		}
	}
	return sum / pairs
}

// Distances to the true graph and mean AUROC that an independent program found
// on runs 0 to 4 of the simulated data, which have mean zero by construction.
func TestStepwiseReference(t *testing.T) {
	want := map[string]map[string][]int{
		"eqvar": {"linear-d10-e20": {5, 1, 4, 7, 0}, "linear-d20-e40": {6, 3, 2, 3, 12}, "linear-d20-e80": {18, 21, 13, 13, 17}},
		"truth": {"linear-d10-e20": {4, 1, 1, 3, 0}, "linear-d20-e40": {4, 1, 2, 3, 14}, "linear-d20-e80": {18, 21, 11, 13, 17}},
	}
	area := map[string][]float64{}
	done := map[string]bool{}
	for _, folder := range simulated(t) {
		name, run := family(folder)
		if _, ok := want["eqvar"][name]; !ok || done[filepath.Base(folder)] {
			continue
		}
		done[filepath.Base(folder)] = true
		names, x := readTable(t, filepath.Join(folder, "train.csv"))
		truth := adjacency(len(names), readEdges(t, filepath.Join(folder, "graph.csv"), names))
		for method, order := range map[string][]int{
			"eqvar": mustEqVar(t, x).Order, "truth": readOrders(t, filepath.Join(folder, "orders.json")).GroundTruth,
		} {
			g, err := ordering.NewGramAboutZero(x)
			if err != nil {
				t.Fatal(err)
			}
			edges, err := ordering.Edges(order, g, ordering.StepwiseBIC{})
			if err != nil {
				t.Fatal(err)
			}
			if got := shd(edges.Adjacency, truth); got != want[method][name][run] {
				t.Errorf("%s, order by %s: distance %d, want %d", folder, method, got, want[method][name][run])
			}
			if method == "eqvar" {
				area[name] = append(area[name], auroc(edges.Probability, truth))
			}
		}
	}
	for name, mean := range map[string]float64{"linear-d10-e20": .971, "linear-d20-e40": .992, "linear-d20-e80": .983} {
		if len(area[name]) < 5 {
			continue
		}
		sum := 0.0
		for _, a := range area[name] {
			sum += a / 5
		}
		if math.Abs(sum-mean) > 0.0006 {
			t.Errorf("%s: mean AUROC %.4f, want %.3f", name, sum, mean)
		}
	}
}

// bicByRegression is the definition, by QR factorisations.
func bicByRegression(x *mat.Dense, j int, set []int) float64 {
	n, _ := x.Dims()
	rss := regress(x, j, set) * float64(n-1)
	return float64(n)*math.Log(rss/float64(n)) + float64(len(set))*math.Log(float64(n))
}

// No single change improves the sets that are found, and the probabilities are
// those of the changes.
func TestStepwiseIsLocallyBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 111))
		d := rapid.IntRange(2, 7).Draw(t, "d")
		x, _ := network(d, 20+rapid.IntRange(0, 30).Draw(t, "rows"), float64(d), rng)
		g, err := ordering.NewGram(x)
		if err != nil {
			t.Fatal(err)
		}
		child := d - 1
		candidates := rng.Perm(d - 1)
		got, err := ordering.StepwiseBIC{}.FindParents(g, child, candidates)
		if err != nil {
			t.Fatal(err)
		}
		var set []int
		for k, c := range candidates {
			if got.Chosen[k] {
				set = append(set, c)
			}
		}
		best := bicByRegression(x, child, set)
		for k, c := range candidates {
			with, without := append(slices.Clone(set), c), slices.DeleteFunc(slices.Clone(set), func(i int) bool { return i == c })
			if got.Chosen[k] {
				with = set
			}
			a, b := bicByRegression(x, child, with), bicByRegression(x, child, without)
			if min(a, b) < best-1e-6 {
				t.Fatalf("parents %v have criterion %g, but %g with and %g without %d", set, best, a, b, c)
			}
			if want := 1 / (1 + math.Exp((a-b)/2)); math.Abs(got.Probability[k]-want) > 1e-6 {
				t.Fatalf("probability of %d is %g, want %g", c, got.Probability[k], want)
			}
		}
	})
}

// Rescaling and relabelling columns change nothing; adding constants changes
// nothing about means, and something about zero.
func TestStepwiseInvariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(112, 112))
	x, _ := network(8, 60, 14, rng)
	edges := func(x mat.Matrix, order []int) *ordering.EdgeEstimate {
		g, err := ordering.NewGram(x)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ordering.Edges(order, g, ordering.StepwiseBIC{})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	order := mustEqVar(t, x).Order
	plain := edges(x, order)
	relabel := rng.Perm(8)
	changed := columns(x, relabel)
	changed.Apply(func(i, j int, v float64) float64 { return math.Pow(10, float64(j)) * (v + 3) }, changed)
	position := make([]int, 8)
	for c, j := range relabel {
		position[j] = c
	}
	got := edges(changed, relabelled(order, position))
	for i := range 8 {
		for j := range 8 {
			if got.Adjacency.At(position[i], position[j]) != plain.Adjacency.At(i, j) || math.Abs(got.Probability.At(position[i], position[j])-plain.Probability.At(i, j)) > 1e-6 {
				t.Errorf("edge %d → %d: %g and %g, want %g and %g", i, j, got.Adjacency.At(position[i], position[j]), got.Probability.At(position[i], position[j]),
					plain.Adjacency.At(i, j), plain.Probability.At(i, j))
			}
		}
	}
}

// Every edge follows the order, and only chosen parents have edges.
func TestEdgesFollowTheOrder(t *testing.T) {
	x, _ := network(10, 50, 20, rand.New(rand.NewPCG(113, 113)))
	g, err := ordering.NewGram(x)
	if err != nil {
		t.Fatal(err)
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(10)
	for _, finder := range []ordering.ParentFinder{ordering.StepwiseBIC{}, ordering.LargeCoefficients{}} {
		e, err := ordering.Edges(order, g, finder)
		if err != nil {
			t.Fatal(err)
		}
		for a, i := range order {
			for b, j := range order {
				p, edge := e.Probability.At(i, j), e.Adjacency.At(i, j)
				if a >= b && (p != 0 || edge != 0) {
					t.Errorf("%T: %d → %d against the order: %g, %g", finder, i, j, edge, p)
				}
				if a < b && (edge == 1) != (p > 0.5) || p < 0 || p > 1 {
					t.Errorf("%T: %d → %d: edge %g with probability %g", finder, i, j, edge, p)
				}
			}
		}
	}
	if _, err := ordering.Edges([]int{0, 0}, g, ordering.StepwiseBIC{}); err == nil {
		t.Error("no error for an order that is none")
	}
}

// A column that its candidates explain exactly, copies among the candidates, a
// constant column, and fewer rows than candidates.
func TestStepwiseDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(114, 114))
	x := mat.NewDense(20, 5, nil)
	for i := range 20 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, a, b, 4, a + b})
	}
	g, err := ordering.NewGram(x)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ordering.Edges([]int{0, 1, 2, 3, 4}, g, ordering.StepwiseBIC{})
	if err != nil {
		t.Fatal(err)
	}
	want := adjacency(5, [][2]int{{0, 1}, {0, 4}, {2, 4}})
	if !mat.Equal(e.Adjacency, want) {
		t.Errorf("edges\n%v\nwant\n%v", mat.Formatted(e.Adjacency), mat.Formatted(want))
	}
	for i := range 5 {
		for j := range 5 {
			if p := e.Probability.At(i, j); math.IsNaN(p) || p < 0 || p > 1 {
				t.Errorf("probability of %d → %d is %g", i, j, p)
			}
		}
	}
	few, err := ordering.NewGram(gaussian(4, 9, rng))
	if err != nil {
		t.Fatal(err)
	}
	if e, err = ordering.Edges(identity(9), few, ordering.StepwiseBIC{}); err != nil {
		t.Fatal(err)
	}
	for j := range 9 {
		if parents := mat.Sum(e.Adjacency.ColView(j)); parents > 2 {
			t.Errorf("4 rows: column %d has %g parents, want at most n−2", j, parents)
		}
	}
	for name, err := range map[string]error{
		"copies":    second(ordering.Edges(identity(5), g, ordering.LargeCoefficients{})),
		"few rows":  second(ordering.Edges(identity(9), few, ordering.LargeCoefficients{})),
		"threshold": second(ordering.Edges(identity(5), g, ordering.LargeCoefficients{Least: -1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "ordering: parents of column ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := second(ordering.Edges(identity(5), g, ordering.LargeCoefficients{})); !errors.Is(err, ordering.ErrSingular) {
		t.Errorf("copies: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// LargeCoefficients finds the weights of a noiseless equation.
func TestLargeCoefficients(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 115))
	x := mat.NewDense(30, 4, nil)
	for i := range 30 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, c, 0.3*a - 0.05*b + 9})
	}
	g, err := ordering.NewGram(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ordering.LargeCoefficients{}.FindParents(g, 3, []int{2, 0, 1})
	if err != nil || !slices.Equal(got.Chosen, []bool{false, true, false}) {
		t.Errorf("%v, %v", got, err)
	}
	for k, want := range []float64{0, .3 / .4, .05 / .15} {
		if math.Abs(got.Probability[k]-want) > 1e-9 {
			t.Errorf("probability %d is %g, want %g", k, got.Probability[k], want)
		}
	}
	if got, err = (ordering.LargeCoefficients{Least: 0.01}).FindParents(g, 3, []int{1}); err != nil || !got.Chosen[0] && math.Abs(got.Probability[0]) > 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestGram(t *testing.T) {
	x := gaussian(15, 4, rand.New(rand.NewPCG(116, 116)))
	g, err := ordering.NewGram(x)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := g.Dims(); n != 15 || d != 4 {
		t.Errorf("dims %d, %d", n, d)
	}
	for _, set := range [][]int{nil, {0}, {3, 1}, {0, 1, 3}} {
		rss, ok := g.RSS(2, set)
		if want := 14 * regress(x, 2, set); !ok || !near(rss, want, 1e-9) {
			t.Errorf("RSS given %v is %g, %t, want %g", set, rss, ok, want)
		}
	}
	if _, ok := g.RSS(2, []int{1, 1}); ok {
		t.Error("a set with a copy is ok")
	}
	zero, err := ordering.NewGramAboutZero(x)
	if err != nil {
		t.Fatal(err)
	}
	var want mat.Dense
	want.Mul(x.T(), x)
	for i := range 4 {
		for j := range 4 {
			if !near(zero.At(i, j), want.At(i, j), 1e-12) {
				t.Errorf("entry %d,%d about zero is %g, want %g", i, j, zero.At(i, j), want.At(i, j))
			}
		}
	}
	for _, f := range []func(mat.Matrix) (*ordering.Gram, error){ordering.NewGram, ordering.NewGramAboutZero} {
		if _, err := f(mat.NewDense(1, 2, nil)); !errors.Is(err, ordering.ErrTooFewRows) {
			t.Errorf("one row: %v", err)
		}
		if _, err := f(mat.NewDense(2, 1, []float64{1, math.NaN()})); !errors.Is(err, ordering.ErrNotFinite) {
			t.Errorf("NaN: %v", err)
		}
		if _, err := f(mat.NewDense(2, 1, []float64{1, 1e200})); !errors.Is(err, ordering.ErrScale) {
			t.Errorf("too large: %v", err)
		}
	}
	defer func() {
		if r := recover(); r != "ordering: column 4 of 4" {
			t.Errorf("panic %v", r)
		}
	}()
	_, _ = ordering.StepwiseBIC{}.FindParents(g, 0, []int{4})
}
