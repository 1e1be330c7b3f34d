// Package search finds one probable graph of many variables by iterated local search, for any node
// scores and any prior that is a product over variables,
//
//	maximise ln p(D, G) = Σ_j q(j, pa_j),   q(j, A) = log p(x_j | x_A) + ln ρ_j(A).
//
// # Steps
//
// The search climbs: it makes the best single change, one after the other, until none improves the
// graph. A change is an edge more, an edge less, or an edge turned around. What each change gains
// is kept for every variable and its candidate parents, and computed anew only for a variable
// whose parents have changed. A step looks at the best gain of each variable, and at those of the
// edges.
//
// From there, it takes the edges of a few neighbouring variables away, adds random ones, climbs again, and goes back
// if that was worse, by a margin that falls to zero.
//
// # Candidates
//
// A [Screen] lists for each variable the others that improve its score most, one at a time. After
// the search has ended, all variables are tried as one more parent of every variable. Those that
// improve it become candidates, and the search goes on. So no further edge without a cycle improves
// the graph that it returns.
//
// The search takes its random numbers from its caller; the same numbers give the same graph. A
// [Screen] may be used by several searches at the same time, a [Searcher] belongs to one goroutine.
//
// # References
//
// D. Heckerman, D. Geiger, D. M. Chickering, Learning Bayesian networks, Machine Learning 1995.
// H. R. Lourenço, O. C. Martin, T. Stützle, Iterated local search, in Handbook of metaheuristics,
// 2003.
package search
