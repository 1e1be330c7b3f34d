package estimated

import (
	"testing"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/must"
	"tobac/internal/smooth"
	"tobac/sem"
)

// Networks with one noise variance are found from scores with one for each equation, too, and not
// where no two columns vary alike.
func TestOneVarianceFromOwn(t *testing.T) {
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: 4, EdgesPerNode: 1, Seed: 3}))(t)
	sim := must.Get(dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 40, Seed: 3}))(t)
	asked, _ := sem.As[sem.Network](sem.FeedForward{})
	for _, equal := range []bool{true, false} {
		table := sim.Train
		if !equal {
			for j := range table.Names {
				for i := range 40 {
					table.X.Set(i, j, table.X.At(i, j)*float64(1+20*j*j))
				}
			}
		}
		data := must.Get(smooth.New(table.X, nil))(t)
		own, err := data.Own(0.05, nil)
		if err == nil {
			err = own.Prepare(t.Context(), 2, 2)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := &engine.Problem{Data: table, Seed: 1, Workers: 2, Report: func(engine.Progress) {}}
		got := must.Get(Settle(t.Context(), p, asked, &graphchains.Settings{},
			&sem.Hypothesis{Scores: own}))(t)
		if noise := got.noiseVariance(); noise > 0 != equal || equal &&
			(noise < 0.05 || noise > 0.2) {
			t.Errorf("equal %v: noise variance %v of all equations, want one near 0.1 if equal, "+
				"else 0", equal, noise)
		}
	}
}
