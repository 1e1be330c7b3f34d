package table_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"tobac/internal/delimited"
	"tobac/internal/table"
)

// claimed is an archive with a file of some bytes that says it holds more.
func claimed(t *testing.T, name, data string, contents uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate,
		CompressedSize64: uint64(len(data)), UncompressedSize64: contents})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
		r, err := zip.NewReader(bytes.NewReader(z), int64(len(z)))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := r.File[0].OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
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
