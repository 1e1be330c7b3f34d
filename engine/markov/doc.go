// Package markov has the engine mcmc: Markov chains over partitions of the variables, for more of
// them than are summed over.
package markov
