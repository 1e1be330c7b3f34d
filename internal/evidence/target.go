package evidence

import (
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A given is what is known of a variable with one set of parents.
type given struct {
	j      int
	set    []int
	active []int     // parameters on which the terms depend
	base   []float64 // values of all others: the first start where the terms are finite
	starts [][]float64
}

// fail is an error about the variable with its parents.
func (g *given) fail(format string, args ...any) error {
	return &score.VariableError{Variable: g.j, Parents: g.set, Err: fmt.Errorf(format, args...)}
}

// A target is a log density of the active parameters: log p(θ|S) + log p(x_j|S,θ), or the first
// alone.
type target struct {
	*given
	ask   asker
	prior bool
}

// A place is a point with its log density and gradient there.
type place struct {
	x, grad []float64
	log     float64
}

// at evaluates the target; −∞ stands for densities that are not finite.
func (t *target) at(all ...[]float64) ([]place, error) {
	points := make([]*point, len(all))
	for k, x := range all {
		points[k] = &point{given: t.given, x: x}
	}
	if err := t.ask(points); err != nil {
		return nil, err
	}
	out := make([]place, len(all))
	for k, p := range points {
		out[k] = place{p.x, p.priorGrad, p.prior}
		if !t.prior {
			out[k].log += p.data
			floats.Add(out[k].grad, p.dataGrad)
		}
		if out[k].log = value(out[k].log); math.IsInf(out[k].log, 1) {
			return nil, t.fail("the density is infinite at some parameters, want finite ones")
		}
	}
	return out, nil
}

// maximise climbs from a start by the quasi-Newton method of Broyden, Fletcher, Goldfarb and
// Shanno: the best place found, whose density is −∞ if that of the start is.
func (t *target) maximise(start []float64) (place, error) {
	const (
		iterations = 300
		gain       = 1e-7 // nats that another iteration promises, below which there is none
		halvings   = 40
	)
	all, err := t.at(start)
	if err != nil || math.IsInf(all[0].log, -1) {
		return place{log: math.Inf(-1)}, err
	}
	now, n := all[0], len(start)
	inverse, fresh := mat.NewSymDense(n, nil), false
	for range iterations {
		var direction mat.VecDense
		direction.MulVec(inverse, mat.NewVecDense(n, now.grad))
		slope := floats.Dot(direction.RawVector().Data, now.grad)
		if !(slope > 0) { // at the beginning too
			inverse.Zero()
			norm := floats.Norm(now.grad, 2)
			if norm == 0 || math.IsNaN(norm) || math.IsInf(norm, 0) {
				return now, nil
			}
			for k := range n {
				inverse.SetSym(k, k, 1/math.Max(norm, 1))
			}
			fresh = true
			continue
		}
		if slope < gain && !fresh {
			return now, nil
		}
		to, length := place{log: math.Inf(-1)}, 1.0
		for range halvings {
			x := floats.AddScaledTo(make([]float64, n), now.x, length, direction.RawVector().Data)
			if all, err = t.at(x); err != nil {
				return now, err
			}
			if all[0].log >= now.log+1e-4*length*slope && !floats.HasNaN(all[0].grad) {
				to = all[0]
				break
			}
			length /= 2
		}
		if math.IsInf(to.log, -1) {
			if fresh {
				return now, nil
			}
			inverse.Zero()
			continue
		}
		step := mat.NewVecDense(n, floats.SubTo(make([]float64, n), to.x, now.x))
		change := mat.NewVecDense(n, floats.SubTo(make([]float64, n), now.grad, to.grad))
		if curvature := mat.Dot(step, change); curvature > 1e-12 {
			var product mat.VecDense
			product.MulVec(inverse, change)
			inverse.SymRankOne(inverse, (1+mat.Dot(change, &product)/curvature)/curvature, step)
			inverse.RankTwo(inverse, -1/curvature, step, &product)
			fresh = false
		}
		now = to
	}
	return now, nil
}

// axes are directions in which to leave a maximum, as columns, and the distances at which the
// density has fallen by exp(−½) if it is normal: those of the Hessian, by central differences of
// gradients.
func (t *target) axes(top place) (directions *mat.Dense, widths []float64, err error) {
	n := len(top.x)
	var around [][]float64
	step := make([]float64, n)
	for k, v := range top.x {
		step[k] = 1e-4 * math.Max(1, math.Abs(v))
		for _, sign := range []float64{1, -1} {
			x := slices.Clone(top.x)
			x[k] += sign * step[k]
			around = append(around, x)
		}
	}
	all, err := t.at(around...)
	if err != nil {
		return nil, nil, err
	}
	h := mat.NewSymDense(n, nil)
	for k := range n {
		for i := range n {
			v := (all[2*k+1].grad[i] - all[2*k].grad[i]) / (2 * step[k])
			if math.IsNaN(v) || math.IsInf(v, 0) {
				v = 0
			}
			h.SetSym(i, k, h.At(i, k)+v/2)
			if i == k {
				h.SetSym(k, k, v)
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(h, true) {
		return nil, nil, t.fail("the Hessian at the maximum has no eigenvalues")
	}
	directions = new(mat.Dense)
	eigen.VectorsTo(directions)
	widths = eigen.Values(nil)
	for k, v := range widths {
		widths[k] = 1 / math.Sqrt(math.Max(math.Abs(v), 1e-12))
	}
	return directions, widths, t.widen(top, directions, widths)
}

// widen moves widths to where the density has fallen by about exp(−½), on the side on which it
// falls more slowly.
func (t *target) widen(top place, directions *mat.Dense, widths []float64) error {
	const rounds = 60
	n := len(top.x)
	open := dag.Identity(n)
	last := make([]int8, n) // +1: widened before, −1: narrowed
	for range rounds {
		var around [][]float64
		for _, k := range open {
			for _, sign := range []float64{1, -1} {
				x := slices.Clone(top.x)
				floats.AddScaled(x, sign*widths[k], mat.Col(nil, k, directions))
				around = append(around, x)
			}
		}
		all, err := t.at(around...)
		if err != nil {
			return err
		}
		var left []int
		for a, k := range open {
			fall := top.log - math.Max(all[2*a].log, all[2*a+1].log)
			switch {
			case fall < 0.2 && last[k] >= 0:
				widths[k] *= 2
				last[k] = 1
				left = append(left, k)
			case fall > 1.5 && last[k] <= 0:
				widths[k] /= 2
				last[k] = -1
				left = append(left, k)
			}
		}
		if open = left; len(open) == 0 {
			return nil
		}
	}
	what := "density"
	if t.prior {
		what = "prior density"
	}
	return t.fail("the %s does not fall in some direction, and so has no integral", what)
}
