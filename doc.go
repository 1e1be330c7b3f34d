// Package tobac infers a posterior over causal graphs from a table of
// measurements.
//
// [Fit] does the whole job: it finds a causal order of the variables (package
// ordering), builds the TOBAC posterior of a structural equation model given
// that order (package models, on the automatic differentiation of package
// autograd), and moves a set of particles onto it by Stein variational gradient
// descent (package svgd). Given the order, every strictly upper triangular matrix
// is a directed acyclic graph, so no particle ever has a cycle.
//
// An order is a guess where data decide it weakly. With Config.Orders the orders of
// resamples of the rows are sampled under one after the other, and the posterior
// is their mixture ([OrderShare]): pairs whose direction the data leave open then
// have both edges, each with a probability.
//
// The [Model] is linear Gaussian unless another is chosen: a network for every
// variable, the marginal score BGe, or one's own. The [Method] DiBS, TOBAC's
// predecessor, needs no order and may leave cycles.
//
// An adjacency entry (i, j) stands for the edge i → j. Results are in the
// column labels of the data. The same data, settings and seed give the same
// bits for any number of workers, and for a run that was interrupted and
// resumed through a [Snapshot].
//
// Reference: Q.-D. Tran, P. Nguyen, B. Duong, T. Nguyen, "Differentiable Bayesian
// Structure Learning with Acyclicity Assurance", ICDM 2023.
package tobac
