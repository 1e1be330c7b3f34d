package autograd

import (
	"math"
	"slices"
)

// simplify rewrites v by an algebraic identity that holds to rounding:
//
//	x + 0, 0 + x, x − 0, x·1, 1·x, x/1, −(−x)  →  x
//	(x·c)·c′, (−x)·c, −(x·c)                    →  x times one constant
//	−(C·x), −(x·C)                              →  (−C)·x, x·(−C) as matrices
//	1[x > 0] beside relu(x)                     →  1[relu(x) > 0], so that relu alone reads x
//
// where constants c are single numbers or have the shape of the result, and the
// product of matrices has no other reader, of the numbers of readers given; relus
// has the values of relu by x. Operands are values, and what nothing reads any more is
// not computed.
func (p *Program) simplify(v *value, readers map[*Node]int, relus map[*value]*value) {
	if v.known != nil || v.n.op == nil || v.isView() {
		return
	}
	for i, a := range v.args {
		for a.isView() && a.n.op.view == nil && a.n.shape.Equal(a.args[0].n.shape) {
			a = a.args[0] // what a was found to be
		}
		v.args[i] = a
	}
	switch v.n.op.name {
	case "add":
		switch {
		case v.args[1].all(0):
			v.alias(v.args[0])
		case v.args[0].all(0):
			v.alias(v.args[1])
		}
	case "sub":
		if v.args[1].all(0) {
			v.alias(v.args[0])
		}
	case "div":
		if v.args[1].all(1) {
			v.alias(v.args[0])
		}
	case "relu":
		relus[v.args[0]] = v
	case "positive":
		if y, ok := relus[v.args[0]]; ok {
			v.args[0] = y
		}
	case "neg":
		x := v.args[0]
		switch {
		case x.isView() || x.n.op == nil:
		case x.n.op.name == "neg":
			v.alias(x.args[0])
		case x.n.op.name == "mul":
			p.scale(v, x, []float64{-1})
		case x.n.op.name == "matmul" && x.known == nil && readers[x.n] == 1:
			p.negateFactor(v, x)
		}
	case "mul":
		x, c := v.args[0], v.args[1]
		if c.known == nil {
			x, c = c, x
		}
		switch {
		case c.known == nil:
		case c.all(1):
			v.alias(x)
		default:
			p.scale(v, x, c.known)
		}
	}
}

// all reports whether the value is a constant with the same number everywhere.
func (v *value) all(c float64) bool {
	for _, x := range v.known {
		if x != c {
			return false
		}
	}
	return v.known != nil
}

// alias makes v the value of x, repeated if that is a single number.
func (v *value) alias(x *value) {
	v.index = make([]int, v.n.shape.Len())
	for e := range v.index {
		if len(x.n.shape) > 0 {
			v.index[e] = e
		}
	}
	v.args = []*value{x}
}

// scale makes v = x·c a product with one constant if x is one already, or a
// negative, and the constants' product neither overflows nor vanishes.
func (p *Program) scale(v, x *value, c []float64) {
	if x.isView() || x.known != nil || x.n.op == nil || len(x.n.shape) != len(v.n.shape) {
		return
	}
	origin, d := x.args[0], []float64{-1}
	switch x.n.op.name {
	case "neg":
	case "mul":
		factor := x.args[1]
		if factor.known == nil {
			origin, factor = factor, origin
		}
		if factor.known == nil {
			return
		}
		d = factor.known
	default:
		return
	}
	product := make([]float64, max(len(c), len(d)))
	for e := range product {
		product[e] = c[min(e, len(c)-1)] * d[min(e, len(d)-1)]
		if size := math.Abs(product[e]); !(size >= 0x1p-1022 && size <= math.MaxFloat64) {
			return
		}
	}
	shape := Shape{}
	if len(product) > 1 {
		shape = v.n.shape
	}
	p.replace(v, "mul", origin, p.constantOf(product, shape, v))
}

// negateFactor makes v = −x for a matrix product x a product with the negative of one
// factor, if that is a constant.
func (p *Program) negateFactor(v, x *value) {
	for i, c := range x.args {
		if c.known == nil {
			continue
		}
		negative := make([]float64, len(c.known))
		for e, k := range c.known {
			negative[e] = 0 - k
		}
		args := slices.Clone(x.args)
		args[i] = p.constantOf(negative, c.n.shape, v)
		p.replace(v, "matmul", args...)
		return
	}
}

// constantOf adds a constant before v.
func (p *Program) constantOf(known []float64, shape Shape, v *value) *value {
	constant := &value{id: len(p.values), n: &Node{b: p.b, shape: shape, value: known}, known: known}
	p.values = append(p.values, constant)
	v.id = len(p.values)
	return constant
}

// replace makes v the result of another operation.
func (p *Program) replace(v *value, op string, args ...*value) {
	v.n = &Node{b: p.b, id: v.n.id, op: rules[op], args: v.n.args, shape: v.n.shape, axes: v.n.axes, name: v.n.name}
	v.args = args
}
