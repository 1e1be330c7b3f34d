// Package densities is a collection of log densities that the compiler of package
// autograd was not written for, each in several forms that mean the same:
//
//   - as an expression for one particle, the way a user would write it,
//   - in other spellings of the same mathematics, such as a [autograd.Map] over rows.
//
// Tests hold the forms to each other, and benchmarks compare what they cost. Nothing
// here is meant for inference.
//
// # Conventions
//
// Every density takes one vector of unconstrained parameters. Scales are given by
// their logarithms, without the Jacobian of that change of variables, probabilities
// and weights by logits. Terms that do not depend on the parameters are left out.
// Normals are written N(mean, standard deviation).
// Data are constants, drawn from fixed seeds, except for the eight schools.
//
// All is safe for concurrent use.
package densities
