package densities

import (
	"math"

	"tobac/autograd"
)

// Seventeen lists the models with which the library was reviewed from another module, each of
// one size, with the data of [Weyl]. bench/rivals/growth.py has them for JAX.
func Seventeen() []Growing {
	one := func(name, size string, n int,
		at func(n int) (int, func(x *autograd.Node) *autograd.Node)) Growing {
		return Growing{name, size, []int{n}, n, at}
	}
	return []Growing{
		one("eight schools, centred", "schools", 8,
			func(n int) (int, func(x *autograd.Node) *autograd.Node) { return schoolsOf(n, true) }),
		one("eight schools, non-centred", "schools", 8,
			func(n int) (int, func(x *autograd.Node) *autograd.Node) {
				return schoolsOf(n, false)
			}),
		one("logistic regression of 10 columns", "rows", 500,
			func(n int) (int, func(x *autograd.Node) *autograd.Node) { return logistic(n, 10) }),
		one("negative binomial", "rows", 500, countRows),
		one("Gaussian process", "points", 50, processPoints),
		one("normal with LKJ prior, 5 variables", "rows", 50, correlatedRows),
		one("state space by Kalman's filter", "steps", 200, filteredSteps),
		one("mixture of 3", "rows", 500, mixtureRows),
		one("network of 8 inputs", "units", 20, networkUnits),
		one("Student-t equations, soft graph of 5", "rows", 100, softStudentRows),
		one("zero-inflated counts, soft graph of 5", "rows", 100, softCountRows),
		one("matrix exponential", "variables", 20, exponentialVariables),
		one("log determinant", "variables", 20, determinantVariables),
		one("horseshoe of 20 columns", "rows", 100, horseshoeRows),
		one("Lotka–Volterra by Runge and Kutta", "steps", 100, predatorSteps),
		one("GARCH(1,1)", "steps", 200, volatileSteps),
		one("hidden Markov of 2 states", "steps", 100, hiddenSteps),
	}
}

// schoolsOf is Rubin's meta-analysis of coaching, y_j ~ N(θ_j, σ_j), θ_j ~ N(μ, τ), μ ~ N(0, 5),
// τ ~ half-Cauchy(5), with the parameters μ, ln τ and θ_j if centred, else (θ_j − μ)/τ.
func schoolsOf(n int, centred bool) (int, func(x *autograd.Node) *autograd.Node) {
	return n + 2, func(x *autograd.Node) *autograd.Node {
		effect, sd := Weyl(n, responses), Weyl(n, features)
		for i := range n {
			effect[i], sd[i] = 10+15*effect[i], 12+4*sd[i]
		}
		mu, tau, each := at(x, 0), at(x, 1).Exp(), x.Slice(0, 2, 2+n)
		logp := at(x, 1).Sub(tau.Scale(0.2).Square().Log1p()).Sub(mu.Square().Scale(0.02))
		theta := each
		if centred {
			logp = logp.Add(halfSquare(each.Sub(mu).Div(tau))).Sub(at(x, 1).Scale(float64(n)))
		} else {
			theta = mu.Add(tau.Mul(each))
			logp = logp.Add(halfSquare(each))
		}
		return logp.Add(halfSquare(vector(x, effect).Sub(theta).Div(vector(x, sd))))
	}
}

// correlatedRows has partial correlations tanh z, which make the factor of the correlations, and
// logarithms of scales.
func correlatedRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d, pairs = 5, 10
	return pairs + d, func(x *autograd.Node) *autograd.Node {
		z, scales := x.Slice(0, 0, pairs).Tanh(), x.Slice(0, pairs, pairs+d)
		zero, elements := x.Builder().Scalar(0), []*autograd.Node{}
		for i := range d {
			rest := x.Builder().Scalar(1)
			for j := range d {
				switch {
				case j < i:
					p := at(z, i*(i-1)/2+j)
					elements = append(elements, p.Mul(rest.Sqrt()))
					rest = rest.Mul(p.Square().SubFrom(1))
				case j == i:
					elements = append(elements, rest.Sqrt())
				default:
					elements = append(elements, zero)
				}
			}
		}
		l := autograd.Vector(elements[0], elements[1:]...).Reshape(autograd.Shape{d, d})
		l = l.Mul(scales.Exp().Reshape(autograd.Shape{d, 1}))
		rows := l.SolveLower(constant(x, Weyl(n*d, features), n, d).T())
		logDet := l.Diagonal().Log().Sum().Scale(float64(n))
		prior := z.Square().SubFrom(1).Log().Sum().Scale(3)
		return halfSquare(rows).Sub(logDet).Add(prior).Add(halfSquare(scales))
	}
}

func filteredSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 4, func(x *autograd.Node) *autograd.Node {
		phi, q, r, mu := at(x, 0).Tanh(), at(x, 1).Exp(), at(x, 2).Exp(), at(x, 3)
		y := vector(x, Weyl(n, responses))
		_, terms := autograd.Scan(n, []*autograd.Node{x.Builder().Scalar(0), x.Builder().Scalar(1)},
			[]*autograd.Node{y},
			func(_ int, carry, row []*autograd.Node) (next, results []*autograd.Node) {
				mean := phi.Mul(carry[0])
				variance := phi.Square().Mul(carry[1]).Add(q)
				total, err := variance.Add(r), row[0].Sub(mu).Sub(mean)
				gain := variance.Div(total)
				next = []*autograd.Node{mean.Add(gain.Mul(err)), variance.Mul(gain.SubFrom(1))}
				return next, []*autograd.Node{total.Log().Add(err.Square().Div(total))}
			})
		return terms[0].Sum().Scale(-0.5).Add(halfSquare(x))
	}
}

// softGraph are the weights of the edges i → j with i < j of 5 variables, times their
// probabilities.
func softGraph(logits, weights *autograd.Node) *autograd.Node {
	return logits.Sigmoid().Mul(weights).ScatterAdd(autograd.StrictUpper(5), autograd.Shape{5, 5})
}

func softStudentRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d, pairs = 5, 10
	return pairs + d*d, func(x *autograd.Node) *autograd.Node {
		theta := x.Slice(0, pairs, pairs+d*d)
		w := softGraph(x.Slice(0, 0, pairs),
			theta.Gather(autograd.StrictUpper(d), autograd.Shape{pairs}))
		rows := constant(x, Weyl(n*d, features), n, d)
		e := rows.Sub(rows.MatMul(w))
		return e.Square().Scale(0.25).Log1p().Sum().Scale(-2.5).Add(halfSquare(x))
	}
}

func softCountRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d, pairs = 5, 10
	return 2*pairs + 2*d, func(x *autograd.Node) *autograd.Node {
		w := softGraph(x.Slice(0, 0, pairs), x.Slice(0, pairs, 2*pairs))
		bias, zero := x.Slice(0, 2*pairs, 2*pairs+d), x.Slice(0, 2*pairs+d, 2*pairs+2*d)
		counts := Weyl(n*d, responses)
		logs, none := make([]float64, n*d), make([]float64, n*d)
		for i, u := range counts {
			counts[i] = math.Floor(2 + 2*u)
			logs[i] = math.Log1p(counts[i])
			if counts[i] == 0 {
				none[i] = 1
			}
		}
		eta := constant(x, logs, n, d).MatMul(w).Add(bias)
		poisson := constant(x, counts, n, d).Mul(eta).Sub(eta.Exp()).Add(zero.Neg().LogSigmoid())
		inflated := zero.LogSigmoid().Expand(autograd.Shape{n, d}).LogAddExp(poisson)
		return constant(x, none, n, d).Where(inflated, poisson).Sum().Add(halfSquare(x))
	}
}

// halfCauchy is the log density of e^l, up to a constant, with the Jacobian.
func halfCauchy(l *autograd.Node) *autograd.Node {
	return l.Sub(l.Exp().Square().Log1p()).Sum()
}

func horseshoeRows(n int) (int, func(x *autograd.Node) *autograd.Node) {
	const d = 20
	return 2*d + 2, func(x *autograd.Node) *autograd.Node {
		z, local, tau, sigma := x.Slice(0, 0, d), x.Slice(0, d, 2*d), at(x, 2*d), at(x, 2*d+1)
		beta := z.Mul(local.Exp()).Mul(tau.Exp())
		e := vector(x, Weyl(n, responses)).Sub(constant(x, Weyl(n*d, features), n, d).MatVec(beta))
		likelihood := halfSquare(e.Div(sigma.Exp())).Sub(sigma.Scale(float64(n)))
		return likelihood.Add(halfSquare(z)).Add(halfCauchy(local)).Add(halfCauchy(tau)).Add(
			halfSquare(sigma))
	}
}

// predatorSteps has logarithms of four rates, two populations and two scales.
func predatorSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 8, func(x *autograd.Node) *autograd.Node {
		rate := x.Exp()
		a, b, c, d := at(rate, 0), at(rate, 1), at(rate, 2), at(rate, 3)
		slope := func(u, v *autograd.Node) (du, dv *autograd.Node) {
			uv := u.Mul(v)
			return a.Mul(u).Sub(b.Mul(uv)), d.Mul(uv).Sub(c.Mul(v))
		}
		const h = 0.05
		y, w := vector(x, Weyl(n, responses)), vector(x, Weyl(n, features))
		_, states := autograd.Scan(n, []*autograd.Node{at(rate, 4), at(rate, 5)},
			[]*autograd.Node{y},
			func(_ int, s, _ []*autograd.Node) (next, results []*autograd.Node) {
				u, v := s[0], s[1]
				u1, v1 := slope(u, v)
				u2, v2 := slope(u.Add(u1.Scale(h/2)), v.Add(v1.Scale(h/2)))
				u3, v3 := slope(u.Add(u2.Scale(h/2)), v.Add(v2.Scale(h/2)))
				u4, v4 := slope(u.Add(u3.Scale(h)), v.Add(v3.Scale(h)))
				u = u.Add(u1.Add(u2.Scale(2)).Add(u3.Scale(2)).Add(u4).Scale(h / 6))
				v = v.Add(v1.Add(v2.Scale(2)).Add(v3.Scale(2)).Add(v4).Scale(h / 6))
				return []*autograd.Node{u, v}, []*autograd.Node{u, v}
			})
		eu := y.Sub(states[0].Log()).Div(at(rate, 6))
		ev := w.Sub(states[1].Log()).Div(at(rate, 7))
		scales := at(x, 6).Add(at(x, 7)).Scale(float64(n))
		return halfSquare(eu).Add(halfSquare(ev)).Sub(scales).Add(halfSquare(x))
	}
}

func volatileSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 4, func(x *autograd.Node) *autograd.Node {
		mu, omega := at(x, 0), at(x, 1).Exp()
		alpha, beta := at(x, 2).Sigmoid().Scale(0.5), at(x, 3).Sigmoid().Scale(0.5)
		e := vector(x, Weyl(n, responses)).Sub(mu)
		_, variances := autograd.Scan(n, []*autograd.Node{omega}, []*autograd.Node{e.Square()},
			func(_ int, s, square []*autograd.Node) (next, results []*autograd.Node) {
				return []*autograd.Node{omega.Add(alpha.Mul(square[0])).Add(beta.Mul(s[0]))},
					[]*autograd.Node{s[0]}
			})
		v := variances[0]
		return v.Log().Add(e.Square().Div(v)).Sum().Scale(-0.5).Add(halfSquare(x))
	}
}

// hiddenSteps has two means, and the logits of staying in each of two states.
func hiddenSteps(n int) (int, func(x *autograd.Node) *autograd.Node) {
	return 4, func(x *autograd.Node) *autograd.Node {
		means, logits := x.Slice(0, 0, 2), x.Slice(0, 2, 4)
		stay, leave := logits.LogSigmoid(), logits.Neg().LogSigmoid()
		y := vector(x, Weyl(n, responses))
		errs := y.Reshape(autograd.Shape{n, 1}).Sub(means)
		emission := errs.Square().Scale(-0.5)
		half := -math.Ln2
		first, second := emission.Slice(1, 0, 1).Reshape(autograd.Shape{n}),
			emission.Slice(1, 1, 2).Reshape(autograd.Shape{n})
		start := x.Builder().Scalar(half)
		last, _ := autograd.Scan(n, []*autograd.Node{start, start}, []*autograd.Node{first, second},
			func(_ int, s, e []*autograd.Node) (next, results []*autograd.Node) {
				a := at(stay, 0).Add(s[0]).LogAddExp(at(leave, 1).Add(s[1]))
				b := at(leave, 0).Add(s[0]).LogAddExp(at(stay, 1).Add(s[1]))
				return []*autograd.Node{a.Add(e[0]), b.Add(e[1])}, nil
			})
		return last[0].LogAddExp(last[1]).Add(halfSquare(x))
	}
}
