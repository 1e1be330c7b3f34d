// Package vector has vector kernels on slices of float64, chosen at run time.
//
// A [Set] is one implementation of all of them: [Portable] runs everywhere, in plain
// Go, with gonum's kernels under the matrix products; [AVX2] is assembly for amd64
// processors with AVX2 and fused multiplication and addition, [AVX512] for those with
// AVX-512 as well. [Default] is the best one that the processor can run, or the one
// that the environment variable TOBAC_KERNELS names. The build tag purego leaves only
// the portable one.
//
// The portable set and the others agree to rounding, since fused multiplication rounds
// once and sums are taken in another order; those in assembly agree with each other to
// the bit, for AVX-512 sums in the order of AVX2. In all of them uniform numbers and,
// on one processor, element-wise arithmetic agree to the bit. Within one set every
// result depends on the operands alone, not on their addresses.
//
// Exponentials, and functions from [Set.Log] on to [Set.Digamma], have assembly that
// internal/gen/kernels writes for both widths from one description. They state their
// error in units in the last place, which tables of 80 digits in testdata confirm, take
// every argument, and return the same bits for an element wherever it is and whatever is
// beside it, so that a vector may be cut into strips of any widths.
//
// Operands may have any length unless a method says otherwise. Where lengths or
// shapes differ, methods panic. Nothing here allocates or keeps an operand, and all
// of it is safe for concurrent use. Kernels are called directly, not through
// function values, so that operands can stay on the caller's stack.
package vector
