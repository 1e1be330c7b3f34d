// Package lane compiles the part of a function that differs between lanes into an
// element program: every element of every such value is a register of one float64
// per lane, and the program a list of operations on registers, scheduled depth
// first so that a register is used while it is in the first cache. Package vm runs it.
//
// The program runs in stages. Stage k first computes, value by value, what is the
// same in all lanes and depends on the reductions of earlier stages, and values that
// have no form for single elements; then the elements below the reductions over the
// lanes of the next stage. An element of an earlier stage is computed again rather than
// kept, unless it is the operand of a log-sum-exp, or a value of the first kind reads it.
//
// # Sparse cotangents
//
// A gradient enters the lanes through softmax weights. Sums over the lanes of terms
// proportional to such a weight run on the lanes whose weight is not negligible,
// packed together. Which those are is checked: the other factors of the terms are
// bounded before the lanes are chosen, from the largest magnitude of each value that
// is the same in all lanes, and afterwards what the bound allows for the lanes left out
// is compared with the largest of the group's results. If it is not below rounding
// the group runs again on all lanes.
//
// # Files
//
// compile.go cuts a function into stages; emit.go selects operations for elements;
// terms.go, tile.go and block.go fuse sums of products; draw.go places draws;
// fold.go multiplies uniform factors ahead; panel.go lays out factors; weight.go finds
// what is proportional to a weight, bound.go bounds the rest; registers.go assigns
// registers; program.go runs the result.
package lane
