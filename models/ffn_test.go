package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
	"tobac/models"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A naiveNetwork is the slow twin of the feed-forward model: one network after
// the other, row by row.
type naiveNetwork struct {
	x, mask              *mat.Dense // n×d; mask may be nil
	noise, paramVariance float64
	hidden               []int
	activation           func(float64) float64
	bias                 bool
}

func (v *naiveNetwork) vars() int {
	_, d := v.x.Dims()
	return d
}

// sizes are the numbers of units from the input to the output.
func (v *naiveNetwork) sizes() []int { return slices.Concat([]int{v.vars()}, v.hidden, []int{1}) }

// weight and bias read one parameter of layer l of network j, whose blocks lie
// one after the other: weights (d, in, out), then biases (d, out).
func (v *naiveNetwork) weight(theta []float64, l, j, from, to int) float64 {
	in, out := v.sizes()[l], v.sizes()[l+1]
	return theta[v.offset(l)+(j*in+from)*out+to]
}

func (v *naiveNetwork) biasOf(theta []float64, l, j, to int) float64 {
	if !v.bias {
		return 0
	}
	d, in, out := v.vars(), v.sizes()[l], v.sizes()[l+1]
	return theta[v.offset(l)+d*in*out+j*out+to]
}

// offset is where the parameters of layer l begin.
func (v *naiveNetwork) offset(l int) int {
	at, sizes := 0, v.sizes()
	for k := range l {
		at += v.vars() * sizes[k] * sizes[k+1]
		if v.bias {
			at += v.vars() * sizes[k+1]
		}
	}
	return at
}

// mean is the output of network j for one row.
func (v *naiveNetwork) mean(g, theta, row []float64, j int) float64 {
	d, sizes := v.vars(), v.sizes()
	h := make([]float64, d)
	for i := range d {
		h[i] = g[i*d+j] * row[i]
	}
	for l := range len(sizes) - 1 {
		next := make([]float64, sizes[l+1])
		for b := range next {
			next[b] = v.biasOf(theta, l, j, b)
			for a, x := range h {
				next[b] += x * v.weight(theta, l, j, a, b)
			}
			if l < len(sizes)-2 {
				next[b] = v.activation(next[b])
			}
		}
		h = next
	}
	return h[0]
}

// terms are each variable's part of log p(Θ|G) and of log p(D|G,Θ).
func (v *naiveNetwork) terms(g, theta []float64) (prior, data []float64) {
	n, d := v.x.Dims()
	sizes := v.sizes()
	prior, data = make([]float64, d), make([]float64, d)
	for j := range d {
		for l := range len(sizes) - 1 {
			for b := range sizes[l+1] {
				for a := range sizes[l] {
					gate := 1.0
					if l == 0 {
						gate = g[a*d+j]
					}
					prior[j] += gate * lnNormal(v.weight(theta, l, j, a, b), 0, v.paramVariance)
				}
				if v.bias {
					prior[j] += lnNormal(v.biasOf(theta, l, j, b), 0, v.paramVariance)
				}
			}
		}
		for r := range n {
			if v.mask == nil || v.mask.At(r, j) == 0 {
				data[j] += lnNormal(v.x.At(r, j), v.mean(g, theta, v.x.RawRowView(r), j), v.noise)
			}
		}
	}
	return prior, data
}

// A networkCase is a feed-forward model with its twin.
type networkCase struct {
	name string
	naiveNetwork
	lik models.Likelihood
}

// kinked reports whether pre-activations are exactly 0 for a variable without
// parents, where the activation has no derivative.
func (c *networkCase) kinked() bool {
	return !c.bias && math.Abs(c.activation(-1)+c.activation(1)) != 0 && c.activation(0) == 0
}

// networkCases cover one and two hidden layers and none, every activation,
// biases or not, and interventions that leave one variable without rows.
func networkCases(t *testing.T) []networkCase {
	t.Helper()
	activations := map[models.Activation]func(float64) float64{
		models.Relu:    func(x float64) float64 { return math.Max(x, 0) },
		models.Tanh:    math.Tanh,
		models.Sigmoid: sigmoid,
		models.LeakyRelu: func(x float64) float64 {
			if x > 0 {
				return x
			}
			return x / 100
		},
	}
	const n, d = 9, 4
	rng := newRand(71)
	var cases []networkCase
	for i, opt := range []models.FeedForwardOptions{
		{},
		{Hidden: []int{3, 2}},
		{Activation: models.Tanh, Hidden: []int{2}, NoiseVariance: 0.7, ParamVariance: 2.5},
		{Activation: models.Tanh, Hidden: []int{2, 3}, NoBias: true},
		{Activation: models.Sigmoid, Hidden: []int{4}, NoBias: true},
		{Activation: models.Sigmoid, Hidden: []int{2, 2}, ParamVariance: 0.3},
		{Activation: models.LeakyRelu, Hidden: []int{1}},
		{Activation: models.LeakyRelu, Hidden: []int{3, 1, 2}, NoBias: true},
		{Hidden: []int{3}, NoBias: true},
		{Hidden: []int{}},
	} {
		for _, masked := range []bool{false, true} {
			c := networkCase{
				name: fmt.Sprintf("%v %v/bias=%t/masked=%t", opt.Activation, opt.Hidden,
					!opt.NoBias, masked),
				naiveNetwork: naiveNetwork{x: mat.NewDense(n, d, normals(rng, n*d)), noise: 0.1,
					paramVariance: 1, hidden: opt.Hidden, activation: activations[opt.Activation],
					bias: !opt.NoBias},
			}
			if i == 0 {
				c.hidden = []int{5} // the default
			}
			if opt.NoiseVariance != 0 {
				c.noise = opt.NoiseVariance
			}
			if opt.ParamVariance != 0 {
				c.paramVariance = opt.ParamVariance
			}
			var mask mat.Matrix
			if masked {
				c.mask = maskGroups(n, d) // variable 2 has no rows left
				mask = c.mask
			}
			c.lik = must.Get(models.NewFeedForward(c.x, mask, opt))(t)
			cases = append(cases, c)
		}
	}
	return cases
}

// TestNetworkTerms compares each variable's terms with the networks computed
// row by row.
func TestNetworkTerms(t *testing.T) {
	rng := newRand(72)
	for _, c := range networkCases(t) {
		t.Run(c.name, func(t *testing.T) {
			if got, want := c.lik.ParamLen(), c.offset(len(c.sizes())-1); got != want {
				t.Fatalf("got %d parameters, want %d", got, want)
			}
			for _, tg := range graphs(rng, c.vars()) {
				theta := normals(rng, c.lik.ParamLen())
				prior, data := termsOf(t, c.lik, tg.g, theta)
				wantPrior, wantData := c.terms(tg.g, theta)
				check(t, tg.kind+": log p(Θ|G)", prior, wantPrior, 1e-13)
				check(t, tg.kind+": log p(D|G,Θ)", data, wantData, 1e-13)
				if c.mask != nil && data[2] != 0 {
					t.Errorf("%s: the variable without rows contributes %v, want 0", tg.kind,
						data[2])
				}
			}
		})
	}
}

// TestNetworkParameters pins the published model: one hidden layer of five units
// with biases has d(5d + 11) parameters, drawn from N(0, σ_p²).
func TestNetworkParameters(t *testing.T) {
	lik := must.Get(models.NewFeedForward(mat.NewDense(1, 20, nil), nil,
		models.FeedForwardOptions{ParamVariance: 4}))(t)
	n, variance := 20*(20*5+11), lik.(models.Gaussian).NoiseVariance(0, 1)
	if got := lik.ParamLen(); got != n || lik.Vars() != 20 || variance != 0.1 {
		t.Errorf("got %d parameters of %d variables, noise variance %v, want %d, 20, 0.1", got,
			lik.Vars(), variance, n)
	}
	theta := make([]float64, n)
	lik.InitParams(theta, newRand(5))
	// 2,220 draws of N(0, 4): mean 0 ± 0.042, variance 4 ± 0.12; four of each.
	mean, square := floats.Sum(theta)/float64(n), floats.Dot(theta, theta)/float64(n)
	if !(math.Abs(mean) <= 0.17) || !(math.Abs(square-4) <= 0.48) {
		t.Errorf("mean %v and mean square %v, want 0 ± 0.17 and 4 ± 0.48", mean, square)
	}
}

// TestNetworkKink pins the convention at the kinks: slope 0 of relu, the mean of
// both slopes of leaky relu. With zero weights into the units every
// pre-activation is 0.
func TestNetworkKink(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 3, -2, 5})
	for act, slope := range map[models.Activation]float64{models.Relu: 0, models.LeakyRelu: 0.505} {
		lik := must.Get(models.NewFeedForward(x, nil, models.FeedForwardOptions{Hidden: []int{1},
			Activation: act, NoBias: true, NoiseVariance: 1}))(t)
		b := autograd.NewBuilder("kink")
		gn, tn := b.Input("g", autograd.Shape{2, 2}),
			b.Input("theta", autograd.Shape{lik.ParamLen()})
		_, data := lik.Terms(gn, tn)
		// Parameters: first layer (2 children, 2 inputs, 1 unit), then output weights.
		theta := []float64{0, 0, 0, 0, 7, 2}
		out := evaluate(t, []*autograd.Node{gn, tn}, [][]float64{{0, 1, 0, 0}, theta},
			b.Grad(data.Sum(), tn)...)
		// ∂/∂w1[1,0] = Σ_n x_n1·w2·slope·x_n0 = (3·1 + 5·(−2))·2·slope.
		check(t, act.String(), out[0][2:3], []float64{-14 * slope}, 1e-15)
	}
}

// gradientsOf finite-differences Σ_j c_j L_j with a random weight for every term,
// with respect to graph and parameters.
func gradientsOf(t *testing.T, lik models.Likelihood, g []float64, theta, weights []float64) error {
	t.Helper()
	d := lik.Vars()
	b := autograd.NewBuilder("terms")
	gn := b.Input("g", autograd.Shape{d, d})
	args := []gradtest.Argument{{Node: gn, Values: g}}
	var tn *autograd.Node
	if n := lik.ParamLen(); n > 0 {
		tn = b.Input("theta", autograd.Shape{n})
		args = append(args, gradtest.Argument{Node: tn, Values: theta})
	}
	prior, data := lik.Terms(gn, tn)
	y := prior.Add(data).Mul(b.Constant(weights, autograd.Shape{d})).Sum()
	return gradtest.CheckGraph(y, args, gradtest.Options{})
}

func TestNetworkGradients(t *testing.T) {
	rng := newRand(74)
	for _, c := range networkCases(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, tg := range graphs(rng, c.vars()) {
				if c.kinked() && tg.kind != "dense" {
					continue // a network without inputs and biases sits at the kink
				}
				if err := gradientsOf(t, c.lik, tg.g, normals(rng, c.lik.ParamLen()),
					normals(rng, c.vars())); err != nil {
					t.Errorf("%s: %v", tg.kind, err)
				}
			}
		})
	}
}

// TestNetworkIsACopy asserts that the model keeps neither the data nor the list
// of layers.
func TestNetworkIsACopy(t *testing.T) {
	x, hidden := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), []int{2}
	lik := must.Get(models.NewFeedForward(x, nil, models.FeedForwardOptions{Hidden: hidden}))(t)
	theta := normals(newRand(76), lik.ParamLen())
	_, want := termsOf(t, lik, []float64{0, 1, 0, 0}, theta)
	x.Set(0, 0, 99)
	hidden[0] = 7
	_, got := termsOf(t, lik, []float64{0, 1, 0, 0}, theta)
	check(t, "terms after the caller changed its values", got, want, 0)
}

func TestNetworkErrors(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for _, tt := range []struct {
		name    string
		x, mask mat.Matrix
		opt     models.FeedForwardOptions
		want    string
	}{
		{"no data", &mat.Dense{}, nil, models.FeedForwardOptions{},
			"models: feed-forward model: got 0 rows of 0 variables, want at least one of each"},
		{"hidden size 0", x, nil, models.FeedForwardOptions{Hidden: []int{5, 0}},
			"models: feed-forward model: hidden layer 2 has 0 units, want at least 1"},
		{"hidden size below 0", x, nil, models.FeedForwardOptions{Hidden: []int{-5}},
			"models: feed-forward model: hidden layer 1 has -5 units, want at least 1"},
		{"activation", x, nil, models.FeedForwardOptions{Activation: 4},
			"models: feed-forward model: unknown activation models.Activation(4)"},
		{"noise variance", x, nil, models.FeedForwardOptions{NoiseVariance: -1},
			"models: feed-forward model: noise variance -1 and parameter variance 1, want finite " +
				"positive numbers"},
		{"parameter variance", x, nil, models.FeedForwardOptions{ParamVariance: math.Inf(1)},
			"models: feed-forward model: noise variance 0.1 and parameter variance +Inf, want " +
				"finite positive numbers"},
		{"not a number", mat.NewDense(1, 2, []float64{1, math.NaN()}), nil,
			models.FeedForwardOptions{},
			"models: data row 1, column 2 is NaN, want a finite number"},
		{"mask size", x, mat.NewDense(2, 3, nil), models.FeedForwardOptions{},
			"models: mask of interventions is 2×3, want 2×2 as the data"},
		{"mask value", x, mat.NewDense(2, 2, []float64{0, 0, 0.5, 0}), models.FeedForwardOptions{},
			"models: mask of interventions in row 2, column 1 is 0.5, want 0 or 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := models.NewFeedForward(tt.x, tt.mask, tt.opt)
			checkError(t, "NewFeedForward", err, tt.want)
		})
	}
}
