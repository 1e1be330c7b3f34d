package dense

import "tobac/autograd/internal/ir"

// findHomes finds the pieces of which all elements stand in a concatenation one behind the other.
// A concatenation may itself be a piece.
func (p *Plan) findHomes() {
	p.homes = make([]home, len(p.F.Values))
	for i := len(p.F.Values) - 1; i >= 0; i-- {
		v := p.F.Values[i]
		if v.Class() != ir.Picked || !p.roomy(v) {
			continue
		}
		own, picks, found := p.homes[i], v.Picks(), false
		if own.store == nil {
			own.store = &Storage{Slots: v.Len(), Width: 1, last: v.ID}
		}
		for e := 0; e < len(picks); {
			piece, at := origin(v, picks[e])
			n := 1
			for ; at == 0 && e+n < len(picks); n++ {
				if w, k := origin(v, picks[e+n]); w != piece || k != n {
					break
				}
			}
			if at == 0 && n == piece.Len() && p.roomy(piece) && p.homes[piece.ID].store == nil {
				p.homes[piece.ID], found = home{own.store, own.first + int32(e)}, true
			}
			e += n
		}
		if found {
			p.homes[i] = own
		}
	}
}

// origin is the value that an element of a concatenation is computed in, and its number there;
// −1 for a zero.
func origin(v *ir.Value, k ir.Pick) (w *ir.Value, at int) {
	if at = int(k.At); at < 0 {
		return nil, -1
	}
	for w = v.Args[k.Arg]; w.IsView(); w = w.Args[0] {
		if at = w.Index[at]; at < 0 {
			return nil, -1
		}
	}
	return w, at
}

// roomy reports whether v may lie within the storage of another value.
func (p *Plan) roomy(v *ir.Value) bool {
	if !v.Computed() || p.width(v) > 1 || p.places[v.ID].columns > 0 || !v.AllLive || v.Len() == 0 {
		return false
	}
	if v.Op.Class == ir.MatMul { // whole products have a range of their own
		_, m, k, n := v.Product()
		return m*k*n < wholeProducts
	}
	return true
}
