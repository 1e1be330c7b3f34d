package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Kernel carries scores from particle to particle. It is a symmetric positive
// semi-definite function K of two particles, scalar, or a matrix that has a kernel of
// its own for each group of coordinates.
type Kernel interface {
	// Apply overwrites driving and repulsive with the sums of equation (2) over the M
	// particles of x at which the scores are g, all of them blocks of M×p_b numbers:
	//
	//	driving   row m   = Σ_r K(x_r, x_m) g(r)
	//	repulsive row m   = Σ_r ∇_{x_r} · K(x_r, x_m)
	//
	// and returns the effective number of neighbours, see [Stats]. It does not modify
	// or keep score and x, and panics if a shape differs. It may keep memory of the size of x in
	// work from call to call.
	Apply(driving, repulsive, score, x []*mat.Dense, work *Work) (neighbours float64)
}

// ScalarKernel is a kernel that is the same number k(x_r, x_m) for all coordinates.
type ScalarKernel interface {
	Kernel
	// Evaluate overwrites gram and repulsion with the kernel's values and
	// gradients at the M particles of x, whose blocks are M×p_b:
	//
	//	gram[r,m]            = k(x_r, x_m)                 M×M, symmetric
	//	repulsion[b] row m   = Σ_r ∇_{x_r,b} k(x_r, x_m)   M×p_b
	//
	// It does not modify or keep x, and panics if a shape differs.
	Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense)
}

// Work is memory that a kernel reuses from call to call. The zero value is ready
// to use. It must not be used concurrently.
type Work struct {
	team    *team
	gram    *mat.Dense // M×M
	scratch scratch
	profile profile // of an inverse multiquadric
	// Of kernels with parts: their work, and what is copied for them.
	groups      []*Work
	cut         cut
	seen        []bool
	coordinates coordinates
	sum         [2][]*mat.Dense // driving and repulsive
}

// part is the work of part g, of which all before have been asked for.
func (w *Work) part(g int) *Work {
	if g == len(w.groups) {
		w.groups = append(w.groups, new(Work))
	}
	w.groups[g].team = w.team
	return w.groups[g]
}

// applyScalar is Apply of a scalar kernel that has been evaluated.
func (w *Work) applyScalar(driving, score []*mat.Dense) (neighbours float64) {
	for b, g := range score {
		w.scratch.product.multiply(w.team, driving[b], w.gram, g) // gram is symmetric
	}
	return effectiveNeighbours(w.gram)
}

// fit returns the M×M matrix for the particles of x.
func (w *Work) fit(x []*mat.Dense) *mat.Dense {
	n := checkBlocks(x)
	if w.gram == nil || w.gram.RawMatrix().Rows != n {
		w.gram = mat.NewDense(n, n, nil)
	}
	w.scratch.team = w.team
	return w.gram
}

// checkBlocks panics unless x has at least one block and every block has as
// many rows as the first. It returns that number, M.
func checkBlocks(x []*mat.Dense) int {
	if len(x) == 0 {
		panic("svgd: no blocks")
	}
	n, _ := x[0].Dims()
	if n == 0 {
		panic("svgd: no particles")
	}
	for b, xb := range x {
		if r, _ := xb.Dims(); r != n {
			panic(fmt.Sprintf("svgd: block %d has %d particles, block 0 has %d", b, r, n))
		}
	}
	return n
}

// checkKernelArgs panics unless gram is M×M and repulsion has the shapes of x.
// It returns M.
func checkKernelArgs(gram *mat.Dense, repulsion, x []*mat.Dense) int {
	n := checkBlocks(x)
	if r, c := gram.Dims(); r != n || c != n {
		panic(fmt.Sprintf("svgd: gram matrix is %d×%d, want %d×%d", r, c, n, n))
	}
	if len(repulsion) != len(x) {
		panic(fmt.Sprintf("svgd: %d blocks of repulsion, want %d", len(repulsion), len(x)))
	}
	for b := range x {
		r, c := repulsion[b].Dims()
		if wr, wc := x[b].Dims(); r != wr || c != wc {
			panic(fmt.Sprintf("svgd: repulsion of block %d is %d×%d, want %d×%d", b, r, c, wr, wc))
		}
	}
	return n
}

// A cut is a copy of a group of coordinates.
type cut struct{ x, score, driving, repulsive []*mat.Dense }
