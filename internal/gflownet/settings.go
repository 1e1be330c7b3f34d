package gflownet

import (
	"fmt"
	"math"

	ad "tobac/autograd"
)

// A Policy is how the flow network is represented.
type Policy string

const (
	// Exact flows of all graphs, for at most [MaxExact] variables: nothing is learned.
	Exact Policy = "exact"
	// Graph is a network with one token per variable: one layer of messages along the
	// edges, one of attention, a product of senders and receivers. See [Settings].
	Graph Policy = "graph"
	// Small is the transformer of the paper at a quarter of its width with one block in
	// place of each two or three: one token per pair of variables.
	Small Policy = "small"
	// Paper is the transformer of the paper: five million parameters. Without an
	// accelerator one iteration takes seconds for five variables and minutes for twenty.
	Paper Policy = "paper"
)

// Policies lists all policies.
func Policies() []Policy { return []Policy{Exact, Graph, Small, Paper} }

// Logits says what the outputs of a network are added to.
type Logits string

const (
	// Guided logits are the network's plus those of a policy without parameters, which looks ahead:
	// to the graph that the best single edges lead to, and further edges as if they were
	// independent of each other (guide.go). The network sees the weights of that policy's edges,
	// and arsinh(δ)/5 of every edge, beside the graph, with δ the difference that the edge makes to
	// the log reward.
	Guided Logits = "guided"
	// Plain logits are the network's alone, of the graph alone, as in the paper.
	Plain Logits = "plain"
)

// Settings of a model. The zero value of a field is its default, which
// [Settings.WithDefaults] fills in; several depend on the policy.
//
// The network of Graph, with w = Width, LN a layer norm and d tokens, node by node:
//
//	x₀ = embedding + features·W            features: row and column of the graph and of the allowed edges (guided: and of two numbers for each edge)
//	x₁ = x₀ + relu(Aᵀ LN(x₀) W_in + A LN(x₀) W_out + LN(x₀) W_self + b)
//	x₂ = x₁ + softmax(q kᵀ/√(w/4)) v W_o   four heads, q, k, v linear in LN(x₁)
//	logit of i → j = s_i·r_j/√w + c_ij     s, r = MLPs w → w → w of LN(x₂)
//	logit to stop  = MLP w → w → 1 of the mean of LN(x₂)
//
// Small and Paper are doc.go's transformer with the widths 64 and 256.
type Settings struct {
	Policy Policy // defaults to Exact for at most five variables, else Graph
	Logits Logits // defaults to Guided, but Plain for Paper

	Iterations int // steps after the prefill; default 20,000, 100,000 for Paper, 1 for Exact
	// iterations with uniform actions and without gradient steps; defaults to 100, 1000 for Paper;
	// negative: none
	Prefill int

	Environments int // episodes that run side by side; defaults to 8
	Batch        int // transitions of a gradient step; defaults to 32
	Buffer       int // transitions that are kept; defaults to 100,000
	Width        int // of Graph: size of a node's vector, a multiple of 4; defaults to 64
	// learning rate of Adam; defaults to 10⁻³ for Graph, 3·10⁻⁴ for Small, 10⁻⁵ for Paper
	Rate float64
	// fraction of the iterations over which the rate falls to 0 at the end, linearly; defaults to
	// ½, none for Paper; negative: none
	Decay float64
	Clip  float64 // largest norm of a gradient; defaults to 10; negative: none
	// largest probability to act by the network rather than uniformly; defaults to 0.9
	Exploit float64
	// fraction of the iterations over which that probability grows from 0, linearly; defaults to ½,
	// none with guided logits; negative: none
	Ramp float64
	// gradient steps between copies of the network into the target network; defaults to 100, 1000
	// for Paper
	Refresh int

	// Tolerance, for at most [MaxExact] variables, ends training as soon as the total
	// variation between policy and posterior is not above it, looked at every Look
	// iterations. By default training runs to the end.
	Tolerance float64
	Look      int // defaults to 500
}

// WithDefaults fills in what is zero, for d variables.
func (s Settings) WithDefaults(d int) Settings {
	if s.Policy == "" {
		s.Policy = Graph
		if d <= MaxExact {
			s.Policy = Exact
		}
	}
	paper := s.Policy == Paper
	setDefault(&s.Logits, choose(paper, Plain, Guided))
	switch s.Policy {
	case Exact:
		s.Iterations = 1
		setDefault(&s.Rate, 1e-3)
	case Paper:
		setDefault(&s.Iterations, 100_000)
		setDefault(&s.Rate, 1e-5)
	case Small:
		setDefault(&s.Rate, 3e-4)
	default:
		setDefault(&s.Rate, 1e-3)
	}
	setDefault(&s.Iterations, 20_000)
	setDefault(&s.Prefill, choose(paper, 1000, 100))
	setDefault(&s.Environments, 8)
	setDefault(&s.Batch, 32)
	setDefault(&s.Buffer, 100_000)
	setDefault(&s.Width, 64)
	setDefault(&s.Decay, choose(paper, -1, 0.5))
	setDefault(&s.Clip, 10)
	setDefault(&s.Exploit, 0.9)
	setDefault(&s.Ramp, choose(s.Logits == Guided, -1, 0.5))
	setDefault(&s.Refresh, choose(paper, 1000, 100))
	setDefault(&s.Look, 500)
	return s
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// check names the first setting that is out of range, of settings with defaults.
func (s Settings) check(d int) error {
	switch s.Policy {
	case Graph, Small, Paper:
	case Exact:
		if d > MaxExact {
			return fmt.Errorf("gflownet: policy exact of %d variables, want at most %d, or "+
				"policy graph", d, MaxExact)
		}
	default:
		return fmt.Errorf("gflownet: unknown policy %q, want one of %q", s.Policy, Policies())
	}
	if s.Logits != Guided && s.Logits != Plain {
		return fmt.Errorf("gflownet: unknown logits %q, want %q or %q", s.Logits, Guided, Plain)
	}
	for _, c := range []struct {
		name     string
		v, least int
	}{{"iterations", s.Iterations, 1}, {"environments", s.Environments, 1}, {"batch", s.Batch, 1},
		{"buffer", s.Buffer, s.Batch}, {"width", s.Width, 4}, {"refresh", s.Refresh, 1},
		{"look", s.Look, 1}} {
		if c.v < c.least {
			return fmt.Errorf("gflownet: %s is %d, want at least %d", c.name, c.v, c.least)
		}
	}
	if s.Width%heads != 0 {
		return fmt.Errorf("gflownet: width is %d, want a multiple of %d", s.Width, heads)
	}
	if !(s.Rate > 0) || math.IsInf(s.Rate, 0) {
		return fmt.Errorf("gflownet: rate is %v, want a finite number above 0", s.Rate)
	}
	if !(s.Exploit > 0 && s.Exploit <= 1) {
		return fmt.Errorf("gflownet: exploit is %v, want 0 < exploit <= 1", s.Exploit)
	}
	if !(s.Ramp <= 1) {
		return fmt.Errorf("gflownet: ramp is %v, want at most 1", s.Ramp)
	}
	if !(s.Decay <= 1) {
		return fmt.Errorf("gflownet: decay is %v, want at most 1", s.Decay)
	}
	if math.IsNaN(s.Clip) {
		return fmt.Errorf("gflownet: clip is %v, want a number", s.Clip)
	}
	if !(s.Tolerance >= 0) {
		return fmt.Errorf("gflownet: tolerance is %v, want a number from 0 to 1", s.Tolerance)
	}
	if s.Tolerance > 0 && d > MaxExact {
		return fmt.Errorf("gflownet: tolerance with %d variables, want at most %d: the exact "+
			"posterior is not known for more", d, MaxExact)
	}
	return nil
}

// prefill is the number of iterations before the first gradient step.
func (s Settings) prefill() int { return max(0, s.Prefill) }

// steps is the number of all iterations.
func (s Settings) steps() int {
	if s.Policy == Exact {
		return 1
	}
	return s.prefill() + s.Iterations
}

// exploit is the probability to act by the network in an iteration.
func (s Settings) exploit(iteration int) float64 {
	if iteration < s.prefill() {
		return 0
	}
	if s.Ramp <= 0 {
		return s.Exploit
	}
	return s.Exploit * min(1, float64(iteration-s.prefill())/(s.Ramp*float64(s.Iterations)))
}

// rate is the learning rate of an iteration.
func (s Settings) rate(iteration int) float64 {
	if s.Decay <= 0 {
		return s.Rate
	}
	left := float64(s.steps()-iteration) / (s.Decay * float64(s.Iterations))
	return s.Rate * min(1, left)
}

// Bytes is about the memory that a fit of d variables takes at most, with the scores
// that are remembered and the transitions that are kept.
func Bytes(d int, set Settings, workers int) int64 {
	set = set.WithDefaults(d)
	if set.Policy == Exact {
		graphs := [...]float64{1, 1, 3, 25, 543, 29_281}
		return int64(graphs[min(d, MaxExact)] * float64(16*d+16*d*d+200))
	}
	l := &layers{b: ad.NewBuilder("shapes")}
	set.network(l, l.b.Input("seen", ad.Shape{set.Logits.channels(), d, d}))
	weights := 0
	for _, p := range l.parameters {
		weights += size(p.shape)
	}
	// Weights, moments, gradients, and what the programs keep of them; their gradients of
	// every state of a batch. The factors are measured.
	total := 8*weights*(30+set.Batch+set.Batch/2) + cacheBytes + set.Buffer*transitionBytes(d)
	return int64(total) + int64(8*activations(d, set)*float64(set.Batch)) + int64(workers)<<24
}

// activations is about the number of values that the gradient of one state keeps.
func activations(d int, set Settings) float64 {
	n := float64(d)
	block := func(tokens, width, side float64) float64 {
		return tokens * 2 * (12*width + 4*(width+side))
	}
	switch set.Policy {
	case Graph:
		return n * (30*float64(set.Width) + 30*n)
	case Small:
		return 3 * block(n*n, 64, 32)
	default:
		return 7 * block(n*n, 256, 128)
	}
}
