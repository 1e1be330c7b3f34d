// Package bcdnets has the engine bcd: BCD Nets, a variational posterior over permutations, weights
// and noise of linear equations, trained by package bcd.
package bcdnets
