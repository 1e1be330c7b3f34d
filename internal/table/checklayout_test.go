package table_test

import (
	"errors"
	"strings"
	"testing"

	"tobac/internal/table"
)

// An option of the layout that the format of a file does not take is an error that names the option
// and those that it takes.
func TestCheckLayout(t *testing.T) {
	text, err := table.Read(strings.NewReader("a,b\n1,2\n3,5\n"), "x.csv", table.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	if err := text.CheckLayout(table.Layout{Delimiter: ',', Comment: "#", Skip: 1,
		Header: table.HeaderYes, Names: []string{"a", "b"}}); err != nil {
		t.Errorf("all that a text takes: %v", err)
	}
	array, err := table.Read(strings.NewReader(npyVector), "x.npy", table.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		t      *table.Table
		layout table.Layout
		want   string
	}{
		"sheet of a text": {text, table.Layout{Sheet: "1"}, "data.sheet: means nothing " +
			"here: x.csv is a text separated by commas, which takes data.delimiter, " +
			"data.comment, data.skip, data.header, data.names"},
		"delimiter of an array": {array, table.Layout{Delimiter: ';'}, "data.delimiter: means " +
			"nothing here: x.npy is a NumPy array, which takes data.skip, data.names"},
		"header of an array": {array, table.Layout{Header: table.HeaderNo},
			"data.header: means nothing here: x.npy is a NumPy array, which takes data.skip, " +
				"data.names"},
		"comment in an array": {array, table.Layout{Comment: "#"}, "data.comment: means " +
			"nothing here: x.npy is a NumPy array, which takes data.skip, data.names"},
		"rows to skip are taken": {array, table.Layout{Skip: 1}, ""},
	} {
		err := c.t.CheckLayout(c.layout)
		if c.want == "" && err == nil {
			continue
		}
		if fault := new(table.OptionError); err == nil || err.Error() != c.want ||
			!errors.As(err, &fault) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// npyVector is an array of the numbers 1 and 2.
const npyVector = "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': " +
	"(2,), }            \n" +
	"\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x40"

// A first line of numbers unlike all below it is data, but not without a word.
func TestOddFirstLine(t *testing.T) {
	for first, want := range map[string]bool{"2001,2005,2013": true, "3,2005,2013": false,
		"4.5,3.5,2.5": false} {
		read, err :=
			table.Read(strings.NewReader(first+"\n3.5,-4.5,8.5\n5,6.25,1\n3,4,5\n1,1,2\n2,2,1.5\n"),
				"x.csv", table.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(read.Notes, "\n")
		if got := strings.Contains(notes, "line 1 ("+strings.ReplaceAll(first, ",", ", ")+
			") differs from those below in every column"); got != want || read.Rows != 6 ||
			!strings.Contains(notes, "--set data.header=yes") {
			t.Errorf("%s: %d rows, notes %q", first, read.Rows, notes)
		}
	}
}
