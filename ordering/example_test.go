package ordering_test

import (
	"context"
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

	result, err := ordering.MethodEqVar.Order(context.Background(), x, nil, 1)
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
	_, err := ordering.MethodEqVar.Order(context.Background(), x, nil, 1)
	fmt.Println(errors.Is(err, ordering.ErrConstant))
	fmt.Println(ordering.WithNames(err, []string{"dose", "batch"}))
	// Output:
	// true
	// ordering: column 2 (batch): constant column: every row is 7; remove the column or use another estimator
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
	// ordering: unknown "Tar" at position 2 (did you mean "tar"?); missing "cancer", "tar"
}

// Code that needs an order takes an Orderer: an estimator or a known order.
func ExampleOrderer() {
	x := mat.NewDense(4, 2, []float64{3, 1, -2, 0, 1, 0, -2, -1})
	for _, o := range []ordering.Orderer{ordering.MethodVariance, ordering.Fixed{0, 1}} {
		result, err := o.Order(context.Background(), x, nil, 1)
		fmt.Println(result.Method, result.Order, err)
	}
	// Output:
	// variance [1 0] <nil>
	// known [0 1] <nil>
}

// A quadratic effect that leaves no trace in the variances of standardised
// columns, but in their density.
func ExampleMethod() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(200, 2, nil)
	for i := range 200 {
		cause := rng.NormFloat64()
		effect := (cause*cause + 0.5*rng.NormFloat64() - 1) / 1.5
		x.SetRow(i, []float64{effect, cause})
	}
	result, err := ordering.MethodSCORE.Order(context.Background(), x, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Order)
	fmt.Printf("the closest rival for the last position was %.0f times as far from constant\n",
		1+result.Gaps[1])
	// Output:
	// [1 0]
	// the closest rival for the last position was 46 times as far from constant
}

// How often each column comes before another in resamples: the data are sure
// that tar precedes cancer, and less so of the place of age, which has no edge.
func ExampleBootstrap() {
	names := []string{"cancer", "age", "tar"}
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(100, 3, nil)
	for i := range 100 {
		tar := rng.NormFloat64()
		x.SetRow(i, []float64{2*tar + rng.NormFloat64(), rng.NormFloat64(), tar})
	}
	d, err := ordering.Bootstrap(context.Background(), ordering.MethodEqVar, x, 200,
		ordering.BootstrapOptions{Seed: 1, Workers: 4})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range d.Orders {
		fmt.Printf("%.3f", o.Weight)
		for _, j := range o.Order {
			fmt.Print(" ", names[j])
		}
		fmt.Println()
	}
	fmt.Printf("tar before cancer %.2f, tar before age %.2f\n", d.Precedes().At(2, 0),
		d.Precedes().At(2, 1))
	// Output:
	// 0.915 age tar cancer
	// 0.085 tar cancer age
	// tar before cancer 1.00, tar before age 0.09
}

// The scale of simulated data gives their order away: sorting by variance is
// right for every path of this chain.
func ExampleVarsortability() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(300, 3, nil)
	for i := range 300 {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		x.SetRow(i, []float64{a, b, b + rng.NormFloat64()})
	}
	truth := mat.NewDense(3, 3, []float64{
		0, 1, 0,
		0, 0, 1,
		0, 0, 0,
	})
	byVariance, err := ordering.Varsortability(x, truth)
	if err != nil {
		log.Fatal(err)
	}
	byR2, err := ordering.R2Sortability(x, truth)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f by variance, %.2f by R²\n", byVariance, byR2)
	// Output:
	// 1.00 by variance, 0.67 by R²
}

// Warnings say why an order may be wrong; Sentences names the columns.
func ExampleResult_Sentences() {
	x := mat.NewDense(4, 2, []float64{1, 7, 2, 7, 3, 7, 6, 7})
	result, err := ordering.MethodVariance.Order(context.Background(), x, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, sentence := range result.Sentences([]string{"dose", "batch"}) {
		fmt.Println(sentence)
	}
	// Output:
	// column "batch" is constant; its place in the order means nothing
}

// Column 2 varies least, and would come first; it is known to come after column 0.
func ExamplePrecedence() {
	x := mat.NewDense(5, 3, []float64{
		2, 9, 1,
		-3, -8, 0,
		1, 7, -1,
		-2, -9, 1,
		3, 8, -1,
	})
	free, err := ordering.MethodVariance.Order(context.Background(), x, nil, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	known, err := ordering.NewPrecedence(3, func(i, j int) bool { return i == 0 && j == 2 })
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := ordering.MethodVariance.Order(context.Background(), x, known, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(free.Order, bound.Order)
	// Output: [2 0 1] [0 2 1]
}
