// Package smc is tempered sequential Monte Carlo: a population of points that goes from the prior
// to the posterior along
//
//	log p_β(x) = log prior(x) + β log likelihood(x),   β from 0 to 1,
//
// and estimates the evidence ∫ prior · likelihood on its way. It finds several modes, which a
// single Markov chain may not.
//
// Each step of a [Sampler] takes the largest next β at which the weights exp((β′ − β) log
// likelihood) have an effective sample size of half the population, resamples
// systematically, and moves every point by Hamiltonian moves whose metric is the covariance of
// the population (its variances, of few points) and whose step size follows the acceptance, until
// no coordinate of the points is correlated by more than a half with where they were. The
// evidence is the product of the mean weights; its logarithm has a bias of the order of
// its variance, which two runs with other seeds show.
//
// A [Target] is a model with a proper prior, such as a density.Model, or any density with a
// normal distribution in the place of the prior ([Between]).
//
// # References
//
// P. Del Moral, A. Doucet and A. Jasra, Sequential Monte Carlo samplers, Journal of the Royal
// Statistical Society B 68 (2006) 411–436.
package smc
