package refinement_test

import (
	"context"
	"fmt"

	"tobac/internal/refinement"
)

// guess scores every set of parents alike until it is refined.
type guess struct{ refined map[int]int }

func (g guess) Vars() int                   { return 3 }
func (g guess) LogScore(int, []int) float64 { return 0 }
func (g guess) Known(j int, p []int) bool   { return len(p) == 0 }
func (g guess) Refine(j int, parents []int) { g.refined[j]++ }

// Of sets with the probability .5 the neighbours are refined too.
func Example() {
	g := guess{map[int]int{}}
	sets, p := [][][]int{{{1}}, {}, {}}, [][]float64{{0.5}, {}, {}}
	_, few, err := refinement.Until(context.Background(), g, 1, 0, 1,
		func() ([][][]int, [][]float64, error) { return sets, p, nil })
	fmt.Println(few, g.refined[0], err)
	// Output:
	// false 2 <nil>
}
