package handwritten

import (
	"math"

	"tobac/models"
)

// sampleBlock is the number of samples whose residuals stay in the first-level cache
// while one unit after the other adds to them. It is even.
const sampleBlock = 16

// network is the model with one hidden layer.
type network struct {
	d, n, h         int
	variance, prior float64   // σ² and σ_p²
	x               []float64 // d×n, the columns of the data

	// Of the variable at work.
	j          int
	w1, w2, b1 []float64 // its parameters, (d, h), h and h
	b2         float64
	lnEdge     []float64 // d: Σ_a ln N(w1_ia)
	panel      []float64 // h×j×n: x_ni·w1_ia

	start []float64 // n: b2 − x_nj
	bias  []float64 // n: b1 of one unit

	gates    []float64 // sampleBlock×d: edges of a block of samples
	residual []float64 // sampleBlock×n: mean_n − x_nj of a block of samples, or δ_n of one
	pre      []float64 // h×n: pre_na of one sample, or of two for one unit
}

func newNetwork(x []float64, n, h, d int, cfg Config) *network {
	zeros := func(n int) []float64 { return make([]float64, n) }
	return &network{
		d: d, n: n, h: h, variance: cfg.NoiseVariance, prior: cfg.EdgeVariance, x: x,
		lnEdge: zeros(d), panel: zeros(h * d * n), start: zeros(n), bias: zeros(n),
		gates: zeros(sampleBlock * d), residual: zeros(sampleBlock * n), pre: zeros(max(h, 2) * n),
	}
}

// at are the first indices of w1, b1, w2 and b2 of the variable at work.
func (f *network) at() (w1, b1, w2, b2 int) {
	d, h, j := f.d, f.h, f.j
	return j * d * h, (d*d + j) * h, (d*d + d + j) * h, (d*d+2*d)*h + j
}

// prepare implements model.
func (f *network) prepare(theta []float64, j int) {
	f.j = j
	n, h := f.n, f.h
	w1, b1, w2, b2 := f.at()
	f.w1, f.b1, f.w2, f.b2 = theta[w1:][:f.d*h], theta[b1:][:h], theta[w2:][:h], theta[b2]
	norm := -0.5 * float64(h) * math.Log(2*math.Pi*f.prior)
	for i := range j {
		w := f.w1[i*h:][:h]
		f.lnEdge[i] = norm - dot(w, w)/(2*f.prior)
		x := f.x[i*n:][:n]
		for a, wa := range w {
			scale(f.row(a, i), wa, x)
		}
	}
	for r, x := range f.x[j*n:][:n] {
		f.start[r] = f.b2 - x
	}
}

// unit is the panel of unit a, j×n.
func (f *network) unit(a int) []float64 { return f.panel[a*f.j*f.n:][:f.j*f.n] }

// row is row i of it.
func (f *network) row(a, i int) []float64 { return f.unit(a)[i*f.n:][:f.n] }

// addTerms implements model, by equation (4).
func (f *network) addTerms(terms, graph []float64, purpose models.Purpose) {
	accumulate(terms, f.lnEdge[:f.j], graph)
	for from := 0; from < len(terms); from += sampleBlock {
		block := terms[from:min(from+sampleBlock, len(terms))]
		f.transpose(graph[from:], len(block), len(terms))
		for s := range block {
			copy(f.residual[s*f.n:][:f.n], f.start)
		}
		for a := range f.h {
			fill(f.bias, f.b1[a])
			if purpose == models.HardGraphs {
				f.addHard(a, len(block))
			} else {
				f.addSoft(a, len(block))
			}
		}
		for s := range block {
			e := f.residual[s*f.n:][:f.n]
			block[s] -= dot(e, e) / (2 * f.variance)
		}
	}
}

// transpose copies a block of samples to gates, sample by sample.
func (f *network) transpose(graph []float64, samples, stride int) {
	for i := range f.j {
		for s, g := range graph[i*stride:][:samples] {
			f.gates[s*f.d+i] = g
		}
	}
}

// addSoft adds unit a to the residuals of a block of samples, two at a time.
func (f *network) addSoft(a, samples int) {
	n, j := f.n, f.j
	p0, p1 := f.pre[:n], f.pre[n:][:n]
	for s := 0; s < samples; s += 2 { // an odd last one has a companion that nobody reads
		copy(p0, f.bias)
		copy(p1, f.bias)
		accumulate2(p0, p1, f.gates[s*f.d:][:j], f.gates[(s+1)*f.d:][:j], f.unit(a))
		addRelu(f.residual[s*n:][:n], f.w2[a], p0)
		addRelu(f.residual[(s+1)*n:][:n], f.w2[a], p1)
	}
}

// addHard is addSoft for edges that are there or not: the rows of absent parents are
// passed over, the others need no factor.
func (f *network) addHard(a, samples int) {
	pre := f.pre[:f.n]
	for s := range samples {
		copy(pre, f.bias)
		addPresent(pre, f.gates[s*f.d:][:f.j], f.unit(a))
		addRelu(f.residual[s*f.n:][:f.n], f.w2[a], pre)
	}
}

// backward leaves pre_na of the sample g in pre and returns δ_n.
func (f *network) backward(g []float64) []float64 {
	n := f.n
	delta := f.residual[:n]
	copy(delta, f.start)
	for a := range f.h {
		pre := f.pre[a*n:][:n]
		fill(pre, f.b1[a])
		accumulate(pre, g, f.unit(a))
		addRelu(delta, f.w2[a], pre)
	}
	scale(delta, -1/f.variance, delta)
	return delta
}

// edgeGradient implements model, by equation (5).
func (f *network) edgeGradient(dst, g []float64) {
	delta := f.backward(g)
	copy(dst, f.lnEdge)
	for a, w2 := range f.w2 {
		rho := f.pre[a*f.n:][:f.n]
		where(rho, w2, delta)
		for i := range dst {
			dst[i] += dot(f.row(a, i), rho)
		}
	}
}

// addParamGradient implements model.
func (f *network) addParamGradient(dtheta, g []float64, p float64) {
	n, h := f.n, f.h
	w1, b1, w2, b2 := f.at()
	delta := f.backward(g)
	dtheta[b2] += p * sum(delta)
	for a := range h {
		pre := f.pre[a*n:][:n]
		dtheta[w2+a] += p * dotRelu(delta, pre)
		where(pre, f.w2[a], delta)
		dtheta[b1+a] += p * sum(pre)
		for i, gi := range g {
			if gi != 0 {
				dtheta[w1+i*h+a] += p * gi * (dot(f.x[i*n:][:n], pre) - f.w1[i*h+a]/f.prior)
			}
		}
	}
}

// addFixedGradient implements model: the prior of all parameters but w1, and for
// the first variable, which has no graph, the data.
func (f *network) addFixedGradient(dtheta []float64) {
	_, b1, w2, b2 := f.at()
	addScaled(dtheta[b1:][:f.h], -1/f.prior, f.b1)
	addScaled(dtheta[w2:][:f.h], -1/f.prior, f.w2)
	dtheta[b2] -= f.b2 / f.prior
	if f.j == 0 {
		f.addParamGradient(dtheta, nil, 1)
	}
}
