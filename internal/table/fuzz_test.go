package table_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tobac/internal/must"
	"tobac/internal/table"
)

// FuzzRead: whatever the bytes are, a reader ends with a table or an error. A table has columns of
// one length, and preparing it gives finite numbers, a table with missing values where these were
// asked for, or an error; the options that are said to solve all problems do.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n3,4\n5,1\n", "sep=;\na;b\n1,5;x\n2;y\n", "\uFEFF\"a\"\t'b'\n1\tNA\n2\t.\n",
		"# a b\n1 2\n3 4\n", "150,4,x\n1,2,3\n4,5,6\n", "2001,2002\n1.5,2.5\n3.5,1.5\n",
		",a\n0,1\n1,5\n", "a|b\nkg|m\n1|2\n3|9\n",
		"d,e,f\n2020-01-01,yes,red\n2020-01-02,no,blue\n2020-01-03,no,red\n",
		"a,b\n1\n\n1,2,3\n\"x\ny\",2\n", "\x1f\x8b\x08", "PK\x03\x04", "PAR1PAR1",
		"\x93NUMPY\x01\x00",
	} {
		f.Add([]byte(text), uint8(0))
	}
	x := sheet{names: []string{"a", "b"}, rows: [][]float64{{1, 2}, {3, 4}, {0.5, 9}}}
	for _, write := range writers {
		b := must.Get(write(x))(f)
		f.Add(b, uint8(7))
		f.Add(zipped(f, b), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, options uint8) {
		layout := table.Layout{Header: table.Header(options % 3)}
		file, err := table.Read(bytes.NewReader(data), "t", layout)
		if err != nil {
			return
		}
		o := table.Options{Missing: table.Missing(options / 3 % 3),
			Categories: table.Categories(options / 9 % 3),
			Dependent:  table.Dependent(options / 27 % 2)}
		check(t, file, o)
		path := filepath.Join(t.TempDir(), "t")
		must.Do(t, os.WriteFile(path, data, 0o600))
		again, err := table.ReadFile(path, layout)
		if err != nil || again.Rows != file.Rows || len(again.Columns) != len(file.Columns) {
			t.Fatalf("from a file: error %v, or another table", err)
		}
	})
}

// check prepares a table and looks at what comes out.
func check(t *testing.T, file *table.Table, o table.Options) {
	t.Helper()
	must.Get(table.Describe(file, o))(t)
	p, err := table.Prepare(file, o)
	if err != nil {
		if len(err.Error()) == 0 {
			t.Fatal("error without a text")
		}
		return
	}
	if p.Incomplete != nil {
		if o.Missing != table.MissingImpute || p.Data != nil {
			t.Fatal("missing values that nobody asked for")
		}
		n, d := p.Incomplete.X.Dims()
		for i := range n {
			for j := range d {
				if math.IsInf(p.Incomplete.X.At(i, j), 0) {
					t.Fatal("infinite value")
				}
			}
		}
		return
	}
	must.Do(t, p.Data.Validate())
	if _, _, err := p.Apply(file); err != nil && len(p.Rows) == file.Rows &&
		o.Missing == table.MissingError {
		t.Fatalf("the table itself: %v", err)
	}
}
