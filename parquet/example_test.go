package parquet_test

import (
	"bytes"
	"fmt"
	"log"

	pq "github.com/parquet-go/parquet-go"

	"tobac/internal/table"
	_ "tobac/parquet" // for its effect
)

// With the import a Parquet file is a table like any other.
func Example() {
	type row struct{ Dose, Response float64 }
	var file bytes.Buffer
	w := pq.NewGenericWriter[row](&file)
	if _, err := w.Write([]row{{1, 2.5}, {2, 4.5}}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	t, err := table.Read(&file, "doses.parquet", table.Layout{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Format, t.Rows, t.Columns[0].Name, t.Columns[1].Name)
	// Output: Parquet file 2 Dose Response
}
