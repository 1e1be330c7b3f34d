// Package exact computes posteriors over orders and over acyclic graphs without
// sampling, by dynamic programming over subsets of the variables.
package exact
