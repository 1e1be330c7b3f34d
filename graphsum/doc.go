// Package graphsum sums over all acyclic graphs inside an expression: a density whose discrete
// part is a causal graph is then differentiable in what is left, and any sampler of such
// densities, such as package nuts, draws it without ever drawing a graph.
//
// Given the log score q(j, A) of each set A of parents of each of d variables, [LogSum] is
//
//	ln Σ_G Π_j exp q(j, pa_G(j))
//
// over all acyclic graphs G, by package exact, whose derivative by q(j, A) is the posterior
// probability of that set. [Edges] are the posterior probabilities of edges. The scores
// are expressions of parameters: of transformations of columns, of a measurement model, of
// hyperparameters. [Gaussian] has those of linear equations with normal noise.
//
// Time grows as 3^d for each evaluation: some 20 µs for three variables; up to six or seven suit
// a sampler.
package graphsum
