package ordering_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

func TestVarianceSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		d := rapid.IntRange(2, 15).Draw(t, "d")
		n := rapid.IntRange(2, 30).Draw(t, "n")
		x := gaussian(n, d, rng)
		got := must.Get(ordering.Variance(x))(t)
		must.Do(t, ordering.Validate(got.Order, d))
		gap := math.Inf(1)
		for c, j := range got.Order {
			want := stat.Variance(mat.Col(nil, j, x), nil)
			if !(math.Abs(got.Criterion[c]-want) <= 1e-12*want) {
				t.Fatalf("criterion of column %d is %g, want %g", j, got.Criterion[c], want)
			}
			if c > 0 {
				if got.Criterion[c-1] > got.Criterion[c] {
					t.Fatalf("criteria descend: %v", got.Criterion)
				}
				gap = min(gap, got.Criterion[c]/got.Criterion[c-1]-1)
			}
		}
		if got.MinRelGap != gap {
			t.Fatalf("gap %g, want %g", got.MinRelGap, gap)
		}
	})
}

// Sorting by variance violates about 6 % of the edges of linear networks where
// a random order violates half (means over 20 simulated networks); the largest
// share on a single stored set is a third.
func TestVarianceOnSimulatedData(t *testing.T) {
	bad, all := 0, 0
	for _, folder := range simulated(t) {
		if !strings.HasPrefix(filepath.Base(folder), "linear-") {
			continue
		}
		names, x := readTable(t, filepath.Join(folder, "train.csv"))
		edges := readEdges(t, filepath.Join(folder, "graph.csv"), names)
		v := must.Get(ordering.Variance(x))(t)
		bad += violated(v.Order, edges)
		all += len(edges)
	}
	t.Logf("violated %d of %d edges", bad, all)
	if bad > all/8 {
		t.Errorf("%d of %d edges violated, want at most an eighth", bad, all)
	}
}

func TestVarianceDegenerate(t *testing.T) {
	x := mat.NewDense(3, 3, []float64{
		5, 1e9, 0.1,
		6, 1e9, 0.1,
		9, 1e9, 0.1,
	})
	got := must.Get(ordering.Variance(x))(t)
	if !slices.Equal(got.Order, []int{1, 2, 0}) || got.Criterion[0] != 0 || got.Criterion[1] != 0 ||
		got.MinRelGap != 0 {
		t.Errorf("%+v", got)
	}
	want := []string{
		"column 2 is constant; its place in the order means nothing",
		"column 3 is constant; its place in the order means nothing",
		"columns 2 and 3 tie at position 1 of the order (0); the lower index was taken",
	}
	if diff := cmp.Diff(want, got.Sentences(nil)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}

	if _, err := ordering.Variance(mat.NewDense(1, 3, nil)); !errors.Is(err,
		ordering.ErrTooFewRows) {
		t.Errorf("one row: %v", err)
	}
	if _, err := ordering.Variance(mat.NewDense(2, 2, []float64{1, 2, math.Inf(1), 3})); !errors.Is(
		err, ordering.ErrNotFinite) {
		t.Errorf("infinite: %v", err)
	}
	if _, err := ordering.Variance(mat.NewDense(2, 2, []float64{1, 1e200, 3, 0})); !errors.Is(err,
		ordering.ErrScale) {
		t.Errorf("too large: %v", err)
	}
	even, err := ordering.Variance(mat.NewDense(2, 2, []float64{1, 2, 2, 3.02}))
	if err != nil || len(even.Warnings) != 1 ||
		!strings.Contains(even.Warnings[0].String(), "(0.5 to 0.5202)") {
		t.Errorf("variances 0.5 and 0.5202: %v, %v", even, err)
	}
}

func TestValidate(t *testing.T) {
	for _, row := range []struct {
		name  string
		order []int
		d     int
		want  string
	}{
		{"permutation", []int{2, 0, 1}, 3, ""},
		{"one", []int{0}, 1, ""},
		{"nothing", nil, 0, "ordering: an order of 0 variables, want at least 1"},
		{"negative d", nil, -1, "ordering: an order of -1 variables, want at least 1"},
		{"too large", []int{0, 3, 1}, 3,
			"ordering: position 2 of the order holds 3, want an index from 0 to 2"},
		{"negative", []int{0, -1}, 2,
			"ordering: position 2 of the order holds -1, want an index from 0 to 1"},
		{"repeated", []int{2, 0, 2}, 3,
			"ordering: the order repeats variable 2, at positions 1 and 3"},
		{"short", []int{2, 0}, 3, "ordering: the order lacks variable 1, it has 2 of 3 entries"},
		{"long", []int{1, 0, 1}, 2, "ordering: the order repeats variable 1, at positions 1 and 3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			if err := ordering.Validate(row.order, row.d); err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestKnown(t *testing.T) {
	order := []int{1, 0, 2}
	got := must.Get(ordering.Known(order, 3))(t)
	order[0] = 7
	want := &ordering.Result{Order: []int{1, 0, 2}, MinRelGap: math.Inf(1), Method: "known"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := ordering.Known([]int{0, 0}, 2); err == nil {
		t.Error("no error for a repeated entry")
	}
	var orderer ordering.Orderer = ordering.Fixed{1, 0}
	if got, err := orderer.Order(context.Background(), mat.NewDense(3, 2, nil), nil,
		1); err != nil ||
		!slices.Equal(got.Order, []int{1, 0}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := orderer.Order(context.Background(), mat.NewDense(3, 3, nil), nil, 1); err == nil {
		t.Error("no error for three columns")
	}
}

func TestByNames(t *testing.T) {
	names := []string{"praf", "pmek", "PKA", "PKC"}
	for _, row := range []struct {
		name  string
		order []string
		names []string
		want  []int
		err   string
	}{
		{"permutation", []string{"PKC", "praf", "PKA", "pmek"}, names, []int{3, 0, 2, 1}, ""},
		{
			"every fault at once", []string{"PKC", "pkc ", "PKC", "erk"}, names, nil,
			`ordering: unknown "pkc " at position 2 (did you mean "PKC"?); repeated "PKC" at positions 1 and 3; ` +
				`unknown "erk" at position 4; missing "praf", "pmek", "PKA"`,
		},
		{"a long list of strangers", strings.Fields(strings.Repeat("x ", 25)), names, nil,
			`ordering: ` + strangers(20) + "; and 6 more"},
		{"empty order", nil, names, nil,
			`ordering: missing "praf", "pmek", "PKA", "PKC"`},
		{"no columns", nil, nil, nil, "ordering: an order of 0 columns, want at least 1"},
		{"columns of one name", []string{"a"}, []string{"a", "b", "a"}, nil,
			`ordering: columns 1 and 3 are both named "a"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := ordering.ByNames(row.order, row.names)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != row.err || !slices.Equal(got, row.want) {
				t.Errorf("got  %v %s\nwant %v %s", got, text, row.want, row.err)
			}
		})
	}
}

func TestMethodText(t *testing.T) {
	direct := []func(mat.Matrix) (*ordering.Result, error){
		ordering.MethodEqVar: ordering.EqVar, ordering.MethodVariance: ordering.Variance,
		ordering.MethodEqVarBottomUp: ordering.EqVarBottomUp,
		ordering.MethodNPVar:         ordering.NPVar, ordering.MethodSCORE: ordering.SCORE,
	}
	if got := ordering.Methods(); len(got) != len(direct) {
		t.Fatalf("methods %v, want %d", got, len(direct))
	}
	x := gaussian(30, 4, rand.New(rand.NewPCG(1, 1)))
	for i, m := range ordering.Methods() {
		if int(m) != i {
			t.Errorf("method %d is %v", i, m)
		}
		want, _ := direct[m](x)
		got, err := m.Order(context.Background(), x, nil, 1)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %v (-direct +by method):\n%s", m, err, diff)
		}
		text := must.Get(json.Marshal(m))(t)
		var back ordering.Method
		if err := json.Unmarshal([]byte(strings.ToUpper(string(text))), &back); err != nil ||
			back != m {
			t.Errorf("%s reads back as %v, %v", text, back, err)
		}
	}
	m := ordering.MethodVariance
	err := m.UnmarshalText([]byte("eqvar2"))
	if err == nil ||
		err.Error() !=
			`ordering: unknown method "eqvar2", want one of eqvar, variance, eqvar-bu, npvar, score` || m != ordering.MethodVariance {
		t.Errorf("unknown name: %v, %v", m, err)
	}
	bad := ordering.Method(9)
	if _, err := bad.Order(context.Background(), x, nil, 1); err == nil ||
		bad.String() != "Method(9)" {
		t.Errorf("%v: no error", bad)
	}
	if _, err := bad.MarshalText(); err == nil {
		t.Errorf("%v: no error", bad)
	}
}

// strangers are what is said about the first n names of an order.
func strangers(n int) string {
	all := make([]string, n)
	for k := range all {
		all[k] = fmt.Sprintf("unknown \"x\" at position %d", k+1)
	}
	return strings.Join(all, "; ")
}
