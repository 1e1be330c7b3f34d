// Package chain runs Markov chains over a density: what samplers such as those of packages
// nuts, hmc and slice share.
//
// A [Sampler] moves several chains over one [Target], which evaluates all of them at once, by
// the iterations of a [Kernel]. Chains do not wait for each other's trajectories, and no
// chain's draws depend on the others, on the number of workers of the target, or on how a
// run is cut into calls of [Sampler.Advance]. A [State] has only exported fields, for
// checkpoints.
//
// The first iterations adapt. Kernels with a step size change it by dual averaging towards a
// mean acceptance. All learn a [Metric] from windows of draws and of their
// gradients, which double: 10 iterations from the tenth on, 20, 40, …, until 50 before the end.
// Covariances of draws C and of gradients G give the metric Σ with Σ G Σ = C, exact for a normal
// density from any d + 1 draws in d coordinates, so that chains far from the posterior learn it
// too. An [Automatic] metric is dense where coordinates are correlated. Windows begin anew where a
// chain that had settled has left for a far more probable place.
//
// # References
//
// M. D. Hoffman and A. Gelman, The no-U-turn sampler, Journal of Machine Learning Research 15
// (2014) 1593–1623 (dual averaging). The Stan Development Team, Stan Reference Manual (windows).
// The sampler nutpie of A. Seyboldt (a metric from draws and gradients).
package chain
