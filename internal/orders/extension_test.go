package orders_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tobac/dag"
	"tobac/internal/must"
	"tobac/internal/orders"
)

// All orders that agree with a graph are drawn equally often: within five standard errors of 6000
// draws.
func TestRandomExtension(t *testing.T) {
	g := must.Get(dag.FromEdges(5,
		[]dag.Edge{{From: 3, To: 0}, {From: 3, To: 1}, {From: 2, To: 1}}))(t)
	const draws = 6000
	rng := rand.New(rand.NewPCG(4, 4))
	got := map[string]float64{}
	for range draws {
		got[fmt.Sprint(orders.RandomExtension(g, rng.IntN))]++
	}
	var all []string
	var place func(order []int)
	place = func(order []int) {
		if len(order) == 5 {
			all = append(all, fmt.Sprint(order))
		}
		for j := range 5 {
			if !slices.Contains(order, j) && !slices.ContainsFunc(g.Parents(j), func(i int) bool {
				return !slices.Contains(order, i)
			}) {
				place(append(order[:len(order):len(order)], j))
			}
		}
	}
	place(nil)
	if len(got) != len(all) || len(all) < 10 {
		t.Fatalf("%d orders, want %d", len(got), len(all))
	}
	want := draws / float64(len(all))
	for _, order := range all {
		if math.Abs(got[order]-want) > 5*math.Sqrt(want) {
			t.Errorf("%s was drawn %v times, want about %.0f", order, got[order], want)
		}
	}
}
