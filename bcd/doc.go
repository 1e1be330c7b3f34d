// Package bcd is BCD Nets (Cundy, Grover and Ermon 2021): a variational posterior
// over linear Gaussian structural equation models, whose causal orders are
// permutation matrices.
package bcd
