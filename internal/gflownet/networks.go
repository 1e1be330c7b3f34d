package gflownet

import (
	"math"

	ad "tobac/autograd"
)

// channels is the number of d×d arrays that a network sees.
func (l Logits) channels() int {
	if l == Guided {
		return 4
	}
	return 2
}

// network adds a policy's network for d variables: from what it sees, channels×d×d,
// the logits of the edges, d×d by source and target, and that to stop.
func (s Settings) network(l *layers, seen *ad.Node) (edges, stop *ad.Node) {
	switch s.Policy {
	case Graph:
		return graphNetwork(l, seen, s.Width)
	case Small:
		return transformer{width: 64, side: 32, trunk: 1, head: 1, hidden: []int{64}}.network(l,
			seen.Slice(0, 0, 1), seen)
	default:
		return transformer{width: 256, side: 128, trunk: 3, head: 2, hidden: []int{256, 128},
			released: true}.network(l, seen.Slice(0, 0, 1), seen)
	}
}

// graphNetwork is that of [Graph], see [Settings].
func graphNetwork(l *layers, seen *ad.Node, width int) (edges, stop *ad.Node) {
	d := seen.Shape()[1]
	var features []*ad.Node
	for k := range seen.Shape()[0] {
		m := seen.Index(0, k)
		features = append(features, m, m.T())
	}
	inputs := ad.Concat(1, features[0], features[1:]...)
	x := inputs.MatMul(l.parameter(scaled(1, 2*d), 2*len(features)/2*d, width)).Add(
		l.parameter(truncated(1), d, width))

	adjacency := seen.Index(0, 0)
	h := l.norm(x)
	linear := func(h *ad.Node) *ad.Node {
		return h.MatMul(l.parameter(scaled(1, width), width, width))
	}
	messages := adjacency.T().MatMul(linear(h)).Add(adjacency.MatMul(linear(h)))
	x = x.Add(messages.Add(l.linear(h, width, scaled(1, width))).Relu())

	h = l.norm(x)
	q, k, v := split(linear(h)), split(linear(h)), split(linear(h))
	weights := q.BatchMatMul(k.Transpose(0, 2, 1)).Scale(
		1 / math.Sqrt(float64(width/heads))).Softmax(2)
	x = x.Add(l.linear(join(weights.BatchMatMul(v)), width, scaled(0.4, width)))

	// A first policy without a say of the network: senders are 0 at the beginning, and
	// so is the last layer of the logit to stop.
	h = l.norm(x)
	s := l.mlp(h, zero, width, width)
	r := l.mlp(h, truncated(1/math.Sqrt(float64(width))), width, width)
	edges = s.MatMul(r.T()).Scale(1 / math.Sqrt(float64(width))).Add(l.parameter(zero, d, d))
	mean := h.Mean(0).Reshape(ad.Shape{1, width})
	return edges, l.mlp(mean, zero, width, 1).Reshape(ad.Shape{})
}

// A transformer is the network of the paper, with one token for each of the d² pairs,
// in sizes that may be smaller.
type transformer struct {
	width, side int   // of a token, and of what is said to it in every layer
	trunk, head int   // blocks that both outputs share, and that each has alone
	hidden      []int // widths of the last networks
	released    bool  // the last layers start as in the paper, not at 0
}

// network has the graph as side input, and in Small with guided logits all that is seen.
func (t transformer) network(l *layers, graph, seen *ad.Node) (edges, stop *ad.Node) {
	d := seen.Shape()[1]
	side := graph
	if seen.Shape()[0] > 2 {
		side = seen
	}
	side = side.Reshape(ad.Shape{side.Shape()[0], d * d}).T()

	table := l.parameter(truncated(1), 2*d, t.width/2)
	var from, to []int
	for i := range d {
		for j := range d {
			for c := range t.width / 2 {
				from = append(from, i*t.width/2+c)
				to = append(to, (d+j)*t.width/2+c)
			}
		}
	}
	half := ad.Shape{d * d, t.width / 2}
	h := ad.Concat(1, table.Gather(from, half), table.Gather(to, half))
	for range t.trunk {
		h = t.block(l, h, side)
	}
	e, s := h, h
	for range t.head {
		e = t.block(l, e, side)
	}
	for range t.head {
		s = t.block(l, s, side)
	}
	last := zero
	if t.released {
		last = truncated(1 / math.Sqrt(float64(t.hidden[len(t.hidden)-1])))
	}
	widths := append(append([]int(nil), t.hidden...), 1)
	edges = l.mlp(e, last, widths...).Reshape(ad.Shape{d, d})
	mean := s.Mean(0).Reshape(ad.Shape{1, t.width})
	return edges, l.mlp(mean, last, widths...).Reshape(ad.Shape{})
}

// block is h + Attention(LN([e₁, h])), then h + Dense(LN([e₂, h])), with e₁ and e₂
// linear in the side input.
func (t transformer) block(l *layers, h, side *ad.Node) *ad.Node {
	linear := func(x *ad.Node, out int) *ad.Node {
		return l.linear(x, out, scaled(0.4, x.Shape()[1]))
	}
	u := l.norm(ad.Concat(1, linear(side, t.side), h))
	// elu(x) + 1
	feature := func(x *ad.Node) *ad.Node { return x.Relu().Add(x.Neg().Relu().Neg().Exp()) }
	q, k, v := split(feature(linear(u, t.width))), split(feature(linear(u, t.width))),
		split(linear(u, t.width))
	products := k.Transpose(0, 2, 1).BatchMatMul(v)
	keys := k.Sum(1).Reshape(ad.Shape{heads, t.width / heads, 1})
	attention := q.BatchMatMul(products).Div(q.BatchMatMul(keys).AddScalar(1e-6))
	h = h.Add(linear(join(attention), t.width))

	v = l.norm(ad.Concat(1, linear(side, t.side), h))
	return h.Add(linear(tanhGelu(linear(v, 2*t.width)), t.width))
}

// tanhGelu is ½x(1 + tanh(√(2/π)(x + .044715x³))).
func tanhGelu(x *ad.Node) *ad.Node {
	inner := x.Cube().Scale(0.044715).Add(x).Scale(math.Sqrt(2 / math.Pi))
	return x.Mul(inner.Tanh().AddScalar(1)).Scale(0.5)
}
