package table

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/memory"
	"tobac/internal/words"
)

// Bounds of a workbook: those of its format for rows and columns, and for the parts that are
// held in memory as a whole.
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
	t := &Table{Source: source, Format: "workbook, sheet " + short(sheet.name), unit: "row",
		takes: workbookLayout}
	if layout.Sheet == "" && len(w.sheets) > 1 {
		t.note("of %d sheets (%s) the first that is not empty is read; data.sheet chooses another",
			len(w.sheets), w.sheetNames())
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
		t.warn("%s left of the table, the first in %s, are left out",
			words.Counted(s.outsiders, "cell"), s.outside)
	}
	if s.uncomputed != "" {
		t.warn("%s without a computed value, the first in %s, are missing values: a spreadsheet "+
			"program that opens and saves the workbook computes them",
			words.Counted(s.formulas, "formula"), s.uncomputed)
	}
	return t, nil
}

// fault is an error in a sheet, "" for the workbook as a whole, with the name of the file.
// Errors that have it stay as they are.
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
			return &FormatError{w.source,
				"is a document of an office program without a table; allowed: " + allowedFiles}
		case m.name == "workbookPr":
			w.late = truth(m.attr("date1904"))
		case m.name == "sheet" && len(m.open) == 3:
			if kinds++; kinds > mostSheets {
				return fmt.Errorf("more than %d sheets", mostSheets)
			}
			for _, a := range m.attrs {
				// not a chart
				if r := rest[string(a.value)]; local(a.name) == "id" && r.kind == "worksheet" {
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
		// else cells say that it is missing
		case r.kind == "sharedStrings" && err == nil && w.parts[strings.ToLower(r.target)] != nil:
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
			all[string(m.attr("Id"))] = relation{path.Base(string(m.attr("Type"))),
				strings.TrimPrefix(path.Clean(target), "/")}
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
			// dates and times of day, also in the formats of East Asia
			if n, err := strconv.Atoi(id); err == nil && !known {
				is = n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 50 && n <= 58
			}
			w.dates = append(w.dates, is)
		}
		return nil
	})
}

// isDateFormat reports whether a number format has years, days or hours outside of quotes and
// brackets.
func isDateFormat(format string) bool {
	quoted, bracket, escaped := false, false, false
	for _, c := range strings.ToLower(format) {
		switch {
		case escaped:
			escaped = false
		case c == '"':
			quoted = !quoted
		case quoted:
		// before a character that stands for itself, for its width, or for filling
		case c == '\\', c == '_', c == '*':
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

// spoken reports whether characters in these elements belong to a text: not those that say how
// it is pronounced.
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

// choose finds the sheet of a name or number, or the first that has cells, and how many columns
// are empty before its table.
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
	return sheet, 0,
		&OptionError{"sheet",
			fmt.Sprintf("%s has no sheet %s; allowed: %s, or numbers from 1 to %d", w.source,
				short(wanted), w.sheetNames(), len(w.sheets))}
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
