package estimated

import (
	"math"
	"math/rand/v2"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/posterior"
	"tobac/score"
	"tobac/sem"

	"gonum.org/v1/gonum/mat"
)

// Networks are refuted where the noise of a variable grows with its cause, and not where it is the
// same in all rows, under the more probable of two graphs.
func TestNetworksRefuted(t *testing.T) {
	for _, grows := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 2))
		x := mat.NewDense(300, 2, nil)
		for i := range 300 {
			v, scale := 2*rng.NormFloat64(), 0.3
			if grows {
				scale = 0.1 * math.Exp(v)
			}
			x.SetRow(i, []float64{v, math.Abs(v) + scale*rng.NormFloat64()})
		}
		data := &dataset.Table{Names: []string{"x", "y"}, X: x}
		network, _ := sem.As[sem.Network](sem.FeedForward{})
		e := must.Get(NewEstimates(network, data, ChainSettings(network, 1, 1)))(t)
		edge, empty := dag.New(2), dag.New(2)
		edge.Set(0, 1, true)
		list := e.Missing([]*dag.Graph{edge, empty})
		all := must.Get(e.Estimate(t.Context(), list, 32))(t)
		pool := nodescore.NewPool(2)
		for _, v := range all {
			pool.Put(v.Of, v.Set, v.LogEvidence)
		}
		g := &Graphs{table: &table{estimates: e, pool: pool, prior: score.Fair(2)}}
		p := &posterior.Posterior{Draws: []posterior.Draw{{Graph: empty}, {Graph: edge}}}
		if got := g.refuted(&engine.Problem{Data: data, Seed: 1}, p); got != grows {
			t.Errorf("noise that grows with the cause: %v, networks refuted: %v", grows, got)
		}
	}
}
