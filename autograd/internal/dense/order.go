package dense

import (
	"cmp"
	"slices"

	"tobac/autograd/internal/ir"
)

// Order puts the values of a function into an order in which those that become machine code
// stand together, between those that do not, and of the latter small ones of one operation.
// Operands still come first.
//
// The function is cut into levels. A level is machine code, which reads what levels before it
// compute, then all other operations that read nothing beyond. An operation without machine
// code is in the last level that what reads it allows.
func Order(f *ir.Func) {
	o := &ordering{f: f, level: make([]int, len(f.Values)), codable: make([]bool, len(f.Values))}
	o.earliest()
	o.latest()
	class, group := o.classes()
	order := slices.Clone(f.Values)
	slices.SortFunc(order, func(a, b *ir.Value) int {
		return cmp.Or(cmp.Compare(o.level[a.ID], o.level[b.ID]),
			cmp.Compare(class[a.ID], class[b.ID]), cmp.Compare(group[a.ID], group[b.ID]),
			cmp.Compare(a.ID, b.ID))
	})
	for i, v := range order {
		v.ID = i
	}
	f.Values = order
}

// An ordering knows the level of every value, and whether it is machine code or, of one that
// only shows elements, its operand is.
type ordering struct {
	f       *ir.Func
	level   []int
	codable []bool
}

// earliest finds the first level that operands allow. Inputs and constants come before all.
func (o *ordering) earliest() {
	for i, v := range o.f.Values {
		if v.Op == nil || v.Const != nil {
			o.level[i], o.codable[i] = -1, true
			continue
		}
		o.codable[i] = Codable(v)
		if v.IsView() {
			o.codable[i] = o.codable[v.Args[0].ID]
		}
		for _, a := range v.Args {
			at := o.level[a.ID]
			if o.codable[i] && !o.codable[a.ID] {
				at++
			}
			o.level[i] = max(o.level[i], at)
		}
	}
}

// latest moves what is no machine code to the last level that its readers allow.
func (o *ordering) latest() {
	last := slices.Max(o.level)
	bound := make([]int, len(o.level))
	for i := range bound {
		bound[i] = last
	}
	for i, v := range slices.Backward(o.f.Values) {
		if !o.codable[i] {
			o.level[i] = max(o.level[i], bound[i])
		}
		for _, a := range v.Args {
			at := o.level[i]
			if o.codable[i] && !o.codable[a.ID] {
				at--
			}
			bound[a.ID] = min(bound[a.ID], at)
		}
	}
}

// classes orders the values of a level: machine code, then operations that read nothing but
// it and earlier levels, those of one operation together, then the rest.
func (o *ordering) classes() (class, group []int) {
	class, group = make([]int, len(o.level)), make([]int, len(o.level))
	groups := map[*ir.Op]int{}
	for i, v := range o.f.Values {
		if o.codable[i] {
			continue
		}
		class[i] = 2
		early := !v.IsView() && v.Len() <= mostBatched
		for _, a := range v.Args {
			early = early && (o.codable[a.ID] || o.level[a.ID] < o.level[i])
		}
		if early {
			class[i] = 1
			if _, known := groups[v.Op]; !known {
				groups[v.Op] = len(groups)
			}
			group[i] = groups[v.Op]
		}
	}
	return class, group
}

// Codable reports whether a value that is the same in all lanes has an instruction of machine
// code, as far as its operation and its size say.
func Codable(v *ir.Value) bool {
	if !v.Computed() {
		return false
	}
	switch v.Op.Class {
	case ir.Elementwise1, ir.Elementwise2:
		_, ok := nativeCodes[v.Op.Form]
		return ok && v.Len() <= mostCoded
	case ir.Sum:
		return v.Args[0].Len() <= 2*mostCoded
	case ir.MatMul:
		batch, m, k, n := v.Product()
		return m*k*n < wholeProducts && batch*m*k*n <= 2*mostCoded
	case ir.Opaque:
		return codableTriangular(v)
	case ir.Picked:
		return v.Len() <= mostCoded
	}
	return false
}
