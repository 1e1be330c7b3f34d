// Package schedule has numbers that change from step to step of an iteration: inverse
// temperatures, penalties, step sizes. A [Schedule] has one method, so that a
// custom schedule is a value of a configuration.
//
// # Forms
//
// With t the number of a step, counted from 0, and u the part of the way that is done at t,
//
//	u = (t − start)/(end − start), not below 0 and not above 1,
//
// the schedules of this package are
//
//	constant:A               A
//	growth:R                 R·t
//	linear:A:B[:PART]        A + (B − A)·u
//	geometric:A:B[:PART]     A·(B/A)^u
//	cosine:A:B[:PART]        B + (A − B)·(1 + cos πu)/2
//
// on the left in the text form that [Parse] reads and String writes. PART is START-END, the
// first and the last step of the change: numbers of steps, such as 100-299, or parts
// of the run in per cent, such as 50%-100%. START without END goes to the end of the run, and
// without PART the change takes all of it: geometric:0.01:100 is 0.01 at the
// first step of the run and 100 at its last one. Before start the value is A, after end it is B;
// linear:1:0:50% is constant in the first half and falls to 0 in the second.
//
// A schedule that is stated by parts of a run is an [OfRun]: it has no value until [Over] has said
// how many steps the run has, which makes it a [Ramp].
//
// # Failures
//
// A text that is not a schedule is an error of [Parse]. At panics where a field is out
// of the range that its comment states.
//
// # Concurrency
//
// The schedules here are immutable values, safe for concurrent use.
package schedule
