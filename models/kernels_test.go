package models_test

import (
	"os"
	"os/exec"
	"testing"

	"tobac/autograd"
)

// TestOnPortableKernels differentiates the targets, and repeats the golden steps, on the kernels in
// plain Go, in a process of its own, since a process has one set of kernels.
func TestOnPortableKernels(t *testing.T) {
	if autograd.Kernels() == "portable" {
		t.Skip("the kernels in use are the portable ones")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cmd := exec.Command(os.Args[0], "-test.run",
		"^(TestTargetsAreDifferentiable|TestGoldenSteps|TestPortableKernels)$")
	cmd.Env = append(os.Environ(), "TOBAC_KERNELS=portable", wantKernels+"=portable")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

const wantKernels = "TOBAC_TEST_WANT_KERNELS"

// TestPortableKernels makes sure that the process of the test above uses the
// kernels it was started for.
func TestPortableKernels(t *testing.T) {
	want := os.Getenv(wantKernels)
	if want == "" {
		t.Skip("started by TestOnPortableKernels")
	}
	if got := autograd.Kernels(); got != want {
		t.Errorf("kernels %q, want %q", got, want)
	}
}
