package table_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/must"
	"tobac/internal/table"
)

// read reads a text as a table.
func read(t testing.TB, text string, layout table.Layout) *table.Table {
	t.Helper()
	got, err := table.Read(strings.NewReader(text), "t.csv", layout)
	if err != nil {
		t.Fatalf("%.300q: %v", text, err)
	}
	return got
}

// prepare reads a text and prepares it.
func prepare(t testing.TB, text string, layout table.Layout, o table.Options) *table.Prepared {
	t.Helper()
	p, err := table.Prepare(read(t, text, layout), o)
	if err != nil {
		t.Fatalf("%.300q: %v", text, err)
	}
	return p
}

// data is prepare without missing values.
func data(t testing.TB, text string) *dataset.Table {
	t.Helper()
	return prepare(t, text, table.Layout{}, table.Options{}).Data
}

func zipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	must.Get(z.Write(b))(t)
	must.Do(t, z.Close())
	return out.Bytes()
}

// rowsOf are the numbers of a table.
func rowsOf(t *dataset.Table) [][]float64 {
	n, _ := t.X.Dims()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = t.X.RawRowView(i)
	}
	return rows
}
