// Package effects answers what happens to one variable when another is set: the
// posterior of total effects and of E[x_B | do(x_A = a)], over the graphs and the
// parameters of the draws of a [posterior.Posterior].
//
// # Linear equations
//
// With the weights W of a draw, entry (i,j) for i → j, the total effect of A on B, the change of
// E[x_B] when x_A is set one unit higher, is the sum over all directed paths
// from A to B of the products of the weights along them,
//
//	T = (I − W)⁻¹,   d E[x_B | do(x_A = a)] / da = T_AB.
//
// It is 0 in a graph without such a path. Under do(x_S = s) the variables of S lose their
// equations; with the remaining intercepts b, weights and noise variances v,
//
//	E[x_j | do] = Σ_i T_ij b_i,   Var[x_j | do] = Σ_i T_ij² v_i,   b_i = s_i and v_i = 0 for i in S.
//
// # Nonlinear equations
//
// The noise of Rows rows, the same for all draws and all values that are set, runs through the
// equations of each draw; averages over the rows are the expectations. The effect of A on
// B is then the average slope
//
//	(E[x_B | do(x_A = q95)] − E[x_B | do(x_A = q05)]) / (q95 − q05)
//
// between the 5 % and the 95 % quantile of the column A, which for linear
// equations is the total effect. [Effects.Curve] follows it over more values.
//
// # Averages over draws
//
// Draw m has the weight w_m of [posterior.Posterior.Empirical]; draws whose graph
// has a cycle are left out. Means are Σ w_m f_m, standard deviations those of this
// distribution, and a quantile q is the least value at which the weights of all values up
// to it reach q. They include the draws in which there is no path and the
// effect is 0, so that an effect of unknown direction has a large standard deviation. The
// parameters of particles ([posterior.Particles]) have collapsed onto a mode: their spread is not
// a posterior standard deviation. Means and probabilities of paths are then known,
// and standard deviations, quantiles and probabilities of signs are NaN.
//
// All values are in the units of the data that the run was given, whatever scale its
// parameters are on. Results do not depend on the number of workers. An
// [Effects] is safe for concurrent use; nothing keeps or changes its arguments
// unless it says so.
package effects
