package autograd_test

import (
	"math"

	ad "tobac/autograd"
)

// arrayMeanings are operations on whole arrays, of two or three elements or one, whose
// definition is written down in single numbers.
func arrayMeanings() []meaning {
	all := append(extremumMeanings(), softmaxMeanings()...)
	all = append(all, matrixMeanings()...)
	return append(all, positionMeanings()...)
}

// besideEachOther makes columns of vectors.
func besideEachOther(x []*ad.Node) *ad.Node {
	parts := make([]*ad.Node, len(x))
	for i, n := range x {
		parts[i] = n.Reshape(ad.Shape{n.Shape().Len(), 1})
	}
	return ad.Concat(1, parts[0], parts[1:]...)
}

func extremumMeanings() []meaning {
	extremum := func(op, name string, arity int, build func(x *ad.Node, axes ...int) *ad.Node,
		sign float64) meaning {
		m := several(op, name, arity, func(x []*ad.Node) *ad.Node {
			return build(besideEachOther(x), 1)
		},
			func(x []float64) answer { return is(extremeOf(x, sign)) })
		for i := range arity {
			m.slopes = append(m.slopes, func(x []float64) answer {
				return is(tiedShare(x, extremeOf(x, sign), i))
			})
		}
		return m
	}
	return []meaning{
		extremum("max", "of two elements", 2, (*ad.Node).Max, 1),
		extremum("max", "of three elements", 3, (*ad.Node).Max, 1),
		extremum("min", "of two elements", 2, (*ad.Node).Min, -1),
		extremum("min", "of three elements", 3, (*ad.Node).Min, -1),
	}
}

// tiedShare is the derivative of an extremum: those that attain it have equal shares.
func tiedShare(x []float64, top float64, i int) float64 {
	tied := 0.0
	for _, v := range x {
		if v == top {
			tied++
		}
	}
	switch {
	case math.IsNaN(top):
		return top
	case x[i] == top:
		return 1 / tied
	}
	return 0
}

// softmaxMeanings: the cotangents of the other weights are structural zeros, with which
// the mean cotangent is NaN or not where a weight is.
func softmaxMeanings() []meaning {
	first := func(arity int) meaning {
		m := several("softmax", "first of several", arity, func(x []*ad.Node) *ad.Node {
			return besideEachOther(x).Softmax(1).Slice(1, 0,
				1).Reshape(ad.Shape{x[0].Shape().Len()})
		}, func(x []float64) answer { return weightOf(x, 0) })
		for i := range arity {
			m.slopes = append(m.slopes, func(x []float64) answer {
				y := make([]float64, arity)
				for k := range y {
					y[k] = weightOf(x, k).numbers[0]
				}
				mean := y[0]
				for _, w := range y[1:] {
					mean += 0 * w
				}
				ct := 0.0
				if i == 0 {
					ct = 1
				}
				return answer{numbers: []float64{y[i] * (ct - mean), y[i] * (ct - y[0])},
					scale: max(y[i], weightOf(x, i).scale)}
			})
		}
		return m
	}
	return []meaning{first(2), first(3)}
}

// eachMatrix applies a function of matrices to matrices of one element.
func eachMatrix(build func(x []*ad.Node) *ad.Node) func(x []*ad.Node) *ad.Node {
	return func(x []*ad.Node) *ad.Node {
		parts := make([]*ad.Node, x[0].Shape().Len())
		for e := range parts {
			z := make([]*ad.Node, len(x))
			for i, n := range x {
				z[i] = n.Slice(0, e, e+1).Reshape(ad.Shape{1, 1})
			}
			parts[e] = build(z).Reshape(ad.Shape{1})
		}
		return ad.Concat(0, parts[0], parts[1:]...)
	}
}

func matrixMeanings() []meaning {
	regular := func(m meaning) meaning { // 0 and NaN are singular
		m.valid, m.instead = func(i int, v float64) bool { return i > 0 || math.Abs(v) > 0 }, 2
		if m.arity == 2 {
			m.only = []string{"ll", "ul", "lu", "uu", "cl", "lc"}
		}
		return m
	}
	solve := func(name string, build func(a, b *ad.Node) *ad.Node) meaning {
		return regular(several("lu_solve", name, 2, eachMatrix(func(x []*ad.Node) *ad.Node {
			return build(x[0], x[1])
		}),
			func(x []float64) answer { return is(x[1]/x[0], x[1]*(1/x[0])) },
			func(x []float64) answer {
				g := 1 / x[0]
				return is(-g*(x[1]/x[0]), -g*(x[1]*g))
			},
			func(x []float64) answer { return is(1 / x[0]) }))
	}
	exponential := func(a, e float64) answer {
		if math.IsNaN(a-a) || math.IsNaN(e-e) {
			return is(math.NaN())
		}
		y := e * math.Exp(a)
		if math.IsInf(y, 0) || math.IsInf(math.Exp(a), 0) { // or NaN, says the documentation
			return is(y, math.Inf(1), math.Inf(-1), math.NaN())
		}
		return answer{numbers: []float64{y},
			scale: min(math.Abs(y)*(1+math.Abs(a)+math.Abs(e)), math.MaxFloat64)}
	}
	unit := func(x []float64) answer { return exponential(x[0], 1) }
	frechet := several("expm_frechet", "of one element", 2, eachMatrix(func(x []*ad.Node) *ad.Node {
		return x[0].ExpmFrechet(x[1])
	}),
		func(x []float64) answer { return exponential(x[0], x[1]) }, func(x []float64) answer {
			return exponential(x[0], x[1])
		}, unit)
	// Larger ones overflow on the way, and lose what is smaller than their rounding;
	// smaller ones are lost in halving.
	frechet.valid, frechet.instead = func(_ int, v float64) bool {
		size := math.Abs(v)
		return !(size > 50) && !(size < 1e-200) || v == 0 || math.IsInf(v, 0)
	}, 20
	frechet.only = []string{"ll", "ul", "lu", "uu", "cl", "lc"}
	all := []meaning{
		regular(several("lu", "sign of one element", 1, eachMatrix(func(x []*ad.Node) *ad.Node {
			sign, _ := x[0].SLogDet()
			return sign
		}),
			func(x []float64) answer { return is(signum(x[0])) })),
		regular(several("log_abs_det", "of one element", 1, eachMatrix(func(x []*ad.Node) *ad.Node {
			_, y := x[0].SLogDet()
			return y
		}),
			func(x []float64) answer { return is(logarithm(math.Abs(x[0]))) },
			func(x []float64) answer { return is(1 / x[0]) })),
		solve("of one element", (*ad.Node).Solve),
		solve("transposed", (*ad.Node).SolveT),
		several("expm", "of one element", 1, eachMatrix(func(x []*ad.Node) *ad.Node {
			return x[0].Expm()
		}), unit, unit),
		frechet,
		several("matmul", "of a stack", 4, func(x []*ad.Node) *ad.Node {
			n := x[0].Shape().Len()
			left, right := besideEachOther(x[:2]).Reshape(ad.Shape{n, 1, 2}),
				besideEachOther(x[2:]).Reshape(ad.Shape{n, 2, 1})
			return left.BatchMatMul(right).Reshape(ad.Shape{n})
		}, func(x []float64) answer { return sumOfProducts(x[0], x[2], x[1], x[3]) },
			factor(2), factor(3), factor(0), factor(1)),
	}
	for i := range all {
		all[i].whole = all[i].op != "matmul"
	}
	return all
}

// factor is the slope that is an operand.
func factor(i int) func(x []float64) answer {
	return func(x []float64) answer { return is(x[i]) }
}

// positionMeanings read positions as data. They are the same for all numbers, which the
// compiler does not know, or say which numbers are 0.
func positionMeanings() []meaning {
	backwards := func(x *ad.Node) *ad.Node {
		v := make([]float64, specialCount)
		for e := range v {
			v[e] = float64(specialCount - 1 - e)
		}
		c := x.Builder().Constant(v, ad.Shape{specialCount})
		return x.Where(c, c)
	}
	vector := func(op string, build func(x *ad.Node) *ad.Node, value func(x []float64) answer,
		slopes ...func([]float64) answer) meaning {
		return meaning{op: op, name: op, arity: 1, value: value, slopes: slopes,
			build: func(_ *ad.Axis, x []*ad.Node) *ad.Node { return build(x[0]) }}
	}
	return []meaning{
		vector("take", func(x *ad.Node) *ad.Node {
			return x.Take(backwards(x), 0).Neg().Take(backwards(x), 0)
		},
			func(x []float64) answer { return exactly(-x[0]) }, constantly(-1)),
		vector("segment_sum", func(x *ad.Node) *ad.Node {
			return x.SegmentSumBy(backwards(x), specialCount).Neg().SegmentSumBy(backwards(x),
				specialCount)
		}, func(x []float64) answer { return is(-x[0]) }, constantly(-1)),
		vector("one_hot", func(x *ad.Node) *ad.Node {
			b := x.Builder()
			return x.Where(b.Scalar(1), b.Scalar(0)).OneHot(2).Slice(1, 1, 2).Reshape(x.Shape())
		}, func(x []float64) answer { return is(chosen(x[0], 1, 0)) }),
	}
}
