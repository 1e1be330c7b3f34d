package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Grouped cuts the coordinates of every block into groups of consecutive ones,
// each of which moves under a kernel on these coordinates alone:
//
//	K(x, y) = diag( k(x_g, y_g) · I  for each group g )
//
// A group's distances then do not grow with the number of all coordinates, which
// keeps many-dimensional particles apart; how coordinates of different groups go together is left to the
// scores.
type Grouped struct {
	// Kernel acts on each group, a single block. Nil: RBF{}.
	Kernel Kernel
	// Sizes holds, for each block, the number of coordinates of a group; the last
	// group takes what is left. Nil: one group for each block.
	Sizes []int
}

var _ Kernel = Grouped{}

// Apply implements [Kernel]. It panics unless there is one positive size for each
// block, or none at all.
func (k Grouped) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	n := checkBlocks(x)
	if k.Sizes != nil && len(k.Sizes) != len(x) {
		panic(fmt.Sprintf("svgd: %d sizes of groups for %d blocks", len(k.Sizes), len(x)))
	}
	kernel := k.Kernel
	if kernel == nil {
		kernel = defaultKernel
	}
	total, groups := 0.0, 0
	for b, xb := range x {
		_, width := xb.Dims()
		size := width
		if k.Sizes != nil {
			if size = k.Sizes[b]; size < 1 {
				panic(fmt.Sprintf("svgd: groups of %d coordinates in block %d", size, b))
			}
		}
		for from := 0; from < width; from += size {
			if groups == len(work.groups) {
				work.groups = append(work.groups, Work{})
			}
			cut := func(m *mat.Dense) []*mat.Dense {
				return []*mat.Dense{m.Slice(0, n, from, min(from+size, width)).(*mat.Dense)}
			}
			total += kernel.Apply(cut(driving[b]), cut(repulsive[b]), cut(score[b]), cut(xb), &work.groups[groups])
			groups++
		}
	}
	return total / float64(groups)
}
