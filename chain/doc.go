// Package chain runs Markov chains over a density: what samplers such as those of packages
// nuts, hmc and slice share.
//
// A [Sampler] moves several chains over one [Target], which evaluates all of them at once, by
// the iterations of a [Kernel]. Chains do not wait for each other's trajectories, and no
// chain's draws depend on the others, on the number of workers of the target, or on how a
// run is cut into calls of [Sampler.Advance]. A [State] has only exported fields, for
// checkpoints.
//
// The first iterations adapt, as Stan's do. Kernels with a step size change it by dual
// averaging towards a mean acceptance ([Hamiltonian]), and all learn a metric, diagonal or
// dense, from the covariances of windows that double, 25 iterations long at first, between
// 75 iterations at the beginning and 50 at the end. A dense metric makes trajectories in
// correlated coordinates many times shorter. It is worse where covariances differ from place to
// place, or where a chain is still far away when it learns them.
//
// # References
//
// M. D. Hoffman and A. Gelman, The no-U-turn sampler, Journal of Machine Learning Research 15
// (2014) 1593–1623 (dual averaging). The Stan Development Team, Stan Reference Manual (windows).
package chain
