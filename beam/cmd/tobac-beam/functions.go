package main

import (
	"tobac"
	"tobac/jobs"
)

// functions are the jobs that this program can do.
func functions() jobs.Functions { return tobac.Functions() }
