package tobac

import (
	"context"

	"tobac/effects"
	"tobac/posterior"
	"tobac/sem"
)

// Effects are the total effects of the posterior that is reported; where it has [Result.Functions], of these.
func (r *Result) Effects(ctx context.Context) (*effects.Effects, error) {
	p, err := r.Functions(ctx)
	if err != nil {
		return nil, err
	}
	if p == nil {
		p = r.Posterior
	}
	return sem.EffectsOf(p, r.Columns, r.Config.Seed)
}

// Functions are draws of the posterior that is reported with the functions of their equations as parameters, for a
// model whose draws are graphs alone and whose scores are [sem.Functional]; nil for others. The first call draws them, which
// takes seconds and stops when ctx is done.
func (r *Result) Functions(ctx context.Context) (*posterior.Posterior, error) {
	if r.Functional == nil || r.functions != nil {
		return r.functions, nil
	}
	p, err := r.Functional.Draw(ctx, r.Posterior)
	if err != nil {
		return nil, err
	}
	r.functions = p
	return p, nil
}
