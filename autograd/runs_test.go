package autograd_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestNextRun: a run depends on its inputs only, also after a failed one, and
// leaves earlier results alone.
func TestNextRun(t *testing.T) {
	b := ad.NewBuilder("runs")
	a := b.Input("a", ad.Shape{2, 2})
	out := nodes(a.LogDet())
	out = append(out, b.Grad(out[0], a)...)
	good, other, bad := [][]float64{{2, 0, 0, 2}}, [][]float64{{4, 0, 1, 3}},
		[][]float64{{2, 0, 0, -1}}
	for _, engine := range engines {
		t.Run(engine.String(), func(t *testing.T) {
			ev := must.Get(ad.NewEvaluator(nodes(a), out, ad.Options{Engine: engine}))(t)
			defer ev.Close()
			first, second, third := room(out), room(out), room(out)
			must.Do(t, ev.Eval(first, feeds(good)))
			must.Do(t, ev.Eval(second, feeds(other)))
			if err := ev.Eval(third, feeds(bad)); !errors.Is(err, ad.ErrNotPositiveDefinite) {
				t.Fatalf("got error %v, want %v", err, ad.ErrNotPositiveDefinite)
			}
			must.Do(t, ev.Eval(third, feeds(good)))
			compare(t, "first run", first[0], []float64{math.Log(4)}, 1e-15)
			compare(t, "first gradient", first[1], []float64{0.5, 0, 0, 0.5}, 1e-15)
			compare(t, "second run", second[0], []float64{math.Log(11)}, 1e-15)
			compare(t, "after a failure", third[0], first[0], 0)
			compare(t, "gradient after a failure", third[1], first[1], 0)
		})
	}
}

// TestFailureNamesOp: a failing operation is named also where it is the same in
// all lanes, and where it is folded because its operands are constants.
func TestFailureNamesOp(t *testing.T) {
	b := ad.NewBuilder("names")
	s := b.Axis("sample", 3)
	a, x := b.Input("a", ad.Shape{1, 1}), b.Input("x", ad.Shape{1, 1}, s)
	y := a.Cholesky().Mul(x).Exp()
	for _, engine := range engines {
		ev, err := ad.NewEvaluator(nodes(a, x), nodes(y), ad.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		defer ev.Close()
		err = ev.Eval(room(nodes(y)), feeds([][]float64{{-2}, {1, 2, 3}}))
		if err == nil || !errors.Is(err, ad.ErrNotPositiveDefinite) ||
			!strings.Contains(err.Error(), `"names"`) ||
			!strings.Contains(err.Error(), "cholesky#2(1,1): cholesky: pivot 0 is -2") {
			t.Errorf("%v engine: got error %v, want one naming graph and op", engine, err)
		}
	}
	_, err := ad.Compile(nil, nodes(b.Constant([]float64{-1}, ad.Shape{1, 1}).Cholesky()))
	if want := `autograd: graph "names": cholesky#6(1,1) of constants: cholesky: pivot 0 is -1: matrix is not positive definite`; err == nil || err.Error() != want {
		t.Errorf("constant: got error %v, want %v", err, want)
	}
}

// TestClose: closing twice is harmless, also before any run.
func TestClose(t *testing.T) {
	m := density(4, 3, quadratic, false)
	for _, engine := range engines {
		ev := must.Get(ad.NewEvaluator(m.inputs, m.outputs,
			ad.Options{Engine: engine, Workers: 3}))(t)
		ev.Close()
		ev.Close()
	}
}
