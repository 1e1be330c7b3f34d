package autograd

import (
	"math"
	"tobac/autograd/internal/ir"

	"gonum.org/v1/gonum/mathext"
)

// maxPolygamma is the largest n for which n! is a float64.
const maxPolygamma = 170

func init() {
	register(
		elementwise1("loggamma", ir.Unary{F: logGamma},
			func(y, x *Node) *Node { return x.Polygamma(0) }),
		&Primitive{
			Name: "polygamma",
			Each: func(at Attr) func(float64) float64 { return polygamma(at.Ints[0]) },
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.Mul(y.args[0].Polygamma(y.attr.Ints[0] + 1))}
			},
		},
	)
}

// LogGamma is ln Γ(x) for x ≥ 0, +∞ at 0, and NaN below 0.
func (n *Node) LogGamma() *Node { return n.op1("loggamma", Attr{}) }

// LogBeta is ln B(n, m) = ln Γ(n) + ln Γ(m) − ln Γ(n+m), element by element, for
// n, m ≥ 0. Its absolute error is that of the largest of the three.
func (n *Node) LogBeta(m *Node) *Node {
	return n.LogGamma().Add(m.LogGamma()).Sub(n.Add(m).LogGamma())
}

// Polygamma is the k-th derivative of the digamma function ψ = (ln Γ)'; k = 0 is ψ
// itself, and k is at most 170, beyond which k! overflows. It has poles at 0 and the
// negative integers: of odd order k it is +∞ there, of even order NaN, since its
// limits differ, but −∞ at +0 and +∞ at −0. It is NaN at −∞.
func (n *Node) Polygamma(k int) *Node {
	if k < 0 {
		return n.b.fail(n.shape, "polygamma: order %d, want at least 0", k)
	}
	if k > maxPolygamma {
		return n.b.fail(n.shape, "polygamma: order %d, want at most %d", k, maxPolygamma)
	}
	return n.op1("polygamma", Attr{Ints: []int{k}})
}

// logGamma is ln Γ(x), which math.Lgamma continues by ln |Γ(x)|.
func logGamma(x float64) float64 {
	if x < 0 {
		return math.NaN()
	}
	v, _ := math.Lgamma(x)
	return v
}

// polygamma is ψ⁽ⁿ⁾. Left of 0 it is that of 1−x, by the reflection formula
// (−1)ⁿ ψ⁽ⁿ⁾(1−x) − ψ⁽ⁿ⁾(x) = π dⁿ/dxⁿ cot πx (DLMF 5.15.6).
func polygamma(n int) func(float64) float64 {
	right := digamma
	if n > 0 {
		// ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹ n! ζ(n+1, x)
		factor := -alternating(n) * math.Gamma(float64(n+1))
		right = func(x float64) float64 { return factor * mathext.Zeta(float64(n+1), x) }
	}
	cot := cotDerivative(n)
	return func(x float64) float64 {
		switch {
		case math.IsInf(x, -1):
			return math.NaN()
		case x > 0 || math.IsNaN(x):
			return right(x)
		case x == math.Trunc(x): // a pole, at which mathext.Zeta panics
			if n%2 == 1 {
				return math.Inf(1)
			}
			if x == 0 {
				return math.Copysign(math.Inf(1), -x)
			}
			return math.NaN()
		}
		// cot has the period 1 in x, and the fraction of x is exact.
		c := 1 / math.Tan(math.Pi*(x-math.RoundToEven(x)))
		return alternating(n)*right(1-x) - cot(c)
	}
}

// alternating is (−1)ⁿ.
func alternating(n int) float64 { return 1 - 2*float64(n%2) }

// cotDerivative is π dⁿ/dxⁿ cot πx as a function of c = cot πx: a polynomial in c,
// since the derivative of p(c) is −π(1+c²) p′(c). Its coefficients have one sign,
// and its powers one parity.
func cotDerivative(n int) func(c float64) float64 {
	p := []float64{0, math.Pi}
	for range n {
		q := make([]float64, len(p)+1)
		for k := 1; k < len(p); k++ {
			q[k-1] -= math.Pi * float64(k) * p[k]
			q[k+1] -= math.Pi * float64(k) * p[k]
		}
		p = q
	}
	return func(c float64) float64 {
		y := 0.0
		for k := len(p) - 1; k >= 0; k-- {
			y = y*c + p[k]
		}
		return y
	}
}

// digamma is ψ(x) for x > 0, to a few units in the last place: the recurrence
// ψ(x) = ψ(x+1) − 1/x up to x ≥ 12, then the asymptotic series. (gonum's Digamma
// is right to 1e-10 only.)
func digamma(x float64) float64 {
	if math.IsInf(x, 1) {
		return x
	}
	shift := 0.0
	for ; x < 12; x++ {
		shift -= 1 / x
	}
	r := 1 / (x * x)
	series := r * (1./12 - r*(1./120-r*(1./252-r*(1./240-r*(1./132-r*(691./32760-r/12))))))
	return shift + math.Log(x) - 0.5/x - series
}
