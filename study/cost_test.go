package study

import (
	"context"
	"testing"
	"time"
	"os"
)

func TestCost(t *testing.T) {
	name := os.Getenv("STUDY")
	if name == "" {
		t.Skip()
	}
	s, err := New(name, Options{Runs: 1, Seed: 1, Data: "/work/shared/data/synthetic"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Cells([]Study{s}) {
		start := time.Now()
		o, err := c.Run(context.Background())
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		v := o.Listed
		if o.Mixture != nil {
			v = o.Empirical
		}
		nll := -1.0
		if v.Draws != nil {
			nll = float64(v.Draws.NegLL)
		}
		t.Logf("%-50s %6.1f s  E-SHD %.1f of %d AUROC %.3f negLL %.0f violated %v", c.Name(), time.Since(start).Seconds(), v.Edges.ESHD, o.Edges, v.Edges.AUROCWithDiagonal, nll, o.Violated)
	}
}
