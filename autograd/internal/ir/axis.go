package ir

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
	name string
	size int
	id   int
}

// NewAxis makes the axis number id of a function.
func NewAxis(name string, size, id int) *Axis { return &Axis{name: name, size: size, id: id} }

// Name of the axis, unique within its builder.
func (a *Axis) Name() string { return a.name }

// Size is the number of indices.
func (a *Axis) Size() int { return a.size }

// ID is the position of the axis among those of its function.
func (a *Axis) ID() int { return a.id }

// MaxAxes is the number of mapped axes that one function can have.
const MaxAxes = 8

// AxisSet is a set of axes of one function: bit i is axis i.
type AxisSet uint8

// Has reports whether the set contains a.
func (s AxisSet) Has(a *Axis) bool { return s&(1<<a.id) != 0 }

// With is the set and a.
func (s AxisSet) With(a *Axis) AxisSet { return s | 1<<a.id }

// Without is the set without a.
func (s AxisSet) Without(a *Axis) AxisSet { return s &^ (1 << a.id) }

// Minus is the set without those of t.
func (s AxisSet) Minus(t AxisSet) AxisSet { return s &^ t }

// Count is the number of axes in the set.
func (s AxisSet) Count() int { return bits.OnesCount8(uint8(s)) }

// Of lists the axes in the set, of all of the function's, outermost first.
func (s AxisSet) Of(all []*Axis) (as []*Axis) {
	for _, a := range all {
		if s.Has(a) {
			as = append(as, a)
		}
	}
	return as
}

// Lanes is the number of index combinations of the set.
func (s AxisSet) Lanes(all []*Axis) int {
	n := 1
	for _, a := range all {
		if s.Has(a) {
			n *= a.size
		}
	}
	return n
}

// Names prints the axes and their sizes as {particle=30 sample=128}, nothing
// for none.
func (s AxisSet) Names(all []*Axis) string {
	if s == 0 {
		return ""
	}
	var parts []string
	for _, a := range s.Of(all) {
		parts = append(parts, fmt.Sprintf("%s=%d", a.name, a.size))
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// Projector maps the flat index over the axes of one set to the flat index
// over the axes of a subset of it.
func Projector(all []*Axis, from, to AxisSet) func(int) int {
	axes := from.Of(all)
	fs := make([]int, len(axes))
	ts := make([]int, len(axes))
	f, t := 1, 1
	for i := len(axes) - 1; i >= 0; i-- {
		fs[i] = f
		f *= axes[i].size
		if to.Has(axes[i]) {
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
