// Package sums has the engine exact: the posterior under models with node scores as sums over all
// orders and graphs, or over all graphs along a known order.
package sums
