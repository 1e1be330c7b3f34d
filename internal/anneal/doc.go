// Package anneal holds the two steps of sequential Monte Carlo that do not depend on what is
// sampled: how far the next inverse temperature is, and which of the points are drawn again.
package anneal
