// Package graphchains runs Markov chains over graphs for engines: short ones settle the model and
// its hypothesis, long ones sample the posterior.
package graphchains
