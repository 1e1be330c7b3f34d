package ordering_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/ordering"
)

func TestEqVarErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	with := func(change func(x *mat.Dense)) mat.Matrix {
		x := gaussian(12, 4, rng)
		change(x)
		return x
	}
	for _, row := range []struct {
		name string
		x    mat.Matrix
		err  error
		text string // want within the message
		col  int
		row  int
	}{
		{"nil", nil, nil, "nil matrix", -1, -1},
		{"no columns", &mat.Dense{}, nil, "0 columns", -1, -1},
		{"n = d", gaussian(4, 4, rng), ordering.ErrTooFewRows,
			"4 rows of 4 columns, eqvar top-down needs at least 5", -1, -1},
		{"NaN", with(func(x *mat.Dense) { x.Set(7, 2, math.NaN()) }), ordering.ErrNotFinite,
			"column 3, row 8: not finite: NaN", 2, 7},
		{"infinite", with(func(x *mat.Dense) { x.Set(0, 3, math.Inf(-1)) }), ordering.ErrNotFinite,
			"column 4, row 1: not finite: -Inf", 3, 0},
		{"NaN in the only column", mat.NewDense(2, 1, []float64{1, math.NaN()}),
			ordering.ErrNotFinite, "column 1, row 2", 0, 1},
		{"constant", with(func(x *mat.Dense) { setAll(x, 1, 0.1) }), ordering.ErrConstant,
			"column 2: constant column: every row is 0.1", 1, -1},
		{"copied column", with(func(x *mat.Dense) { x.SetCol(3, mat.Col(nil, 1, x)) }),
			ordering.ErrDependent, "column 4: linearly dependent column", 3, -1},
		{"sum of two columns, scaled", with(func(x *mat.Dense) {
			for i := range 12 {
				x.Set(i, 0, 1e6*(x.At(i, 1)-x.At(i, 2)))
			}
		}), ordering.ErrDependent, "column 1", 0, -1},
		{"too large", with(func(x *mat.Dense) { x.Set(3, 2, 1e200) }), ordering.ErrScale,
			"column 3: variance out of range: +Inf", 2, -1},
		{"mean overflows", with(func(x *mat.Dense) { setAll(x, 2, 1e308); x.Set(0, 2, 9e307) }),
			ordering.ErrScale, "column 3", 2, -1},
		{"too small", with(func(x *mat.Dense) { setAll(x, 0, 0); x.Set(0, 0, 1e-200) }),
			ordering.ErrScale, "column 1: variance out of range: 0", 0, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := ordering.EqVar(row.x)
			if err == nil {
				t.Fatalf("no error, order %v", got.Order)
			}
			if got != nil {
				t.Errorf("a result beside the error: %v", got)
			}
			if row.err != nil && !errors.Is(err, row.err) {
				t.Errorf("error %q, want one that wraps %q", err, row.err)
			}
			if !strings.Contains(err.Error(), row.text) ||
				!strings.HasPrefix(err.Error(), "ordering: ") {
				t.Errorf("error %q, want %q in it", err, row.text)
			}
			var fault *ordering.ColumnError
			if errors.As(err, &fault) != (row.col >= 0) {
				t.Fatalf("error of type %T", err)
			}
			if fault != nil && (fault.Column != row.col || fault.Row != row.row) {
				t.Errorf("column %d, row %d, want column %d, row %d", fault.Column, fault.Row,
					row.col, row.row)
			}
		})
	}
}

func setAll(x *mat.Dense, j int, v float64) {
	n, _ := x.Dims()
	for i := range n {
		x.Set(i, j, v)
	}
}

func TestWithNames(t *testing.T) {
	names := []string{"praf", "pmek"}
	_, err := ordering.EqVar(mat.NewDense(3, 2, []float64{1, 2, 5, 2, 7, 2}))
	named := ordering.WithNames(fmt.Errorf("cells.csv: %w", err), names)
	want := "ordering: column 2 (pmek): constant column: every row is 2; remove the column or " +
		"use another estimator"
	if named == nil || named.Error() != want || !errors.Is(named, ordering.ErrConstant) {
		t.Errorf("got  %v\nwant %v", named, want)
	}
	if strings.Contains(err.Error(), "pmek") {
		t.Errorf("the original changed: %v", err)
	}
	other := errors.New("other")
	if ordering.WithNames(other, names) != other || ordering.WithNames(nil, names) != nil ||
		ordering.WithNames(err, names[:1]) != err {
		t.Error("an error without a name to add changed")
	}
}

func TestOneColumn(t *testing.T) {
	for _, values := range [][]float64{{3}, {3, 3}, {1, 2, 6}} {
		for _, m := range ordering.Methods() {
			got, err := m.Order(context.Background(), mat.NewDense(len(values), 1, values), nil, 1)
			if err != nil {
				t.Errorf("%v, %v: %v", m, values, err)
				continue
			}
			if !slices.Equal(got.Order, []int{0}) || got.Criterion != nil ||
				len(got.Warnings) != 0 || !math.IsInf(got.MinRelGap, 1) {
				t.Errorf("%v, %v: %+v", m, values, got)
			}
		}
	}
}
