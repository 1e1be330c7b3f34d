package main

import (
	"maps"

	"tobac/internal/graphchains"
	"tobac/internal/jobs"
	"tobac/internal/study"
)

// functions are the jobs that this program can do: cells of studies, and rounds of Markov chains.
func functions() jobs.Functions {
	all := study.Functions()
	maps.Copy(all, graphchains.Functions())
	return all
}
