package autograd_test

import "tobac/autograd/internal/exec"

func init() { exec.WorkerNanoseconds = 0 } // small programs run on all workers too
