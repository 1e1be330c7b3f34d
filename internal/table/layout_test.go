package table_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/must"
	"tobac/internal/table"
)

// abc is what most layouts below hold.
var abc = [][]float64{{1.5, 2, 7}, {3, -4, 8}, {5, 6.25, 1}}

func TestLayouts(t *testing.T) {
	names := []string{"a", "b", "c"}
	numbered := []string{"X0", "X1", "X2"}
	for _, c := range []struct {
		name, text string
		layout     table.Layout
		names      []string
		note       string // a part of the notes; "": there are none
	}{
		{"commas", "a,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, names, ""},
		{"semicolons, decimal commas", "a;b;c\n1,5;2;7\n3;-4;8\n5;6,25;1\n", table.Layout{}, names,
			""},
		{"tabs", "a\tb\tc\r\n1.5\t2\t7\r\n3\t-4\t8\r\n5\t6.25\t1\r\n", table.Layout{}, names, ""},
		{"bars", "a|b|c\n1.5|2|7\n3|-4|8\n5|6.25|1", table.Layout{}, names, ""},
		{"blanks", "a b  c\n  1.5 2 7 \n3   -4 8\n5 6.25\t1\n", table.Layout{}, names, ""},
		{"comma and blank", "a, b, c\n1.5, 2, 7\n3, -4, 8\n5, 6.25, 1\n", table.Layout{}, names,
			""},
		{"bare CR", "a,b,c\r1.5,2,7\r3,-4,8\r5,6.25,1", table.Layout{}, names, ""},
		{"byte order mark", "\uFEFFa,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, names, ""},
		{"Latin-1", "\xe4,\xb2,\xff\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{},
			[]string{"ä", "²", "ÿ"}, "Windows-1252"},
		{"UTF-16", "\xff\xfea\x00;\x00b\x00;\x00c\x00\n\x001\x00,\x005\x00;\x002\x00;\x007\x00\n" +
			"\x003\x00;\x00-\x004\x00;\x008\x00\n\x005\x00;\x006\x00,\x002\x005\x00;\x001\x00",
			table.Layout{}, names, ""},
		{"quotes", "\"a\",\"b\",\"c\"\n\"1.5\",2,7\n3,\"-4\",8\n5,6.25,1\n", table.Layout{}, names,
			""},
		{"sep line", "sep=;\na;b;c\n1,5;2;7\n3;-4;8\n5;6,25;1\n", table.Layout{}, names, ""},
		{"given delimiter", "a;b;c\n1.5;2;7\n3;-4;8\n5;6.25;1\n", table.Layout{Delimiter: ';'},
			names, ""},
		{"empty lines", "\na,b,c\n1.5,2,7\n\n3,-4,8\n5,6.25,1\n\n", table.Layout{}, names,
			"1 empty line"},
		{"comments", "a,b,c\n1.5,2,7\n% remark\n3,-4,8\n5,6.25,1\n", table.Layout{Comment: "%"},
			names, "1 comment"},
		{"comments at the top", "# made\n# by hand, in may\na,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n",
			table.Layout{}, names, "2 lines at the top"},
		{"names in a comment", "# a b c\n1.5 2 7\n3 -4 8\n5 6.25 1\n", table.Layout{}, names,
			"comment on line 1"},
		{"skip", "whatever,1\n\"this is\na,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{Skip: 2},
			names, ""},
		{"title", "A table of mine\na,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, names,
			"line 1, with 1 value"},
		{"title with separators", "A table of mine,,\na,b,c\n1.5,2,7\n3,-4,8\n5,6.25,1\n",
			table.Layout{}, names, "line 1, with few values"},
		{"units", "a,b,c\nkg,m/s,°C\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, names,
			"units (kg, m/s, °C)"},
		{"some units", "a,b,c\n(kg),,%\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, names,
			"units"},
		{"separator after each row", "a,b,c\n1.5,2,7,\n3,-4,8,\n5,6.25,1,\n", table.Layout{}, names,
			""},
		{"row names as R writes them", "a b c\none 1.5 2 7\ntwo 3 -4 8\nthree 5 6.25 1\n",
			table.Layout{}, names, "one name less"},
		{"index of pandas", ",a,b,c\n0,1.5,2,7\n1,3,-4,8\n2,5,6.25,1\n", table.Layout{}, names,
			"column 1 numbers the rows"},
		{"no header", "1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{}, numbered, "no header found"},
		{"no header, as said", "1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{Header: table.HeaderNo},
			numbered, ""},
		{"names given", "1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{Names: names}, names, ""},
		{"names replaced", "x,y,z\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{Names: names}, names,
			""},
		{"years", "2001,2002,2003\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{},
			[]string{"2001", "2002", "2003"}, "taken for names"},
		{"numbers as names, as said", "9,1,5\n1.5,2,7\n3,-4,8\n5,6.25,1\n",
			table.Layout{Header: table.HeaderYes}, []string{"9", "1", "5"}, ""},
		{"quoted numbers as names", "\"9\",\"1\",\"5\"\n1.5,2,7\n3,-4,8\n5,6.25,1\n",
			table.Layout{}, []string{"9", "1", "5"}, ""},
		{"names in single quotes", "'a','b','c'\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{},
			names, "single quotes"},
		{"counts of scikit-learn", "3,2,setosa\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{},
			numbered, "counts the rows and columns"},
		{"counts of scikit-learn, shorter", "3,2\n1.5,2,7\n3,-4,8\n5,6.25,1\n", table.Layout{},
			numbered, "counts the rows and columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := prepare(t, c.text, c.layout, table.Options{})
			if diff := cmp.Diff(c.names, got.Data.Names); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(abc, rowsOf(got.Data)); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
			notes := slices.DeleteFunc(slices.Concat(got.Notes, got.Warnings), func(n string) bool {
				return strings.Contains(n, "too few to look for")
			})
			if text := strings.Join(notes, "\n"); c.note == "" && text != "" ||
				!strings.Contains(text, c.note) {
				t.Errorf("notes %q, want some with %q", text, c.note)
			}
		})
	}
}

// What cannot be read right is refused with the options that say how.
func TestDoubtfulHeaders(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"words and numbers", "10,4,setosa\n1.5,2,7\n3,-4,8\n5,6.25,1\n"},
		{"a word among numbers", "1.5,2,high\n3,-4,8\n5,6.25,1\n"},
	} {
		_, err := table.Prepare(read(t, c.text, table.Layout{}), table.Options{})
		if err == nil || !strings.Contains(err.Error(), "mixes names and numbers") ||
			!strings.Contains(err.Error(), "--set data.header=yes") {
			t.Errorf("%s: error %v", c.name, err)
		}
		if got := prepare(t, c.text, table.Layout{Header: table.HeaderYes},
			table.Options{}); got.Data.Names[2] != "setosa" && got.Data.Names[2] != "high" {
			t.Errorf("%s: names %q", c.name, got.Data.Names)
		}
	}
}

// Lines above the data that may be names or data are refused, with the option that says so.
func TestRaggedBeginnings(t *testing.T) {
	const rows = "1,2,3\n4,5,7\n2,9,1\n7,1,2\n"
	for _, c := range []struct{ name, text, want string }{
		{"a name too many", "a,b,c,d\n" + rows, "line 1 has 4 names for 3 columns (a, b, c, d); " +
			"--set data.skip=1 leaves it out, and --set data.names=a,b,... names the columns"},
		{"an unquoted comma in a name", "size, in m,b,c\n" + rows, "line 1 has 4 names for 3 " +
			"columns (size, in m, b, c); --set data.skip=1 leaves it out"},
		{"a name too few", "a,b\n" + rows,
			"line 1 has 2 names for 3 columns (a, b); --set data.skip=1 leaves it out"},
		{"names and units", "a,b,c,d\nkg,m,s\n" + rows,
			"line 1 has 4 names for 3 columns (a, b, c, d); --set data.skip=1 leaves it out"},
		{"two names", "title\na,b\n1,2,3,9\n4,5,7,1\n2,9,1,0\n7,1,2,2\n",
			"line 2 has 2 names for 4 columns (a, b); --set data.skip=2 leaves it out"},
		{"rows of numbers", "1,2\n2,4\n" + rows, "lines 1 to 2 have 2 values where most have 3, " +
			"numbers all of them (1, 2); --set data.skip=2 leaves them out"},
		{"a row of numbers below a title", "a table\n1,2,3,4\n" + rows, "line 2 has 4 values " +
			"where most have 3, numbers all of them (1, 2, 3, 4); --set data.skip=2 leaves it out"},
		{"a number", "4\n" + rows, "line 1 has 1 value where most have 3, numbers all of them " +
			"(4); --set data.skip=1 leaves it out"},
	} {
		_, err := table.Prepare(read(t, c.text, table.Layout{}), table.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "t.csv: "+c.want) {
			t.Errorf("%s: error\n got %v\nwant t.csv: %s", c.name, err, c.want)
		}
	}
	for name, text := range map[string]string{"names given": "a,b,c,d\n" + rows,
		"a trailing separator": "a,b,c,\n" + rows} {
		got := prepare(t, text, table.Layout{Names: []string{"x", "y", "z"}}, table.Options{})
		if !slices.Equal(got.Data.Names, []string{"x", "y", "z"}) || len(rowsOf(got.Data)) != 4 ||
			name == "names given" && len(got.Warnings) != 1 {
			t.Errorf("%s: %q, %q", name, got.Data.Names, got.Warnings)
		}
	}
}

// Header and data are told apart by what stands below, not by their kind alone.
func TestHeaderAboveWords(t *testing.T) {
	levels := "yes,no\nno,no\nyes,yes\nno,yes\nyes,no\nno,no\n"
	if got := data(t, "smoke,cough\n"+levels); got.Names[0] != "smoke" {
		t.Errorf("names %q", got.Names)
	}
	if got := data(t, levels); got.Names[0] != "X0" || len(rowsOf(got)) != 6 {
		t.Errorf("names %q, %d rows", got.Names, len(rowsOf(got)))
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.csv: file is empty"},
		{"blank", "\n  \n", "t.csv: file is empty"},
		{"header alone", "a,b\n", "t.csv: header without any row of data after it"},
		{"open quote", "a,b\n\"1,2\n",
			`t.csv: line 2: quote is never closed; allowed: quotes around a whole field, doubled inside it ("")`},
		{"two encodings", "a,ö\n1,\xe9\n", "t.csv: line 2: text is not UTF-8; allowed: UTF-8, " +
			"Windows-1252 or Latin-1, UTF-16 with a byte order mark"},
		{"xz", "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02",
			"t.csv: is compressed by xz; decompress it first (xz -d)"},
		{"old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "t.csv: is a workbook in the format " +
			".xls, or one with a password; save it as .xlsx without a password, or as CSV"},
		{"binary", "\x01\x02\x00\x00abc", "t.csv: is not text, and its format is unknown; " +
			"allowed: a text table, a workbook (.xlsx), a Parquet file, a NumPy file (.npy, " +
			".npz), or one of these compressed by gzip or bzip2"},
		{"damaged gzip", "\x1f\x8bnonsense",
			"t.csv: compression by gzip is damaged: gzip: invalid header"},
		{"bytes behind gzip", string(zipped(t, []byte("a,b\n1,2\n"))) + "garbage",
			"t.csv: compression is damaged: unexpected EOF"},
		{"damaged archive", "PK\x03\x04nonsense",
			"t.csv: is a damaged archive: zip: not a valid zip file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := table.Read(strings.NewReader(c.text), "t.csv", table.Layout{})
			if err == nil || err.Error() != c.want {
				t.Errorf("error\n got %v\nwant %s", err, c.want)
			}
		})
	}
}

// A title above two columns is not the name of one of them.
func TestTitleAboveTwoColumns(t *testing.T) {
	got := prepare(t, "My table\na,b\nkg,m\n1,2\n2,1\n3,5\n4,4\n5,9\n", table.Layout{},
		table.Options{Keep: []string{"a"}})
	if !slices.Equal(got.Data.Names, []string{"a", "b"}) || len(rowsOf(got.Data)) != 5 ||
		len(got.Warnings) != 2 {
		t.Errorf("names %q, %d rows, warnings %q", got.Data.Names, len(rowsOf(got.Data)),
			got.Warnings)
	}
}

// An option of the layout that the format of a file does not take is an error that names the option
// and those that it takes.
func TestCheckLayout(t *testing.T) {
	text := must.Get(table.Read(strings.NewReader("a,b\n1,2\n3,5\n"), "x.csv", table.Layout{}))(t)
	if err := text.CheckLayout(table.Layout{Delimiter: ',', Comment: "#", Skip: 1,
		Header: table.HeaderYes, Names: []string{"a", "b"}}); err != nil {
		t.Errorf("all that a text takes: %v", err)
	}
	array := must.Get(table.Read(strings.NewReader(npyVector), "x.npy", table.Layout{}))(t)
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
