package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"tobac/dataset"
	"tobac/exact"
	"tobac/metrics"
	"tobac/score"
)

func main() {
	t, g, _ := dataset.Sachs()
	if os.Args[1] == "log" {
		t, _ = t.Log()
	} else if os.Args[1] == "ns" {
		t, _ = t.NormalScores()
	}
	rank, _ := strconv.Atoi(os.Args[2])
	k, _ := strconv.Atoi(os.Args[3])
	opt := score.GPOptions{Rank: rank, MaxParents: k, Workers: 2}
	n, d := t.X.Dims()
	fmt.Printf("%+v\n", opt.Cost(n, d))
	gp, err := score.NewGP(t.X, nil, opt)
	if err != nil {
		panic(err)
	}
	start := time.Now()
	for _, e := range []float64{0.5, 1} {
		p, _ := score.Sparse(d, e)
		x, err := exact.New(context.Background(), gp.Integrated(), p, exact.Options{Workers: 2})
		if err != nil {
			panic(err)
		}
		o, _ := x.Orders(context.Background())
		gr, _ := o.Graphs(context.Background())
		m, _ := metrics.EvaluateEdges(gr.Edges(), g)
		fmt.Println(e, gr.LogEvidence(), m.ESHD, m.AUROC, m.SkeletonAUROC, time.Since(start))
	}
	b, _ := score.NewBGe(t.X, nil, score.BGeOptions{})
	p, _ := score.Sparse(d, 1)
	x, _ := exact.New(context.Background(), b, p, exact.Options{Workers: 2})
	o, _ := x.Orders(context.Background())
	gr, _ := o.Graphs(context.Background())
	fmt.Println("bge", gr.LogEvidence())
}
