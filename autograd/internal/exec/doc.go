// Package exec turns functions of package ir into programs and runs them.
//
// [Compile] cuts a function into parts (package passes), chooses for each how its mapped
// axes are laid out (layout.go), and has packages lane and dense make the operations. An
// [Evaluator] gives every worker a frame for each part and hands out indices of the loop
// by a counter. Each index writes its own part of the results, so the number of workers
// cannot change a bit. [NewReference] walks the function by definition.
package exec
