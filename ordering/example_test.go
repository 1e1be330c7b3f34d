package ordering_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"tobac/ordering"
)

// A chain smoke → tar → cancer with unit noise, its columns out of order.
func Example() {
	names := []string{"cancer", "smoke", "tar"}
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(500, 3, nil)
	for i := range 500 {
		smoke := rng.NormFloat64()
		tar := 1.5*smoke + rng.NormFloat64()
		cancer := 0.8*tar + rng.NormFloat64()
		x.SetRow(i, []float64{cancer, smoke, tar})
	}

	result, err := ordering.EqVar(x)
	if err != nil {
		log.Fatal(err)
	}
	for c, j := range result.Order {
		fmt.Printf("%-6s conditional variance %.2f\n", names[j], result.Criterion[c])
	}
	// Output:
	// smoke  conditional variance 1.13
	// tar    conditional variance 0.94
	// cancer conditional variance 0.90
}

// Faults in the data name the column by index; WithNames adds its name.
func ExampleWithNames() {
	x := mat.NewDense(3, 2, []float64{1, 7, 2, 7, 4, 7})
	_, err := ordering.EqVar(x)
	fmt.Println(errors.Is(err, ordering.ErrConstant))
	fmt.Println(ordering.WithNames(err, []string{"dose", "batch"}))
	// Output:
	// true
	// ordering: column 1 (batch): constant column: every row is 7; remove the column or use another estimator
}

// An order that is known, written with names.
func ExampleByNames() {
	names := []string{"cancer", "smoke", "tar"}
	order, err := ordering.ByNames([]string{"smoke", "tar", "cancer"}, names)
	fmt.Println(order, err)
	_, err = ordering.ByNames([]string{"smoke", "Tar"}, names)
	fmt.Println(err)
	// Output:
	// [1 2 0] <nil>
	// ordering: order by names: unknown "Tar" at position 1 (did you mean "tar"?); missing "cancer", "tar"
}

// Code that needs an order takes an Orderer: an estimator or a known order.
func ExampleOrderer() {
	x := mat.NewDense(4, 2, []float64{3, 1, -2, 0, 1, 0, -2, -1})
	for _, o := range []ordering.Orderer{ordering.MethodVariance, ordering.Fixed{0, 1}} {
		result, err := o.Order(x)
		fmt.Println(result.Method, result.Order, err)
	}
	// Output:
	// variance [1 0] <nil>
	// known [0 1] <nil>
}
