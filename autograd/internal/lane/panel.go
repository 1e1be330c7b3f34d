package lane

import (
	"slices"

	"tobac/autograd/internal/dense"
	"tobac/autograd/internal/lane/vm"
)

// panel returns one that starts with these factors.
func (c *compiler) panel(factors []int32) *panel {
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
		if p.level == c.stage() || c.constant(factors) {
			p.factors = factors
			return p
		}
	}
	p := &panel{factors: factors, level: c.stage()}
	c.panels[key] = append(c.panels[key], p)
	c.allPanels = append(c.allPanels, p)
	return p
}

// constant reports whether all the offsets are those of constants.
func (c *compiler) constant(offsets []int32) bool {
	for _, off := range offsets {
		if int(off) >= len(c.plan.Constant) {
			return false
		}
	}
	return true
}

// layPanels places the panels in the arena, tells the tiles, and drops those products
// that nothing reads.
func (c *compiler) layPanels() {
	lp := c.prog
	productOf := make(map[int32]uniformProduct, len(c.productAt))
	for k, at := range c.productAt {
		productOf[at] = k
	}
	lp.panelsAt = c.plan.Arena
	for _, p := range c.allPanels {
		if c.scale(p, productOf); p.constants != nil && p.scales == nil {
			p.off = lp.panelsAt + len(lp.panels)
			lp.panels = append(lp.panels, p.constants...)
		}
	}
	for i := range lp.Stages {
		lv := &lp.Stages[i]
		lv.scaleFrom = lp.panelsAt + len(lp.panels)
		for _, p := range c.allPanels {
			if p.level == i && p.scales != nil {
				p.off = len(lv.scales) * c.rows()
				lp.panels = append(lp.panels, p.constants...)
				lv.scales = append(lv.scales, p.scales...)
			}
		}
	}
	c.plan.Arena += len(lp.panels)
	for i := range lp.Stages {
		lv := &lp.Stages[i]
		lv.scaleTo = c.plan.Arena
		c.plan.Arena += len(lv.scales) * c.rows()
		for _, p := range c.allPanels {
			switch {
			case p.level != i:
			case p.scales != nil:
				p.off += lv.scaleTo
			case p.constants == nil:
				p.off = c.plan.Arena
				c.plan.Arena += len(p.factors)
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
	for i := range lp.Stages {
		lv := &lp.Stages[i]
		lv.products = slices.DeleteFunc(lv.products, func(p storedProduct) bool {
			return !c.reads[p.at]
		})
	}
}

// read notes that an operation or a copy reads the number at off.
func (c *compiler) read(off int32) {
	c.reads[off] = true
}

// scale makes the panel one of constants, or of constants times one number for each
// term, if it is.
func (c *compiler) scale(p *panel, productOf map[int32]uniformProduct) {
	const unknown = int32(-1)
	var scales []int32
	constants := make([]float64, len(p.factors))
	plain := true
	for at := 0; at < len(p.factors); at += c.rows() {
		scale := unknown
		for r, f := range p.factors[at:][:c.rows()] {
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
			scale = dense.OneOffset
		}
		scales = append(scales, scale)
		plain = plain && scale == dense.OneOffset
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
func (c *compiler) split(off int32, productOf map[int32]uniformProduct) (constant float64,
	scale int32) {
	known := c.plan.Constant
	isKnown := func(off int32) bool { return int(off) < len(known) }
	if isKnown(off) {
		return known[off], dense.OneOffset
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

// stage is the number of the stage that is being compiled.
func (c *compiler) stage() int { return len(c.prog.Stages) - 1 }

// rows of a tile.
func (c *compiler) rows() int { return vm.RowsPerTile(c.prog.Set) }
