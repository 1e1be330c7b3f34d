//go:build race

package autograd_test

// raceEnabled: the race detector allocates, and is slow.
const raceEnabled = true
