package svgd_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"tobac/svgd"
)

// TestUnknownKernels runs one step in a process whose TOBAC_KERNELS names nothing.
func TestUnknownKernels(t *testing.T) {
	if os.Getenv("TOBAC_KERNELS") == "none" {
		x := gaussianBlocks(1, 3, 2)
		before := clone(x)
		err := (&svgd.Sampler{Target: svgd.ScorerFunc(quadratic)}).Step(x, 4)
		if want := `svgd: step 4: TOBAC_KERNELS is "none", want one of portable`; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s …", err, want)
		}
		if !sameBits(x, before) {
			t.Error("the particles moved")
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnknownKernels$")
	cmd.Env = append(os.Environ(), "TOBAC_KERNELS=none")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestEqualParticlesReceiveEqualBits puts copies of one particle at places that
// vector kernels treat differently, beside others so far away that exponentials
// underflow.
func TestEqualParticlesReceiveEqualBits(t *testing.T) {
	for n := 2; n < 14; n++ {
		for _, k := range []svgd.ScalarKernel{svgd.RBF{Bandwidth: svgd.Fixed(0.01)}, svgd.RBF{},
			svgd.Additive{Bandwidths: []float64{0.02, 5}}, svgd.Linear{}} {
			x := gaussianBlocks(uint64(n), n, 9, 13)
			for b, xb := range x {
				for i := 1; i < n; i += 2 {
					xb.SetRow(i, xb.RawRowView(1))
				}
				if n > 4 {
					x[b].SetRow(4, x[b].RawRowView(0))
				}
			}
			gram, repulsion := evaluate(k, x)
			same := func(i, j int) {
				for m := range n {
					if gram.At(i, m) != gram.At(j, m) {
						t.Errorf(
							"%#v: of %d particles, %d and %d are equal: k with %d is %v and %v", k,
							n, i, j, m, gram.At(i, m), gram.At(j, m))
					}
				}
				for b, f := range repulsion {
					for c, v := range f.RawRowView(i) {
						if w := f.At(j, c); v != w {
							t.Fatalf("%#v: of %d particles, %d and %d are equal: repulsion[%d] "+
								"%d is %v and %v", k, n, i, j, b, c, v, w)
						}
					}
				}
			}
			for i := 3; i < n; i += 2 {
				same(1, i)
			}
			if n > 4 {
				same(0, 4)
			}
		}
	}
}
