// Package arviz writes draws in the JSON format that ArviZ reads, arviz.from_json, for its plots
// and tables:
//
//	stats := arviz.NewStats(4)
//	x, err := chain.Sampler{Target: m, Kernel: nuts.Kernel{}}.Run(ctx, 1000, stats.Observe)
//	values, err := m.Draws(x)
//	err = arviz.Write(file, arviz.Group{Name: "posterior", Variables: m.Results(), Chains: values}, stats.Group())
package arviz
