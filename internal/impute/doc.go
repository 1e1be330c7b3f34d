// Package impute fills the gaps of a table several times at random, so that what is
// computed from the completed tables shows how little the gaps leave known (multiple
// imputation, Rubin 1987).
//
// # Model
//
// Rows are independent, x_i ~ N(μ, Σ) with any covariance, hence with every linear Gaussian graph.
// A gap may depend on what was observed, not on what was not (missing at random). Columns are
// standardised by the mean and the standard deviation of their observed values; everything below is
// on that scale, and completed values are given back in the units of the data. On that scale the
// prior is flat in μ and conjugate in Σ, an inverse Wishart density with the scale matrix λI and ν₀
// degrees of freedom: given complete rows with the mean x̄ and the scatter S,
//
//	Σ | x ~ IW(n − 1 + ν₀, S + λI),   μ | Σ, x ~ N(x̄, Σ/n).
//
// This is λ rows of independent columns, with one degree of freedom given back for each parameter
// that a regression of one column on all others takes from the data. With r the smaller of d−1 and
// m−1, and m the smallest number of rows in which two columns are both observed,
//
//	ν₀ = λ − r·(md/r)/(md/r + λ),
//
// and λ is the smallest number from 1/100 on for which m − 1 + ν₀ ≥ d + 2, so that the posterior is
// proper however few rows tell about a column. With many rows λ = 1/100 and ν₀ ≈ 1 − d: the
// predictive distribution of a column with gaps is that of Bayesian linear regression with a
// non-informative prior. With fewer rows than columns λ grows, and pulls correlations towards 0.
//
// # Algorithm
//
// Data augmentation (Tanner and Wong 1987; Schafer 1997, sections 5.3 and 5.4): from the estimates
// of an EM algorithm on, each of Count independent Markov chains alternates
//
//	I-step   x_i,mis ~ p(x_mis | x_i,obs, μ, Σ)   for every row with gaps,
//	P-step   (μ, Σ) ~ p(μ, Σ | x_obs, x_mis),
//
// and its last I-step is a completed table. Both steps use the precision K = Σ⁻¹: with m the gaps
// of a row and o the rest,
//
//	x_m | x_o ~ N(μ_m − K_mm⁻¹ K_mo (x_o − μ_o), K_mm⁻¹),
//
// so that a pattern of gaps costs the cube of the number of its gaps, not of the columns, and is
// factorised once for all rows that have it. The number of iterations follows from the rate of
// convergence of EM, which is also the autocorrelation of the chain: as many as bring it below
// 1/1000, from 20 to 500.
//
// # Columns that are not continuous
//
// A column whose observed values repeat, 0 and 1 or the codes of categories, is completed with
// values that occur in it: in the last I-step each gap takes the value of a donor, drawn from the
// five rows (more where there are ties) whose predicted mean given all other columns is nearest
// (predictive mean matching, Little 1988). [Settings].Methods chooses otherwise. The indicator
// columns of a category take their values from one donor ([Settings].Together), so that no row
// belongs to two levels; the distance of predicted means is then taken in the metric of their
// conditional precision.
//
// # Interventions
//
// A value set by intervention does not follow from the other columns. Rows with the same set of
// intervened columns are a regime; a regime with at least 2(d+1) rows, and with three different
// observed values in every column in which it has gaps, has a model of its own, so that a relation
// that the intervention cuts is not used across it. The rows of other regimes are completed under
// one model of all rows. A gap at a place that is marked as set by intervention is an error: who
// sets a value knows it.
//
// # Values of a causal model
//
// [Equations].Redraw draws the values of gaps from linear equations on a graph instead, given all
// other values of their rows: the step from a drawn graph to values of data augmentation under a
// causal model, whose other step is the inference of the graph.
// [Gibbs].Redraw does it under equations of any form, one value of a row after the other.
//
// # Invariance
//
// Shifting a column, or multiplying it by a positive number, changes its completed values by the
// same map, up to rounding. Permuting rows or columns changes which random numbers are drawn, and
// hence the values, but not their distribution. Observed values are never changed.
//
// # Failure and concurrency
//
// Bad data are errors that name rows and columns, counted from 1. No function keeps or changes its
// arguments. Every chain has a random stream of its own: the same seed gives the same bits for any
// number of workers. A [Completed] is safe for concurrent reading.
//
// # References
//
//   - D. B. Rubin (1987), Multiple Imputation for Nonresponse in Surveys, Wiley.
//   - M. A. Tanner and W. H. Wong (1987), JASA 82, 528–540: data augmentation.
//   - R. J. A. Little (1988), Journal of Business & Economic Statistics 6, 287–296: predictive mean
//     matching.
//   - J. L. Schafer (1997), Analysis of Incomplete Multivariate Data, Chapman & Hall.
//   - R. M. Neal (2003), Annals of Statistics 31, 705–767: slice sampling.
//   - J. Barnard and D. B. Rubin (1999), Biometrika 86, 948–955: degrees of freedom in small
//     samples.
package impute
