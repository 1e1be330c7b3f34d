// Package inference computes posteriors under models with node scores as sums over all orders and
// graphs, or over all graphs along a known order. It compares models by their evidence, averages
// over the hypotheses of a model and the numbers of edges that the prior leaves open, and draws
// graphs with their equations. Engines begin or end with it.
package inference
