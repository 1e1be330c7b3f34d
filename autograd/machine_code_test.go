package autograd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// withAndWithoutCode evaluates outputs with machine code and array by array.
func withAndWithoutCode(t *testing.T, inputs, outputs []*ad.Node,
	data ...[]float64) (with, without [][]float64, errs [2]error) {
	t.Helper()
	results := [2][][]float64{}
	for i, left := range []ad.Pass{0, ad.MachineCode} {
		e, err := ad.NewEvaluator(inputs, outputs, ad.Options{Without: left})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		results[i] = room(outputs)
		for range 2 { // the first evaluation of a program is another one
			errs[i] = e.Eval(results[i], feeds(data))
		}
	}
	return results[0], results[1], errs
}

// Small factorisations and solutions in machine code have the bits of the operations.
func TestMachineCodeOfMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 31))
	for n := 1; n <= 9; n++ {
		for _, m := range []int{1, 2, 3, n} {
			b := ad.NewBuilder("matrices")
			x, y := b.Input("x", ad.Shape{n, n}), b.Input("y", ad.Shape{n, m})
			a := x.MatMul(x.T()).Add(b.Constant(diagonal(n, 0.5), ad.Shape{n, n}))
			l := a.Cholesky()
			z := l.SolveLower(y)
			value := z.Square().Sum().Add(l.Diagonal().Log().Sum())
			outputs := append(b.Grad(value, x, y), value, l, z, l.SolveLowerT(z.Scale(2)),
				l.SolveLower(b.Constant(diagonal(n, 1), ad.Shape{n, n})).Diagonal())
			data := [][]float64{make([]float64, n*n), make([]float64, n*m)}
			for _, d := range data {
				for i := range d {
					d[i] = rng.NormFloat64()
				}
			}
			got, want, errs := withAndWithoutCode(t, []*ad.Node{x, y}, outputs, data...)
			if errs[0] != nil || errs[1] != nil {
				t.Fatal(errs)
			}
			equalBits(t, fmt.Sprintf("%d×%d", n, m), got, want)
		}
	}
}

// A matrix without factor fails in machine code as it does elsewhere.
func TestMachineCodeFails(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8} {
		for _, pivot := range []float64{0, -1, math.NaN()} {
			b := ad.NewBuilder("indefinite")
			x := b.Input("x", ad.Shape{n, n})
			outputs := []*ad.Node{x.Scale(2).Cholesky().Sum().Scale(3).AddScalar(1), x.Sum()}
			m := diagonal(n, 2)
			m[len(m)-1] = pivot
			got, want, errs := withAndWithoutCode(t, []*ad.Node{x}, outputs, m)
			if !errors.Is(errs[0], ad.ErrNotPositiveDefinite) ||
				fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
				t.Errorf("%d rows, pivot %v: got error %v, want %v", n, pivot, errs[0], errs[1])
			}
			for i := range want {
				if !math.IsNaN(got[i][0]) || !math.IsNaN(want[i][0]) {
					t.Errorf("%d rows, pivot %v: output %d is %v and %v, want NaN", n, pivot, i,
						got[i][0], want[i][0])
				}
			}
		}
	}
}

// What happens between the copying of inputs and of results is told.
func TestMachineCodeIsExplained(t *testing.T) {
	b := ad.NewBuilder("small")
	x := b.Input("x", ad.Shape{4})
	y := x.Square().Sum().Exp().Scale(2)
	p, err := ad.Compile([]*ad.Node{x}, []*ad.Node{y})
	if err != nil {
		t.Fatal(err)
	}
	want := ad.Kernels() != "portable" && runtime.GOOS == "linux"
	text := p.Explain()
	if coded := strings.Contains(text,
		"4 values as whole arrays, of which 3 as 2 stretches of machine code"); coded != want {
		t.Error(text)
	}
	profile, err := p.Profile([][]float64{{0}}, feeds([][]float64{{1, 2, 3, 4}}), 3)
	if err != nil {
		t.Fatal(err)
	}
	if coded := strings.Contains(profile.String(),
		"machine code, 2 values from square"); coded != want {
		t.Error(profile)
	}
	if p, err = ad.Compile([]*ad.Node{x}, []*ad.Node{y}, ad.MachineCode); err != nil ||
		strings.Contains(p.Explain(), "machine code") {
		t.Errorf("%v, %v", p.Explain(), err)
	}
}
