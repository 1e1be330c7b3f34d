package ordering_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

// An estimator is a variant of one, with what it promises.
type estimator struct {
	name         string
	orderer      ordering.Orderer
	commonFactor bool // a factor on all columns changes nothing
	columnFactor bool // a factor on one column can change the order
	accuracy     accuracy
}

// An accuracy says what the rounding error of a criterion is relative to.
type accuracy int

const (
	ofCriterion accuracy = iota // the criterion
	// the column's variance: the criterion is a difference of numbers of that size
	ofVariance
	// the criterion, times the condition number of the correlations that were inverted
	ofInverse
)

// tolerance is how far the criterion want of column j of x may be off, if all of
// x was multiplied by factor.
func (a accuracy) tolerance(want float64, x *mat.Dense, j int, factor float64) float64 {
	switch a {
	case ofVariance:
		return 1e-9 * factor * factor * stat.Variance(mat.Col(nil, j, x), nil)
	case ofInverse:
		var r mat.SymDense
		stat.CorrelationMatrix(&r, x, nil)
		return math.Max(1e-9, 1e-13*mat.Cond(&r, 2)) * math.Abs(want)
	}
	return 1e-6 * math.Abs(want)
}

// estimators are all of the package in all variants.
var estimators = []estimator{
	{"eqvar", ordering.MethodEqVar, true, true, ofVariance},
	{"eqvar, partial", ordering.EqVarOptions{Partial: true}, true, true, ofVariance},
	{"eqvar-bu", ordering.MethodEqVarBottomUp, true, true, ofInverse},
	{"npvar", ordering.MethodNPVar, true, true, ofVariance},
	{"npvar, mgcv", ordering.NPVarOptions{Smoother: ordering.MGCV}, true, true, ofVariance},
	{"score", ordering.MethodSCORE, false, true, ofCriterion},
	{"variance", ordering.MethodVariance, true, true, ofVariance},
}

// relabelled returns the order of columns(x, relabel) in the labels of x.
func relabelled(order, relabel []int) []int {
	out := make([]int, len(order))
	for c, j := range order {
		out[c] = relabel[j]
	}
	return out
}

// Relabelling and shifting columns, and a common factor where that is promised, change neither the
// order nor the criteria, to rounding. A variance that is left to a column is a difference of
// numbers of the size of the column's own, so that its error is relative to that, however small it
// is. Orders whose choices hang on a millionth are left out.
func TestEquivariance(t *testing.T) {
	for _, e := range estimators {
		t.Run(e.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
				d := rapid.IntRange(2, 8).Draw(t, "d")
				x := gaussian(d+10, d, rng)
				plain := must.Get(e.orderer.Order(context.Background(), x, nil, 1))(t)
				if plain.MinRelGap < 1e-6 {
					t.Skip("tie")
				}
				relabel, factor := rng.Perm(d), 1.0
				if e.commonFactor {
					factor = math.Exp(10 * rng.NormFloat64())
				}
				changed := columns(x, relabel)
				changed.Apply(func(i, j int, v float64) float64 {
					return factor * (v + float64(j))
				}, changed)
				got := must.Get(e.orderer.Order(context.Background(), changed, nil, 1))(t)
				if diff := cmp.Diff(plain.Order, relabelled(got.Order, relabel)); diff != "" {
					t.Fatalf("relabelled by %v, shifted, and multiplied by %g (-want +got):\n%s",
						relabel, factor, diff)
				}
				for c, j := range plain.Order {
					want := factor * factor * plain.Criterion[c]
					tolerance := e.accuracy.tolerance(want, x, j, factor)
					if !(math.Abs(got.Criterion[c]-want) <= tolerance) {
						t.Fatalf("criterion %d is %g, want %g ± %.2g", c, got.Criterion[c], want,
							tolerance)
					}
				}
			})
		})
	}
}

// What is not promised does not hold.
func TestNotInvariant(t *testing.T) {
	changes := func(o ordering.Orderer,
		change func(x *mat.Dense, seed uint64) []int) (changed bool) {
		for seed := range uint64(40) {
			x := gaussian(30, 5, rand.New(rand.NewPCG(seed, 31)))
			before := must.Get(o.Order(context.Background(), x, nil, 1))(t)
			relabel := change(x, seed)
			after := must.Get(o.Order(context.Background(), columns(x, relabel), nil, 1))(t)
			changed = changed || !slices.Equal(before.Order, relabelled(after.Order, relabel))
		}
		return changed
	}
	for _, e := range estimators {
		if e.columnFactor && !changes(e.orderer, func(x *mat.Dense, seed uint64) []int {
			for i := range 30 {
				x.Set(i, 2, 0.01*x.At(i, 2))
			}
			return identity(5)
		}) {
			t.Errorf("%s: a factor of 0.01 on one column changes no order of 40", e.name)
		}
		if !e.commonFactor && e.name != "npvar, layers" &&
			!changes(e.orderer, func(x *mat.Dense, seed uint64) []int {
				x.Scale(0.01, x)
				return identity(5)
			}) {
			t.Errorf("%s: a factor of 0.01 on all columns changes no order of 40", e.name)
		}
	}
}

// Two runs agree bitwise, the data stay as they are, and any mat.Matrix gives
// what a dense one gives.
func TestRunsAgree(t *testing.T) {
	x := gaussian(300, 5, rand.New(rand.NewPCG(6, 6)))
	before := mat.DenseCopyOf(x)
	for _, e := range estimators {
		first, err := e.orderer.Order(context.Background(), x, nil, 1)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		if !mat.Equal(x, before) {
			t.Fatalf("%s: the data changed", e.name)
		}
		for what, again := range map[string]mat.Matrix{"a second run": x,
			"a transposed view": mat.DenseCopyOf(x.T()).T()} {
			second, err := e.orderer.Order(context.Background(), again, nil, 1)
			if diff := cmp.Diff(first, second); err != nil || diff != "" {
				t.Errorf("%s: %s: %v (-first +second):\n%s", e.name, what, err, diff)
			}
		}
		if err := ordering.Validate(first.Order, 5); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
		if len(first.Criterion) != 5 || len(first.Gaps) != 5 ||
			slices.Min(first.Gaps) != first.MinRelGap {
			t.Errorf("%s: %+v", e.name, first)
		}
	}
}

// The number of processors changes no bit.
func TestProcessors(t *testing.T) {
	x := gaussian(300, 6, rand.New(rand.NewPCG(7, 7)))
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, e := range estimators {
		var first *ordering.Result
		for _, processors := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(processors)
			got, err := e.orderer.Order(context.Background(), x, nil, 1)
			if err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("%s: 1 processor against %d (-1 +%d):\n%s", e.name, processors, processors,
					diff)
			}
		}
	}
}

// Data that carry no order, or too little of it: an error that says why, or the
// documented answer.
func TestDegenerateData(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	with := func(n int, change func(x *mat.Dense)) *mat.Dense {
		x := gaussian(n, 4, rng)
		change(x)
		return x
	}
	sizes := map[string]*mat.Dense{
		"n = 1":      gaussian(1, 4, rng),
		"n = 2":      gaussian(2, 4, rng),
		"n = 3":      gaussian(3, 4, rng),
		"n = d":      gaussian(4, 4, rng),
		"copy":       with(20, func(x *mat.Dense) { x.SetCol(3, mat.Col(nil, 1, x)) }),
		"constant":   with(20, func(x *mat.Dense) { setAll(x, 2, 0.1) }),
		"equal rows": with(20, func(x *mat.Dense) { repeatRows(x, 2) }),
		"all equal":  with(20, func(x *mat.Dense) { repeatRows(x, 1) }),
	}
	few, dependent, constant, duplicate := ordering.ErrTooFewRows, ordering.ErrDependent,
		ordering.ErrConstant, ordering.ErrDuplicateRows
	for _, row := range []struct {
		name string
		want map[string]error // by the name of the data; missing: an order
	}{
		{"eqvar", map[string]error{"n = 1": few, "n = 2": few, "n = 3": few, "n = d": few,
			"copy": dependent, "constant": constant, "equal rows": dependent,
			"all equal": constant}},
		{"eqvar, partial", map[string]error{"n = 1": few, "copy": dependent, "constant": constant,
			"equal rows": dependent, "all equal": constant}},
		{"eqvar-bu", map[string]error{"n = 1": few, "n = 2": few, "n = 3": few, "n = d": few,
			"copy": dependent, "constant": constant, "equal rows": dependent,
			"all equal": constant}},
		{"npvar", map[string]error{"n = 1": few, "n = 2": few, "n = 3": few, "constant": constant,
			"all equal": constant}},
		{"npvar, mgcv", map[string]error{"n = 1": few, "n = 2": few, "n = 3": few,
			"constant": constant, "all equal": constant}},
		{"score", map[string]error{"n = 1": few, "n = 2": few, "equal rows": duplicate,
			"all equal": duplicate}},
		{"variance", map[string]error{"n = 1": few}},
	} {
		i := slices.IndexFunc(estimators, func(e estimator) bool { return e.name == row.name })
		for data, x := range sizes {
			t.Run(row.name+"/"+data, func(t *testing.T) {
				got, err := estimators[i].orderer.Order(context.Background(), x, nil, 1)
				want := row.want[data]
				if !errors.Is(err, want) || (err == nil) != (want == nil) {
					t.Fatalf("error %v, want %v", err, want)
				}
				if err != nil {
					if got != nil {
						t.Errorf("a result beside the error: %v", got)
					}
					return
				}
				if err := ordering.Validate(got.Order, 4); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// repeatRows makes all rows copies of the first few.
func repeatRows(x *mat.Dense, distinct int) {
	n, _ := x.Dims()
	for i := range n {
		x.SetRow(i, slices.Clone(x.RawRowView(i%distinct)))
	}
}

// Where the data are standardised, the estimators that read variances say so.
func TestStandardisedData(t *testing.T) {
	x := standardised(gaussian(200, 6, rand.New(rand.NewPCG(21, 21))))
	for _, e := range estimators {
		got, err := e.orderer.Order(context.Background(), x, nil, 1)
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		says := slices.ContainsFunc(got.Warnings, func(d ordering.Warning) bool {
			return d.Kind() == ordering.WarningStandardised
		})
		if want := !slices.Contains([]string{"score", "score, mean absolute deviation",
			"score, divided by mean"}, e.name); says != want {
			t.Errorf("%s: warnings %v, standardised among them: want %t", e.name, got.Warnings,
				want)
		}
	}
}

func TestWarningSentences(t *testing.T) {
	names := []string{"a", "b c"}
	for _, row := range []struct {
		warning ordering.Warning
		plain   string
		named   string
	}{
		{ordering.NewWarning(ordering.WarningTie, []int{0, 1}, 3, []float64{2}),
			"columns 1 and 2 tie at position 4 of the order (2); the lower index was taken",
			`columns "a" and "b c" tie at position 4 of the order (2); the lower index was taken`},
		{ordering.NewWarning(ordering.WarningConstant, []int{1}, -1, nil),
			"column 2 is constant; its place in the order means nothing",
			`column "b c" is constant; its place in the order means nothing`},
		{ordering.NewWarning(ordering.WarningUndecided, []int{1, 2, 0}, 4, nil),
			"the rows decide 4 positions; columns 2, 3 and 1 come after them in a sequence that " +
				"means nothing",
			`the rows decide 4 positions; columns "b c", 3 and "a" come after them in a sequence that means nothing`},
		{ordering.NewWarning(ordering.WarningClamped, []int{0}, 2, []float64{-0.25}),
			"the fit of column 1 at position 3 varies more than the column, by 0.25; its " +
				"conditional variance was taken as 0",
			`the fit of column "a" at position 3 varies more than the column, by 0.25; its conditional variance was taken as 0`},
		{ordering.NewWarning(ordering.WarningRidge, nil, 2, []float64{1.49e-7}),
			"the additive fit at position 3 needed a ridge of 1.49e-07 to be solvable",
			"the additive fit at position 3 needed a ridge of 1.49e-07 to be solvable"},
		{ordering.NewWarning(ordering.WarningLarge, nil, 5, []float64{2500, 5e7}),
			"the last additive fit has 2500 coefficients, 50 MB in its factor",
			"the last additive fit has 2500 coefficients, 50 MB in its factor"},
		{ordering.NewWarning(99, nil, 0, nil), "warning of kind 99", "warning of kind 99"},
	} {
		if got := fmt.Sprint(row.warning); got != row.plain {
			t.Errorf("got  %q\nwant %q", got, row.plain)
		}
		if got := row.warning.Sentence(names); got != row.named {
			t.Errorf("got  %q\nwant %q", got, row.named)
		}
	}
}
