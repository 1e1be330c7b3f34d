package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Blocks is a separate kernel for each block, a function of this block only:
//
//	K(x, y) = diag( k_b(x_b, y_b)·I  for each block b )
//
// Its number of neighbours is the mean over the blocks that are coupled, see [Alone], and 0 if none
// is.
type Blocks []Kernel

var _ Kernel = Blocks(nil)

// Apply implements [Kernel]. It panics unless there is one kernel for each block.
func (k Blocks) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	if checkBlocks(x); len(k) != len(x) {
		panic(fmt.Sprintf("svgd: %d kernels for %d blocks", len(k), len(x)))
	}
	total, coupled := 0.0, 0
	for b, kernel := range k {
		if kernel == nil {
			kernel = defaultKernel
		}
		n := kernel.Apply(driving[b:b+1], repulsive[b:b+1], score[b:b+1], x[b:b+1], work.part(b))
		if total += n; n > 0 {
			coupled++
		}
	}
	return total / float64(max(coupled, 1))
}
