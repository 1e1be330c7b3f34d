package models

import (
	"context"
	"fmt"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// ParameterTarget is log p(Θ|G) + log p(D|G,Θ) with a graph given for each particle, as a scorer
// for package svgd whose one block is Θ (M × ParamLen). It serves one goroutine at a time.
type ParameterTarget struct {
	graphs  []*dag.Graph
	params  int
	scorer  *scorer // nil with flippers
	flipper []Flipper
}

// NewParameterTarget prepares the gradient for graphs in order coordinates, at least one. It panics
// if the likelihood has no parameters.
func NewParameterTarget(lik Likelihood, graphs []*dag.Graph, opt Options) (*ParameterTarget,
	error) {
	d, m, n := lik.Vars(), len(graphs), lik.ParamLen()
	if n == 0 || m == 0 {
		panic(fmt.Sprintf("models: a target of %d parameters for %d graphs, want at least one of "+
			"each", n, m))
	}
	data := make([]float64, m*d*d)
	for k, g := range graphs {
		if g.Len() != d {
			return nil, fmt.Errorf("models: parameter target: graph %d has %d variables, want %d",
				k, g.Len(), d)
		}
		for _, e := range g.Edges() {
			data[(k*d+e.From)*d+e.To] = 1
		}
	}
	t := &ParameterTarget{graphs: graphs, params: n}
	if f, ok := lik.(Flippable); ok {
		for range max(opt.Workers, 1) {
			if one := f.Flipper(); one != nil {
				t.flipper = append(t.flipper, one)
			}
		}
		if t.flipper != nil {
			return t, nil
		}
	}
	b := autograd.NewBuilder("parameters")
	particle := b.Axis("particle", m)
	theta := b.Input("theta", autograd.Shape{n}, particle)
	g := b.Input("graph", autograd.Shape{d, d}, particle)
	prior, likelihood := lik.Terms(g, theta)
	var err error
	t.scorer, err = newScorer([]*autograd.Node{theta, g},
		b.Grad(prior.Sum().Add(likelihood.Sum()), theta), opt.evaluator())
	if err != nil {
		return nil, fmt.Errorf("models: parameter target: %w", err)
	}
	t.scorer.src[1] = autograd.Feed{Data: data}
	return t, nil
}

// Score implements the scorer of package svgd. The step is not used.
func (t *ParameterTarget) Score(dst, x []*mat.Dense, _ int) error {
	if len(x) != 1 || len(dst) != 1 {
		return fmt.Errorf("models: parameter target: got %d blocks and %d results, want 1 of each",
			len(x), len(dst))
	}
	if t.scorer != nil {
		if err := t.scorer.bind(0, x[0]); err != nil {
			return err
		}
		return t.scorer.eval(dst)
	}
	if _, err := contiguous(x[0], len(t.graphs), t.params); err != nil {
		return fmt.Errorf("models: parameter target: %w", err)
	}
	workers := min(len(t.flipper), len(t.graphs))
	return parallel.For(context.Background(), workers, workers, func(w int) error {
		f, d := t.flipper[w], t.graphs[0].Len()
		in := make([]bool, d)
		for k := w; k < len(t.graphs); k += workers {
			grad := dst[0].RawRowView(k)
			clear(grad)
			f.Set(x[0].RawRowView(k))
			for j := range d {
				for i := range in {
					in[i] = t.graphs[k].Has(i, j)
				}
				f.AddGradient(grad, j, in, 1, 1)
			}
			if i := notFinite(grad); i >= 0 {
				return fmt.Errorf("models: graph %d: the gradient of parameter %d is %v, %w", k, i,
					grad[i], ErrNotFinite)
			}
		}
		return nil
	})
}

// Close releases the workers.
func (t *ParameterTarget) Close() {
	if t.scorer != nil {
		t.scorer.close()
	}
}

// Widest is the graph with every edge that is possible under the target, against no order. With
// AllPairs it has none: which would be possible together is not known.
func (t *TOBAC) Widest() *dag.Graph {
	g := dag.New(t.emb.d)
	for _, cell := range t.emb.certain() {
		g.Set(cell/t.emb.d, cell%t.emb.d, true)
	}
	if t.emb.decided() || t.emb.kind == AllPairs {
		return g
	}
	for _, cell := range t.emb.cells() {
		g.Set(cell/t.emb.d, cell%t.emb.d, true)
	}
	return g
}
