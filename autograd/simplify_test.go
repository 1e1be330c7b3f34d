package autograd_test

import (
	"math"
	"strings"
	"testing"

	ad "tobac/autograd"
)

// Identities leave out the operations that they should, and those only; what is
// computed stays the same.
func TestSimplification(t *testing.T) {
	c := []float64{2, 3, 5}
	product := func(x *ad.Node) *ad.Node {
		return x.Builder().Constant([]float64{1, 0, -2, 3, 4, 0},
			ad.Shape{2, 3}).MatMul(x.Reshape(ad.Shape{3, 1}))
	}
	tests := []struct {
		name string
		f    func(x *ad.Node) *ad.Node
		want []string // operations left, in order
	}{
		{"plus zero", func(x *ad.Node) *ad.Node { return x.AddScalar(math.Copysign(0, -1)).Exp() },
			[]string{"exp"}},
		{"zero plus", func(x *ad.Node) *ad.Node {
			return x.Builder().Constant(make([]float64, 3), ad.Shape{3}).Add(x).Exp()
		}, []string{"exp"}},
		{"minus zero", func(x *ad.Node) *ad.Node { return x.Sub(x.Builder().Scalar(0)).Exp() },
			[]string{"exp"}},
		{"times one", func(x *ad.Node) *ad.Node { return x.Scale(1).Exp() }, []string{"exp"}},
		{"over one", func(x *ad.Node) *ad.Node { return x.Div(x.Builder().Scalar(1)).Exp() },
			[]string{"exp"}},
		{"twice negative", func(x *ad.Node) *ad.Node { return x.Neg().Neg().Exp() },
			[]string{"exp"}},
		{"constant factors", func(x *ad.Node) *ad.Node { return x.Scale(3).Scale(0.5).Exp() },
			[]string{"mul", "exp"}},
		{"factors of elements", func(x *ad.Node) *ad.Node {
			return x.Mul(x.Builder().Constant(c, ad.Shape{3})).Scale(-2).Exp()
		}, []string{"mul", "exp"}},
		{"negative times", func(x *ad.Node) *ad.Node { return x.Neg().Scale(4).Exp() },
			[]string{"mul", "exp"}},
		{"negative of times", func(x *ad.Node) *ad.Node { return x.Scale(4).Neg().Exp() },
			[]string{"mul", "exp"}},
		{"a chain", func(x *ad.Node) *ad.Node {
			return x.Scale(2).Neg().AddScalar(math.Copysign(0, -1)).Scale(3).Neg().Exp()
		}, []string{"mul", "exp"}},
		{"an overflow", func(x *ad.Node) *ad.Node { return x.Scale(1e-200).Scale(1e-200).Exp() },
			[]string{"mul", "mul", "exp"}},
		{"a cancellation", func(x *ad.Node) *ad.Node {
			return x.AddScalar(1e20).AddScalar(-1e20).Exp()
		}, []string{"add", "add", "exp"}},
		{"negative product", func(x *ad.Node) *ad.Node { return product(x).Neg().Exp() },
			[]string{"matmul", "exp"}},
		{"negative of a product read twice", func(x *ad.Node) *ad.Node {
			y := product(x)
			return y.Neg().Exp().Add(y)
		}, []string{"matmul", "neg", "exp", "add"}},
		{"no constant", func(x *ad.Node) *ad.Node { return x.Scale(2).Mul(x.Scale(3)).Exp() },
			[]string{"mul", "mul", "mul", "exp"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("simplify")
			x := b.Input("x", ad.Shape{3})
			y := tt.f(x)
			// whose order is another one
			p, err := ad.Compile([]*ad.Node{x}, []*ad.Node{y}, ad.MachineCode)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range strings.Split(p.String(), "\n") {
				if op, _, ok := strings.Cut(line, "#"); ok {
					got = append(got, strings.TrimSpace(op))
				}
			}
			if strings.Join(got, " ") != strings.Join(tt.want, " ") {
				t.Errorf("got operations %v, want %v", got, tt.want)
			}
			data := []float64{0.3, -0.7, 1.1}
			values := func(opt ad.Options) []float64 {
				return eval(t, []*ad.Node{x}, []*ad.Node{y}, [][]float64{data}, opt)[0]
			}
			plain, simple := values(ad.Options{Without: ad.AlgebraicSimplification}),
				values(ad.Options{})
			for i, want := range plain {
				if !(math.Abs(simple[i]-want) <= 4e-16*want) {
					t.Errorf("element %d: got %v, want %v", i, simple[i], want)
				}
			}
		})
	}
}
