// Package exact computes the posterior over causal graphs without sampling, given an
// order of the variables or over all orders, by dynamic programming over subsets. It
// is for about 20 variables; package mcmc takes more.
//
// # What is summed
//
// A node score q(j, A) of package score is the log marginal likelihood of variable j
// given its parents A plus the log prior of A. For a set U of variables let
//
//	A_j(U) = Σ_{A⊆U} e^{q(j,A)}.
//
// Given an order, variable j has the weight A_j(U) with U all that comes before it,
// and its parents are independent of those of the others: [GivenOrder].
//
// Over all orders (Koivisto and Sood 2004), [Posterior.Orders],
//
//	F(∅) = 1,     F(U) = Σ_{j∈U} F(U∖j) A_j(U∖j),
//	B(all) = 1,   B(U) = Σ_{j∉U} A_j(U) B(U∪j),
//
// are the weights of all orders of U and of all ways to go on from U. F(all) is the
// evidence, F(U) A_j(U) B(U∪j)/F(all) the probability that exactly U comes before j,
// and
//
//	P(A are the parents of j) = e^{q(j,A)} Σ_{U⊇A} F(U) B(U∪j)/F(all).
//
// This posterior is order-modular: a graph counts once for each of its linear
// extensions, the orders that it agrees with. Draws from it carry the weight 1/(number
// of linear extensions), with which they follow the posterior over graphs (Ellis and
// Wong 2008): [Orders.Draws].
//
// Over graphs, each counted once, [Orders.Graphs]: the variables of U without children
// in U include S if and only if none of S is a parent, so that by inclusion and
// exclusion (Tian and He 2009), in time 3^d,
//
//	H(∅) = 1,     H(U) = Σ_{∅≠S⊆U} (−1)^{|S|+1} H(U∖S) Π_{k∈S} A_k(U∖S),
//	H̄(all) = 1,   H̄(T) = Σ_{∅≠S⊆all∖T} (−1)^{|S|+1} Π_{k∈S} A_k(T) H̄(T∪S).
//
// H(all) is the evidence. H(T) H̄(T)/H(all) is the probability that T holds all parents
// of its members, and the part of that sum over S ∋ j is the derivative of ln H(all)
// with respect to ln A_j(T). It has a direct meaning:
//
//	P(T are all variables but j that do not descend from j),
//
// since then j is the only variable outside of T whose parents are all in T. Hence the
// probabilities of directed paths, and, as the parents of j are in T with probabilities
// e^{q(j,A)}/A_j(T), those of parents and edges.
//
// # Numbers
//
// Scores of one variable differ by thousands of nats. Sums are kept as floating-point
// numbers with separate exponents, and no logarithm or exponential is taken
// between the scores and the results. A term of the sums over graphs whose whole
// effect is negligible is left out with all that are smaller for the same reason:
// H(T) Π_{k∈S} A_k(T) H̄(T∪S)/H(all) is a probability and falls as S grows. Terms of
// both signs cancel: the relative error of the evidence is around 1e-15 where graphs
// have many edges, 1e-13 for 15 variables and a tenth of the edges, and in the worst
// case, where nearly only the graph without edges is possible, 1e-13 for 10 variables
// and 1e-10 for 15. Graphs.rounding estimates it. What is left out adds 1e-12 at most
// up to 20 variables, as far as was seen.
//
// # Conventions
//
// Evidences are natural logarithms, in nats. They are those of the unnormalised prior
// Π ρ_j and, over orders, of weight 1 for every order; [LogPriorOrders] and
// [LogPriorGraphs] are what to subtract for a prior that sums to one. Entry (i, j) of
// a matrix belongs to i → j, "i before j" or "i is an ancestor of j". Bit k of a set
// of parents of j stands for variable k if k < j, and else for k+1.
//
// A score of −Inf, or a prior of 0, makes a set of parents impossible. Too many
// variables, impossible priors and scores that are not numbers are errors; arguments
// of the wrong length are panics. Every computation stops soon after its context is
// done, and returns the cause. The number of workers changes no bit of any result.
// Draws are functions of their seed.
//
// # References
//
// M. Koivisto, K. Sood, Exact Bayesian structure discovery in Bayesian networks, JMLR
// 5, 2004. M. Koivisto, Advances in exact Bayesian structure discovery in Bayesian
// networks, UAI 2006. J. Tian, R. He, Computing posterior probabilities of structural
// features in Bayesian networks, UAI 2009. B. Ellis, W. H. Wong, Learning causal
// Bayesian network structures from experimental data, JASA 103, 2008. T. Silander, P.
// Myllymäki, A simple approach for finding the globally optimal Bayesian network
// structure, UAI 2006 ([Posterior.Best]). R. W. Robinson, Counting labeled acyclic
// digraphs, 1973.
package exact
