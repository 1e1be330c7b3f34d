// Package diagnostics says how far a computed posterior can be trusted: numbers that tell a good
// run from a bad one, each with two thresholds between a [Verdict] of ok, doubtful and bad. It
// knows no engine: graphs, matrices of edge probabilities and traces come in, checks go out. Chains
// of any sampler are judged by R̂, effective sample sizes and energies, with a table of all
// parameters ([Summarise]). bench/notes/diagnostics.md says what each check means, and on which
// runs its thresholds were measured.
//
// References: A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner, "Rank-normalization,
// folding, and localization: an improved R̂ for assessing convergence of MCMC", Bayesian Analysis
// 2021 (the thresholds of R̂ and of effective sample sizes); S. Talts, M. Betancourt, D. Simpson,
// A. Vehtari, A. Gelman, "Validating Bayesian inference algorithms with simulation-based
// calibration", 2018.
package diagnostics
