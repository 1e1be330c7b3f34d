package ordering_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/internal/must"
	"tobac/ordering"
)

// naiveBSpline is the cubic B-spline number i on the knots lo + h·(j−3), by the
// recursion of de Boor.
func naiveBSpline(x, lo, h float64, i, degree int) float64 {
	knot := func(j int) float64 { return lo + h*float64(j-3) }
	if degree == 0 {
		if knot(i) <= x && x < knot(i+1) {
			return 1
		}
		return 0
	}
	w := h * float64(degree)
	return (x-knot(i))/w*naiveBSpline(x, lo, h, i, degree-1) +
		(knot(i+degree+1)-x)/w*naiveBSpline(x, lo, h, i+1, degree-1)
}

func TestBSplineBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 61))
	x := make([]float64, 50)
	for i := range x {
		x[i] = 3 + 2*rng.NormFloat64()
	}
	for _, row := range []struct {
		s     ordering.Smoother
		k     int
		widen float64
	}{{ordering.PyGAM, 20, 0}, {ordering.MGCV, 10, 0.001}} {
		b := ordering.Basis(row.s, x)
		n, k := b.Dims()
		if n != 50 || k != row.k {
			t.Fatalf("%v: basis %d×%d, want 50×%d", row.s, n, k, row.k)
		}
		lo, hi := slices.Min(x), slices.Max(x)
		margin := row.widen * (hi - lo)
		lo, hi = lo-margin, hi+margin
		h := (hi - lo) / float64(k-3)
		for i, v := range x {
			sum := 0.0
			for j := range k {
				sum += b.At(i, j)
				// The recursion leaves out the right end of the last segment.
				if want := naiveBSpline(v, lo, h, j, 3); v < hi &&
					!(math.Abs(b.At(i, j)-want) <= 1e-12) {
					t.Fatalf("%v: function %d at %g is %g, recursion gives %g", row.s, j, v,
						b.At(i, j), want)
				}
			}
			if !(math.Abs(sum-1) <= 1e-14) {
				t.Errorf("%v: functions at %g sum to %.17g", row.s, v, sum)
			}
		}
		// Second differences: constants and lines are free, and the 1-norm is 16λ.
		p := ordering.Penalty(row.s)
		for i := range k {
			constant, line := 0.0, 0.0
			for j := range k {
				constant += p.At(i, j)
				line += p.At(i, j) * float64(j)
			}
			if !(math.Abs(constant) <= 1e-12) || !(math.Abs(line) <= 1e-12) {
				t.Errorf("%v: row %d of the penalty gives %g on constants, %g on lines", row.s, i,
					constant, line)
			}
		}
		if got, want := mat.Norm(p, 1), map[ordering.Smoother]float64{ordering.PyGAM: 9.6,
			ordering.MGCV: 0.6}[row.s]; !near(got, want, 1e-12) {
			t.Errorf("%v: norm of the penalty %g, want %g", row.s, got, want)
		}
	}
}

// naiveFit solves the penalised least-squares problem with an intercept from
// scratch, by the normal equations of the whole design, uncentred.
func naiveFit(x *mat.Dense, s ordering.Smoother, predictors []int, target int) []float64 {
	n, _ := x.Dims()
	p := ordering.Penalty(s)
	k, _ := p.Dims()
	size := 1 + k*len(predictors)
	z := mat.NewDense(n, size, nil)
	m := mat.NewDense(size, size, nil)
	for i := range n {
		z.Set(i, 0, 1)
	}
	for a, j := range predictors {
		b := ordering.Basis(s, mat.Col(nil, j, x))
		for c := range k {
			z.SetCol(1+a*k+c, mat.Col(nil, c, b))
			for e := range k {
				m.Set(1+a*k+c, 1+a*k+e, p.At(c, e))
			}
			m.Set(1+a*k+c, 1+a*k+c, m.At(1+a*k+c, 1+a*k+c)+1.49e-8)
		}
	}
	var zz, zy, beta, fit mat.Dense
	zz.Mul(z.T(), z)
	m.Add(m, &zz)
	zy.Mul(z.T(), mat.NewDense(n, 1, mat.Col(nil, target, x)))
	if err := beta.Solve(m, &zy); err != nil && !errors.As(err, new(mat.Condition)) {
		panic(err)
	}
	fit.Mul(z, &beta)
	return mat.Col(nil, 0, &fit)
}

// A factor that grew by one predictor at a time gives the fit of a fresh one,
// and both that of the whole problem with an intercept. The uncentred problem
// has a ridge on each constant, 1e-8 of the data, hence its tolerance.
func TestAdditiveFit(t *testing.T) {
	x := gaussian(60, 6, rand.New(rand.NewPCG(62, 62)))
	for _, s := range []ordering.Smoother{ordering.PyGAM, ordering.MGCV} {
		predictors := []int{4, 0, 3}
		targets := []int{1, 5}
		grown := must.Get(ordering.AdditiveFit(x, s, predictors, targets))(t)
		for i, target := range targets {
			want := naiveFit(x, s, predictors, target)
			mean := stat.Mean(want, nil)
			for r, v := range want {
				if !(math.Abs(grown.At(r, i)-(v-mean)) <= 1e-5) {
					t.Fatalf("%v: fit of column %d at row %d is %g, from scratch %g", s, target, r,
						grown.At(r, i), v-mean)
				}
			}
		}
		// The sequence of the predictors does not matter.
		other := must.Get(ordering.AdditiveFit(x, s, []int{0, 3, 4}, targets))(t)
		if !mat.EqualApprox(grown, other, 1e-9) {
			t.Errorf("%v: the fit depends on the sequence of the predictors", s)
		}
	}
}

// Second differences of a line vanish, so the penalty leaves a linear function
// alone: the fit is exact up to the ridge.
func TestAdditiveFitOfALine(t *testing.T) {
	x := gaussian(80, 3, rand.New(rand.NewPCG(63, 63)))
	for i := range 80 {
		x.Set(i, 2, 2*x.At(i, 0)-3*x.At(i, 1)+7)
	}
	mean := stat.Mean(mat.Col(nil, 2, x), nil)
	for _, s := range []ordering.Smoother{ordering.PyGAM, ordering.MGCV} {
		fit := must.Get(ordering.AdditiveFit(x, s, []int{0, 1}, []int{2}))(t)
		for i := range 80 {
			if want := x.At(i, 2) - mean; !(math.Abs(fit.At(i, 0)-want) <= 1e-6) {
				t.Fatalf("%v: fit at row %d is %g, want %g", s, i, fit.At(i, 0), want)
			}
		}
	}
}

// Where the equations are not positive definite the ridge is multiplied by ten
// until they are, up to 1e-4. A smooth's constant has no penalty, so a penalty
// that is lower by some amount needs a ridge above that amount.
func TestAdditiveRidge(t *testing.T) {
	x := gaussian(40, 3, rand.New(rand.NewPCG(72, 72)))
	for _, row := range []struct{ less, want float64 }{{0, 1.49e-8}, {5e-8, 1.49e-7},
		{5e-6, 1.49e-5}} {
		if got, err := ordering.RaisedRidge(x, ordering.PyGAM, row.less); err != nil ||
			!near(got/row.want, 1, 1e-12) {
			t.Errorf("penalty lower by %g: ridge %g, %v, want %g", row.less, got, err, row.want)
		}
	}
	if _, err := ordering.RaisedRidge(x, ordering.PyGAM, 5e-5); !errors.Is(err,
		ordering.ErrSingular) {
		t.Errorf("penalty lower by 5e-5: %v", err)
	}
}

// Orders and criteria that an independent float64 program computed.
func TestNPVarReferenceOrders(t *testing.T) {
	for _, row := range []struct {
		set       string
		s         ordering.Smoother
		order     []int
		criterion []float64
	}{
		{"linear-d10-e20-run0", ordering.MGCV, []int{6, 5, 3, 9, 4, 1, 2, 8, 7, 0},
			[]float64{.0899571476, .116357529, .0722536122, .0740726022}},
		{"linear-d10-e20-run0", ordering.PyGAM, []int{6, 5, 3, 9, 4, 1, 2, 8, 7, 0},
			[]float64{.0899571476, .11476463, .0708049437, .0731358335}},
		{"linear-d10-e20-run1", ordering.MGCV, []int{3, 7, 9, 6, 0, 2, 4, 1, 8, 5},
			[]float64{.0905792056, .0871503715, .0891719211, .0702066277}},
		{"linear-d10-e20-run1", ordering.PyGAM, []int{3, 7, 9, 6, 0, 2, 4, 1, 8, 5},
			[]float64{.0905792056, .0863665864, .0849883858, .0671470431}},
		{"linear-d20-e40-run0", ordering.MGCV, []int{4, 13, 1, 16, 9, 19, 7, 6, 17, 14, 12, 8, 2, 3,
			10, 11, 18, 15, 5, 0}, []float64{.117266377, .0853655453, .081973928, .0789189983}},
		{"linear-d20-e40-run0", ordering.PyGAM, []int{4, 1, 13, 16, 9, 19, 6, 17, 7, 14, 12, 8, 2,
			3, 10, 11, 18, 15, 5, 0}, []float64{.117266377, .0842503729, .0794567962, .0763243764}},
	} {
		t.Run(row.set+"/"+row.s.String(), func(t *testing.T) {
			folders := simulated(t)
			i := slices.IndexFunc(folders, func(f string) bool {
				return filepath.Base(f) == row.set
			})
			if i < 0 {
				t.Skip(row.set + " is not there")
			}
			_, x := readTable(t, filepath.Join(folders[i], "train.csv"))
			got :=
				must.Get(ordering.NPVarOptions{Smoother: row.s}.Order(context.Background(), x, nil,
					1))(t)
			if diff := cmp.Diff(row.order, got.Order); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for c, want := range row.criterion { // printed with 9 digits, zeros at the end left out
				if !(math.Abs(got.Criterion[c]-want) <= 5e-9*want) {
					t.Errorf("criterion %d is %.10g, want %.9g", c, got.Criterion[c], want)
				}
			}
		})
	}
}

// x1 = sin(3 x0) + noise is uncorrelated with x0 for a line, but not for a
// spline.
func TestNPVarIsNonlinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 64))
	x := mat.NewDense(300, 2, nil)
	for i := range 300 {
		x0 := 0.8 * rng.NormFloat64()
		x.SetRow(i, []float64{x0, math.Sin(3*x0) + 0.8*rng.NormFloat64()})
	}
	got := must.Get(ordering.NPVar(x))(t)
	if !slices.Equal(got.Order, []int{0, 1}) || got.Criterion[1] > 0.8 {
		t.Errorf("order %v, conditional variances %v; want [0 1] with 0.64 for the noise",
			got.Order, got.Criterion)
	}
}

// A copy follows its twin, after a tie; its conditional variance is what the
// penalty leaves.
func TestNPVarCopies(t *testing.T) {
	x := gaussian(40, 3, rand.New(rand.NewPCG(65, 65)))
	x.SetCol(2, mat.Col(nil, 0, x))
	got := must.Get(ordering.NPVar(x))(t)
	at := slices.Index(got.Order, 0)
	if at == 2 || got.Order[at+1] != 2 || got.Criterion[at+1] > 1e-6*got.Criterion[at] ||
		got.Gaps[at] != 0 {
		t.Errorf("order %v, criteria %v, gaps %v; want column 2 to follow column 0, after a tie",
			got.Order, got.Criterion, got.Gaps)
	}
}

// Columns of two values leave most functions without data; the penalty settles
// their coefficients.
func TestNPVarOfBinaryColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 66))
	x := mat.NewDense(30, 4, nil)
	x.Apply(func(i, j int, v float64) float64 { return float64(rng.IntN(2)) }, x)
	for _, s := range []ordering.Smoother{ordering.PyGAM, ordering.MGCV} {
		got :=
			must.Get(ordering.NPVarOptions{Smoother: s}.Order(context.Background(), x, nil, 1))(t)
		if err := ordering.Validate(got.Order, 4); err != nil {
			t.Error(err)
		}
	}
}

func TestNPVarSettings(t *testing.T) {
	x := gaussian(20, 4, rand.New(rand.NewPCG(68, 68)))
	for _, row := range []struct {
		name string
		o    ordering.NPVarOptions
		err  error
		text string
	}{
		{"smoother", ordering.NPVarOptions{Smoother: 7}, nil,
			"unknown smoother 7, want pygam or mgcv"},
		{"coefficients", ordering.NPVarOptions{MaxCoefficients: 59}, ordering.ErrTooLarge,
			"up to 60 coefficients"},
	} {
		_, err := row.o.Order(context.Background(), x, nil, 1)
		if err == nil || !errors.Is(err, row.err) && row.err != nil ||
			!strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: error %v, want %q that wraps %v", row.name, err, row.text, row.err)
		}
	}
	got, err := ordering.NPVarOptions{MaxCoefficients: 60}.Order(context.Background(), x, nil, 1)
	if err != nil || len(got.Warnings) != 0 {
		t.Errorf("60 coefficients: %v, warnings %v", err, got.Warnings)
	}
	if s := ordering.Smoother(7).String(); s != "Smoother(7)" {
		t.Errorf("unknown smoother prints %q", s)
	}
}

// The warning about size comes with the result.
func TestNPVarLarge(t *testing.T) {
	if !*long {
		t.Skip("three seconds; -long runs it")
	}
	x := gaussian(6, 103, rand.New(rand.NewPCG(69, 69)))
	got := must.Get(ordering.NPVar(x))(t)
	if d := got.Warnings[0]; d.Kind() != ordering.WarningLarge || d.Values[0] != 2040 {
		t.Errorf("warnings %v", got.Warnings)
	}
}
