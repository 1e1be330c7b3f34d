package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Additive is a sum of squared exponentials, one for each of the B blocks,
//
//	k(x, y) = Σ_b k_b(x_b, y_b),     k_b = exp(−‖x_b − y_b‖²/h_b)
//
// with k(x, x) = B. The score of every block is weighted by the whole sum, while
// the repulsion of block b contains its own exponential only, because the others
// do not depend on x_b.
type Additive struct {
	// Bandwidths holds h_b > 0, one for each block. Nil means that every block
	// uses Median{} on its own distances.
	Bandwidths []float64
}

var _ ScalarKernel = Additive{}

// Apply implements [Kernel].
func (k Additive) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	gram := work.fit(x)
	k.evaluate(gram, repulsive, x, &work.scratch)
	return work.applyScalar(driving, score)
}

// Evaluate implements [ScalarKernel]. It panics if the number of bandwidths is not the
// number of blocks. It allocates memory of the size of x.
func (k Additive) Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense) {
	k.evaluate(gram, repulsion, x, new(scratch))
}

func (k Additive) evaluate(gram *mat.Dense, repulsion, x []*mat.Dense, s *scratch) {
	checkKernelArgs(gram, repulsion, x)
	if k.Bandwidths != nil && len(k.Bandwidths) != len(x) {
		panic(fmt.Sprintf("svgd: %d bandwidths for %d blocks", len(k.Bandwidths), len(x)))
	}
	gram.Zero()
	s.centre(x)
	for b := range x {
		s.squaredDistances(gram, x[b:b+1], s.centred[b:b+1])
		var h float64
		if k.Bandwidths == nil {
			h = Median{}.Bandwidth(gram)
		} else {
			h = k.Bandwidths[b]
		}
		s.addRadial(exponential{}, gram, repulsion[b:b+1], x[b:b+1], s.centred[b:b+1], h)
	}
	mirror(gram, float64(len(x)))
}
