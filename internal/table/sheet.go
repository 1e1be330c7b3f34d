package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"tobac/internal/delimited"
)

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

	// the first cell left of the table, and the first formula without a value
	outside, uncomputed string
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
		if s.m.kind == startTag && len(s.m.open) == 2 && s.m.name == "sheetData" &&
			local(s.m.open[0]) == "worksheet" {
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
		if len(s.cells) > 0 &&
			(s.comment == "" || !bytes.HasPrefix(s.cells[0].Text, []byte(s.comment))) {
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
			return fmt.Errorf("number %s of a row; allowed: 1 to %d", short(string(number)),
				mostSheetRows)
		}
		if row <= s.row {
			return fmt.Errorf("row %d stands after row %d; allowed: rows in sequence, each once",
				row, s.row)
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
			return fmt.Errorf("the texts of its cells take more than %d times as much as the file",
				mostUnpacked)
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
	for ; k < len(reference) && reference[k] >= 'A' && reference[k] <= 'Z' &&
		column <= mostSheetColumns; k++ {
		column = 26*column + int(reference[k]-'A') + 1
	}
	row, err := strconv.Atoi(string(reference[k:]))
	switch {
	case err != nil || column < 1 || column > mostSheetColumns || reference[k] == '+':
		return 0, fmt.Errorf("reference %s; allowed: A1 to XFD1048576", short(string(reference)))
	case row != s.row:
		return 0, fmt.Errorf("reference %s in row %d", short(string(reference)), s.row)
	case column <= last:
		return column, fmt.Errorf("stands after cell %s; allowed: cells in sequence, each once",
			cellName(last, s.row))
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
		case m.kind == characters && len(inside) > 0 &&
			(local(inside[0]) == "v" && len(inside) == 1 || local(inside[0]) == "is" &&
				spoken(inside)):
			if s.buffer = append(s.buffer, unescaped(m.text)...); len(s.buffer)-
				begin > longestToken {
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
			return nil, errors.New(
				"has a text that is not there: the workbook lacks its shared texts")
		case err != nil || !ok:
			return nil, fmt.Errorf("has text %s of %d that are shared", short(string(value)),
				len(s.w.texts.ends))
		}
		return bytes.TrimSpace(text), nil
	case "", "n":
		for _, c := range value {
			if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
				return nil, fmt.Errorf("%s is not a number", strconv.Quote(short(string(value))))
			}
		}
		if dated {
			if v, err := strconv.ParseFloat(string(value), 64); err == nil && v >= 0 &&
				v < lastDay {
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
		return nil, fmt.Errorf("type %s of a cell; allowed: n, s, str, inlineStr, b, d, e",
			short(kind))
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

// dateText is the date and time that a number of days stands for. The format counts the day
// after 1900-02-28 twice; numbers below 1 are times of day.
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
	at := origin.AddDate(0, 0,
		int(whole)).Add(time.Duration(math.Round(part*86400e3)) * time.Millisecond)
	if part == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04:05.999")
}
