package autograd_test

import (
	"errors"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// TestMatrixBuilderErrors pins the texts of the errors of linear algebra, indices
// and rearrangements. The inputs are v (3), m (2,3), q (3,3) and c (2,3,4).
func TestMatrixBuilderErrors(t *testing.T) {
	other := ad.NewBuilder("other")
	foreign := other.Input("f", ad.Shape{2, 4, 3})
	type env struct {
		b          *ad.Builder
		v, m, q, c *ad.Node
	}
	for _, tt := range []struct {
		name  string
		build func(e env)
		want  string // after `autograd: graph "g": `
	}{
		{"batch product", func(e env) {
			e.c.MatMul(e.m)
		}, "matmul: shapes (2,3,4) and (2,3), want (…,m,k) and (…,k,n)"},
		{"batch product of a vector", func(e env) {
			e.c.MatMul(e.v)
		}, "matmul: shapes (2,3,4) and (3), want (…,m,k) and (…,k,n)"},
		{"batches that do not broadcast", func(e env) {
			e.c.MatMul(e.c.Repeat(0, 2).Transpose(0, 2, 1))
		},
			"matmul: leading dimensions of shapes (2,3,4) and (4,4,3) do not broadcast"},
		{"product without a batch", func(e env) {
			e.m.BatchMatMul(e.m)
		}, "matmul: shapes (2,3) and (2,3), want (m,k) and (k,n)"},
		{"foreign batch", func(e env) {
			e.c.MatMul(foreign)
		}, `matmul: operand f(2,4,3) belongs to graph "other"`},
		{"Kronecker product", func(e env) {
			e.v.Kronecker(e.m)
		}, "kronecker: shapes (3) and (2,3), want two matrices"},

		{"solve", func(e env) {
			e.q.Solve(e.m)
		}, "solve: shapes (3,3) and (2,3), want (n,n) and (n,m)"},
		{"transposed solve", func(e env) {
			e.m.SolveT(e.q)
		}, "solve transposed: shapes (2,3) and (3,3), want (n,n) and (n,m)"},
		{"upper solve", func(e env) {
			e.q.SolveUpper(e.m)
		}, "solve_upper: shapes (3,3) and (2,3), want (n,n) and (n,m)"},
		{"transposed upper solve", func(e env) {
			e.m.SolveUpperT(e.q)
		}, "solve_upper_t: shapes (2,3) and (3,3), want (n,n) and (n,m)"},
		{"inverse", func(e env) { e.m.MatInverse() }, "inverse: shape (2,3), want a square matrix"},
		{"determinant", func(e env) { e.v.SLogDet() }, "slogdet: shape (3), want a square matrix"},
		{"exponential", func(e env) { e.m.Expm() }, "expm: shape (2,3), want a square matrix"},
		{"derivative of the exponential", func(e env) {
			e.q.ExpmFrechet(e.m)
		}, "expm_frechet: shapes (3,3) and (2,3), want (n,n) twice"},

		{"take", func(e env) { e.m.Take(e.v, 2) }, "take: axis 2 of shape (2,3)"},
		{"segment sum count", func(e env) { e.m.SegmentSum([]int{0}, 2) },
			"segment sum: got 1 indices, want 2"},
		{"segment sum id", func(e env) { e.m.SegmentSum([]int{0, 2}, 2) },
			"segment sum: index 1 is 2, want 0 ≤ index < 2"},
		{"segment sum of a scalar", func(e env) { e.m.Sum().SegmentSum([]int{0}, 2) },
			"segment sum of shape () into 2 segments, want a dimension and a segment"},
		{"segment sum by data", func(e env) { e.m.SegmentSumBy(e.v, 2) },
			"segment_sum: shape (2,3) with indices of shape (3) from axis 0"},

		{"transpose", func(e env) { e.c.Transpose(0, 1, 1) },
			"transpose: order [0 1 1] of shape (2,3,4), want each of its 3 dimensions once"},
		{"roll", func(e env) { e.m.Roll(2, 1) }, "roll: axis 2 of shape (2,3)"},
		{"flip", func(e env) { e.m.Flip(-1) }, "flip: axis -1 of shape (2,3)"},
		{"tile count", func(e env) { e.m.Tile(2, 0) }, "tile: count 0 of axis 1, want at least 1"},
		{"tile counts", func(e env) { e.m.Tile(2) }, "tile: got 1 counts, want 2 for shape (2,3)"},
		{"repeat", func(e env) { e.m.Repeat(2, 1) }, "repeat: axis 2 of shape (2,3)"},
		{"repeat count", func(e env) { e.m.Repeat(1, 0) }, "repeat: count 0, want at least 1"},
		{"pad", func(e env) { e.m.Pad([]int{1}, []int{1}) },
			"pad: got 1 and 1 widths, want 2 for shape (2,3)"},
		{"pad width", func(e env) { e.m.Pad([]int{1, 0}, []int{0, -1}) },
			"pad: widths 0 and -1 of axis 1, want at least 0"},
		{"diag", func(e env) { e.m.Diag() }, "diag: shape (2,3), want a vector"},
		{"upper triangle", func(e env) {
			e.v.Triu(0)
		}, "triu: shape (3), want at least two dimensions"},
		{"split axis", func(e env) { e.m.Split(2, 1) }, "split: axis 2 of shape (2,3)"},
		{"split sizes", func(e env) { e.m.Split(1, 1, 1) },
			"split: sizes [1 1] add up to 2, want 3 for axis 1 of shape (2,3)"},
		{"split beyond", func(e env) {
			e.m.Split(1, 2, 2)
		}, "slice [2:4] of axis 1 of shape (2,3)"},

		{"einsum sizes", func(e env) { ad.Einsum("ij,jk->ik", e.m, e.m) },
			`einsum "ij,jk->ik": 'j' has size 3 in operand 0 and 2 in operand 1`},
		{"einsum diagonal", func(e env) {
			ad.Einsum("ii", e.m)
		}, `einsum "ii": 'i' has size 2 in operand 0 and 3 in operand 0`},
		{"einsum dimensions", func(e env) { ad.Einsum("ij,jk", e.m, e.v) },
			`einsum "ij,jk": operand 1 has shape (3), want 2 dimensions for "jk"`},
		{"einsum operands", func(e env) { ad.Einsum("ij,jk,kl", e.m, e.q) },
			`einsum "ij,jk,kl": got 2 operands, want 3`},
		{"einsum result", func(e env) { ad.Einsum("ij->ik", e.m) },
			`einsum "ij->ik": the result has 'k', which no operand has`},
		{"einsum result twice", func(e env) {
			ad.Einsum("ij->ii", e.m)
		}, `einsum "ij->ii": the result has 'i' twice`},
		{"einsum result of two", func(e env) { ad.Einsum("ij,j->i,j", e.m, e.v) },
			`einsum "ij,j->i,j": the result has ',', which no operand has`},
		{"einsum ellipsis", func(e env) {
			ad.Einsum("...j->j", e.m)
		}, `einsum "...j->j": '.' is not a letter`},
		{"einsum operand", func(e env) { ad.Einsum("ij,abc", e.m, foreign) },
			`einsum "ij,abc": operand f(2,4,3) belongs to graph "other"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("g")
			e := env{b: b}
			e.v, e.m, e.q, e.c = b.Input("v", ad.Shape{3}), b.Input("m", ad.Shape{2, 3}),
				b.Input("q", ad.Shape{3, 3}), b.Input("c", ad.Shape{2, 3, 4})
			tt.build(e)
			want := `autograd: graph "g": ` + tt.want
			if err := b.Err(); err == nil || err.Error() != want {
				t.Fatalf("got error %v\nwant      %v", err, want)
			}
		})
	}
	if other.Err() != nil {
		t.Errorf("the other graph failed as well: %v", other.Err())
	}
}

// TestMatrixRunErrors: values outside the domain of an op fail the run, with op and
// place, on every engine, and the next run is sound.
func TestMatrixRunErrors(t *testing.T) {
	inverse := func(x, _ *ad.Node) *ad.Node { return x.MatInverse() }
	logDet := func(x, _ *ad.Node) *ad.Node { _, l := x.SLogDet(); return l }
	take := func(x, table *ad.Node) *ad.Node { return table.Take(x, 1) }
	segments := func(x, table *ad.Node) *ad.Node { return table.SegmentSumBy(x, 4) }
	oneHot := func(x, _ *ad.Node) *ad.Node { return x.OneHot(3) }
	square, pair := ad.Shape{2, 2}, ad.Shape{2}
	for _, tt := range []struct {
		name  string
		build func(x, table *ad.Node) *ad.Node // table has the shape (2,3)
		shape ad.Shape
		bad   []float64
		want  string // end of the text
		cause error
	}{
		{"dependent rows", inverse, square, []float64{1, 2, 2, 4},
			": lu: pivot 1 is 0: matrix is singular", ad.ErrSingular},
		{"zero", inverse, ad.Shape{1, 1}, []float64{0}, ": lu: pivot 0 is 0: matrix is singular",
			ad.ErrSingular},
		{"not a number", inverse, square, []float64{1, 1, 1, nan},
			": lu: pivot 1 is NaN: matrix is singular", ad.ErrSingular},
		{"determinant", logDet, square, []float64{0, 0, 0, 1},
			": lu: pivot 0 is 0: matrix is singular", ad.ErrSingular},
		{"fraction", take, pair, []float64{1, 0.5},
			": take: index 1 is 0.5, want a whole number from 0 to 2", nil},
		{"beyond", take, pair, []float64{3, 0},
			": take: index 0 is 3, want a whole number from 0 to 2", nil},
		{"negative", take, pair, []float64{0, -1},
			": take: index 1 is -1, want a whole number from 0 to 2", nil},
		{"no number", take, pair, []float64{0, nan},
			": take: index 1 is NaN, want a whole number from 0 to 2", nil},
		{"huge", take, pair, []float64{0, 1e300},
			": take: index 1 is 1e+300, want a whole number from 0 to 2", nil},
		{"segment", segments, pair, []float64{0, 4},
			": segment_sum: index 1 is 4, want a whole number from 0 to 3", nil},
		{"one-hot", oneHot, ad.Shape{}, []float64{-inf},
			": one_hot: index 0 is -Inf, want a whole number from 0 to 2", nil},
	} {
		for _, engine := range engines {
			t.Run(tt.name+"/"+engine.String(), func(t *testing.T) {
				b := ad.NewBuilder("g")
				inputs := nodes(b.Input("x", tt.shape), b.Input("table", ad.Shape{2, 3}))
				y := nodes(tt.build(inputs[0], inputs[1]))
				ev, err := ad.NewEvaluator(inputs, y, ad.Options{Engine: engine})
				if err != nil {
					t.Fatal(err)
				}
				defer ev.Close()
				table := make([]float64, 6)
				err = ev.Eval(room(y), feeds([][]float64{tt.bad, table}))
				if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
					t.Errorf("got error %v, want one that ends with %q", err, tt.want)
				}
				if tt.cause != nil && !errors.Is(err, tt.cause) {
					t.Errorf("got error %v, want its cause to be %v", err, tt.cause)
				}
				good := []float64{1, 0, 0, 1}[:tt.shape.Len()]
				if err := ev.Eval(room(y), feeds([][]float64{good, table})); err != nil {
					t.Errorf("the next run: %v", err)
				}
			})
		}
	}
}

// TestTakeAtWrongConstant: positions that no run could read are not taken for a
// layout.
func TestTakeAtWrongConstant(t *testing.T) {
	b := ad.NewBuilder("g")
	x := b.Input("x", ad.Shape{2})
	y := x.Take(b.Constant([]float64{0, 2}, ad.Shape{2}), 0)
	ev, err := ad.NewEvaluator(nodes(x), nodes(y), ad.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ev.Close()
	want := `autograd: graph "g": take#2(2): take: index 1 is 2, want a whole number from 0 to 1`
	if err := ev.Eval(room(nodes(y)), feeds([][]float64{{1, 2}})); err == nil ||
		err.Error() != want {
		t.Errorf("got error %v, want %v", err, want)
	}
}
