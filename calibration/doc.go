// Package calibration is simulation-based calibration: parameters are drawn from the prior of a
// model, data given them, and posterior draws given the data. The rank of each true parameter
// among its posterior draws is uniform if, and only if nearly so, model, gradient and sampler
// are right together.
//
// # References
//
// S. Talts, M. Betancourt, D. Simpson, A. Vehtari and A. Gelman, Validating Bayesian inference
// algorithms with simulation-based calibration, arXiv:1804.06788.
package calibration
