package hidden

import "math"

// A noise is e^λ u with sinh–arcsinh u: sinh(δ arsinh u − s) is standard normal.
type noise struct {
	inverse, delta, shift, factor float64
	bySkew, byTail                float64 // slopes of the logarithm of u's standard deviation
}

// newNoise has a standard deviation, whose logarithm is given.
func newNoise(logSD, skew, logTail float64) noise {
	const step = 1e-4
	n := noise{
		bySkew: (logDeviation(skew+step, logTail) - logDeviation(skew-step, logTail)) / (2 * step),
		byTail: (logDeviation(skew, logTail+step) - logDeviation(skew, logTail-step)) / (2 * step),
	}
	logScale := logSD - logDeviation(skew, logTail)
	n.inverse, n.delta, n.shift = math.Exp(-logScale), math.Exp(logTail), math.Exp(-skew)
	n.factor = n.delta * n.inverse / math.Sqrt(2*math.Pi)
	return n
}

// normalGrid has arsinh z and the density of standard normal z, but for a constant, on a grid.
var normalGrid = func() (grid [21][2]float64) {
	for k := range grid {
		z := float64(k-len(grid)/2) / 2
		grid[k] = [2]float64{math.Asinh(z), math.Exp(-z * z / 2)}
	}
	return grid
}()

// logDeviation is the logarithm of the standard deviation of sinh((arsinh z + s)/δ) for standard
// normal z, by a sum over a grid.
func logDeviation(skew, logTail float64) float64 {
	inverse, total, first, second := math.Exp(-logTail), 0.0, 0.0, 0.0
	for _, g := range normalGrid {
		u := math.Sinh((g[0] + skew) * inverse)
		total, first, second = total+g[1], first+g[1]*u, second+g[1]*u*u
	}
	return 0.5 * math.Log(second/total-first*first/(total*total))
}

// A place is where the density was evaluated, with what its slopes need.
type place struct{ u, root, log, sinh, cosh, density float64 }

func (n noise) at(rest float64) place {
	u := rest * n.inverse
	root := math.Sqrt(1 + u*u)
	log := math.Log(math.Abs(u) + root) // arsinh
	if u < 0 {
		log = -log
	}
	e := math.Exp(n.delta*log) * n.shift
	sinh, cosh := (e-1/e)/2, (e+1/e)/2
	return place{u, root, log, sinh, cosh, n.factor * cosh / root * math.Exp(-sinh*sinh/2)}
}

// slopes are those of the log density.
type slopes struct{ mean, scale, skew, tail float64 }

func (n noise) slopes(p place) slopes {
	by := p.sinh/p.cosh - p.sinh*p.cosh // of w = δ arsinh u − s
	u := by*n.delta/p.root - p.u/(p.root*p.root)
	return slopes{mean: -u * n.inverse, scale: -u*p.u - 1, skew: -by, tail: 1 + by*n.delta*p.log}
}
