// Package neural has the engine tempering: the posterior of networks with one hidden layer. Given
// an order, tempered Markov chains run for each variable; over all orders, evidences of the sets of
// parents that matter are estimated by sequential Monte Carlo and summed over, or sampled by
// chains.
package neural
