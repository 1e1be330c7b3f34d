package report_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/report"
	"tobac/posterior"
)

// Three variables: rain surely wets the grass; the other relation has no direction.
func Example() {
	r, err := report.New(context.Background(), report.Content{
		Names: []string{"rain", "grass", "shoes"},
		Marginals: posterior.Marginals{Probabilities: mat.NewDense(3, 3, []float64{
			0, 0.98, 0,
			0.01, 0, 0.4,
			0, 0.4, 0,
		})},
	})
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Pictures() {
		fmt.Println(p.Name)
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "<li>Related") {
			fmt.Print(line)
		}
	}
	// Output:
	// graph
	// adjacency
	// direction
	// <li>Related, with an open direction: grass — shoes.</li>
}
