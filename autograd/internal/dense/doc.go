// Package dense computes functions of package ir value by value: every value is
// an array in one arena, every operation an [Instruction] whose offsets are
// resolved when it is made.
//
// A value that differs between lanes has one number per lane and element, lanes
// innermost; others have one number per element. Elements known to be zero are
// not stored, nor are those that nothing reads, and views share the storage of
// their operand: a [Plan] says where each element lies.
package dense
