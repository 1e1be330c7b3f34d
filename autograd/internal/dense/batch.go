package dense

import "slices"

// mostBatched is the number of elements up to which an instruction is joined with others of
// its kind.
const mostBatched = 64

// A merging is a stretch of steps of the same kind that grows.
type merging struct {
	Stretch
	first   *Storage          // what the first step computes
	written map[*Storage]bool // and the others
}

func (p *Plan) newMerging(s Step) *merging {
	return &merging{Stretch: Stretch{Instruction: s.Instruction, Steps: []Step{s}},
		first: p.places[s.V.ID].Store}
}

// merge joins a step, unless it is of another kind or reads what another one computes: the
// elements of all are gathered, computed by one call, and stored.
func (m *merging) merge(p *Plan, next Step) bool {
	for _, a := range next.V.Args {
		if at := p.places[a.ID].Store; at != nil && (at == m.first || m.written[at]) {
			return false
		}
	}
	in := join(p, m.Instruction, next.Instruction)
	if in == nil {
		return false
	}
	m.Instruction, m.Steps = in, append(m.Steps, next)
	if m.written == nil {
		m.written = map[*Storage]bool{}
	}
	m.written[p.places[next.V.ID].Store] = true
	return true
}

// finish is the stretch of all steps.
func (m *merging) finish(p *Plan) Stretch {
	if in, ok := m.Instruction.(*groupsInstr); ok && in.joined {
		in.lay(p)
	}
	return m.Stretch
}

// join is one instruction in the place of two, which may be the first one grown if it is joined
// already, or nil.
func join(p *Plan, a, b Instruction) Instruction {
	switch a := a.(type) {
	case *unaryInstr:
		if b, ok := b.(*unaryInstr); ok && a.width == 1 && b.width == 1 && a.Unary == b.Unary &&
			b.elements() <= mostBatched {
			return joinUnary(p, a, b)
		}
	case *groupsInstr:
		b, ok := b.(*groupsInstr)
		if ok && a.width == 1 && b.width == 1 && a.class == b.class && a.size == b.size &&
			a.fold == b.fold && len(b.src) <= mostBatched {
			return joinGroups(a, b)
		}
	}
	return nil
}

func (in *unaryInstr) elements() int { return runElements(in.runs) + len(in.single.dst) }

func joinUnary(p *Plan, a, b *unaryInstr) Instruction {
	in := a
	if !a.joined {
		if len(a.runs) > 0 && a.elements() > mostBatched {
			return nil
		}
		in = &unaryInstr{Unary: a.Unary, width: 1, joined: true, single: &scattered{}}
		in.append(a)
	}
	in.append(b)
	p.Scratch = max(p.Scratch, len(in.single.dst))
	return in
}

// append adds the elements of another instruction as single ones.
func (in *unaryInstr) append(of *unaryInstr) {
	s := in.single
	for _, r := range of.runs {
		for e := range r.n {
			s.dst = append(s.dst, int32(r.dst+e))
			s.src[0] = append(s.src[0], int32(r.src[0].off+e*r.src[0].stride))
		}
	}
	s.dst = append(s.dst, of.single.dst...)
	s.src[0] = append(s.src[0], of.single.src[0]...)
}

// joinGroups leaves the layout to [merging.finish].
func joinGroups(a, b *groupsInstr) Instruction {
	in := a
	if !a.joined {
		in = &groupsInstr{class: a.class, fold: a.fold, width: 1, size: a.size, count: a.count,
			joined: true}
		in.src, in.dst = slices.Clone(a.src), slices.Clone(a.dst)
	}
	in.count += b.count
	in.src, in.dst = append(in.src, b.src...), append(in.dst, b.dst...)
	return in
}
