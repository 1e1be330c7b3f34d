package tempering

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/parallel"
	"tobac/internal/vector"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Result is the posterior given an order. Matrices are d×d by the columns of the data, with
// parents as rows.
type Result struct {
	Probabilities *mat.Dense // of edges
	// Difference is between the probabilities of the two chains. RHat compares the variances of
	// their halves with those within: near 1 they agree; +∞ if they are certain of different
	// things.
	Difference, RHat *mat.Dense
	// LogEvidence of each variable, log Σ_A ρ(A)/Σρ · p(x_j|x_A), is the logarithm of the mean of
	// the chains' estimates; EvidenceDifference is between these.
	LogEvidence, EvidenceDifference []float64
	// LogLikelihood is the posterior mean of log p(x_j | parents, first layer, noise variance).
	LogLikelihood []float64
	// of swaps, by variable: the largest of both chains and all temperatures
	Rejections []float64
	Draws      []Draw // of whole networks, independent between variables
}

// A Draw is a network of the posterior.
type Draw struct {
	Graph *dag.Graph // by the columns of the data
	// Parameters are those of [models.NewFeedForward] with one hidden layer, in order coordinates,
	// with the logarithms of the noise variances as the last d where they are not given. Weights of
	// others than parents are 0.
	Parameters []float64
}

// Run samples the posterior of parents and networks given a causal order, the columns with sources
// first. x is n×d, and intervened nil or n×d with 1 where an entry was set by intervention. The
// prior's forbidden edges are no parents, and edges against the order are none; a required edge
// against it is an error. A cancelled context is returned as its cause.
func Run(ctx context.Context, x, intervened mat.Matrix, order []int, prior Prior,
	cfg Config) (*Result, error) {
	nodes, err := newNodes(x, intervened, order, prior, &cfg)
	if err != nil {
		return nil, err
	}
	d := len(nodes)
	all := make([]*chain, d*chains)
	// The last variables have most candidates: they come first.
	err = parallel.For(ctx, len(all), cfg.Workers, func(k int) error {
		c := nodes[d-1-k/chains].newChain(k % chains)
		all[(d-1-k/chains)*chains+k%chains] = c
		return c.run(ctx)
	})
	if err != nil {
		return nil, err
	}
	return newResult(all, order, &cfg), nil
}

// check fills in the defaults of the settings, and finds data that do not suit.
func check(x, intervened mat.Matrix, cfg *Config) (kernels vector.Set, err error) {
	if *cfg, err = cfg.withDefaults(); err != nil {
		return kernels, err
	}
	if kernels, err = vector.Default(); err != nil {
		return kernels, fmt.Errorf("tempering: %w", err)
	}
	n, d := x.Dims()
	if intervened != nil {
		if r, c := intervened.Dims(); r != n || c != d {
			return kernels,
				fmt.Errorf("tempering: marks of interventions are %d×%d, want %d×%d like the data",
					r, c, n, d)
		}
	}
	for i := range n {
		for j := range d {
			if v := x.At(i, j); v-v != 0 {
				return kernels,
					fmt.Errorf("tempering: data row %d, column %d is %v, want a finite number", i+1,
						j+1, v)
			}
		}
	}
	return kernels, nil
}

// newNodes checks data, order and settings, whose defaults it fills in. Nodes are in the sequence
// of the order.
func newNodes(x, intervened mat.Matrix, order []int, prior Prior, cfg *Config) ([]*node, error) {
	kernels, err := check(x, intervened, cfg)
	if err != nil {
		return nil, err
	}
	_, d := x.Dims()
	if prior == nil {
		return nil, errors.New("tempering: no prior")
	}
	if sorted := slices.Sorted(slices.Values(order)); len(order) != d ||
		slices.ContainsFunc(order, func(j int) bool { return j < 0 || j >= d }) ||
		len(slices.Compact(sorted)) != d {
		return nil, fmt.Errorf("tempering: order %v, want every column from 0 to %d once", order,
			d-1)
	}
	var nodes []*node
	for at, j := range order {
		for _, i := range order[at:] {
			if i != j && prior.Required(i, j) {
				return nil, fmt.Errorf("tempering: the edge %d → %d is required, but column %d "+
					"comes later in the order", i, j, i)
			}
		}
		v := newNode(x, intervened, j, order[:at], prior, cfg, kernels)
		var required []int
		for k, r := range v.required {
			if r {
				required = append(required, v.candidates[k])
			}
		}
		if math.IsInf(prior.LogPrior(j, required), -1) {
			return nil, fmt.Errorf(
				"tempering: the prior rules out the required parents %v of column %d", required, j)
		}
		nodes = append(nodes, v)
	}
	return nodes, nil
}

// newResult puts the chains together, two for each variable of the order.
func newResult(all []*chain, order []int, cfg *Config) *Result {
	d := len(order)
	r := &Result{
		Probabilities: mat.NewDense(d, d, nil), Difference: mat.NewDense(d, d, nil),
		RHat:        mat.NewDense(d, d, nil),
		LogEvidence: make([]float64, d), EvidenceDifference: make([]float64, d),
		LogLikelihood: make([]float64, d), Rejections: make([]float64, d),
	}
	for pair := range slices.Chunk(all, chains) {
		j := pair[0].column
		for i, column := range pair[0].candidates {
			p, q := pair[0].probability(i), pair[1].probability(i)
			r.Probabilities.Set(column, j, (p+q)/2)
			r.Difference.Set(column, j, math.Abs(p-q))
			r.RHat.Set(column, j, scaleReduction(pair, i))
		}
		e, f := pair[0].logEvidence(), pair[1].logEvidence()
		r.LogEvidence[j] = logMean([2]float64{e, f})
		r.EvidenceDifference[j] = math.Abs(e - f)
		r.LogLikelihood[j] = (pair[0].evidences.value + pair[1].evidences.value) / 2
		r.Rejections[j] = math.Max(floats.Max(pair[0].rejections()),
			floats.Max(pair[1].rejections()))
	}
	if len(all) > 0 {
		for k := range cfg.Draws {
			r.Draws = append(r.Draws, newDraw(all, order, k, cfg))
		}
	}
	return r
}

// scaleReduction is R̂ of the indicator of candidate i over the halves of the chains [4].
func scaleReduction(pair []*chain, i int) float64 {
	var means []float64
	n, within := math.Inf(1), 0.0
	for _, c := range pair {
		for half, count := range c.counts {
			p := float64(count[i]) / float64(c.kept[half])
			means = append(means, p)
			within += p * (1 - p)
			n = math.Min(n, float64(c.kept[half]))
		}
	}
	m := float64(len(means))
	within *= n / (n - 1) / m
	between, mean := 0.0, floats.Sum(means)/m
	for _, p := range means {
		between += (p - mean) * (p - mean) / (m - 1)
	}
	if between == 0 {
		return 1
	}
	return math.Sqrt((n-1)/n + between/within)
}

// newDraw is network number k of all variables: one of each chain in turn.
func newDraw(all []*chain, order []int, k int, cfg *Config) Draw {
	networks := make([]*network, len(order))
	for c, j := range order {
		networks[j] = &all[c*chains+k%chains].draws[k/chains]
	}
	return assemble(networks, order, cfg)
}

// assemble is the draw of all networks, by variable, with its parameters in the coordinates of an
// order.
func assemble(networks []*network, order []int, cfg *Config) Draw {
	d, h := len(order), cfg.Hidden
	at := dag.Inverse(order)
	biases := 1
	if cfg.NoBias {
		biases = 0
	}
	second := d*d*h + biases*d*h
	n := second + d*h + biases*d
	own := 0
	if cfg.NoiseVariance == 0 {
		own = d
	}
	draw := Draw{Graph: dag.New(d), Parameters: make([]float64, n+own)}
	theta := draw.Parameters
	for c, j := range order {
		net := networks[j]
		for m, i := range net.parents {
			draw.Graph.Set(i, j, true)
			copy(theta[(c*d+at[i])*h:], net.weights[m*h:(m+1)*h])
		}
		if biases == 1 {
			copy(theta[d*d*h+c*h:], net.biases)
			theta[second+d*h+c] = net.output[h]
		}
		copy(theta[second+c*h:], net.output[:h])
		if own > 0 {
			theta[n+c] = net.logs
		}
	}
	return draw
}
