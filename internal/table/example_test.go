package table_test

import (
	"fmt"
	"strings"

	"tobac/internal/table"
)

const flowers = `petal;species;picked;wet
1,4;setosa;2020-05-01;yes
4,7;versicolor;2020-05-01;no
NA;virginica;2020-05-02;no
1,3;setosa;2020-05-02;yes
5,9;virginica;2020-05-03;yes
4,5;versicolor;2020-05-03;no
1,5;setosa;2020-05-04;no
5,1;virginica;2020-05-04;yes
1,7;setosa;2020-05-04;no
4,9;versicolor;2020-05-05;no
6,0;virginica;2020-05-06;yes
1,6;setosa;2020-05-07;yes
`

func ExamplePrepare() {
	file, err := table.Read(strings.NewReader(flowers), "flowers.csv", table.Layout{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := table.Prepare(file, table.Options{}); err != nil {
		fmt.Println(err)
	}
	p, err := table.Prepare(file, table.Options{Missing: table.MissingDrop})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Data.Names, p.Data.X.RawRowView(0))
	// Output:
	// flowers.csv: missing values in 1 row of 12: 1 in column 1 (petal) spelled "NA"; --missing drop leaves out 1 row and keeps 11, --missing impute completes them
	// [petal species wet] [1.4 0 1]
}
