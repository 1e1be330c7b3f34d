package mcmc

import (
	"context"
	"fmt"
)

// A Stop says when [Sampler.Run] is done: when the chains agree and are long enough, and
// at the latest after some iterations. It does not depend on time.
type Stop struct {
	Iterations int     // at most, of each chain, with the warm-up; required
	RHat       float64 // largest R̂ of the least certain edges, as [Diagnostics.MaxRHat]; 0: 1.05
	ESS        float64 // their smallest effective sample size, as [Diagnostics.MinESS]; 0: 400
	Every      int     // iterations between looks; 0: 100
}

// Run advances the chains until stop says so, and reports whether they converged.
// When ctx is done it stops as [Sampler.Advance] does; another call goes on to the same
// result. Negative settings, and no bound on iterations, are errors.
func (m *Sampler) Run(ctx context.Context, stop Stop) (converged bool, err error) {
	if stop.RHat == 0 {
		stop.RHat = 1.05
	}
	if stop.ESS == 0 {
		stop.ESS = 400
	}
	if stop.Every == 0 {
		stop.Every = 100
	}
	if stop.Iterations < 1 || stop.Every < 1 || !(stop.RHat >= 1) || !(stop.ESS > 0) {
		return false, fmt.Errorf("mcmc: rule of stopping is %+v, want at least 1 iteration, 1 between looks and R̂ 1, and a positive effective sample size", stop)
	}
	for {
		// Looks are at multiples of stop.Every, wherever an interruption was.
		now := m.Iterations()
		if now > m.options.WarmUp && (now%stop.Every == 0 || now == stop.Iterations) && m.even() {
			d, err := m.Diagnostics()
			if err != nil {
				return false, err
			}
			if d.MaxRHat() <= stop.RHat && d.LogP.RHat <= stop.RHat && d.MinESS() >= stop.ESS {
				return true, nil
			}
		}
		next := min(stop.Every-now%stop.Every, stop.Iterations-now)
		if next <= 0 {
			return false, nil
		}
		if err := m.Advance(ctx, next); err != nil {
			return false, err
		}
	}
}

// even reports whether all chains have made the same number of iterations.
func (m *Sampler) even() bool {
	for _, c := range m.chains {
		if c.iteration != m.chains[0].iteration {
			return false
		}
	}
	return true
}
