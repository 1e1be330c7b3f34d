package bcd_test

import (
	"math"
	"testing"

	"tobac/internal/bcd"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A byHand computes the ELBO of a batch and its gradient by the closed forms of section 6 of the
// specification, matrix by matrix, without automatic differentiation. Variances are equal, flags as
// corrected.
type byHand struct {
	d, n, size int
	scale      float64
	gram       *mat.Dense
	tau        float64
}

func (h *byHand) arrays(parameters []float64) [][]float64 {
	var parts [][]float64
	for _, count := range []int{h.size, h.size, h.size * 128, 128, 128 * 128, 128, 128 * h.d * h.d,
		h.d * h.d} {
		parts, parameters = append(parts, parameters[:count]), parameters[count:]
	}
	return parts
}

// sample adds the gradient of one sample and returns its ELBO.
func (h *byHand) sample(gradient, parameters, noise, gumbel []float64) float64 {
	p, g := h.arrays(parameters), h.arrays(gradient)
	d, pairs := h.d, h.size-1
	z, e, sd := make([]float64, h.size), make([]float64, h.size), make([]float64, h.size)
	elbo := 0.0
	for k, u := range noise {
		e[k] = distuv.UnitNormal.Quantile(u)
		sd[k] = math.Exp(10 * math.Tanh(p[1][k]/10))
		z[k] = p[0][k] + sd[k]*e[k]
		elbo += e[k]*e[k]/2 + math.Log(2*math.Pi)/2 + math.Log(sd[k])
	}
	raw, back := h.layers(p[2:], g[2:], z)
	m, y := make([]float64, d*d), make([]float64, d*d)
	for k := range m {
		m[k] = 10 * math.Tanh(raw[k]/10)
		y[k] = (m[k] - math.Log(-math.Log(gumbel[k]))) / h.tau
	}
	soft := make([]float64, d*d)
	bcd.Balance(soft, y, d, 0.01)
	hard := mat.NewDense(d, d, nil)
	for i, j := range bcd.Assign(soft, d) {
		hard.Set(i, j, 1)
	}
	gamma := make([]float64, d*d)
	elbo += bcd.BethePermanent(gamma, m, d)
	for k, v := range hard.RawMatrix().Data {
		elbo -= v * m[k]
	}
	for k := 1; k <= d; k++ {
		elbo -= math.Log(float64(k))
	}

	lower := mat.NewDense(d, d, nil)
	for i, k := 0, 0; i < d; i++ {
		for j := i + 1; j < d; j++ {
			lower.Set(j, i, z[k])
			elbo += bcd.LogHorseshoe(z[k]/h.scale) - math.Log(h.scale)
			k++
		}
	}
	var w, a, gramA, scatter, gw, dL, dP, part mat.Dense
	w.Product(hard, lower.T(), hard.T())
	a.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1 - v
		}
		return -v
	}, &w)
	gramA.Mul(h.gram, &a)
	scatter.Mul(a.T(), &gramA)
	s, total := z[pairs], mat.Trace(&scatter)
	precision := math.Exp(-2 * s)
	elbo += -float64(h.n*d)*(math.Log(2*math.Pi)/2+s) - precision*total/2 - s*s/18
	gw.Scale(precision, &gramA)
	dL.Product(hard.T(), gw.T(), hard)
	dP.Product(&gw, hard, lower)
	part.Product(gw.T(), hard, lower.T())
	dP.Add(&dP, &part)

	// dz
	dz := make([]float64, h.size)
	for i, k := 0, 0; i < d; i++ {
		for j := i + 1; j < d; j++ {
			dz[k] = dL.At(j, i) + bcd.ScoreHorseshoe(z[k]/h.scale)/h.scale
			k++
		}
	}
	dz[pairs] = -float64(h.n*d) + precision*total - s/9

	// dM and the network
	cotangent, dy, draw := make([]float64, d*d), make([]float64, d*d), make([]float64, d*d)
	for k := range cotangent {
		cotangent[k] = dP.RawMatrix().Data[k] - m[k]
	}
	bcd.BalanceCotangent(dy, soft, cotangent, d, 1, 0)
	for k := range draw {
		t := math.Tanh(raw[k] / 10)
		draw[k] = (dy[k]/h.tau + gamma[k] - hard.RawMatrix().Data[k]) * (1 - t*t)
	}
	for k, v := range back(draw) {
		dz[k] += v
	}
	for k := range dz {
		t := math.Tanh(p[1][k] / 10)
		g[0][k] += dz[k]
		g[1][k] += (dz[k]*sd[k]*e[k] + 1) * (1 - t*t)
	}
	return elbo
}

// layers is the network at x; back adds the gradient of its parameters given that of its output,
// and returns that of x.
func (h *byHand) layers(p, g [][]float64, x []float64) (out []float64,
	back func(ct []float64) []float64) {
	inputs, before := [][]float64{}, [][]float64{}
	for l := 0; l < len(p); l += 2 {
		inputs = append(inputs, x)
		y := append([]float64(nil), p[l+1]...)
		for i, v := range x {
			for j := range y {
				y[j] += v * p[l][i*len(y)+j]
			}
		}
		before = append(before, y)
		x = y
		if l+2 < len(p) {
			x = make([]float64, len(y))
			for j, v := range y {
				x[j] = v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
			}
		}
	}
	return x, func(ct []float64) []float64 {
		for l := len(p) - 2; l >= 0; l -= 2 {
			if l+2 < len(p) {
				for j, v := range before[l/2] {
					t := math.Tanh(math.Sqrt(2/math.Pi) * (v + 0.044715*v*v*v))
					ct[j] *= (1+t)/2 + v/2*(1-t*t)*math.Sqrt(2/math.Pi)*(1+3*0.044715*v*v)
				}
			}
			next := make([]float64, len(inputs[l/2]))
			for i, v := range inputs[l/2] {
				for j, c := range ct {
					g[l][i*len(ct)+j] += v * c
					next[i] += p[l][i*len(ct)+j] * c
				}
			}
			for j, c := range ct {
				g[l+1][j] += c
			}
			ct = next
		}
		return ct
	}
}

// The compiled gradient of the whole objective, permutations hard and derivatives straight through,
// is that of the closed forms.
func TestGradientIsThatByHand(t *testing.T) {
	const d, n, batch = 4, 30, 3
	x := uniforms(n*d, 1)
	table := mat.NewDense(n, d, x)
	m := must.Get(bcd.New(table, bcd.Settings{Batch: batch}, 2, 1))(t)
	defer m.Close()
	parameters := m.State().Parameters
	for k, v := range uniforms(len(parameters), 2) {
		parameters[k] += 0.4 * (v - 0.5)
	}
	h := &byHand{d: d, n: n, size: d*(d-1)/2 + 1, scale: m.Settings().HorseshoeScale, tau: 0.3,
		gram: &mat.Dense{}}
	h.gram.Mul(table.T(), table)
	noise, gumbel := uniforms(batch*h.size, 3), uniforms(batch*d*d, 4)
	elbo, gradient := must.Two(m.ScoreAt(parameters, h.tau, noise, gumbel))(t)
	want, values := make([]float64, len(parameters)), make([]float64, batch)
	for k := range batch {
		values[k] = h.sample(want, parameters, noise[k*h.size:(k+1)*h.size],
			gumbel[k*d*d:(k+1)*d*d])
	}
	largest := 0.0
	for k := range want {
		want[k] /= batch
		largest = max(largest, math.Abs(want[k]))
	}
	near(t, "ELBO", elbo, values, 1e-9*math.Abs(values[0]))
	near(t, "gradient", gradient, want, 1e-9*largest)
}
