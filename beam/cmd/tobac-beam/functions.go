package main

import "tobac/jobs"

// functions are the jobs that this program can do.
func functions() jobs.Functions { return jobs.Functions{} }
