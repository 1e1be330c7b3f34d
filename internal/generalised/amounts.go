package generalised

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Priors of constants are normal: mean and standard deviation.
type normalPrior struct{ mean, sd float64 }

func (p normalPrior) add(k int, c, g, h []float64) float64 {
	z := (c[k] - p.mean) / p.sd
	g[k] -= z / p.sd
	h[k*len(c)+k] -= 1 / (p.sd * p.sd)
	return -0.5*z*z - math.Log(p.sd) - 0.5*math.Log(2*math.Pi)
}

var (
	sizePrior   = normalPrior{1, 2}  // of the logarithm of the size of a negative binomial
	excessPrior = normalPrior{-1, 2} // of the logit of the probability of an excess zero
	shapePrior  = normalPrior{1, 2}  // of the logarithm of the shape of a gamma
)

const levelSD = 2 // of the logarithm of a mean around that of the column

// A counted is a child of counts with the mean e^η: Poisson, or negative binomial with the variance
// μ + μ²/s. With excess, it is 0 with a probability of its own.
type counted struct {
	level             normalPrior
	dispersed, excess bool
	sizeAt, excessAt  int // predictors
	known             *gammas
}

func newCounted(level float64, dispersed, excess bool) counted {
	c := counted{level: normalPrior{level, levelSD}, dispersed: dispersed, excess: excess}
	at := 1
	if dispersed {
		c.sizeAt = at
		at++
	}
	c.excessAt = at
	return c
}

func (f counted) predictors() []predictor {
	all := []predictor{{constant: true, parents: true}}
	if f.dispersed {
		all = append(all, predictor{constant: true})
	}
	if f.excess {
		all = append(all, predictor{constant: true})
	}
	return all
}

// farLogMean bounds the logarithm of a mean.
const farLogMean = 300

func (f counted) row(y float64, eta, g, h []float64) float64 {
	clear(g)
	clear(h)
	kk := len(eta)
	if math.Abs(eta[0]) > farLogMean || f.dispersed && math.Abs(eta[1]) > 30 {
		return math.Inf(-1)
	}
	log := f.plain(y, eta, g, h)
	if !f.excess {
		return log
	}
	e := f.excessAt
	pi := sigmoid(eta[e])
	if y > 0 {
		g[e], h[e*kk+e] = -pi, -pi*(1-pi)
		return log - softplus(eta[e])
	}
	// ln(π + (1 − π) p_0) with p_0 = e^log
	a, b := -softplus(-eta[e]), log-softplus(eta[e])
	highest := max(a, b)
	total := highest + math.Log(math.Exp(a-highest)+math.Exp(b-highest))
	w := math.Exp(b - total) // probability that the zero is no excess
	// derivatives of a and b by the predictors
	for k := range kk {
		for l := range kk {
			da, db := 0.0, 0.0
			ea, eb := 0.0, 0.0
			if k == e {
				da = 1 - pi
				db = -pi
			} else {
				db = g[k]
			}
			if l == e {
				ea = 1 - pi
				eb = -pi
			} else {
				eb = g[l]
			}
			second := w * h[k*kk+l]
			if k == e && l == e {
				second = -pi * (1 - pi)
			}
			h[k*kk+l] = second + w*(1-w)*(da-db)*(ea-eb)
		}
	}
	for k := range kk {
		if k == e {
			g[k] = (1-w)*(1-pi) - w*pi
		} else {
			g[k] *= w
		}
	}
	return total
}

// remembering implements [rememberer].
func (f counted) remembering() family {
	f.known = new(gammas)
	return f
}

// plain is ln p(y) without an excess of zeros.
func (f counted) plain(y float64, eta, g, h []float64) float64 {
	kk := len(eta)
	mu := math.Exp(eta[0])
	if !f.dispersed {
		g[0], h[0] = y-mu, -mu
		return y*eta[0] - mu - f.known.factorial(y)
	}
	s := math.Exp(eta[1])
	sum := s + mu
	below := f.known.at(s)
	above := f.known.above(y, s)
	q := mu / sum // as the logistic function of η − ln s
	logSum := math.Log(sum)
	g[0] = y - (y+s)*q
	h[0] = -(y + s) * q * (1 - q)
	psi := above.digamma - below.digamma
	g[1] = s * (psi + eta[1] + 1 - logSum - (y+s)/sum)
	h[kk+1] = g[1] + s*s*(above.trigamma-below.trigamma+1/s-2/sum+(y+s)/(sum*sum))
	h[1] = -s * q * (1 - (y+s)/sum)
	h[kk] = h[1]
	return above.log - below.log - f.known.factorial(y) + s*(eta[1]-logSum) + y*(eta[0]-logSum)
}

// A gammaAt is ln Γ at a place, and its two derivatives.
type gammaAt struct{ log, digamma, trigamma float64 }

func gammaOf(x float64) gammaAt {
	log, _ := math.Lgamma(x)
	return gammaAt{log, mathext.Digamma(x), trigamma(x)}
}

// gammas remembers what the rows of one evaluation share: ln Γ(y + s) for the size s of all rows,
// and ln y!. It serves one goroutine; nil remembers nothing.
type gammas struct {
	size       float64
	atSize     gammaAt
	sums       []gammaAt // at y + size, where age is now
	age        []uint32
	now        uint32
	factorials []float64 // ln y!, NaN: not asked yet
}

// mostRemembered bounds the counts of which [gammas] remembers something: larger ones repeat
// rarely.
const mostRemembered = 1 << 9

// at is ln Γ at s.
func (m *gammas) at(s float64) gammaAt {
	if m == nil {
		return gammaOf(s)
	}
	if s != m.size || m.now == 0 {
		m.size, m.atSize = s, gammaOf(s)
		m.now++
	}
	return m.atSize
}

// above is ln Γ at y + s, where s is that of the last call of at.
func (m *gammas) above(y, s float64) gammaAt {
	if m == nil || y >= mostRemembered {
		return gammaOf(y + s)
	}
	k := int(y)
	for len(m.age) <= k {
		m.sums, m.age = append(m.sums, gammaAt{}), append(m.age, 0)
	}
	if m.age[k] != m.now {
		m.sums[k], m.age[k] = gammaOf(y+s), m.now
	}
	return m.sums[k]
}

// factorial is ln y!.
func (m *gammas) factorial(y float64) float64 {
	if m == nil || y >= mostRemembered {
		v, _ := math.Lgamma(y + 1)
		return v
	}
	k := int(y)
	for len(m.factorials) <= k {
		m.factorials = append(m.factorials, math.NaN())
	}
	if math.IsNaN(m.factorials[k]) {
		m.factorials[k], _ = math.Lgamma(y + 1)
	}
	return m.factorials[k]
}

// trigamma is the derivative of the digamma function at x > 0: the recurrence ψ′(x) = ψ′(x + 1) +
// 1/x², then the asymptotic series.
func trigamma(x float64) float64 {
	sum := 0.0
	for ; x < 16; x++ {
		sum += 1 / (x * x)
	}
	z := 1 / (x * x)
	return sum + 1/x + z/2 + z/x*(1./6-z*(1./30-z*(1./42-z*(1./30-z*5/66))))
}

func (f counted) prior(c, g, h []float64) float64 {
	sum := f.level.add(0, c, g, h)
	if f.dispersed {
		sum += sizePrior.add(1, c, g, h)
	}
	if f.excess {
		sum += excessPrior.add(f.excessAt, c, g, h)
	}
	return sum
}

func (f counted) start(y, weight []float64) []float64 {
	out := []float64{f.level.mean}
	if f.dispersed {
		out = append(out, sizePrior.mean)
	}
	if f.excess {
		out = append(out, excessPrior.mean)
	}
	return out
}

// A gamma is a positive child with the mean e^η and the shape s, so that its variance is μ²/s.
type gamma struct {
	level normalPrior
	known *gammas
}

// remembering implements [rememberer].
func (f gamma) remembering() family {
	f.known = new(gammas)
	return f
}

func (gamma) predictors() []predictor {
	return []predictor{{constant: true, parents: true}, {constant: true}}
}

func (f gamma) row(y float64, eta, g, h []float64) float64 {
	if math.Abs(eta[0]) > farLogMean || math.Abs(eta[1]) > 30 {
		return math.Inf(-1)
	}
	s, r := math.Exp(eta[1]), y*math.Exp(-eta[0])
	at := f.known.at(s)
	logR := math.Log(y) - eta[0]
	slope := eta[1] + 1 - at.digamma + logR - r
	g[0], g[1] = s*(r-1), s*slope
	h[0] = -s * r
	h[1] = s * (r - 1)
	h[2] = h[1]
	h[3] = s*slope + s*s*(1/s-at.trigamma)
	return s*eta[1] - at.log + s*logR - math.Log(y) - s*r
}

func (f gamma) prior(c, g, h []float64) float64 {
	return f.level.add(0, c, g, h) + shapePrior.add(1, c, g, h)
}

func (f gamma) start(y, weight []float64) []float64 {
	return []float64{f.level.mean, shapePrior.mean}
}
