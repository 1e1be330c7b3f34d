// Package irtest builds small functions of package ir for tests of what rewrites, lays
// out and runs them: a few operations of every class, each with its definition.
package irtest
