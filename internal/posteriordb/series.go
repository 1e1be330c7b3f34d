package posteriordb

import (
	"tobac/autograd"
	"tobac/density"
)

var series = []Posterior{
	{Name: "arK-arK", Model: func(t *density.Trace) {
		y := t.Data("y", 200)
		alpha := t.Sample("alpha", density.Normal(0, 10))
		beta := t.Sample("beta", density.Normal(0, 10), 5)
		sigma := t.Sample("sigma", density.HalfCauchy(2.5))
		mu := alpha
		for k := range 5 {
			mu = mu.Add(beta.Index(0, k).Mul(y.Slice(0, 4-k, 199-k)))
		}
		t.Observe(density.Normal(mu, sigma), y.Slice(0, 5, 200))
	}},
	// The other mode has a moving average that cannot be inverted.
	{Name: "arma-arma11", Modes: true, Model: func(t *density.Trace) {
		y := t.Data("y", 200)
		mu, phi := t.Sample("mu", density.Normal(0, 10)), t.Sample("phi", density.Normal(0, 2))
		theta := t.Sample("theta", density.Normal(0, 2))
		sigma := t.Sample("sigma", density.HalfCauchy(2.5))
		first := y.Index(0, 0).Sub(mu.Add(phi.Mul(mu)))
		plain := y.Slice(0, 1, 200).Sub(mu).Sub(phi.Mul(y.Slice(0, 0, 199)))
		_, rest := autograd.Scan(199, []node{first}, []node{plain},
			func(_ int, e, x []node) (next, y []node) {
				now := x[0].Sub(theta.Mul(e[0]))
				return []node{now}, []node{now}
			})
		t.Observe(density.Normal(0, sigma), first)
		t.Observe(density.Normal(0, sigma), rest[0])
	}},
	{Name: "garch-garch11", Model: func(t *density.Trace) {
		y, start := t.Data("y", 200), t.Data("sigma1")
		mu, alpha0 := t.Parameter("mu", density.Real()), t.Parameter("alpha0", density.Positive())
		alpha1 := t.Parameter("alpha1", density.Bounded(0, 1))
		beta1 := t.Parameter("beta1", density.Bounded(0, alpha1.SubFrom(1)))
		fresh := alpha0.Add(alpha1.Mul(y.Slice(0, 0, 199).Sub(mu).Square()))
		_, v := autograd.Scan(199, []node{start.Square()}, []node{fresh},
			func(_ int, v, x []node) (next, y []node) {
				now := x[0].Add(beta1.Mul(v[0]))
				return []node{now}, []node{now}
			})
		t.Observe(density.Normal(mu, start), y.Index(0, 0))
		t.Observe(density.Normal(mu, v[0].Sqrt()), y.Slice(0, 1, 200))
	}},
	{Name: "hmm_example-hmm_example", Model: func(t *density.Trace) {
		theta1 := t.Parameter("theta1", density.Simplex(), 2)
		theta2 := t.Parameter("theta2", density.Simplex(), 2)
		mu := t.Parameter("mu", density.PositiveOrdered(), 2)
		t.Observe(density.Normal([]float64{3, 10}, 1), mu)
		y := t.Data("y", 100).Reshape(autograd.Shape{100, 1})
		t.Add(forward(density.Normal(mu, 1).LogProb(y), theta1, theta2))
	}},
	// The other modes join the states of speed with the wrong ones of distance.
	{Name: "bball_drive_event_0-hmm_drive_0", Modes: true, Model: func(t *density.Trace) {
		drive(t, density.PositiveOrdered(), func(rate, _ node) density.Distribution {
			return density.Exponential(rate)
		}, nil, nil)
	}},
	{Name: "bball_drive_event_1-hmm_drive_1", Model: func(t *density.Trace) {
		drive(t, density.Ordered(), func(mean, sd node) density.Distribution {
			return density.Normal(mean, sd)
		}, t.Data("tau"), t.Data("rho"))
	}},
}

// forward is the log probability of a series with two hidden states, by the log density of each
// row in each state, and the probabilities of the next state from each.
func forward(logs, theta1, theta2 node) node {
	step := autograd.Concat(0, theta1, theta2).Log().Reshape(autograd.Shape{2, 2})
	n := logs.Shape()[0]
	last, _ := autograd.Scan(n-1, []node{logs.Index(0, 0)}, []node{logs.Slice(0, 1, n)},
		func(_ int, a, x []node) (next, y []node) {
			from := a[0].Reshape(autograd.Shape{2, 1})
			return []node{from.Add(step).LogSumExp(0).Add(x[0])}, nil
		})
	return last[0].LogSumExp()
}

// drive is a model of basketball: speed and distance in two states.
func drive(
	t *density.Trace,
	order density.Constraint,
	emission func(p, sd node) density.Distribution,
	tau, rho node,
) {
	alpha := t.Data("alpha", 2, 2)
	theta1 := t.Sample("theta1", density.Dirichlet(alpha.Index(0, 0)), 2)
	theta2 := t.Sample("theta2", density.Dirichlet(alpha.Index(0, 1)), 2)
	phi, lambda := t.Parameter("phi", order, 2), t.Parameter("lambda", order, 2)
	t.Observe(density.Normal([]float64{0, 3}, 1), phi)
	t.Observe(density.Normal([]float64{0, 3}, 1), lambda)
	u := t.Data("u", 416).Reshape(autograd.Shape{416, 1})
	v := t.Data("v", 416).Reshape(autograd.Shape{416, 1})
	t.Add(forward(emission(phi, tau).LogProb(u).Add(emission(lambda, rho).LogProb(v)),
		theta1, theta2))
}
