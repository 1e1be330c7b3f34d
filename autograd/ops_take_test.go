package autograd_test

import (
	"math"
	"math/rand/v2"

	ad "tobac/autograd"
)

// positions draws operand `which` as whole numbers below bound.
func positions(which, bound int) func(rng *rand.Rand, i, size int) []float64 {
	return func(rng *rand.Rand, i, size int) []float64 {
		x := normals(rng, size)
		for k := range x {
			if i == which {
				x[k] = float64(rng.IntN(bound))
			}
		}
		return x
	}
}

// takeOne lists, for every element of the array with the index's dimensions in
// place of the axis, the element of the array of shape s at its position.
func takeOne(s, index ad.Shape, axis int, at []float64) []int {
	full := append(append(append(ad.Shape{}, s[:axis]...), index...), s[axis+1:]...)
	var from []int
	eachIndex(full, func(k []int) {
		j, e := 0, 0
		for i, d := range index {
			j = j*d + k[axis+i]
		}
		for i, d := range s {
			switch {
			case i < axis:
				e = e*d + k[i]
			case i == axis:
				e = e*d + int(at[j])
			default:
				e = e*d + k[i-1+len(index)]
			}
		}
		from = append(from, e)
	})
	return from
}

func takeRows() []row {
	take := row{op: "take", once: true}
	segments := row{op: "segment_sum", once: true}
	for _, c := range []struct {
		shape, index ad.Shape
		axis         int
	}{
		{ad.Shape{3, 4}, ad.Shape{3}, 1}, {ad.Shape{3, 4}, ad.Shape{3}, 0},
		{ad.Shape{4}, ad.Shape{}, 0}, {ad.Shape{2, 3, 2}, ad.Shape{2, 2}, 1},
		{ad.Shape{1}, ad.Shape{1}, 0}, {ad.Shape{1, 1}, ad.Shape{1, 1}, 1},
	} {
		bound := c.shape[c.axis]
		taken := append(append(append(ad.Shape{}, c.shape[:c.axis]...), c.index...),
			c.shape[c.axis+1:]...)
		name := c.shape.String() + c.index.String() + ad.Shape{c.axis}.String()
		take.cases = append(take.cases, opCase{
			name: name, shapes: []ad.Shape{c.shape, c.index}, sample: positions(1, bound),
			frozen: 2,
			build:  two(func(x, index *ad.Node) *ad.Node { return x.Take(index, c.axis) }),
			want: func(x [][]float64) (y []float64) {
				for _, e := range takeOne(c.shape, c.index, c.axis, x[1]) {
					y = append(y, x[0][e])
				}
				return y
			},
		})
		if c.axis > 0 { // the public method has the segment in front
			continue
		}
		segments.cases = append(segments.cases, opCase{
			name: name, shapes: []ad.Shape{taken, c.index}, sample: positions(1, bound), frozen: 2,
			build: two(func(x, index *ad.Node) *ad.Node { return x.SegmentSumBy(index, bound) }),
			want: func(x [][]float64) []float64 {
				y := make([]float64, c.shape.Len())
				for e, k := range takeOne(c.shape, c.index, 0, x[1]) {
					y[k] += x[0][e]
				}
				return y
			},
		})
	}
	other := take.cases[0]
	other.build = two(func(x, index *ad.Node) *ad.Node { return x.Take(index, 0) })
	other.want = func(x [][]float64) (y []float64) {
		for _, e := range takeOne(ad.Shape{3, 4}, ad.Shape{3}, 0, x[1]) {
			y = append(y, x[0][e])
		}
		return y
	}
	take.cases[0].sample = positions(1, 3) // valid along both axes
	other.sample = take.cases[0].sample
	take.other = &other
	take.spots = []spot{{
		name: "repeated positions", shapes: []ad.Shape{{2, 2}, {3}},
		at:    [][]float64{{1, nan, 3, 4}, {0, 0, 0}},
		build: two(func(x, index *ad.Node) *ad.Node { return x.Take(index, 1) }),
		want:  []float64{1, 1, 1, 3, 3, 3}, grad: [][]float64{{3, 0, 3, 0}},
	}}
	segments.spots = []spot{{
		name: "an empty segment", shapes: []ad.Shape{{3}, {3}},
		at:    [][]float64{{1, 2, 4}, {0, 2, 0}},
		build: two(func(x, index *ad.Node) *ad.Node { return x.SegmentSumBy(index, 3) }),
		want:  []float64{5, 0, 2}, grad: [][]float64{{1, 1, 1}},
	}}
	wider := segments.cases[0]
	wider.build = two(func(x, index *ad.Node) *ad.Node { return x.SegmentSumBy(index, 5) })
	wider.want = func(x [][]float64) []float64 {
		return append(segments.cases[0].want(x), make([]float64, 2*4)...)
	}
	segments.other = &wider
	return []row{take, segments, oneHotRow()}
}

func oneHotRow() row {
	r := row{op: "one_hot", constant: true}
	for _, shape := range []ad.Shape{{3}, {}, {2, 2}, {1}} {
		r.cases = append(r.cases, opCase{
			name: shape.String(), shapes: []ad.Shape{shape}, sample: positions(0, 4),
			build: one(func(x *ad.Node) *ad.Node { return x.OneHot(4) }),
			want: func(x [][]float64) []float64 {
				y := make([]float64, 4*len(x[0]))
				for j, v := range x[0] {
					y[4*j+int(v)] = 1
				}
				return y
			},
		})
	}
	r.spots = []spot{{name: "negative zero", shapes: []ad.Shape{{1}},
		at: [][]float64{{math.Copysign(0, -1)}}, want: []float64{1, 0, 0, 0}}}
	return r
}
