package table

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tobac/delimited"
	"tobac/internal/memory"
)

// Bounds of a workbook: those of its format for rows and columns, and for the parts that are held in memory as a whole.
const (
	mostSheetRows    = 1 << 20
	mostSheetColumns = 1 << 14
	mostSheets       = 10000
	longestPart      = 16 << 20
	mostAfter        = 4 << 20 // tokens of a sheet after its cells
)

// A workbook is an archive of XML documents, its parts.
type workbook struct {
	source string               // name of the file
	size   int64                // of the file
	parts  map[string]*zip.File // by their paths in lower case
	sheets []worksheet
	texts  sharedTexts
	late   bool   // days count from 1904
	dates  []bool // by style: numbers are shown as dates
}

// A worksheet is one with cells.
type worksheet struct{ name, part string }

// readWorkbook reads a sheet of a workbook.
func readWorkbook(z *zip.Reader, size int64, source string, layout Layout) (*Table, error) {
	w := &workbook{source: source, size: size, parts: map[string]*zip.File{}}
	if err := w.open(z); err != nil {
		return nil, w.fault("", err)
	}
	sheet, left, err := w.choose(layout.Sheet)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: source, Format: "workbook, sheet " + short(sheet.name), unit: "row", takes: workbookLayout}
	if layout.Sheet == "" && len(w.sheets) > 1 {
		t.note("of %d sheets (%s) the first that is not empty is read; --sheet chooses another", len(w.sheets), w.sheetNames())
	}
	s, err := w.rows(sheet)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.left, s.skip, s.comment = left, layout.Skip, layout.Comment
	number := func(text []byte) (float64, bool) {
		var mark delimited.DecimalMark
		return mark.Number(text, ',')
	}
	l := &loader{t: t, layout: layout, number: number, like: number, padded: true}
	if err := l.load(s); err != nil {
		return nil, err
	}
	if s.outside != "" {
		t.warn("%s left of the table, the first in %s, are left out", plural(s.outsiders, "cell"), s.outside)
	}
	if s.uncomputed != "" {
		t.warn("%s without a computed value, the first in %s, are missing values: a spreadsheet program that opens and saves the workbook computes them",
			plural(s.formulas, "formula"), s.uncomputed)
	}
	return t, nil
}

// fault is an error in a sheet, "" for the workbook as a whole, with the name of the file. Errors that have it stay as they are.
func (w *workbook) fault(sheet string, err error) error {
	switch {
	case errors.As(err, new(*FormatError)):
		return err
	case errors.As(err, new(*memory.SizeError)):
		return withPath(w.source, err)
	case errors.As(err, new(*inflation)):
		return &FormatError{w.source, err.Error()}
	case sheet != "":
		return &FormatError{w.source, "sheet " + short(sheet) + ": " + err.Error()}
	}
	return &FormatError{w.source, "is a damaged workbook: " + err.Error()}
}

// open reads everything but the sheets.
func (w *workbook) open(z *zip.Reader) error {
	for _, f := range z.File {
		name := strings.ToLower(strings.ReplaceAll(f.Name, `\`, "/"))
		if w.parts[name] != nil {
			return fmt.Errorf("two parts are called %s", short(f.Name))
		}
		w.parts[name] = f
	}
	root, err := w.relations("")
	if err != nil {
		return err
	}
	main, rest := "", map[string]relation(nil)
	for _, r := range root {
		if r.kind == "officeDocument" {
			main = r.target
		}
	}
	switch {
	case main == "":
		return errors.New("it names no part for the workbook")
	case strings.HasSuffix(main, ".bin"):
		return &FormatError{w.source, "is a workbook in the format .xlsb; save it as .xlsx or CSV"}
	}
	if rest, err = w.relations(main); err != nil {
		return err
	}
	kinds := 0
	err = w.each(main, func(m *markup) error {
		switch {
		case len(m.open) == 1 && m.name != "workbook":
			return &FormatError{w.source, "is a document of an office program without a table; allowed: " + allowedFiles}
		case m.name == "workbookPr":
			w.late = truth(m.attr("date1904"))
		case m.name == "sheet" && len(m.open) == 3:
			if kinds++; kinds > mostSheets {
				return fmt.Errorf("more than %d sheets", mostSheets)
			}
			for _, a := range m.attrs {
				if r := rest[string(a.value)]; local(a.name) == "id" && r.kind == "worksheet" { // not a chart
					w.sheets = append(w.sheets, worksheet{string(m.attr("name")), r.target})
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rest {
		switch {
		case r.kind == "styles" && err == nil:
			err = w.readStyles(r.target)
		case r.kind == "sharedStrings" && err == nil && w.parts[strings.ToLower(r.target)] != nil: // else cells say that it is missing
			err = w.readTexts(r.target)
		}
	}
	return err
}

// A relation leads from one part to another.
type relation struct{ kind, target string }

// relations are those of a part, "" for the archive, by their names.
func (w *workbook) relations(part string) (map[string]relation, error) {
	all := map[string]relation{}
	dir, base := path.Split(part)
	return all, w.each(dir+"_rels/"+base+".rels", func(m *markup) error {
		if m.name == "Relationship" && !bytes.Equal(m.attr("TargetMode"), []byte("External")) {
			target := string(m.attr("Target"))
			if !strings.HasPrefix(target, "/") {
				target = dir + target
			}
			all[string(m.attr("Id"))] = relation{path.Base(string(m.attr("Type"))), strings.TrimPrefix(path.Clean(target), "/")}
		}
		return nil
	})
}

// part opens a part.
func (w *workbook) part(name string) (io.ReadCloser, error) {
	f := w.parts[strings.ToLower(name)]
	if f == nil {
		return nil, fmt.Errorf("it has no part %s", short(name))
	}
	return openPart(f)
}

// each calls f for every element that begins in a part, which must not be long.
func (w *workbook) each(part string, f func(m *markup) error) error {
	r, err := w.part(part)
	if err != nil {
		return err
	}
	defer r.Close() // only read
	limited := &io.LimitedReader{R: r, N: longestPart}
	m := newMarkup(limited)
	for {
		switch err := m.next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && limited.N == 0:
			return fmt.Errorf("%s: has more than %d MiB", short(part), longestPart>>20)
		case err != nil:
			return fmt.Errorf("%s: %w", short(part), err)
		case m.kind != startTag:
			continue
		}
		if err := f(m); err != nil {
			return err
		}
	}
}

// readStyles finds the styles that show numbers as dates.
func (w *workbook) readStyles(part string) error {
	custom := map[string]bool{}
	return w.each(part, func(m *markup) error {
		inside := len(m.open) == 3
		switch {
		case inside && m.name == "numFmt":
			custom[string(m.attr("numFmtId"))] = isDateFormat(string(m.attr("formatCode")))
		case inside && m.name == "xf" && local(m.open[1]) == "cellXfs":
			id := string(m.attr("numFmtId"))
			is, known := custom[id]
			if n, err := strconv.Atoi(id); err == nil && !known { // dates and times of day, also in the formats of East Asia
				is = n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 50 && n <= 58
			}
			w.dates = append(w.dates, is)
		}
		return nil
	})
}

// isDateFormat reports whether a number format has years, days or hours outside of quotes and brackets.
func isDateFormat(format string) bool {
	quoted, bracket, escaped := false, false, false
	for _, c := range strings.ToLower(format) {
		switch {
		case escaped:
			escaped = false
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\', c == '_', c == '*': // before a character that stands for itself, for its width, or for filling
			escaped = true
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case c == 'y', c == 'd', c == 'h':
			return true
		}
	}
	return false
}

// sharedTexts are the texts to which cells refer by number, one after the other.
type sharedTexts struct {
	found bool
	all   []byte
	ends  []uint32
}

// at is a text, ok says whether there is one of this number.
func (s *sharedTexts) at(k int) (text []byte, ok bool) {
	if k < 0 || k >= len(s.ends) {
		return nil, false
	}
	begin := uint32(0)
	if k > 0 {
		begin = s.ends[k-1]
	}
	return s.all[begin:s.ends[k]], true
}

// readTexts reads the part that has the shared texts.
func (w *workbook) readTexts(part string) error {
	r, err := w.part(part)
	if err != nil {
		return err
	}
	defer r.Close() // only read
	m, s, checked := newMarkup(r), &w.texts, 0
	s.found = true
	for err = m.next(); err == nil; err = m.next() {
		switch {
		case m.kind == characters && spoken(m.open[1:]):
			s.all = append(s.all, unescaped(m.text)...)
		case m.kind == endTag && m.name == "si" && len(m.open) == 1:
			s.ends = append(s.ends, uint32(len(s.all)))
		}
		if held := len(s.all) + 4*len(s.ends); held-checked > checkedBytes {
			if checked = held; held > math.MaxUint32 {
				return errors.New("its texts have more than 4 GB")
			}
			if err := memory.Check("texts of the workbook", 2*float64(held)); err != nil {
				return err
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", short(part), err)
	}
	return nil
}

// spoken reports whether characters in these elements belong to a text: not those that say how it is pronounced.
func spoken(open []string) bool {
	for k, name := range open {
		switch {
		case local(name) == "rPh":
			return false
		case local(name) == "t":
			return k == len(open)-1
		}
	}
	return false
}

// choose finds the sheet of a name or number, or the first that has cells, and how many columns are empty before its table.
func (w *workbook) choose(wanted string) (sheet worksheet, left int, err error) {
	for _, s := range w.sheets {
		if wanted == "" || wanted == s.name {
			if left, err := w.firstColumn(s); err != nil || left >= 0 || wanted != "" {
				return s, max(left, 0), err
			}
		}
	}
	if wanted == "" {
		return sheet, 0, &FormatError{w.source, "workbook is empty"}
	}
	if k, err := strconv.Atoi(wanted); err == nil && 1 <= k && k <= len(w.sheets) {
		left, err := w.firstColumn(w.sheets[k-1])
		return w.sheets[k-1], max(left, 0), err
	}
	return sheet, 0, &OptionError{"sheet", fmt.Sprintf("%s has no sheet %s; allowed: %s, or numbers from 1 to %d", w.source, short(wanted), w.sheetNames(), len(w.sheets))}
}

func (w *workbook) sheetNames() string {
	names := make([]string, len(w.sheets))
	for k, s := range w.sheets {
		names[k] = s.name
	}
	return listed(names)
}

// firstColumn is the number of empty columns before the first cells, −1 if there are none.
func (w *workbook) firstColumn(sheet worksheet) (left int, err error) {
	s, err := w.rows(sheet)
	if err != nil {
		return 0, err
	}
	defer s.close()
	left = -1
	for range headRecords {
		cells, _, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		for j, cell := range cells {
			if len(cell.Text) > 0 && (left < 0 || j < left) {
				left = j
			}
		}
	}
	return left, nil
}

// sheetSource gives the rows of a sheet.
type sheetSource struct {
	w       *workbook
	sheet   string
	part    io.ReadCloser
	m       *markup
	row     int // number of the last row
	left    int // empty columns before the table
	skip    int
	comment string
	cells   []delimited.Cell
	buffer  []byte // of their texts, but for those that are shared
	texts   int64  // bytes of the values of all cells so far

	outside, uncomputed string // the first cell left of the table, and the first formula without a value
	outsiders, formulas int
}

var _ source = (*sheetSource)(nil)

// rows opens a sheet before its first row.
func (w *workbook) rows(sheet worksheet) (*sheetSource, error) {
	part, err := w.part(sheet.part)
	if err != nil {
		return nil, w.fault(sheet.name, err)
	}
	s := &sheetSource{w: w, sheet: sheet.name, part: part, m: newMarkup(part)}
	for err = s.m.next(); err == nil; err = s.m.next() {
		if s.m.kind == startTag && len(s.m.open) == 2 && s.m.name == "sheetData" && local(s.m.open[0]) == "worksheet" {
			return s, nil
		}
	}
	s.close()
	if errors.Is(err, io.EOF) {
		err = errors.New("has no list of cells")
	}
	return nil, w.fault(sheet.name, err)
}

func (s *sheetSource) close() { s.part.Close() } // only read

// Next implements source. Empty rows are left out.
func (s *sheetSource) Next() ([]delimited.Cell, int, error) {
	for {
		if err := s.nextRow(); err != nil {
			if !errors.Is(err, io.EOF) {
				err = s.w.fault(s.sheet, err)
			}
			return nil, 0, err
		}
		if len(s.cells) > 0 && (s.comment == "" || !bytes.HasPrefix(s.cells[0].Text, []byte(s.comment))) {
			return s.cells, s.row, nil
		}
	}
}

// nextRow reads a row, without the empty cells at its end. The error after the last is io.EOF.
func (s *sheetSource) nextRow() error {
	m := s.m
	if err := s.token("row"); err != nil {
		return err
	}
	if m.kind == endTag { // of the sheet; what follows has to be sound too
		for tokens := 0; ; tokens++ {
			if err := m.next(); err != nil {
				return err
			}
			if tokens > mostAfter {
				return fmt.Errorf("more than %d elements and texts follow its cells", mostAfter)
			}
			if m.kind == startTag && m.name == "sheetData" && len(m.open) == 2 {
				return errors.New("has two lists of cells")
			}
		}
	}
	row := s.row + 1
	if number := m.attr("r"); number != nil {
		var err error
		if row, err = strconv.Atoi(string(number)); err != nil || row < 1 || row > mostSheetRows {
			return fmt.Errorf("number %s of a row; allowed: 1 to %d", short(string(number)), mostSheetRows)
		}
		if row <= s.row {
			return fmt.Errorf("row %d stands after row %d; allowed: rows in sequence, each once", row, s.row)
		}
	}
	if s.row = row; row > mostSheetRows {
		return fmt.Errorf("has more than %d rows", mostSheetRows)
	}
	s.cells, s.buffer = s.cells[:0], s.buffer[:0]
	filled := 0
	for last := 0; ; {
		if err := s.token("c"); err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		if m.kind == endTag {
			s.cells = s.cells[:filled]
			return nil
		}
		column, err := s.column(last)
		var text []byte
		if err == nil {
			text, err = s.cell(column)
		}
		if err != nil {
			if column == 0 {
				column = last + 1
			}
			return fmt.Errorf("cell %s: %w", cellName(column, row), err)
		}
		last = column
		if s.texts += int64(len(text)); inflated(s.texts, s.w.size) != nil {
			return fmt.Errorf("the texts of its cells take more than %d times as much as the file", mostUnpacked)
		}
		switch {
		case len(text) == 0 || row <= s.skip:
			continue
		case column <= s.left:
			if s.outsiders++; s.outside == "" {
				s.outside = cellName(column, row)
			}
			continue
		}
		for len(s.cells) < column-s.left-1 {
			s.cells = append(s.cells, delimited.Cell{})
		}
		s.cells = append(s.cells, delimited.Cell{Text: text})
		filled = len(s.cells)
	}
}

// token goes on to the next element of a name in the one that is open, or to the end of this.
func (s *sheetSource) token(name string) error {
	depth := len(s.m.open)
	for {
		if err := s.m.next(); err != nil {
			return cutShort(err)
		}
		switch {
		case s.m.kind == endTag && len(s.m.open) < depth, s.m.kind == startTag && s.m.name == name:
			return nil
		case s.m.kind == startTag && s.m.name != "extLst":
			return fmt.Errorf("<%s> where <%s> is allowed", short(s.m.name), name)
		case s.m.kind == characters && len(bytes.TrimSpace(s.m.text)) > 0:
			return fmt.Errorf("text %s between the cells", short(string(s.m.text)))
		case s.m.kind == startTag:
			if err := s.skipElement(); err != nil {
				return err
			}
		}
	}
}

// skipElement goes to the end of the element that begins.
func (s *sheetSource) skipElement() error {
	for depth := len(s.m.open); len(s.m.open) >= depth; {
		if err := s.m.next(); err != nil {
			return cutShort(err)
		}
	}
	return nil
}

// column is the number of the column of a cell, counted from 1, which stands right of the last one.
func (s *sheetSource) column(last int) (int, error) {
	reference := s.m.attr("r")
	if reference == nil {
		if last == mostSheetColumns {
			return 0, fmt.Errorf("has more than %d columns", mostSheetColumns)
		}
		return last + 1, nil
	}
	column, k := 0, 0
	for ; k < len(reference) && reference[k] >= 'A' && reference[k] <= 'Z' && column <= mostSheetColumns; k++ {
		column = 26*column + int(reference[k]-'A') + 1
	}
	row, err := strconv.Atoi(string(reference[k:]))
	switch {
	case err != nil || column < 1 || column > mostSheetColumns || reference[k] == '+':
		return 0, fmt.Errorf("reference %s; allowed: A1 to XFD1048576", short(string(reference)))
	case row != s.row:
		return 0, fmt.Errorf("reference %s in row %d", short(string(reference)), s.row)
	case column <= last:
		return column, fmt.Errorf("stands after cell %s; allowed: cells in sequence, each once", cellName(last, s.row))
	}
	return column, nil
}

// cellName is the name of a cell, such as B7.
func cellName(column, row int) string {
	name := strconv.Itoa(row)
	for ; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// cell reads the cell that begins, and returns its text.
func (s *sheetSource) cell(column int) ([]byte, error) {
	m := s.m
	kind, dated := string(m.attr("t")), false
	if style := m.attr("s"); style != nil {
		k, err := strconv.Atoi(string(style))
		if err != nil || k < 0 || k >= max(len(s.w.dates), 1) {
			return nil, fmt.Errorf("style %s, which the workbook lacks", short(string(style)))
		}
		dated = k < len(s.w.dates) && s.w.dates[k]
	}
	begin, formula, values := len(s.buffer), false, 0
	for depth := len(m.open); len(m.open) >= depth; {
		if err := m.next(); err != nil {
			return nil, cutShort(err)
		}
		inside := m.open[min(depth, len(m.open)):]
		switch {
		case m.kind == startTag && len(inside) == 1:
			switch m.name {
			case "v", "is":
				if values++; values > 1 {
					return nil, errors.New("has two values")
				}
			case "f":
				formula = true
			case "extLst":
			default:
				return nil, fmt.Errorf("<%s> in a cell", short(m.name))
			}
		case m.kind == startTag && local(inside[0]) == "v":
			return nil, fmt.Errorf("<%s> in a value", short(m.name))
		case m.kind == characters && len(inside) > 0 && (local(inside[0]) == "v" && len(inside) == 1 || local(inside[0]) == "is" && spoken(inside)):
			if s.buffer = append(s.buffer, unescaped(m.text)...); len(s.buffer)-begin > longestToken {
				return nil, fmt.Errorf("has more than %d characters", longestToken)
			}
		case m.kind == characters && len(inside) == 0 && len(bytes.TrimSpace(m.text)) > 0:
			return nil, errors.New("text outside of the value")
		}
	}
	value := bytes.TrimSpace(s.buffer[begin:len(s.buffer):len(s.buffer)])
	if len(value) > 0 {
		return s.text(value, kind, dated)
	}
	if formula && values == 0 && s.row > s.skip {
		if s.formulas++; s.uncomputed == "" {
			s.uncomputed = cellName(column, s.row)
		}
	}
	return nil, nil
}

// text is that of a cell with this value.
func (s *sheetSource) text(value []byte, kind string, dated bool) ([]byte, error) {
	switch kind {
	case "s":
		k, err := strconv.Atoi(string(value))
		text, ok := s.w.texts.at(k)
		switch {
		case !s.w.texts.found:
			return nil, errors.New("has a text that is not there: the workbook lacks its shared texts")
		case err != nil || !ok:
			return nil, fmt.Errorf("has text %s of %d that are shared", short(string(value)), len(s.w.texts.ends))
		}
		return bytes.TrimSpace(text), nil
	case "", "n":
		for _, c := range value {
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
				return nil, fmt.Errorf("%s is not a number", strconv.Quote(short(string(value))))
			}
		}
		if dated {
			if v, err := strconv.ParseFloat(string(value), 64); err == nil && v >= 0 && v < lastDay {
				return []byte(dateText(v, s.w.late)), nil
			}
		}
	case "b":
		if text := string(value); text != "0" && text != "1" && text != "false" && text != "true" {
			return nil, fmt.Errorf("truth value %s; allowed: 0 and 1", short(text))
		}
		return bytes.ToUpper(strconv.AppendBool(nil, truth(value))), nil
	case "str", "inlineStr", "e", "d":
	default:
		return nil, fmt.Errorf("type %s of a cell; allowed: n, s, str, inlineStr, b, d, e", short(kind))
	}
	return value, nil
}

// escaped are characters that XML cannot hold, as workbooks write them.
var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func unescaped(text []byte) []byte {
	if !bytes.Contains(text, []byte("_x")) {
		return text
	}
	return escaped.ReplaceAllFunc(text, func(code []byte) []byte {
		c, _ := strconv.ParseUint(string(code[2:6]), 16, 16) // of hexadecimal digits
		return utf8.AppendRune(nil, rune(c))
	})
}

func truth(value []byte) bool { return string(value) == "1" || string(value) == "true" }

// lastDay is that after 9999-12-31.
const lastDay = 2958466

// dateText is the date and time that a number of days stands for. The format counts the day after 1900-02-28 twice; numbers below 1 are times of day.
func dateText(days float64, late bool) string {
	origin := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	whole, part := math.Modf(days)
	switch at := time.Duration(math.Round(part*86400e3)) * time.Millisecond; {
	case late:
		origin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 1:
		return time.Time{}.Add(at).Format("15:04:05.999")
	case days < 60:
		whole++
	}
	at := origin.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400e3)) * time.Millisecond)
	if part == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04:05.999")
}
