package ordering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tobac/internal/must"
	"tobac/ordering"
)

func near(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))
}

func mustEqVar(t testing.TB, x mat.Matrix) *ordering.Result {
	t.Helper()
	return must.Get(ordering.EqVar(x))(t)
}

// regress returns the residual sum of squares of column j on the given columns,
// all centred, divided by n−1, by a QR factorisation of the data.
func regress(x *mat.Dense, j int, given []int) float64 {
	n, _ := x.Dims()
	centred := func(j int) []float64 {
		col := mat.Col(nil, j, x)
		mean := stat.Mean(col, nil)
		for i := range col {
			col[i] -= mean
		}
		return col
	}
	y := mat.NewVecDense(n, centred(j))
	if len(given) == 0 {
		return mat.Dot(y, y) / float64(n-1)
	}
	design := mat.NewDense(n, len(given), nil)
	for c, g := range given {
		design.SetCol(c, centred(g))
	}
	var qr mat.QR
	qr.Factorize(design)
	var beta, fit mat.VecDense
	if err := qr.SolveVecTo(&beta, false, y); err != nil {
		return math.NaN()
	}
	fit.MulVec(design, &beta)
	y.SubVec(y, &fit)
	return mat.Dot(y, y) / float64(n-1)
}

// eqvarByRegression is the definition: at each step the remaining column with
// the smallest residual variance given those placed. It finds the first
// positions.
func eqvarByRegression(x *mat.Dense, positions int) (order []int, criterion []float64) {
	_, d := x.Dims()
	for len(order) < positions {
		best, bestV := -1, math.Inf(1)
		for j := range d {
			if slices.Contains(order, j) {
				continue
			}
			if v := regress(x, j, order); v < bestV {
				best, bestV = j, v
			}
		}
		order = append(order, best)
		criterion = append(criterion, bestV)
	}
	return order, criterion
}

// eqvarByInverse is the form of the reference implementation: v is the diagonal
// of the inverse of the not-placed block of the precision matrix.
func eqvarByInverse(x *mat.Dense) []int {
	var c mat.SymDense
	stat.CovarianceMatrix(&c, x, nil)
	var precision mat.Dense
	if err := precision.Inverse(&c); err != nil {
		return nil
	}
	return smallestOfInverses(&precision)
}

// smallestOfInverses takes, again and again, the column with the smallest entry on
// the diagonal of the inverse of the block of those left. It returns nil where a
// block is singular.
func smallestOfInverses(m mat.Matrix) (taken []int) {
	d, _ := m.Dims()
	left := identity(d)
	for len(left) > 0 {
		block := mat.NewDense(len(left), len(left), nil)
		for a, i := range left {
			for b, j := range left {
				block.Set(a, b, m.At(i, j))
			}
		}
		var inverse mat.Dense
		if err := inverse.Inverse(block); err != nil {
			return nil
		}
		best := 0
		for a := range left {
			if inverse.At(a, a) < inverse.At(best, best) {
				best = a
			}
		}
		taken = append(taken, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return taken
}

func TestEqVarMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(2, 9).Draw(t, "d")
		n := d + 2 + rapid.IntRange(0, 20).Draw(t, "more rows")
		x := gaussian(n, d, rng)
		got := must.Get(ordering.EqVar(x))(t)
		if got.MinRelGap < 1e-6 {
			t.Skip("tie")
		}
		order, criterion := eqvarByRegression(x, d)
		if diff := cmp.Diff(order, got.Order); diff != "" {
			t.Fatalf("against regression (-want +got):\n%s", diff)
		}
		for c, want := range criterion {
			// The covariance squares the condition number of the data, hence 1e-8
			// rather than 1e-12, relative to the variance that was there.
			if own := regress(x, order[c], nil); !(math.Abs(got.Criterion[c]-want) <= 1e-8*own) {
				t.Fatalf("pivot %d is %g, regression gives %g", c, got.Criterion[c], want)
			}
		}
		if got.MinRelGap > 1e-3 && n > d+5 {
			if diff := cmp.Diff(eqvarByInverse(x), got.Order); diff != "" {
				t.Fatalf("against the inverse form (-want +got):\n%s", diff)
			}
		}
	})
}

func TestEqVarPowerOfTwoIsExact(t *testing.T) {
	x := gaussian(60, 12, rand.New(rand.NewPCG(4, 4)))
	plain := mustEqVar(t, x)
	for _, factor := range []float64{0x1p-400, 0x1p-3, 0x1p20, 0x1p400} {
		var scaled mat.Dense
		scaled.Scale(factor, x)
		got := mustEqVar(t, &scaled)
		if !slices.Equal(got.Order, plain.Order) || got.MinRelGap != plain.MinRelGap {
			t.Errorf("factor %g: order %v gap %g, want %v gap %g", factor, got.Order, got.MinRelGap,
				plain.Order, plain.MinRelGap)
		}
		for c, v := range plain.Criterion {
			if got.Criterion[c] != v*factor*factor {
				t.Errorf("factor %g: criterion %d is %g, want %g", factor, c, got.Criterion[c],
					v*factor*factor)
			}
		}
	}
}

// One column in other units is another problem: here x1 = x0 + noise, and in
// hundredths x1 looks like the source.
func TestEqVarDependsOnTheUnitOfOneColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, x.At(i, 0)+rng.NormFloat64())
	}
	if got := mustEqVar(t, x).Order; !slices.Equal(got, []int{0, 1}) {
		t.Errorf("same units: order %v, want [0 1]", got)
	}
	for i := range 200 {
		x.Set(i, 1, x.At(i, 1)/100)
	}
	if got := mustEqVar(t, x).Order; !slices.Equal(got, []int{1, 0}) {
		t.Errorf("x1 in hundredths: order %v, want [1 0]", got)
	}
}

func TestEqVarLeavesDataAlone(t *testing.T) {
	x := gaussian(3000, 5, rand.New(rand.NewPCG(6, 6))) // more rows than one block
	before := mat.DenseCopyOf(x)
	first := mustEqVar(t, x)
	if !mat.Equal(x, before) {
		t.Fatal("the data changed")
	}
	if diff := cmp.Diff(first, mustEqVar(t, x)); diff != "" {
		t.Errorf("a second run differs (-first +second):\n%s", diff)
	}
	// Any mat.Matrix will do.
	if diff := cmp.Diff(first, mustEqVar(t, mat.DenseCopyOf(x.T()).T())); diff != "" {
		t.Errorf("a transposed view differs (-dense +view):\n%s", diff)
	}
	order, _ := eqvarByRegression(x, 5)
	if diff := cmp.Diff(order, first.Order); diff != "" {
		t.Errorf("against regression (-want +got):\n%s", diff)
	}
}

func TestEqVarTies(t *testing.T) {
	// Orthogonal columns of equal variance: every choice is a tie.
	x := mat.NewDense(8, 3, nil)
	for i := range 8 {
		for j := range 3 {
			x.Set(i, j, 1-2*float64(i>>j&1))
		}
	}
	got := mustEqVar(t, x)
	if !slices.Equal(got.Order, []int{0, 1, 2}) || got.MinRelGap != 0 ||
		!slices.Equal(got.Gaps, []float64{0, 0, math.Inf(1)}) {
		t.Errorf("order %v, gap %g, want [0 1 2] and 0", got.Order, got.MinRelGap)
	}
	want := "columns 1 and 2 tie at position 1 of the order (1.143); the lower index was taken"
	if len(got.Warnings) != 3 || got.Warnings[1].String() != want {
		t.Errorf("warnings %q, want three, the second %q", got.Sentences(nil), want)
	}
}

// With n ≤ d the order of n−1 columns is found, and the rest marked.
func TestEqVarPartial(t *testing.T) {
	x := gaussian(6, 9, rand.New(rand.NewPCG(11, 11)))
	if _, err := ordering.EqVar(x); !errors.Is(err, ordering.ErrTooFewRows) {
		t.Errorf("6 rows of 9 columns: %v", err)
	}
	got := must.Get(ordering.EqVarOptions{Partial: true}.Order(context.Background(), x, nil, 1))(t)
	must.Do(t, ordering.Validate(got.Order, 9))
	first, _ := eqvarByRegression(x, 5)
	if !slices.Equal(got.Order[:5], first) {
		t.Errorf("order %v, regression begins %v", got.Order, first[:5])
	}
	rest := slices.Sorted(slices.Values(got.Order[5:]))
	warning := got.Warnings[len(got.Warnings)-1]
	if warning.Kind() != ordering.WarningUndecided || warning.Position != 5 ||
		!slices.Equal(slices.Sorted(slices.Values(warning.Columns)), rest) {
		t.Errorf("warnings %v", got.Warnings)
	}
	if got.MinRelGap != 0 || got.Gaps[5] != 0 || got.Gaps[0] == 0 {
		t.Errorf("gaps %v", got.Gaps)
	}
	if _, err := (ordering.EqVarOptions{Partial: true}).Order(context.Background(),
		gaussian(1, 3, rand.New(rand.NewPCG(1, 1))), nil, 1); !errors.Is(err,
		ordering.ErrTooFewRows) {
		t.Errorf("one row: %v", err)
	}
	// With enough rows the setting changes nothing.
	x = gaussian(30, 5, rand.New(rand.NewPCG(12, 12)))
	plain := mustEqVar(t, x)
	partial, err := ordering.EqVarOptions{Partial: true}.Order(context.Background(), x, nil, 1)
	if diff := cmp.Diff(plain, partial); err != nil || diff != "" {
		t.Errorf("%v (-plain +partial):\n%s", err, diff)
	}
}
