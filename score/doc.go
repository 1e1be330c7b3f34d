// Package score has node scores in closed form,
//
//	q(j, A) = log p(x_j | x_A) + ln ρ_j(A),   A the parents of variable j,
//
// from which the engines compute posteriors over orders and graphs: p(D, G) = Π_j e^q(j, pa_j).
//
// # Models
//
// A [Scorer] is a likelihood with its parameters integrated out. For variable j, n rows
// in which it was not set by intervention, and p parents A:
//
//	Linear  x_j = b + θᵀx_A + ε,  ε ~ N(0, σ²)  with one σ² for all variables, θ ~ N(0, σ_e² I)
//	        ½ ln(1/(n+1)) − ½ n ln(2πσ²) + ½ p ln λ − ½ ln|λI + C_AA| − s/(2σ²)
//	        λ = σ²/σ_e²,  C the scatter,  s = C_jj − C_jA (λI + C_AA)⁻¹ C_Aj
//
//	BGe     the same with a σ² for each variable and a Normal–Wishart prior
//	        c(n, p) − ½ ln|R_AA| − ½(n+α_λ−d+p+1) ln s
//	        R = t·I + C + …,  s = R_jj − R_jA R_AA⁻¹ R_Aj
//
// Equal noise variances tell the directions of edges ([NewLinear]), but hold in the units of the
// data only: that model sees raw columns. [NewBGe] gives Markov equivalent graphs the same score.
// It sees standardised columns: shifting or multiplying a column changes no probability. Every
// model has an intercept with the same prior, and every log score is a density of the raw data, so
// that log evidences of different models compare. The models of package sem have more scores,
// behind Hypotheses.
//
// A custom score is any [Scorer]: [NewFunc] makes one of a function, and [Check] tries it. It can
// also be a [SubsetScorer], which scores many sets at once, and a [Weighted], whose equations are
// linear.
//
// # The common noise variance
//
// [EstimateNoiseVariance] estimates σ² of [NewLinear] from the data. A [NoiseGrid] integrates over
// σ²; its prior is ln σ² ~ N(−2 + mean_j ln var(x_j), 2²).
//
// # Priors
//
// A [Prior] is a product over variables of ρ_j(A), which may depend on the number of
// parents and on the odds of every edge, and holds what is known: forbidden and
// required edges, tiers, a bound on the number of parents.
//
// # Conventions
//
// Data are n×d, one row per observation. i → j says that variable i is a parent of variable j.
// Logarithms are natural. Subsets of candidates are bit masks: bit k stands for
// candidates[k]. −Inf is an impossible set of parents.
//
// # Interventions
//
// intervened, n×d of 0 and 1, marks the entries that were set from outside. Such a row
// drops out of that variable's score and still counts for the variable's children.
//
// # Failure and concurrency
//
// Bad data and settings are errors of constructors. Panics are for callers' mistakes: wrong
// lengths, parents out of sequence. Scorers are safe for concurrent use and give the same bits for
// any number of workers; a [Prior] is while nobody changes it.
//
// # References
//
//   - D. Geiger, D. Heckerman (2002), Annals of Statistics 30; J. Kuipers, G. Moffa, D. Heckerman
//     (2014), Annals of Statistics 42: BGe.
//   - J. Peters, P. Bühlmann (2014), Biometrika 101; W. Chen, M. Drton, Y. S. Wang (2019),
//     Biometrika 106: equal noise variances, and the order by residual variances.
package score
