package density

import (
	"math"

	"tobac/autograd"
)

// A Value is a parameter of a distribution: an expression, a number, or the numbers of a
// vector.
type Value interface {
	*autograd.Node | float64 | int | []float64
}

// node is a value as an expression of the graph that x belongs to.
func node[V Value](x *autograd.Node, v V) *autograd.Node {
	switch v := any(v).(type) {
	case *autograd.Node:
		return v
	case float64:
		return x.Builder().Scalar(v)
	case []float64:
		return x.Builder().Constant(v, autograd.Shape{len(v)})
	default:
		return x.Builder().Scalar(float64(any(v).(int)))
	}
}

// number is a value that is a number, and whether it is one.
func number[V Value](v V) (float64, bool) {
	switch v := any(v).(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return math.NaN(), false
}

// A parameter of a distribution: what it is in a graph, and how many of its last axes make one
// of it.
type parameter struct {
	in    func(x *autograd.Node) *autograd.Node
	event int
}

// scalar is a parameter with one number for each value.
func scalar[V Value](v V) parameter { return array(v, 0) }

// array is a parameter whose last axes belong together.
func array[V Value](v V, event int) parameter {
	return parameter{func(x *autograd.Node) *autograd.Node { return node(x, v) }, event}
}
