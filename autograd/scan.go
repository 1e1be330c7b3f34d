package autograd

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// Scan goes through a loop that carries a state: step i computes the next state and its
// results from the present one and index i of the leading dimension of xs, which is steps,
//
//	carry, y[i] = f(i, carry, x[i]),
//
// starting with init. It returns the last state, and the results of all steps stacked along
// a new leading dimension. The shapes of the state, and those of the results, are the same
// in all steps. The loop is unrolled: f is called for every step and adds its nodes, so that
// what it does may differ from step to step. Size and time of building, differentiating and
// compiling are proportional to the number of steps.
//
// At least one node is needed among init and xs, without which it panics.
func Scan(steps int, init, xs []*Node,
	f func(i int, carry, x []*Node) (next, y []*Node)) (carry, ys []*Node) {
	return Loop{Steps: steps}.Scan(init, xs, f)
}

// A Loop is a [Scan] with settings.
type Loop struct {
	Steps int

	// Reverse goes from the last step to the first. Results stay where their step is:
	// index i of the stacked ones is of step i.
	Reverse bool

	// Stretch is the number of steps whose values the gradient computes again from the
	// state before them instead of keeping all, see [Recompute]; √Steps needs the least
	// memory. 0 keeps all.
	Stretch int
}

// Scan goes through the loop; see the function [Scan].
func (l Loop) Scan(init, xs []*Node,
	f func(i int, carry, x []*Node) (next, y []*Node)) (carry, ys []*Node) {
	s := &scanner{Loop: l, init: init, f: f, b: append(slices.Clone(init), xs...)[0].b}
	if !s.check(xs) {
		return init, nil
	}
	if l.Stretch == 0 {
		return s.steps(0, l.Steps, init, xs)
	}
	var parts [][]*Node // results of the stretches, by the first step
	carry = init
	for k := range (l.Steps + l.Stretch - 1) / l.Stretch {
		if l.Reverse {
			k = (l.Steps-1)/l.Stretch - k
		}
		from, to := k*l.Stretch, min((k+1)*l.Stretch, l.Steps)
		operands := slices.Clone(carry)
		for _, x := range xs {
			operands = append(operands, x.Slice(0, from, to))
		}
		results := Recompute(func(z []*Node) []*Node {
			next, ys := s.steps(from, to, z[:len(init)], z[len(init):])
			return append(slices.Clone(next), ys...)
		}, operands...)
		if s.b.err != nil {
			return init, nil
		}
		carry = results[:len(init)]
		parts = append(parts, results[len(init):])
	}
	return carry, s.stacked(parts)
}

// A scanner goes through one loop.
type scanner struct {
	Loop
	b       *Builder
	init    []*Node
	f       func(i int, carry, x []*Node) (next, y []*Node)
	first   []*Node // results of the step that came first
	started bool
}

// check reports whether the loop can start.
func (s *scanner) check(xs []*Node) bool {
	if s.b.err == nil && (s.Steps < 0 || s.Stretch < 0) {
		s.b.fail(nil, "scan: %d steps in stretches of %d, want at least 0", s.Steps, s.Stretch)
	}
	for _, x := range xs {
		if s.b.err == nil && (len(x.shape) == 0 || x.shape[0] != s.Steps) {
			s.b.fail(nil, "scan: %v, want leading dimension %d", x, s.Steps)
		}
	}
	return s.b.err == nil
}

// steps goes through the steps from ≤ i < to, whose parts of xs are given.
func (s *scanner) steps(from, to int, carry, xs []*Node) (next, ys []*Node) {
	parts := make([][]*Node, 0, to-from)
	for k := range to - from {
		i := from + k
		if s.Reverse {
			i = to - 1 - k
		}
		x := make([]*Node, len(xs))
		for j, n := range xs {
			x[j] = n.row(i - from)
		}
		var y []*Node
		carry, y = s.f(i, carry, x)
		if !s.started {
			s.first, s.started = y, true
		}
		if !s.fits(i, carry, y) {
			return s.init, nil
		}
		row := make([]*Node, len(y))
		for j, n := range y {
			row[j] = n.Reshape(append(Shape{1}, n.shape...))
		}
		parts = append(parts, row)
	}
	return carry, s.stacked(parts)
}

// fits reports whether state and results of step i are like those before.
func (s *scanner) fits(i int, carry, y []*Node) bool {
	if s.b.err != nil {
		return false
	}
	if len(carry) != len(s.init) {
		s.b.fail(nil, "scan: step %d: got a state of %d nodes, want %d", i, len(carry), len(s.init))
		return false
	}
	for k, n := range carry {
		if !n.shape.Equal(s.init[k].shape) {
			s.b.fail(nil, "scan: step %d: state %d is %v, want shape %v", i, k, n, s.init[k].shape)
			return false
		}
	}
	if len(y) != len(s.first) {
		s.b.fail(nil, "scan: step %d: got %d results, want %d as in the first step", i, len(y),
			len(s.first))
		return false
	}
	for k, n := range y {
		if want := s.first[k].shape; !n.shape.Equal(want) {
			s.b.fail(nil, "scan: step %d: result %d is %v, want shape %v as in the first step", i,
				k, n, want)
			return false
		}
	}
	return true
}

// stacked joins the results of parts of the loop, which are in the order in which it goes.
func (s *scanner) stacked(parts [][]*Node) []*Node {
	if s.b.err != nil || len(parts) == 0 {
		return nil
	}
	if s.Reverse {
		slices.Reverse(parts)
	}
	ys := make([]*Node, len(parts[0]))
	column := make([]*Node, len(parts))
	for k := range ys {
		for i, p := range parts {
			column[i] = p[k]
		}
		ys[k] = Concat(0, column[0], column[1:]...)
	}
	return ys
}

// row is index i of the leading dimension.
func (n *Node) row(i int) *Node {
	shape := n.shape[1:]
	size := shape.Len()
	at := ir.Identity(size)
	for e := range at {
		at[e] += i * size
	}
	return n.Gather(at, shape)
}
