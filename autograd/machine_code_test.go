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

	"tobac/internal/must"
)

// withAndWithoutCode evaluates outputs with machine code and array by array.
func withAndWithoutCode(t *testing.T, inputs, outputs []*ad.Node,
	data ...[]float64) (with, without [][]float64, errs [2]error) {
	t.Helper()
	results := [2][][]float64{}
	for i, left := range []ad.Pass{0, ad.MachineCode} {
		e := must.Get(ad.NewEvaluator(inputs, outputs, ad.Options{Without: left}))(t)
		defer e.Close()
		results[i] = room(outputs)
		for range 2 { // the first evaluation of a program is another one
			errs[i] = e.Eval(results[i], feeds(data))
		}
	}
	return results[0], results[1], errs
}

// codedAlike evaluates outputs with machine code and array by array, and wants the same bits.
func codedAlike(t *testing.T, what string, inputs, outputs []*ad.Node,
	data ...[]float64) [][]float64 {
	t.Helper()
	got, want, errs := withAndWithoutCode(t, inputs, outputs, data...)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	for i := range want {
		if !sameBits(got[i], want[i]) {
			t.Errorf("%s: output %d: got %v, want %v", what, i, got[i], want[i])
		}
	}
	return got
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
			data := [][]float64{normals(rng, n*n), normals(rng, n*m)}
			codedAlike(t, fmt.Sprintf("%d×%d", n, m), []*ad.Node{x, y}, outputs, data...)
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

// A loop written out has the bits that its operations have one by one, and so has its gradient,
// which is put together at once.
func TestLoopsWrittenOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 32))
	for _, n := range []int{2, 3, 4, 5, 9, 40} {
		b := ad.NewBuilder("loop")
		x := b.Input("x", ad.Shape{n + 1})
		at := func(i int) *ad.Node { return x.Index(0, i) }
		scale := at(n).Exp()
		sum := b.Scalar(0)
		for i := range n {
			y := at(i).Neg().Exp().Scale(float64(1 + i*i%7)).Add(at(i))
			sum = sum.Sub(y.Div(scale).Square())
			if i > 0 {
				sum = sum.Add(at(i - 1).Mul(scale).Sub(y).Scale(0.25))
			}
		}
		inputs, outputs := []*ad.Node{x}, append(b.Grad(sum, x), sum)
		data := normals(rng, n+1)
		codedAlike(t, fmt.Sprint(n, " steps"), inputs, outputs, data)
		data[n/2] = math.Copysign(0, -1)
		codedAlike(t, fmt.Sprint(n, " steps, one −0"), inputs, outputs, data)
	}
}

// The operation that is not finite is named in a loop written out, too.
func TestLoopsWrittenOutAreChecked(t *testing.T) {
	b := ad.NewBuilder("loop")
	x := b.Input("x", ad.Shape{6})
	sum := b.Scalar(0)
	for i := range 6 {
		sum = sum.Add(x.Index(0, i).Log())
	}
	e, err := ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{sum}, ad.Options{CheckFinite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	err = e.Eval([][]float64{{0}}, feeds([][]float64{{1, 2, 3, 0, 5, 6}}))
	if err == nil || !strings.Contains(err.Error(), "log#") {
		t.Errorf("got error %v", err)
	}
}

// Many small matrices, which are stored column by column, give the numbers that each gives
// alone.
func TestMatricesOfManyGroups(t *testing.T) {
	const groups, n = 13, 2
	rng := rand.New(rand.NewPCG(9, 33))
	s, y := normals(rng, groups*n*n), normals(rng, groups*n)
	density := func(x, s, y *ad.Node) *ad.Node {
		eye := x.Builder().Constant(diagonal(n, 1), ad.Shape{n, n})
		p := s.MatMul(x)
		l := eye.Add(p.MatMul(p.T())).Cholesky()
		z := l.SolveLower(y.Reshape(ad.Shape{n, 1}))
		return z.Square().Sum().Add(l.Diagonal().Log().Sum()).Add(
			ad.Concat(0, y, z.Reshape(ad.Shape{n})).LogSumExp(0))
	}
	data := []float64{1, 0.5, -0.25, 0.75}
	value := func(build func(b *ad.Builder, x *ad.Node) *ad.Node) [][]float64 {
		b := ad.NewBuilder("groups")
		x := b.Input("x", ad.Shape{n, n})
		v := build(b, x)
		return codedAlike(t, "groups", []*ad.Node{x}, append(b.Grad(v, x), v), data)
	}
	got := value(func(b *ad.Builder, x *ad.Node) *ad.Node {
		return ad.Map(b.Axis("group", groups), func(v []*ad.Node) *ad.Node {
			return density(x, v[0], v[1])
		},
			b.Constant(s, ad.Shape{groups, n, n}), b.Constant(y, ad.Shape{groups, n})).Sum()
	})
	want := [][]float64{make([]float64, n*n), {0}}
	for g := range groups {
		one := value(func(b *ad.Builder, x *ad.Node) *ad.Node {
			return density(x, b.Constant(s[g*n*n:][:n*n], ad.Shape{n, n}),
				b.Constant(y[g*n:][:n], ad.Shape{n}))
		})
		for i := range one {
			for e, v := range one[i] {
				want[i][e] += v
			}
		}
	}
	for i := range want {
		compare(t, fmt.Sprint("output ", i), got[i], want[i], 1e-12)
	}
}

// A loop whose derivative is thousands of operations without a call between them: it is cut, and
// its steps share code.
func TestLongLoopsShareCode(t *testing.T) {
	const steps, h = 300, 4
	b := ad.NewBuilder("recurrent")
	w, u := b.Input("w", ad.Shape{h, h}), b.Input("u", ad.Shape{h})
	state := u.Scale(0)
	var terms []*ad.Node
	for i := range steps {
		state = w.MatVec(state).Add(u.Scale(float64(i%5) - 2)).Tanh()
		terms = append(terms, state.Sum().AddScalar(float64(i%3)).Square().Reshape(ad.Shape{1}))
	}
	y := ad.Concat(0, terms[0], terms[1:]...).Sum()
	outputs := append(b.Grad(y, w, u), y)
	data := [][]float64{make([]float64, h*h), {0.1, -0.2, 0.3, 0.4}}
	for i := range data[0] {
		data[0][i] = 0.3 * float64(i%7-3)
	}
	codedAlike(t, "recurrent", []*ad.Node{w, u}, outputs, data...)
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
	profile := must.Get(p.Profile([][]float64{{0}}, feeds([][]float64{{1, 2, 3, 4}}), 3))(t)
	if coded := strings.Contains(profile.String(),
		"machine code, 2 values from square"); coded != want {
		t.Error(profile)
	}
	if p, err = ad.Compile([]*ad.Node{x}, []*ad.Node{y}, ad.MachineCode); err != nil ||
		strings.Contains(p.Explain(), "machine code") {
		t.Errorf("%v, %v", p.Explain(), err)
	}
}
