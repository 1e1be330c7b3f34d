package setting_test

import (
	"fmt"

	"tobac/setting"
)

func Example() {
	var steps int
	var size float64
	all := []*setting.Setting{
		setting.WholeNumber(&steps, 1000, "steps", "steps of the optimizer", "100"),
		setting.Positive(&size, "step-size", "length of a step", "0.01"),
	}
	fmt.Println(all[0].Set("250"), steps)
	fmt.Println(all[1].Set("-1"))
	steps = 2000
	fmt.Println(setting.Check(all))
	setting.Fill(&size, 0.01)
	fmt.Println(size)
	// Output:
	// <nil> 250
	// allowed: finite numbers above 0
	// steps is 2000; allowed: whole numbers from 1 to 1000
	// 0.01
}
