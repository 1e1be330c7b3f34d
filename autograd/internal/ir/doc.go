// Package ir is what the parts of the compiler speak to each other: functions of values.
//
// A [Func] lists its values in an order in which operands come first. A [Value] is an input,
// a constant, or the result of an [Op] with parameters ([Attr]); it has a [Shape], and a set
// of mapped axes ([AxisSet]), for each index of which it stands for one array. An operation
// is described for one index, and engines repeat it; those of class [Crossing] see all indices
// of one axis.
//
// An Op holds what all engines know of an operation: the definition of its value (Eval), its
// [Class], which says what instructions can compute it, its [Form], by which rewriting and fusion
// recognise it, and facts such as which zeros survive it. A value that only shows elements of
// its operand has an index table (Value.Index) and costs nothing.
//
// Passes rewrite functions in place and fill in the facts Value.Support and Value.Live.
// [Func.Verify] checks that a function is sound, [Func.String] prints it.
package ir
