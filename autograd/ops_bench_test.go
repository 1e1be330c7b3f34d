package autograd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// A bench is a case built in a variant, with values for every input.
type bench struct {
	b      *ad.Builder
	inputs []*ad.Node // operands, then weights
	feeds  [][]float64
	y      *ad.Node
	want   func(x [][]float64) []float64 // whole, in the layout of y
	slope  func(x [][]float64) []float64
	rng    *rand.Rand
}

func newBench(t *testing.T, c opCase, v variant) *bench {
	t.Helper()
	seed := uint64(0)
	for _, r := range c.name + v.name {
		seed = seed*31 + uint64(r)
	}
	s := &bench{b: ad.NewBuilder("op test"), rng: rand.New(rand.NewPCG(seed, 1))}
	var own, extra []*ad.Axis
	declare := func(prefix string, sizes []int) (axes []*ad.Axis) {
		for k, n := range sizes {
			axes = append(axes, s.b.Axis(fmt.Sprintf("%s%d", prefix, k), n))
		}
		return axes
	}
	if v.inner {
		own = declare("own", c.axes)
		extra = declare("extra", v.extra)
	} else {
		extra = declare("extra", v.extra)
		own = declare("own", c.axes)
	}
	union := 0
	layouts := make([]layout, len(c.shapes))
	for i, shape := range c.shapes {
		var over []*ad.Axis
		l := layout{own: 1, size: shape.Len(), mask: v.masks(i) & (1<<len(extra) - 1),
			extra: v.extra, inner: v.inner}
		for _, k := range at(c.over, i) {
			over = append(over, own[k])
			l.own *= c.axes[k]
		}
		for k, a := range extra {
			if l.mask>>k&1 == 1 {
				over = append(over, a)
			}
		}
		union |= l.mask
		layouts[i] = l
		s.inputs = append(s.inputs, s.b.Input(fmt.Sprintf("x%d", i), shape, over...))
		var values []float64
		for range l.own * l.lanes() {
			if c.sample != nil {
				values = append(values, c.sample(s.rng, i, shape.Len())...)
			} else {
				values = append(values, normals(s.rng, shape.Len())...)
			}
		}
		s.feeds = append(s.feeds, values)
	}
	s.y = c.build(own, s.inputs)
	must.Do(t, s.b.Err())
	out := layout{own: 1, size: s.y.Shape().Len(), mask: union, extra: v.extra, inner: v.inner}
	for _, a := range s.y.Axes() {
		if slices.Contains(own, a) {
			out.own *= a.Size()
		}
	}
	s.want = lift(c.want, layouts, out)
	s.slope = s.want
	if c.slope != nil {
		s.slope = lift(c.slope, layouts, out)
	}
	return s
}

func at[T any](list []T, i int) (zero T) {
	if i < len(list) {
		return list[i]
	}
	return zero
}

// A layout says where the values at one index of the extra axes lie in a whole
// array: own axes, extra axes and elements.
type layout struct {
	own, size int
	mask      int   // extra axes carried
	extra     []int // sizes of all extra axes
	inner     bool  // extra axes follow the own ones
}

// lanes is the number of indices of the extra axes carried.
func (l layout) lanes() int {
	n := 1
	for k, d := range l.extra {
		if l.mask>>k&1 == 1 {
			n *= d
		}
	}
	return n
}

// lane of the index u of all extra axes that the mask says.
func (l layout) lane(u, mask int) int {
	digits := make([]int, len(l.extra))
	for k := len(l.extra) - 1; k >= 0; k-- {
		if mask>>k&1 == 1 {
			digits[k] = u % l.extra[k]
			u /= l.extra[k]
		}
	}
	lane := 0
	for k, d := range l.extra {
		if l.mask>>k&1 == 1 {
			lane = lane*d + digits[k]
		}
	}
	return lane
}

// offset of own index o at a lane.
func (l layout) offset(o, lane int) int {
	if l.inner {
		return (o*l.lanes() + lane) * l.size
	}
	return (lane*l.own + o) * l.size
}

// lift runs f at every index of the extra axes: a loop over lanes.
func lift(f func([][]float64) []float64, in []layout, out layout) func([][]float64) []float64 {
	return func(x [][]float64) []float64 {
		y := make([]float64, out.own*out.size*out.lanes())
		part := make([][]float64, len(in))
		for u := range out.lanes() {
			for i, l := range in {
				part[i] = part[i][:0]
				for o := range l.own {
					off := l.offset(o, l.lane(u, out.mask))
					part[i] = append(part[i], x[i][off:off+l.size]...)
				}
			}
			for k, v := range f(part) {
				y[out.offset(k/out.size, u)+k%out.size] = v
			}
		}
		return y
	}
}

// weighted adds an input of random weights and returns Σ w·n over the elements.
func (s *bench) weighted(name string, n *ad.Node) *ad.Node {
	w := s.b.Input(name, n.Shape(), n.Axes()...)
	s.inputs = append(s.inputs, w)
	s.feeds = append(s.feeds, normals(s.rng, sizeOf(n)))
	return n.Mul(w).Sum()
}
