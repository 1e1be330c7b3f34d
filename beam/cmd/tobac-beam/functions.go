package main

import (
	"tobac/internal/jobs"
	"tobac/internal/study"
)

// functions are the jobs that this program can do: cells of studies.
func functions() jobs.Functions { return study.Functions() }
