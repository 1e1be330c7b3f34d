// Package vm runs element programs: lists of operations on registers, each of which
// holds one float64 for every lane. The lanes are what a program does at once, the
// Monte Carlo samples of a particle for example, and a register is one element of one
// value in all of them.
//
// A [Group] is such a list. A [Machine] has the memory that groups work in: registers,
// an arena of numbers that are the same in all lanes ("uniform"), and generators of
// uniform random numbers. It runs a group on all lanes, or on some of them that are
// packed together ([Machine.Select], [Machine.RunPacked]).
//
// Which kernels a machine runs is chosen when it is made. There are three sets: see
// package internal/vector. All have the same operations with the same results to
// rounding; those in assembly agree with each other to the bit. A group is written
// for one set, since the rows of a tile are as many as the processor's registers hold:
// see [RowsPerTile].
//
// What an operation is, its name, operands, cost and Go function, is one row of a
// table: see table.go. The assembly runs operation after operation without returning to
// Go, by an indirect jump from each to the next, and leaves to Go those it does not
// have. internal/gen/kernels writes it, for both sets from one description; "go generate
// ./internal/vector" runs that.
//
// A program is not checked while it runs, and kernels in assembly check no bounds:
// [Group.Verify] does so before, in tests of what writes programs.
//
// Special values go through operations as in IEEE arithmetic: NaN stays NaN, in maxima
// and comparisons too.
package vm
