package dense

import (
	"tobac/autograd/internal/native"
	"tobac/autograd/internal/passes"
	"tobac/internal/vector"
)

// Codes reports whether stretches of instructions become machine code.
func Codes(without passes.Set) bool {
	return without&(passes.MachineCode|passes.ElementSchedule) == 0 && Kernels != vector.Portable &&
		native.Available()
}

// A Stretch is one step, or some that are computed together.
type Stretch struct {
	Instruction
	Steps []Step
	Coded bool // as machine code
}

// Join makes stretches of steps. Places are reused, and inputs loaded before the first. Without
// coded every step is a stretch.
func (p *Plan) Join(steps []Step, coded bool) ([]Stretch, error) {
	if !coded {
		return p.inBlocks(each(steps)), nil
	}
	temporaries := alignUp(p.Arena)
	e := &emission{temporaries: int32(temporaries), ops: make([]native.Op, 0, len(steps))}
	var text native.Text
	all := make([]Stretch, 0, len(steps))
	first := 0
	var err error
	var grows *merging
	finish := func() {
		if grows != nil {
			all, grows = append(all, grows.finish(p)), nil
		}
	}
	end := func(i int) {
		if len(e.ops) > 0 && err == nil {
			finish()
			p.Arena = temporaries + mostTemporaries
			all, err = p.codePieces(&text, e, steps[first:i], all)
			e.ops, e.pivots = e.ops[:0], nil
		}
		first = i
	}
	for i, s := range steps {
		if e.add(s.Instruction) {
			if e.pivots != nil {
				end(i + 1)
			}
			continue
		}
		end(i)
		first = i + 1
		if grows == nil || !grows.merge(p, s) {
			finish()
			grows = p.newMerging(s)
		}
	}
	end(len(steps))
	if finish(); err != nil {
		return nil, err
	}
	if text.Seal() != nil {
		all = each(steps)
	}
	return p.inBlocks(all), nil
}

// A stretch of more than mostWhole operations is cut into pieces of pieceOps or a few more:
// those of a loop that is written out are alike, and share their code.
const (
	mostWhole = 1 << 12
	pieceOps  = 64
)

// codePieces appends the stretch of the operations that were emitted for steps, in one piece or
// in several.
func (p *Plan) codePieces(text *native.Text, e *emission, steps []Step, all []Stretch) ([]Stretch,
	error) {
	if len(e.ops) <= mostWhole {
		s, err := p.code(text, e, steps, nil)
		return append(all, s), err
	}
	first := 0
	e.ops, e.pivots = e.ops[:0], nil
	for i, s := range steps {
		e.add(s.Instruction)
		if len(e.ops) < pieceOps && i < len(steps)-1 {
			continue
		}
		s, err := p.code(text, e, steps[first:i+1], nil)
		if err != nil {
			return nil, err
		}
		all, first, e.ops = append(all, s), i+1, e.ops[:0]
	}
	return all, nil
}

// each is a stretch for every step.
func each(steps []Step) []Stretch {
	all := make([]Stretch, len(steps))
	for i, s := range steps {
		all[i] = Stretch{Instruction: s.Instruction, Steps: steps[i : i+1]}
	}
	return all
}

// code is a stretch of machine code. What a factorisation reads is kept until its pivots have
// been looked at.
func (p *Plan) code(text *native.Text, e *emission, steps []Step, arrays []int) (Stretch, error) {
	last := steps[len(steps)-1].V
	kept := make(map[int]bool)
	keep := func(at *Storage) {
		if at != nil {
			for i := range at.size() {
				kept[at.Off+i] = true
			}
		}
	}
	for _, s := range steps {
		if at := p.places[s.V.ID]; at.Store.last > last.ID {
			if at.inOrder {
				keep(&Storage{Off: p.Offset(s.V, 0), Slots: s.V.Len(), Width: at.Store.Width})
			} else {
				keep(at.Store)
			}
		}
	}
	for _, at := range e.loaded {
		if at != nil && (at.last > last.ID || e.pivots != nil) {
			keep(at)
		}
	}
	if e.pivots != nil {
		keep(p.places[last.ID].Store)
		keep(p.places[last.Args[0].ID].Store)
	}
	for _, at := range e.stored {
		if at != nil {
			for i := range at.size() {
				delete(kept, at.Off+i)
			}
		}
	}
	f, err := text.Add(e.ops, p.Arena, func(at int) bool { return kept[at] }, arrays...)
	return Stretch{Instruction: &codeInstr{f, steps, e.pivots, arrays != nil}, Steps: steps,
		Coded: true}, err
}

// codeInstr is a stretch of machine code.
type codeInstr struct {
	*native.Func
	steps  []Step
	pivots []int32 // of the last step
	arrays bool    // reads or writes arrays of the frame
}

// Run implements [Instruction]. A factorisation with a pivot that is not positive is left to
// the operation, which says why: its root is 0 or NaN.
func (in *codeInstr) Run(f *Frame) {
	if in.arrays {
		in.RunOn(f.M, f.Arrays)
	} else {
		in.Func.Run(f.M)
	}
	for _, at := range in.pivots {
		if !(f.M[at] > 0) {
			in.steps[len(in.steps)-1].Run(f)
			return
		}
	}
}

// Cost is that of the steps.
func (in *codeInstr) Cost() (flops, bytes int) { return costOf(in.steps) }

func costOf(steps []Step) (flops, bytes int) {
	for _, s := range steps {
		f, b := s.Cost()
		flops, bytes = flops+f, bytes+b
	}
	return flops, bytes
}
