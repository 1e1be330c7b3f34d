package autograd

import "testing"

// Value by value, products of single numbers are computed as a whole if they are
// large, one column only without zeros.
func TestDenseProducts(t *testing.T) {
	numbers := func(b *Builder, rows, cols int, triangle bool) *Node {
		x := make([]float64, rows*cols)
		for i := range x {
			if !triangle || i%cols <= i/cols {
				x[i] = float64(1 + i%7)
			}
		}
		return b.Constant(x, Shape{rows, cols})
	}
	for _, c := range []struct {
		name              string
		particles         int
		rows, inner, cols int
		triangle          bool
		dense             bool
	}{
		{"one particle", 1, 50, 8, 16, false, true},
		{"strips of particles", 3, 50, 8, 16, false, false},
		{"few products", 1, 2, 8, 2, false, false},
		{"a triangle", 1, 20, 20, 5, true, true},
		{"one column", 1, 50, 8, 1, false, true},
		{"one column of a triangle", 1, 40, 40, 1, true, false},
	} {
		b := NewBuilder("products")
		p := b.Axis("particle", c.particles)
		w := b.Input("w", Shape{c.inner, c.cols}, p)
		y := numbers(b, c.rows, c.inner, c.triangle).MatMul(w).Square().Sum()
		program, err := Compile([]*Node{w}, []*Node{y}, ElementSchedule)
		if err != nil {
			t.Fatal(err)
		}
		dense := false
		for _, s := range program.steps {
			if _, ok := s.ins.(*denseMatMul); ok {
				dense = true
			}
		}
		if dense != c.dense {
			t.Errorf("%s: dense is %v, want %v", c.name, dense, c.dense)
		}
	}
}
