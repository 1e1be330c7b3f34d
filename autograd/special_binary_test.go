package autograd_test

import (
	"math"

	ad "tobac/autograd"
)

func binaryMeanings() []meaning {
	first := func(f func(a, b float64) answer) func(x []float64) answer {
		return func(x []float64) answer { return f(x[0], x[1]) }
	}
	plain := func(f func(a, b float64) float64) func(x []float64) answer {
		return first(func(a, b float64) answer { return exactly(f(a, b)) })
	}
	shift := several("sigmoid_shift", "sigmoid shift", 2, func(x []*ad.Node) *ad.Node {
		return x[0].SigmoidShift(x[1])
	},
		first(func(a, u float64) answer { return is(shifted(a, u)) }),
		first(func(a, u float64) answer {
			y := shifted(a, u)
			return answer{numbers: []float64{y - y*y}, scale: y}
		}))
	shift.valid, shift.instead = func(i int, v float64) bool { return i == 0 || 0 < v && v < 1 },
		0.25
	return []meaning{
		several("add", "sum", 2, func(x []*ad.Node) *ad.Node { return x[0].Add(x[1]) },
			plain(func(a, b float64) float64 { return a + b }), constantly(1), constantly(1)),
		several("sub", "difference", 2, func(x []*ad.Node) *ad.Node { return x[0].Sub(x[1]) },
			plain(func(a, b float64) float64 { return a - b }), constantly(1), constantly(-1)),
		several("mul", "product", 2, func(x []*ad.Node) *ad.Node { return x[0].Mul(x[1]) },
			plain(func(a, b float64) float64 { return a * b }),
			plain(func(_, b float64) float64 { return b }), plain(func(a, _ float64) float64 {
				return a
			})),
		several("div", "quotient", 2, func(x []*ad.Node) *ad.Node { return x[0].Div(x[1]) },
			plain(func(a, b float64) float64 { return a / b }),
			plain(func(_, b float64) float64 { return 1 / b }),
			first(func(a, b float64) answer { return is(-(1/b)*(a/b), -(a/b)/b, -a/(b*b)) })),
		several("maximum", "maximum", 2, func(x []*ad.Node) *ad.Node { return x[0].Maximum(x[1]) },
			plain(math.Max), largerShare(1), largerShare(-1)),
		several("minimum", "minimum", 2, func(x []*ad.Node) *ad.Node { return x[0].Minimum(x[1]) },
			plain(math.Min), largerShare(-1), largerShare(1)),
		several("greater", "greater", 2, func(x []*ad.Node) *ad.Node { return x[0].Greater(x[1]) },
			first(func(a, b float64) answer {
				switch {
				case a > b:
					return is(1)
				case a <= b:
					return is(0)
				}
				return is(math.NaN())
			})),
		several("straight_through", "straight through", 2, func(x []*ad.Node) *ad.Node {
			return x[0].StraightThrough(x[1])
		},
			plain(func(a, _ float64) float64 { return a }), nil, constantly(1)),
		shift,
		several("where", "where", 3, func(x []*ad.Node) *ad.Node { return x[0].Where(x[1], x[2]) },
			func(x []float64) answer {
				if x[0] != 0 {
					return exactly(x[1])
				}
				return exactly(x[2])
			}, nil,
			func(x []float64) answer { return is(chosen(x[0], 1, 0)) },
			func(x []float64) answer { return is(chosen(x[0], 0, 1)) }),
	}
}

// chosen is a where the condition is not 0.
func chosen(condition, a, b float64) float64 {
	if condition != 0 {
		return a
	}
	return b
}

// largerShare is the derivative of the operand that wins where the difference has the
// sign, and half at a tie.
func largerShare(sign float64) func(x []float64) answer {
	return func(x []float64) answer {
		switch a, b := sign*x[0], sign*x[1]; {
		case a > b:
			return is(1)
		case a < b:
			return is(0)
		case a == b:
			return is(0.5)
		}
		return agreed()
	}
}

// shifted is σ(x + logit u).
func shifted(x, u float64) float64 {
	if x >= 0 {
		return u / (u + (1-u)*math.Exp(-x))
	}
	v := u * math.Exp(x)
	return v / (v + (1 - u))
}

// jointMeanings are reductions of elements, products of matrices, and expressions that
// the compiler has operations of its own for.
func jointMeanings() []meaning {
	weight := func(i int) func(x []float64) answer {
		return func(x []float64) answer { return weightOf(x, i) }
	}
	total := func(x []float64) answer { return logSumExpOf(x) }
	return []meaning{
		several("sum", "of two elements", 2, func(x []*ad.Node) *ad.Node {
			return besideEachOther(x).Sum(1)
		},
			func(x []float64) answer { return is(x[0] + x[1]) }, constantly(1), constantly(1)),
		several("sum", "of three elements", 3, func(x []*ad.Node) *ad.Node {
			return besideEachOther(x).Sum(1)
		},
			func(x []float64) answer {
				return is(x[0]+x[1]+x[2], x[0]+(x[1]+x[2]), x[0]+x[2]+x[1])
			}, constantly(1), constantly(1), constantly(1)),
		several("logsumexp", "of two elements", 2, func(x []*ad.Node) *ad.Node {
			return besideEachOther(x).LogSumExp(1)
		},
			total, weight(0), weight(1)),
		several("logsumexp", "of three elements", 3, func(x []*ad.Node) *ad.Node {
			return besideEachOther(x).LogSumExp(1)
		},
			total, weight(0), weight(1), weight(2)),
		several("matmul", "rows times columns", 4, smallProducts, func(x []float64) answer {
			return sumOfProducts(x[0], x[2], x[1], x[3])
		},
			factor(2), factor(3), factor(0), factor(1)),
		several("mul", "times itself", 1, func(x []*ad.Node) *ad.Node { return x[0].Mul(x[0]) },
			func(x []float64) answer { return exactly(x[0] * x[0]) }, func(x []float64) answer {
				return exactly(x[0] + x[0])
			}),
		several("div", "by itself", 1, func(x []*ad.Node) *ad.Node { return x[0].Div(x[0]) },
			func(x []float64) answer { return exactly(x[0] / x[0]) }),
		several("sub", "from itself", 1, func(x []*ad.Node) *ad.Node { return x[0].Sub(x[0]) },
			func(x []float64) answer { return exactly(x[0] - x[0]) }),
		several("mul", "a product and a sum", 3, func(x []*ad.Node) *ad.Node {
			return x[0].Mul(x[1]).Add(x[2])
		},
			func(x []float64) answer { return sumOfProducts(x[0], x[1], x[2], 1) }, factor(1),
			factor(0), constantly(1)),
		several("mul", "a difference and a product", 3, func(x []*ad.Node) *ad.Node {
			return x[2].Sub(x[0].Mul(x[1]))
		},
			func(x []float64) answer { return sumOfProducts(-x[0], x[1], x[2], 1) }),
		several("square", "of a difference", 2, func(x []*ad.Node) *ad.Node {
			return x[0].Sub(x[1]).Square()
		},
			func(x []float64) answer { d := x[0] - x[1]; return exactly(d * d) },
			func(x []float64) answer { return is(2 * (x[0] - x[1])) }, func(x []float64) answer {
				return is(-2 * (x[0] - x[1]))
			}),
		several("relu", "of a sum", 2, func(x []*ad.Node) *ad.Node { return x[0].Add(x[1]).Relu() },
			func(x []float64) answer { return exactly(max(x[0]+x[1], 0)) },
			func(x []float64) answer { return is(step(x[0] + x[1])) }, func(x []float64) answer {
				return is(step(x[0] + x[1]))
			}),
		several("maximum", "a leaky relu", 1, func(x []*ad.Node) *ad.Node {
			return x[0].LeakyRelu(0.25)
		},
			func(x []float64) answer { return exactly(math.Max(x[0], 0.25*x[0])) }),
		several("where", "a guarded logarithm", 1, func(x []*ad.Node) *ad.Node {
			c, one := x[0].Positive(), x[0].Builder().Scalar(1)
			return c.Where(c.Where(x[0], one).Log(), one)
		}, func(x []float64) answer {
			if step(x[0]) != 0 {
				return is(logarithm(x[0]))
			}
			return is(1)
		}, func(x []float64) answer {
			if step(x[0]) != 0 {
				return is(1 / x[0])
			}
			return is(0)
		}),
	}
}

// smallProducts multiplies, for every element, a row of two with a column of two.
func smallProducts(x []*ad.Node) *ad.Node {
	size := x[0].Shape().Len()
	left, right := ad.Concat(0, x[0], x[1]), ad.Concat(0, x[2], x[3])
	parts := make([]*ad.Node, size)
	for e := range parts {
		parts[e] = left.Gather([]int{e, size + e}, ad.Shape{1, 2}).MatMul(
			right.Gather([]int{e, size + e}, ad.Shape{2, 1})).Reshape(ad.Shape{1})
	}
	return ad.Concat(0, parts[0], parts[1:]...)
}

// sumOfProducts is ab + cd, whichever of the products is rounded.
func sumOfProducts(a, b, c, d float64) answer {
	return answer{
		numbers: []float64{a*b + c*d, math.FMA(a, b, c*d), math.FMA(c, d, a*b)},
		scale:   min(math.Abs(a*b)+math.Abs(c*d), math.MaxFloat64),
	}
}

// plainLogSumExp is ln Σ e^x; NaN if an element is.
func plainLogSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	return top + math.Log(s)
}

// logSumExpOf is ln Σ e^x, rounded relative to the largest element.
func logSumExpOf(x []float64) answer {
	y := plainLogSumExp(x)
	a := is(y)
	for _, v := range x {
		if !math.IsInf(v, 0) {
			a.scale = max(a.scale, math.Abs(v))
		}
	}
	return a
}

// weightOf is e^(x − max x) over its sum; NaN for infinite numbers and 0 for finite ones
// where the largest is infinite.
func weightOf(x []float64, i int) answer {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	y := math.Exp(x[i] - top)
	if math.IsInf(top, 0) {
		return is(y)
	}
	s := 0.0
	for _, v := range x {
		s += math.Exp(v - top)
	}
	a := is(y / s)
	a.scale = a.numbers[0] * (1 + math.Abs(x[i]-top)) // as e^(x − max x − ln Σ)
	return a
}

// layoutMeanings copy numbers, or apply a linear solver to matrices of one element.
func layoutMeanings() []meaning {
	same := func(x []float64) answer { return exactly(x[0]) }
	minus := func(x []float64) answer { return exactly(-x[0]) }
	layout := func(op string, build func(lanes *ad.Axis, x *ad.Node) *ad.Node,
		value func(x []float64) answer, slope float64, only ...string) meaning {
		return meaning{op: op, name: op, arity: 1, only: only, value: value,
			slopes: []func([]float64) answer{constantly(slope)},
			build:  func(lanes *ad.Axis, x []*ad.Node) *ad.Node { return build(lanes, x[0]) }}
	}
	backwards, forwards := make([]int, specialCount), make([]int, specialCount)
	for e := range backwards {
		backwards[e], forwards[e] = specialCount-1-e, e
	}
	turned := make([]int, specialCount)
	for e := range turned {
		turned[e] = (e + specialCount - 9) % specialCount
	}
	repeated := layout("expand_over", func(lanes *ad.Axis, x *ad.Node) *ad.Node {
		return x.ExpandOver(lanes)
	}, same, 1, "u")
	repeated.expands = true
	vector := ad.Shape{specialCount}
	quotient := func(x []float64) answer { return is(x[1] / x[0]) }
	inverse := func(x []float64) answer { return is(1 / x[0]) }
	root := several("cholesky", "of one element", 1, eachMatrix(func(x []*ad.Node) *ad.Node {
		return x[0].Cholesky()
	}),
		func(x []float64) answer { return exactly(math.Sqrt(x[0])) }, func(x []float64) answer {
			return is(0.5 / math.Sqrt(x[0]))
		})
	root.valid, root.instead = func(_ int, v float64) bool { return v > 0 && !math.IsInf(v, 0) }, 2
	solve := func(op string, build func(l, b *ad.Node) *ad.Node) meaning {
		m := several(op, "of one element", 2, eachMatrix(func(x []*ad.Node) *ad.Node {
			return build(x[0], x[1])
		}), quotient, nil, inverse)
		m.only = []string{"ll", "ul", "lu", "uu", "cl", "lc"}
		return m
	}
	return []meaning{
		layout("gather", func(_ *ad.Axis, x *ad.Node) *ad.Node {
			return x.Gather(backwards, vector).Neg().Gather(backwards, vector)
		}, minus, -1),
		layout("concat", func(_ *ad.Axis, x *ad.Node) *ad.Node {
			return ad.Concat(0, x.Slice(0, 9, specialCount), x.Slice(0, 0, 9)).Neg().Gather(turned,
				vector)
		}, minus, -1),
		layout("scatter", func(_ *ad.Axis, x *ad.Node) *ad.Node {
			return x.ScatterAdd(forwards, vector)
		}, func(x []float64) answer { return is(x[0]) }, 1),
		layout("expand", func(_ *ad.Axis, x *ad.Node) *ad.Node {
			return x.Reshape(ad.Shape{specialCount, 1}).Expand(ad.Shape{specialCount,
				2}).Neg().Slice(1, 1, 2).Reshape(vector)
		}, minus, -1),
		layout("reshape", func(_ *ad.Axis, x *ad.Node) *ad.Node {
			return x.Reshape(ad.Shape{4, 6}).T().Neg().T().Reshape(vector)
		}, minus, -1),
		layout("stack", func(lanes *ad.Axis, x *ad.Node) *ad.Node {
			return x.Stack(lanes).Neg().Unstack(lanes)
		}, minus, -1, "l"),
		layout("unstack", func(lanes *ad.Axis, x *ad.Node) *ad.Node {
			return x.Stack(lanes).Unstack(lanes)
		}, same, 1, "l"),
		repeated,
		root,
		solve("solve_lower", (*ad.Node).SolveLower),
		solve("solve_lower_t", (*ad.Node).SolveLowerT),
	}
}
