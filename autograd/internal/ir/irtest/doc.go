// Package irtest builds small functions of package ir for tests of what rewrites, lays
// out and runs them, of rows of the table of operations of package autograd.
package irtest
