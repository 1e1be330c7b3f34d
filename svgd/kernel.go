package svgd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Kernel is a symmetric positive semi-definite function of two particles.
type Kernel interface {
	// Evaluate overwrites gram and repulsion with the kernel's values and
	// gradients at the M particles of x, whose blocks are M×p_b:
	//
	//	gram[r,m]            = k(x_r, x_m)                 M×M, symmetric
	//	repulsion[b] row m   = Σ_r ∇_{x_r,b} k(x_r, x_m)   M×p_b
	//
	// It does not modify or keep x, and panics if a shape differs.
	Evaluate(gram *mat.Dense, repulsion, x []*mat.Dense)
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
