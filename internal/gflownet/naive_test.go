package gflownet

import "math"

// The forward passes of the networks once more, on slices of rows, without autograd.

type matrix [][]float64

func zeros(rows, columns int) matrix {
	m := make(matrix, rows)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func (a matrix) mul(b matrix) matrix {
	c := zeros(len(a), len(b[0]))
	for i := range a {
		for k, v := range a[i] {
			for j := range c[i] {
				c[i][j] += v * b[k][j]
			}
		}
	}
	return c
}

func (a matrix) transpose() matrix {
	c := zeros(len(a[0]), len(a))
	for i := range a {
		for j, v := range a[i] {
			c[j][i] = v
		}
	}
	return c
}

func (a matrix) add(b matrix) matrix {
	c := zeros(len(a), len(a[0]))
	for i := range a {
		for j, v := range a[i] {
			c[i][j] = v + b[i%len(b)][j]
		}
	}
	return c
}

func (a matrix) each(f func(x float64) float64) matrix {
	c := zeros(len(a), len(a[0]))
	for i := range a {
		for j, v := range a[i] {
			c[i][j] = f(v)
		}
	}
	return c
}

func (a matrix) columns(from, to int) matrix {
	c := make(matrix, len(a))
	for i := range a {
		c[i] = a[i][from:to]
	}
	return c
}

func beside(ms ...matrix) matrix {
	c := make(matrix, len(ms[0]))
	for i := range c {
		for _, m := range ms {
			c[i] = append(c[i], m[i]...)
		}
	}
	return c
}

func relu(x float64) float64 { return max(x, 0) }

// naive reads weights one after the other.
type naive struct{ weights [][]float64 }

func (n *naive) next(rows int) matrix {
	w := n.weights[0]
	n.weights = n.weights[1:]
	m := make(matrix, rows)
	for i := range m {
		m[i] = w[i*len(w)/rows : (i+1)*len(w)/rows]
	}
	return m
}

func (n *naive) linear(x matrix) matrix { return x.mul(n.next(len(x[0]))).add(n.next(1)) }

func (n *naive) norm(x matrix) matrix {
	scale, offset := n.next(1)[0], n.next(1)[0]
	c := zeros(len(x), len(x[0]))
	for i, row := range x {
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(len(row))
		}
		for j, v := range row {
			c[i][j] = (v-mean)/math.Sqrt(variance+1e-5)*scale[j] + offset[j]
		}
	}
	return c
}

func (n *naive) mlp(x matrix, layers int) matrix {
	for k := range layers {
		x = n.linear(x)
		if k < layers-1 {
			x = x.each(relu)
		}
	}
	return x
}

func meanRow(x matrix) matrix {
	m := zeros(1, len(x[0]))
	for _, row := range x {
		for j, v := range row {
			m[0][j] += v / float64(len(x))
		}
	}
	return m
}

// naive are the logits of the edges, and that to stop.
func (c *networkCase) naive() (edges []float64, stop float64) {
	n, d := &naive{c.weights}, c.d
	channels := make([]matrix, len(c.seen)/(d*d))
	for k := range channels {
		channels[k] = (&naive{[][]float64{c.seen[k*d*d : (k+1)*d*d]}}).next(d)
	}
	if c.set.Policy == Graph {
		return n.graph(channels, c.set.Width)
	}
	if c.set.Policy == Small {
		return n.transformer(channels, 64, 1, 1, 2)
	}
	return n.transformer(channels, 256, 3, 2, 3)
}

func (n *naive) graph(channels []matrix, width int) (edges []float64, stop float64) {
	d := len(channels[0])
	var features []matrix
	for _, m := range channels {
		features = append(features, m, m.transpose())
	}
	x := beside(features...).mul(n.next(2 * len(channels) * d)).add(n.next(d))
	a := channels[0]
	h := n.norm(x)
	messages := a.transpose().mul(h.mul(n.next(width))).add(a.mul(h.mul(n.next(width))))
	x = x.add(messages.add(n.linear(h)).each(relu))

	h = n.norm(x)
	q, k, v := h.mul(n.next(width)), h.mul(n.next(width)), h.mul(n.next(width))
	var parts []matrix
	size := width / heads
	for head := range heads {
		from, to := head*size, (head+1)*size
		w := q.columns(from, to).mul(k.columns(from, to).transpose()).each(func(x float64) float64 {
			return math.Exp(x / math.Sqrt(float64(size)))
		})
		for i := range w {
			sum := 0.0
			for _, e := range w[i] {
				sum += e
			}
			for j := range w[i] {
				w[i][j] /= sum
			}
		}
		parts = append(parts, w.mul(v.columns(from, to)))
	}
	x = x.add(n.linear(beside(parts...)))
	h = n.norm(x)
	s, r := n.mlp(h, 2), n.mlp(h, 2)
	logits := s.mul(r.transpose()).each(func(x float64) float64 {
		return x / math.Sqrt(float64(width))
	}).add(n.next(d))
	return flat(logits), n.mlp(meanRow(h), 2)[0][0]
}

func flat(m matrix) (all []float64) {
	for _, row := range m {
		all = append(all, row...)
	}
	return all
}

func (n *naive) transformer(channels []matrix, width, trunk, head, depth int) (edges []float64,
	stop float64) {
	d := len(channels[0])
	used := 1
	if len(channels) > 2 {
		used = len(channels)
	}
	table := n.next(2 * d)
	var h, side matrix
	for i := range d {
		for j := range d {
			h = append(h, append(append([]float64(nil), table[i]...), table[d+j]...))
			var row []float64
			for _, m := range channels[:used] {
				row = append(row, m[i][j])
			}
			side = append(side, row)
		}
	}
	for range trunk {
		h = n.block(h, side)
	}
	e, s := h, h
	for range head {
		e = n.block(e, side)
	}
	for range head {
		s = n.block(s, side)
	}
	return flat(n.mlp(e, depth)), n.mlp(meanRow(s), depth)[0][0]
}

func (n *naive) block(h, side matrix) matrix {
	u := n.linear(side)
	u = n.norm(beside(u, h))
	elu := func(x float64) float64 {
		if x > 0 {
			return x + 1
		}
		return math.Exp(x)
	}
	q, k, v := n.linear(u).each(elu), n.linear(u).each(elu), n.linear(u)
	size := len(h[0]) / heads
	out := zeros(len(h), len(h[0]))
	for head := range heads {
		for t := range out {
			sum := 1e-6
			for o := range k {
				w := 0.0
				for c := head * size; c < (head+1)*size; c++ {
					w += q[t][c] * k[o][c]
				}
				sum += w
				for c := head * size; c < (head+1)*size; c++ {
					out[t][c] += w * v[o][c]
				}
			}
			for c := head * size; c < (head+1)*size; c++ {
				out[t][c] /= sum
			}
		}
	}
	h = h.add(n.linear(out))
	side = n.linear(side)
	x := n.linear(n.norm(beside(side, h)))
	x = x.each(func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	})
	return h.add(n.linear(x))
}
