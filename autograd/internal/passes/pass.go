package passes

import (
	"fmt"
	"strings"

	"tobac/autograd/internal/ir"
)

// Facts is a set of statements about a function that passes rely on.
type Facts uint

const (
	// Folded: what depends on constants only is a constant.
	Folded Facts = 1 << iota
	// Supported: Value.Support holds.
	Supported
	// Alive: Value.Live holds.
	Alive
)

// A Pass rewrites a function or finds facts about it.
type Pass struct {
	Name  string
	Needs Facts // that must be true before it
	Keeps Facts // of those true before it that are true after it
	Gives Facts // that it makes true
	Run   func(f *ir.Func) error
}

// Run runs the passes in order. The observer, if there is one, sees the function
// after each.
func Run(f *ir.Func, list []Pass, observe func(Pass, *ir.Func)) error {
	var facts Facts
	for _, p := range list {
		if missing := p.Needs &^ facts; missing != 0 {
			return fmt.Errorf("passes: %s needs facts %b that no pass before it gives", p.Name,
				missing)
		}
		if err := p.Run(f); err != nil {
			return err
		}
		facts = facts&p.Keeps | p.Gives
		if observe != nil {
			observe(p, f)
		}
	}
	return nil
}

// A Set names parts of the compiler that can be left out, joined by |. What
// remains computes the same up to rounding. The constants of autograd.Pass say what each does.
type Set uint

const (
	ConstantFolding Set = 1 << iota
	AlgebraicSimplification
	StructuralZeros
	ElementLiveness
	ElementSchedule
	CommonSubexpressions
	Fusion
	SparseCotangents
	MemoryReuse
	DrawInPlace
	MachineCode
)

var setNames = []string{
	"constant-folding", "algebraic-simplification", "structural-zeros", "element-liveness",
	"element-schedule",
	"common-subexpressions", "fusion", "sparse-cotangents", "memory-reuse",
	"draw-in-place", "machine-code",
}

// Sets lists every part that can be left out.
func Sets() []Set {
	ps := make([]Set, len(setNames))
	for i := range ps {
		ps[i] = 1 << i
	}
	return ps
}

// String is the name of the part, or the names of several joined by |.
func (p Set) String() string {
	var names []string
	for i, name := range setNames {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}
