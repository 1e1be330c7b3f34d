// Package posterior holds the value that every engine of the module produces: a
// posterior over directed acyclic graphs on d named variables. It knows neither
// samplers nor models.
//
// # Two descriptions of one posterior
//
// A [Posterior] has [Marginals], the d×d matrix of edge probabilities that is
// printed and saved, with the mean and the standard deviation of every edge's
// weight; and [Draw] values, weighted graphs with the parameters that they have.
// The marginals are what the engine claims, computed as well as it can: exactly,
// by averaging conditional distributions, or by counting draws
// ([Posterior.Frequencies]). The draws serve whatever needs whole graphs.
//
// # Weights
//
// Draws come in [Component] values: consecutive draws that share what the
// component says, usually a causal order. With W_k the weight of component k and
// l_m the log weight of draw m within its component,
//
//	w_m = W_k · exp(l_m) / Σ_{m' in k} exp(l_m').
//
// All l_m are 0 where draws count the same. A posterior without components has a
// single one with all its draws and no order. [Mix] puts posteriors together,
// [Posterior.Under] takes one component out.
//
// An [Ensemble] is the part of this that metrics need: graphs and their weights.
// [Posterior.Empirical] has the weights w_m; [Posterior.ByDensity] replaces l_m
// by log p(Θ_m|G_m) + log p(D|G_m,Θ_m), the mixture that the literature on
// particles marks with a "+".
//
// # Weights of edges
//
// The mean and the standard deviation of a weight are those of its posterior
// given that the edge is there. Over graphs G with the probabilities w_G and the
// moments m_G and s_G of the weight given the graph,
//
//	m = Σ w_G m_G / Σ w_G,   s² = Σ w_G (s_G² + (m_G − m)²) / Σ w_G,
//
// both sums over the graphs that have the edge. The particles of a variational
// sampler tend to collapse onto a mode, and their spread is not s. It is used
// only where the draws are draws ([Posterior.Kind]) or know s_G
// ([Equations].WeightSD); else the standard deviation is NaN, which means
// unknown.
//
// # Graphs with cycles
//
// Particles of DiBS may have a cycle. They are not draws from a posterior over
// acyclic graphs: whatever reads probabilities off the draws leaves them out and
// renormalises the weights of the others. Posterior.Draws keeps them.
//
// # Conventions
//
// Entry (i,j) of a matrix belongs to the edge i → j. An order lists variables,
// sources first. Variances are variances, standard deviations are named SD. Log
// densities are in nats. NaN means unknown; nothing else in a posterior is NaN
// or infinite. Values are safe for concurrent reading; no function modifies or
// keeps its arguments unless it says so.
package posterior
