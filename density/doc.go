// Package density writes log densities of named parameters as expressions of package
// autograd: distributions, constraints with their Jacobians, data that can be changed
// without compiling again, and a model of them with value and gradient in one program.
//
// A model is a function of a [Trace]. [Trace.Sample] declares a parameter that has a
// distribution as its prior, [Trace.Parameter] one with only a constraint, whose prior
// is flat, [Trace.Observe] adds the log density of data. Samplers move in
// coordinates without constraints. The log density there includes the logarithm of the
// Jacobian determinant of the map to the parameters:
//
//	positive      x = eᵘ                                 Σu
//	above, below  x = a ± eᵘ                             Σu
//	bounded       x = a + (b−a)σ(u)                      Σ ln(b−a) + ln σ(u) + ln σ(−u)
//	ordered       x₁ = u₁, xₖ = xₖ₋₁ + exp uₖ            Σ u₂, …, uₖ
//	simplex       x = softmax(u₁, …, uₖ₋₁, 0)            Σ ln x
//	unit vector   x = u/‖u‖                              −‖u‖²/2
//	angle         x = arg(u₁ + iu₂)                      −‖u‖²/2
//	correlation   rows of partial correlations tanh u    see [CorrelationCholesky]
//	covariance    a lower triangle, its diagonal eᵘ      Σ of the diagonal's u
//
// The density of a simplex is with respect to its elements but the last.
//
// Distributions have the names and parameters of gonum's stat/distuv and distmv where they have
// them: Beta of Gamma is a rate, Sigma of Normal a standard deviation. Every one has a log density
// and draws; some have distribution functions ([Distribution.HasCDF]), from which [Truncated] and
// [Censored] forms are made. [Mixture] and [ZeroInflated] combine distributions;
// [SquaredExponential] and its like are covariances of Gaussian processes. [RungeKutta] solves
// differential equations, [Recursion] makes series, and [HiddenMarkov] sums over hidden states.
//
// A [Model] is the target of samplers, of packages such as nuts. It also draws from the prior
// ([Model.Prior]), predicts data ([Model.Predict]), has the log density of each value of
// the data ([Model.Likelihoods]), products with the Hessian, and a path from the prior
// to the posterior ([Model.Tempered]). [Trace.Batch] shows each step only some rows.
//
// Errors of models name the parameter or the data, and say what is allowed. Points without a
// density are NaN, and do not disturb others.
package density
