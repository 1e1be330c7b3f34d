package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"tobac/dataset"
)

func Example() {
	// decimal commas, and every line ends with a bare CR
	const text = "PKA;PKC\r414;17,0\r352;3,37\r403;11,4\r"
	t, err := dataset.ReadCSV(strings.NewReader(text), "cells.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	mean, sd := t.Moments()
	fmt.Printf("%s: mean %.2f, standard deviation %.2f\n", t.Names[1], mean[1], sd[1])

	z, err := t.Standardize()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("first row: %.2f %.2f\n", z.X.At(0, 0), z.X.At(0, 1))
	if err := dataset.WriteCSV(os.Stdout, t); err != nil {
		fmt.Println(err)
	}
	// Output:
	// PKC: mean 10.59, standard deviation 5.59
	// first row: 0.90 1.15
	// PKA,PKC
	// 414,17
	// 352,3.37
	// 403,11.4
}

func ExampleReadCSV_errors() {
	for _, text := range []string{"", "PKA,PKC\n", "PKA,PKC\n414\n", "PKA,PKC\n414,high\n",
		"PKA,PKA\n414,17\n"} {
		_, err := dataset.ReadCSV(strings.NewReader(text), "cells.csv")
		fmt.Println(err)
	}
	// Output:
	// cells.csv: file is empty
	// cells.csv: line 1: header without any row of numbers after it
	// cells.csv: line 2: got 1 values, want 2 as on line 1
	// cells.csv: line 2, column "PKC": "high" is not a number; allowed: finite numbers such as 1.5 or -2e-3
	// cells.csv: line 1: columns 1 and 2 are both named "PKA"; allowed: a different name for each column
}

// The published preparation of the Sachs data.
func ExampleSachs() {
	raw, truth, err := dataset.Sachs()
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := raw.Standardize()
	if err != nil {
		fmt.Println(err)
		return
	}
	train, heldout, err := z.Split(0.1, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, columns := train.X.Dims()
	more, _ := heldout.X.Dims()
	fmt.Printf("%d variables, %d rows for training, %d held out, %d true edges\n", columns, rows,
		more, truth.Size())
	// Output:
	// 11 variables, 767 rows for training, 86 held out, 17 true edges
}

func ExampleSimulateLinear() {
	c := dataset.ERConfig{Vars: 20, EdgesPerNode: 2, Seed: 1}
	p, err := c.EdgeProbability()
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := dataset.SimulateER(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := dataset.SimulateLinear(g, dataset.LinearConfig{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, columns := s.Train.X.Dims()
	fmt.Printf("edge probability %.4f, %d edges, %d × %d training values\n", p, s.Graph.Size(),
		rows, columns)

	_, err = dataset.SimulateER(dataset.ERConfig{Vars: 5, EdgesPerNode: 2})
	fmt.Println(err)
	// Output:
	// edge probability 0.2105, 32 edges, 100 × 20 training values
	// dataset: 2 edges per node among 5 variables make the edge probability 2e/(d-1) = 1; allowed: below 1, that is fewer than 2 edges per node or more than 5 variables
}

// Networks in place of weights; a root is noise alone.
func ExampleSimulateNonlinear() {
	g, err := dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: 10, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, columns := s.Train.X.Dims()
	fmt.Printf("%d edges, %d parameters, %d × %d training values\n", s.Graph.Size(),
		len(s.Parameters), rows, columns)
	// Output:
	// 17 edges, 610 parameters, 100 × 10 training values
}
