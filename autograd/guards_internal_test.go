package autograd

import (
	"errors"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
)

// TestCheckOperands gives the guard a node that does not have the operands
// asked for, as a collision of gorgonia's hashes would.
func TestCheckOperands(t *testing.T) {
	b := NewBuilder("operands")
	x, y, z := b.Input("x", Shape{2}), b.Input("y", Shape{2}), b.Input("z", Shape{2})
	sum := x.Add(y)
	tests := []struct {
		name string
		want []*G.Node
		ok   bool
	}{
		{"its own", []*G.Node{x.g, y.g}, true},
		{"swapped", []*G.Node{y.g, x.g}, false},
		{"another", []*G.Node{x.g, z.g}, false},
		{"repeated", []*G.Node{x.g, x.g}, false},
		{"fewer", []*G.Node{x.g}, false},
		{"more", []*G.Node{x.g, y.g, z.g}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := checkOperands(b.graph, sum.g, tt.want)
			if tt.ok != (err == nil) || err != nil && !errors.Is(err, errOperands) {
				t.Errorf("got error %v, want %v", err, map[bool]any{true: nil, false: errOperands}[tt.ok])
			}
		})
	}
	t.Run("one operand twice", func(t *testing.T) {
		if err := checkOperands(b.graph, x.Mul(x).g, []*G.Node{x.g, x.g}); err != nil {
			t.Error(err)
		}
	})
}

// TestForgedOperands builds a rule whose native op takes other operands than it
// was given.
func TestForgedOperands(t *testing.T) {
	b := NewBuilder("forged")
	x, y := b.Input("x", Shape{2}), b.Input("y", Shape{2})
	forged := *rules["sub"]
	forged.native = func(_ attr, in []*G.Node) (*G.Node, error) { return G.Sub(in[1], in[0]) }
	b.apply(&forged, attr{}, x, y)
	if err := b.Err(); !errors.Is(err, errOperands) || !strings.Contains(err.Error(), "sub of x(2), y(2)") {
		t.Errorf("got error %v, want %v naming op and operands", err, errOperands)
	}
}

// TestForgedShape builds a rule whose native op has another shape.
func TestForgedShape(t *testing.T) {
	b := NewBuilder("forged")
	x := b.Input("x", Shape{2, 3})
	forged := *rules["sum"]
	forged.native = func(_ attr, in []*G.Node) (*G.Node, error) { return G.Sum(in[0], 0) }
	b.apply(&forged, attr{ints: []int{1}}, x)
	if err := b.Err(); err == nil || !strings.Contains(err.Error(), "gorgonia infers shape (3), want (2)") {
		t.Errorf("got error %v, want one with both shapes", err)
	}
}

// TestForgedNode adds a gorgonia node that already stands for something else.
func TestForgedNode(t *testing.T) {
	b := NewBuilder("forged")
	x := b.Input("x", Shape{2})
	b.add(&Node{b: b, shape: Shape{2}, g: x.g, name: "y"})
	if err := b.Err(); err == nil || !strings.Contains(err.Error(), "y(2) was merged with x(2)") {
		t.Errorf("got error %v, want one naming both nodes", err)
	}
}

// TestForgedRule gives reverse mode rules that break their contract.
func TestForgedRule(t *testing.T) {
	tests := []struct {
		name string
		vjp  func(y, ct *Node) []*Node
		want string
	}{
		{"too few cotangents", func(y, ct *Node) []*Node { return []*Node{ct} }, "add: derivative rule returned 1 cotangents, want 2"},
		{"wrong shape", func(y, ct *Node) []*Node { return []*Node{ct, ct.Sum()} }, "add: cotangent of operand 1 has shape (), want (2)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBuilder("forged")
			x, y := b.Input("x", Shape{2}), b.Input("y", Shape{2})
			forged := *rules["add"]
			forged.vjp = tt.vjp
			b.Grad(b.apply(&forged, attr{}, x, y).Sum(), x, y)
			if err := b.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestNativeOps pins gorgonia's names of the ops that the builder makes: a
// rewrite that gorgonia adds to an op changes them.
func TestNativeOps(t *testing.T) {
	b := NewBuilder("names")
	x, m, s := b.Input("x", Shape{2}), b.Input("m", Shape{2, 2}), b.Input("s", Shape{})
	tests := []struct {
		n    *Node
		want string
	}{
		{x.Tanh(), "tanh"},
		{x.Neg(), "neg"},
		{x.Exp(), "exp"},
		{x.Log(), "ln"},
		{x.Add(x), "+ false"},
		{x.Sub(s), "- false"},
		{s.Mul(x), "⊙ false"},
		{x.Div(x), "÷ false"},
		{m.MatMul(m), "A × B"},
		{m.Sum(1), "Σ[1]"},
	}
	for _, tt := range tests {
		if got := tt.n.g.Op().String(); got != tt.want {
			t.Errorf("%v: got gorgonia op %q, want %q", tt.n, got, tt.want)
		}
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestAttrKey: the identity of an operation holds every parameter bit by bit.
func TestAttrKey(t *testing.T) {
	b := NewBuilder("keys")
	attrs := []attr{
		{}, {ints: []int{}}, {ints: []int{1}}, {ints: []int{1, 0}}, {ints: []int{10}}, {float: 1}, {float: 1 + 1e-15},
		{shape: Shape{}}, {shape: Shape{1}}, {shape: Shape{1, 2}}, {shape: Shape{12}},
		{axis: b.Axis("a", 2)}, {axis: b.Axis("b", 2)},
	}
	keys := make([]string, len(attrs))
	for i, at := range attrs {
		keys[i] = at.key()
		if k := slices.Index(keys[:i], keys[i]); k >= 0 {
			t.Errorf("attributes %+v and %+v have one key %q", attrs[k], at, keys[i])
		}
	}
}
