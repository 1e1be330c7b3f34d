package autograd

import (
	"slices"

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

// A linearTerm is a product of what is in a register with the uniform number at
// an offset.
type linearTerm struct {
	x      operandRef
	factor int32
}

// linear recognises an element that is a linear form: one of a matrix product
// with a uniform factor, the sum of such a one with a uniform number, or relu of
// either, if nothing else reads what is in between.
func (em *emitter) linear(k elementKey) (linearForm, bool) {
	v := em.c.value(k)
	if v.n.op == nil || em.kept(k) {
		return linearForm{}, false
	}
	switch {
	case v.n.op.kernel == kernelMatMul:
		form := linearForm{step: v.n.shape[1]}
		if v.args[0].varying {
			form.step = 1
		}
		for _, pair := range v.products(int(k.e), nil) {
			if pair[1].kind != refUniform {
				return linearForm{}, false
			}
			form.add(em, linearTerm{pair[0], pair[1].off})
		}
		return form, true
	case v.n.op.name == "add":
		r := v.refs(int(k.e))
		a, b := r[0], r[1]
		if a.kind != refLane {
			a, b = b, a
		}
		if b.kind != refUniform || !em.single(a) {
			return linearForm{}, false
		}
		form, ok := em.linear(a.key)
		if !ok || form.relu {
			return linearForm{}, false
		}
		form.add(em, linearTerm{operandRef{kind: refUniform, off: oneOffset}, b.off})
		return form, true
	case v.n.op.name == "relu":
		r := v.refs(int(k.e))[0]
		if !em.single(r) {
			return linearForm{}, false
		}
		form, ok := em.linear(r.key)
		if !ok || form.relu {
			return linearForm{}, false
		}
		form.relu = true
		return form, true
	}
	return linearForm{}, false
}

// add adds a term. The first one on lanes that are all 1 is the bias.
func (f *linearForm) add(em *emitter, t linearTerm) {
	if f.bias == zeroOffset && em.isOne(t.x) {
		f.bias = t.factor
		return
	}
	f.terms = append(f.terms, em.foldFactor(t))
}

// isOne reports whether r is the constant 1, be it as an element of a value that
// differs between lanes elsewhere: 1 − 0 on the diagonal of I − W.
func (em *emitter) isOne(r operandRef) bool {
	if r.kind == refLane {
		v := em.c.value(r.key)
		if v.n.op == nil || v.n.op.name != "sub" && v.n.op.name != "add" {
			return false
		}
		x := v.refs(int(r.key.e))
		if x[1].kind != refZero {
			return false
		}
		r = x[0]
	}
	return r.kind == refUniform && int(r.off) < len(em.c.p.constant) && em.c.p.constant[r.off] == 1
}

// foldLimit is the number of products of uniform numbers up to which factors of
// lanes are multiplied with those of matrix products, once in every run: beyond
// it reading the products takes longer than scaling the lanes.
const foldLimit = 4096

// foldFactor moves a uniform factor of a term's lanes to the uniform side.
func (em *emitter) foldFactor(t linearTerm) linearTerm {
	if !em.c.fold || t.x.kind != refLane {
		return t
	}
	if _, done := em.reg[t.x.key]; done {
		return t
	}
	x, k, ok := em.c.folded(t)
	if !ok {
		return t
	}
	at, ok := em.c.product(k)
	if !ok {
		return t
	}
	return linearTerm{x, at}
}

// folded takes apart a term on lanes that are others times a uniform number.
func (c *laneCompiler) folded(t linearTerm) (x operandRef, k uniformProduct, ok bool) {
	x, k = t.x, uniformProduct{a: t.factor}
	for x.kind == refLane {
		v := c.value(x.key)
		if _, kept := c.lp.keep[x.key]; kept || v.n.op == nil {
			break
		}
		switch v.n.op.name {
		case "neg":
			x, k.neg = v.refs(int(x.key.e))[0], !k.neg
			continue
		case "sub":
			if r := v.refs(int(x.key.e)); r[0].kind == refZero {
				x, k.neg = r[1], !k.neg
				continue
			}
		case "mul":
			r := v.refs(int(x.key.e))
			if r[0].kind == refUniform {
				r[0], r[1] = r[1], r[0]
			}
			if r[0].kind == refLane && r[1].kind == refUniform {
				k.b = r[1].off
				return r[0], k, true
			}
		}
		break
	}
	return x, k, false
}

// A uniformProduct is ±m[a]·m[b] of the uniform arena.
type uniformProduct struct {
	a, b int32
	neg  bool
}

// A storedProduct is one that is stored at an offset of the arena.
type storedProduct struct {
	uniformProduct
	at int32
}

// product is the offset of a product of two uniform numbers, if there is room for
// it. It is computed if a tile reads it there: see layPanels.
func (c *laneCompiler) product(k uniformProduct) (at int32, ok bool) {
	if at, ok := c.productAt[k]; ok {
		return at, true
	}
	if len(c.productAt) == c.productRoom {
		return 0, false
	}
	if c.productAt == nil {
		c.productAt = map[uniformProduct]int32{}
	}
	at = int32(c.productsAt + len(c.productAt))
	c.productAt[k] = at
	c.products = append(c.products, storedProduct{k, at})
	return at, true
}

// countProducts is the number of different products that folding factors takes, or
// a number above the limit.
func (c *laneCompiler) countProducts() int {
	seen := map[uniformProduct]bool{}
	for _, v := range c.p.values {
		if !v.varying || v.isView() || v.n.op == nil || v.n.op.kernel != kernelMatMul || v.args[0].varying == v.args[1].varying {
			continue
		}
		for e, live := range v.live {
			if !live {
				continue
			}
			for _, pair := range v.products(e, nil) {
				if _, k, ok := c.folded(linearTerm{pair[0], pair[1].off}); ok && pair[1].kind == refUniform {
					seen[k] = true
				}
			}
			if len(seen) > foldLimit {
				return len(seen)
			}
		}
	}
	return len(seen)
}

// kept reports whether the element is in a register of its own for the whole
// run.
func (em *emitter) kept(k elementKey) bool {
	_, ok := em.c.lp.keep[k]
	return ok
}

// single reports whether r is a lane element that is read once and may be fused
// with its reader.
func (em *emitter) single(r operandRef) bool {
	if r.kind != refLane || em.uses[r.key] != 1 || !em.c.p.runs(Fusion) || em.kept(r.key) {
		return false
	}
	_, done := em.reg[r.key]
	return !done
}

// tile computes k together with other linear forms of the same value that
// share lanes with it, if there are any.
func (em *emitter) tile(k elementKey) bool {
	if !em.c.p.runs(Fusion) {
		return false
	}
	form, ok := em.linear(k)
	if !ok || len(form.terms) == 0 {
		return false
	}
	v := em.c.value(k)
	keys, forms := []elementKey{k}, []linearForm{form}
	for e := int(k.e) + form.step; e < len(v.live) && len(keys) < em.c.tileRows; e += form.step {
		if form.step == 1 && e%v.n.shape[len(v.n.shape)-1] == 0 {
			break // the next row of the matrix
		}
		other := elementKey{k.v, int32(e)}
		if _, done := em.reg[other]; done || em.uses[other] == 0 {
			continue
		}
		if f, ok := em.linear(other); ok && f.relu == form.relu {
			keys, forms = append(keys, other), append(forms, f)
		}
	}
	if len(keys) < 2 {
		return false
	}
	t := newTiling(em.c.tileRows, forms, false)
	if len(t.joint) == 0 {
		return false
	}
	at := em.layTile(t)
	for r := range em.c.tileRows {
		dst := em.virtual()
		if r < len(keys) {
			em.reg[keys[r]] = dst
		} else {
			dst = em.reg[keys[len(keys)-1]]
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

// squares adds the squares of linear forms to register dst, a tile at a time, or
// starts with them. It returns the other pairs, and whether dst has been started.
func (em *emitter) squares(pairs [][2]operandRef, dst int32) (rest [][2]operandRef, started bool) {
	var squared [][2]operandRef
	var forms []linearForm
	for _, pr := range pairs {
		_, done := em.reg[pr[0].key]
		if pr[0] == pr[1] && em.single(pr[0]) && !done {
			if f, ok := em.linear(pr[0].key); ok && !f.relu {
				squared, forms = append(squared, pr), append(forms, f)
				continue
			}
		}
		rest = append(rest, pr)
	}
	for len(forms) > 0 {
		n := min(em.c.tileRows, len(forms))
		t := newTiling(em.c.tileRows, forms[:n], true)
		if n == 1 {
			rest = append(rest, squared[:n]...)
		} else {
			op := vm.Op{Code: vm.TileSquares, Dst: dst, A: em.layTile(t)}
			if started {
				op.B = 1
			}
			started = true
			em.emit(op)
		}
		forms, squared = forms[n:], squared[n:]
	}
	return rest, started
}

// A tiling splits the terms of a few linear forms into those on lanes that
// all of them read and those of single rows.
type tiling struct {
	joint   []operandRef
	rows    int
	bias    [vm.MaxTileRows]int32
	factors []int32 // of joint, one for each row
	extra   [vm.MaxTileRows][]linearTerm
}

// newTiling fills up to all rows, with zeros or by repeating the last form.
func newTiling(rows int, forms []linearForm, zeros bool) *tiling {
	t := &tiling{rows: rows}
	at := make([]map[operandRef]int32, len(forms))
	for r, f := range forms {
		t.bias[r] = f.bias
		at[r] = make(map[operandRef]int32, len(f.terms))
		for _, term := range f.terms {
			if _, twice := at[r][term.x]; !twice {
				at[r][term.x] = term.factor
			}
		}
	}
	joint := map[operandRef]bool{}
	last := len(forms) - 1
	for _, term := range forms[last].terms {
		all := !joint[term.x]
		for _, m := range at {
			_, ok := m[term.x]
			all = all && ok
		}
		if !all {
			continue
		}
		joint[term.x] = true
		t.joint = append(t.joint, term.x)
		for r := range t.rows {
			factor := at[min(r, last)][term.x]
			if r > last && zeros {
				factor = zeroOffset
			}
			t.factors = append(t.factors, factor)
		}
	}
	for r, f := range forms {
		used := map[operandRef]bool{}
		for _, term := range f.terms {
			if joint[term.x] && !used[term.x] {
				used[term.x] = true
				continue
			}
			t.extra[r] = append(t.extra[r], term)
		}
	}
	for r := len(forms); r < t.rows && !zeros; r++ {
		t.extra[r], t.bias[r] = t.extra[last], t.bias[last]
	}
	return t
}

// layTile puts the tile's operands into the pool of the group and returns where
// they start. Its dst remain to be set.
func (em *emitter) layTile(t *tiling) int32 {
	// Computing operands may itself lay tiles: first all registers, then the pool.
	body := make([]int32, 0, len(t.joint))
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

// A panel is a list of factors that tiles read one after the other, those of all
// rows for a term beside each other. It is part of the arena: copied there once if
// all factors are constants. Else it is made in every run, as constants times one
// number for each term if it can be, as copies if not.
type panel struct {
	factors   []int32 // offsets of the numbers
	level     int     // of the groups that read it
	off       int     // in the arena
	constants []float64
	scales    []int32 // offsets of the numbers that constants are multiplied with; nil: of none
}

// A panelUse is a place in a pool of operands that takes a panel's offset.
type panelUse struct {
	args  []int32
	at    int32
	panel *panel
}

// panel returns one that starts with these factors.
func (c *laneCompiler) panel(factors []int32) *panel {
	if len(factors) == 0 {
		return &panel{}
	}
	var key [vm.MaxTileRows]int32
	copy(key[:], factors)
	for _, p := range c.panels[key] {
		n := min(len(p.factors), len(factors))
		if !slices.Equal(p.factors[:n], factors[:n]) {
			continue
		}
		if len(factors) <= n {
			return p
		}
		if p.level == len(c.lp.levels) || c.constant(factors) {
			p.factors = factors
			return p
		}
	}
	p := &panel{factors: factors, level: len(c.lp.levels)}
	if c.panels == nil {
		c.panels = map[[vm.MaxTileRows]int32][]*panel{}
	}
	c.panels[key] = append(c.panels[key], p)
	c.allPanels = append(c.allPanels, p)
	return p
}

// constant reports whether all the offsets are those of constants.
func (c *laneCompiler) constant(offsets []int32) bool {
	for _, off := range offsets {
		if int(off) >= len(c.p.constant) {
			return false
		}
	}
	return true
}

// layPanels places the panels in the arena, tells the tiles, and drops those products
// that nothing reads.
func (c *laneCompiler) layPanels() {
	lp := c.lp
	productOf := make(map[int32]uniformProduct, len(c.productAt))
	for k, at := range c.productAt {
		productOf[at] = k
	}
	lp.panelsAt = c.p.arena
	for _, p := range c.allPanels {
		if c.scale(p, productOf); p.constants != nil && p.scales == nil {
			p.off = lp.panelsAt + len(lp.panels)
			lp.panels = append(lp.panels, p.constants...)
		}
	}
	for i := range lp.levels {
		lv := &lp.levels[i]
		lv.scaleFrom = lp.panelsAt + len(lp.panels)
		for _, p := range c.allPanels {
			if p.level == i && p.scales != nil {
				p.off = len(lv.scales) * c.tileRows
				lp.panels = append(lp.panels, p.constants...)
				lv.scales = append(lv.scales, p.scales...)
			}
		}
	}
	c.p.arena += len(lp.panels)
	for i := range lp.levels {
		lv := &lp.levels[i]
		lv.scaleTo = c.p.arena
		c.p.arena += len(lv.scales) * c.tileRows
		for _, p := range c.allPanels {
			switch {
			case p.level != i:
			case p.scales != nil:
				p.off += lv.scaleTo
			case p.constants == nil:
				p.off = c.p.arena
				c.p.arena += len(p.factors)
				lv.panels = append(lv.panels, p)
				for _, f := range p.factors {
					c.read(f)
				}
			}
		}
	}
	for _, u := range c.panelUses {
		u.args[u.at] = int32(u.panel.off)
	}
	for i := range lp.levels {
		lv := &lp.levels[i]
		lv.products = slices.DeleteFunc(lv.products, func(p storedProduct) bool { return !c.reads[p.at] })
	}
}

// read notes that an operation or a copy reads the number at off.
func (c *laneCompiler) read(off int32) {
	if c.reads == nil {
		c.reads = map[int32]bool{}
	}
	c.reads[off] = true
}

// scale makes the panel one of constants, or of constants times one number for each
// term, if it is.
func (c *laneCompiler) scale(p *panel, productOf map[int32]uniformProduct) {
	const unknown = int32(-1)
	var scales []int32
	constants := make([]float64, len(p.factors))
	plain := true
	for at := 0; at < len(p.factors); at += c.tileRows {
		scale := unknown
		for r, f := range p.factors[at:][:c.tileRows] {
			x, s := c.split(f, productOf)
			if x == 0 {
				continue
			}
			if scale != unknown && scale != s {
				return
			}
			constants[at+r], scale = x, s
		}
		if scale == unknown {
			scale = oneOffset
		}
		scales = append(scales, scale)
		plain = plain && scale == oneOffset
	}
	p.constants = constants
	if plain {
		return
	}
	p.scales = scales
	for _, s := range scales {
		c.read(s)
	}
}

// split writes the number at off as a constant times the number at an offset.
func (c *laneCompiler) split(off int32, productOf map[int32]uniformProduct) (constant float64, scale int32) {
	known := c.p.constant
	isKnown := func(off int32) bool { return int(off) < len(known) }
	if isKnown(off) {
		return known[off], oneOffset
	}
	k, ok := productOf[off]
	if !ok {
		return 1, off
	}
	constant = 1
	if k.neg {
		constant = -1
	}
	switch {
	case isKnown(k.a):
		return constant * known[k.a], k.b
	case isKnown(k.b):
		return constant * known[k.b], k.a
	}
	return 1, off
}
