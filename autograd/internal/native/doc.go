// Package native makes functions of machine code for amd64 from lists of operations on
// numbers of an arena, of single numbers and of two or four neighbours.
//
// An array instruction on a handful of numbers takes longer to be called than to compute.
// [Text.Add] writes what a list of such instructions computes as one function without
// branches. Numbers stay in registers of the processor from one operation to the next, and
// are stored when something else reads them. Every operation rounds by itself, in the order
// of the list: results have the bits that the operations one by one give.
//
// The code reads and writes nothing but the arena and the arrays that it is run on, at offsets
// that Add compares with their lengths. Its memory is never writable and executable at the same
// time. Where the system grants no executable memory, or the processor is another one, [Available]
// is false or [Text.Seal] returns [ErrUnavailable], and callers run their instructions one by one.
package native
