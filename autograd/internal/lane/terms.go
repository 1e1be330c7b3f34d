package lane

import (
	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
)

// summed recognises an element that is read once and is a sum or an element of
// a matrix product with uniform numbers, to which one can be added as one more term.
func (em *emitter) summed(r ref) (v *ir.Value, e int, ok bool) {
	if !em.single(r) {
		return nil, 0, false
	}
	v, e = em.c.of(r.at)
	return v, e, v.Class() == ir.MatMul && !em.c.ofLanes(v) || v.Class() == ir.Sum
}

// products emits a sum of products plus the uniform number at offset bias:
// first the lanes with uniform factors in one operation, then the others. Those
// of a matrix product, which are kept for other elements anyway, are one
// operation too; those of a sum follow one after the other, each as soon as it
// is computed.
func (em *emitter) products(v *ir.Value, terms []term, bias int32) int32 {
	var linear []int32 // registers and factors
	var rest []term
	for _, t := range terms {
		switch {
		case t[1].kind == refUniform:
			linear = append(linear, em.register(t[0]), t[1].at)
		case t[1].kind == refLane:
			rest = append(rest, t)
		case t[0].kind == refUniform: // a plain summand that is no lane value
			linear = append(linear, em.register(t[0]), dense.OneOffset)
		default:
			if x, f, ok := em.scaled(t[0]); ok {
				linear = append(linear, em.lane(x.at), f)
			} else if a, b, ok := em.factors(t[0]); ok {
				rest = append(rest, term{a, b})
			} else {
				linear = append(linear, em.lane(t[0].at), dense.OneOffset)
			}
		}
	}
	if bias != dense.ZeroOffset {
		linear = append(linear, em.share(vm.Op{Code: vm.Fill, A: dense.OneOffset}), bias)
	}
	dst := em.virtual()
	if len(linear) == 0 && len(rest) > 1 && v.Op.Class == ir.MatMul {
		operands := make([]int32, 0, 2*len(rest))
		for _, t := range rest {
			operands = append(operands, em.register(t[0]), em.register(t[1]))
		}
		em.emit(vm.Op{Code: vm.DotPairs, Dst: dst, A: em.pool(operands...), B: int32(len(rest))})
		return dst
	}
	rest, started := em.squares(rest, dst)
	if n := len(linear) / 2; n > 0 {
		sum := dst
		if started {
			sum = em.virtual()
		}
		em.emit(vm.Op{Code: vm.Dot, Dst: sum, A: em.pool(linear...), B: int32(n)})
		if started {
			em.emit(vm.Op{Code: vm.Add, Dst: dst, A: dst, B: sum})
		}
		started = true
	}
	for _, t := range rest {
		op := vm.Op{Code: vm.Mul, Dst: dst, A: em.register(t[0]), B: em.register(t[1])}
		if started {
			op.Code = vm.MulAdd
		}
		started = true
		em.emit(op)
	}
	if !started {
		em.emit(vm.Op{Code: vm.Fill, Dst: dst, A: dense.ZeroOffset})
	}
	return dst
}

// factors recognises an element that is read once and is a product or a square
// of lane values.
func (em *emitter) factors(r ref) (a, b ref, ok bool) {
	if !em.onceRead(r) {
		return
	}
	v, e := em.c.of(r.at)
	switch {
	case v.Is(ir.Square):
		x := em.c.operand(v, 0, e)
		return x, x, x.kind == refLane
	case v.Is(ir.Mul):
		x, y := em.c.both(v, e)
		return x, y, x.kind == refLane && y.kind == refLane
	}
	return
}

// squares adds the squares of linear forms to register dst, a tile at a time, or
// starts with them. It returns the other terms, and whether dst has been started.
func (em *emitter) squares(terms []term, dst int32) (rest []term, started bool) {
	var squared []term
	var forms []linearForm
	mark := len(em.slab)
	for _, t := range terms {
		if t[0] == t[1] && em.single(t[0]) {
			if f, ok := em.linear(t[0].at); ok && !f.relu {
				squared, forms = append(squared, t), append(forms, f)
				continue
			}
		}
		rest = append(rest, t)
	}
	for len(forms) > 0 {
		n := min(em.c.rows(), len(forms))
		if n == 1 {
			rest = append(rest, squared[:n]...)
		} else {
			op := vm.Op{Code: vm.TileSquares, Dst: dst,
				A: em.layTile(em.c.newTiling(forms[:n], true))}
			if started {
				op.B = 1
			}
			started = true
			em.emit(op)
		}
		forms, squared = forms[n:], squared[n:]
	}
	em.slab = em.slab[:mark]
	return rest, started
}
