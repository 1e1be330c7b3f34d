// Package hmc is Hamiltonian Monte Carlo with trajectories of a limited number of leapfrog steps,
// and the Metropolis-adjusted Langevin algorithm, which is its case of one step:
//
//	draws, err := chain.Sampler{Target: m, Kernel: hmc.Kernel{Leaps: 1}}.Run(ctx, 1000, nil)
//
// An iteration draws a momentum and a number of steps, uniformly from 1 to [Kernel].Leaps, so
// that no trajectory returns to where it began in all iterations, and accepts the end with
// probability min(1, exp(−ΔE)). Step size and metric adapt as package chain says. Where
// the right length of trajectories is not known, package nuts finds it.
//
// # References
//
// R. M. Neal, MCMC using Hamiltonian dynamics, Handbook of Markov Chain Monte Carlo (2011),
// chapter 5. G. O. Roberts and J. S. Rosenthal, Optimal scaling of discrete approximations to
// Langevin diffusions, Journal of the Royal Statistical Society B 60 (1998) 255–268 (0.574).
package hmc
