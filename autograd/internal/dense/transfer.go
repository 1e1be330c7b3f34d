package dense

import (
	"slices"

	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/native"
)

// A Transfer brings numbers between an array of the frame and the value that holds them in the
// arena: number Index[i] of the array to or from Places[i].
type Transfer struct {
	Array  int
	V      *ir.Value // an input or output
	Index  []int32
	Places []int32
}

// emit appends the transfer, of neighbours together.
func (t *Transfer) emit(e *emission, store bool) {
	for i := 0; i < len(t.Index); {
		n := 1
		for n < 4 && i+n < len(t.Index) && t.Index[i+n] == t.Index[i]+int32(n) &&
			t.Places[i+n] == t.Places[i]+int32(n) {
			n++
		}
		n = fits(n)
		op := native.Op{Code: native.Load, N: uint8(n), Dst: t.Places[i], A: t.Index[i],
			Array: int16(t.Array)}
		if store {
			op = native.Op{Code: native.Store, N: uint8(n), Dst: t.Index[i], A: t.Places[i],
				Array: int16(t.Array)}
		}
		e.ops = append(e.ops, op)
		i += n
	}
}

// JoinTransfers makes the first stretch load numbers from arrays of the given lengths and the
// last one store some there, so that they stay in registers in between. Nothing is stored before
// everything is loaded. The stores are all if nothing else copies results. It reports which of both
// there are: only machine code has them.
func (p *Plan) JoinTransfers(runs []Stretch, lengths []int, loads, stores []Transfer,
	all bool) (joined []Stretch, loaded, stored bool, err error) {
	n := len(runs)
	if n == 0 || len(lengths) == 0 {
		return runs, false, false, nil
	}
	loaded, stored = runs[0].Coded && len(loads) > 0, runs[n-1].Coded && len(stores) > 0
	if in, ok := runs[n-1].Instruction.(*codeInstr); ok && in.pivots != nil {
		stored = false // the factorisation may be done again
	}
	if !loaded && !stored {
		return runs, false, false, nil
	}
	joined = slices.Clone(runs)
	var text native.Text
	for i := range joined {
		first, last := i == 0 && loaded, i == n-1 && stored
		if !first && !last {
			continue
		}
		e := &emission{temporaries: int32(p.Arena - mostTemporaries)}
		if first {
			for k := range loads {
				loads[k].emit(e, false)
				e.loaded = append(e.loaded, p.places[loads[k].V.ID].Store)
			}
		}
		for _, s := range joined[i].Steps {
			e.add(s.Instruction)
		}
		if last {
			for k := range stores {
				stores[k].emit(e, true)
				if all {
					e.stored = append(e.stored, p.places[stores[k].V.ID].Store)
				}
			}
		}
		if joined[i], err = p.code(&text, e, joined[i].Steps, lengths); err != nil {
			return nil, false, false, err
		}
	}
	if text.Seal() != nil {
		return runs, false, false, nil
	}
	return joined, loaded, stored, nil
}
