package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tobac/internal/delimited"
	"tobac/internal/memory"
	"tobac/internal/words"
)

// A source gives the records of a file one after the other. Cells are valid until the next call;
// the error after the last record is io.EOF.
type source interface {
	Next() (cells []delimited.Cell, line int, err error)
}

// A record is one of the first of a file, kept to decide what they are.
type record struct {
	line  int
	cells []delimited.Cell
}

// A loader fills a table from records.
type loader struct {
	t      *Table
	layout Layout
	// number reads a number as the file writes them. like is number without memory of what it read,
	// for cells that may be names.
	number, like func([]byte) (float64, bool)
	// survey looks at the first records before any is read; nil for formats that need not.
	survey func([]record)
	// padded says that records end with their last cell that is not empty.
	padded  bool
	width   int
	filled  int // cells that are not empty
	texts   int // bytes of texts that the columns keep
	checked int // bytes of the table when its size was last looked at
	last    int // line of the last row
	// a first record of numbers that is data although it differs from those below as names would
	odd     *record
	above   []record
	suspect *record // a first record of names and numbers, about which the number of rows decides
}

// headRecords is how many records decide where the data begin, or fewer where these take headBytes.
const (
	headRecords = 200
	headBytes   = 32 << 20
)

// load reads all records.
func (l *loader) load(s source) error {
	var head []record
	held := 0
	for len(head) < headRecords && (held < headBytes || len(head) < 3) {
		cells, line, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		head = append(head, record{line, copied(cells)})
		for _, c := range cells {
			held += 48 + len(c.Text)
		}
	}
	more := len(head) == headRecords || held >= headBytes
	if len(head) == 0 {
		return &FormatError{l.t.Source, "file is empty"}
	}
	if l.survey != nil {
		l.survey(head)
	}
	body, named := l.begin(head)
	for _, r := range body {
		l.add(r.cells, r.line)
	}
	for more {
		cells, line, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l.add(cells, line)
		if err := l.checkSize(); err != nil {
			return err
		}
	}
	l.settleAbove(named)
	l.settleSuspect()
	return nil
}

func copied(cells []delimited.Cell) []delimited.Cell {
	own := make([]delimited.Cell, len(cells))
	for j, c := range cells {
		own[j] = delimited.Cell{Text: append([]byte{}, c.Text...), Quoted: c.Quoted}
	}
	return own
}

// add appends a record as a row.
func (l *loader) add(cells []delimited.Cell, line int) {
	t := l.t
	got := len(cells)
	for got > l.width && len(cells[got-1].Text) == 0 {
		got--
	}
	if got > l.width || got < l.width && !l.padded {
		t.faults = append(t.faults, fault{t.Rows, line, got})
		got = 0
	}
	for j, c := range t.Columns {
		if j >= got || len(cells[j].Text) == 0 {
			c.addGap()
			continue
		}
		if v, ok := l.number(cells[j].Text); ok {
			c.addNumber(v)
		} else {
			kept := c.kept
			c.addText(cells[j].Text, line)
			l.texts += c.kept - kept
		}
		l.filled++
	}
	l.last = line
	t.Rows++
}

// begin finds out what the first records are, makes the columns, and returns the records of data,
// and whether there are names above them.
func (l *loader) begin(head []record) (body []record, named bool) {
	head, comment := l.dropComments(head)
	if len(head) == 0 {
		return nil, false
	}
	l.width = l.commonWidth(head)
	names, head := l.dropPreamble(head)
	if names == nil && len(head) > 0 {
		names, head = l.header(head)
	}
	if names == nil && comment != nil && l.layout.Header != HeaderNo {
		names = l.commentNames(*comment, head)
	}
	if names != nil {
		head = l.dropUnits(head)
	} else if l.suspect == nil && l.layout.Names == nil && l.layout.Header == HeaderAuto {
		l.t.note("no header found: the columns are called X0, X1, and so on; --set " +
			"data.header=yes takes the first line for names")
		if l.odd != nil {
			l.t.note("%s %d (%s) differs from those below in every column, as names would, but "+
				"is taken for data: --set data.header=yes takes it for names", l.t.unit, l.odd.line,
				l.quote(*l.odd))
		}
	}
	l.makeColumns(names)
	return head, names != nil || l.suspect != nil
}

// dropComments removes lines that begin with # from the top, and returns the last of them.
func (l *loader) dropComments(head []record) (rest []record, last *record) {
	if l.layout.Comment != "" {
		return head, nil
	}
	k := 0
	for k < len(head)-1 && len(head[k].cells) > 0 && !head[k].cells[0].Quoted &&
		strings.HasPrefix(string(head[k].cells[0].Text), "#") {
		k++
	}
	if k == 0 {
		return head, nil
	}
	l.t.warn("%s at the top that begin with # are left out", words.Counted(k, "line"))
	return head[k:], &head[k-1]
}

// commentNames are the names in a comment right above data without a header, as NumPy writes them;
// nil if it holds none.
func (l *loader) commentNames(comment record, body []record) []string {
	texts := textsOf(comment)
	texts[0] = strings.TrimSpace(strings.TrimLeft(texts[0], "#"))
	if texts[0] == "" && len(texts) == l.width+1 {
		texts = texts[1:]
	}
	if len(texts) != l.width {
		return nil
	}
	for j, text := range texts {
		if _, number := l.like([]byte(text)); number || text == "" {
			return nil
		}
		if below := l.below(body, j); below.texts > below.numbers {
			return nil
		}
	}
	l.t.note("the names of the columns are those in the comment on line %d", comment.line)
	return texts
}

// commonWidth is the number of values that most records have, the greatest where rows may be cut
// after their last value.
func (l *loader) commonWidth(head []record) int {
	count, width := map[int]int{}, 1
	for _, r := range head {
		n := len(r.cells)
		count[n]++
		if l.padded {
			width = max(width, n)
		} else if c := count[n]; c > count[width] || c == count[width] && n > width {
			width = n
		}
	}
	return width
}

// longestPreamble is how many lines of other lengths may stand above the data.
const longestPreamble = 20

// dropPreamble removes lines of other lengths and titles from the top, and keeps them in l.above.
// It returns names where one of these lines holds them: a header that leaves out the column with
// the names of the rows, as R writes it, or one above lines that end with a separator.
func (l *loader) dropPreamble(head []record) (names []string, rest []record) {
	for k := range head {
		if n := len(head[k].cells); n > l.width && l.blank(head[k].cells[l.width:]) {
			head[k].cells = head[k].cells[:l.width]
		}
	}
	for k := 0; k < longestPreamble && k < len(head)-1; k++ {
		r, below := head[k], head[k+1:]
		switch n := len(r.cells); {
		case n == l.width && !l.title(head[k:]), l.padded && !l.title(head[k:]),
			n != l.width && len(below[0].cells) != l.width && len(below) == 1:
			return nil, head[k:]
		case n == l.width-1 && n > 0 && l.layout.Header != HeaderNo && l.words(r) &&
			len(below[0].cells) == l.width && l.lastEmpty(below):
			return append(textsOf(r), ""), below
		case n == l.width-1 && n > 0 && l.layout.Header != HeaderNo && l.words(r) &&
			l.rowNames(below) && l.votes(below[0], below[1:]).names == 0:
			l.t.note("line %d has one name less than there are columns: the first column has the "+
				"names of the rows", r.line)
			return append([]string{""}, textsOf(r)...), below
		}
		l.above = append(l.above, r)
	}
	return nil, head[len(l.above):]
}

// rowNames reports whether the first column names the rows: texts or whole numbers that differ, the
// latter in rising sequence.
func (l *loader) rowNames(body []record) bool {
	seen, before := map[string]bool{}, math.Inf(-1)
	for _, r := range body {
		if len(r.cells) != l.width {
			return false
		}
		text := string(r.cells[0].Text)
		if v, number := l.like([]byte(text)); number && (v <= before || v != math.Trunc(v)) ||
			seen[text] {
			return false
		} else if number {
			before = v
		}
		seen[text] = true
	}
	return true
}

// settleAbove decides, once the number of rows is known, about the lines of other lengths above the
// data: which are left out with a warning, and which may be names or data, and are refused.
func (l *loader) settleAbove(named bool) {
	for k := 0; k < len(l.above); k++ {
		r := l.above[k]
		n, numbers, texts := len(r.cells), 0, 0
		for _, c := range r.cells {
			if _, number := l.like(c.Text); number {
				numbers++
			} else if len(c.Text) > 0 {
				texts++
			}
		}
		values := fmt.Sprintf("%s where most have %d", words.Counted(n, "value"), l.width)
		if n == l.width || l.padded {
			values = "few values"
		}
		last := k == len(l.above)-1
		switch {
		case l.counts(r):
			l.t.note("%s %d (%s) counts the rows and columns: it is left out", l.t.unit, r.line,
				l.quote(r))
		case texts == 0 && numbers > 0:
			first := k
			for k+1 < len(l.above) && len(l.above[k+1].cells) == n && !l.words(l.above[k+1]) {
				k++
			}
			lines, them := fmt.Sprintf("%s %d has", l.t.unit, r.line), "it"
			if k > first {
				lines, them = fmt.Sprintf("%ss %d to %d have", l.t.unit, r.line, l.above[k].line),
					"them"
			}
			l.t.problems = append(l.t.problems, Problem{
				Text:  fmt.Sprintf("%s %s, numbers all of them (%s)", lines, values, l.quote(r)),
				Solve: fmt.Sprintf("--set data.skip=%d leaves %s out", l.above[k].line, them),
			})
		case numbers == 0 && texts > 1 && l.layout.Names == nil &&
			(last && !named || n-l.width == 1 || l.width-n == 1):
			l.t.problems = append(l.t.problems, Problem{
				Text: fmt.Sprintf("%s %d has %d names for %d columns (%s)", l.t.unit, r.line, n,
					l.width, l.quote(r)),
				Solve: fmt.Sprintf("--set data.skip=%d leaves it out, and --set "+
					"data.names=a,b,... names the columns", r.line),
			})
		default:
			l.t.warn("%s %d, with %s, is left out: %s", l.t.unit, r.line, values, l.quote(r))
		}
	}
}

func (l *loader) blank(cells []delimited.Cell) bool {
	return !slices.ContainsFunc(cells, func(c delimited.Cell) bool { return len(c.Text) > 0 })
}

// title reports whether a record has few values, and the next is one of names.
func (l *loader) title(head []record) bool {
	if len(head) < 3 || l.width < 3 || l.layout.Header == HeaderNo {
		return false
	}
	filled := 0
	for _, c := range head[0].cells {
		if len(c.Text) > 0 {
			filled++
		}
	}
	next := 0
	for _, c := range head[1].cells {
		if len(c.Text) > 0 {
			next++
		}
	}
	if 2*filled >= l.width || 2*next < l.width || next <= filled {
		return false
	}
	return l.votes(head[1], head[2:]).names > 0 || !l.anyNumber(head[0]) &&
		l.votes(head[1], head[2:]).numbers == 0
}

func (l *loader) anyNumber(r record) bool {
	for _, c := range r.cells {
		if _, ok := l.like(c.Text); ok {
			return true
		}
	}
	return false
}

// words reports whether no value of a record is a number or empty.
func (l *loader) words(r record) bool {
	for _, c := range r.cells {
		if len(c.Text) == 0 && !c.Quoted {
			return false
		}
	}
	return !l.anyNumber(r)
}

func (l *loader) lastEmpty(body []record) bool {
	for _, r := range body {
		if len(r.cells) == l.width && len(r.cells[l.width-1].Text) > 0 {
			return false
		}
	}
	return true
}

// makeColumns makes the columns with their names.
func (l *loader) makeColumns(names []string) {
	quoted := len(names) > 0
	for _, name := range names {
		quoted = quoted && len(name) >= 2 && name[0] == '\'' && name[len(name)-1] == '\''
	}
	l.t.Columns = make([]*Column, l.width)
	for j := range l.t.Columns {
		c := &Column{Position: j + 1}
		if j < len(names) {
			if c.Name = strings.Join(strings.Fields(names[j]), " "); quoted {
				c.Name = strings.TrimSpace(c.Name[1 : len(c.Name)-1])
			}
		}
		l.t.Columns[j] = c
	}
	if quoted {
		l.t.note("names stand in single quotes, which are left out")
	}
}

// settleSuspect decides about a first record that mixes numbers and words: scikit-learn writes the
// numbers of rows and of columns there, then the names of classes.
func (l *loader) settleSuspect() {
	if l.suspect == nil {
		return
	}
	r := *l.suspect
	if l.counts(r) {
		l.t.note("%s %d (%s) counts the rows and columns: it is left out, and the columns are "+
			"called X0, X1, and so on; --set data.names=a,b,c names them", l.t.unit, r.line,
			l.quote(r))
		return
	}
	l.t.problems = append(l.t.problems, Problem{
		Text: fmt.Sprintf("%s %d mixes names and numbers (%s)", l.t.unit, r.line, l.quote(r)),
		Solve: "--set data.header=yes takes it for names, --set data.header=no for data; --set " +
			"data.skip=1 leaves the first line out, and --set data.names=a,b,c names the columns",
	})
}

// counts reports whether a record begins with the numbers of rows and columns, the last of which is
// apart.
func (l *loader) counts(r record) bool {
	if len(r.cells) < 2 {
		return false
	}
	rows, ok := l.like(r.cells[0].Text)
	columns, also := l.like(r.cells[1].Text)
	return ok && also && rows == float64(l.t.Rows) && columns == float64(l.width-1)
}

// quote is a record in a message.
func (l *loader) quote(r record) string {
	const most = 5
	texts := textsOf(r)
	for k, text := range texts {
		texts[k] = short(text)
	}
	if len(texts) > most {
		return strings.Join(texts[:most], ", ") + ", ..."
	}
	return strings.Join(texts, ", ")
}

func textsOf(r record) []string {
	texts := make([]string, len(r.cells))
	for j, c := range r.cells {
		texts[j] = string(c.Text)
	}
	return texts
}

// tally are those of the values of a column in the first records.
type tally struct {
	numbers, texts, whole int
	low, high             float64
	quoted                bool
	seen                  map[string]bool
}

// below counts the values of column j in some records.
func (l *loader) below(body []record, j int) tally {
	c := tally{low: math.Inf(1), high: math.Inf(-1), seen: map[string]bool{}}
	for k, r := range body {
		if j >= len(r.cells) || len(r.cells) != l.width && !l.padded {
			continue
		}
		cell := r.cells[j]
		if k == 0 {
			c.quoted = cell.Quoted
		}
		if gapAlways(string(cell.Text)) {
			continue
		}
		c.seen[string(cell.Text)] = true
		v, ok := l.like(cell.Text)
		if !ok {
			c.texts++
			continue
		}
		c.numbers++
		c.low, c.high = min(c.low, v), max(c.high, v)
		if v == math.Trunc(v) {
			c.whole++
		}
	}
	return c
}

// checkSize refuses a table that is being read as soon as less memory is left than an analysis
// takes, and one of whose cells hardly any holds a value.
func (l *loader) checkSize() error {
	cells := l.t.Rows * len(l.t.Columns)
	taken := BytesEachBlank*cells + l.texts
	if taken-l.checked < checkedBytes {
		return nil
	}
	l.checked = taken
	if cells > mostUnpacked*l.filled {
		return &FormatError{l.t.Source, fmt.Sprintf("of the first %d cells, up to %s %d, only %d "+
			"hold a value; allowed: tables with a value in one cell of %d", cells, l.t.unit, l.last,
			l.filled, mostUnpacked)}
	}
	return withPath(l.t.Source,
		memory.Check(fmt.Sprintf("more than %d rows of %d columns", l.t.Rows, len(l.t.Columns)),
			2*float64(taken)))
}

// Options of a [Layout] that the readers of the formats take, by the names of their flags. Names
// are taken for every format.
var (
	textLayout     = []string{"delimiter", "comment", "skip", "header", "names"}
	workbookLayout = []string{"sheet", "comment", "skip", "header", "names"}
	parquetLayout  = []string{"names"}
	arrayLayout    = []string{"skip", "names"}
	archiveLayout  = []string{"sheet", "skip", "names"}
)

// CheckLayout returns an [*OptionError] for the first option of a layout that is not zero and that
// the format of the file does not take, so that it was not read.
func (t *Table) CheckLayout(l Layout) error {
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"delimiter", l.Delimiter != 0},
		{"comment", l.Comment != ""},
		{"skip", l.Skip != 0},
		{"header", l.Header != HeaderAuto},
		{"names", l.Names != nil},
		{"sheet", l.Sheet != ""},
	} {
		if o.given && !slices.Contains(t.takes, o.name) {
			return &OptionError{o.name,
				fmt.Sprintf("means nothing here: %s is a %s, which takes data.%s", t.Source,
					t.Format, strings.Join(t.takes, ", data."))}
		}
	}
	return nil
}
