package impute_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tobac/internal/impute"
)

// The second column is twice the first, but for little noise: a gap is completed with values near
// twice the first, which differ from table to table.
func ExampleComplete() {
	x := mat.NewDense(40, 2, nil)
	for i := range 40 {
		v := float64(i)
		x.SetRow(i, []float64{v, 2*v + math.Sin(3*v)})
	}
	x.Set(30, 1, math.NaN())
	c, err := impute.Complete(context.Background(), x, impute.Settings{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	near, values := true, map[float64]bool{}
	for k := range c.Count() {
		v := c.Table(k).At(30, 1)
		near = near && math.Abs(v-60) < 4
		values[v] = true
	}
	fmt.Println(c.Count(), "tables,", c.Gaps(), "gap, near 60:", near, "- different values:",
		len(values))
	fmt.Printf("method %v, missing information below 1/10: %v\n", c.Diagnostics.Columns[1].Method,
		c.Diagnostics.Columns[1].Information < 0.1)
	// Output:
	// 10 tables, 1 gap, near 60: true - different values: 10
	// method normal, missing information below 1/10: true
}
