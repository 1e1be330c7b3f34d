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
		elementwise1("loggamma", ir.Unary{Vec: kernels.LogGamma},
			func(y, x *Node) *Node { return x.Polygamma(0) }),
		&Primitive{
			Name: "polygamma",
			each: func(at Attr) func(dst, x []float64) {
				if at.Ints[0] == 0 {
					return digammaVec
				}
				return ir.EachOf(polygamma(at.Ints[0]))
			},
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

// LogRising is ln Γ(n+m) − ln Γ(n), element by element, for n, m ≥ 0: by Stirling's series for n of
// at least 20, where the two nearly cancel.
func (n *Node) LogRising(m *Node) *Node {
	least := n.b.Scalar(20)
	far := n.AtLeast(least)
	large := far.Where(n, least)
	sum := large.Add(m)
	logs := large.AddScalar(-0.5).Mul(m.Div(large).Log1p()).Add(m.Mul(sum.Log().AddScalar(-1)))
	return far.Where(logs.Add(sum.stirling()).Sub(large.stirling()),
		n.Add(m).LogGamma().Sub(n.LogGamma()))
}

// stirling is ln Γ(n) − (n − 1/2) ln n + n − ln √2π for n from 20 on.
func (n *Node) stirling() *Node {
	r := n.Inverse()
	s := r.Square()
	series := s.Scale(-1. / 1680).AddScalar(1. / 1260).Mul(s).AddScalar(-1. / 360).Mul(s).AddScalar(
		1. / 12)
	return series.Mul(r)
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

// digammaVec is ψ, by reflection where x is not positive.
func digammaVec(dst, x []float64) {
	var positive [stretch]float64
	for len(x) > 0 {
		n := min(len(x), len(positive))
		p := positive[:n]
		kernels.Digamma(p, x[:n])
		for i, v := range x[:n] {
			if v > 0 {
				dst[i] = p[i]
			} else {
				dst[i] = reflectedDigamma(v)
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

var reflectedDigamma = polygamma(0)

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

// digamma is ψ(x) for x > 0.
func digamma(x float64) float64 {
	v := [1]float64{x}
	kernels.Digamma(v[:], v[:])
	return v[0]
}
