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
		rest := density.Recursion(first, plain, func(e, x node) node { return x.Sub(theta.Mul(e)) })
		t.Observe(density.Normal(0, sigma), first)
		t.Observe(density.Normal(0, sigma), rest)
	}},
	{Name: "garch-garch11", Model: func(t *density.Trace) {
		y, start := t.Data("y", 200), t.Data("sigma1")
		mu, alpha0 := t.Parameter("mu", density.Real()), t.Parameter("alpha0", density.Positive())
		alpha1 := t.Parameter("alpha1", density.Bounded(0, 1))
		beta1 := t.Parameter("beta1", density.Bounded(0, alpha1.SubFrom(1)))
		fresh := alpha0.Add(alpha1.Mul(y.Slice(0, 0, 199).Sub(mu).Square()))
		v := density.Recursion(start.Square(), fresh, func(v, x node) node {
			return x.Add(beta1.Mul(v))
		})
		t.Observe(density.Normal(mu, start), y.Index(0, 0))
		t.Observe(density.Normal(mu, v.Sqrt()), y.Slice(0, 1, 200))
	}},
	{Name: "hmm_example-hmm_example", Model: func(t *density.Trace) {
		theta1 := t.Parameter("theta1", density.Simplex(), 2)
		theta2 := t.Parameter("theta2", density.Simplex(), 2)
		mu := t.Parameter("mu", density.PositiveOrdered(), 2)
		t.Observe(density.Normal([]float64{3, 10}, 1), mu)
		y := t.Data("y", 100).Reshape(autograd.Shape{100, 1})
		t.Add(hidden(density.Normal(mu, 1).LogProb(y), theta1, theta2))
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

// hidden is the log probability of a series with two hidden states, both with the weight 1 at
// first, by the log density of each row in each state and the probabilities of the next state from
// each.
func hidden(logs, theta1, theta2 node) node {
	next := autograd.Concat(0, theta1, theta2).Log().Reshape(autograd.Shape{2, 2})
	return density.HiddenMarkov(logs.Builder().Scalar(0), next, logs)
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
	t.Add(hidden(emission(phi, tau).LogProb(u).Add(emission(lambda, rho).LogProb(v)),
		theta1, theta2))
}
