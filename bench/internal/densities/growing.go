package densities

import (
	"math"

	"tobac/autograd"
)

// A Growing is a log density whose size is a parameter. Its data are those of [Weyl], so
// that other programs compute the same numbers without reading a file.
type Growing struct {
	Name   string
	Size   string // what grows
	Values []int  // sizes
	Base   int    // the size at which the number of particles grows

	// At is the number of parameters, and the log density of one particle x of that shape.
	At func(n int) (params int, logp func(x *autograd.Node) *autograd.Node)
}

// Weyl are n numbers between −1 and 1 that look random, from those of one place on: twice
// the fraction of i·α less 1, where α is a square root.
func Weyl(n int, alpha float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*math.Mod(float64(i+1)*alpha, 1) - 1
	}
	return x
}

// Multipliers of [Weyl]: of features, of responses, of points.
const (
	features  = 1.7320508075688772
	responses = 1.4142135623730951
	places    = 2.2360679774997898
)

// Points are particles of a growing density, whatever the number.
func (g *Growing) Points(particles, params int) []float64 {
	x := Weyl(particles*params, places)
	for i := range x {
		x[i] *= 0.2
	}
	return x
}

// Grow lists the growing densities: rows, columns, units, matrices, steps, nodes.
func Grow() []Growing {
	return []Growing{
		{"linear regression", "rows", []int{1_000, 10_000, 100_000, 1_000_000}, 10_000, linearRows},
		{"logistic regression", "rows", []int{1_000, 10_000, 100_000, 1_000_000}, 10_000,
			logisticRows},
		{"mixture of 3", "rows", []int{1_000, 10_000, 100_000}, 10_000, mixtureRows},
		{"negative binomial", "rows", []int{500, 5_000, 50_000}, 5_000, countRows},
		{"logistic regression", "columns", []int{10, 100, 1_000}, 100, logisticColumns},
		{"network", "units", []int{10, 30, 100, 300}, 30, networkUnits},
		{"Gaussian process", "points", []int{25, 50, 100, 200}, 100, processPoints},
		{"log determinant", "variables", []int{10, 20, 50, 100}, 50, determinantVariables},
		{"matrix exponential", "variables", []int{10, 20, 50, 100}, 20, exponentialVariables},
		{"recurrent network", "steps", []int{100, 500, 2_000}, 500, recurrentSteps},
		{"autoregression", "steps", []int{100, 1_000, 10_000}, 1_000, autoregressionSteps},
		{"chain", "nodes", []int{1_000, 10_000, 100_000}, 10_000, chainNodes},
	}
}

func linearRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d = 20
	return d, func(x *autograd.Node) *autograd.Node {
		mean := constant(x, Weyl(n*d, features), n, d).MatVec(x)
		return halfSquare(vector(x, Weyl(n, responses)).Sub(mean)).Add(halfSquare(x))
	}
}

func logisticRows(n int) (int, func(x *autograd.Node) *autograd.Node) { return logistic(n, 20) }

func logisticColumns(d int) (int, func(x *autograd.Node) *autograd.Node) {
	return logistic(1000, d)
}

// logistic is Σ y·η − ln(1 + e^η) with η = X·x and y 0 or 1.
func logistic(n, d int) (int, func(x *autograd.Node) *autograd.Node) {
	return d, func(x *autograd.Node) *autograd.Node {
		y := Weyl(n, responses)
		for i := range y {
			y[i] = math.Round(0.5 + 0.5*y[i])
		}
		eta := constant(x, Weyl(n*d, features), n, d).MatVec(x)
		return vector(x, y).Mul(eta).Sub(eta.Softplus()).Sum().Add(halfSquare(x))
	}
}

// mixtureRows has means, logarithms of scales and logits of three components.
func mixtureRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 9, func(x *autograd.Node) *autograd.Node {
		column := func(from int) *autograd.Node {
			return x.Slice(0, from, from+3).Reshape(autograd.Shape{3, 1})
		}
		y := constant(x, Weyl(n, responses), 1, n)
		z := y.Sub(column(0)).Div(column(3).Exp())
		logits := column(6).Sub(column(6).LogSumExp())
		return z.Square().Scale(-0.5).Sub(column(3)).Add(logits).LogSumExp(0).Sum().Add(
			halfSquare(x))
	}
}

// countRows has five coefficients, an intercept and the logarithm of the dispersion φ:
// Γ(y+φ)/Γ(φ) · (φ/(μ+φ))^φ · (μ/(μ+φ))^y.
func countRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d = 5
	return d + 2, func(x *autograd.Node) *autograd.Node {
		counts := Weyl(n, responses)
		for i := range counts {
			counts[i] = math.Floor(3 + 3*counts[i])
		}
		y, phi := vector(x, counts), at(x, d+1).Exp()
		eta := constant(x, Weyl(n*d, features), n, d).MatVec(x.Slice(0, 0, d)).Add(at(x, d))
		total := eta.Exp().Add(phi).Log()
		terms := y.Add(phi).LogGamma().Sub(phi.LogGamma()).Add(phi.Mul(phi.Log().Sub(total))).Add(
			y.Mul(eta.Sub(total)))
		return terms.Sum().Add(halfSquare(x))
	}
}

// networkUnits is y ~ N(tanh(X W₁ + b₁) w₂ + b₂, √0.1) with 300 rows, 8 inputs and one hidden
// layer.
func networkUnits(h int) (int, func(x *autograd.Node) *autograd.Node) {
	const rows, in = 300, 8
	return (in+2)*h + 1, func(x *autograd.Node) *autograd.Node {
		w1 := x.Slice(0, 0, in*h).Reshape(autograd.Shape{in, h})
		b1, w2 := x.Slice(0, in*h, in*h+h), x.Slice(0, in*h+h, in*h+2*h)
		units := constant(x, Weyl(rows*in, features), rows, in).MatMul(w1).Add(b1).Tanh()
		f := units.MatVec(w2).Add(at(x, in*h+2*h))
		return vector(x, Weyl(rows, responses)).Sub(f).Square().Sum().Scale(-5).Add(halfSquare(x))
	}
}

// processPoints has the covariance a² e^(−(i−j)²/(2ℓ²)) + s² on points 0.1 apart.
func processPoints(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 3, func(x *autograd.Node) *autograd.Node {
		squares := make([]float64, n*n)
		for i := range squares {
			squares[i] = 0.01 * float64((i/n-i%n)*(i/n-i%n))
		}
		amplitude, precision, noise := at(x, 0).Scale(2).Exp(), at(x, 1).Scale(-2).Exp(),
			at(x, 2).Scale(2).Exp()
		k := constant(x, squares, n, n).Mul(precision).Scale(-0.5).Exp().Mul(amplitude)
		l := k.Add(identity(x, n).Mul(noise)).Cholesky()
		z := l.SolveLower(constant(x, Weyl(n, responses), n, 1))
		return halfSquare(z).Sub(l.Diagonal().Log().Sum()).Add(halfSquare(x))
	}
}

// determinantVariables is DAGMA's acyclicity, ln det(I − W∘W), on small weights.
func determinantVariables(d int) (int, func(x *autograd.Node) *autograd.Node) {
	return d * d, func(x *autograd.Node) *autograd.Node {
		w := x.Reshape(autograd.Shape{d, d}).Square().Scale(1 / float64(d))
		_, logAbs := identity(x, d).Sub(w).SLogDet()
		return logAbs.Add(halfSquare(x))
	}
}

// exponentialVariables is NOTEARS's acyclicity, tr e^(W∘W), on small weights.
func exponentialVariables(d int) (int, func(x *autograd.Node) *autograd.Node) {
	return d * d, func(x *autograd.Node) *autograd.Node {
		w := x.Reshape(autograd.Shape{d, d}).Square()
		return w.Expm().Mul(identity(x, d)).Sum().Neg().Add(halfSquare(x))
	}
}

func identity(x *autograd.Node, d int) *autograd.Node {
	eye := make([]float64, d*d)
	for i := range d {
		eye[i*d+i] = 1
	}
	return constant(x, eye, d, d)
}

// recurrentSteps is a recurrent network h ← tanh(W·h + u·x_t + b) of ten units, whose mean
// predicts y_t at every step.
func recurrentSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const h = 10
	return h*h + 2*h, func(x *autograd.Node) *autograd.Node {
		w := x.Slice(0, 0, h*h).Reshape(autograd.Shape{h, h})
		u, b := x.Slice(0, h*h, h*h+h), x.Slice(0, h*h+h, h*h+2*h)
		inputs, outputs := Weyl(n, features), Weyl(n, responses)
		state := b.Scale(0)
		terms := make([]*autograd.Node, n)
		for t := range n {
			state = w.MatVec(state).Add(u.Scale(inputs[t])).Add(b).Tanh()
			err := state.Sum().Scale(1.0 / h).AddScalar(-outputs[t])
			terms[t] = err.Square().Reshape(autograd.Shape{1})
		}
		return autograd.Concat(0, terms[0], terms[1:]...).Sum().Scale(-0.5).Add(halfSquare(x))
	}
}

// autoregressionSteps is a state that follows m ← φ·m + g·(y_t − m), by Scan.
func autoregressionSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 3, func(x *autograd.Node) *autograd.Node {
		phi, gain, logSD := at(x, 0).Tanh(), at(x, 1).Sigmoid(), at(x, 2)
		y := vector(x, Weyl(n, responses))
		_, errs := autograd.Scan(n, []*autograd.Node{at(x, 0).Scale(0)}, []*autograd.Node{y},
			func(_ int, carry, row []*autograd.Node) (next, results []*autograd.Node) {
				err := row[0].Sub(carry[0])
				return []*autograd.Node{phi.Mul(carry[0]).Add(gain.Mul(err))}, []*autograd.Node{err}
			})
		return halfSquare(errs[0].Div(logSD.Exp())).Sub(logSD.Scale(float64(n))).Add(halfSquare(x))
	}
}

// chainNodes is x ← 0.9 sin x again and again, with a factor of each step's own.
func chainNodes(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 1, func(x *autograd.Node) *autograd.Node {
		y := at(x, 0)
		for i := range n / 2 {
			y = y.Sin().Scale(0.9 + 1e-6*float64(i))
		}
		return y
	}
}
