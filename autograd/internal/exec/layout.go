package exec

import (
	"fmt"
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
)

// A layout is how the mapped axes of a part are computed.
type layout struct {
	loops []*ir.Axis // whose indices are computed one after the other
	lane  *ir.Axis   // whose indices are lanes; nil means none
	strip int        // lanes of a lone axis, which is lane and loop at once
	why   string     // for explanations
}

// leastLanes is the number of indices from which an axis is laid out in lanes.
const leastLanes = 4

// laneAxis chooses the axis that is laid out in lanes: the largest that is no loop.
func laneAxis(f *ir.Func, loops []*ir.Axis) *ir.Axis {
	var used ir.AxisSet
	for _, v := range f.Values {
		used |= v.Axes
	}
	var best *ir.Axis
	for _, a := range used.Of(f.Axes) {
		if !slices.Contains(loops, a) && a.Size() >= leastLanes &&
			(best == nil || a.Size() > best.Size()) {
			best = a
		}
	}
	return best
}

// work counts what a function computes, by what it costs.
type work struct {
	ops, slow int // element-wise operations, those that take long
	shifts    int // of the former, sigmoid shifts by numbers that are not drawn in place
	kept      int // of the former but those that only go on with a sum
	terms     int // products and summands
	// of those, products of a matrix and a vector: each sum reads all of the vector
	spread  int
	opaque  int     // operations on whole values
	factors int     // operations on lanes of triangular factorisations and solutions
	large   float64 // time in one lane of those that are too large for that
	moved   []int   // numbers in one lane that operations on whole values read and write, of each
	runs    int     // instructions, value by value
	dense   float64 // time of everything as whole arrays
	uniform float64 // time of what does not differ between lanes, as whole arrays
}

// Costs in nanoseconds, measured with AVX2 on a server processor: what matters are
// ratios. An operation on lanes is decoded, then takes time per lane; one on a whole
// array is called, then takes time per element.
const (
	laneDecode = 2.5
	laneNumber = 0.12
	laneSlow   = 1.2
	laneShift  = 3.0
	// for each uniform number that is stored and read, instead of drawn where it is used
	laneStored   = 2.6
	denseStored  = 0.6
	factorCall   = 6.0 // of an operation on lanes of a triangular factorisation
	factorNumber = 0.15
	laneTerm     = 0.04
	termDecode   = 0.6
	denseCall    = 10.0
	denseNumber  = 0.35
	denseSlow    = 2.2
	productTerm  = 0.035 // of products with so many
	manyTerms    = 20_000
	vectorTerm   = 0.18 // of products of a matrix and a vector, in which every factor is read once
	farTerm      = 0.32 // of those that leave the cache
	denseTerm    = 0.1
	denseSum     = 0.3
	opaqueCall   = 150.0
	factorTerm   = 0.35
	codedCall    = 0.4 // of a small array in a stretch of machine code
	codedNumber  = 0.3
	laneKept     = 0.3  // registers for each element-wise operation, about
	laneFar      = 1.6  // for each number of registers beyond those in the cache
	farRead      = 0.13 // for each of those that a sum reads again, in the same proportion
	// for each number that an operation on whole values reads or writes, lane by lane
	laneMove    = 1.0
	laneMoveFar = 6.0 // where those of all lanes leave the cache
	// times as long for each index of a loop, whose stages and single numbers take longer
	laneProgram = 1.6
)

// Numbers that stay in the cache of a processor core: registers of an element program, and
// operands and result of one operation.
const (
	cachedRegisters = 1 << 18
	nearRegisters   = 1 << 17 // beside what the sums multiply them with
	cachedOperands  = 1 << 16
)

// isSlow reports whether an element-wise function takes much longer than a sum.
func isSlow(v *ir.Value) bool {
	if v.Op.Class != ir.Elementwise1 {
		return v.Op.Class == ir.Elementwise2 && v.Op.Form == ir.Other
	}
	switch v.Op.Form {
	case ir.Neg, ir.Square, ir.Relu, ir.Positive, ir.Sqrt, ir.Abs, ir.Inverse:
		return false
	}
	return true
}

// measure counts the work of one index of the loop and one lane. coded says that small arrays
// become machine code.
func measure(f *ir.Func, coded bool, varies func(*ir.Value) bool) work {
	var w work
	for _, v := range f.Values {
		if !v.Computed() {
			continue
		}
		live := 0
		for _, l := range v.Live {
			if l {
				live++
			}
		}
		if live == 0 {
			continue
		}
		w.runs++
		own := work{}
		own.count(v, live, v.Flat.Lanes(f.Axes))
		if coded && dense.Codable(v) {
			n := max(own.ops, own.terms, own.factors)
			own.dense = codedCall + codedNumber*float64(n)
		}
		w.dense += own.dense
		if !varies(v) {
			w.uniform += own.dense
			continue
		}
		w.ops, w.slow, w.terms = w.ops+own.ops, w.slow+own.slow, w.terms+own.terms
		w.shifts += own.shifts
		w.kept, w.spread = w.kept+own.kept, w.spread+own.spread
		w.opaque, w.factors, w.large = w.opaque+own.opaque, w.factors+own.factors, w.large+own.large
		w.moved = append(w.moved, own.moved...)
	}
	return w
}

// count counts the work of one value, of which live elements are computed, or of count such
// values that were made one.
func (w *work) count(v *ir.Value, live, count int) {
	w.dense = denseCall
	switch v.Op.Class {
	case ir.MatMul:
		_, m, k, n := v.Product()
		w.terms = products(v, k, live)
		if m == 1 || n == 1 {
			w.spread = w.terms
		}
		switch all := v.Len() * k; {
		case all < manyTerms, m > 1 && n > 1 && m*k*n < manyTerms:
			w.dense += denseTerm * float64(all)
		case m > 1 && n > 1:
			w.dense += productTerm * float64(all)
		case all < cachedRegisters:
			w.dense += vectorTerm * float64(all)
		default:
			w.dense += farTerm * float64(all)
		}
	case ir.Sum, ir.Fold:
		w.terms = v.Args[0].Len()
		w.dense += denseSum * float64(w.terms)
	case ir.LogSumExp, ir.Softmax:
		w.slow = v.Args[0].Len()
		w.dense += denseSlow * float64(w.slow)
	case ir.Crossing:
		w.ops = live
		w.dense += denseNumber * float64(live)
	case ir.Opaque:
		w.dense += opaqueCall * float64(count)
		switch v.Op.Form {
		case ir.Cholesky, ir.SolveLower, ir.SolveLowerT:
			n := v.Shape[len(v.Shape)-2]
			w.dense += factorTerm * float64(v.Len()*n/4) // half of those of a product, or a third
			if n <= dense.MostTriangular {
				w.factors = v.Len() * (n + 2) / 2
			} else {
				w.large = w.dense
				w.moved = []int{numbersMoved(v)}
			}
		default:
			w.opaque = count
			w.moved = []int{numbersMoved(v)}
		}
	default:
		if w.ops = live; v.Is(ir.Add) || v.Is(ir.Sub) {
			w.ops = summed(v)
		}
		if !v.Is(ir.Add) || !v.Args[0].Is(ir.Add) && !v.Args[1].Is(ir.Add) {
			w.kept = w.ops
		}
		switch {
		case v.Is(ir.SigmoidShift) && !v.Args[1].Origin().Uniform:
			w.shifts = live
			w.dense += denseSlow * float64(live)
		case isSlow(v) || v.Is(ir.SigmoidShift):
			w.slow = live
			w.dense += denseSlow * float64(live)
		default:
			w.dense += denseNumber * float64(live)
		}
	}
}

// numbersMoved is how many elements the operands of v and v have.
func numbersMoved(v *ir.Value) int {
	n := v.Len()
	for _, a := range v.Args {
		n += a.Len()
	}
	return n
}

// summed is the number of live elements of a sum of which neither operand is known to be zero:
// the others are those of the operand.
func summed(v *ir.Value) int {
	n := 0
	for e, live := range v.Live {
		if live && v.Args[0].Support[v.At(0, e)] && v.Args[1].Support[v.At(1, e)] {
			n++
		}
	}
	return n
}

// products is about the number of products of which no factor is zero.
func products(v *ir.Value, k, live int) int {
	a, b := density(v.Args[0].Support), density(v.Args[1].Support)
	return int(float64(live*k) * min(a, b))
}

func density(support []bool) float64 {
	if len(support) == 0 {
		return 1
	}
	n := 0
	for _, s := range support {
		if s {
			n++
		}
	}
	return float64(n) / float64(len(support))
}

// onLanes is the time of an element program on some lanes.
func (w *work) onLanes(lanes int) float64 {
	l := float64(lanes)
	t := float64(w.ops)*(laneDecode+laneNumber*l) + float64(w.slow)*laneSlow*l +
		float64(w.shifts)*laneShift*l + float64(w.terms)*(termDecode+laneTerm*l)
	t += (float64(w.opaque)*opaqueCall+w.large)*l + float64(w.factors)*(factorCall+factorNumber*l)
	for _, n := range w.moved {
		move := laneMove
		if n*lanes > cachedOperands {
			move = laneMoveFar
		}
		t += move * float64(n) * l
	}
	kept := laneKept * float64(w.kept) * l
	far := max(1-nearRegisters/max(kept, 1), 0)
	return t + laneFar*max(kept-cachedRegisters, 0) + farRead*far*float64(w.spread)*l
}

// Element programs of more operations or terms than these take long to compile.
const (
	mostElements = 1_500_000
	mostTerms    = 12_000_000
)

// tooLarge reports whether an element program would take long to compile, and why.
func (w *work) tooLarge() (string, bool) {
	if w.ops > mostElements || w.terms > mostTerms {
		return fmt.Sprintf("element by element it would take %d operations and %d terms of sums, "+
			"more than the %d and %d that compile in reasonable time", w.ops, w.terms, mostElements,
			mostTerms), true
	}
	return "", false
}
