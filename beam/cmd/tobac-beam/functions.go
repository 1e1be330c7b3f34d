package main

import (
	"tobac"
	"tobac/internal/jobs"
	"tobac/internal/study"
)

// functions are the jobs that this program can do: parts of fits, and cells of studies.
func functions() jobs.Functions { return tobac.Functions().With(study.Functions()) }
