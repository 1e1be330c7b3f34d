package drawn

import (
	"fmt"

	"tobac/effects"
	"tobac/posterior"
	"tobac/sem"
)

// EffectsOf prepares the total effects of a posterior whose draws have parameters: linear
// equations, those of networks, [sem.FeedForward], or functions ([tobac.Result.Functions]). columns
// describe the data in the units that p is for; nil means they are unknown, which only linear
// equations allow. The noise that nonlinear effects are averaged over comes from seed. It fails
// with [effects.ErrNoParameters] if draws are graphs alone.
func EffectsOf(p *posterior.Posterior, columns []effects.Column, seed uint64) (*effects.Effects,
	error) {
	if len(p.Draws) == 0 || p.Draws[0].Parameters == nil {
		return effects.Linear(p, columns)
	}
	model, err := sem.Parse(p.Model)
	if err != nil {
		return nil, err
	}
	if m, ok := sem.As[sem.Structural](model); ok {
		equations, err := m.Structure(p)
		if err != nil {
			return nil, err
		}
		return effects.Nonlinear(p, columns, seed, equations)
	}
	return nil, fmt.Errorf("sem: effects of the model %v: %w that its equations could be "+
		"computed from", model, effects.ErrNoParameters)
}
