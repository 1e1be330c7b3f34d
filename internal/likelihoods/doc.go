// Package likelihoods has likelihoods of this module that are no part of what models are built of:
// of columns of several kinds, and of node scores in closed form.
package likelihoods
