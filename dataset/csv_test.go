package dataset_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/must"
)

func TestReadCSV(t *testing.T) {
	ab, x01 := []string{"a", "b"}, []string{"X0", "X1"}
	numbers := []float64{1.5, -2, 3e4, 0.25}
	tests := []struct {
		name, text string
		names      []string
		x          []float64
	}{
		{"header", "a,b\n1.5,-2\n3e4,.25\n", ab, numbers},
		{"no header", "1.5,-2\n3e4,.25\n", x01, numbers},
		{"decimal commas beside semicolons", "a;b\n1,5;-2\n3e4;0,25\n", ab, numbers},
		{"decimal commas, no header", "1,5;-2\n3e4;0,25\n", x01, numbers},
		{"a comma is never a thousands separator", "a;b\n1,234;2\n", ab, []float64{1.234, 2}},
		{"byte order mark, no header", "\uFEFF1.5,-2\n3e4,.25\n", x01, numbers},
		{"quoted names", "\"a,\"\"1\"\"\",\" b\"\n1.5,-2\n3e4,.25\n", []string{`a,"1"`, " b"},
			numbers},
		{"all values quoted", "\"a\",\"b\"\n\"1.5\",\" -2\"\n\"3e4\",\".25\"\n", ab, numbers},
		{"all values quoted, no header", "\"1.5\",\"-2\"\n\"3e4\",\".25\"\n", x01, numbers},
		{"quoted numbers as names", "\"1\",\"2\"\n1.5,-2\n3e4,.25\n", []string{"1", "2"}, numbers},
		{"one number among the names", "0,b\n1.5,-2\n3e4,.25\n", []string{"0", "b"}, numbers},
		{"repeated numbers are data", "1,1\n2,2\n", x01, []float64{1, 1, 2, 2}},
		{"one row", "1,2", x01, []float64{1, 2}},
		{"one column", "a\n1\n2\n", []string{"a"}, []float64{1, 2}},
		{"one value", "7", []string{"X0"}, []float64{7}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := must.Get(dataset.ReadCSV(strings.NewReader(test.text), "data.csv"))(t)
			want := &dataset.Table{Names: test.names,
				X: mat.NewDense(len(test.x)/len(test.names), len(test.names), test.x)}
			if !equalTables(got, want) {
				t.Errorf("got %q %v, want %q %v", got.Names, got.X, want.Names, want.X)
			}
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	const finite = "; allowed: finite numbers such as 1.5 or -2e-3"
	tests := []struct{ name, text, want string }{
		{"empty file", "", `data.csv: file is empty`},
		{"header only", "a,b\n", `data.csv: line 1: header without any row of numbers after it`},
		{"short row", "a,b,c\n1,2,3\n4,5\n", `data.csv: line 3: got 2 values, want 3 as on line 1`},
		{"long row, no header", "\n1,2\n3,4,5",
			`data.csv: line 3: got 3 values, want 2 as on line 2`},
		{"separator at the end of a row", "a,b\n1,2,\n",
			`data.csv: line 2: got 3 values, want 2 as on line 1`},
		{"text", "a,b\n1,2\n3,high\n", `data.csv: line 3, column "b": "high" is not a number` +
			finite},
		{"text under a quoted name", "a,\"p\n44\"\n1,2\n3,NA\n",
			`data.csv: line 4, column "p\n44": "NA" is not a number` + finite},
		{"NaN on the first line", "nan,2\n3,4\n",
			`data.csv: line 1, column "X0": "nan" is not finite` + finite},
		{"missing value on the first line", "1,,3\n4,5,6\n",
			`data.csv: line 1, column "X1": value is missing` + finite},
		{"overflow", "a,b\n1,1e999\n",
			`data.csv: line 2, column "b": "1e999" is too large; allowed: magnitudes up to 1.798e+308`},
		{"two decimal marks", "a;b\n1,5;2\n3;4.5\n",
			`data.csv: line 3, column "b": "4.5" has decimal mark '.', but line 2 has ','; allowed: one decimal mark throughout the file`},
		{"repeated name", "a,b,a\n1,2,3\n",
			`data.csv: line 1: columns 1 and 3 are both named "a"; allowed: a different name for each column`},
		{"empty name", "a,,c\n1,2,3\n",
			`data.csv: line 1: column 2 has no name; allowed: a different name for each column`},
		{"index column", ",a\n0,1\n",
			`data.csv: line 1: column 1 has no name; allowed: a different name for each column`},
		{"names wrong before rows missing", "a,a\n",
			`data.csv: line 1: columns 1 and 2 are both named "a"; allowed: a different name for each column`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := dataset.ReadCSV(strings.NewReader(test.text), "data.csv")
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestWriteCSV(t *testing.T) {
	table := &dataset.Table{Names: []string{"a", "b,c", "1", `"`},
		X: mat.NewDense(2, 4, []float64{0.1, -2, 1e300, 5e-324, 414, 0, 1.0 / 3, 1e21})}
	var text strings.Builder
	must.Do(t, dataset.WriteCSV(&text, table))
	want := "a,\"b,c\",\"1\",\"\"\"\"\n0.1,-2,1e+300,5e-324\n414,0,0.3333333333333333,1e+21\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestWriteCSVErrors(t *testing.T) {
	table := &dataset.Table{Names: []string{"a"}, X: mat.NewDense(1, 1, []float64{math.NaN()})}
	const want = `dataset: row 1, column "a" is NaN, want a finite number`
	var text strings.Builder
	if err := dataset.WriteCSV(&text, table); err == nil || err.Error() != want || text.Len() > 0 {
		t.Errorf("wrote %q, error\n got %v\nwant %s", text.String(), err, want)
	}
	full := errors.New("disk full")
	if err := dataset.WriteCSV(failingWriter{full}, numbered(10)); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

type failer interface {
	Fatalf(format string, args ...any)
}

// checkCSVRoundTrip writes and reads the table and compares names and the bits of the numbers.
func checkCSVRoundTrip(t failer, table *dataset.Table) {
	var text strings.Builder
	if err := dataset.WriteCSV(&text, table); err != nil {
		t.Fatalf("writing %v: %v", table, err)
	}
	got, err := dataset.ReadCSV(strings.NewReader(text.String()), "written.csv")
	if err != nil {
		t.Fatalf("reading %q: %v", text.String(), err)
	}
	if diff := cmp.Diff(bits(table), bits(got)); diff != "" || !cmp.Equal(table.Names, got.Names) {
		t.Fatalf("%q: names %q, want %q; numbers (-want +got):\n%s", text.String(), got.Names,
			table.Names, diff)
	}
}

func bits(t *dataset.Table) []uint64 {
	var all []uint64
	for _, v := range t.X.RawMatrix().Data {
		all = append(all, math.Float64bits(v))
	}
	return all
}

func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkCSVRoundTrip(t, tables(1, rapid.Float64()).Draw(t, "table"))
	})
}

// Reading does not depend on how lines end, which separator stands between the values, or a byte
// order mark.
func TestReadCSVIsTheSameForAllForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(2, 4).Draw(t, "d")
		want := &dataset.Table{Names: []string{"a", "b", "c", "d"}[:d],
			X: mat.NewDense(n, d, rapid.SliceOfN(rapid.Float64(), n*d, n*d).Draw(t, "numbers"))}
		var text strings.Builder
		must.Do(t, dataset.WriteCSV(&text, want))
		form := text.String()
		if rapid.Bool().Draw(t, "unterminated") {
			form = strings.TrimSuffix(form, "\n")
		}
		separator := rapid.SampledFrom([]string{",", ";", "\t", " , ", "; ", "\t "}).Draw(t,
			"separator")
		form = strings.ReplaceAll(form, ",", separator)
		if !strings.Contains(separator, ",") && rapid.Bool().Draw(t, "decimal comma") {
			form = strings.ReplaceAll(form, ".", ",")
		}
		form = strings.ReplaceAll(form, "\n",
			rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end"))
		form = rapid.SampledFrom([]string{"", "\uFEFF", "\n"}).Draw(t, "before") + form
		got, err := dataset.ReadCSV(strings.NewReader(form), "form.csv")
		if err != nil {
			t.Fatalf("%q: %v", form, err)
		}
		if !equalTables(got, want) {
			t.Fatalf("%q: got %v, want %v", form, got, want)
		}
	})
}

// FuzzReadCSV: any bytes give a valid table that survives writing and reading, or an error with its
// place.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "1,5;2\r3;4", "\uFEFF\"x,\"\"y\"\t1\r\n2\t3", "a\n1e999", "nan,1",
		"\"1\",\"2\"\n1,2", "a,b\n\n1,2", ",,\n", "", "\xff\xfe", "0x1p-2,1_0\n1,2",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := dataset.ReadCSV(strings.NewReader(string(data)), "fuzz.csv")
		if err != nil {
			if located := new(delimited.Error); !errors.As(err, &located) {
				t.Fatalf("error is a %T: %v", err, err)
			}
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Fatalf("error has several lines: %q", err)
			}
			return
		}
		must.Do(t, table.Validate())
		checkCSVRoundTrip(t, table)
	})
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, data, 0o600))
}

func TestReadFileChoosesByExtension(t *testing.T) {
	folder := t.TempDir()
	text := []byte("a,b\n1,2\n")
	array := npyFile("<f8", "False", "(1, 2)", binary.LittleEndian, []float64{1, 2})
	for name, data := range map[string][]byte{"t.csv": text, "t.tsv": text, "T.TXT": text,
		"plain": text, "t.npy": array, "T.NPY": array} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			writeFile(t, path, data)
			got := must.Get(dataset.ReadFile(path))(t)
			if want := mat.NewDense(1, 2, []float64{1, 2}); !mat.Equal(got.X, want) {
				t.Errorf("got %v", got.X)
			}
		})
	}
}

func TestReadFileErrors(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing.csv")
	_, err := dataset.ReadFile(missing)
	if want := missing + ": no such file or directory"; err == nil || err.Error() != want ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file\n got %v\nwant %s", err, want)
	}
	_, err = dataset.ReadFile(folder)
	if want := folder + ": is a folder; allowed: a text table or a NumPy file (.npy)"; err == nil ||
		err.Error() != want {
		t.Errorf("directory\n got %v\nwant %s", err, want)
	}
	ragged := filepath.Join(folder, "ragged.csv")
	writeFile(t, ragged, []byte("a,b\n1\n"))
	_, err = dataset.ReadFile(ragged)
	if want := ragged + ": line 2: got 1 values, want 2 as on line 1"; err == nil ||
		err.Error() != want {
		t.Errorf("ragged rows\n got %v\nwant %s", err, want)
	}
}
