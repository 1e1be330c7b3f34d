package autograd_test

import (
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// TestAccessors pins what nodes, axes and engines say about themselves.
func TestAccessors(t *testing.T) {
	b := ad.NewBuilder("accessors")
	p, s := b.Axis("particle", 3), b.Axis("sample", 2)
	x := b.Input("x", ad.Shape{2, 3}, s, p) // axes are ordered as declared
	c := b.Constant([]float64{1, 2}, ad.Shape{2})
	y := x.Sum(1).Mul(c)
	tests := []struct{ what, got, want string }{
		{"input", x.String(), "x(2,3){particle=3 sample=2}"},
		{"constant", c.String(), "constant#1(2)"},
		{"operation", y.String(), "mul#3(2){particle=3 sample=2}"},
		{"reduced", y.SumOver(p).Sum().String(), "sum#5(){sample=2}"},
		{"name", x.Name() + "," + c.Name() + "," + y.Name(), "x,,"},
		{"axis", p.Name(), "particle"},
		{"engines", ad.Compiled.String() + " " + ad.Reference.String(), "compiled reference"},
		{"scalar", ad.Shape{}.String(), "()"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.what, tt.got, tt.want)
		}
	}
	if !slices.Equal(x.Axes(), []*ad.Axis{p, s}) || c.Axes() != nil || p.Size() != 3 {
		t.Errorf("got axes %v and %v, size %d", x.Axes(), c.Axes(), p.Size())
	}
	if y.Builder() != b || !y.Shape().Equal(ad.Shape{2}) || y.Shape().Equal(ad.Shape{2, 1}) ||
		y.Shape().Equal(nil) {
		t.Errorf("got builder %p, shape %v", y.Builder(), y.Shape())
	}
	if got := (ad.Shape{2, 3, 4}).Len() + (ad.Shape{}).Len(); got != 25 {
		t.Errorf("got %d elements, want 25", got)
	}
	if ops := ad.Ops(); !slices.IsSorted(ops) || !slices.Contains(ops, "matmul") {
		t.Errorf("got ops %v, want them sorted", ops)
	}
}

// TestSharing: an operation on the same operands with the same parameters is
// one node, and trivial operations are none.
func TestSharing(t *testing.T) {
	b := ad.NewBuilder("sharing")
	p := b.Axis("particle", 2)
	x, m := b.Input("x", ad.Shape{3}, p), b.Input("m", ad.Shape{2, 3})
	same := []struct {
		name string
		a, b *ad.Node
	}{
		{"operation", x.Exp(), x.Exp()},
		{"parameter", x.Pow(2.5), x.Pow(2.5)},
		{"scalar", b.Scalar(2), b.Scalar(2)},
		{"transpose of a transpose", m.T().T(), m},
		{"negative of a negative", x.Neg().Neg(), x},
		{"reshape to its own shape", m.Reshape(ad.Shape{2, 3}), m},
		{"expand to its own shape", m.Expand(ad.Shape{2, 3}), m},
		{"repeat along its own axis", x.ExpandOver(p), x},
		{"factor one", x.Scale(1), x},
		{"one times", b.Scalar(1).Mul(x), x},
		{"factor minus one", x.Scale(-1), x.Neg()},
		{"power one", x.Pow(1), x},
		{"sum of a scalar", x.Sum().Sum(), x.Sum()},
		{"log-sum-exp of a scalar", x.Sum().LogSumExp(), x.Sum()},
	}
	for _, tt := range same {
		if tt.a != tt.b {
			t.Errorf("%s: got nodes %v and %v, want one", tt.name, tt.a, tt.b)
		}
	}
	if x.Add(x.Exp()) == x.Exp().Add(x) || x.Pow(2.5) == x.Pow(2.5000001) || x.Sub(x) == x.Add(x) {
		t.Error("different operations are one node")
	}
	must.Do(t, b.Err())
}
