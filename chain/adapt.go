package chain

import "math"

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

// windows are the first iteration that counts for a metric, the first that no longer does, and whether a window ends with
// iteration i of a warm-up.
func windows(warm, i int) (first, last int, end bool) {
	first, last, width := 75, warm-50, 25
	if warm < 150 {
		first, last = warm*15/100, warm-warm/10
		width = last - first
	}
	if warm < 20 {
		return warm, warm, false
	}
	for at := first; at < last; width *= 2 {
		to := at + width
		if to+2*width > last { // the next would not fit
			to = last
		}
		if i == to-1 {
			return first, last, true
		}
		at = to
	}
	return first, last, false
}

// with is the window with one more point, in memory of its own.
func (w Window) with(x []float64, dense bool) Window {
	d := len(x)
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

// metric is the covariance, drawn towards a small multiple of the identity.
func (w Window) metric(dense bool) []float64 {
	out, d, n := make([]float64, len(w.Sums)), len(w.Mean), float64(w.Count)
	for i, s := range w.Sums {
		out[i] = n / (n + 5) * s / (n - 1)
		if !dense || i%(d+1) == 0 {
			out[i] += 1e-3 * 5 / (n + 5)
		}
	}
	return out
}
