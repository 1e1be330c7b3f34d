package svgd

import "gonum.org/v1/gonum/mat"

// Sum is the sum of kernels, K(x, y) = Σ_i K_i(x, y), each of which sees all blocks. Beside a
// kernel for each coordinate, which by itself never changes how coordinates depend on each other
// (see [Grouped]), a joint one does. Its number of neighbours is the mean of theirs.
type Sum []Kernel

var _ Kernel = Sum(nil)

// Apply implements [Kernel]. It panics without a kernel.
func (k Sum) Apply(driving, repulsive, score, x []*mat.Dense, work *Work) (neighbours float64) {
	if len(k) == 0 {
		panic("svgd: sum of no kernels")
	}
	for i, kernel := range k {
		w := work.part(i)
		if i == 0 {
			neighbours = kernel.Apply(driving, repulsive, score, x, w)
			continue
		}
		if !fits(w.sum[0], x) {
			w.sum = [2][]*mat.Dense{like(x), like(x)}
		}
		neighbours += kernel.Apply(w.sum[0], w.sum[1], score, x, w)
		for b := range x {
			n, _ := x[b].Dims()
			for m := range n {
				d, r := driving[b].RawRowView(m), repulsive[b].RawRowView(m)
				kernels.Add(d, d, w.sum[0][b].RawRowView(m))
				kernels.Add(r, r, w.sum[1][b].RawRowView(m))
			}
		}
	}
	return neighbours / float64(len(k))
}
