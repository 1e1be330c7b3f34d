package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Grouped cuts the coordinates of every block into groups, each of which moves under a
// kernel on these coordinates alone, a diagonal matrix-valued one:
//
//	K(x, y) = diag( k(x_g, y_g) · I  for each group g )
//
// Every group has a positive definite kernel, and its own bandwidth where a rule chooses it from
// the particles. A group's distances then do not grow with the number of all coordinates, which
// keeps many-dimensional particles apart. Groups that are independent at the start stay so: what
// the particles become is the best product of distributions of the groups, see the package comment.
type Grouped struct {
	// Kernel acts on each group as a single block. Nil means RBF{}.
	Kernel Kernel
	// Size is the number of consecutive coordinates of a group; the last group of a block takes
	// what is left. 1 is one kernel for each coordinate, which is fast with [RBF] and [IMQ]. Zero
	// means that each block is a group.
	Size int
	// Lists holds the coordinates of each group, in place of Size: every coordinate of a single
	// block once.
	Lists [][]int
}

var _ Kernel = Grouped{}

// Apply implements [Kernel]. It panics if Size is negative, or unless the lists are a partition of
// the coordinates of a single block.
func (k Grouped) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) float64 {
	checkBlocks(x)
	if k.Size < 0 || k.Size > 0 && k.Lists != nil {
		panic(fmt.Sprintf(
			"svgd: groups of %d coordinates and %d lists of them, want one of the two", k.Size,
			len(k.Lists)))
	}
	kernel := k.Kernel
	if kernel == nil {
		kernel = defaultKernel
	}
	if k.Lists != nil {
		k.checkLists(x, work)
	}
	total, groups := 0.0, 0
	for b, xb := range x {
		_, width := xb.Dims()
		if r, ok := kernel.(radial); ok && k.Size == 1 {
			total += work.part(b).coordinates.apply(r, driving[b], repulsive[b], score[b], xb,
				work.team)
			groups += width
			continue
		}
		size := k.Size
		if size == 0 {
			size = width
		}
		for from := 0; k.Lists == nil && from < width; from += size {
			total += work.part(groups).apart(kernel, driving[b], repulsive[b], score[b], xb, from,
				min(size, width-from), nil)
			groups++
		}
	}
	for g, list := range k.Lists {
		total += work.part(g).apart(kernel, driving[0], repulsive[0], score[0], x[0], 0, len(list),
			list)
	}
	return total / float64(groups+len(k.Lists))
}

// checkLists panics unless every coordinate of a single block is in one list.
func (k Grouped) checkLists(x []*mat.Dense, work *Work) {
	if len(x) != 1 {
		panic(fmt.Sprintf("svgd: lists of coordinates for %d blocks, want one block; Blocks has "+
			"a kernel for each", len(x)))
	}
	_, width := x[0].Dims()
	if len(work.seen) != width {
		work.seen = make([]bool, width)
	}
	clear(work.seen)
	count := 0
	for g, list := range k.Lists {
		if len(list) == 0 {
			panic(fmt.Sprintf("svgd: group %d has no coordinates", g))
		}
		for _, c := range list {
			if c < 0 || c >= width || work.seen[c] {
				panic(fmt.Sprintf("svgd: group %d has coordinate %d of %d, which does not exist "+
					"or is in a group already", g, c, width))
			}
			work.seen[c] = true
			count++
		}
	}
	if count != width {
		panic(fmt.Sprintf("svgd: groups of %d coordinates, the block has %d", count, width))
	}
}

// apart applies a kernel to size coordinates: those of list, or consecutive ones from a first one
// on.
func (w *Work) apart(kernel Kernel, driving, repulsive, score, x *mat.Dense, from, size int,
	list []int) float64 {
	n, _ := x.Dims()
	if c := &w.cut; c.x == nil || c.x[0].RawMatrix().Rows != n || c.x[0].RawMatrix().Cols != size {
		one := func() []*mat.Dense { return []*mat.Dense{mat.NewDense(n, size, nil)} }
		*c = cut{one(), one(), one(), one()}
	}
	c := w.cut
	for m := range n {
		for _, copied := range [...]struct{ to, from *mat.Dense }{{c.x[0], x},
			{c.score[0], score}} {
			to, of := copied.to.RawRowView(m), copied.from.RawRowView(m)
			if list == nil {
				copy(to, of[from:])
			}
			for k, at := range list {
				to[k] = of[at]
			}
		}
	}
	neighbours := kernel.Apply(c.driving, c.repulsive, c.score, c.x, w)
	for m := range n {
		for _, copied := range [...]struct{ to, from *mat.Dense }{{driving, c.driving[0]},
			{repulsive, c.repulsive[0]}} {
			to, of := copied.to.RawRowView(m), copied.from.RawRowView(m)
			if list == nil {
				copy(to[from:], of)
			}
			for k, at := range list {
				to[at] = of[k]
			}
		}
	}
	return neighbours
}
