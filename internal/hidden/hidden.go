package hidden

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The grid of the hidden cause, in standard deviations from −reach to reach.
const (
	points = 17
	reach  = 2.8
)

// Parameters of each of the two variables, in units of the standard deviations of their priors.
const (
	level  = iota
	slope  // on the hidden cause
	square // the quadratic part of the polynomial
	cube
	scale // the logarithm of the noise's standard deviation, about typical
	skew
	tail
	params
)

// priorSD are the standard deviations of the priors, of variables with variance 1.
var priorSD = [params]float64{level: 1, slope: 1, square: 0.3, cube: 0.2, scale: 0.4, skew: 1,
	tail: 1}

// typical is about the logarithm of the standard deviation that a hidden cause leaves. Next to none
// would be left by one that is nearly one of the two variables itself, as where that causes the
// other one.
const typical = -0.4

// basis has the polynomials at the points of the grid, and weight their probabilities.
var basis, weight = func() (b [scale][points]float64, w [points]float64) {
	for k := range w {
		v := reach * (2*float64(k)/(points-1) - 1)
		w[k] = math.Exp(-v * v / 2)
		b[level][k], b[slope][k] = 1, v
		b[square][k], b[cube][k] = (v*v-1)/math.Sqrt2, (v*v*v-3*v)/math.Sqrt(6)
	}
	floats.Scale(1/floats.Sum(w[:]), w[:])
	return b, w
}()

// A model has the rows of both variables, or of one.
type model [][]float64

// LogEvidence is the log evidence of a hidden cause of two variables of mean 0 and variance 1; −∞
// where no mode is found, and where it is far below least.
func LogEvidence(x, y []float64, least float64) float64 {
	m := model{x, y}
	r := stat.Correlation(x, y, nil)
	both := math.Min(0.95, math.Max(0.5, math.Sqrt(math.Abs(r))))
	other := math.Min(0.9, math.Max(0.3, math.Abs(r)))
	sign := math.Copysign(1, r)
	return m.logEvidence(least, []float64{both, sign * both}, []float64{0.9, sign * other},
		[]float64{other, sign * 0.9})
}

// Alone is the log evidence of one such variable, whose hidden cause is its own: of noise as
// flexible as what two variables have together.
func Alone(x []float64) float64 {
	return model{x}.logEvidence(math.Inf(-1), []float64{0.5}, []float64{0.9})
}

// logEvidence climbs from parameters with the given slopes on the hidden cause.
func (m model) logEvidence(least float64, slopes ...[]float64) float64 {
	var mode []float64
	best := math.Inf(-1)
	for k, of := range slopes {
		theta := start(of)
		if v := m.climb(theta); v > best {
			best, mode = v, theta
		}
		if k == 0 && best < least-hopeless {
			return math.Inf(-1)
		}
	}
	if best < least || mode == nil {
		return best
	}
	return m.laplace(mode)
}

// hopeless is how far, in nats, the first mode may be below what matters before no others are
// looked for.
const hopeless = 10

// start has parameters of variables with some slopes and the variance 1.
func start(slopes []float64) []float64 {
	theta := make([]float64, len(slopes)*params)
	for v, a := range slopes {
		of := theta[v*params:]
		of[slope], of[scale] = a, (0.5*math.Log(1-a*a)-typical)/priorSD[scale]
	}
	return theta
}

// gradientOf is that of the log joint density, from the scores of the rows.
func (m model) gradientOf(theta []float64, scores *mat.Dense) []float64 {
	g := make([]float64, len(theta))
	for r := range m[0] {
		floats.Add(g, scores.RawRowView(r))
	}
	floats.Sub(g, theta)
	return g
}

// climb moves theta to a mode, and returns an approximation of the log evidence, with the outer
// products of the scores in the place of the Hessian.
func (m model) climb(theta []float64) float64 {
	const (
		iterations = 60
		gain       = 0.05 // nats that another step promises, which is the last
		most       = 1e6  // damping
	)
	n := len(theta)
	scores, there := mat.NewDense(len(m[0]), n, nil), mat.NewDense(len(m[0]), n, nil)
	outer := mat.NewSymDense(n, nil)
	damped, step, to := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil), make([]float64, n)
	var gradient *mat.VecDense
	var factor mat.Cholesky
	derivatives := func() {
		outer.SymOuterK(1, scores.T())
		for k := range n {
			outer.SetSym(k, k, outer.At(k, k)+1)
		}
		gradient = mat.NewVecDense(n, m.gradientOf(theta, scores))
	}
	f := m.evaluate(theta, scores)
	derivatives()
	damping := 0.0
	for range iterations {
		damped.CopySym(outer)
		for k := range n {
			damped.SetSym(k, k, damped.At(k, k)*(1+damping))
		}
		if !factor.Factorize(damped) || factor.SolveVecTo(step, gradient) != nil {
			return math.Inf(-1)
		}
		if mat.Dot(step, gradient)/2 < gain {
			break
		}
		floats.AddTo(to, theta, step.RawVector().Data)
		next := m.evaluate(to, there)
		if !(next > f) {
			if damping = math.Max(0.3, 4*damping); damping > most {
				break
			}
			continue
		}
		copy(theta, to)
		scores, there = there, scores
		f, damping = next, damping/6
		derivatives()
	}
	if !factor.Factorize(outer) {
		return math.Inf(-1)
	}
	return f + float64(n)/2*math.Log(2*math.Pi) - factor.LogDet()/2
}

// laplace is Laplace's approximation at a mode, by differences of gradients. No direction counts as
// wider than under the prior.
func (m model) laplace(mode []float64) float64 {
	const step = 1e-4
	n := len(mode)
	scores, hessian := mat.NewDense(len(m[0]), n, nil), mat.NewDense(n, n, nil)
	f := m.evaluate(mode, nil)
	for k := range n {
		theta := append([]float64(nil), mode...)
		theta[k] += step
		m.evaluate(theta, scores)
		up := m.gradientOf(theta, scores)
		theta[k] -= 2 * step
		m.evaluate(theta, scores)
		floats.SubTo(hessian.RawRowView(k), m.gradientOf(theta, scores), up)
	}
	negative := mat.NewSymDense(n, nil)
	for k := range n {
		for l := range k + 1 {
			negative.SetSym(k, l, (hessian.At(k, l)+hessian.At(l, k))/(4*step))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(negative, false) {
		return math.Inf(-1)
	}
	f += float64(n) / 2 * math.Log(2*math.Pi)
	for _, v := range eigen.Values(nil) {
		f -= math.Log(math.Max(v, 1)) / 2
	}
	return f
}

// evaluate is the log joint density of the rows and the parameters, and unless nil the scores of
// the rows.
func (m model) evaluate(theta []float64, scores *mat.Dense) float64 {
	mean, of := make([][points]float64, len(m)), make([]noise, len(m))
	sum := 0.0
	for v := range mean {
		t := theta[v*params : (v+1)*params]
		for b := range basis {
			floats.AddScaled(mean[v][:], priorSD[b]*t[b], basis[b][:])
		}
		of[v] = newNoise(priorSD[scale]*t[scale]+typical, priorSD[skew]*t[skew],
			priorSD[tail]*t[tail])
	}
	for _, t := range theta {
		sum -= t*t/2 + 0.5*math.Log(2*math.Pi)
	}
	const least = 1e-12 // density of a variable below which a point counts for nothing
	at := make([][points]place, len(m))
	for r := range m[0] {
		var part [points]float64
		total := 1e-300
		for k, w := range weight {
			for v := range m {
				at[v][k] = of[v].at(m[v][r] - mean[v][k])
				if w *= at[v][k].density; w < least && v < len(m)-1 {
					w = 0
					break
				}
			}
			part[k] = w
			total += w
		}
		sum += math.Log(total)
		if scores == nil {
			continue
		}
		row := scores.RawRowView(r)
		clear(row)
		for v := range mean {
			s := row[v*params : (v+1)*params]
			for k := range points {
				p := part[k] / total
				if p < 1e-9 {
					continue
				}
				q := of[v].slopes(at[v][k])
				for b := range basis {
					s[b] += p * q.mean * basis[b][k]
				}
				s[scale] += p * q.scale
				s[skew] += p * (q.skew - of[v].bySkew*q.scale)
				s[tail] += p * (q.tail - of[v].byTail*q.scale)
			}
			for b := range s {
				s[b] *= priorSD[b]
			}
		}
	}
	return sum
}
