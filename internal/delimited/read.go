package delimited

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// File is a text table split into records.
type File struct {
	Source    string   // name for error messages
	Separator rune     // ',', ';' or '\t'
	Records   []Record // never empty
}

// Record is one line of a table, or several when a quoted field contains line ends.
type Record struct {
	Line   int // line counted from 1 on which the record begins
	Fields []Field
}

// Field is one value of a record.
type Field struct {
	Text   string // without quotes and surrounding blanks; blanks inside quotes are kept
	Quoted bool
}

// byteOrderMark may begin a UTF-8 file and is skipped.
const byteOrderMark = "\uFEFF"

// Read splits all of r into records; source names r in errors.
//
// The separator is the first of tab, semicolon and comma that splits the first record into at least two fields none of which begins
// or ends with another of the three. Tab and semicolon come first because a comma may also be a decimal mark; the condition keeps
// "a,<tab>b" a line separated by commas. A first record with a single field belongs to a file with a single column.
//
// A file without any record, text that is not UTF-8, faulty quotes and empty lines between records give an [*Error].
func Read(r io.Reader, source string) (*File, error) {
	data, err := readAll(r, source)
	if errors.As(err, new(*Error)) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := checkEncoding(data, source); err != nil {
		return nil, err
	}
	s := scanner{text: strings.TrimPrefix(string(data), byteOrderMark), source: source, line: 1}
	s.skipEmptyLines()
	if s.done() {
		return nil, &Error{Source: source, Problem: "file is empty"}
	}
	s.separator = s.detectSeparator()
	f := &File{Source: source, Separator: s.separator}
	for {
		record, err := s.record()
		if err != nil {
			return nil, err
		}
		f.Records = append(f.Records, record)
		line := s.line
		skipped := s.skipEmptyLines()
		if s.done() {
			return f, nil
		}
		if skipped {
			return nil, &Error{Source: source, Line: line, Problem: "empty line between records", Allowed: "empty lines at the end of the file"}
		}
	}
}

// Fields splits one record separated by commas, such as the value of an option, into the texts of its fields; source names it in errors.
// Quotes and blanks are those of a file. Faulty quotes and text after the first line end are an [*Error].
func Fields(text, source string) ([]string, error) {
	s := scanner{text: text, source: source, separator: ','}
	record, err := s.record()
	if err != nil {
		return nil, err
	}
	if !s.done() {
		return nil, &Error{Source: source, Problem: "text has more than one line", Allowed: "values separated by commas"}
	}
	texts := make([]string, len(record.Fields))
	for i, field := range record.Fields {
		texts[i] = field.Text
	}
	return texts, nil
}

func checkEncoding(data []byte, source string) error {
	const allowed = "UTF-8"
	if text := string(data[:min(2, len(data))]); text == "\xff\xfe" || text == "\xfe\xff" {
		return &Error{Source: source, Problem: "text is UTF-16", Allowed: allowed}
	}
	if utf8.Valid(data) {
		return nil
	}
	s := scanner{text: string(data), line: 1}
	for !s.done() {
		if s.skipLineEnd() {
			continue
		}
		c, size := utf8.DecodeRuneInString(s.text[s.pos:])
		if c == utf8.RuneError && size == 1 {
			break
		}
		s.pos += size
	}
	return &Error{Source: source, Line: s.line, Problem: "text is not UTF-8", Allowed: allowed}
}

// scanner walks over text. Its zero value plus text and line 1 is ready to use.
type scanner struct {
	text      string
	source    string
	separator rune
	pos       int // next byte
	line      int // line of the next byte
}

func (s *scanner) done() bool { return s.pos >= len(s.text) }

// skipLineEnd steps over one line end, if there is one here.
func (s *scanner) skipLineEnd() bool {
	rest := s.text[s.pos:]
	switch {
	case strings.HasPrefix(rest, "\r\n"):
		s.pos += 2
	case strings.HasPrefix(rest, "\r"), strings.HasPrefix(rest, "\n"):
		s.pos++
	default:
		return false
	}
	s.line++
	return true
}

// skipEmptyLines steps over lines without any character but blanks and says whether there was one.
func (s *scanner) skipEmptyLines() bool {
	skipped := false
	for {
		ahead := *s
		ahead.skipBlanks()
		if ahead.done() {
			*s = ahead
			return skipped
		}
		if !ahead.skipLineEnd() {
			return skipped
		}
		*s, skipped = ahead, true
	}
}

// skipBlanks steps over spaces, and over tabs unless they separate fields.
func (s *scanner) skipBlanks() {
	for !s.done() && (s.text[s.pos] == ' ' || s.text[s.pos] == '\t' && s.separator != '\t') {
		s.pos++
	}
}

// separators in the order in which they are tried.
const separators = "\t;,"

func (s *scanner) detectSeparator() rune {
	for _, separator := range separators {
		try := *s
		try.separator = separator
		if record, err := try.record(); err == nil && plausible(record, separator) {
			return separator
		}
	}
	return ','
}

func plausible(record Record, separator rune) bool {
	others := strings.ReplaceAll(separators, string(separator), "")
	for _, field := range record.Fields {
		if !field.Quoted && strings.Trim(field.Text, others) != field.Text {
			return false
		}
	}
	return len(record.Fields) > 1
}

// record reads up to and including the next line end.
func (s *scanner) record() (Record, error) {
	record := Record{Line: s.line}
	for {
		field, err := s.field()
		if err != nil {
			return Record{}, err
		}
		record.Fields = append(record.Fields, field)
		if s.done() || s.skipLineEnd() {
			return record, nil
		}
		s.pos++ // the separator, at which field stops
	}
}

// field reads up to the next separator, line end or end of text.
func (s *scanner) field() (Field, error) {
	s.skipBlanks()
	if !s.done() && s.text[s.pos] == '"' {
		return s.quoted()
	}
	text := strings.TrimSpace(s.upToStop())
	if strings.Contains(text, `"`) {
		return Field{}, s.fault("quote inside unquoted text " + Excerpt(text))
	}
	return Field{Text: text}, nil
}

// upToStop consumes and returns what precedes the next separator, line end or end of text.
func (s *scanner) upToStop() string {
	rest := s.text[s.pos:]
	if stop := strings.IndexFunc(rest, func(c rune) bool { return c == s.separator || c == '\r' || c == '\n' }); stop >= 0 {
		rest = rest[:stop]
	}
	s.pos += len(rest)
	return rest
}

// quoted reads a field that begins with a quote here.
func (s *scanner) quoted() (Field, error) {
	open := *s
	s.pos++
	var text strings.Builder
	for {
		if s.done() {
			return Field{}, open.fault("quote is never closed")
		}
		start := s.pos
		if s.text[s.pos] == '"' {
			s.pos++
			if s.done() || s.text[s.pos] != '"' {
				break
			}
			start = s.pos
			s.pos++
		} else if !s.skipLineEnd() {
			s.pos++
		}
		text.WriteString(s.text[start:s.pos])
	}
	if after := strings.TrimSpace(s.upToStop()); after != "" {
		return Field{}, s.fault("text " + Excerpt(after) + " after a closing quote")
	}
	return Field{Text: text.String(), Quoted: true}, nil
}

func (s *scanner) fault(problem string) error {
	return &Error{Source: s.source, Line: s.line, Problem: problem, Allowed: `quotes around a whole field, doubled inside it ("")`}
}
