package main

import (
	"fmt"
	"slices"

	"tobac"
	"tobac/sem"
	"tobac/setting"
)

// checkUnused finds options that nothing would read in a fit of n rows and d columns: those of engines that play no part.
func (o *fitOptions) checkUnused(j *job, n, d int) error {
	c := &j.fit
	engines := c.Engines(d)
	if j.compare {
		engines = append(engines, tobac.SVGD)
	}
	for _, part := range []struct {
		settings []*setting.Setting
		of       tobac.Engine
	}{{slices.Concat(o.config.Sampler.Settings(), o.config.Order.Settings()), tobac.SVGD}, {o.config.Chains.Settings(), tobac.MCMC},
		{o.config.BCDSettings(), tobac.BCD}, {o.config.GFlowNetSettings(), tobac.GFlowNet}} {
		for _, s := range part.settings {
			if engines[0] == tobac.Tempering && slices.Contains([]string{"order", "orders", "order-weights", "iterations", "rungs", "chains", "warm-up", "candidates"}, s.Name) {
				continue // read, or refused with a reason
			}
			if o.given(s.Name) && !slices.Contains(engines, part.of) && !(c.Trained() && slices.Contains([]string{"method", "steps", "step-size"}, s.Name)) {
				return usagef("--%s contradicts %s: it is for the engine %v", s.Name, o.withoutEngine(c, engines[0], n, d), part.of)
			}
		}
	}
	if _, marginal := c.Model.(sem.BGe); marginal && engines[0] == tobac.SVGD && o.given("bandwidth-theta") {
		return usagef("--bandwidth-theta contradicts --model %v: its parameters are integrated out, and svgd moves the latents alone", o.model)
	}
	if _, marginal := c.Model.(sem.BGe); marginal && engines[0] == tobac.SVGD && c.Sampler.Coupling.Parameters != "" {
		return usagef("--kernel %v contradicts --model %v: its parameters are integrated out, and svgd moves the latents alone; allowed: --kernel %v:%v", c.Sampler.Coupling, o.model, c.Sampler.Coupling.Function, c.Sampler.Coupling.Latents)
	}
	if (engines[0] == tobac.Exact || engines[0] == tobac.Tempering) && o.given("checkpoint-every") {
		return usagef("--checkpoint-every contradicts the engine %v: it has no steps between which there could be a checkpoint", engines[0])
	}
	return nil
}

// withoutEngine says why a fit has no other engine than the given one.
func (o *fitOptions) withoutEngine(c *tobac.Config, engine tobac.Engine, n, d int) string {
	switch {
	case o.given("engine") && c.Engine == engine:
		return fmt.Sprintf("--engine %v", engine)
	case c.Trained():
		return fmt.Sprintf("--method %v", c.Sampler.Method)
	}
	return fmt.Sprintf("the engine %v, which %s of %s take", engine, counted(n, "row"), counted(d, "column"))
}
