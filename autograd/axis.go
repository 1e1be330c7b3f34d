package autograd

import (
	"fmt"
	"math/bits"
	"strings"
)

// An Axis is a mapped axis: every node that carries it stands for Size
// independent values, one for each index. Expressions are written for one
// index; a node carries every axis that one of its operands carries, and only
// the reductions named …Over remove one. Axes are ordered as they were
// declared, outermost first.
type Axis struct {
	b    *Builder
	name string
	size int
	id   int
}

// Name of the axis, unique within its builder.
func (a *Axis) Name() string { return a.name }

// Size is the number of indices.
func (a *Axis) Size() int { return a.size }

// maxAxes is the number of mapped axes that one builder can declare.
const maxAxes = 8

// axisSet is a set of axes by id: bit i is axis i.
type axisSet uint8

func (s axisSet) has(a *Axis) bool        { return s&(1<<a.id) != 0 }
func (s axisSet) with(a *Axis) axisSet    { return s | 1<<a.id }
func (s axisSet) without(a *Axis) axisSet { return s &^ (1 << a.id) }
func (s axisSet) minus(t axisSet) axisSet { return s &^ t }
func (s axisSet) count() int              { return bits.OnesCount8(uint8(s)) }
func (s axisSet) of(b *Builder) (as []*Axis) {
	for _, a := range b.axes {
		if s.has(a) {
			as = append(as, a)
		}
	}
	return as
}

// lanes is the number of index combinations of the set.
func (s axisSet) lanes(b *Builder) int {
	n := 1
	for _, a := range b.axes {
		if s.has(a) {
			n *= a.size
		}
	}
	return n
}

func (s axisSet) names(b *Builder) string {
	var parts []string
	for _, a := range s.of(b) {
		parts = append(parts, fmt.Sprintf("%s=%d", a.name, a.size))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// projector maps the flat index over the axes of one set to the flat index
// over the axes of a subset of it.
func projector(b *Builder, from, to axisSet) func(int) int {
	axes := from.of(b)
	fs := make([]int, len(axes))
	ts := make([]int, len(axes))
	f, t := 1, 1
	for i := len(axes) - 1; i >= 0; i-- {
		fs[i] = f
		f *= axes[i].size
		if to.has(axes[i]) {
			ts[i] = t
			t *= axes[i].size
		}
	}
	return func(k int) int {
		out := 0
		for i, a := range axes {
			out += k / fs[i] % a.size * ts[i]
		}
		return out
	}
}
