// Package stein has the engines svgd and dibs: particles, which are graphs with their parameters,
// moved by Stein variational gradient descent under causal orders (TOBAC), or without any under an
// acyclicity penalty (DiBS). Reweighted marginals weigh the sets of parents that particles have,
// and their neighbours, by evidence.
package stein
