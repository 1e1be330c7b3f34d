package tobac

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// An order of a graph is drawn with the probability Π 1/n, n the variables whose parents all came before: over all numbers that could be drawn.
func TestRandomExtension(t *testing.T) {
	g, err := dag.FromEdges(5, []dag.Edge{{From: 3, To: 0}, {From: 3, To: 1}, {From: 2, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	var draw func(script []int)
	draw = func(script []int) {
		at, p, more := 0, 1.0, 0
		order := randomExtension(g, func(n int) int {
			p /= float64(n)
			if at++; at <= len(script) {
				return script[at-1]
			}
			if at == len(script)+1 {
				more = n
			}
			return 0
		})
		if more == 0 {
			got[fmt.Sprint(order)] += p
		}
		for k := range more {
			draw(append(script[:len(script):len(script)], k))
		}
	}
	draw(nil)
	want := map[string]float64{}
	var place func(order []int, p float64)
	place = func(order []int, p float64) {
		var free []int
		for j := range 5 {
			if !slices.Contains(order, j) && !slices.ContainsFunc(g.Parents(j), func(i int) bool { return !slices.Contains(order, i) }) {
				free = append(free, j)
			}
		}
		for _, j := range free {
			place(append(order[:len(order):len(order)], j), p/float64(len(free)))
		}
		if len(free) == 0 {
			want[fmt.Sprint(order)] += p
		}
	}
	place(nil, 1)
	if len(got) != len(want) || len(want) < 10 {
		t.Fatalf("%d orders, want %d", len(got), len(want))
	}
	for order, p := range want {
		if math.Abs(got[order]-p) > 1e-12 {
			t.Errorf("%s has the probability %v, want %v", order, got[order], p)
		}
	}
}

// The common scale of completed tables is that of all their rows.
func TestCommonScale(t *testing.T) {
	const n, d = 7, 2
	rng := rand.New(rand.NewPCG(2, 2))
	var rows [d][]float64
	var all []posterior.Standardization
	for k := range 3 {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, j int, _ float64) float64 { return float64(3*k*j) + float64(1+k)*rng.NormFloat64() }, x)
		var s posterior.Standardization
		for j := range d {
			mean, sd := stat.PopMeanStdDev(mat.Col(nil, j, x), nil)
			s.Mean, s.SD = append(s.Mean, mean), append(s.SD, sd)
			rows[j] = append(rows[j], mat.Col(nil, j, x)...)
		}
		all = append(all, s)
	}
	got := commonScale(all)
	for j := range d {
		if mean, sd := stat.PopMeanStdDev(rows[j], nil); math.Abs(got.Mean[j]-mean) > 1e-12 || math.Abs(got.SD[j]-sd) > 1e-12 {
			t.Errorf("column %d: %v ± %v, want %v ± %v", j, got.Mean[j], got.SD[j], mean, sd)
		}
	}
}
