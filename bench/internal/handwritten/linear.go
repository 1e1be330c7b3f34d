package handwritten

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/models"
)

// linear is the linear Gaussian model.
type linear struct {
	d              int
	mean, variance float64     // μ_e and σ_e²
	factor         [][]float64 // R for every variable, d×d row-major

	// Of the variable at work.
	j        int
	offset   []float64 // d+1: R_aj, then 0
	panel    []float64 // d×d: −R_ai·Θ_ij
	edge     []float64 // d: Θ_ij
	lnEdge   []float64 // d: ln N(Θ_ij; μ_e, σ_e²)
	residual []float64 // 2×S: rows a and a+1 of equation (2)
	q        []float64 // d: q_i of one sample
}

func newLinear(factor [][]float64, cfg Config) *linear {
	d := len(factor)
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &linear{
		d: d, mean: cfg.EdgeMean, variance: cfg.EdgeVariance, factor: factor,
		offset: zeros(d + 1), panel: zeros(d * d), edge: zeros(d), lnEdge: zeros(d),
		residual: zeros(2 * cfg.Samples), q: zeros(d),
	}
}

// factorise computes R for every variable, from a QR decomposition of its rows.
// Without interventions all variables share one.
func factorise(x, intervened mat.Matrix, noiseVariance float64) (factors [][]float64) {
	n, d := x.Dims()
	for j := range d {
		if j > 0 && intervened == nil {
			factors = append(factors, factors[0])
			continue
		}
		rows := mat.NewDense(max(n, d), d, nil) // zero where j was set
		for r := range n {
			if intervened == nil || intervened.At(r, j) == 0 {
				rows.SetRow(r, mat.Row(nil, r, x))
			}
		}
		var qr mat.QR
		qr.Factorize(rows)
		var full mat.Dense
		qr.RTo(&full)
		var factor mat.Dense
		factor.Scale(1/math.Sqrt(2*noiseVariance), full.Slice(0, d, 0, d))
		factors = append(factors, factor.RawMatrix().Data)
	}
	return factors
}

// prepare implements model.
func (l *linear) prepare(theta []float64, j int) {
	l.j = j
	d, r := l.d, l.factor[j]
	norm := -0.5 * math.Log(2*math.Pi*l.variance)
	for i := range j {
		c := theta[i*d+j] - l.mean
		l.edge[i] = theta[i*d+j]
		l.lnEdge[i] = norm - c*c/(2*l.variance)
	}
	for a := range j {
		l.offset[a] = r[a*d+j]
		for i := a; i < j; i++ {
			l.panel[a*d+i] = -r[a*d+i] * l.edge[i]
		}
	}
	l.offset[j] = 0
}

// addTerms implements model, by equation (1).
func (l *linear) addTerms(terms, graph []float64, _ models.Purpose) {
	j, s := l.j, len(terms)
	accumulate(terms, l.lnEdge[:j], graph)
	e0, e1 := l.residual[:s], l.residual[s:][:s]
	for a := 0; a < j; a += 2 {
		l.residuals(e0, e1, graph, a)
		subtractSquares(terms, e0, e1)
	}
}

// residuals writes e_a and e_{a+1} of the samples in graph, equation (2). Row j
// counts as zero.
func (l *linear) residuals(e0, e1, graph []float64, a int) {
	d, j, n := l.d, l.j, len(e0)
	// Row a knows one parent more than row a+1.
	r0, r1, first := l.offset[a], l.offset[a+1], l.panel[a*d+a]
	e1 = e1[:n]
	for s, g := range graph[a*n:][:n] {
		e0[s], e1[s] = r0+first*g, r1
	}
	if a+1 < j {
		accumulate2(e0, e1, l.panel[a*d:][a+1:j], l.panel[(a+1)*d:][a+1:j], graph[(a+1)*n:])
	}
}

// backward writes q, equation (3), of the sample g.
func (l *linear) backward(g []float64) []float64 {
	d, j, r := l.d, l.j, l.factor[l.j]
	q := l.q[:j]
	clear(q)
	for a := range q {
		residual := l.offset[a] + dot(l.panel[a*d:][a:j], g[a:])
		addScaled(q[a:], 2*residual, r[a*d:][a:j])
	}
	return q
}

// edgeGradient implements model.
func (l *linear) edgeGradient(dst, g []float64) {
	for i, q := range l.backward(g) {
		dst[i] = l.lnEdge[i] + l.edge[i]*q
	}
}

// addParamGradient implements model.
func (l *linear) addParamGradient(dtheta, g []float64, p float64) {
	for i, q := range l.backward(g) {
		dtheta[i*l.d+l.j] += p * g[i] * (q - (l.edge[i]-l.mean)/l.variance)
	}
}

// addFixedGradient implements model: there is no such part.
func (l *linear) addFixedGradient([]float64) {}
