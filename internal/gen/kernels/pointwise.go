package main

import "math"

// pointwise are the kernels of quotients, comparisons, selections and what needs no more
// than one instruction. Those with a code are operations of the machine of element
// programs too.
var pointwise = []kernel{
	{
		name: "divide", code: "Div", vectors: 2, repeat: "xy", narrow: true, doc: "x/y.",
		body: func(m *machine, in []vector) vector { return m.div(in[0], in[1]) },
	},
	{
		name: "inverse", vectors: 1, narrow: true, doc: "1/x.",
		body: func(m *machine, in []vector) vector { return m.div(1, in[0]) },
	},
	{
		name: "sqrt", code: "Sqrt", vectors: 1, narrow: true, doc: "the square root.",
		body: func(m *machine, in []vector) vector { return m.sqrt(in[0]) },
	},
	{
		name: "abs", code: "Abs", vectors: 1, narrow: true, doc: "|x|.",
		body: func(m *machine, in []vector) vector { return m.and(in[0], bits(magnitude)) },
	},
	{
		name: "subProduct", vectors: 3, doc: "x − y·z, rounded once.",
		body: func(m *machine, in []vector) vector { return m.fnma(in[1], in[2], in[0]) },
	},
	{
		name: "larger", code: "Larger", vectors: 2, narrow: true,
		doc: "the larger of x and y, NaN if either is.",
		body: func(m *machine, in []vector) vector {
			return m.unlessNaN(m.larger(in[0], in[1]), in[0], in[1])
		},
	},
	{
		name: "smaller", code: "Smaller", vectors: 2, narrow: true,
		doc: "the smaller of x and y, NaN if either is.",
		body: func(m *machine, in []vector) vector {
			return m.unlessNaN(m.smaller(in[0], in[1]), in[0], in[1])
		},
	},
	{
		name: "maximum", code: "Maximum", vectors: 2, repeat: "y", narrow: true,
		doc: "the larger of x and y.",
		body: func(m *machine, in []vector) vector {
			return m.orInfinity(m.larger(in[0], in[1]), in[0], in[1], math.Inf(1))
		},
	},
	{
		name: "minimum", code: "Minimum", vectors: 2, repeat: "y", narrow: true,
		doc: "the smaller of x and y.",
		body: func(m *machine, in []vector) vector {
			return m.orInfinity(m.smaller(in[0], in[1]), in[0], in[1], math.Inf(-1))
		},
	},
	{
		name: "greater", code: "Greater", vectors: 2, narrow: true,
		doc:  "1[x > y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], gt, in[1]) },
	},
	{
		name: "reaches", code: "AtLeast", vectors: 2, narrow: true,
		doc:  "1[x ≥ y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], ge, in[1]) },
	},
	{
		name: "equal", code: "Equal", vectors: 2, narrow: true,
		doc:  "1[x = y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], eq, in[1]) },
	},
	{
		name: "positive", code: "Positive", vectors: 1, narrow: true,
		doc:  "1[x > 0], NaN of NaN.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], gt, m.zero()) },
	},
	{
		name: "sign", vectors: 1, narrow: true,
		doc: "1 with the sign of x; 0 and NaN are themselves.",
		body: func(m *machine, in []vector) vector {
			x := in[0]
			v := m.or(m.and(x, bits(sign)), bits(one))
			m.set(v, m.cmp(x, eq, 0), x)
			m.set(v, m.cmp(x, unordered, x), x)
			return v
		},
	},
	{
		name: "where", code: "Where", vectors: 3, narrow: true,
		doc: "y where x is not 0, else z.",
		body: func(m *machine, in []vector) vector {
			return m.choose(m.cmp(in[0], neq, 0), in[1], in[2])
		},
	},
}

// larger is the larger of x and y, 0 rather than −0, if neither is NaN.
func (m *machine) larger(x, y vector) vector { return m.and(m.max(x, y), m.max(y, x)) }

// smaller is the smaller of x and y, −0 rather than 0, if neither is NaN.
func (m *machine) smaller(x, y vector) vector { return m.or(m.min(x, y), m.min(y, x)) }

// unlessNaN replaces v by NaN where x or y is.
func (m *machine) unlessNaN(v, x, y vector) vector {
	m.set(v, m.cmp(x, unordered, y), nan)
	return v
}

// orInfinity is [machine.unlessNaN] but where x or y is the infinity, which wins over NaN
// as in package math.
func (m *machine) orInfinity(v, x, y vector, infinity float64) vector {
	odd := m.cmp(x, unordered, y)
	m.ifAny(odd, func() {
		m.set(v, odd, nan)
		m.set(v, m.either(m.cmp(x, eq, infinity), m.cmp(y, eq, infinity)), infinity)
	})
	return v
}

// indicator is 1 where the comparison of x with y holds, else 0, NaN where either is: that of all
// bits, which is the mask itself where masks are vectors.
func (m *machine) indicator(x vector, predicate uint8, y vector) vector {
	v, odd := m.keep(m.cmp(x, predicate, y), 1), m.cmp(x, unordered, y)
	if !m.wide {
		return m.or(v, odd)
	}
	m.set(v, odd, bits(math.MaxUint64))
	return v
}
