package table_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/internal/delimited"
	"tobac/internal/must"
	"tobac/internal/table"
)

// Parts that workbooks of one sheet have in common.
const (
	bookHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n"
	bookMain = bookHead +
		`<workbook xmlns="m" xmlns:r="r"><workbookPr/><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`
	bookRels = bookHead +
		`<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="http://x/styles" Target="styles.xml"/><Relationship Id="rId3" Type="http://x/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`
	bookRoot = bookHead +
		`<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	bookStyles = bookHead +
		`<styleSheet><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm"/><numFmt numFmtId="165" formatCode="#,##0.00 &quot;kg per day&quot;;[Red]\d0"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`
)

// xlsx is a workbook of these parts, and of those that are in common.
func xlsx(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	return must.Get(packed(parts))(t)
}

func packed(parts map[string]string) ([]byte, error) {
	all := map[string]string{"[Content_Types].xml": "<Types/>", "_rels/.rels": bookRoot,
		"xl/workbook.xml": bookMain, "xl/_rels/workbook.xml.rels": bookRels,
		"xl/styles.xml": bookStyles}
	maps.Copy(all, parts)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write([]byte(all[name])); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// sheetOf is a sheet with these rows.
func sheetOf(rows string) string {
	return bookHead + `<worksheet xmlns="m"><dimension ref="A1:XFD1048576"/><sheetData>` + rows +
		`</sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`
}

// workbookOf is a sheet that does not begin in the corner.
func workbookOf(s sheet) ([]byte, error) {
	var rows strings.Builder
	rows.WriteString(`<row r="3">`)
	for j, name := range s.names {
		fmt.Fprintf(&rows, `<c r="%c3" t="inlineStr"><is><t>`, 'B'+j)
		if err := xml.EscapeText(&rows, []byte(name)); err != nil {
			return nil, err
		}
		rows.WriteString(`</t></is></c>`)
	}
	rows.WriteString(`</row>`)
	for i, row := range s.rows {
		fmt.Fprintf(&rows, `<row r="%d">`, i+4)
		for j, v := range row {
			fmt.Fprintf(&rows, `<c r="%c%d"><v>%s</v></c>`, 'B'+j, i+4,
				delimited.AppendNumber(nil, v))
		}
		rows.WriteString(`</row>`)
	}
	return packed(map[string]string{"xl/worksheets/sheet1.xml": sheetOf(rows.String())})
}

// cellsOf are the cells of a table as it was read: kinds, and the levels or range of each column.
func cellsOf(t *testing.T, file *table.Table) (out []string) {
	t.Helper()
	d := must.Get(table.Describe(file, table.Options{}))(t)
	for _, p := range d.Prepared.Profiles {
		line := fmt.Sprintf("%s %v %d gaps", p.Name, p.Kind, p.Gaps)
		for _, level := range p.Levels {
			line += " " + level.Name
		}
		if p.Measured() && len(p.Levels) == 0 {
			line += fmt.Sprintf(" %v..%v", p.Min, p.Max)
		}
		out = append(out, line)
	}
	return out
}

// Cells as Excel, LibreOffice, Google Sheets, openpyxl, XlsxWriter and writexl write them.
func TestWorkbookDialects(t *testing.T) {
	row := func(n int, cells string) string {
		return fmt.Sprintf(`<row r="%d" spans="1:5" x14ac:dyDescent="0.25">%s</row>`, n, cells)
	}
	for _, c := range []struct {
		name   string
		parts  map[string]string
		number string // of the sheet
		want   []string
	}{
		{"shared texts, rich ones with pronunciation, truth values, errors, formulas",
			map[string]string{
				"xl/sharedStrings.xml": bookHead +
					`<sst count="6" uniqueCount="4"><si><t>dose</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">re</t></r><r><t>d</t></r><rPh sb="0" eb="1"><t>xx</t></rPh></si>` +
					`<si><t>blue &amp; gr&#252;n_x000D_</t></si><si><t/></si><si><t>colour</t></si><si><t>ok</t></si><si><t>sum</t></si></sst>`,
				"xl/worksheets/sheet1.xml": sheetOf(
					row(1,
						`<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>4</v></c><c r="C1" t="s"><v>5</v></c><c r="D1" t="s"><v>6</v></c>`) +
						row(2,
							`<c r="A2" s="3"><v>1.5</v></c><c r="B2" t="s"><v>1</v></c><c r="C2" t="b"><v>1</v></c><c r="D2"><f t="shared" ref="D2:D5" si="0">A2+1</f><v>2.5</v></c>`) +
						row(3,
							`<c r="A3"><v>2E-1</v></c><c r="B3" t="s"><v>2</v></c><c r="C3" t="b"><v>0</v></c><c r="D3"><f t="shared" si="0"/><v>1.2</v></c>`) +
						row(4,
							`<c r="A4"><v>-3</v></c><c r="B4" t="s"><v>1</v></c><c r="C4" t="b"><v>0</v></c><c r="D4" t="e"><f>1/0</f><v>#DIV/0!</v></c>`) +
						row(5,
							`<c r="A5" t="s"><v>3</v></c><c r="B5" t="str"><f>"red"</f><v>red</v></c><c r="C5" t="b"><v>1</v></c><c r="D5"><v>7</v></c>`)),
			}, "1", []string{"dose number 1 gaps -3..1.5", "colour category 0 gaps blue & grün red",
				"ok boolean 0 gaps FALSE TRUE", "sum number 1 gaps 1.2..7"}},
		{"rows and cells without references, prefixes, inline texts", map[string]string{
			"xl/workbook.xml": `<x:workbook xmlns:x="m" xmlns:r="r"><x:workbookPr date1904="true"/><x:sheets><x:sheet name="a chart" sheetId="3" r:id="rId9"/><x:sheet name="none" sheetId="1" r:id="rId4"/><x:sheet name="Data" sheetId="2" r:id="rId1"/></x:sheets></x:workbook>`,
			"xl/_rels/workbook.xml.rels": strings.Replace(bookRels, "</Rel",
				`<Relationship Id="rId4" Type="http://x/worksheet" Target="worksheets/empty.xml"/>`+
					`<Relationship Id="rId9" Type="http://x/chartsheet" Target="chartsheets/sheet1.xml"/></Rel`, 1),
			"xl/worksheets/empty.xml": bookHead + `<worksheet><sheetData/></worksheet>`,
			"xl/worksheets/sheet1.xml": `<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:r><x:t>b</x:t></x:r></x:is></x:c></x:row>` +
				`<x:row><x:c><x:v>1</x:v></x:c><x:c t="n"><x:v>4</x:v></x:c></x:row><!-- > --><x:row><x:c><x:v>2.5</x:v></x:c><x:c/></x:row><x:row/><x:row><x:c><x:v>0</x:v></x:c><x:c><x:v><![CDATA[7]]></x:v></x:c></x:row></x:sheetData></x:worksheet>`,
		}, "2", []string{"a number 0 gaps 0..2.5", "b number 1 gaps 4..7"}},
		{"numbers that are shown as dates", map[string]string{"xl/worksheets/sheet1.xml": sheetOf(
			row(1,
				`<c r="A1" t="str"><v>day</v></c><c r="B1" t="str"><v>time</v></c><c r="C1" t="str"><v>mass</v></c>`) +
				row(2,
					`<c r="A2" s="1"><v>43831</v></c><c r="B2" s="2"><v>43831.5</v></c><c r="C2" s="3"><v>43831</v></c>`) +
				row(3,
					`<c r="A3" s="1"><v>43833</v></c><c r="B3" s="2"><v>43831.75</v></c><c r="C3" s="3"><v>1</v></c>`) +
				row(4,
					`<c r="A4" t="d"><v>2020-01-04</v></c><c r="B4" s="2"><v>43832</v></c><c r="C4" s="3"><v>2.5</v></c>`))},
			"1", []string{"day date 0 gaps 0..3", "time date 0 gaps 0.5..1",
				"mass number 0 gaps 1..43831"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := xlsx(t, c.parts)
			for _, chosen := range []string{"", "Data", c.number} {
				file := must.Get(table.Read(bytes.NewReader(b), "t.xlsx",
					table.Layout{Sheet: chosen}))(t)
				if diff := cmp.Diff(c.want, cellsOf(t, file)); diff != "" {
					t.Errorf("sheet %q (-want +got):\n%s", chosen, diff)
				}
			}
			_, err := table.Read(bytes.NewReader(b), "t.xlsx", table.Layout{Sheet: "third"})
			if want := "data.sheet: t.xlsx has no sheet third; allowed: "; err == nil ||
				!strings.HasPrefix(err.Error(), want) ||
				!strings.HasSuffix(err.Error(), "Data, or numbers from 1 to "+c.number) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A damaged sheet is an error that names the cell, and not another table.
func TestWorkbookDamage(t *testing.T) {
	sst := bookHead + `<sst><si><t>a</t></si><si><t>b</t></si></sst>`
	const head = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>`
	const good = head +
		`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row><row r="3"><c r="A3"><v>4</v></c><c r="B3"><v>1</v></c></row>`
	for _, c := range []struct{ name, rows, texts, want string }{
		{"a text beyond the last", strings.Replace(good, `<c r="B2">`, `<c r="B2" t="s">`, 1), sst,
			"sheet Data: cell B2: has text 2 of 2 that are shared"},
		{"a text before the first", strings.Replace(good, `<c r="B2"><v>`, `<c r="B2" t="s"><v>-`,
			1), sst, "sheet Data: cell B2: has text -2 of 2 that are shared"},
		{"no texts", good, "", "sheet Data: cell A1: has a text that is not there: the workbook " +
			"lacks its shared texts"},
		{"one row twice", strings.Replace(good, `r="3"`, `r="2"`, 1), sst,
			"sheet Data: row 2 stands after row 2; allowed: rows in sequence, each once"},
		{"rows out of sequence",
			strings.ReplaceAll(strings.Replace(good, `row r="1"`, `row r="4"`, 1), "1\" t",
				"4\" t"), sst,
			"sheet Data: row 2 stands after row 4; allowed: rows in sequence, each once"},
		{"one cell twice", strings.Replace(good, `r="B3"`, `r="A3"`, 1), sst,
			"sheet Data: cell A3: stands after cell A3; allowed: cells in sequence, each once"},
		{"a cell of another row", strings.Replace(good, `r="B3"`, `r="B7"`, 1), sst,
			"sheet Data: cell B3: reference B7 in row 3"},
		{"a row in a row", strings.Replace(good, `<c r="B3">`, `<row r="4"/><c r="B3">`, 1), sst,
			"sheet Data: row 3: <row> where <c> is allowed"},
		{"a row in a cell", strings.Replace(good, `<v>4`, `<row r="4"/><v>4`, 1), sst,
			"sheet Data: cell A3: <row> in a cell"},
		{"two values", strings.Replace(good, `<v>4`, `<v>3</v><v>4`, 1), sst,
			"sheet Data: cell A3: has two values"},
		{"two lists of cells", good + `</sheetData><sheetData>`, sst,
			"sheet Data: has two lists of cells"},
		{"a row beyond the last", strings.ReplaceAll(good, `r="3"`, `r="2000000000"`), sst,
			"sheet Data: number 2000000000 of a row; allowed: 1 to 1048576"},
		{"a row of a word", strings.ReplaceAll(good, `row r="3"`, `row r="x20"`), sst,
			"sheet Data: number x20 of a row; allowed: 1 to 1048576"},
		{"a column beyond the last", strings.ReplaceAll(good, `r="B3"`, `r="XFE3"`), sst,
			"sheet Data: cell B3: reference XFE3; allowed: A1 to XFD1048576"},
		{"a column that overflows", strings.ReplaceAll(good, `r="B3"`, `r="ZZZZZZZZZZZZZZZZZZZZ3"`),
			sst, "sheet Data: cell B3: reference ZZZZZZZZZZZZZZZZZZZZ3; allowed: A1 to XFD1048576"},
		{"a word for a number", strings.Replace(good, `<v>4`, `<v>four`, 1), sst,
			"sheet Data: cell A3: \"four\" is not a number"},
		{"a style that is not there", strings.Replace(good, `r="A3"`, `r="A3" s="9"`, 1), sst,
			"sheet Data: cell A3: style 9, which the workbook lacks"},
		{"a type that is not there", strings.Replace(good, `r="A3"`, `r="A3" t="q"`, 1), sst,
			"sheet Data: cell A3: type q of a cell; allowed: n, s, str, inlineStr, b, d, e"},
		{"cut short", good + `<row`, sst, "sheet Data: faulty XML: tag <row</sheetData>"},
		{"an entity", strings.Replace(good, `<v>4`, `<v>&x;`, 1), sst,
			"sheet Data: cell A3: faulty XML: entity &x;"},
		{"a fault in the header", strings.Replace(good, `<v>0</v>`, `<v>0</w>`, 1), sst,
			"sheet Data: cell A1: faulty XML: tag </w>"},
		{"nested deeply", good + strings.Repeat("<extLst>", 300), sst,
			"sheet Data: faulty XML: elements lie more than 200 deep"},
		// was looked at from its begin at each
		{"a tag of marks in quotes", good + `<row x="` + strings.Repeat(">", 2<<20), sst,
			"sheet Data: a text or tag has more than 1048576 bytes"},
		{"a zero byte", strings.Replace(good, `<v>4`, "<v>\x00", 1), sst,
			"sheet Data: cell A3: faulty XML: text is not UTF-8"},
		{"a long text", good + `<row r="4"><c r="A4" t="str"><v>` + strings.Repeat("x", 3<<20), sst,
			"sheet Data: cell A4: a text or tag has more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := map[string]string{"xl/worksheets/sheet1.xml": sheetOf(c.rows)}
			if c.texts != "" {
				parts["xl/sharedStrings.xml"] = c.texts
			}
			file, err := table.Read(bytes.NewReader(xlsx(t, parts)), "t.xlsx", table.Layout{})
			if err == nil {
				t.Fatalf("is read as %q", cellsOf(t, file))
			}
			if got, is := strings.CutPrefix(err.Error(), "t.xlsx: "); !is ||
				!strings.HasPrefix(got, c.want) {
				t.Errorf("error\n got %v\nwant %s", err, c.want)
			}
		})
	}
	for name, c := range map[string]struct {
		parts map[string]string
		want  string
	}{
		"no workbook": {map[string]string{"_rels/.rels": `<Relationships/>`},
			"is a damaged workbook: it names no part for the workbook"},
		"no sheet": {nil, "sheet Data: it has no part xl/worksheets/sheet1.xml"},
		"a letter": {map[string]string{"xl/workbook.xml": "<document/>"},
			"is a document of an office program without a table; allowed: a text table"},
		"a part with entities": {
			map[string]string{"xl/workbook.xml": `<!DOCTYPE a [<!ENTITY b "c">]><workbook/>`},
			"is a damaged workbook: xl/workbook.xml: faulty XML: tag <\"!DOCTYPE"},
		"empty": {map[string]string{"xl/worksheets/sheet1.xml": sheetOf("")},
			"workbook is empty"},
	} {
		_, err := table.Read(bytes.NewReader(xlsx(t, c.parts)), "t.xlsx", table.Layout{})
		if err == nil || !strings.HasPrefix(err.Error(), "t.xlsx: "+c.want) {
			t.Errorf("%s: error\n got %v\nwant t.xlsx: %s", name, err, c.want)
		}
	}
}

// What a sheet holds outside of its table, or lacks in it, is said.
func TestWorkbookWarnings(t *testing.T) {
	rows := `<row r="1"><c r="B1" t="str"><v>a</v></c><c r="C1" t="str"><v>b</v></c></row>`
	for i := range 300 {
		rows += fmt.Sprintf(`<row r="%d"><c r="B%d"><v>%d</v></c><c r="C%d"><f>B%d</f></c></row>`,
			i+2, i+2, i*i%17, i+2, i+2)
	}
	rows += `<row r="400"><c r="A400" t="str"><v>source: a book</v></c></row>`
	file := must.Get(table.Read(bytes.NewReader(
		xlsx(t, map[string]string{"xl/worksheets/sheet1.xml": sheetOf(rows)})), "t.xlsx",
		table.Layout{}))(t)
	want := []string{"1 cell left of the table, the first in A400, are left out",
		"300 formulas without a computed value, the first in C2, are missing values: a " +
			"spreadsheet program that opens and saves the workbook computes them"}
	if diff := cmp.Diff(want, file.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
