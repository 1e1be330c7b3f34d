package additive

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// treeDepth is the number of levels of the tree of [treeEvidence].
const treeDepth = 12

// treeEvidence is the log marginal likelihood of values of mean 0 and variance 1 under a Pólya tree
// (Lavine 1992): a density of any form around the normal one. Level k halves each interval of level
// k−1 at its normal quantile; the part of the lower half is Beta(k², k²), so that the density is
// absolutely continuous.
func treeEvidence(y []float64) float64 {
	log := 0.
	u := make([]float64, len(y))
	for i, v := range y {
		u[i] = distuv.UnitNormal.CDF(v)
		log += distuv.UnitNormal.LogProb(v)
	}
	slices.Sort(u)
	return log + branch(u, 0, 1, 1)
}

// branch is what the tree from level k on adds for the ascending values between lo and hi.
func branch(u []float64, lo, hi float64, k int) float64 {
	if len(u) == 0 || k > treeDepth {
		return 0
	}
	mid := (lo + hi) / 2
	below, _ := slices.BinarySearch(u, mid)
	n, a := float64(len(u)), float64(k*k)
	return n*math.Ln2 + logBeta(a+float64(below), a+n-float64(below)) - logBeta(a, a) +
		branch(u[:below], lo, mid, k+1) + branch(u[below:], mid, hi, k+1)
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
