package svgd

import "gonum.org/v1/gonum/mat"

// Alone is no coupling at all: every particle follows its own score,
//
//	φ(m) = g(m)
//
// which is gradient ascent of each particle to a mode. As a kernel it is k(x_r, x_m) = M if r = m,
// else 0: the factor M takes the mean of equation (1) back. In [Blocks] with kernels on other
// blocks it suits coordinates that are fitted, not sampled.
type Alone struct{}

var _ Kernel = Alone{}

// Apply implements [Kernel]. The number of neighbours is 0: nothing is coupled.
func (Alone) Apply(driving, repulsive, score, x []*mat.Dense, _ *Work) float64 {
	n := float64(checkBlocks(x))
	for b, g := range score {
		for m := range int(n) {
			kernels.Scale(driving[b].RawRowView(m), g.RawRowView(m), n)
		}
		repulsive[b].Zero()
	}
	return 0
}
