package table_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"codeberg.org/sbinet/npyio/npy"
	"codeberg.org/sbinet/npyio/npz"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/internal/table"
	_ "tobac/parquet"
)

// A sheet is a table of any numbers, with names.
type sheet struct {
	names []string
	rows  [][]float64
}

func drawSheet(t *rapid.T) sheet {
	d := rapid.IntRange(2, 5).Draw(t, "columns")
	n := rapid.IntRange(4, 12).Draw(t, "rows")
	s := sheet{}
	for j := range d {
		s.names = append(s.names,
			rapid.SampledFrom([]string{"a", "b c", "λ", "p44/42", "x,y", "say \"hi\"",
				"semi;colon"}).Draw(t, "name")+fmt.Sprint(j))
	}
	number := rapid.OneOf(rapid.Float64Range(-1e6, 1e6),
		rapid.SampledFrom([]float64{0, 1, -1, 0.1, 1e-300, -1e300, math.MaxFloat64, 5e-324}))
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = number.Draw(t, "number")
		}
		row[0] = float64(i*i) + 0.5 // so that no column is an index
		s.rows = append(s.rows, row)
	}
	return s
}

// writers put a sheet into every format; text has separators and decimal marks of its own.
var writers = map[string]func(s sheet) ([]byte, error){
	"commas":     func(s sheet) ([]byte, error) { return textOf(s, ",", ".", false), nil },
	"semicolons": func(s sheet) ([]byte, error) { return textOf(s, ";", ",", true), nil },
	"tabs":       func(s sheet) ([]byte, error) { return textOf(s, "\t", ".", true), nil },
	"bars":       func(s sheet) ([]byte, error) { return textOf(s, "|", ".", true), nil },
	"workbook":   workbookOf,
	"parquet":    parquetOf,
	"npz":        archiveOf,
}

func textOf(s sheet, separator, mark string, quoted bool) []byte {
	var b strings.Builder
	for j, name := range s.names {
		if j > 0 {
			b.WriteString(separator)
		}
		if quoted {
			b.WriteString(`"` + strings.ReplaceAll(name, `"`, `""`) + `"`)
		} else {
			b.Write(delimited.AppendText(nil, name))
		}
	}
	b.WriteString("\r\n")
	for _, row := range s.rows {
		for j, v := range row {
			if j > 0 {
				b.WriteString(separator)
			}
			b.WriteString(strings.Replace(string(delimited.AppendNumber(nil, v)), ".", mark, 1))
		}
		b.WriteString("\r\n")
	}
	return []byte(b.String())
}

func parquetOf(s sheet) ([]byte, error) {
	group := parquet.Group{}
	for j := range s.names {
		group[fmt.Sprintf("%c", 'a'+j)] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, parquet.NewSchema("t", group))
	for _, row := range s.rows {
		r := make(parquet.Row, len(row))
		for j, v := range row {
			r[j] = parquet.DoubleValue(v).Level(0, 1, j)
		}
		if _, err := w.WriteRows([]parquet.Row{r}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func archiveOf(s sheet) ([]byte, error) {
	x := mat.NewDense(len(s.rows), len(s.names), nil)
	for i, row := range s.rows {
		x.SetRow(i, row)
	}
	var b bytes.Buffer
	w := npz.NewWriter(&b)
	if err := w.Write("data", x); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// What is written in any format, compressed or not, is read back to the bit.
func TestRoundTrips(t *testing.T) {
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := drawSheet(rt)
				b, err := write(s)
				if err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "compressed") {
					b = zipped(t, b)
				}
				file, err := table.Read(bytes.NewReader(b), "t", table.Layout{})
				if err != nil {
					rt.Fatalf("%v\n%q", err, b)
				}
				if file.Rows != len(s.rows) || len(file.Columns) != len(s.names) {
					rt.Fatalf("got %d×%d, want %d×%d", file.Rows, len(file.Columns), len(s.rows),
						len(s.names))
				}
				for j, c := range file.Columns {
					if want := s.names[j]; name != "parquet" && name != "npz" && c.Name != want {
						rt.Fatalf("name %q, want %q", c.Name, want)
					}
				}
				keep := make([]string, len(s.names))
				for j := range keep {
					keep[j] = fmt.Sprint(j + 1)
				}
				p, err := table.Prepare(file, table.Options{Keep: keep})
				if err != nil { // constant or dependent by chance
					return
				}
				if diff := cmp.Diff(s.rows, rowsOf(p.Data)); diff != "" {
					rt.Fatalf("numbers (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A record of the kinds of cells that formats other than text have.
type measured struct {
	Name   string    `parquet:"name"`
	Dose   *int32    `parquet:"dose,optional"`
	Large  int64     `parquet:"large"`
	Ok     bool      `parquet:"ok"`
	Day    time.Time `parquet:"day,timestamp"`
	Single float32   `parquet:"single"`
}

func TestParquetKinds(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[measured](&b)
	for i := range 12 {
		m := measured{Name: []string{"a", "b", "c"}[i%3], Large: int64(i * i % 11), Ok: i%2 == 0,
			Day: time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC), Single: float32(i*i%7) + 0.5}
		if i%4 > 0 {
			dose := int32(i * 3 % 5)
			m.Dose = &dose
		}
		must.Get(w.Write([]measured{m}))(t)
	}
	must.Do(t, w.Close())
	file := must.Get(table.Read(bytes.NewReader(b.Bytes()), "t.parquet", table.Layout{}))(t)
	d := must.Get(table.Describe(file, table.Options{}))(t)
	got := map[string]string{}
	for _, p := range d.Prepared.Profiles {
		got[p.Name] = fmt.Sprintf("%v %d", p.Kind, p.Gaps)
	}
	want := map[string]string{"name": "category 0", "dose": "number 3", "large": "number 0",
		"ok": "boolean 0", "day": "date 0", "single": "number 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	b2 := new(bytes.Buffer)
	lists := parquet.NewGenericWriter[struct {
		A float64
		L []float64
	}](b2)
	if _, err := lists.Write([]struct {
		A float64
		L []float64
	}{{1, []float64{2, 3}}, {2, nil}}); err != nil || lists.Close() != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(b2, "t.parquet", table.Layout{}); err == nil ||
		err.Error() != "t.parquet: column L is nested; allowed: columns of numbers, texts, truth "+
			"values and dates" {
		t.Errorf("lists: error %v", err)
	}
	if _, err := table.Read(strings.NewReader(b.String()[:200]), "t.parquet",
		table.Layout{}); err == nil || !strings.Contains(err.Error(), "damaged Parquet file") {
		t.Errorf("cut short: error %v", err)
	}
}

// unicodeNPY is an array of texts as NumPy writes it.
func unicodeNPY(words ...string) []byte {
	longest := 0
	for _, w := range words {
		longest = max(longest, len([]rune(w)))
	}
	header := fmt.Sprintf("{'descr': '<U%d', 'fortran_order': False, 'shape': (%d,), }", longest,
		len(words))
	for (len(header)+11)%64 != 0 {
		header += " "
	}
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(header)+1))
	b = append(b, header+"\n"...)
	for _, w := range words {
		r := []rune(w)
		for k := range longest {
			c := rune(0)
			if k < len(r) {
				c = r[k]
			}
			b = binary.LittleEndian.AppendUint32(b, uint32(c))
		}
	}
	return b
}

func npyOf(t *testing.T, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, npy.Write(&b, value))
	return b.Bytes()
}

func zipOf(t *testing.T, files map[string][]byte, sequence ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range sequence {
		f := must.Get(w.Create(name))(t)
		must.Get(f.Write(files[name]))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 2, 3, math.NaN(), 5, 1, 2, 9})
	files := map[string][]byte{
		"X.npy": npyOf(t, x), "other.npy": npyOf(t, mat.NewDense(2, 2, []float64{1, 2, 4, 3})),
		"names.npy": unicodeNPY("größe", "mass"),
		"u.npy":     npyOf(t, []float64{1, 5, 3, 4}), "v.npy": npyOf(t, []int64{3, 1, 1, 2}),
		"w.npy": unicodeNPY("m", "f", "m", "f"), "short.npy": npyOf(t, []float64{1, 2}),
	}
	files["cut.npy"] = files["short.npy"][:len(files["short.npy"])-1]
	for _, c := range []struct {
		name     string
		sequence []string
		sheet    string
		names    []string
		want     string // of the error
	}{
		{"a matrix with names", []string{"X.npy", "names.npy"}, "", []string{"größe", "mass"}, ""},
		{"one of two", []string{"X.npy", "other.npy"}, "X", []string{"X0", "X1"}, ""},
		{"two", []string{"X.npy", "other.npy"}, "", nil,
			"t.npz: holds 2 tables (X, other); data.sheet chooses one"},
		{"none of them", []string{"X.npy", "other.npy"}, "Y", nil,
			"data.sheet: t.npz has no array Y; allowed: X, other"},
		{"columns", []string{"u.npy", "w.npy", "v.npy"}, "", []string{"u", "w", "v"}, ""},
		{"columns of two lengths", []string{"u.npy", "short.npy"}, "", nil, "t.npz: arrays u and " +
			"short have 4 and 2 values; allowed: a matrix, or vectors of one length"},
		{"none that is whole", []string{"cut.npy"}, "", nil, "t.npz: holds no array of numbers; " +
			"array cut is left out: NumPy array of shape [2] is cut short: 15 bytes after the " +
			"header, want 8 of each element"},
		{"texts alone", []string{"names.npy"}, "names", nil,
			"t.npz: array names is not a table of numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := table.Read(bytes.NewReader(zipOf(t, files, c.sequence...)), "t.npz",
				table.Layout{Sheet: c.sheet})
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("error\n got %v\nwant %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p := must.Get(table.Prepare(file, table.Options{Missing: table.MissingDrop}))(t)
			if diff := cmp.Diff(c.names, p.Data.Names); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}
