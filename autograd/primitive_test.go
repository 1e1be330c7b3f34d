package autograd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// softsign is x/(1 + |x|), an element-wise operation of one operand.
var softsign = &ad.Primitive{
	Name: "softsign",
	Each: func(ad.Attr) func(float64) float64 {
		return func(x float64) float64 { return x / (1 + math.Abs(x)) }
	},
	VJP: func(y, ct *ad.Node) []*ad.Node {
		x := y.Operands()[0]
		return []*ad.Node{ct.Div(x.Abs().AddScalar(1).Square())}
	},
}

// blend is p·x + (1 − p)·y, an element-wise operation of two operands and a parameter.
var blend = &ad.Primitive{
	Name: "blend",
	Each2: func(at ad.Attr) func(x, y float64) float64 {
		return func(x, y float64) float64 { return at.Float*x + (1-at.Float)*y }
	},
	VJP: func(y, ct *ad.Node) []*ad.Node {
		p := y.Attr().Float
		return []*ad.Node{ct.Scale(p), ct.Scale(1 - p)}
	},
}

// pairwise are the squared distances (m,n) of the rows of an (m,k) and an (n,k) matrix.
var pairwise = &ad.Primitive{
	Name: "pairwise",
	Shape: func(_ ad.Attr, in []ad.Shape) (ad.Shape, error) {
		if len(in) != 2 || len(in[0]) != 2 || len(in[1]) != 2 || in[0][1] != in[1][1] {
			return nil, fmt.Errorf("shapes %v, want (m,k) and (n,k)", in)
		}
		return ad.Shape{in[0][0], in[1][0]}, nil
	},
	Value: func(_ ad.Attr, out []float64, shape ad.Shape, in [][]float64, shapes []ad.Shape) error {
		k := shapes[0][1]
		for e := range out {
			out[e] = 0
			for l := range k {
				d := in[0][e/shape[1]*k+l] - in[1][e%shape[1]*k+l]
				out[e] += d * d
			}
		}
		return nil
	},
	VJP: func(d, ct *ad.Node) []*ad.Node {
		x, y := d.Operands()[0], d.Operands()[1]
		rows, columns := ct.Sum(1).Reshape(ad.Shape{ct.Shape()[0], 1}),
			ct.Sum(0).Reshape(ad.Shape{ct.Shape()[1], 1})
		return []*ad.Node{rows.Mul(x).Sub(ct.MatMul(y)).Scale(2),
			columns.Mul(y).Sub(ct.T().MatMul(x)).Scale(2)}
	},
}

// primitiveRows put custom operations through the checks of the op table.
func primitiveRows() []row {
	return []row{
		unary("softsign", func(x *ad.Node) *ad.Node { return softsign.Apply(ad.Attr{}, x) },
			func(x float64) float64 { return x / (1 + math.Abs(x)) }, nil),
		{op: "blend", once: true, cases: []opCase{{
			name: "matrices", shapes: []ad.Shape{{2, 3}, {2, 3}},
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
				return blend.Apply(ad.Attr{Float: 0.3}, x[0], x[1])
			},
			want: func(x [][]float64) []float64 {
				out := make([]float64, 6)
				for e := range out {
					out[e] = 0.3*x[0][e] + 0.7*x[1][e]
				}
				return out
			},
		}, {
			name: "broadcast", shapes: []ad.Shape{{2, 1}, {3}},
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
				return blend.Apply(ad.Attr{Float: 0.3}, x[0], x[1])
			},
			want: func(x [][]float64) []float64 {
				out := make([]float64, 6)
				for e := range out {
					out[e] = 0.3*x[0][e/3] + 0.7*x[1][e%3]
				}
				return out
			},
		}, {
			name: "scalar", shapes: []ad.Shape{{}, {3}},
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
				return blend.Apply(ad.Attr{Float: 0.3}, x[0], x[1])
			},
			want: func(x [][]float64) []float64 {
				out := make([]float64, 3)
				for e := range out {
					out[e] = 0.3*x[0][0] + 0.7*x[1][e]
				}
				return out
			},
		}}},
		{op: "pairwise", cases: []opCase{{
			name: "points", shapes: []ad.Shape{{3, 2}, {4, 2}},
			build: func(_ []*ad.Axis, x []*ad.Node) *ad.Node {
				return pairwise.Apply(ad.Attr{}, x[0], x[1])
			},
			want: func(x [][]float64) []float64 {
				out := make([]float64, 12)
				for e := range out {
					i, j := e/4*2, e%4*2
					out[e] = math.Pow(x[0][i]-x[1][j], 2) + math.Pow(x[0][i+1]-x[1][j+1], 2)
				}
				return out
			},
		}}},
	}
}

// TestPrimitives: the user's operations have value, first and second derivative on all
// engines, over mapped axes, and as lone particles.
func TestPrimitives(t *testing.T) {
	for _, r := range primitiveRows() {
		t.Run(r.op, func(t *testing.T) { checkRow(t, r) })
	}
}

// TestPrimitiveGradtest: the public gradient check passes, also from within an expression
// whose samples are lanes.
func TestPrimitiveGradtest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	err := gradtest.Check(func(_ *ad.Builder, x []*ad.Node) *ad.Node {
		d := pairwise.Apply(ad.Attr{}, x[0], x[1])
		return softsign.Apply(ad.Attr{}, d.Neg().Exp().Sum().AddScalar(-2))
	}, [][]float64{normals(rng, 6), normals(rng, 8)}, []ad.Shape{{3, 2}, {4, 2}},
		gradtest.Options{})
	if err != nil {
		t.Error(err)
	}
}

// TestPrimitivesOfOneName: operations are told apart by identity, from each other and from
// those of the table, in every engine, and where rewriting goes by names.
func TestPrimitivesOfOneName(t *testing.T) {
	each := func(name string, c float64) *ad.Primitive {
		return &ad.Primitive{Name: name, Each: func(ad.Attr) func(float64) float64 {
			return func(x float64) float64 { return c * x }
		}}
	}
	b := ad.NewBuilder("names")
	s := b.Axis("sample", 9)
	x, l := b.Input("x", ad.Shape{2}), b.Input("l", ad.Shape{2}, s)
	var outputs []*ad.Node
	var want [][]float64
	at := [][]float64{{1, 2}, make([]float64, 18)}
	for i := range at[1] {
		at[1][i] = float64(i)
	}
	scaled := func(in []float64, c float64) []float64 {
		out := make([]float64, len(in))
		for i := range in {
			out[i] = c * in[i]
		}
		return out
	}
	for _, name := range []string{"triple", "exp", "neg", "sum", "mul"} {
		for _, c := range []float64{3, 5} {
			p := each(name, c)
			outputs = append(outputs, p.Apply(ad.Attr{}, x), p.Apply(ad.Attr{}, l),
				p.Apply(ad.Attr{}, x).Neg())
			want = append(want, scaled(at[0], c), scaled(at[1], c), scaled(at[0], -c))
		}
	}
	got := runEngines(t, []*ad.Node{x, l}, outputs, at, 0)
	for i := range want {
		compare(t, outputs[i].String(), got[i], want[i], 0)
	}
}

// TestPrimitiveErrors: what a primitive lacks, and what it gets wrong, is an error that
// names it.
func TestPrimitiveErrors(t *testing.T) {
	one := func(ad.Attr) func(float64) float64 { return math.Abs }
	two := func(ad.Attr) func(x, y float64) float64 { return math.Max }
	shape := func(_ ad.Attr, in []ad.Shape) (ad.Shape, error) { return in[0], nil }
	value := func(_ ad.Attr, out []float64, _ ad.Shape, in [][]float64, _ []ad.Shape) error {
		return nil
	}
	for _, tt := range []struct {
		name     string
		p        *ad.Primitive
		operands int
		want     string
	}{
		{"no value", &ad.Primitive{Name: "mine", Shape: shape}, 1,
			"mine: the primitive has no Value"},
		{"no shape", &ad.Primitive{Name: "mine", Value: value}, 1,
			"mine: the primitive has no Shape"},
		{"nothing", &ad.Primitive{Name: "mine"}, 2, "mine: the primitive has no Shape"},
		{"no name", &ad.Primitive{Each: one}, 1, "a primitive without a name"},
		{"both", &ad.Primitive{Name: "mine", Each: one, Each2: two}, 1,
			"mine: the primitive has Each and Each2"},
		{"operands of Each", &ad.Primitive{Name: "mine", Each: one}, 2,
			"mine: got 2 operands, want 1"},
		{"operands of Each2", &ad.Primitive{Name: "mine", Each2: two}, 3,
			"mine: got 3 operands, want 2"},
		{"too few cotangents", &ad.Primitive{Name: "mine", Each2: two,
			VJP: func(_, ct *ad.Node) []*ad.Node { return []*ad.Node{ct} }}, 2,
			"mine: derivative rule returned 1 cotangents, want 2"},
		{"shape of a cotangent", &ad.Primitive{Name: "mine", Each: one,
			VJP: func(_, ct *ad.Node) []*ad.Node { return []*ad.Node{ct.Sum()} }}, 1,
			"mine: cotangent of operand 0 has shape (), want (3)"},
		{"cotangent of another graph",
			&ad.Primitive{Name: "mine", Each: one, VJP: func(_, ct *ad.Node) []*ad.Node {
				return []*ad.Node{ad.NewBuilder("other").Input("x", ad.Shape{3})}
			}}, 1, `mine: cotangent of operand 0 belongs to graph "other"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("errors")
			x := []*ad.Node{b.Input("x", ad.Shape{3}), b.Input("y", ad.Shape{3}),
				b.Input("z", ad.Shape{3})}[:tt.operands]
			b.Grad(tt.p.Apply(ad.Attr{}, x...).Sum(), x...)
			if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
	b := ad.NewBuilder("errors")
	softsign.Apply(ad.Attr{Any: 3}, b.Input("x", ad.Shape{3}))
	if err := b.Err(); err == nil ||
		!strings.Contains(err.Error(), "softsign: the parameter Any has no Key") {
		t.Errorf("parameter without a key: got error %v", err)
	}
	defer func() {
		if r := recover(); r == nil ||
			!strings.Contains(fmt.Sprint(r), `primitive "softsign" without operands`) {
			t.Errorf("without operands: got panic %v", r)
		}
	}()
	softsign.Apply(ad.Attr{})
}

// A primitive without a derivative rule lets nothing through; a run that fails says where.
func TestPrimitiveWithoutDerivative(t *testing.T) {
	half := &ad.Primitive{Name: "half", Each: func(ad.Attr) func(float64) float64 {
		return func(x float64) float64 { return x / 2 }
	}}
	b := ad.NewBuilder("constant")
	x := b.Input("x", ad.Shape{3})
	g := b.Grad(half.Apply(ad.Attr{}, x).Sum(), x)[0]
	compare(t, "gradient", eval(t, []*ad.Node{x}, []*ad.Node{g}, [][]float64{{1, 2, 3}},
		ad.Options{})[0], make([]float64, 3), 0)

	failing := &ad.Primitive{
		Name:  "failing",
		Shape: func(_ ad.Attr, in []ad.Shape) (ad.Shape, error) { return in[0], nil },
		Value: func(ad.Attr, []float64, ad.Shape, [][]float64, []ad.Shape) error {
			return fmt.Errorf("no data")
		},
	}
	y := failing.Apply(ad.Attr{}, x)
	for _, engine := range engines {
		ev := must.Get(ad.NewEvaluator([]*ad.Node{x}, []*ad.Node{y}, ad.Options{Engine: engine}))(t)
		defer ev.Close()
		if err := ev.Eval(room([]*ad.Node{y}), feeds([][]float64{{1, 2, 3}})); err == nil ||
			!strings.Contains(err.Error(), "no data") {
			t.Errorf("%v engine: got error %v, want the cause", engine, err)
		}
	}
}
