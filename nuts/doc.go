// Package nuts is the no-U-turn sampler: Hamiltonian Monte Carlo whose trajectories double until they turn
// back, with points drawn from them in proportion to their densities.
//
// A [Sampler] moves several chains over one [Target], which evaluates all of them at once. Chains do not wait for
// each other's trajectories, and no chain's draws depend on the others or on how a run is cut
// into calls of [Sampler.Advance]. The [State] has only exported fields, for checkpoints.
//
// The first iterations adapt, as Stan does: the step size by dual averaging to a mean acceptance,
// the metric, diagonal or dense, to the covariances of windows that double, 25 iterations long at first,
// between 75 iterations at the beginning and 50 at the end.
//
// # References
//
// M. D. Hoffman and A. Gelman, The no-U-turn sampler, Journal of Machine Learning Research 15 (2014) 1593–1623.
// M. Betancourt, A conceptual introduction to Hamiltonian Monte Carlo, arXiv:1701.02434 (multinomial sampling,
// the criterion by summed momenta, energies).
package nuts
