package density

import (
	"math"

	"tobac/autograd"

	"gonum.org/v1/gonum/mathext"
)

// A jet is a number with its first two derivatives along a line of parameters.
type jet [3]float64

func constantJet(v float64) jet { return jet{v, 0, 0} }

func (a jet) add(b jet) jet { return jet{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a jet) scale(k float64) jet { return jet{k * a[0], k * a[1], k * a[2]} }

func (a jet) plus(k float64) jet { return jet{a[0] + k, a[1], a[2]} }

func (a jet) mul(b jet) jet {
	return jet{a[0] * b[0], a[1]*b[0] + a[0]*b[1], a[2]*b[0] + 2*a[1]*b[1] + a[0]*b[2]}
}

func (a jet) div(b jet) jet {
	q0 := a[0] / b[0]
	q1 := (a[1] - q0*b[1]) / b[0]
	return jet{q0, q1, (a[2] - 2*q1*b[1] - q0*b[2]) / b[0]}
}

func (a jet) log() jet {
	r := a[1] / a[0]
	return jet{math.Log(a[0]), r, a[2]/a[0] - r*r}
}

func (a jet) logGamma() jet {
	v, _ := math.Lgamma(a[0])
	first := mathext.Digamma(a[0])
	return jet{v, first * a[1], first*a[2] + mathext.Zeta(2, a[0])*a[1]*a[1]}
}

// complement is ln(1 − eᵃ) for a ≤ 0.
func (a jet) complement() jet {
	v := math.Log(-math.Expm1(a[0]))
	if a[0] < -math.Ln2 {
		v = math.Log1p(-math.Exp(a[0]))
	}
	r := math.Exp(a[0] - v)
	return jet{v, -r * a[1], -r*a[2] - r*(1+r)*a[1]*a[1]}
}

// settled reports whether a factor is 1 and constant to the last digits.
func (a jet) settled() bool {
	return math.Abs(a[0]-1) < 4e-16 && math.Abs(a[1]) < 1e-14 && math.Abs(a[2]) < 1e-13
}

// A fraction evaluates b₀ + a₁/(b₁ + a₂/(b₂ + …)) by the modified algorithm of Lentz.
type fraction struct{ value, c, d jet }

func guarded(a jet) jet {
	if math.Abs(a[0]) < 1e-300 {
		a[0] = 1e-300
	}
	return a
}

func newFraction(b0 jet) *fraction {
	b0 = guarded(b0)
	return &fraction{b0, b0, constantJet(0)}
}

// next adds a term, and reports whether the value has settled.
func (f *fraction) next(a, b jet) bool {
	f.d = constantJet(1).div(guarded(b.add(a.mul(f.d))))
	f.c = guarded(b.add(a.div(f.c)))
	factor := f.c.mul(f.d)
	f.value = f.value.mul(factor)
	return factor.settled()
}

// terms is how many terms a series or a fraction has at most; parameters of 10⁶ take fewer.
const terms = 20_000

// logIncompleteGamma are the logarithms of P(a, x) and Q(a, x) = 1 − P, the regularised
// incomplete gamma functions, each to its last digits however small: by the power series
// below a + 1, above by the continued fraction (DLMF 8.7.1, 8.9.2). Large shapes lose the digits of
// the difference of a ln x, x and ln Γ(a).
func logIncompleteGamma(a jet, x float64, upper bool) jet {
	switch {
	case !(a[0] > 0) || !(x >= 0):
		return constantJet(math.NaN())
	case x == 0 || math.IsInf(x, 1):
		if (x == 0) == upper {
			return constantJet(0)
		}
		return constantJet(math.Inf(-1))
	}
	front := a.scale(math.Log(x)).plus(-x)
	if x < a[0]+1 {
		term, sum := constantJet(1), constantJet(1)
		for n := 1.0; n < terms; n++ {
			term = constantJet(x).div(a.plus(n)).mul(term)
			sum = sum.add(term)
			if term[0] < 1e-17*sum[0] && math.Abs(term[1]) < 1e-16*sum[0] &&
				math.Abs(term[2]) < 1e-15*sum[0] {
				break
			}
		}
		p := front.add(a.plus(1).logGamma().scale(-1)).add(sum.log())
		if upper {
			return p.complement()
		}
		return p
	}
	f := newFraction(a.scale(-1).plus(x + 1))
	for n := 1.0; n < terms; n++ {
		if f.next(a.plus(-n).scale(n), a.scale(-1).plus(x+2*n+1)) {
			break
		}
	}
	q := front.add(a.logGamma().scale(-1)).add(f.value.log().scale(-1))
	if upper {
		return q
	}
	return q.complement()
}

// logIncompleteBeta is the logarithm of the regularised incomplete beta function I_x(a, b), with
// y = 1 − x: by the continued fraction of whichever of I_x(a, b) and 1 − I_y(b, a) converges.
func logIncompleteBeta(a, b, x, y jet) jet {
	switch {
	case !(a[0] > 0) || !(b[0] > 0) || !(x[0] >= 0) || !(y[0] >= 0):
		return constantJet(math.NaN())
	case x[0] == 0:
		return constantJet(math.Inf(-1))
	case y[0] == 0:
		return constantJet(0)
	case x[0] > (a[0]+1)/(a[0]+b[0]+2):
		return logBetaFraction(b, a, y, x).complement()
	}
	return logBetaFraction(a, b, x, y)
}

// logBetaFraction is logIncompleteBeta by the continued fraction of I_x(a, b) (DLMF 8.17.22).
func logBetaFraction(a, b, x, y jet) jet {
	one := constantJet(1)
	f := newFraction(one)
	for n := 0.0; n < terms; n++ {
		// d₂ₙ = n(b−n)x/((a+2n−1)(a+2n)), d₂ₙ₊₁ = −(a+n)(a+b+n)x/((a+2n)(a+2n+1))
		if n > 0 {
			f.next(b.plus(-n).scale(n).mul(x).div(a.plus(2*n-1).mul(a.plus(2*n))), one)
		}
		odd := a.plus(n).mul(a.add(b).plus(n)).mul(x).div(a.plus(2 * n).mul(a.plus(2*n + 1)))
		if f.next(odd.scale(-1), one) {
			break
		}
	}
	logBeta := a.logGamma().add(b.logGamma()).add(a.add(b).logGamma().scale(-1))
	front := a.mul(x.log()).add(b.mul(y.log()))
	return front.add(a.log().add(logBeta).add(f.value.log()).scale(-1))
}

// logStudent is the logarithm of the distribution function of Student's t with nu degrees of
// freedom at z: I_x(ν/2, 1/2)/2 with x = ν/(ν + z²) below 0, and its complement.
func logStudent(nu jet, z float64) jet {
	if math.IsNaN(z) {
		return constantJet(z)
	}
	sum := nu.plus(z * z)
	x, y := nu.div(sum), constantJet(z*z).div(sum)
	if math.IsInf(z*z, 0) {
		x, y = constantJet(0), constantJet(1)
	}
	tail := logIncompleteBeta(nu.scale(0.5), constantJet(0.5), x, y).plus(-math.Ln2)
	if z > 0 {
		return tail.complement()
	}
	return tail
}

// A cumulative is the logarithm of a distribution function, by shape parameters and a value. Its
// derivatives by the parameters are operations too, up to the second; those of third
// order are NaN.
type cumulative struct {
	name string
	sign float64 // of the slope: −1 for survival functions
	at   func(p []jet, x float64) jet
	// log is the log density of a value, by its derivatives by the parameters.
	log func(p []*autograd.Node, x *autograd.Node) *autograd.Node
	by  func(p []*autograd.Node, x *autograd.Node) []*autograd.Node

	primitive *autograd.Primitive
}

// derive is a derivative of the value at numbers, by a multi-index of order up to 2.
func (c *cumulative) derive(index []int, p []float64, x float64) float64 {
	along := func(direction ...float64) jet {
		line := make([]jet, len(p))
		for i, v := range p {
			line[i] = jet{v, direction[i], 0}
		}
		return c.at(line, x)
	}
	direction := make([]float64, len(p))
	order := 0
	for i, k := range index {
		direction[i] = math.Min(1, float64(k))
		order += k
	}
	if len(p) == 2 && index[0] == 1 && index[1] == 1 { // (∂₁+∂₂)² − (∂₁−∂₂)² = 4∂₁∂₂
		return (along(1, 1)[2] - along(1, -1)[2]) / 4
	}
	return along(direction...)[order]
}

func newCumulative(c cumulative) *cumulative {
	c.primitive = &autograd.Primitive{
		Name: c.name,
		Shape: func(_ autograd.Attr, in []autograd.Shape) (autograd.Shape, error) {
			return in[0], nil
		},
		Value: func(at autograd.Attr, out []float64, _ autograd.Shape, in [][]float64,
			_ []autograd.Shape) error {
			n := len(in) - 1
			p := make([]float64, n)
			for i := range out {
				for k := range p {
					p[k] = in[k][i]
				}
				out[i] = c.derive(at.Ints, p, in[n][i])
			}
			return nil
		},
		VJP: func(y, ct *autograd.Node) []*autograd.Node {
			operands, index := y.Operands(), y.Attr().Ints
			n := len(operands) - 1
			p, x := operands[:n], operands[n]
			grads := make([]*autograd.Node, n+1)
			order, last := 0, 0
			for i, k := range index {
				if order += k; k > 0 {
					last = i
				}
			}
			if order == 2 {
				for i := range grads {
					grads[i] = ct.Mul(y.Builder().Scalar(math.NaN()))
				}
				return grads
			}
			for i := range n {
				more := append([]int(nil), index...)
				more[i]++
				grads[i] = ct.Mul(c.apply(more, operands))
			}
			// the slope ±exp(log density − value), and its derivative by a parameter
			value := c.apply(make([]int, n), operands)
			slope := c.log(p, x).Sub(value).Exp().Scale(c.sign)
			if order == 1 {
				slope = slope.Mul(c.by(p, x)[last].Sub(y))
			}
			grads[n] = ct.Mul(slope)
			return grads
		},
	}
	return &c
}

func (c *cumulative) apply(index []int, operands []*autograd.Node) *autograd.Node {
	return c.primitive.Apply(autograd.Attr{Ints: index}, operands...)
}

// of is the value as a node, broadcast.
func (c *cumulative) of(x *autograd.Node, p ...*autograd.Node) *autograd.Node {
	all := x
	for _, n := range p {
		all = all.Add(n)
	}
	var operands nodes
	for _, n := range append(p, x) {
		operands = append(operands, n.Expand(all.Shape()))
	}
	return c.apply(make([]int, len(p)), operands)
}

type nodes = []*autograd.Node

func gammaCumulative(name string, sign float64) *cumulative {
	return newCumulative(cumulative{
		name: name,
		sign: sign,
		at:   func(p []jet, x float64) jet { return logIncompleteGamma(p[0], x, sign < 0) },
		log: func(p nodes, x *autograd.Node) *autograd.Node {
			return p[0].AddScalar(-1).Mul(x.Log()).Sub(x).Sub(p[0].LogGamma())
		},
		by: func(p nodes, x *autograd.Node) []*autograd.Node {
			return nodes{x.Log().Sub(p[0].Polygamma(0))}
		},
	})
}

func betaCumulative(name string, sign float64) *cumulative {
	return newCumulative(cumulative{
		name: name,
		sign: sign,
		at: func(p []jet, x float64) jet {
			if sign < 0 { // 1 − I_x(a, b) = I_y(b, a)
				return logIncompleteBeta(p[1], p[0], constantJet(1-x), constantJet(x))
			}
			return logIncompleteBeta(p[0], p[1], constantJet(x), constantJet(1-x))
		},
		log: func(p nodes, x *autograd.Node) *autograd.Node {
			return p[0].AddScalar(-1).Mul(x.Log()).Add(p[1].AddScalar(-1).Mul(x.Neg().Log1p())).
				Sub(p[0].LogBeta(p[1]))
		},
		by: func(p nodes, x *autograd.Node) []*autograd.Node {
			both := p[0].Add(p[1]).Polygamma(0)
			return nodes{
				x.Log().Add(both).Sub(p[0].Polygamma(0)),
				x.Neg().Log1p().Add(both).Sub(p[1].Polygamma(0)),
			}
		},
	})
}

var (
	logGammaP = gammaCumulative("log incomplete gamma", 1)
	logGammaQ = gammaCumulative("log complementary incomplete gamma", -1)

	logBetaI = betaCumulative("log incomplete beta", 1)
	logBetaJ = betaCumulative("log complementary incomplete beta", -1)

	logStudentT = newCumulative(cumulative{
		name: "log distribution function of student t",
		sign: 1,
		at:   func(p []jet, z float64) jet { return logStudent(p[0], z) },
		log: func(p nodes, z *autograd.Node) *autograd.Node {
			return studentLog(z, p[0])
		},
		by: func(p nodes, z *autograd.Node) []*autograd.Node {
			v, s := p[0], z.Square().Div(p[0])
			psi := v.AddScalar(1).Scale(0.5).Polygamma(0).Sub(v.Scale(0.5).Polygamma(0))
			share := s.Div(s.AddScalar(1)).Mul(v.AddScalar(1))
			return nodes{psi.Add(share.AddScalar(-1).Div(v)).Sub(s.Log1p()).Scale(0.5)}
		},
	})
)
