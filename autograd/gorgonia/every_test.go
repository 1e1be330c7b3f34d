package gorgonia_test

import (
	"math/rand/v2"

	ad "tobac/autograd"
)

// An expression has the operation that it is named after.
type expression struct {
	name     string
	crossing bool // a mapped axis
	build    func(p *ad.Axis, x, y *ad.Node) *ad.Node
}

// operandsOf declares inputs x and y, (3,3) matrices of numbers between 0.1 and 0.9; with an
// axis x carries it.
func operandsOf(b *ad.Builder, axis bool) (p *ad.Axis, inputs []*ad.Node, at [][]float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	var over []*ad.Axis
	if axis {
		p = b.Axis("p", 3)
		over = append(over, p)
	}
	inputs = []*ad.Node{b.Input("x", ad.Shape{3, 3}, over...), b.Input("y", ad.Shape{3, 3})}
	for _, n := range inputs {
		x := make([]float64, sizeOf(n))
		for e := range x {
			x[e] = 0.1 + 0.8*rng.Float64()
		}
		at = append(at, x)
	}
	return p, inputs, at
}

// everyOperation is an expression of every operation of the table, over (3,3) matrices of
// numbers between 0 and 1.
func everyOperation() (all []expression) {
	type node = *ad.Node
	unary := func(name string, f func(x node) node) {
		all = append(all, expression{name, false, func(_ *ad.Axis, x, _ node) node { return f(x) }})
	}
	binary := func(name string, f func(x, y node) node) {
		all = append(all, expression{name, false, func(_ *ad.Axis, x, y node) node {
			return f(x, y)
		}})
	}
	crossing := func(name string, f func(p *ad.Axis, x node) node) {
		all = append(all, expression{name, true, func(p *ad.Axis, x, _ node) node {
			return f(p, x)
		}})
	}
	// spd is positive definite.
	spd := func(x node) node {
		return x.MatMul(x.T()).Add(x.Builder().Constant([]float64{2, 0, 0, 0, 2, 0, 0, 0, 2},
			ad.Shape{3, 3}))
	}
	for name, f := range map[string]func(node) node{
		"abs": node.Abs, "asinh": node.Asinh, "bessel_ratio": node.BesselRatio, "cos": node.Cos,
		"cosh": node.Cosh, "cube": node.Cube, "erf": node.Erf, "erfc": node.Erfc,
		"erfinv": node.ErfInv,
		"exp":    node.Exp, "expm": node.Expm, "expm1": node.Expm1, "floor": node.Floor,
		"inverse": node.Inverse, "inverse_mills": node.InverseMills, "log": node.Log,
		"log1p": node.Log1p, "log_bessel_i0": node.LogBesselI0, "log_ndtr": node.LogNdtr,
		"loggamma": node.LogGamma, "logit": node.Logit, "ndtr_inv": node.NdtrInv, "neg": node.Neg,
		"positive": node.Positive, "relu": node.Relu, "sigmoid": node.Sigmoid, "sign": node.Sign,
		"sin": node.Sin, "sinh": node.Sinh, "softplus": node.Softplus, "sqrt": node.Sqrt,
		"square": node.Square, "stop_gradient": node.StopGradient, "tan": node.Tan,
		"tanh":      node.Tanh,
		"polygamma": func(x node) node { return x.Polygamma(1) },
		"clamp":     func(x node) node { return x.Clamp(0.3, 0.7) },
		"pow":       func(x node) node { return x.Pow(2.5) },
		"cholesky":  func(x node) node { return spd(x).Cholesky() },
		"expand":    func(x node) node { return x.Index(0, 1).Expand(ad.Shape{2, 3}) },
		"concat":    func(x node) node { return ad.Concat(1, x, x.Neg()) },
		"gather":    func(x node) node { return x.Gather([]int{3, 0, 8, 3}, ad.Shape{4}) },
		"reshape":   func(x node) node { return x.Reshape(ad.Shape{9}) },
		"scatter": func(x node) node {
			return x.ScatterAdd([]int{1, 0, 3, 1, 5, 9, 2, 2, 4}, ad.Shape{10})
		},
		"logsumexp": func(x node) node { return x.LogSumExp(1) },
		"softmax":   func(x node) node { return x.Softmax(0) },
		"max":       func(x node) node { return x.Max(1) },
		"min":       func(x node) node { return x.Min(0) },
		"sum":       func(x node) node { return x.Sum(0) },
		"one_hot":   func(x node) node { return x.Scale(3).Floor().OneHot(3) },
		"take":      func(x node) node { return x.Take(x.Index(0, 0).Scale(3).Floor(), 0) },
		"segment_sum": func(x node) node {
			return x.SegmentSumBy(x.Index(0, 0).Scale(3).Floor(), 3)
		},
		"log_abs_det": func(x node) node { _, l := spd(x).SLogDet(); return l },
		"lu":          func(x node) node { s, _ := spd(x).SLogDet(); return s.Mul(x.Sum()) },
	} {
		unary(name, f)
	}
	for name, f := range map[string]func(x, y node) node{
		"add": node.Add, "and": node.And, "at_least": node.AtLeast, "atan2": node.Atan2,
		"div": node.Div, "equal": node.Equal, "expm_frechet": node.ExpmFrechet,
		"greater": node.Greater, "logaddexp": node.LogAddExp, "matmul": node.MatMul,
		"maximum": node.Maximum, "minimum": node.Minimum, "mul": node.Mul, "or": node.Or,
		"power": node.Power, "sigmoid_shift": node.SigmoidShift, "solve_lower": node.SolveLower,
		"solve_lower_t": node.SolveLowerT, "straight_through": node.StraightThrough,
		"sub": node.Sub,
		"matmul of a stack": func(x, y node) node {
			return x.Reshape(ad.Shape{1, 3, 3}).BatchMatMul(y.Reshape(ad.Shape{1, 3, 3}))
		},
		"lu_solve": func(x, y node) node { return spd(x).Solve(y) },
		"where":    func(x, y node) node { return x.Greater(y).Where(x, y.Exp()) },
	} {
		binary(name, f)
	}
	for name, f := range map[string]func(x node, p *ad.Axis) node{
		"logsumexp_over": node.LogSumExpOver, "max_over": node.MaxOver,
		"softmax_over": node.SoftmaxOver,
		"stack":        node.Stack, "sum_over": node.SumOver,
	} {
		crossing(name, func(p *ad.Axis, x node) node { return f(x, p) })
	}
	crossing("expand_over", func(p *ad.Axis, x node) node {
		return x.SumOver(p).Exp().ExpandOver(p).Mul(x)
	})
	crossing("unstack", func(p *ad.Axis, x node) node { return x.SumOver(p).Unstack(p) })
	// Within the indices of an axis.
	for _, e := range all[:len(all):len(all)] {
		if !e.crossing {
			e.crossing = true
			e.name += " along an axis"
			all = append(all, e)
		}
	}
	return all
}
