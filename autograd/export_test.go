package autograd

import (
	"fmt"

	"tobac/autograd/internal/exec"
	"tobac/autograd/internal/ir"
	"tobac/autograd/internal/passes"
)

// Verify compiles the outputs and checks every form that they go through: the function,
// its parts, their flattened forms, the functions after each pass, and the program.
func Verify(inputs, outputs []*Node, opt Options) (*Program, error) {
	f, err := lower(inputs, outputs)
	if err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	for i, part := range passes.Split(f) {
		if err := verifyPart(part); err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	var fault error
	p, err := exec.Compile(f, exec.Options{Workers: opt.Workers, Without: passes.Set(opt.Without)},
		func(pass passes.Pass, f *ir.Func) {
			if err := f.Verify(); err != nil && fault == nil {
				fault = fmt.Errorf("after %s: %w", pass.Name, err)
			}
		})
	switch {
	case err != nil:
		return nil, err
	case fault != nil:
		return nil, fault
	}
	return &Program{p}, p.Verify()
}

// verifyPart checks a part, and what it becomes when all mapped axes but one are
// flattened, or all.
func verifyPart(part passes.Part) error {
	if err := part.F.Verify(); err != nil {
		return err
	}
	for _, own := range []struct{ inner, outer []*ir.Value }{{part.F.Inputs, part.From},
		{part.F.Outputs, part.To}} {
		if len(own.inner) != len(own.outer) {
			return fmt.Errorf("%d inputs or outputs stand for %d values", len(own.inner),
				len(own.outer))
		}
		for i, v := range own.inner {
			if !v.Shape.Equal(own.outer[i].Shape) || v.Axes != own.outer[i].Axes {
				return fmt.Errorf("%s stands for %s", part.F.Describe(v),
					part.F.Describe(own.outer[i]))
			}
		}
	}
	keeps := []ir.AxisSet{0}
	for _, a := range part.F.Axes {
		keeps = append(keeps, ir.AxisSet(0).With(a))
	}
	for _, keep := range keeps {
		flat := passes.Flatten(part.F, keep)
		if err := flat.Verify(); err != nil {
			return fmt.Errorf("flattened but for axes%s: %w", keep.Names(part.F.Axes), err)
		}
	}
	return nil
}

// Lower makes the function that an engine starts from.
var Lower = lower
