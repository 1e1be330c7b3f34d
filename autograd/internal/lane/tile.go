package lane

import (
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/lane/vm"
)

// A linearForm is an element that is a uniform number plus a sum of products of
// lanes with uniform numbers, max(·, 0) of it if relu is set. Elements step apart
// in the same value are likely to have factors on the same lanes.
type linearForm struct {
	bias  int32 // offset
	terms []linearTerm
	relu  bool
	step  int
}

// linear recognises an element that is a linear form: one of a matrix product
// with a uniform factor, the sum of such a one with a uniform number, or relu of
// either, if nothing else reads what is in between.
func (em *emitter) linear(k int32) (linearForm, bool) {
	c := em.c
	v, e := c.of(k)
	if v.Op == nil || em.kept(k) {
		return linearForm{}, false
	}
	switch {
	case v.Op.Class == ir.MatMul:
		return em.linearProduct(v, e)
	case v.Is(ir.Add):
		a, b := c.both(v, e)
		if a.kind != refLane {
			a, b = b, a
		}
		if b.kind != refUniform || !em.single(a) {
			return linearForm{}, false
		}
		form, ok := em.linear(a.at)
		if !ok || form.relu {
			return linearForm{}, false
		}
		start := len(em.slab)
		form.add(em, linearTerm{ref{refUniform, dense.OneOffset}, b.at})
		form.terms = append(form.terms, em.slab[start:]...)
		em.slab = em.slab[:start]
		return form, true
	case v.Is(ir.Relu):
		r := c.operand(v, 0, e)
		if !em.single(r) {
			return linearForm{}, false
		}
		form, ok := em.linear(r.at)
		if !ok || form.relu {
			return linearForm{}, false
		}
		form.relu = true
		return form, true
	}
	return linearForm{}, false
}

// linearProduct recognises an element of a matrix product with a uniform factor.
func (em *emitter) linearProduct(v *ir.Value, e int) (linearForm, bool) {
	form := linearForm{step: v.Shape[len(v.Shape)-1]}
	if em.c.plan.Varies(v.Args[0]) {
		form.step = 1
	}
	if em.c.ofLanes(v) {
		return linearForm{}, false
	}
	start := len(em.slab)
	em.c.eachTerm(v, e, func(t term) bool {
		form.add(em, linearTerm{t[0], t[1].at})
		return true
	})
	form.terms = em.slab[start:len(em.slab):len(em.slab)]
	return form, true
}

// add adds a term. The first one on lanes that are all 1 is the bias.
func (f *linearForm) add(em *emitter, t linearTerm) {
	if f.bias == dense.ZeroOffset && em.isOne(t.x) {
		f.bias = t.factor
		return
	}
	em.slab = append(em.slab, em.foldFactor(t))
}

// tile computes k together with other linear forms of the same value that
// share lanes with it, if there are any.
func (em *emitter) tile(k int32) bool {
	if !em.fuses() {
		return false
	}
	mark := len(em.slab)
	form, ok := em.linear(k)
	if !ok || len(form.terms) == 0 {
		em.slab = em.slab[:mark]
		return false
	}
	v, first := em.c.of(k)
	keys, forms := []int32{k}, []linearForm{form}
	for e := first + form.step; e < len(v.Live) && len(keys) < em.c.rows(); e += form.step {
		if form.step == 1 && e%v.Shape[len(v.Shape)-1] == 0 {
			break // the next row of the matrix
		}
		other := em.c.element(v, e)
		if _, done := em.done(other); done || em.uses(other) == 0 {
			continue
		}
		if f, ok := em.linear(other); ok && f.relu == form.relu {
			keys, forms = append(keys, other), append(forms, f)
		}
	}
	if len(keys) < 2 {
		em.slab = em.slab[:mark]
		return false
	}
	t := em.c.newTiling(forms, false)
	em.slab = em.slab[:mark]
	if len(t.joint) == 0 {
		return false
	}
	at := em.layTile(t)
	for r := range em.c.rows() {
		dst := em.virtual()
		if r < len(keys) {
			em.setRegister(keys[r], dst)
		} else {
			dst = em.c.reg[keys[len(keys)-1]]
		}
		em.args[at+vm.TileDst+int32(r)] = dst
	}
	op := vm.Op{Code: vm.Tile, A: at}
	if form.relu {
		op.Code = vm.TileRelu
	}
	em.emit(op)
	return true
}

// A tiling splits the terms of a few linear forms into those on lanes that
// all of them read and those of single rows.
type tiling struct {
	joint   []ref
	rows    int
	bias    [vm.MaxTileRows]int32
	factors []int32 // of joint, one for each row
	extra   [vm.MaxTileRows][]linearTerm
}

// newTiling fills up to all rows, with zeros or by repeating the last form.
func (c *compiler) newTiling(forms []linearForm, zeros bool) *tiling {
	t := &tiling{rows: c.rows()}
	most := len(forms[len(forms)-1].terms)
	t.joint, t.factors = make([]ref, 0, most), make([]int32, 0, t.rows*most)
	for r, f := range forms {
		t.bias[r] = f.bias
	}
	ascending := true
	for _, f := range forms {
		ascending = ascending && slices.IsSortedFunc(f.terms, func(a, b linearTerm) int {
			if a.x.before(b.x) {
				return -1
			}
			return 1 // not for equal ones either
		})
	}
	if ascending {
		t.merge(forms, zeros)
	} else {
		t.match(forms, zeros)
	}
	last := len(forms) - 1
	for r := len(forms); r < t.rows && !zeros; r++ {
		t.extra[r], t.bias[r] = t.extra[last], t.bias[last]
	}
	return t
}

// join adds a term that all forms have, with these factors.
func (t *tiling) join(x ref, factors []int32, zeros bool) {
	t.joint = append(t.joint, x)
	for r := range t.rows {
		factor := factors[min(r, len(factors)-1)]
		if r >= len(factors) && zeros {
			factor = dense.ZeroOffset
		}
		t.factors = append(t.factors, factor)
	}
}

// merge splits forms whose terms are in the same order, without repetitions.
func (t *tiling) merge(forms []linearForm, zeros bool) {
	last := len(forms) - 1
	var at [vm.MaxTileRows]int
	factors := make([]int32, len(forms))
	for _, term := range forms[last].terms {
		all := true
		for r, f := range forms {
			for at[r] < len(f.terms) && f.terms[at[r]].x.before(term.x) {
				t.extra[r] = append(t.extra[r], f.terms[at[r]])
				at[r]++
			}
			all = all && at[r] < len(f.terms) && f.terms[at[r]].x == term.x
		}
		if !all {
			continue // the last form takes it as its own with the next term
		}
		for r, f := range forms {
			factors[r] = f.terms[at[r]].factor
			at[r]++
		}
		t.join(term.x, factors, zeros)
	}
	for r, f := range forms {
		t.extra[r] = append(t.extra[r], f.terms[at[r]:]...)
	}
}

// match splits forms with terms in any order.
func (t *tiling) match(forms []linearForm, zeros bool) {
	at := make([]map[ref]int32, len(forms))
	for r, f := range forms {
		at[r] = make(map[ref]int32, len(f.terms))
		for _, term := range f.terms {
			if _, twice := at[r][term.x]; !twice {
				at[r][term.x] = term.factor
			}
		}
	}
	joint := map[ref]bool{}
	factors := make([]int32, len(forms))
	for _, term := range forms[len(forms)-1].terms {
		all := !joint[term.x]
		for r, m := range at {
			factor, ok := m[term.x]
			factors[r] = factor
			all = all && ok
		}
		if all {
			joint[term.x] = true
			t.join(term.x, factors, zeros)
		}
	}
	for r, f := range forms {
		used := map[ref]bool{}
		for _, term := range f.terms {
			if joint[term.x] && !used[term.x] {
				used[term.x] = true
				continue
			}
			t.extra[r] = append(t.extra[r], term)
		}
	}
}

// layTile puts the tile's operands into the pool of the group and returns where
// they start. Its dst remain to be set.
func (em *emitter) layTile(t *tiling) int32 {
	// Computing operands may itself lay tiles: first all registers, then the pool.
	size := len(t.joint)
	for _, terms := range t.extra[:t.rows] {
		size += 2 * len(terms)
	}
	body := make([]int32, 0, size)
	for _, x := range t.joint {
		body = append(body, em.register(x))
	}
	head := make([]int32, vm.TileHead)
	head[vm.TileJoint] = int32(len(t.joint))
	head[vm.TileRows] = int32(t.rows)
	copy(head[vm.TileBias:], t.bias[:])
	for r, terms := range t.extra[:t.rows] {
		head[vm.TileExtra+r] = int32(len(terms))
		for _, term := range terms {
			body = append(body, em.register(term.x), term.factor)
			em.c.read(term.factor)
		}
	}
	at := int32(len(em.args))
	em.args = append(append(em.args, head...), body...)
	em.panels = append(em.panels, panelUse{at: at + vm.TilePanel, panel: em.c.panel(t.factors)})
	return at
}
