package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Syntax says how a [Stream] splits a text.
type Syntax struct {
	// Separator of fields: ',', ';', '\t', '|', or ' ' for runs of blanks and tabs. 0 means
	// detected.
	Separator rune
	// Words says that blanks stand within fields, and are no separator unless they are named as
	// such.
	Words bool
	// Comment is how lines begin that are left out; "" means none are.
	Comment string
	// Skip is the number of lines at the beginning that are left out.
	Skip int
}

// Cell is one field of a record of a [Stream]. Its text is valid until the next record is read.
type Cell struct {
	Text   []byte // without quotes and surrounding blanks; blanks inside quotes are kept
	Quoted bool
}

// Stream reads the records of a text one after the other. It belongs to one goroutine.
type Stream struct {
	source   string
	syntax   Syntax
	text     *decoder
	lines    *bufio.Reader
	ahead    [][]byte // lines read to detect the separator
	line     int      // lines read
	records  int      // records read
	record   []byte   // the current record if it has quotes, line ends inside them included
	cells    []Cell
	end      string // of the last line that was read
	pending  int    // empty lines that no record has followed yet
	empty    int    // empty lines between records
	comments int    // lines left out because they are comments
}

// LeftOut is the number of empty lines between records, and of lines of comment, so far.
func (s *Stream) LeftOut() (empty, comments int) { return s.empty, s.comments }

// separatorLine is how a line begins by which spreadsheets name the separator.
const separatorLine = "sep="

// sampleLines is how many lines decide about the separator.
const sampleLines = 100

// NewStream begins to read r; source names it in errors.
//
// A first line "sep=;" names the separator, and is no record. Otherwise an undetermined separator
// is the one that splits the first hundred lines most evenly into at least two fields; of several
// that do so equally well it is one that leaves no quote inside of unquoted text, and of these the
// first of tab, semicolon, bar, comma and blanks, provided that no field begins or ends with
// another of the first four. A text that none splits has one column, and commas.
func NewStream(r io.Reader, source string, syntax Syntax) (*Stream, error) {
	s := newStream(r, source, syntax, 1<<20)
	for range syntax.Skip {
		if _, err := s.physical(); err != nil {
			return nil, s.skipped(err)
		}
	}
	if err := s.separatorLine(); err != nil {
		return nil, err
	}
	if s.syntax.Separator == 0 {
		if err := s.detect(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newStream begins with the first line; size is that of the buffer.
func newStream(r io.Reader, source string, syntax Syntax, size int) *Stream {
	s := &Stream{source: source, syntax: syntax, text: &decoder{r: r}}
	s.lines = bufio.NewReaderSize(&unixLines{r: s.text}, size)
	return s
}

// Encoding is that of the text, as far as it has been read.
func (s *Stream) Encoding() Encoding { return s.text.encoding }

// Separator is the separator of the fields, ' ' for runs of blanks.
func (s *Stream) Separator() rune { return s.syntax.Separator }

func (s *Stream) skipped(err error) error {
	if errors.Is(err, io.EOF) {
		return &Error{Source: s.source, Problem: "file ends after " + strconv.Itoa(s.line) +
			" lines, before the first that is not skipped"}
	}
	return err
}

// separatorLine reads the line that names the separator, if there is one.
func (s *Stream) separatorLine() error {
	first, err := s.readLine()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	text, _ := cutEnd(first)
	if name := strings.Trim(string(text), `"`); strings.HasPrefix(strings.ToLower(name),
		separatorLine) && len(name) <= len(separatorLine)+1 {
		if c := []rune(name[len(separatorLine):]); s.syntax.Separator == 0 && len(c) == 1 &&
			strings.ContainsRune(streamSeparators, c[0]) {
			s.syntax.Separator = c[0]
		}
		s.line++
		return nil
	}
	s.ahead = append(s.ahead, bytes.Clone(first))
	return nil
}

// streamSeparators in the order in which they are preferred.
const streamSeparators = "\t;|, "

// detect reads the first lines ahead and settles the separator.
func (s *Stream) detect() error {
	size := 0
	for len(s.ahead) < sampleLines && size < 1<<22 {
		line, err := s.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		s.ahead = append(s.ahead, bytes.Clone(line))
		size += len(line)
	}
	best := 0.0
	s.syntax.Separator = ','
	for _, separator := range streamSeparators {
		if separator == ' ' && s.syntax.Words {
			break
		}
		if share := s.evenness(separator); share > best {
			best, s.syntax.Separator = share, separator
		}
	}
	return nil
}

// evenness is the fraction of the lines read ahead that have the commonest number of fields, hardly
// less if a quote stands inside of unquoted text, and 0 if that number is 1.
func (s *Stream) evenness(separator rune) float64 {
	try := &Stream{source: s.source, text: s.text, syntax: Syntax{Separator: separator,
		Comment: s.syntax.Comment}, ahead: s.ahead, lines: bufio.NewReader(strings.NewReader(""))}
	count := map[int]int{}
	records, plausible, inner := 0, true, false
	for {
		cells, _, err := try.Next()
		if err != nil { // the end, or a quote that the sample cuts
			break
		}
		records++
		count[len(cells)]++
		for _, c := range cells {
			inner = inner || !c.Quoted && bytes.IndexByte(c.Text, '"') >= 0
			if text := string(c.Text); separator != ' ' && !c.Quoted && len(cells) > 1 &&
				strings.Trim(text, without(separator)) != text {
				plausible = false
			}
		}
	}
	most, fields := 0, 1
	for k, n := range count {
		if k > 1 && (n > most || n == most && k > fields) {
			most, fields = n, k
		}
	}
	if !plausible || 2*most < records && most < records-3 {
		return 0
	}
	share := float64(most) / float64(records)
	if inner {
		share *= 1 - 1e-6
	}
	return share
}

// without are the separators, but for blanks and the given one.
func without(separator rune) string {
	return strings.ReplaceAll(strings.TrimSuffix(streamSeparators, " "), string(separator), "")
}

// Next returns the fields of the next record and the line, counted from 1, on which it begins.
// Fields are valid until the next call. After the last record the error is io.EOF. Text that is not
// UTF-8, quotes that are never closed and text after a closing quote are an [*Error].
func (s *Stream) Next() (cells []Cell, line int, err error) {
	for {
		text, err := s.physical()
		if err != nil {
			return nil, 0, err
		}
		trimmed := bytes.TrimLeft(text, " \t")
		switch {
		case len(trimmed) == 0 && (s.syntax.Separator != '\t' || len(text) == 0),
			// of other white space, which separates too
			s.syntax.Separator == ' ' && len(bytes.TrimSpace(trimmed)) == 0:
			s.pending++
			continue
		case s.syntax.Comment != "" && bytes.HasPrefix(trimmed, []byte(s.syntax.Comment)):
			s.comments++
			continue
		}
		if s.records > 0 {
			s.empty += s.pending
		}
		s.pending = 0
		s.records++
		line = s.line
		if cells, err = s.split(text); err == nil {
			err = s.checkFields(line)
		}
		return cells, line, err
	}
}

// split cuts a line into cells, and reads on where a quote is open at its end.
func (s *Stream) split(text []byte) ([]Cell, error) {
	s.cells = s.cells[:0]
	if bytes.IndexByte(text, '"') >= 0 {
		return s.splitQuoted(text)
	}
	if s.syntax.Separator == ' ' {
		for field := range bytes.FieldsSeq(text) {
			if s.cells = append(s.cells, Cell{Text: field}); len(s.cells) > MaxFields {
				break
			}
		}
		return s.cells, nil
	}
	separator := byte(s.syntax.Separator)
	for len(s.cells) <= MaxFields {
		stop := bytes.IndexByte(text, separator)
		if stop < 0 {
			s.cells = append(s.cells, Cell{Text: trimBlanks(text)})
			return s.cells, nil
		}
		s.cells = append(s.cells, Cell{Text: trimBlanks(text[:stop])})
		text = text[stop+1:]
	}
	return s.cells, nil
}

// trimBlanks is bytes.TrimSpace, fast where there is nothing to do.
func trimBlanks(text []byte) []byte {
	if n := len(text); n == 0 || text[0] > ' ' && text[0] < utf8.RuneSelf && text[n-1] > ' ' &&
		text[n-1] < utf8.RuneSelf {
		return text
	}
	return bytes.TrimSpace(text)
}

// splitQuoted is split for a line with quotes in it.
func (s *Stream) splitQuoted(text []byte) ([]Cell, error) {
	begin := s.line
	s.record = append(s.record[:0], text...)
	at := 0
	blank := func() bool {
		return at < len(s.record) &&
			(s.record[at] == ' ' || s.record[at] == '\t' && s.syntax.Separator != '\t')
	}
	separator := func() bool {
		if s.syntax.Separator == ' ' {
			return s.record[at] == ' ' || s.record[at] == '\t'
		}
		return rune(s.record[at]) == s.syntax.Separator
	}
	for {
		for blank() {
			at++
		}
		if at >= len(s.record) && s.syntax.Separator == ' ' && len(s.cells) > 0 {
			return s.cells, nil // blanks at the end of the line
		}
		if at < len(s.record) && s.record[at] == '"' {
			field, next, err := s.quoted(at, begin)
			if err != nil {
				return nil, err
			}
			at = next
			start := at
			for at < len(s.record) && !separator() {
				at++
			}
			if after := bytes.TrimSpace(s.record[start:at]); len(after) > 0 {
				return nil, &Error{Source: s.source, Line: begin, Problem: "text " +
					Excerpt(string(after)) + " after a closing quote",
					Allowed: `quotes around a whole field, doubled inside it ("")`}
			}
			s.cells = append(s.cells, Cell{Text: field, Quoted: true})
		} else {
			start := at
			for at < len(s.record) && !separator() {
				at++
			}
			s.cells = append(s.cells, Cell{Text: bytes.TrimSpace(s.record[start:at])})
		}
		if at >= len(s.record) || len(s.cells) > MaxFields {
			return s.cells, nil
		}
		at++
	}
}

// quoted reads the field whose quote opens at a place of the record, and returns the place after
// its end.
func (s *Stream) quoted(at, begin int) (field []byte, next int, err error) {
	for at++; ; at++ {
		if at >= len(s.record) {
			end := s.end
			more, err := s.physical()
			if errors.Is(err, io.EOF) {
				return nil, 0,
					&Error{Source: s.source, Line: begin, Problem: "quote is never closed",
						Allowed: `quotes around a whole field, doubled inside it ("")`}
			}
			if err != nil {
				return nil, 0, err
			}
			if len(s.record)+len(more) > MaxLine {
				return nil, 0, tooLong(s.source, begin)
			}
			s.record = append(append(s.record, end...), more...)
			field = append(field, end...)
			at += len(end) - 1
			continue
		}
		if s.record[at] != '"' {
			field = append(field, s.record[at])
			continue
		}
		if at+1 >= len(s.record) || s.record[at+1] != '"' {
			return field, at + 1, nil
		}
		at++
		field = append(field, '"')
	}
}

// physical returns the next line without its end, from those read ahead first.
func (s *Stream) physical() ([]byte, error) {
	var line []byte
	var err error
	if len(s.ahead) > 0 {
		line, s.ahead = s.ahead[0], s.ahead[1:]
	} else if line, err = s.readLine(); err != nil {
		return nil, err
	}
	line, s.end = cutEnd(line)
	s.line++
	return line, nil
}

// cutEnd takes the end off a line that [unixLines] gave.
func cutEnd(line []byte) (text []byte, end string) {
	text = bytes.TrimRight(line, "\r")
	return text, [...]string{"\n", "\r\n", "\r"}[len(line)-len(text)]
}

// readLine reads the next line, whose end it leaves as [unixLines] marks it but for the LF.

func (s *Stream) readLine() ([]byte, error) {
	line, err := s.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.restOfLine(line)
		if errors.As(err, new(*Error)) {
			return nil, err
		}
	}
	if len(line) == 0 && err != nil {
		return nil, locate(s.source, err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, locate(s.source, err)
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if !utf8.Valid(line) {
		return nil, &Error{Source: s.source, Line: s.line + len(s.ahead) + 1,
			Problem: "text is not " + s.text.encoding.String(),
			Allowed: "UTF-8, Windows-1252 or Latin-1, UTF-16 with a byte order mark"}
	}
	return line, nil
}

// locate puts the source before an error of reading, but for the end.
func locate(source string, err error) error {
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	return &readError{source, err}
}

// readError is a failure of the reader below.
type readError struct {
	source string
	err    error
}

func (e *readError) Error() string { return e.source + ": " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// unixLines ends all lines with LF, before which a CRLF leaves one CR, and a lone CR two.
type unixLines struct {
	r       io.Reader
	in, out []byte // what is read, and what is converted and not given
	after   bool   // the last byte read was a CR, which is not converted
	err     error  // of r
}

// Read implements io.Reader.
func (u *unixLines) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil && !u.after {
			return 0, u.err
		}
		if u.in == nil {
			u.in = make([]byte, 1<<15)
		}
		n := 0
		if u.err == nil {
			n, u.err = u.r.Read(u.in)
		}
		u.convert(u.in[:n])
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// convert changes a block; an empty one is the end.
func (u *unixLines) convert(p []byte) {
	if !u.after && bytes.IndexByte(p, '\r') < 0 {
		u.out = p
		return
	}
	var out []byte
	for _, c := range p {
		if u.after && c != '\n' {
			out = append(out, "\r\r\n"...)
		} else if u.after {
			out = append(out, '\r')
		}
		if u.after = c == '\r'; !u.after {
			out = append(out, c)
		}
	}
	if u.after && u.err != nil {
		out, u.after = append(out, "\r\r\n"...), false
	}
	u.out = out
}

// A DecimalMark is the mark of the numbers of one text: '.' or ',', 0 until one has been seen.
type DecimalMark byte

// Number reads a finite number; ok is false for any other text. A decimal comma is read where the
// separator leaves room for one, and a text keeps to the mark that its first number has: a number
// with the other is none.
func (m *DecimalMark) Number(text []byte, separator rune) (v float64, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	switch c := text[0]; {
	case '0' <= c && c <= '9', c == '-', c == '+', c == '.', c == ',':
	default:
		return 0, false
	}
	mark := byte(0)
	for k, c := range text {
		switch {
		case c == '.':
			mark = '.'
		case c == ',' && separator != ',' && mark == 0 && k > 0 && k+1 < len(text) &&
			digit(text[k-1]) && digit(text[k+1]):
			mark = ','
		case '0' <= c && c <= '9', c == '-', c == '+', c == 'e', c == 'E':
		default: // hexadecimal digits, underscores, words
			return 0, false
		}
	}
	if mark != 0 && *m != 0 && byte(*m) != mark {
		return 0, false
	}
	var err error
	if mark == ',' {
		v, err = strconv.ParseFloat(strings.Replace(string(text), ",", ".", 1), 64)
	} else {
		v, err = strconv.ParseFloat(string(text), 64)
	}
	if err != nil || math.IsInf(v, 0) {
		return 0, false
	}
	if mark != 0 {
		*m = DecimalMark(mark)
	}
	return v, true
}
