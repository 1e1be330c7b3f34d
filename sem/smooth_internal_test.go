package sem

import (
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/nodescore"
	"tobac/score"
)

// Of few rows of many columns, smooth equations are hopeless where lines are right, given the graph
// of the lines, and not where bends are.
func TestHopelessSmooth(t *testing.T) {
	const d, rows = 25, 60
	for seed := range uint64(3) {
		g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, Seed: seed, EdgesPerNode: 2}))(t)
		lines :=
			must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Seed: seed, Rows: rows}))(t)
		bends := must.Get(dataset.SimulateNonlinear(g,
			dataset.NonlinearConfig{Seed: seed, Rows: rows}))(t)
		for _, c := range []struct {
			data *dataset.Table
			g    *dag.Graph
			want string
		}{{lines.Train, g, noGraph}, {bends.Train, g, ""}, {bends.Train, dag.New(d), ""}} {
			s := must.Get(score.NewLinear(c.data.X, nil,
				score.LinearOptions{NoiseVariance: 0.1, EdgeVariance: 1}))(t)
			prior := score.Fair(d)
			level := nodescore.LogDensity(s.(nodescore.GivenScorer), prior, c.g)
			got, err := smoothModel{}.Hopeless(c.data, prior, c.g, level, 2)
			if err != nil || got != c.want {
				t.Errorf("seed %d: smooth equations are left out since %q, %v, want %q", seed, got,
					err, c.want)
			}
		}
	}
}
