package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"tobac/internal/memory"
)

// File is a text table split into records.
type File struct {
	Source    string   // name for error messages
	Separator rune     // see [Syntax]
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

// Read splits all of r into records, as a [Stream] gives them; source names r in errors. A text
// without any record is an [*Error], and so is one that the memory does not hold.
func Read(r io.Reader, source string, syntax Syntax) (*File, error) {
	s, err := NewStream(r, source, syntax)
	if err != nil {
		return nil, err
	}
	f := &File{Source: source, Separator: s.Separator()}
	const step = 64 << 20 // bytes after which the memory is checked
	taken, checked := 0, step
	for {
		cells, line, err := s.Next()
		switch {
		case errors.Is(err, io.EOF) && len(f.Records) == 0:
			return nil, &Error{Source: source, Problem: "file is empty"}
		case errors.Is(err, io.EOF):
			return f, nil
		case err != nil:
			return nil, err
		}
		f.Records = append(f.Records, recordOf(cells, line))
		for taken += 64; len(cells) > 0; cells = cells[1:] {
			taken += 24 + len(cells[0].Text)
		}
		if taken < checked {
			continue
		}
		checked = taken + step
		if err := memory.Check(fmt.Sprintf("more than %d records", len(f.Records)),
			2*float64(taken)); err != nil {
			return nil, &Error{Source: source, Problem: "holds " + err.Error(),
				Allowed: "a smaller file"}
		}
	}
}

// recordOf keeps cells in one string.
func recordOf(cells []Cell, line int) Record {
	var b strings.Builder
	for _, c := range cells {
		b.Write(c.Text)
	}
	text, fields := b.String(), make([]Field, len(cells))
	for k, c := range cells {
		fields[k], text = Field{text[:len(c.Text)], c.Quoted}, text[len(c.Text):]
	}
	return Record{line, fields}
}

// Fields splits one record separated by commas, such as the value of an option, into the texts of
// its fields; source names it in errors. Quotes and blanks are those of a file. Faulty quotes and
// text after the first line end are an [*Error].
func Fields(text, source string) ([]string, error) {
	s := newStream(strings.NewReader(text), source, Syntax{Separator: ','}, 1<<12)
	cells, _, err := s.Next()
	if errors.Is(err, io.EOF) {
		return []string{""}, nil
	}
	if located := new(Error); errors.As(err, &located) {
		located.Line = 0
	}
	if err != nil {
		return nil, err
	}
	record := recordOf(cells, 1)
	if _, err := s.physical(); !errors.Is(err, io.EOF) {
		return nil, &Error{Source: source, Problem: "text has more than one line",
			Allowed: "values separated by commas"}
	}
	texts := make([]string, len(record.Fields))
	for i, field := range record.Fields {
		texts[i] = field.Text
	}
	return texts, nil
}

// Limits of a text, so that what is not a table is refused before it fills the memory.
const (
	// MaxLine is the number of bytes that a line may have, and a record of several lines.
	MaxLine = 16 << 20
	// MaxFields is the number of fields that a record may have.
	MaxFields = 1 << 17
)

// tooLong is the error of a line without an end.
func tooLong(source string, line int) error {
	return &Error{Source: source, Line: line,
		Problem: fmt.Sprintf("longer than %d MiB", MaxLine>>20), Allowed: "lines that end"}
}

// checkFields refuses a record of too many fields.
func (s *Stream) checkFields(line int) error {
	if len(s.cells) <= MaxFields {
		return nil
	}
	return &Error{Source: s.source, Line: line, Problem: "more than " + fmt.Sprint(MaxFields) +
		" values", Allowed: "tables with a row for each observation"}
}

// restOfLine reads on after the part of a line that fills the buffer.
func (s *Stream) restOfLine(part []byte) ([]byte, error) {
	whole, err := bytes.Clone(part), bufio.ErrBufferFull
	var line []byte
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > MaxLine {
			return nil, tooLong(s.source, s.line+len(s.ahead)+1)
		}
		line, err = s.lines.ReadSlice('\n')
		whole = append(whole, line...)
	}
	return whole, err
}
