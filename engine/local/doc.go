// Package local has the engine search: one probable graph by iterated local search, and one on each
// of many random halves of the rows, which say how stable it is.
package local
