package models

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
	"tobac/dag"
	"tobac/internal/ridge"
	"tobac/internal/stream"
	"tobac/internal/vector"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Complete adds to the parameters of every graph those that were integrated out, one row for each
// graph with its row of parameters, as for [LogJoint]: the weights and the bias of the last layer
// from (2), and, if the noise variances are not given, their logarithms as the last d. They are
// draws from rng(m) for graph m, jointly given the data; nil means posterior means. A row has the
// parameters of [NewFeedForward] with the same options, with [VarianceParameters] where the
// variances were integrated out.
func (v *integratedNetwork) Complete(graphs []*dag.Graph, theta *mat.Dense,
	rng func(m int) *rand.Rand) (*mat.Dense, error) {
	f := v.net
	kernels, err := vector.Default()
	if err != nil {
		return nil, err
	}
	features, err := evaluate("output layer", v.Vars(), v.ParamLen(), graphs, theta,
		func(g, t *autograd.Node) (all []*autograd.Node) {
			for j := range f.d {
				rows, n := f.observations(j)
				if n == 0 {
					rows = mat.NewDense(1, f.d, nil)
				}
				all = append(all, v.features(j, rows, g, t))
			}
			return all
		})
	if err != nil || len(graphs) == 0 {
		return nil, err
	}
	logs := 0
	if f.noise.kind != CommonVariance {
		logs = f.d
	}
	full := f.params - f.noise.params()
	out := mat.NewDense(len(graphs), full+logs, nil)
	for m := range graphs {
		row := out.RawRowView(m)
		if v.hidden > 0 {
			copy(row, theta.RawRowView(m)[:v.hidden])
		}
		var r *rand.Rand
		if rng != nil {
			r = rng(m)
		}
		for j := range f.d {
			_, n := f.observations(j)
			phi := features[j][len(features[j])/len(graphs)*m:][:len(features[j])/len(graphs)]
			grid := v.nodes[j]
			if f.noise.kind == VarianceParameters {
				grid = noiseGrid{[]float64{math.Exp(theta.At(m, v.hidden+j))}, []float64{0}}
			}
			weights, logVariance, err := v.output(kernels, j, n, phi, grid, r)
			if err != nil {
				return nil, fmt.Errorf("models: output layer: graph %d, variable %d: %w", m, j, err)
			}
			last := f.layers[len(f.layers)-1]
			copy(row[last.weights+j*last.in:], weights[:last.in])
			if last.biases >= 0 {
				row[last.biases+j] = weights[last.in]
			}
			if logs > 0 {
				row[full+j] = logVariance
			}
		}
	}
	return out, nil
}

// output is a draw of the weights, and of the logarithm of the noise variance, of variable j with n
// rows; a mean without rng.
func (v *integratedNetwork) output(kernels vector.Set, j, n int, phi []float64, grid noiseGrid,
	rng *rand.Rand) (weights []float64, logVariance float64, err error) {
	h := v.net.layers[len(v.net.layers)-1].in
	features := h
	if !v.net.opt.NoBias {
		features++
	}
	sd := math.Sqrt(v.net.opt.ParamVariance)
	columns := mat.NewDense(features+1, max(n, 1), nil)
	rows, _ := v.net.observations(j)
	for i := range n {
		for a := range h {
			columns.Set(a, i, sd*phi[i*h+a])
		}
		if features > h {
			columns.Set(h, i, sd)
		}
		columns.Set(features, i, rows.At(i, j))
	}
	k := features + 1
	gram := make([]float64, k*k)
	kernels.AddGram(blas64.General{Rows: k, Cols: k, Stride: k, Data: gram}, columns.RawMatrix())
	solver := ridge.New(features)
	logs := make([]float64, len(grid.variances))
	for q, s := range grid.variances {
		logs[q] = grid.logWeights[q] + solver.LogEvidence(gram, n, s)
	}
	total := floats.LogSumExp(logs)
	if math.IsNaN(total) {
		return nil, 0, fmt.Errorf("its evidence is %v, %w", total, ErrNotFinite)
	}
	weights = make([]float64, features)
	if rng != nil {
		chances := make([]float64, len(logs))
		for q, v := range logs {
			chances[q] = math.Exp(v - total)
		}
		at := stream.Choose(rng, chances)
		solver.LogEvidence(gram, n, grid.variances[at])
		for a := range weights {
			weights[a] = rng.NormFloat64()
		}
		solver.Draw(weights)
		floats.Scale(sd, weights)
		return weights, math.Log(grid.variances[at]), nil
	}
	mean := make([]float64, features)
	for q, s := range grid.variances {
		p := math.Exp(logs[q] - total)
		solver.LogEvidence(gram, n, s)
		solver.Mean(mean)
		floats.AddScaled(weights, sd*p, mean)
		logVariance += p * math.Log(s)
	}
	return weights, logVariance, nil
}
