package inference_test

import (
	"context"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/inference"
	"tobac/internal/must"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/score"
)

// Of many columns drawn equations have few digits, and lie within a fraction of a standard
// deviation of those with all digits, between almost equal parents too.
func TestRoundedDraws(t *testing.T) {
	const n, d = 300, 103
	rng := stream.New(1, stream.Equations, 999)
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, 1, 100+x.At(i, 0)+1e-4*rng.NormFloat64())
		x.Set(i, 2, 3e5*(x.At(i, 0)+x.At(i, 1)+0.01*rng.NormFloat64()))
	}
	names := make([]string, d)
	for j := range names {
		names[j] = "x" + strconv.Itoa(j)
	}
	data := &dataset.Table{Names: names, X: x}
	bge := must.Get(score.NewBGe(x, nil, score.BGeOptions{}))(t)
	g := must.Get(dag.FromEdges(d,
		[]dag.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 0, To: 1}}))(t)
	p := &posterior.Posterior{Names: names, Draws: []posterior.Draw{{Graph: g}}}
	problem := &engine.Problem{Data: data, Seed: 7, Workers: 1}
	must.Do(t, inference.AddEquations(context.Background(), data, p, []score.Scorer{bge},
		problem))
	got := p.Draws[0].Equations
	weights, other := stream.New(7, stream.Equations, 0), stream.New(7, stream.EquationNoise, 0)
	digits := func(v float64) int { return len(strconv.FormatFloat(v, 'g', -1, 64)) }
	for j := range d {
		parents := g.Parents(j)
		q := bge.Equation(j, parents)
		want, _, variance := q.Draw(weights, other)
		if off := math.Abs(got.NoiseVariances[j]/variance - 1); off > 1e-3 || off == 0 {
			t.Errorf("noise variance of %d is %v, drawn %v", j, got.NoiseVariances[j], variance)
		}
		if k := digits(got.NoiseVariances[j]); k > 10 {
			t.Errorf("noise variance of %d has %d characters: %v", j, k, got.NoiseVariances[j])
		}
		if len(parents) == 0 {
			continue
		}
		off := mat.NewVecDense(len(parents), nil)
		for a, i := range parents {
			off.SetVec(a, got.Weights.At(i, j)-want[a])
		}
		var solved mat.VecDense
		if err := solved.SolveVec(q.Cov, off); err != nil && solved.Len() == 0 {
			t.Fatal(err)
		}
		if moved := math.Sqrt(mat.Dot(off, &solved)); moved > float64(len(parents))/200 ||
			moved == 0 {
			t.Errorf("weights of %d are %v standard deviations off", j, moved)
		}
	}
}
