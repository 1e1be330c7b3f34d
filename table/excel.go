package table

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"tobac/delimited"
)

// readWorkbook reads a sheet of a workbook.
func readWorkbook(r io.Reader, name string, layout Layout) (t *Table, err error) {
	defer func() {
		if cause := recover(); cause != nil { // against damaged files
			t, err = nil, &FormatError{name, fmt.Sprintf("is a damaged workbook: %v", cause)}
		}
	}()
	f, err := excelize.OpenReader(r, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, &FormatError{name, "is a damaged or encrypted workbook: " + err.Error()}
	}
	defer f.Close() // only read
	sheets := f.GetSheetList()
	sheet, err := chooseSheet(f, sheets, name, layout.Sheet)
	if err != nil {
		return nil, err
	}
	t = &Table{Source: name, Format: "workbook, sheet " + short(sheet), unit: "row", takes: workbookLayout}
	if layout.Sheet == "" && len(sheets) > 1 {
		t.note("of %d sheets (%s) the first that is not empty is read; --sheet chooses another", len(sheets), strings.Join(shorts(sheets), ", "))
	}
	dates, err := newDateStyles(f)
	if err != nil {
		return nil, &FormatError{name, "is a damaged workbook: " + err.Error()}
	}
	s := &sheetSource{f: f, sheet: sheet, skip: layout.Skip, dates: dates, comment: layout.Comment}
	if s.rows, err = f.Rows(sheet); err != nil {
		return nil, &FormatError{name, err.Error()}
	}
	defer s.rows.Close() // only read
	if s.left, err = firstColumn(f, sheet); err != nil {
		return nil, &FormatError{name, err.Error()}
	}
	number := func(text []byte) (float64, bool) {
		var mark delimited.DecimalMark
		return mark.Number(text, ',')
	}
	l := &loader{t: t, layout: layout, number: number, like: number, padded: true}
	if err := l.load(s); err != nil {
		return nil, err
	}
	return t, nil
}

func shorts(names []string) []string {
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = short(name)
	}
	return out
}

// chooseSheet finds the sheet of a name or number, or the first that has cells.
func chooseSheet(f *excelize.File, sheets []string, name, wanted string) (string, error) {
	if wanted == "" {
		for _, sheet := range sheets {
			rows, err := f.Rows(sheet)
			if err != nil {
				continue // a sheet of a chart
			}
			filled := rows.Next()
			rows.Close() // only read
			if filled {
				return sheet, nil
			}
		}
		return "", &FormatError{name, "workbook is empty"}
	}
	if slices.Contains(sheets, wanted) {
		return wanted, nil
	}
	if k, err := strconv.Atoi(wanted); err == nil && 1 <= k && k <= len(sheets) {
		return sheets[k-1], nil
	}
	return "", &OptionError{"sheet", fmt.Sprintf("%s has no sheet %s; allowed: %s, or numbers from 1 to %d", name, short(wanted), strings.Join(shorts(sheets), ", "), len(sheets))}
}

// firstColumn is the number of empty columns before the table, found in its first rows.
func firstColumn(f *excelize.File, sheet string) (left int, err error) {
	rows, err := f.Rows(sheet)
	if err != nil {
		return 0, err
	}
	defer rows.Close() // only read
	left = -1
	for k := 0; k < headRecords && rows.Next(); k++ {
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return 0, err
		}
		for j, cell := range cells {
			if strings.TrimSpace(cell) != "" {
				if left < 0 || j < left {
					left = j
				}
				break
			}
		}
	}
	return max(left, 0), nil
}

// sheetSource gives the rows of a sheet.
type sheetSource struct {
	f       *excelize.File
	sheet   string
	rows    *excelize.Rows
	row     int // read so far
	left    int // empty columns before the table
	skip    int
	comment string
	dates   *dateStyles
	cells   []delimited.Cell
}

var _ source = (*sheetSource)(nil)

// Next implements source. Empty rows are left out.
func (s *sheetSource) Next() ([]delimited.Cell, int, error) {
	for s.rows.Next() {
		texts, err := s.rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, 0, &FormatError{s.sheet, err.Error()}
		}
		if s.row++; s.row <= s.skip {
			continue
		}
		s.cells = s.cells[:0]
		filled := 0
		for j := s.left; j < len(texts); j++ {
			text := strings.TrimSpace(strings.ToValidUTF8(texts[j], "\uFFFD"))
			if text != "" {
				filled = len(s.cells) + 1
				if text, err = s.dates.read(s, j, text); err != nil {
					return nil, 0, err
				}
			}
			s.cells = append(s.cells, delimited.Cell{Text: []byte(text)})
		}
		s.cells = s.cells[:filled]
		if filled == 0 || s.comment != "" && strings.HasPrefix(string(s.cells[0].Text), s.comment) {
			continue
		}
		return s.cells, s.row, nil
	}
	if err := s.rows.Error(); err != nil {
		return nil, 0, &FormatError{s.sheet, err.Error()}
	}
	return nil, 0, io.EOF
}

// dateStyles tells numbers that a sheet shows as dates.
type dateStyles struct {
	f    *excelize.File
	late bool         // days count from 1904
	is   map[int]bool // by style
	// by column: how many numbers were looked at, and whether they were dates
	seen  map[int]int
	dated map[int]bool
}

func newDateStyles(f *excelize.File) (*dateStyles, error) {
	d := &dateStyles{f: f, is: map[int]bool{}, seen: map[int]int{}, dated: map[int]bool{}}
	props, err := f.GetWorkbookProps()
	if err != nil {
		return nil, err
	}
	d.late = props.Date1904 != nil && *props.Date1904
	return d, nil
}

// styledCells is how many numbers of a column are looked at for their style.
const styledCells = 5

// read returns the text of a cell, or the date that the sheet shows.
func (d *dateStyles) read(s *sheetSource, column int, text string) (string, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 3e6 {
		return text, nil
	}
	if d.seen[column] < styledCells {
		d.seen[column]++
		cell, err := excelize.CoordinatesToCellName(column+1, s.row)
		if err != nil {
			return "", err
		}
		style, err := d.f.GetCellStyle(s.sheet, cell)
		if err != nil {
			return "", err
		}
		d.dated[column] = d.dateStyle(style)
	}
	if !d.dated[column] {
		return text, nil
	}
	at, err := excelize.ExcelDateToTime(v, d.late)
	if err != nil {
		return text, nil
	}
	if v == float64(int(v)) {
		return at.Format(time.DateOnly), nil
	}
	return at.Format(time.DateTime), nil
}

// dateStyle reports whether a style shows numbers as dates or times.
func (d *dateStyles) dateStyle(style int) bool {
	is, known := d.is[style]
	if known {
		return is
	}
	if s, err := d.f.GetStyle(style); err == nil && s != nil {
		is = s.NumFmt >= 14 && s.NumFmt <= 22 || s.NumFmt >= 45 && s.NumFmt <= 47
		if s.CustomNumFmt != nil {
			is = isDateFormat(*s.CustomNumFmt)
		}
	}
	d.is[style] = is
	return is
}

// isDateFormat reports whether a number format has years, days or hours outside of quotes and brackets.
func isDateFormat(format string) bool {
	quoted, bracket := false, false
	for k, c := range strings.ToLower(format) {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case quoted, bracket, k > 0 && format[k-1] == '\\':
		case c == 'y', c == 'd', c == 'h':
			return true
		}
	}
	return false
}
