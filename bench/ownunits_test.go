package bench_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tobac"
	"tobac/dag"
	"tobac/dataset"

	"gonum.org/v1/gonum/mat"
)

// A foreignTable is data as people have them: a linear Gaussian system whose columns have
// units, offsets and noise variances of their own.
type foreignTable struct {
	data  *dataset.Table
	graph *dag.Graph
	// total is d×d: the derivative of E[x_j | do(x_i)] in the units of the table.
	total *mat.Dense
}

// newForeignTable draws a system of 5 to 15 variables with about 1.5 edges each, and 50 to
// 1000 rows. Units are powers of ten from a thousandth to a thousand.
func newForeignTable(seed uint64) foreignTable {
	rng := rand.New(rand.NewPCG(seed, 13))
	d := 5 + rng.IntN(11)
	n := int(math.Round(50 * math.Pow(20, rng.Float64())))
	order := rng.Perm(d)
	g, w := dag.New(d), mat.NewDense(d, d, nil)
	for a, i := range order {
		for _, j := range order[a+1:] {
			if rng.Float64() < 3/float64(d-1) {
				g.Set(i, j, true)
				w.Set(i, j, math.Copysign(0.3+0.9*rng.Float64(), rng.Float64()-0.5))
			}
		}
	}
	x := mat.NewDense(n, d, nil)
	unit, offset := make([]float64, d), make([]float64, d)
	total := mat.NewDense(d, d, nil)
	for _, j := range order {
		sd := math.Exp(rng.Float64()*2 - 1)
		for r := range n {
			v := sd * rng.NormFloat64()
			for i := range d {
				v += w.At(i, j) * x.At(r, i)
			}
			x.Set(r, j, v)
		}
		unit[j], offset[j] = math.Pow(10, 6*rng.Float64()-3), 20*rng.NormFloat64()
		total.Set(j, j, 1)
		for i := range d { // total effects of the ancestors, which come earlier
			if i != j {
				for k := range d {
					total.Set(i, j, total.At(i, j)+total.At(i, k)*w.At(k, j))
				}
			}
		}
	}
	x.Apply(func(_, j int, v float64) float64 { return unit[j] * (v + offset[j]) }, x)
	total.Apply(func(i, j int, v float64) float64 { return v * unit[j] / unit[i] }, total)
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("column %d", j+1)
	}
	return foreignTable{&dataset.Table{Names: names, X: x}, g, total}
}

// Of the edges listed at .95 or more on tables in arbitrary units, nine in ten are true,
// direction included.
func TestListedInOwnUnits(t *testing.T) {
	tables := 10
	if *long {
		tables = 200
	}
	listed, directed, adjacent := 0, 0, 0
	models := map[string]int{}
	for k := range tables {
		f := newForeignTable(uint64(k))
		res, err := tobac.Fit(context.Background(), f.data, tobac.Config{Seed: 1, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		models[res.Model]++
		for _, e := range res.EdgesFrom(0.95) {
			listed++
			if f.graph.Has(e.Source, e.Target) {
				directed++
			}
			if f.graph.Has(e.Source, e.Target) || f.graph.Has(e.Target, e.Source) {
				adjacent++
			}
		}
	}
	t.Logf("%d tables, models %v: %d edges listed at .95 or more, %.3f with the right direction, %.3f joined", tables, models, listed,
		float64(directed)/float64(listed), float64(adjacent)/float64(listed))
	if float64(directed) < 0.9*float64(listed) {
		t.Errorf("%d of %d edges listed at .95 or more are true", directed, listed)
	}
}
