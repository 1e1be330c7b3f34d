package main

// comparisons are the kernels of quotients, comparisons and selections.
var comparisons = []emitter{
	kernel{
		name: "divide", vectors: 2, doc: "x/y.",
		body: func(m *machine, in []vector) vector { return m.div(in[0], in[1]) },
	},
	kernel{
		name: "divideBy", vectors: 1, number: true, doc: "x/p.",
		body: func(m *machine, in []vector) vector { return m.div(in[0], in[1]) },
	},
	kernel{
		name: "divideInto", vectors: 1, number: true, doc: "p/x.",
		body: func(m *machine, in []vector) vector { return m.div(in[1], in[0]) },
	},
	kernel{
		name: "subProduct", vectors: 3, doc: "x − y·z, rounded once.",
		body: func(m *machine, in []vector) vector { return m.fnma(in[1], in[2], in[0]) },
	},
	kernel{
		name: "larger", vectors: 2, doc: "the larger of x and y, NaN if either is.",
		body: func(m *machine, in []vector) vector {
			x, y := in[0], in[1]
			return m.unlessNaN(m.and(m.max(x, y), m.max(y, x)), x, y)
		},
	},
	kernel{
		name: "smaller", vectors: 2, doc: "the smaller of x and y, NaN if either is.",
		body: func(m *machine, in []vector) vector {
			x, y := in[0], in[1]
			return m.unlessNaN(m.or(m.min(x, y), m.min(y, x)), x, y)
		},
	},
	kernel{
		name: "greater", vectors: 2, doc: "1[x > y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], gt, in[1]) },
	},
	kernel{
		name: "reaches", vectors: 2, doc: "1[x ≥ y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], ge, in[1]) },
	},
	kernel{
		name: "equal", vectors: 2, doc: "1[x = y], NaN if either is.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], eq, in[1]) },
	},
	kernel{
		name: "positive", vectors: 1, doc: "1[x > 0], NaN of NaN.",
		body: func(m *machine, in []vector) vector { return m.indicator(in[0], gt, m.reg(0)) },
	},
	kernel{
		name: "sign", vectors: 1, doc: "1 with the sign of x; 0 and NaN are themselves.",
		body: func(m *machine, in []vector) vector {
			x := in[0]
			v := m.or(m.and(x, bits(sign)), bits(one))
			m.set(v, m.cmp(x, eq, 0), x)
			m.set(v, m.cmp(x, unordered, x), x)
			return v
		},
	},
	kernel{
		name: "where", vectors: 3, doc: "y where x is not 0, else z.",
		body: func(m *machine, in []vector) vector { return m.choose(m.cmp(in[0], neq, 0), in[1], in[2]) },
	},
}

// unlessNaN replaces v by NaN where x or y is.
func (m *machine) unlessNaN(v, x, y vector) vector {
	m.set(v, m.cmp(x, unordered, y), nan)
	return v
}

// indicator is 1 where the comparison of x with y holds, else 0, NaN where either is.
func (m *machine) indicator(x vector, predicate uint8, y vector) vector {
	return m.unlessNaN(m.keep(m.cmp(x, predicate, y), m.reg(1)), x, y)
}
