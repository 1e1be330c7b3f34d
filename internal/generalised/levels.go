package generalised

import (
	"math"

	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/floats"
)

// logit is a binary child of codes 0 and 1.
type logit struct{}

func (logit) predictors() []predictor { return []predictor{{constant: true, parents: true}} }

func (logit) row(y float64, eta, g, h []float64) float64 {
	p := sigmoid(eta[0])
	g[0], h[0] = y-p, -p*(1-p)
	if y > 0 {
		return -softplus(-eta[0])
	}
	return -softplus(eta[0])
}

// prior is that of a uniform probability.
func (l logit) prior(c, g, h []float64) float64 {
	p := sigmoid(c[0])
	g[0] += 1 - 2*p
	h[0] -= 2 * p * (1 - p)
	return -softplus(-c[0]) - softplus(c[0])
}

func (logit) start(y, weight []float64) []float64 {
	counts := countLevels(y, weight, 2)
	return []float64{math.Log(counts[1]+1) - math.Log(counts[0]+1)}
}

// A softmax is a child of r levels without an order: ln p_k = (C η)_k − ln Σ exp(C η), C the
// r×(r−1) contrasts of [nodescore.Contrasts].
type softmax struct {
	r        int
	contrast []float64 // r×(r−1)
}

// newSoftmax is that of r levels.
func newSoftmax(r int) family {
	if r == 2 {
		return logit{}
	}
	codes := make([]float64, r)
	for k := range codes {
		codes[k] = float64(k)
	}
	return softmax{r, nodescore.Contrasts(codes, r).RawMatrix().Data}
}

func (s softmax) predictors() []predictor {
	all := make([]predictor, s.r-1)
	for k := range all {
		all[k] = predictor{constant: true, parents: true}
	}
	return all
}

// logProbabilities appends those of the levels to dst. Contrast a is one number on the levels up to
// a, another one on level a + 1, and 0 above.
func (s softmax) logProbabilities(dst, eta []float64) []float64 {
	at, k, above := len(dst), s.r-1, 0.0
	dst = append(dst, make([]float64, s.r)...)
	all := dst[at:]
	for l := k; l > 0; l-- {
		all[l] = above + s.contrast[l*k+l-1]*eta[l-1]
		above += s.contrast[l-1] * eta[l-1]
	}
	all[0] = above
	floats.AddConst(-floats.LogSumExp(all), all)
	return dst
}

func (s softmax) row(y float64, eta, g, h []float64) float64 {
	k := s.r - 1
	p := s.logProbabilities(h[:0], eta) // h is written over from behind what is read of p
	own := p[int(y)]
	for l, v := range p {
		p[l] = math.Exp(v)
	}
	// g = C_y − m with m the mean contrast: the Hessian is −(Σ p C C' − m m'). Contrast b is the
	// same number c_b on the levels up to b: Σ p C_a C_b is c_b m_a for a < b.
	below := 0.0 // probability of the levels up to a
	for a := range k {
		below += p[a]
		same, other := s.contrast[a], s.contrast[(a+1)*k+a]
		m := below*same + p[a+1]*other
		g[a] = s.contrast[int(y)*k+a] - m
		h[a*k+a] = m*m - (below*same*same + p[a+1]*other*other)
	}
	for a := range k {
		m := s.contrast[int(y)*k+a] - g[a]
		for b := a + 1; b < k; b++ {
			v := m * (s.contrast[int(y)*k+b] - g[b] - s.contrast[b])
			h[a*k+b], h[b*k+a] = v, v
		}
	}
	return own
}

// prior is that of uniform probabilities: (r−1)! √r Π p_k in these coordinates.
func (s softmax) prior(c, g, h []float64) float64 {
	k := s.r - 1
	lg, _ := math.Lgamma(float64(s.r))
	sum := lg + 0.5*math.Log(float64(s.r))
	rg, rh := make([]float64, k), make([]float64, k*k)
	for l := range s.r {
		sum += s.row(float64(l), c, rg, rh)
		for a, v := range rg {
			g[a] += v
		}
		for a, v := range rh {
			h[a] += v
		}
	}
	return sum
}

func (s softmax) start(y, weight []float64) []float64 {
	counts := countLevels(y, weight, s.r)
	out := make([]float64, s.r-1)
	for l, n := range counts {
		for a := range out {
			out[a] += s.contrast[l*(s.r-1)+a] * math.Log(n+1)
		}
	}
	return out
}

// An ordinal is a child of r levels with an order: P(y ≤ k) = σ(κ_k − η), k = 0 … r−2. Predictor 0
// is η, the others are the cut points κ.
type ordinal struct{ r int }

func (o ordinal) predictors() []predictor {
	all := make([]predictor, o.r)
	all[0].parents = true
	for k := 1; k < o.r; k++ {
		all[k].constant = true
	}
	return all
}

func (o ordinal) row(y float64, eta, g, h []float64) float64 {
	clear(g)
	clear(h)
	k, r := int(y), o.r
	// u, v: the cut points above and below the level, less η.
	u, v := math.Inf(1), math.Inf(-1)
	if k < r-1 {
		u = eta[1+k] - eta[0]
	}
	if k > 0 {
		v = eta[k] - eta[0]
	}
	if !(u > v) {
		return math.Inf(-1)
	}
	// ln(σ(u) − σ(v)) = ln σ(u) + ln σ(−v) + ln(1 − e^(v−u))
	log, gu, gv, huu, hvv, huv := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	if !math.IsInf(u, 1) {
		p := sigmoid(u)
		log -= softplus(-u)
		gu += 1 - p
		huu -= p * (1 - p)
	}
	if !math.IsInf(v, -1) {
		p := sigmoid(v)
		log -= softplus(v)
		gv -= p
		hvv -= p * (1 - p)
	}
	if !math.IsInf(u-v, 1) {
		e := math.Expm1(u - v) // above 0
		log += math.Log(-math.Expm1(v - u))
		gu += 1 / e
		gv -= 1 / e
		c := -(1 + e) / (e * e)
		huu += c
		hvv += c
		huv -= c
	}
	g[0], h[0] = -gu-gv, huu+hvv+2*huv
	if !math.IsInf(u, 1) {
		a := 1 + k
		g[a], h[a*r+a] = gu, huu
		h[a], h[a*r] = -huu-huv, -huu-huv
	}
	if !math.IsInf(v, -1) {
		b := k
		g[b], h[b*r+b] = gv, hvv
		h[b], h[b*r] = -hvv-huv, -hvv-huv
		if !math.IsInf(u, 1) {
			a := 1 + k
			h[a*r+b], h[b*r+a] = huv, huv
		}
	}
	return log
}

// prior is that of uniform probabilities: (r−1)! Π σ'(κ_k) on ascending cut points.
func (o ordinal) prior(c, g, h []float64) float64 {
	lg, _ := math.Lgamma(float64(o.r))
	for k, v := range c {
		p := sigmoid(v)
		lg -= softplus(v) + softplus(-v)
		g[k] += 1 - 2*p
		h[k*len(c)+k] -= 2 * p * (1 - p)
		if k > 0 && !(v > c[k-1]) {
			return math.Inf(-1)
		}
	}
	return lg
}

func (o ordinal) start(y, weight []float64) []float64 {
	counts := countLevels(y, weight, o.r)
	all, below := 0.0, 0.0
	for _, n := range counts {
		all += n + 1
	}
	var out []float64
	for _, n := range counts[:o.r-1] {
		below += n + 1
		out = append(out, math.Log(below)-math.Log(all-below))
	}
	return out
}

func countLevels(y, weight []float64, r int) []float64 {
	counts := make([]float64, r)
	for i, v := range y {
		if weight == nil {
			counts[int(v)]++
		} else {
			counts[int(v)] += weight[i]
		}
	}
	return counts
}

// sigmoid is 1/(1 + e^−x).
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// softplus is ln(1 + e^x).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}
