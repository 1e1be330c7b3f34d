// Package langevin is stochastic-gradient Langevin dynamics: gradient steps on batches of the
// data with noise,
//
//	x ← x + ½ε P ∇log p(x) + √(εP) z,   z ~ N(0, I),
//
// whose step sizes ε fall as a(b + t)^−γ, with P the identity or RMSProp's diagonal. It is
// for data of which one gradient is dear: density.Trace.Batch shows each step some rows. No
// step is rejected, so that draws have a bias of the order of ε: compare with a smaller one.
//
// # References
//
// M. Welling and Y. W. Teh, Bayesian learning via stochastic gradient Langevin dynamics, ICML
// 2011, 681–688. C. Li and others, Preconditioned stochastic gradient Langevin dynamics for deep
// neural networks, AAAI 2016, 1788–1794.
package langevin
