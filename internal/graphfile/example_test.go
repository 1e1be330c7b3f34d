package graphfile_test

import (
	"fmt"
	"os"
	"strings"

	"tobac/internal/graphfile"
)

func Example() {
	const text = `digraph { smoking -> tar -> cancer; age }`
	g, format, err := graphfile.Read(strings.NewReader(text), "graph.dot")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(format, g.Names)
	if err := graphfile.EdgeList.Write(os.Stdout, g); err != nil {
		fmt.Println(err)
	}
	// Output:
	// dot [smoking tar cancer age]
	// source,target
	// smoking,tar
	// tar,cancer
	// age,
}

func ExampleGraph_On() {
	g, _, err := graphfile.Read(strings.NewReader("cause,effect\nb,a\n"), "graph.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	on, _, err := g.On([]string{"a", "b", "c"})
	if err != nil {
		fmt.Println(err)
		return
	}
	truth, err := on.DAG()
	fmt.Println(truth.Edges(), err)
	// Output: [{1 0}] <nil>
}
