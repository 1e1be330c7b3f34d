package gorgonia_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	chains "tobac/chain"
	"tobac/internal/must"
	"tobac/models"
	"tobac/nuts"
)

// TestTargetNUTS: a normal density made of gorgonia nodes, of two blocks, is sampled by the
// no-U-turn sampler.
func TestTargetNUTS(t *testing.T) {
	g := G.NewGraph()
	x, y := leaf(g, "x", ad.Shape{2}), G.NewScalar(g, G.Float64, G.WithName("y"))
	mean := G.NewVector(g, G.Float64, G.WithName("mean"), G.WithShape(2))
	square := G.Must(G.Sum(G.Must(G.Square(G.Must(G.Sub(x, mean))))))
	density := G.Must(
		G.Neg(G.Must(G.Add(square, G.Must(G.Mul(G.Must(G.Square(y)), G.NewConstant(0.125)))))))
	target, err := gorgonia.NewTarget(gorgonia.TargetConfig{Particles: 4, Blocks: []*G.Node{x, y},
		Data: map[*G.Node][]float64{mean: {1, -2}}}, density)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	sampler := chains.Sampler{Target: target, Kernel: nuts.Kernel{}, Seed: 3, WarmUp: 200}
	draw := must.Get(sampler.Run(context.Background(), 300, nil))(t)
	var draws [3][]float64
	for _, c := range draw {
		for k := range draws {
			draws[k] = append(draws[k], mat.Col(nil, k, c)...)
		}
	}
	for k, want := range [3][2]float64{{1, math.Sqrt(0.5)}, {-2, math.Sqrt(0.5)}, {0, 2}} {
		if m, sd := stat.MeanStdDev(draws[k], nil); math.Abs(m-want[0]) > 0.15*want[1] ||
			math.Abs(sd/want[1]-1) > 0.1 {
			t.Errorf("coordinate %d: got mean %.3f and spread %.3f, want %.3f and %.3f", k, m, sd,
				want[0], want[1])
		}
	}
}

// TestTargetErrors: what is missing is named.
func TestTargetErrors(t *testing.T) {
	g := G.NewGraph()
	x, w := leaf(g, "x", ad.Shape{2}), leaf(g, "w", ad.Shape{2})
	y := G.Must(G.Sum(G.Must(G.HadamardProd(x, w))))
	for _, tt := range []struct {
		name    string
		cfg     gorgonia.TargetConfig
		density *G.Node
		want    string
	}{
		{"a leaf without value", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x}}, y,
			"leaf w is neither a block, nor data, nor noise, and has no value"},
		{"no block", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x},
			Data: map[*G.Node][]float64{w: {1, 2}}}, G.Must(G.Sum(w)), "depends on no block"},
		{"no particles", gorgonia.TargetConfig{Blocks: []*G.Node{x}}, y, "got 0 particles"},
		{"data of another length", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x},
			Data: map[*G.Node][]float64{w: {1}}}, y,
			"leaf w of shape (2): got 1 numbers, want 2"},
		{"data for a block", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x, w},
			Data: map[*G.Node][]float64{w: {1, 2}}}, y, "leaf w is data and a block"},
		{"a leaf twice", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x, x}}, y,
			"leaf x is two blocks"},
		{"no node", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{x}}, nil,
			"a node is nil"},
		{"nil", gorgonia.TargetConfig{Particles: 1, Blocks: []*G.Node{nil}}, y,
			"a node is nil"},
	} {
		if _, err := gorgonia.NewTarget(tt.cfg, tt.density); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// TestTargetOutside: a particle outside of the support disturbs no other.
func TestTargetOutside(t *testing.T) {
	g := G.NewGraph()
	x := leaf(g, "x", ad.Shape{1})
	target := must.Get(gorgonia.NewTarget(gorgonia.TargetConfig{Particles: 2, Blocks: []*G.Node{x}},
		G.Must(G.Sum(G.Must(G.Log(x))))))(t)
	defer target.Close()
	var outside *models.OutsideError
	if err := target.Score([]*mat.Dense{mat.NewDense(2, 1, nil)},
		[]*mat.Dense{mat.NewDense(2, 1, []float64{-1, 2})}, 0); !errors.As(err, &outside) ||
		len(outside.Particles) != 1 {
		t.Errorf("got error %v, want one that names particle 0", err)
	}
	logp, grad := make([]float64, 2), mat.NewDense(2, 1, nil)
	must.Do(t, target.LogDensity(logp, grad, mat.NewDense(2, 1, []float64{-1, 2})))
	if !math.IsNaN(logp[0]) || logp[1] != math.Log(2) || grad.At(1, 0) != 0.5 {
		t.Errorf("got %v with gradient %v", logp, grad.RawMatrix().Data)
	}
}
