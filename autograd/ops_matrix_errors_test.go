package autograd_test

import (
	"errors"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

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
	ev := must.Get(ad.NewEvaluator(nodes(x), nodes(y), ad.Options{}))(t)
	defer ev.Close()
	want := `autograd: graph "g": take#2(2): take: index 1 is 2, want a whole number from 0 to 1`
	if err := ev.Eval(room(nodes(y)), feeds([][]float64{{1, 2}})); err == nil ||
		err.Error() != want {
		t.Errorf("got error %v, want %v", err, want)
	}
}
