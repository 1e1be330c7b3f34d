package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
)

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
		data := make([]float64, n+1)
		for i := range data {
			data[i] = rng.NormFloat64()
		}
		got, want, errs := withAndWithoutCode(t, inputs, outputs, data)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		equalBits(t, fmt.Sprint(n, " steps"), got, want)
		data[n/2] = math.Copysign(0, -1)
		got, want, _ = withAndWithoutCode(t, inputs, outputs, data)
		equalBits(t, fmt.Sprint(n, " steps, one −0"), got, want)
	}
}

func equalBits(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	for i := range want {
		for e, w := range want[i] {
			if math.Float64bits(got[i][e]) != math.Float64bits(w) {
				t.Errorf("%s: output %d, element %d: got %v, want %v", what, i, e, got[i][e], w)
			}
		}
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
	s, y := make([]float64, groups*n*n), make([]float64, groups*n)
	for i := range s {
		s[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = rng.NormFloat64()
	}
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
		got, want, errs := withAndWithoutCode(t, []*ad.Node{x}, append(b.Grad(v, x), v), data)
		if errs[0] != nil || errs[1] != nil {
			t.Fatal(errs)
		}
		equalBits(t, "groups", got, want)
		return got
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
		for e, w := range want[i] {
			if !(math.Abs(got[i][e]-w) <= 1e-12*(1+math.Abs(w))) {
				t.Errorf("output %d, element %d: got %v, want %v", i, e, got[i][e], w)
			}
		}
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
	got, want, errs := withAndWithoutCode(t, []*ad.Node{w, u}, outputs, data...)
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	equalBits(t, "recurrent", got, want)
}
