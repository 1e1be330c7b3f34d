package ir_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/ir/irtest"
)

var inf = math.Inf(1)

// indices are those of the axes of a set at a flat index.
func indices(all []*ir.Axis, s ir.AxisSet, flat int) map[*ir.Axis]int {
	at := map[*ir.Axis]int{}
	for _, a := range slices.Backward(s.Of(all)) {
		at[a] = flat % a.Size()
		flat /= a.Size()
	}
	return at
}

// A projection forgets the indices of the axes that are left out, for all sets of axes.
func TestProjector(t *testing.T) {
	all := irtest.New(2, 3, 1, 4).F.Axes
	for from := range ir.AxisSet(16) {
		for to := range ir.AxisSet(16) {
			if to&^from != 0 {
				continue
			}
			project := ir.Projector(all, from, to)
			for k := range from.Lanes(all) {
				got, want := indices(all, to, project(k)), indices(all, from, k)
				for a, i := range got {
					if want[a] != i {
						t.Fatalf("axes%s to%s: %d becomes %d", from.Names(all), to.Names(all), k,
							project(k))
					}
				}
			}
		}
	}
}

func TestAxisSets(t *testing.T) {
	all := irtest.New(2, 3, 5).F.Axes
	s := ir.AxisSet(0).With(all[0]).With(all[2])
	if !s.Has(all[2]) || s.Has(all[1]) || s.Count() != 2 || s.Lanes(all) != 10 ||
		s.Names(all) != "{a=2 c=5}" || ir.AxisSet(0).Names(all) != "" {
		t.Errorf("axes%s: count %d, lanes %d", s.Names(all), s.Count(), s.Lanes(all))
	}
	if got := s.Without(all[0]); got.Has(all[0]) || s.Minus(got).Names(all) != "{a=2}" {
		t.Errorf("without a: %s", got.Names(all))
	}
	if !slices.Equal(s.Of(all), []*ir.Axis{all[0], all[2]}) {
		t.Errorf("axes of%s: %v", s.Names(all), s.Of(all))
	}
}

// Elements of what crosses an axis are made of those that the definition says, alone and
// in several copies, one behind the other.
func TestCrossed(t *testing.T) {
	const own, copies = 3, 2
	b := irtest.New(4)
	size := b.Axis(0).Size()
	for _, n := range []int{1, copies} {
		at := ir.Attr{Axis: b.Axis(0)}
		lead := ir.Shape{}
		if n > 1 {
			at.Ints, lead = []int{n}, ir.Shape{n}
		}
		value := func(over ir.Over, shape, of ir.Shape) *ir.Value {
			x := &ir.Value{Shape: slices.Concat(lead, of), Input: 0}
			return &ir.Value{Op: irtest.Crossing(over, ir.Other), Attr: at, Args: []*ir.Value{x},
				Shape: slices.Concat(lead, shape), Input: -1}
		}
		stack := value(ir.OverStack, ir.Shape{size, own}, ir.Shape{own})
		unstack := value(ir.OverUnstack, ir.Shape{own}, ir.Shape{size, own})
		sum := value(ir.OverSum, ir.Shape{own}, ir.Shape{own})
		for c := range n {
			for o := range own {
				for i := range size {
					e := (c*size+i)*own + o
					if first, _, count := stack.Crossed(e); first != c*own+o || count != 1 ||
						stack.StackIndex(e) != i {
						t.Errorf("%d copies: element %d of a stack is element %d, index %d", n, e,
							first, stack.StackIndex(e))
					}
					if first, step, count := unstack.Crossed(c*own + o); first+i*step != e ||
						count != size {
						t.Errorf("%d copies: element %d unstacked is %d elements from %d, %d apart",
							n, c*own+o, count, first, step)
					}
				}
				if first, _, count := sum.Crossed(c*own + o); first != c*own+o || count != 1 {
					t.Errorf("%d copies: element %d of a sum is made of %d from %d", n, c*own+o,
						count, first)
				}
			}
		}
	}
}

// The weights of a softmax add up to 1 for numbers of any size, do not change when all
// numbers are shifted, and are the exponentials of what is above the log-sum-exp.
func TestSoftmaxAndLogSumExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := make([]float64, 1+rng.IntN(8))
		for i := range x {
			x[i] = 1e3 * rng.NormFloat64()
		}
		weights, total := slices.Clone(x), ir.LogSumExpOf(x)
		ir.SoftmaxOf(weights)
		sum := 0.0
		for i, w := range weights {
			sum += w
			if !(math.Abs(w-math.Exp(x[i]-total)) <= 1e-11) {
				t.Errorf("weight %d of %v is %v", i, x, w)
			}
		}
		if !(math.Abs(sum-1) <= 1e-15*float64(len(x))) {
			t.Errorf("weights of %v add up to %v", x, sum)
		}
	}
	for _, tt := range []struct {
		x []float64
		y float64
	}{{nil, -inf}, {[]float64{-inf, -inf}, -inf}, {[]float64{0, inf}, inf},
		{[]float64{math.NaN(), inf}, math.NaN()}, {[]float64{0, 0}, math.Ln2}} {
		if got := ir.LogSumExpOf(tt.x); got != tt.y && !(math.IsNaN(got) && math.IsNaN(tt.y)) {
			t.Errorf("log-sum-exp of %v is %v, want %v", tt.x, got, tt.y)
		}
	}
}

// Expanding reads element by element what the usual rule says.
func TestExpandIndices(t *testing.T) {
	from, to := ir.Shape{3, 1}, ir.Shape{2, 3, 4}
	if common, ok := ir.Broadcast(from, ir.Shape{2, 1, 4}); !ok || !common.Equal(to) ||
		!from.ExpandsTo(to) || to.ExpandsTo(from) {
		t.Errorf("%v and (2,1,4) have the common shape %v", from, common)
	}
	if _, ok := ir.Broadcast(ir.Shape{2}, ir.Shape{3}); ok {
		t.Error("(2) and (3) have a common shape")
	}
	for e, k := range ir.ExpandIndices(from, to) {
		if want := e / 4 % 3; k != want {
			t.Errorf("element %d of %v is element %d of %v, want %d", e, to, k, from, want)
		}
	}
}
