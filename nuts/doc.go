// Package nuts is the no-U-turn sampler: Hamiltonian Monte Carlo whose trajectories double until
// they turn back, with points drawn from them in proportion to their densities (multinomial
// sampling, with a bias towards later points).
//
//	draws, err := chain.Sampler{Target: m, Kernel: nuts.Kernel{}}.Run(ctx, 1000, nil)
//
// Package chain adapts step size and metric, dense where that pays, and has the states of chains
// for checkpoints.
//
// # References
//
// M. D. Hoffman and A. Gelman, The no-U-turn sampler, Journal of Machine Learning Research 15
// (2014) 1593–1623. M. Betancourt, A conceptual introduction to Hamiltonian Monte Carlo,
// arXiv:1701.02434 (multinomial sampling, the criterion by summed momenta, energies).
package nuts
