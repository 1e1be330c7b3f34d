// Package background holds what is known about a causal graph before the data are seen: a family
// of graph priors ([Kind]), and statements about single edges.
//
// A [Prior] becomes what each way of inference needs: a product over variables for sums over
// graphs and for Markov chains ([Prior.Product]), and for the engines of this module an expression
// for gradients and a precedence for methods that find causal orders.
// [Prior.CheckTogether] names statements that no graph fulfils together, and [Prior.Fixed] the
// edges about which they leave no choice. A custom prior takes the place of all of these
// (Prior.Own, [Modular]).
package background
