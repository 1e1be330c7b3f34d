// Package score has node scores in closed form,
//
//	q(j, A) = log p(x_j | x_A) + ln ρ_j(A),   A the parents of variable j,
//
// from which packages exact and mcmc compute posteriors over orders and graphs.
package score
