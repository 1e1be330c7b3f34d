// Package modeltest checks that a custom likelihood is what package models
// takes it for. It returns errors and needs no testing framework.
//
// [Likelihood] looks at random graphs and parameters. With L_j the sum of both
// terms of variable j, g a d×d adjacency and θ the parameters, it checks that
//
//	InitParams   writes every parameter, the same ones for the same generator
//	Terms        makes two vectors of d finite numbers
//	∂L/∂g, ∂L/∂θ agree with finite differences (package gradtest)
//	L_j          changes with column j of g only, and each parameter changes
//	             at most one L_j: what the node-wise estimator rests on
//
// It cannot know whether the density is the one that is meant: compare that with
// plain Go code.
package modeltest
