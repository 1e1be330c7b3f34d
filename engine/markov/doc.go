// Package markov has the engine mcmc: Markov chains over partitions of the variables, for more of
// them than are summed over. Short chains settle the model, its hypothesis and the number of edges
// that the prior leaves open, for this engine and others.
package markov
