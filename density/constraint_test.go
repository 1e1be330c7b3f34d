package density_test

import (
	"math"
	"testing"

	"tobac/autograd"
	"tobac/density"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The Jacobian of every constraint is that of differences, values are in the set, and
// coordinates come back.
func TestConstraints(t *testing.T) {
	within := func(low, high float64) func(x []float64) bool {
		return func(x []float64) bool { return floats.Min(x) > low && floats.Max(x) < high }
	}
	increasing := func(x []float64) bool { return x[0] < x[1] && x[1] < x[2] }
	unit := func(x []float64) bool { return math.Abs(floats.Norm(x, 2)-1) < 1e-14 }
	for _, c := range []struct {
		constraint density.Constraint
		shape      autograd.Shape
		lower      []int // elements that the others follow from; nil: the first
		in         func(x []float64) bool
	}{
		{density.Real(), autograd.Shape{3}, nil, within(math.Inf(-1), math.Inf(1))},
		{density.Positive(), autograd.Shape{3}, nil, within(0, math.Inf(1))},
		{density.Above(-2), autograd.Shape{3}, nil, within(-2, math.Inf(1))},
		{density.Below(-2), autograd.Shape{3}, nil, within(math.Inf(-1), -2)},
		{density.Bounded(-1, 2.5), autograd.Shape{2, 1}, nil, within(-1, 2.5)},
		{density.Ordered(), autograd.Shape{3}, nil, increasing},
		{density.Ordered(), autograd.Shape{2, 3}, nil, func(x []float64) bool {
			return increasing(x) && increasing(x[3:])
		}},
		{density.Ordered(), autograd.Shape{1}, nil, func([]float64) bool { return true }},
		{density.PositiveOrdered(), autograd.Shape{3}, nil, func(x []float64) bool {
			return x[0] > 0 && increasing(x)
		}},
		{density.Simplex(), autograd.Shape{4}, nil, func(x []float64) bool {
			return floats.Min(x) > 0 && math.Abs(floats.Sum(x)-1) < 1e-15
		}},
		{density.Simplex(), autograd.Shape{2, 3}, []int{0, 1, 3, 4}, func(x []float64) bool {
			return floats.Min(x) > 0 && math.Abs(floats.Sum(x[:3])-1)+
				math.Abs(floats.Sum(x[3:])-1) < 1e-15
		}},
		{density.CorrelationCholesky(), autograd.Shape{3, 3}, []int{3, 6, 7},
			func(x []float64) bool {
				return x[0] == 1 && x[1] == 0 && x[2] == 0 && x[5] == 0 && x[4] > 0 && x[8] > 0 &&
					unit(x[3:6]) && unit(x[6:])
			}},
		{density.CovarianceCholesky(), autograd.Shape{3, 3}, []int{0, 3, 4, 6, 7, 8},
			func(x []float64) bool {
				return x[1] == 0 && x[2] == 0 && x[5] == 0 && x[0] > 0 && x[4] > 0 && x[8] > 0
			}},
		{density.CovarianceCholesky(), autograd.Shape{1, 1}, nil, within(0, math.Inf(1))},
	} {
		free, ok := c.constraint.Free(c.shape)
		if !ok {
			t.Fatalf("%s: no shape %v", c.constraint, c.shape)
		}
		n := free.Len()
		u := []float64{0.3, -1.2, 0.8, -0.1, 2, 0.6}[:n]
		at := func(u []float64) []float64 {
			return value(t, u, func(u *autograd.Node) *autograd.Node {
				x, _ := c.constraint.Value(u.Reshape(free), c.shape)
				return x
			})
		}
		x := at(u)
		if !c.in(x) || len(x) != c.shape.Len() {
			t.Errorf("%s: %v", c.constraint, x)
		}
		back := value(
			t,
			x,
			func(x *autograd.Node) *autograd.Node {
				return c.constraint.Coordinates(x.Reshape(c.shape))
			},
		)
		if len(back) != n || !floats.EqualApprox(back, u, 1e-13) {
			t.Errorf("%s: coordinates %v come back as %v", c.constraint, u, back)
		}
		lower := c.lower
		for i := range n {
			if c.lower == nil {
				lower = append(lower, i)
			}
		}
		jacobian := mat.NewDense(n, n, nil)
		const h = 1e-5
		for j := range u {
			up, down := append([]float64{}, u...), append([]float64{}, u...)
			up[j], down[j] = u[j]+h, u[j]-h
			high, low := at(up), at(down)
			for i, e := range lower {
				jacobian.Set(i, j, (high[e]-low[e])/(2*h))
			}
		}
		want, _ := mat.LogDet(jacobian)
		got := value(t, u, func(u *autograd.Node) *autograd.Node {
			_, j := c.constraint.Value(u.Reshape(free), c.shape)
			return j
		})[0]
		if math.Abs(got-want) > 1e-8 {
			t.Errorf("%s: log Jacobian %v, differences %v", c.constraint, got, want)
		}
	}
}

// A unit vector is its coordinates divided by their length, and these are standard normal.
func TestUnitVector(t *testing.T) {
	c, u := density.UnitVector(), []float64{3, 0, -4}
	x := value(
		t,
		u,
		func(u *autograd.Node) *autograd.Node { x, _ := c.Value(u, u.Shape()); return x },
	)
	j := value(
		t,
		u,
		func(u *autograd.Node) *autograd.Node { _, j := c.Value(u, u.Shape()); return j },
	)
	if !floats.EqualApprox(x, []float64{0.6, 0, -0.8}, 1e-15) || j[0] != -12.5 {
		t.Errorf("%v, %v", x, j)
	}
	back := value(t, x, func(x *autograd.Node) *autograd.Node { return c.Coordinates(x) })
	again := value(
		t,
		back,
		func(u *autograd.Node) *autograd.Node { x, _ := c.Value(u, u.Shape()); return x },
	)
	if !floats.EqualApprox(again, x, 1e-15) {
		t.Errorf("%v comes back as %v", x, again)
	}
}

// Angles are directions of two coordinates each, and come back on the unit circle.
func TestAngle(t *testing.T) {
	c, u := density.Angle(), []float64{-2, 0, 3, 3}
	shape := autograd.Shape{2}
	free, _ := c.Free(shape)
	x := value(t, u, func(u *autograd.Node) *autograd.Node {
		x, _ := c.Value(u.Reshape(free), shape)
		return x
	})
	j := value(t, u, func(u *autograd.Node) *autograd.Node {
		_, j := c.Value(u.Reshape(free), shape)
		return j
	})
	if !floats.EqualApprox(x, []float64{math.Pi, math.Pi / 4}, 1e-15) || j[0] != -11 {
		t.Errorf("%v, %v", x, j)
	}
	back := value(t, x, func(x *autograd.Node) *autograd.Node { return c.Coordinates(x) })
	if h := math.Sqrt(0.5); !floats.EqualApprox(back, []float64{-1, 0, h, h}, 1e-15) {
		t.Errorf("coordinates %v", back)
	}
}

// Shapes that a constraint has no values of are refused.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		constraint density.Constraint
		shape      autograd.Shape
	}{
		{density.Ordered(), nil}, {density.Simplex(), autograd.Shape{1}},
		{density.UnitVector(), autograd.Shape{1}},
		{density.CorrelationCholesky(), autograd.Shape{1, 1}},
		{density.CovarianceCholesky(), autograd.Shape{2, 3}},
	} {
		if _, ok := c.constraint.Free(c.shape); ok {
			t.Errorf("%s: takes shape %v", c.constraint, c.shape)
		}
	}
}
