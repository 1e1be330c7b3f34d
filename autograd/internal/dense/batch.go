package dense

// mostBatched is the number of elements up to which an instruction is joined with others of
// its kind.
const mostBatched = 64

// merge joins a step to a stretch of steps of the same kind, none of which reads what another
// computes: their elements are gathered, computed by one call, and stored.
func (s *Stretch) merge(p *Plan, next Step) bool {
	if s.Coded || s.reads(p, next) {
		return false
	}
	in := join(p, s.Instruction, next.Instruction)
	if in == nil {
		return false
	}
	s.Instruction, s.Steps = in, append(s.Steps[:len(s.Steps):len(s.Steps)], next)
	return true
}

// reads reports whether a step reads what the stretch computes.
func (s *Stretch) reads(p *Plan, next Step) bool {
	for _, a := range next.V.Args {
		for _, step := range s.Steps {
			if at := p.places[a.ID].Store; at != nil && at == p.places[step.V.ID].Store {
				return true
			}
		}
	}
	return false
}

// join is one instruction in the place of two, or nil.
func join(p *Plan, a, b Instruction) Instruction {
	switch a := a.(type) {
	case *unaryInstr:
		if b, ok := b.(*unaryInstr); ok && a.width == 1 && b.width == 1 && a.Unary == b.Unary && b.elements() <= mostBatched {
			return joinUnary(p, a, b)
		}
	case *groupsInstr:
		b, ok := b.(*groupsInstr)
		if ok && a.width == 1 && b.width == 1 && a.class == b.class && a.size == b.size && a.fold == b.fold && len(b.src) <= mostBatched {
			return joinGroups(p, a, b)
		}
	}
	return nil
}

func (in *unaryInstr) elements() int { return runElements(in.runs) + len(in.single.dst) }

func joinUnary(p *Plan, a, b *unaryInstr) Instruction {
	if len(a.runs) > 0 && a.elements() > mostBatched {
		return nil
	}
	in := &unaryInstr{Unary: a.Unary, width: 1, single: a.single}
	if len(a.runs) > 0 {
		in.single = scattered{}
		in.append(a)
	}
	in.append(b)
	p.Scratch = max(p.Scratch, len(in.single.dst))
	return in
}

// append adds the elements of another instruction as single ones.
func (in *unaryInstr) append(of *unaryInstr) {
	s := &in.single
	for _, r := range of.runs {
		for e := range r.n {
			s.dst = append(s.dst, int32(r.dst+e))
			s.src[0] = append(s.src[0], int32(r.src[0].off+e*r.src[0].stride))
		}
	}
	s.dst = append(s.dst, of.single.dst...)
	s.src[0] = append(s.src[0], of.single.src[0]...)
}

func joinGroups(p *Plan, a, b *groupsInstr) Instruction {
	in := &groupsInstr{class: a.class, fold: a.fold, width: 1, size: a.size, count: a.count + b.count}
	in.src = append(append(in.src, a.src...), b.src...)
	in.dst = append(append(in.dst, a.dst...), b.dst...)
	in.lay(p)
	return in
}
