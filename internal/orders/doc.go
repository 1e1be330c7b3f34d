// Package orders finds the causal orders that particles and networks follow: the known one, those
// that a method finds in the data or in resamples of the rows, with their weights, or draws from a
// posterior over graphs.
package orders
