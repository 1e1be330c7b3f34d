// Package sample draws from the posterior of a model of package density in one call, by the
// no-U-turn sampler unless another kernel is given, and keeps what one looks at afterwards: the
// draws by name, a summary, and checks of the chains.
//
//	fit, err := sample.Run(ctx, schools, data, sample.Settings{})
//	fmt.Print(fit)         // a table, and what the checks warn of
//	tau := fit.Of("tau")   // draws of all chains
//
// [Settings.Method] draws otherwise: by Laplace's approximation, Pathfinder, variational fits,
// tempered populations or particles, each with its own checks.
//
// Runs that are cut and resumed, other targets and other samplers are parts that it is made of:
// chain.Sampler, density.Model, diagnostics.Summarise.
package sample
