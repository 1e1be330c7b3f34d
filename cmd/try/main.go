package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/metrics"
)

func main() {
	for _, f := range os.Args[2:] {
		var t *dataset.Table
		var g *dag.Graph
		var err error
		switch {
		case f == "sachs":
			t, g, err = dataset.Sachs()
		default:
			t, err = dataset.ReadFile(f + "/train.csv")
			if err == nil {
				var r *os.File
				r, err = os.Open(f + "/graph.csv")
				g, _, err = dag.ReadEdges(r, f, t.Names)
			}
		}
		if err != nil {
			panic(err)
		}
		if os.Args[1] == "std" {
			t, _ = t.Standardize()
		}
		start := time.Now()
		res, err := tobac.Fit(context.Background(), t, tobac.Config{Workers: 2})
		if err != nil {
			panic(err)
		}
		m, err := metrics.EvaluateEdges(res.Probabilities, g)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %s %s %.2fs eshd %.2f auroc %.3f e/n %.2f | %s\n   %+v\n", f, res.Config.Model, res.Config.Engine, time.Since(start).Seconds(), m.ESHD, m.AUROC, res.EdgesPerNode, res.Reason, res.Evidence)
	}
}
