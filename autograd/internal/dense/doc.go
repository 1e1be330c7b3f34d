// Package dense computes functions of package ir value by value: every value is
// an array in one arena, every operation an [Instruction] whose offsets are
// resolved when it is made.
//
// A value that differs between lanes has one number per lane and element, lanes
// innermost; others have one number per element. Elements known to be zero are
// not stored, nor are those that nothing reads, and views share the storage of
// their operand: a [Plan] says where each element lies.
//
// An instruction on a few numbers takes longer to be called than to compute.
// [Order] puts those of a function side by side, and [Plan.Join] makes stretches of
// them, of machine code (package native) or of one call for many.
package dense
