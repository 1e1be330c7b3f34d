package dense

import (
	"slices"

	"tobac/autograd/internal/ir"
)

// PlaceAll decides which elements are stored, and puts constants into the arena.
// Values for which elements reports true are computed element by element in
// registers.
func (p *Plan) PlaceAll(elements func(v *ir.Value) bool) {
	constants, longest := 0, 0
	for _, v := range p.F.Values {
		longest = max(longest, v.Len())
		if v.Const != nil && !v.IsView() {
			constants += v.Len()
		}
	}
	p.Constant = slices.Grow(p.Constant, constants)
	p.inOrder = slices.Grow(p.inOrder, longest)
	for _, v := range p.F.Values {
		p.places[v.ID].Element = elements(v)
		p.place(v, elements(v))
	}
}

// PlaceSmall is [Plan.PlaceAll] of arrays for machine code. Many small rows of numbers may be
// stored column by column; inputs among them are read once.
func (p *Plan) PlaceSmall(once []*ir.Value) {
	for i, by := range p.byColumns(once) {
		p.places[i].columns = by
	}
	p.findHomes()
	p.PlaceAll(func(*ir.Value) bool { return false })
}

func (p *Plan) place(v *ir.Value, element bool) {
	at := &p.places[v.ID]
	p.placeElements(v, element)
	at.inOrder = at.Store != nil && at.columns == 0 && len(at.Slot) > 0
	for e, s := range at.Slot {
		at.inOrder = at.inOrder && s == at.Slot[0]+int32(e) && s >= 0
	}
}

func (p *Plan) placeElements(v *ir.Value, element bool) {
	at := &p.places[v.ID]
	if p.homes != nil && p.homes[v.ID].store != nil {
		h := p.homes[v.ID]
		at.Store, at.Slot = h.store, p.numbers(int(h.first) + v.Len())[h.first:]
		return
	}
	at.whole = !element && p.width(v) == 1 && p.countsWhole(v)
	count := int32(len(v.Live))
	if at.columns == 0 && !v.IsView() && v.AllLive {
		at.Slot = p.numbers(len(v.Live))
	} else if count = p.slots(v); at.whole {
		count = int32(len(v.Live))
	}
	switch {
	case count == 0 || v.IsInput() && !anyTrue(v.Live):
		return
	case v.IsView():
		src := p.places[v.Args[0].ID]
		at.Store = src.Store
		for e, live := range v.Live {
			if live {
				at.Slot[e] = src.Slot[v.Index[e]]
			}
		}
	case v.Const != nil:
		at.Store = &Storage{Off: len(p.Constant), Slots: int(count), Width: 1}
		p.order(v, 0, v.Len(), func(e int) {
			if v.Live[e] {
				p.Constant = append(p.Constant, v.Const[e])
			}
		})
	default:
		at.Store = &Storage{Slots: int(count), Width: p.width(v), last: v.ID}
	}
}

// numbers are 0, 1, … for the slots of n elements that are all stored in order.
func (p *Plan) numbers(n int) []int32 {
	for k := len(p.inOrder); k < n; k++ {
		p.inOrder = append(p.inOrder, int32(k))
	}
	return p.inOrder[:n:n]
}

// slots gives the elements that are stored their slots, and counts them.
func (p *Plan) slots(v *ir.Value) (count int32) {
	at := &p.places[v.ID]
	at.Slot = make([]int32, len(v.Live))
	p.order(v, 0, v.Len(), func(e int) {
		at.Slot[e] = -1
		if at.whole {
			count = int32(e)
		}
		if v.Live[e] || v.IsInput() && at.Varying {
			at.Slot[e] = count
			count++
		}
	})
	return count
}

func anyTrue(b []bool) bool {
	for _, x := range b {
		if x {
			return true
		}
	}
	return false
}
