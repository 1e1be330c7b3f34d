package modeltest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/stream"
	"tobac/models"
)

// Likelihood checks a likelihood, as the package comment says, at random graphs
// over its causal order and at initial parameters; all random numbers come from
// the seed. A likelihood that is [models.HardOnly] is looked at in hard graphs
// only, and not differentiated with respect to them. A derivative is wrong, and
// the error a *gradtest.MismatchError, if it differs at several points in a row:
// one may be next to a kink, such as a network of rectifiers has in every row.
//
// The cost is that of one evaluation for each parameter and each variable.
func Likelihood(lik models.Likelihood, seed uint64) error {
	d, n := lik.Vars(), lik.ParamLen()
	if d < 1 || n < 0 {
		return fmt.Errorf(
			"modeltest: got %d variables and %d parameters, want at least one variable", d, n)
	}
	theta, err := initialParams(lik, seed)
	if err != nil {
		return err
	}
	c := &check{lik: lik, d: d, theta: theta, rng: stream.New(seed, stream.Conformance)}
	h, ok := lik.(models.HardOnly)
	c.hardOnly = ok && h.HardOnly()
	kinds := []string{"soft", "hard"}
	if c.hardOnly {
		kinds = kinds[1:]
	}
	for _, kind := range kinds {
		if err := c.at(kind); err != nil {
			return fmt.Errorf("modeltest: %s graph: %w", kind, err)
		}
	}
	return nil
}

// initialParams draws the parameters twice, into memory that holds other numbers.
func initialParams(lik models.Likelihood, seed uint64) ([]float64, error) {
	var draws [2][]float64
	for i := range draws {
		draws[i] = make([]float64, lik.ParamLen())
		for k := range draws[i] {
			draws[i][k] = float64(i) + 0.5
		}
		lik.InitParams(draws[i], stream.New(seed, stream.ConformanceInit))
	}
	for k, v := range draws[0] {
		if v-v != 0 {
			return nil, fmt.Errorf("modeltest: initial parameter %d is %v, want a finite number", k,
				v)
		}
		if v != draws[1][k] {
			return nil, fmt.Errorf("modeltest: initial parameter %d: got %v and %v from one "+
				"seed, want the same number", k, v, draws[1][k])
		}
	}
	return draws[0], nil
}

type check struct {
	lik      models.Likelihood
	d        int
	theta    []float64
	hardOnly bool
	rng      *rand.Rand
}

// at checks everything at one random graph.
func (c *check) at(kind string) error {
	b := autograd.NewBuilder("likelihood")
	g := b.Input("g", autograd.Shape{c.d, c.d})
	inputs := []*autograd.Node{g}
	var theta *autograd.Node
	if len(c.theta) > 0 {
		theta = b.Input("theta", autograd.Shape{len(c.theta)})
		inputs = append(inputs, theta)
	}
	prior, data := c.lik.Terms(g, theta)
	if err := b.Err(); err != nil {
		return err
	}
	for i, terms := range []*autograd.Node{prior, data} {
		if want := (autograd.Shape{c.d}); !terms.Shape().Equal(want) || len(terms.Axes()) > 0 {
			return fmt.Errorf("the terms of log p(%s) have the shape %v, want %v",
				[]string{"Θ|G", "D|G,Θ"}[i], terms.Shape(), want)
		}
	}
	terms := prior.Add(data)
	run, err := autograd.NewEvaluator(inputs, []*autograd.Node{terms}, autograd.Options{})
	if err != nil {
		return err
	}
	defer run.Close()
	if err := c.locality(run, c.graph(kind), kind); err != nil {
		return err
	}
	for range points {
		var mismatch *gradtest.MismatchError
		if err = c.gradients(terms, inputs, c.graph(kind)); !errors.As(err, &mismatch) {
			return err
		}
	}
	return err
}

// points is the number of points at which a derivative must differ.
const points = 4

// graph draws an adjacency above the diagonal.
func (c *check) graph(kind string) []float64 {
	g := make([]float64, c.d*c.d)
	for i := range c.d {
		for j := i + 1; j < c.d; j++ {
			g[i*c.d+j] = c.entry(kind)
		}
	}
	return g
}

func (c *check) entry(kind string) float64 {
	if kind == "hard" {
		return float64(c.rng.IntN(2))
	}
	return 0.1 + 0.8*c.rng.Float64()
}

// locality changes one column of the graph, then one parameter, at a time.
func (c *check) locality(run autograd.Evaluator, graph []float64, kind string) error {
	at := func(g, theta []float64) ([]float64, error) {
		terms, feeds := make([]float64, c.d), []autograd.Feed{{Data: g}}
		if len(theta) > 0 {
			feeds = append(feeds, autograd.Feed{Data: theta})
		}
		err := run.Eval([][]float64{terms}, feeds)
		return terms, err
	}
	want, err := at(graph, c.theta)
	if err != nil {
		return err
	}
	for j, v := range want {
		if v-v != 0 {
			return fmt.Errorf("term %d is %v, want a finite number", j, v)
		}
	}
	for j := 1; j < c.d; j++ {
		g := append([]float64{}, graph...)
		for i := range j {
			if g[i*c.d+j] = c.entry(kind); kind == "hard" {
				g[i*c.d+j] = 1 - graph[i*c.d+j]
			}
		}
		got, err := at(g, c.theta)
		if err != nil {
			return err
		}
		for k := range got {
			if k != j && !same(got[k], want[k]) {
				return fmt.Errorf("term %d changes with column %d of the graph: got %v, want %v", k,
					j, got[k], want[k])
			}
		}
	}
	for p := range c.theta {
		theta := append([]float64{}, c.theta...)
		theta[p] += 0.1 + c.rng.Float64()
		got, err := at(graph, theta)
		if err != nil {
			return err
		}
		owner := -1
		for k := range got {
			if same(got[k], want[k]) {
				continue
			}
			if owner >= 0 {
				return fmt.Errorf("terms %d and %d both change with parameter %d, want one at most",
					owner, k, p)
			}
			owner = k
		}
	}
	return nil
}

// same allows for sums that are taken in another order.
func same(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

// gradients differentiates a random combination of the terms near the initial
// parameters.
func (c *check) gradients(terms *autograd.Node, inputs []*autograd.Node, graph []float64) error {
	if c.hardOnly && len(c.theta) == 0 {
		return nil
	}
	weights := make([]float64, c.d)
	for j := range weights {
		weights[j] = c.rng.NormFloat64()
	}
	args := []gradtest.Argument{{Node: inputs[0], Values: graph, Fixed: c.hardOnly}}
	if len(c.theta) > 0 {
		theta := append([]float64{}, c.theta...)
		for p := range theta {
			theta[p] += 0.1 * c.rng.NormFloat64()
		}
		args = append(args, gradtest.Argument{Node: inputs[1], Values: theta})
	}
	y := terms.Mul(terms.Builder().Constant(weights, autograd.Shape{c.d})).Sum()
	return gradtest.CheckGraph(y, args, gradtest.Options{Step: 1e-3, Seed: c.rng.Uint64()})
}
