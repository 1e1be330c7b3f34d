//go:build race

package models_test

// raceEnabled: the race detector allocates, and is slow.
const raceEnabled = true
