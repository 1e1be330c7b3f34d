// Package parallel is the loop over independent items that several goroutines
// share:
//
//	for i := range n { err := do(i) }
//
// Items are taken up in ascending sequence, by whichever worker is free. Which
// worker computes an item, and when, is left open; a loop whose items write to
// places of their own gives the same bits for any number of workers. Sums over
// items are taken after the loop, in the sequence of the items.
//
// The goroutines live as long as the call. For calls that follow each other
// within microseconds, package pool keeps them alive between calls.
package parallel
