package gorgonia_test

import (
	"fmt"
	"log"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
)

// A gorgonia graph of an expression and its gradient, run by gorgonia.
func ExampleExport() {
	b := ad.NewBuilder("square")
	x := b.Input("x", ad.Shape{})
	y := x.Square().AddScalar(1)
	nodes, err := gorgonia.Export(y, b.Grad(y, x)[0])
	if err != nil {
		log.Fatal(err)
	}
	g := nodes[0].Graph()
	if err := G.Let(g.ByName("x")[0], 3.0); err != nil {
		log.Fatal(err)
	}
	m := G.NewTapeMachine(g)
	defer m.Close()
	if err := m.RunAll(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(nodes[0].Value(), nodes[1].Value())
	// Output: 10 6
}
