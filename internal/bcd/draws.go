package bcd

import (
	"context"
	"fmt"
	"math"

	"tobac/dag"
	"tobac/internal/stream"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// Draws draws count graphs from the variational posterior as it is: latents, a
// permutation, W, and the edges by Settings.Edges. They count the same, and are
// acyclic. The equations of a draw have the weights of its edges, and the noise
// variances; its log likelihood is that of the rows under these equations, and its
// log prior the density of the weights of its edges under the horseshoe prior and
// of log σ under N(0, 3²).
//
// When ctx is done the error is context.Cause(ctx). It fails where a draw is not
// finite, and panics if count is negative.
func (m *Model) Draws(ctx context.Context, count int) ([]posterior.Draw, error) {
	if count < 0 {
		panic(fmt.Sprintf("bcd: %d draws", count))
	}
	d, batch := m.d, m.settings.Batch
	size := 1
	if m.settings.UnequalVariances {
		size = d
	}
	w, logNoise := make([]float64, batch*d*d), make([]float64, batch*size)
	var all []*mat.Dense
	var noise [][]float64
	for from := 0; from < count; from += batch {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		src := m.feeds(m.settings.EvaluationTemperature, stream.BCDDrawNoise, stream.BCDDrawGumbel,
			func(i int) []int { return []int{from + i} })
		if err := failure(m.draw.Eval([][]float64{w, logNoise}, src)); err != nil {
			return nil, fmt.Errorf("bcd: draws: %w", err)
		}
		for k := range min(batch, count-from) {
			if !kernels.Finite(w[k*d*d:(k+1)*d*d]) || !kernels.Finite(logNoise[k*size:(k+1)*size]) {
				return nil, fmt.Errorf("bcd: weights or noise of draw %d are %w", from+k+1,
					ErrNotFinite)
			}
			all = append(all, mat.NewDense(d, d, append([]float64(nil), w[k*d*d:(k+1)*d*d]...)))
			noise = append(noise, append([]float64(nil), logNoise[k*size:(k+1)*size]...))
		}
	}
	m.settings.Edges.apply(all)
	draws := make([]posterior.Draw, count)
	for k := range draws {
		draws[k] = m.finish(all[k], noise[k])
	}
	return draws, nil
}

// finish makes a draw of weights without those that are no edges, and log noise.
func (m *Model) finish(w *mat.Dense, logNoise []float64) posterior.Draw {
	g := dag.New(m.d)
	e := &posterior.Equations{Weights: w, NoiseVariances: make([]float64, m.d)}
	prior, h := 0.0, m.settings.HorseshoeScale
	for i := range m.d {
		for j := range m.d {
			if v := w.At(i, j); v != 0 {
				g.Set(i, j, true)
				prior += logHorseshoe(v/h) - math.Log(h)
			}
		}
	}
	for _, v := range logNoise {
		prior -= v*v/18 + math.Log(3*math.Sqrt(2*math.Pi))
	}
	for j := range e.NoiseVariances {
		e.NoiseVariances[j] = math.Exp(2 * logNoise[j%len(logNoise)])
	}
	return posterior.Draw{Graph: g, Equations: e, LogPrior: prior,
		LogLikelihood: e.LogDensity(m.x, nil)}
}
