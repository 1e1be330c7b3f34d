package autograd

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"tobac/autograd/internal/ir"
)

func init() {
	register(
		elementwise1("loggamma", ir.Unary{F: func(x float64) float64 { v, _ := math.Lgamma(x); return v }},
			func(y, x *Node) *Node { return x.Polygamma(0) }),
		&Primitive{
			Name: "polygamma",
			Each: func(at Attr) func(float64) float64 {
				n := at.Ints[0]
				if n == 0 {
					return digamma
				}
				// ψ⁽ⁿ⁾(x) = (−1)ⁿ⁺¹ n! ζ(n+1, x)
				factor := math.Gamma(float64(n + 1))
				if n%2 == 0 {
					factor = -factor
				}
				return func(x float64) float64 { return factor * mathext.Zeta(float64(n+1), x) }
			},
			VJP: func(y, ct *Node) []*Node {
				return []*Node{ct.Mul(y.args[0].Polygamma(y.attr.Ints[0] + 1))}
			},
		},
	)
}

// LogGamma is ln Γ(x) for x > 0.
func (n *Node) LogGamma() *Node { return n.op1("loggamma", Attr{}) }

// Polygamma is the k-th derivative of the digamma function ψ = (ln Γ)' for
// x > 0; k = 0 is ψ itself.
func (n *Node) Polygamma(k int) *Node {
	if k < 0 {
		return n.b.fail(n.shape, "polygamma: order %d, want at least 0", k)
	}
	return n.op1("polygamma", Attr{Ints: []int{k}})
}

// digamma is ψ(x) for x > 0, to a few units in the last place: the recurrence
// ψ(x) = ψ(x+1) − 1/x up to x ≥ 12, then the asymptotic series. (gonum's Digamma
// is right to 1e-10 only.)
func digamma(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return mathext.Digamma(x)
	}
	shift := 0.0
	for ; x < 12; x++ {
		shift -= 1 / x
	}
	r := 1 / (x * x)
	series := r * (1./12 - r*(1./120-r*(1./252-r*(1./240-r*(1./132-r*(691./32760-r/12))))))
	return shift + math.Log(x) - 0.5/x - series
}
