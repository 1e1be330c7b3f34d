// Package tobac infers a posterior over causal graphs from a table of measurements.
//
// [Fit] does the whole job: it compares models by their evidence, and infers the posterior under
// the best one. Models with node scores in closed form (package score) are summed over all orders
// and graphs or, for many variables, sampled by Markov chains. The evidences of networks with one
// hidden layer are estimated, and summed over orders. Every other model is sampled by Stein
// variational gradient descent (package svgd): TOBAC's posterior of a structural equation model
// given a causal order (package models, on the automatic differentiation of package autograd). Its
// orders are drawn from the posterior of a scored model. For a custom model, the sets of parents
// that particles find are weighted by their evidence, estimated from the likelihood. Given an
// order, every strictly upper triangular matrix is a directed acyclic graph, so no particle ever
// has a cycle.
//
// A [Config] has a value for each part of a fit: a [sem.Model], a [background.Prior] of the graph,
// an [engine.Order], and [engine.Settings]: [sums.Exact], [markov.MCMC],
// [tobac/engine/local.Search], [neural.Tempering], [stein.SVGD], [stein.DiBS],
// [tobac/engine/bcdnets.BCDNets] or [tobac/engine/flownets.GFlowNet]. A model has the powers of the
// interfaces that it implements; a custom model can implement all of them. DiBS, the predecessor of
// TOBAC, needs no order and may leave cycles. BCD Nets and DAG-GFlowNet train a distribution over
// graphs and draw from it.
//
// An adjacency entry (i, j) stands for the edge i → j. Results are in the column labels and the
// units of the data. The same data, settings and seed give the same bits for any number of workers,
// and for a run that was interrupted and resumed through a [Snapshot].
//
// References: Q.-D. Tran, P. Nguyen, B. Duong, T. Nguyen, "Differentiable Bayesian
// Structure Learning with Acyclicity Assurance", ICDM 2023; M. Koivisto, K. Sood, "Exact
// Bayesian Structure Discovery in Bayesian Networks", JMLR 2004; J. Kuipers, G. Moffa,
// "Partition MCMC for Inference on Acyclic Digraphs", JASA 2017.
package tobac
