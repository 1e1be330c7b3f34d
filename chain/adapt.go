package chain

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// average is a step of dual averaging towards a mean acceptance.
func (c *Chain) average(goal float64) {
	a := &c.Averaging
	a.Count++
	n := float64(a.Count)
	a.Gap += (goal - c.Accepted - a.Gap) / (n + 10)
	step := a.Center - a.Gap*math.Sqrt(n)/0.05
	share := math.Pow(n, -0.75)
	a.Mean = share*step + (1-share)*a.Mean
	c.Step = math.Exp(step)
}

// window is the number of iterations of the window that iteration i of a warm-up belongs to, 0
// for none, and whether it is the last of them.
func window(warm, i int) (length int, end bool) {
	first, last, width := 75, warm-50, 25
	if warm < 150 {
		first, last = warm*15/100, warm-warm/10
		width = last - first
	}
	if warm < 20 || i < first {
		return 0, false
	}
	for at := first; at < last; width *= 2 {
		to := at + width
		if to+2*width > last { // the next would not fit
			to = last
		}
		if i < to {
			return to - at, i == to-1
		}
		at = to
	}
	return 0, false
}

// longest is the length of the longest window.
func longest(warm int) (length int) {
	for i := range warm {
		n, _ := window(warm, i)
		length = max(length, n)
	}
	return length
}

// drawsEach is how many draws for each coordinate a window has, at least, whose covariances make a
// metric: the extreme eigenvalues of a sample's covariance are then 0.3 and 2.1 of the true ones.
const drawsEach = 5

// with is the window with one more point, in memory of its own.
func (w Window) with(x []float64) Window {
	d, dense := len(x), len(w.Sums) > len(x)
	out := Window{
		Count: w.Count + 1,
		Mean:  make([]float64, d),
		Sums:  append([]float64(nil), w.Sums...),
	}
	for i := range d {
		out.Mean[i] = w.Mean[i] + (x[i]-w.Mean[i])/float64(out.Count)
	}
	for i := range d {
		if !dense {
			out.Sums[i] += (x[i] - w.Mean[i]) * (x[i] - out.Mean[i])
			continue
		}
		for j := range d { // symmetric in exact bits
			out.Sums[i*d+j] += (x[i] - w.Mean[i]) * (x[j] - w.Mean[j]) * float64(w.Count) / float64(
				out.Count,
			)
		}
	}
	return out
}

// metric is the covariance. Variances alone, where covariances are not positive definite too, are
// drawn towards a small number.
func (w Window) metric() []float64 {
	d, n := len(w.Mean), float64(w.Count)
	stride := 1
	if len(w.Sums) > d {
		out := floats.ScaleTo(make([]float64, d*d), 1/(n-1), w.Sums)
		if new(mat.Cholesky).Factorize(mat.NewSymDense(d, out)) {
			return out
		}
		stride = d + 1
	}
	out := make([]float64, d)
	for i := range out {
		out[i] = n/(n+5)*w.Sums[i*stride]/(n-1) + 1e-3*5/(n+5)
	}
	return out
}
