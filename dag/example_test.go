package dag_test

import (
	"fmt"
	"strings"

	"tobac/dag"
)

func Example() {
	names := []string{"rain", "sprinkler", "wet grass", "slippery"}
	const truth = "source,target\nrain,sprinkler\nrain,wet grass\nsprinkler,wet grass\nwet " +
		"grass,slippery\n"
	g, _, err := dag.ReadEdges(strings.NewReader(truth), "truth.csv", names)
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := g.TopologicalOrder()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("order:", order)
	fmt.Println("ancestors of slippery:", g.Closure().Parents(3))

	g.Set(3, 0, true)
	fmt.Println(g.CheckAcyclic(names))
	// Output:
	// order: [0 1 2 3]
	// ancestors of slippery: [0 1 2]
	// graph has a cycle: "rain" -> "wet grass" -> "slippery" -> "rain"
}

func ExampleGraph_CPDAG() {
	// 0 → 2 ← 1 is a v-structure; 3 → 2 would make another, so 2 → 3. Nothing decides between 4 → 5
	// and 5 → 4.
	g, err := dag.FromEdges(6,
		[]dag.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 5, To: 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	class, err := g.CPDAG()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(class.Edges())
	// Output:
	// [{0 2} {1 2} {2 3} {4 5} {5 4}]
}

func ExampleGraph_Relabel() {
	g, err := dag.FromEdges(3, []dag.Edge{{From: 2, To: 0}, {From: 0, To: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	order := []int{2, 0, 1}
	h := g.Relabel(order)
	fmt.Println("in order coordinates:", h.Edges())
	fmt.Println("and back:", h.Relabel(dag.Inverse(order)).Edges())
	// Output:
	// in order coordinates: [{0 1} {1 2}]
	// and back: [{0 1} {2 0}]
}
