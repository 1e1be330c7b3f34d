package autograd_test

import (
	"fmt"
	"math"
	"strings"

	ad "tobac/autograd"
)

// A meaning is one row of the test of special values: an operation, and its definition
// for single numbers in plain Go.
type meaning struct {
	op, name string
	build    func(lanes *ad.Axis, x []*ad.Node) *ad.Node // of vectors of one length
	value    func(x []float64) answer
	slopes   []func(x []float64) answer // nil means no derivative, or none that is looked at

	arity   int
	only    []string                    // roles of the operands; nil means all
	expands bool                        // the result has lanes where the operand has none
	whole   bool                        // of matrices, lane by lane: many lanes are like few
	valid   func(i int, v float64) bool // the domain of operand i; nil means all numbers
	instead float64                     // of numbers outside the domain
}

// roles are the patterns of operands that a row is checked with.
func (m meaning) roles() []string {
	switch {
	case m.only != nil:
		return m.only
	case m.arity == 1:
		return []string{"l", "u"}
	case m.arity == 2:
		return []string{"ll", "ul", "lu", "uu", "cl", "lc", "kl", "lk"}
	case m.arity == 3:
		return []string{"lll", "ull", "lul", "llu", "uul", "cll", "lcl", "llc", "uuu"}
	}
	return []string{"llll", "uull", "lluu", "ccll", "llcc", "uuuu"}
}

// An exception is a number that the compiled engine may return instead, as the package
// documentation says.
type exception struct {
	op     string
	reason string
	// instead are the numbers that the value (operand −1), or the derivative with
	// respect to an operand, may have; constant says which operands are constant.
	instead func(operand int, x []float64, constant []bool) []float64
}

// exceptions are all of them.
func exceptions() []exception {
	zeroConstant := func(x []float64, constant []bool, i int) bool {
		return constant[i] && x[i] == 0
	}
	return []exception{
		{"mul",
			"a structural zero times an infinity or NaN is 0, and a structural zero has no sign",
			func(operand int, x []float64, constant []bool) []float64 {
				switch {
				case len(x) == 1 || !zeroConstant(x, constant, 0) && !zeroConstant(x, constant, 1):
					return nil
				// a third operand is added, or the product subtracted from it
				case len(x) == 3 && operand < 0:
					return []float64{x[2]}
				}
				return []float64{0}
			}},
		{"div", "a structural zero divided by anything is 0, and a structural zero has no sign",
			func(operand int, x []float64, constant []bool) []float64 {
				if zeroConstant(x, constant, 0) {
					return []float64{0}
				}
				return nil
			}},
		{"add", "what is added to a structural zero is copied, with the sign of its zero",
			func(operand int, x []float64, constant []bool) []float64 {
				if len(x) == 2 && x[0] == 0 && x[1] == 0 && (constant[0] || constant[1]) {
					return []float64{0}
				}
				return nil
			}},
		{"sub", "what is subtracted from a structural zero is negated, with the sign of its zero",
			func(operand int, x []float64, constant []bool) []float64 {
				if len(x) == 2 && x[0] == 0 && x[1] == 0 && (constant[0] || constant[1]) {
					return []float64{0}
				}
				return nil
			}},
		{"matmul", "a structural zero times an infinity or NaN is 0",
			func(operand int, x []float64, constant []bool) []float64 {
				return productsWithoutZeros(operand, x, constant)
			}},
		{"atan2", "a structural zero times an infinity or NaN is 0",
			func(operand int, x []float64, constant []bool) []float64 {
				if operand >= 0 && zeroConstant(x, constant, 1-operand) {
					return []float64{0}
				}
				return nil
			}},
		{"power", "the logarithm that stands in for that of a constant 0 is a structural zero",
			func(operand int, x []float64, constant []bool) []float64 {
				if operand == 1 && zeroConstant(x, constant, 0) {
					return []float64{0}
				}
				return nil
			}},
		{"and", "a structural zero and NaN are not both different from 0",
			func(operand int, x []float64, constant []bool) []float64 {
				if zeroConstant(x, constant, 0) || zeroConstant(x, constant, 1) {
					return []float64{0}
				}
				return nil
			}},
	}
}

// productsWithoutZeros is a₀b₀ + a₁b₁ without the products with constant zeros.
func productsWithoutZeros(operand int, x []float64, constant []bool) []float64 {
	if operand >= 0 {
		return nil
	}
	var terms []float64
	for i := range 2 {
		if constant[i] && x[i] == 0 || constant[2+i] && x[2+i] == 0 {
			continue
		}
		terms = append(terms, x[i]*x[2+i])
	}
	return []float64{sum(terms)}
}

// withExceptions adds what the compiled engine may return instead.
func (p *meaningRun) withExceptions(operand int, x []float64, want answer) answer {
	constant := make([]bool, len(p.roles))
	for i, role := range p.roles {
		constant[i] = role == 'c' || role == 'k'
	}
	for _, e := range exceptions() {
		if e.op != p.op || !strings.ContainsAny(p.roles, "ck") {
			continue
		}
		if more := e.instead(operand, x, constant); more != nil {
			want.numbers = append(more, want.numbers...)
			want.exact = false
		}
	}
	return want
}

// single is the row of a function of one number with a known derivative.
func single(op, name string, build func(x *ad.Node) *ad.Node,
	f, slope func(x float64) answer) meaning {
	m := meaning{
		op: op, name: name, arity: 1,
		build: func(_ *ad.Axis, x []*ad.Node) *ad.Node { return build(x[0]) },
		value: func(x []float64) answer { return f(x[0]) },
	}
	if slope != nil {
		m.slopes = []func(x []float64) answer{func(x []float64) answer { return slope(x[0]) }}
	}
	return m
}

// several is the row of a function of two or more numbers.
func several(op, name string, arity int, build func(x []*ad.Node) *ad.Node,
	f func(x []float64) answer, slopes ...func(x []float64) answer) meaning {
	return meaning{op: op, name: name, arity: arity, value: f, slopes: slopes,
		build: func(_ *ad.Axis, x []*ad.Node) *ad.Node { return build(x) }}
}

// rounded makes a function of a number into one of an answer.
func rounded(f func(float64) float64) func(float64) answer {
	return func(x float64) answer { return is(f(x)) }
}

// exact does the same where every bit counts.
func exact(f func(float64) float64) func(float64) answer {
	return func(x float64) answer { return exactly(f(x)) }
}

// constantly is a slope that does not depend on the operands.
func constantly(v float64) func([]float64) answer {
	return func([]float64) answer { return is(v) }
}

// meanings are all rows.
func meanings() []meaning {
	all := append(unaryMeanings(), gammaMeanings()...)
	all = append(all, binaryMeanings()...)
	all = append(all, jointMeanings()...)
	all = append(all, layoutMeanings()...)
	all = append(all, functionMeanings()...)
	return append(all, arrayMeanings()...)
}

func logistic(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + math.Exp(-x))
	}
	e := math.Exp(x)
	return e / (1 + e)
}

func softPlus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func signum(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func step(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x <= 0:
		return 0
	}
	return x
}

// logarithm is math.Log, which has no subnormal numbers on some processors.
func logarithm(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

// powerOf is c·x^p by math.Pow, which has no subnormal numbers either, and whose
// exponent p·ln x is rounded.
func powerOf(x, p, c float64) answer {
	y := math.Pow(x, p)
	if x > 0 && x < 0x1p-1022 {
		y = math.Pow(x*0x1p54, p) * math.Pow(0x1p-54, p)
	}
	return answer{numbers: []float64{c * y},
		condition: 1 + min(math.Abs(p*logarithm(math.Abs(x))), 745)}
}

// power is x^p for |p| up to 3, from that of the mantissa: math.Pow goes through the
// logarithm of x.
func power(x, p float64) float64 {
	if x == 0 || x-x != 0 || x < 0 && math.Trunc(p) != p {
		return math.Pow(x, p)
	}
	m, k := math.Frexp(math.Abs(x))
	n := math.RoundToEven(float64(k) * p)
	v := math.Ldexp(math.Pow(m, p)*math.Exp2(math.FMA(float64(k), p, -n)), int(n))
	if x < 0 && math.Mod(p, 2) != 0 {
		return -v
	}
	return v
}

func unaryMeanings() []meaning {
	powers := []float64{3, -1, 0.5, -0.5, 1.5, -2, 1. / 3}
	var all []meaning
	for _, p := range powers {
		all = append(all, single("pow", fmt.Sprintf("to %.3g", p), func(x *ad.Node) *ad.Node {
			return x.Pow(p)
		},
			func(x float64) answer { return is(power(x, p)) }, func(x float64) answer {
				return is(p * power(x, p-1))
			}))
	}
	return append(all,
		single("neg", "neg", (*ad.Node).Neg, exact(func(x float64) float64 { return -x }),
			func(float64) answer { return is(-1) }),
		single("exp", "exp", (*ad.Node).Exp, rounded(math.Exp), rounded(math.Exp)),
		single("log", "log", (*ad.Node).Log, rounded(logarithm), exact(func(x float64) float64 {
			return 1 / x
		})),
		single("log1p", "log1p", (*ad.Node).Log1p, rounded(math.Log1p),
			rounded(func(x float64) float64 { return 1 / (1 + x) })),
		single("expm1", "expm1", (*ad.Node).Expm1, rounded(math.Expm1), rounded(math.Exp)),
		single("sqrt", "sqrt", (*ad.Node).Sqrt, exact(math.Sqrt), rounded(func(x float64) float64 {
			return 0.5 / math.Sqrt(x)
		})),
		single("square", "square", (*ad.Node).Square, exact(func(x float64) float64 {
			return x * x
		}), exact(func(x float64) float64 { return 2 * x })),
		single("square", "second power", func(x *ad.Node) *ad.Node { return x.Pow(2) },
			exact(func(x float64) float64 { return x * x }), exact(func(x float64) float64 {
				return 2 * x
			})),
		single("cube", "cube", (*ad.Node).Cube, rounded(func(x float64) float64 {
			return x * x * x
		}), rounded(func(x float64) float64 { return 3 * (x * x) })),
		single("inverse", "inverse", (*ad.Node).Inverse, exact(func(x float64) float64 {
			return 1 / x
		}), func(x float64) answer { return is(-(1/x)*(1/x), -1/(x*x)) }),
		single("sigmoid", "sigmoid", (*ad.Node).Sigmoid, rounded(logistic), logisticSlope),
		single("sigmoid", "its logarithm", func(x *ad.Node) *ad.Node { return x.Sigmoid().Log() },
			rounded(func(x float64) float64 { return -softPlus(-x) }), func(x float64) answer {
				return is(logistic(-x))
			}),
		single("softplus", "softplus", (*ad.Node).Softplus, rounded(softPlus), rounded(logistic)),
		single("softplus", "log1p of exp", func(x *ad.Node) *ad.Node {
			return x.Exp().Log1p()
		}, rounded(softPlus), rounded(logistic)),
		single("tanh", "tanh", (*ad.Node).Tanh, rounded(math.Tanh), func(x float64) answer {
			y := math.Tanh(x)
			return answer{numbers: []float64{1 - y*y}, scale: 1}
		}),
		single("sin", "sin", (*ad.Node).Sin, rounded(math.Sin), rounded(math.Cos)),
		single("cos", "cos", (*ad.Node).Cos, rounded(math.Cos), rounded(func(x float64) float64 {
			return -math.Sin(x)
		})),
		single("abs", "abs", (*ad.Node).Abs, exact(math.Abs), rounded(signum)),
		single("relu", "relu", (*ad.Node).Relu, exact(func(x float64) float64 { return max(x, 0) }),
			rounded(step)),
		single("sign", "sign", (*ad.Node).Sign, rounded(signum), nil),
		single("positive", "positive", (*ad.Node).Positive, rounded(step), nil),
		single("clamp", "around 0", func(x *ad.Node) *ad.Node { return x.Clamp(-0.5, 2) },
			exact(func(x float64) float64 { return min(max(x, -0.5), 2) }), between(-0.5, 2)),
		single("clamp", "from 0 on", func(x *ad.Node) *ad.Node { return x.Clamp(0, 0.5) },
			exact(func(x float64) float64 { return min(max(x, 0), 0.5) }), between(0, 0.5)),
		single("stop_gradient", "stop gradient", (*ad.Node).StopGradient,
			exact(func(x float64) float64 { return x }), nil),
	)
}

// logisticSlope is σ − σ², whose terms cancel near 1.
func logisticSlope(x float64) answer {
	y := logistic(x)
	return answer{numbers: []float64{y - y*y}, scale: y}
}

// between is the slope of a clamp.
func between(lo, hi float64) func(float64) answer {
	return func(x float64) answer {
		switch {
		case math.IsNaN(x):
			return agreed()
		case lo < x && x < hi:
			return is(1)
		}
		return is(0)
	}
}

// gammaMeanings: below 0 the logarithm of the gamma function is NaN, and its
// derivatives are whatever all engines agree on.
func gammaMeanings() []meaning {
	order := func(n int) func(float64) answer {
		return func(x float64) answer {
			switch {
			case math.IsNaN(x):
				return is(x)
			case x == 0:
				return is(math.NaN(), math.Inf(1), math.Inf(-1))
			case x < 0:
				return agreed()
			case n == 0:
				return answer{numbers: []float64{digamma(x)}, scale: 1}
			}
			return is(polygamma(n, x))
		}
	}
	all := []meaning{
		single("loggamma", "loggamma", (*ad.Node).LogGamma, func(x float64) answer {
			if x < 0 {
				return is(math.NaN())
			}
			if x > 0 && x < 1e-100 { // −ln x up to rounding
				return is(-logarithm(x))
			}
			v, _ := math.Lgamma(x)
			return is(v)
		}, order(0)),
	}
	for n := range 3 {
		all = append(all, single("polygamma", fmt.Sprintf("order %d", n),
			func(x *ad.Node) *ad.Node { return x.Polygamma(n) }, order(n), order(n+1)))
	}
	return all
}
