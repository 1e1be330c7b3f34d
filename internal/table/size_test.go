package table_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/internal/table"

	"github.com/google/go-cmp/cmp"
)

// claimed is an archive with a file of some bytes that says it holds more.
func claimed(t *testing.T, name, data string, contents uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f := must.Get(w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate,
		CompressedSize64: uint64(len(data)), UncompressedSize64: contents}))(t)
	must.Get(io.WriteString(f, data))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

// Small files whose contents are large are refused with one line, before the contents take memory.
func TestBombs(t *testing.T) {
	before := debug.SetMemoryLimit(4 << 30)
	defer debug.SetMemoryLimit(before)
	array := func(descr, shape string) string {
		header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr,
			shape)
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) +
			header
	}
	deflated := func(text string) string { // as in an archive
		z := zipOf(t, map[string][]byte{"x": []byte(text)}, "x")
		r := must.Get(zip.NewReader(bytes.NewReader(z), int64(len(z))))(t)
		raw := must.Get(r.File[0].OpenRaw())(t)
		data := must.Get(io.ReadAll(raw))(t)
		return string(data)
	}
	book := func(parts ...string) []byte {
		all := map[string]string{}
		for k := 0; k < len(parts); k += 2 {
			all[parts[k]] = parts[k+1]
		}
		return xlsx(t, all)
	}
	const sheet1, texts = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	many := func(text string, n int) string { return strings.Repeat(text, n) }
	rows := zipped(t, []byte("a,b\n"+many(many("x", 4000)+",1\n", 4400)))
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"rows in gzip", rows, "at least 20 MB are compressed"},
		{"rows in gzip in gzip", zipped(t, rows), "at least 20 MB are compressed"},
		{"a line without an end", append([]byte("a,b\n"), many("1", 17<<20)...),
			"line 2: longer than 16 MiB"},
		{"a quote without an end", append([]byte("a,b\n\""), many("1\n", 9<<20)...),
			"line 2: longer than 16 MiB"},
		{"columns", []byte(many("1,", delimited.MaxFields+1)), "more than 131072 values"},
		{"columns in quotes", []byte(many(`"1",`, delimited.MaxFields+1)),
			"more than 131072 values"},
		{"cells without values", zipped(t, []byte("a,b\n1,2\n"+many(many(",", 999)+"\n", 9000))),
			"of the first 8389000 cells, up to line 8392, only 0 hold a value; allowed: tables " +
				"with a value in one cell of 250"},
		{"an array of zeros", claimed(t, "a.npy", deflated(array("|i1", "(400000000, 3)")), 1.2e9),
			"array a: a.npy: at least 1.2 GB are compressed"},
		{"an array that says so", []byte(array("<f8", "(100000000, 3)")),
			"NumPy array of shape [100000000 3]: 7.2 GB are needed, and "},
		{"one in an archive",
			zipOf(t, map[string][]byte{"a.npy": []byte(array("<f8", "(100000000, 3)"))}, "a.npy"),
			"array a: NumPy array of shape [100000000 3]: 7.2 GB are needed, and "},
		{"texts", []byte(array("<U1000", "(2000000,)")),
			"NumPy array of shape [2000000]: 8.0 GB are needed, and "},
		{"rows of a sheet", book(sheet1, sheetOf(many("<row/>", 1<<20+1))),
			"sheet Data: has more than 1048576 rows"},
		{"elements after the cells",
			book(sheet1, strings.Replace(sheetOf(""), "<mergeCells", many("<a/>", 1<<21+1)+
				"<mergeCells", 1), texts, "<sst/>"),
			"sheet Data: more than 4194304 elements and texts follow its cells"},
		{"sheets", book("xl/workbook.xml", "<workbook><sheets>"+many("<sheet/>", 10001)),
			"is a damaged workbook: more than 10000 sheets"},
		{"styles", book("xl/styles.xml", "<styleSheet><cellXfs>"+many("<xf numFmtId='0'/>", 1<<20)),
			"at least 20 MB are compressed"},
		{"shared texts", book(texts, "<sst>"+many("<si/>", 4<<20), sheet1, sheetOf("")),
			"at least 30 MB are compressed"},
		{"one long shared text", book(texts, "<sst><si><t>"+many("x", 2<<20)+"</t></si></sst>",
			sheet1, sheetOf("<row/>")), "is a damaged workbook: xl/sharedStrings.xml: a text or " +
			"tag has more than 1048576 bytes"},
		{"a shared text in every cell",
			book(texts, "<sst><si><t>"+many("x", 1<<19)+"</t></si></sst>", sheet1,
				sheetOf(many(`<row><c t="s"><v>0</v></c></row>`, 100))),
			"the texts of its cells take more than 250 times as much as the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := table.Read(bytes.NewReader(c.data), "t", table.Layout{})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 300<<20 {
				t.Errorf("took %d bytes for a file of %d", taken, len(c.data))
			}
		})
	}
}

// Limits in a column of numbers are refused with an option that takes them, and are then the
// values.
func TestLimits(t *testing.T) {
	text := "a,b,c\n1,2.5,3\n2,<0.5,>=40\n3,1.5,7\n4,\"[2, 5]\",8.5\n5,≤1,9\n6,4,12\n"
	read := func(o table.Options) (*table.Prepared, error) {
		raw := must.Get(table.Read(strings.NewReader(text), "t.csv", table.Layout{}))(t)
		return table.Prepare(raw, o)
	}
	_, err := read(table.Options{})
	want := `column 2 (b): 3 of 6 values are limits: "<0.5" on line 3, "[2, 5]" on line 5, "≤1" on line 6; --set data.censored=impute draws the values between them given the other columns, data.censored=limit takes them for the values, --drop b leaves the column out`
	if err == nil || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "fix all with: --set data.censored=impute") {
		t.Errorf("got %v, want %s", err, want)
	}
	p := must.Get(read(table.Options{Censored: table.CensoredLimit}))(t)
	for row, v := range []float64{2.5, 0.5, 1.5, 3.5, 1, 4} {
		if got := p.Data.X.At(row, 1); got != v {
			t.Errorf("row %d: %v, want %v", row+1, got, v)
		}
	}
	if got := p.Data.X.At(1, 2); got != 40 {
		t.Errorf("got %v, want 40", got)
	}
	all := strings.Join(p.Warnings, "\n")
	if !strings.Contains(all, "column 2 (b): 3 of 6 values are limits (<0.5 1, [2, 5] 1, ≤1 1), "+
		"which stand for the values: relations") {
		t.Errorf("warnings %q", all)
	}
	for _, word := range []string{"<x", "[5,2]", "[1", "<", "<Inf", "< 1 or 2", "[1,2,3]"} {
		text = "a,b\n1,2.5\n2,\"" + word + "\"\n3,1.5\n4,7\n"
		if _, err := read(table.Options{Censored: table.CensoredLimit}); err == nil {
			t.Errorf("%s was taken for a limit", word)
		}
	}
}

// Limits that are kept are those of missing values, below 0 only where other numbers are; an option
// names single columns, also with limits of detection.
func TestKeptLimits(t *testing.T) {
	text := "a,b,c\n1,2.5,3\n2,<0.5,>=40\n-3,1.5,7\n4,2-5,8.5\n5,≤1,9\n6,4,12\n"
	raw := must.Get(table.Read(strings.NewReader(text), "t.csv", table.Layout{}))(t)
	inf := math.Inf(1)
	b := []dataset.Limit{{Row: 1, Column: 1, High: 0.5}, {Row: 3, Column: 1, Low: 2, High: 5},
		{Row: 4, Column: 1, High: 1}}
	c := dataset.Limit{Row: 1, Column: 2, Low: 40, High: inf}
	both := []dataset.Limit{b[0], c, b[1], b[2]}
	for _, row := range []struct {
		o    table.Options
		want []dataset.Limit
		note string
	}{
		{table.Options{Censored: table.CensoredImpute}, both,
			"column 2 (b): 3 of 6 values are limits (<0.5 1, 2-5 1, ≤1 1), between which"},
		{table.Options{Kinds: []string{"b=censored", "c=censored"}}, both,
			"column 3 (c): 1 of 6 values are limits (>=40 1)"},
	} {
		p, err := table.Prepare(raw, row.o)
		if err != nil {
			t.Fatalf("%+v: %v", row.o, err)
		}
		if diff := cmp.Diff(row.want, p.Limits); diff != "" {
			t.Errorf("%+v: (-want +got)\n%s", row.o, diff)
		}
		if p.Incomplete == nil || !math.IsNaN(p.Incomplete.X.At(1, 1)) ||
			p.Incomplete.X.At(2, 1) != 1.5 {
			t.Errorf("%+v: the values with limits are not missing", row.o)
		}
		if all := strings.Join(p.Notes, "\n"); !strings.Contains(all, row.note) {
			t.Errorf("%+v: notes %q, want %q", row.o, all, row.note)
		}
		if k := p.Incomplete.Variables[1].Kind; k != dataset.Positive {
			t.Errorf("%+v: kind %v", row.o, k)
		}
	}
	p := must.Get(table.Prepare(raw,
		table.Options{Kinds: []string{"a=censored:1..5"}, Censored: table.CensoredLimit}))(t)
	want := []dataset.Limit{{Row: 0, Low: -inf, High: 1}, {Row: 2, Low: -inf, High: -3},
		{Row: 4, Low: 5, High: inf}, {Row: 5, Low: 6, High: inf}}
	if diff := cmp.Diff(want, p.Limits); diff != "" {
		t.Errorf("limits of detection: (-want +got)\n%s", diff)
	}
	for spec, want := range map[string]string{
		"a=censored": "column 1 (a) has no limits such as <0.5 beside numbers, and cannot " +
			"be censored",
		"b=censored:5..1":  "unknown kind",
		"b=censored:":      "unknown kind",
		"b=censored:..":    "unknown kind",
		"b=censored:x..2":  "unknown kind",
		"b=censored:1-2":   "unknown kind",
		"a=censored:-9..9": "column 1 (a) has no limits",
	} {
		_, err := table.Prepare(raw,
			table.Options{Kinds: []string{spec}, Censored: table.CensoredLimit})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		}
	}
}
