package passes

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// A Part is a stretch of a function that is computed for one index of the loop axis
// after the other, or once.
type Part struct {
	F    *ir.Func
	Loop *ir.Axis // nil means computed once

	// From are the values of the whole function that the inputs of F stand for, and To
	// those that its outputs are.
	From, To []*ir.Value
}

// Split cuts a function into parts, which are computed in order. One axis is the loop: its
// indices are independent within a part, and shared out among workers. What crosses that
// axis, a mean over particles for example, what its results go into, and what does not
// carry the axis and takes time are parts of their own.
func Split(f *ir.Func) []Part { return SplitBy(f, chooseLoop(f)) }

// SplitBy cuts a function into parts whose loop is the given axis; nil means none.
func SplitBy(f *ir.Func, loop *ir.Axis) []Part {
	s := splitter{f: f, loop: loop, stage: make([]int, len(f.Values)),
		free: make([]bool, len(f.Values))}
	s.findStages()
	s.again = s.keptNumbers() > mostKept
	top := 0
	for _, k := range s.stage {
		top = max(top, k)
	}
	for _, v := range f.Outputs {
		if s.free[v.ID] {
			top = max(top, s.freeOutput(v))
		}
	}
	var parts []Part
	for k := range top + 1 {
		if p, ok := s.part(k); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

// chooseLoop chooses the axis that leaves the least outside the loop; the outermost of
// those that leave the same.
func chooseLoop(f *ir.Func) *ir.Axis {
	var used ir.AxisSet
	for _, v := range f.Values {
		used |= v.Axes
	}
	var best *ir.Axis
	least := 0
	for _, a := range used.Of(f.Axes) {
		outside := 0
		after := make([]bool, len(f.Values)) // depends on what crosses the axis
		for i, v := range f.Values {
			if v.Op == nil {
				continue
			}
			after[i] = crosses(v, a)
			for _, x := range v.Args {
				after[i] = after[i] || after[x.ID]
			}
			if after[i] {
				outside += v.Len()
			}
		}
		if best == nil || outside < least {
			best, least = a, outside
		}
	}
	return best
}

// crosses reports whether the indices of an axis meet in v.
func crosses(v *ir.Value, a *ir.Axis) bool {
	return v.Op != nil && v.Op.Over != ir.Within && v.Op.Over != ir.OverExpand && v.Attr.Axis == a
}

type splitter struct {
	f     *ir.Func
	loop  *ir.Axis
	stage []int // parts of even number are computed once, of odd number in a loop
	// inputs, constants, and what is made of them at no cost: copied to where it is read
	free []bool
	// a loop computes what it needs of earlier ones anew, since that is too much to keep
	again bool
}

// looped reports whether v is computed for each index of the loop.
func (s *splitter) looped(v *ir.Value) bool {
	return s.loop != nil && v.Axes.Has(s.loop) && !crosses(v, s.loop)
}

// hoistCost is the number of scalar operations from which what does not depend on the loop
// is computed before it.
const hoistCost = 2000

func (s *splitter) findStages() {
	cost := 0
	folds := make([]bool, len(s.f.Values)) // a constant, or one that little work makes
	for i, v := range s.f.Values {
		if v.Op == nil {
			s.free[i], folds[i] = true, v.Const != nil
			continue
		}
		folds[i] = foldable(v) && scalarCost(v) < hoistCost
		for _, a := range v.Args {
			folds[i] = folds[i] && folds[a.ID]
		}
		looped := 0
		if s.looped(v) {
			looped = 1
		}
		s.stage[i] = looped
		for _, a := range v.Args {
			if s.free[a.ID] {
				continue
			}
			at := s.stage[a.ID]
			if at%2 != looped {
				at++
			}
			s.stage[i] = max(s.stage[i], at)
		}
		if s.stage[i] == 0 && s.loop != nil && !folds[i] {
			cost += scalarCost(v)
		}
	}
	for i, v := range s.f.Values {
		if s.loop == nil || s.stage[i] > 0 || v.Op == nil {
			continue
		}
		s.free[i] = cost < hoistCost && v.Op.Over == ir.Within || v.Op.View != nil
		for _, a := range v.Args {
			s.free[i] = s.free[i] && s.free[a.ID]
		}
		s.free[i] = s.free[i] || folds[i]
	}
}

// mostKept is the number of numbers that loops keep for later ones at most.
const mostKept = 4 << 20

// keptNumbers is how many numbers loops would keep for later ones.
func (s *splitter) keptNumbers() int {
	kept := make([]bool, len(s.f.Values))
	n := 0
	for _, v := range s.f.Values {
		for _, a := range v.Args {
			if s.looped(v) && s.looped(a) && !s.free[a.ID] && s.stage[a.ID] < s.stage[v.ID] &&
				!kept[a.ID] {
				kept[a.ID] = true
				n += a.Len() * a.Axes.Lanes(s.f.Axes)
			}
		}
	}
	return n
}

// scalarCost is about the number of scalar operations that v takes.
func scalarCost(v *ir.Value) int {
	switch v.Op.Class {
	case ir.MatMul:
		_, _, k, _ := v.Product()
		return v.Len() * k
	case ir.Opaque:
		if v.Op.View != nil {
			return 0
		}
		return hoistCost
	case ir.Sum, ir.LogSumExp:
		return v.Args[0].Len()
	}
	return v.Len()
}

// part collects stage k, if there is anything in it.
func (s *splitter) part(k int) (Part, bool) {
	p := Part{F: &ir.Func{Name: s.f.Name, Axes: s.f.Axes}}
	if k%2 == 1 {
		p.Loop = s.loop
	}
	own := func(v *ir.Value) bool { return s.stage[v.ID] == k && !s.free[v.ID] }
	read := make([]bool, len(s.f.Values)) // by a later part
	for _, v := range s.f.Values {
		for _, a := range v.Args {
			if own(a) && !own(v) && !s.free[v.ID] && !(s.again && s.looped(a) && s.looped(v)) {
				read[a.ID] = true
			}
		}
	}
	for _, v := range s.f.Outputs {
		switch {
		case own(v):
			read[v.ID] = true
		case s.free[v.ID] && k == s.freeOutput(v):
			read[v.ID] = true
		}
	}
	needed := slices.Clone(read)
	for _, v := range slices.Backward(s.f.Values) {
		if needed[v.ID] && !s.given(v, k) {
			for _, a := range v.Args {
				needed[a.ID] = true
			}
		}
	}
	count := 0
	for _, v := range s.f.Values {
		if needed[v.ID] {
			count++
		}
	}
	p.F.Values = make([]*ir.Value, 0, count)
	copies, made := make([]*ir.Value, len(s.f.Values)), make([]ir.Value, count)
	for _, v := range s.f.Values { // operands before what reads them
		if needed[v.ID] {
			s.copy(&p, v, k, copies, &made[len(p.F.Values)])
		}
	}
	for _, v := range s.f.Values {
		if read[v.ID] {
			p.To = append(p.To, v)
			p.F.Outputs = append(p.F.Outputs, copies[v.ID])
		}
	}
	return p, len(p.To) > 0
}

// freeOutput is the stage that returns an output which is an input, a constant or made
// of them.
func (s *splitter) freeOutput(v *ir.Value) int {
	if s.loop != nil && v.Axes.Has(s.loop) {
		return 1
	}
	return 0
}

// given reports whether v is an input of part k: of the function, or computed by another
// part.
func (s *splitter) given(v *ir.Value, k int) bool {
	anew := s.again && s.looped(v) && k%2 == 1
	return !s.free[v.ID] && s.stage[v.ID] != k && !anew || v.IsInput()
}

// copy copies v to c, whose operands are copied, into the part.
func (s *splitter) copy(p *Part, v *ir.Value, k int, copies []*ir.Value, c *ir.Value) {
	*c = *v
	c.Args = nil
	if s.given(v, k) {
		c.Op, c.Attr, c.Index, c.Const = nil, ir.Attr{}, nil, nil
		c.Input = len(p.From)
		p.From = append(p.From, v)
		p.F.Inputs = append(p.F.Inputs, c)
	} else {
		c.Input = -1
		c.Args = make([]*ir.Value, len(v.Args))
		for i, a := range v.Args {
			c.Args[i] = copies[a.ID]
		}
		if c.Op != nil && c.Op.Over == ir.OverExpand && p.Loop != nil && c.Attr.Axis == p.Loop {
			// One index of the loop sees the value itself.
			c.Op, c.Index = ir.ViewOp, ir.Identity(v.Len())
			c.Attr = ir.Attr{Ints: c.Index}
		}
	}
	copies[v.ID] = p.F.Add(c)
}
