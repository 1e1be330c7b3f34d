// Package sums has the engine exact: the posterior under models with node scores as sums over all
// orders and graphs, or over all graphs along a known order. It compares models by their evidence,
// averages over the hypotheses of a model and the numbers of edges that the prior leaves open, and
// draws graphs with their equations.
package sums
