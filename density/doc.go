// Package density writes log densities of named parameters as expressions of package
// autograd: distributions, constraints with their Jacobians, data that can be changed
// without compiling again, and a model of them with value and gradient in one program.
//
// A model is a function of a [Trace]. [Trace.Sample] declares a parameter that has a
// distribution as its prior, [Trace.Parameter] one with a constraint alone, whose prior
// is flat, [Trace.Observe] adds the log density of data. Samplers move in
// coordinates without constraints. The log density there includes the logarithm of the
// Jacobian determinant of the map to the parameters:
//
//	positive  x = eᵘ                                        log Jacobian  Σu
//	bounded   x = a + (b−a)σ(u)                             Σ ln(b−a) + ln σ(u) + ln σ(−u)
//	ordered   x₁ = u₁, xₖ = xₖ₋₁ + exp uₖ                   Σ u₂, …, uₖ
//	simplex   x = softmax(u₁, …, uₖ₋₁, 0)                   Σ ln x
//
// The density of a simplex is with respect to its elements but the last.
//
// Distributions have the names and parameters of gonum's stat/distuv where it has them:
// Beta of Gamma is a rate, Sigma of Normal a standard deviation.
package density
