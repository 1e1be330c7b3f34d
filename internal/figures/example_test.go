package figures_test

import (
	"bytes"
	"fmt"

	"tobac/internal/figures"
)

// A box for each method in each of two groups.
func ExampleBoxes() {
	empty2, empty4 := 40.5, 77.8
	figure, err := figures.Boxes{
		Title: "Linear models", Axis: "E-SHD (lower is better)", Methods: []string{"TOBAC", "DiBS"},
		LevelName: "graph without edges",
		Groups: []figures.Group{
			{Name: "2d edges", Level: &empty2,
				Values: [][]float64{{42, 33.3, 26.1, 30, 35}, {59.2, 53.6, 34.7, 50, 44}}},
			{Name: "4d edges", Level: &empty4,
				Values: [][]float64{{79, 70, 75, 68, 81}, {91.5, 99, 70, 120, 85}}},
		},
	}.Draw()
	if err != nil {
		panic(err)
	}
	var svg bytes.Buffer
	if err := figure.WriteSVG(&svg); err != nil {
		panic(err)
	}
	fmt.Println(figure.Description)
	// Output: Box plots of E-SHD (lower is better) for 2 methods in 2 groups.
}
