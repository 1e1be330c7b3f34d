package gflownet

import (
	"math"
	"math/rand/v2"
	"testing"

	ad "tobac/autograd"
	"tobac/autograd/gradtest"
	"tobac/internal/must"
)

// evaluate computes outputs of a graph without mapped axes.
func evaluate(t *testing.T, inputs []*ad.Node, feeds [][]float64, outputs ...*ad.Node) [][]float64 {
	t.Helper()
	run := must.Get(ad.NewEvaluator(inputs, outputs, ad.Options{}))(t)
	defer run.Close()
	dst, src := make([][]float64, len(outputs)), make([]ad.Feed, len(feeds))
	for k, n := range outputs {
		dst[k] = make([]float64, size(n.Shape()))
	}
	for k := range feeds {
		src[k].Data = feeds[k]
	}
	must.Do(t, run.Eval(dst, src))
	return dst
}

// TestLossGolden has the log policy and the loss of the specification.
func TestLossGolden(t *testing.T) {
	b := ad.NewBuilder("golden")
	square := ad.Shape{2, 2}
	logits, stop, allowed := b.Input("logits", square), b.Input("stop", ad.Shape{}),
		b.Input("allowed", square)
	action, given := b.Input("action", ad.Shape{}), b.Input("given", ad.Shape{})
	logEdges, logStop := logPolicy(logits, stop, allowed)
	e := residual(logEdges, logStop, action, given)
	got := evaluate(t, []*ad.Node{logits, stop, allowed, action, given},
		[][]float64{{.3, -.2, .5, .1}, {.4}, {0, 1, 1, 0}, {1}, {2.5 - math.Log(1) + .3}},
		logEdges, logStop, e, huber(e))
	want := [][]float64{{-100001.816201, -2.01620130129, -1.31620130129, -100001.816201},
		{-.5130152524}, {4.30318604889}, {3.80318604889}}
	for k := range want {
		for i, w := range want[k] {
			if g := got[k][i]; !(math.Abs(g-w) <= 1e-10*max(1, math.Abs(w)*1e4)) {
				t.Errorf("output %d, element %d: got %.11f, want %.11f", k, i, g, w)
			}
		}
	}
	for _, e := range []float64{-3, -1, -.4, 0, .7, 1, 5} {
		if got, want := evaluate(t, []*ad.Node{given}, [][]float64{{e}}, huber(given))[0][0],
			huberLoss(e); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("loss of %v: got %v, want %v", e, got, want)
		}
	}
}

// networkCase is a network of three or four variables with every weight drawn, those that
// start at 0 too, in a state with edges.
type networkCase struct {
	set     Settings
	d       int
	weights [][]float64
	seen    []float64
}

func newNetworkCase(set Settings, d int) *networkCase {
	set = set.WithDefaults(d)
	l := &layers{b: ad.NewBuilder("shapes")}
	set.network(l, l.b.Input("seen", ad.Shape{set.Logits.channels(), d, d}))
	rng := rand.New(rand.NewPCG(1, 2))
	c := &networkCase{set: set, d: d}
	for _, p := range l.parameters {
		w := make([]float64, size(p.shape))
		sd := 1.0
		if len(p.shape) > 1 {
			sd = 1 / math.Sqrt(float64(p.shape[0]))
		}
		for i := range w {
			w[i] = sd * rng.NormFloat64()
		}
		c.weights = append(c.weights, w)
	}
	c.seen = make([]float64, set.Logits.channels()*d*d)
	for i := range d {
		for j := range i {
			c.seen[j*d+i] = float64((i + j) % 2) // edges
		}
	}
	for i := d * d; i < len(c.seen); i++ {
		c.seen[i] = rng.Float64()
	}
	return c
}

// TestNetworks compares the forward passes with naive ones, and their gradients, those of
// everything the loss depends on, with differences.
func TestNetworks(t *testing.T) {
	for name, set := range map[string]Settings{
		"graph":       {Policy: Graph, Width: 8},
		"graph plain": {Policy: Graph, Width: 4, Logits: Plain},
		"small":       {Policy: Small},
		"small plain": {Policy: Small, Logits: Plain},
		"paper":       {Policy: Paper},
	} {
		t.Run(name, func(t *testing.T) {
			c := newNetworkCase(set, 3)
			l := &layers{b: ad.NewBuilder("network")}
			seen := l.b.Input("seen", ad.Shape{c.set.Logits.channels(), c.d, c.d})
			edges, stop := c.set.network(l, seen)
			got := evaluate(t, append([]*ad.Node{seen}, l.nodes...),
				append([][]float64{c.seen}, c.weights...), edges, stop)
			wantEdges, wantStop := c.naive()
			for i, want := range append(wantEdges, wantStop) {
				if g := append(got[0],
					got[1]...)[i]; !(math.Abs(g-want) <= 1e-10*(1+math.Abs(want))) {
					t.Errorf("logit %d: got %.12f, want %.12f", i, g, want)
				}
			}
			if c.set.Policy == Paper || name == "small plain" {
				return // the gradient is that of Small, with other sizes
			}
			allowed := make([]float64, c.d*c.d)
			for i := range allowed {
				allowed[i] = float64(i % 2)
			}
			logEdges, logStop := logPolicy(edges, stop, l.b.Constant(allowed, ad.Shape{c.d, c.d}))
			loss := huber(residual(logEdges, logStop, l.b.Scalar(1), l.b.Scalar(-0.3)))
			arguments := []gradtest.Argument{{Node: seen, Values: c.seen}}
			for k, n := range l.nodes {
				arguments = append(arguments, gradtest.Argument{Node: n, Values: c.weights[k]})
			}
			if err := gradtest.CheckGraph(loss, arguments,
				gradtest.Options{Every: 8, Directions: 4}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPaperSize counts the weights of the paper's network.
func TestPaperSize(t *testing.T) {
	const d = 5
	l := &layers{b: ad.NewBuilder("paper")}
	set := Settings{Policy: Paper}.WithDefaults(d)
	set.network(l, l.b.Input("seen", ad.Shape{2, d, d}))
	n := 0
	for _, p := range l.parameters {
		n += size(p.shape)
	}
	if want := 7*691_968 + 2*98_817 + 256*d; n != want {
		t.Errorf("got %d weights, want %d", n, want)
	}
}
