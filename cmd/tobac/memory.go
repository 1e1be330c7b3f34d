package main

import (
	"fmt"
	"math"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/memory"
	"tobac/ordering"
)

// checkColumns refuses more columns than there is memory for: what is known and found about all
// pairs of them. It comes before anything is made of that size.
func checkColumns(d int) error {
	const perPair = 20 * 8
	room := memory.Available()
	if need := perPair * float64(d) * float64(d); need > float64(room.Bytes) {
		return fmt.Errorf("%d columns have so many pairs that these need about %s of memory, and "+
			"%v; would fit: up to %d, which --columns picks",
			d, memory.Size(need), room, int(math.Sqrt(float64(room.Bytes)/perPair)))
	}
	return nil
}

// checkSimulation refuses tables that are larger than the memory: two of them, one with a copy
// while it is made, and the graph.
func checkSimulation(rows, d int) error {
	room, fixed := memory.Available(), 20*float64(d)*float64(d)
	if need := 24*float64(rows)*float64(d) + fixed; need > float64(room.Bytes) {
		return cli.Usagef("--samples %d of --vars %d need about %s of memory, and %v; would fit: "+
			"up to %d samples", rows, d, memory.Size(need), room,
			max(0, int((float64(room.Bytes)-fixed)/(24*float64(d)))))
	}
	return nil
}

// checkResamples refuses more orders than the memory holds: each is an order of all columns, and
// may be one of its own.
func checkResamples(t *dataset.Table, resamples int) error {
	_, d := t.X.Dims()
	room, each := memory.Available(), ordering.Bytes(d)
	if need := float64(resamples) * each; need > float64(room.Bytes) {
		return cli.Usagef("--bootstrap %d needs about %s of memory for its orders, and %v; would "+
			"fit: up to %d", resamples, memory.Size(need), room, int(float64(room.Bytes)/each))
	}
	return nil
}
