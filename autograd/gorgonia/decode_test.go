package gorgonia

import (
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestOrder: operands come first, each node once, also of a long chain.
func TestOrder(t *testing.T) {
	g := G.NewGraph()
	x := G.NewMatrix(g, tensor.Float64, G.WithName("x"), G.WithShape(2, 3))
	scale := G.NewScalar(g, tensor.Float64, G.WithName("s"))
	y := x
	for i := range 200 {
		y = G.Must(G.Add(y, G.Must(G.Mul(scale, G.NewConstant(float64(i)+0.5)))))
	}
	order := ordered([]*G.Node{y, y, x})
	at := map[*G.Node]int{}
	for i, n := range order {
		if _, twice := at[n]; twice {
			t.Fatalf("%v comes twice", n)
		}
		at[n] = i
	}
	for _, n := range order {
		for _, a := range operandsOf(n) {
			if k, ok := at[a]; !ok || k >= at[n] {
				t.Errorf("operand %v of %v comes at %d, after %d", a, n, k, at[n])
			}
		}
	}
	if at[y] != len(order)-1 {
		t.Errorf("got the root at %d of %d", at[y], len(order))
	}
}
