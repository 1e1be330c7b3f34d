package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// Limits of a text, so that what is no table is refused before it fills the memory.
const (
	// MaxLine is the number of bytes that a line may have, and a record of several lines.
	MaxLine = 16 << 20
	// MaxFields is the number of fields that a record may have.
	MaxFields = 1 << 17
)

// tooLong is the error of a line without an end.
func tooLong(source string, line int) error {
	return &Error{Source: source, Line: line, Problem: fmt.Sprintf("longer than %d MiB", MaxLine>>20), Allowed: "lines that end"}
}

// checkFields refuses a record of too many fields.
func (s *Stream) checkFields(line int) error {
	if len(s.cells) <= MaxFields {
		return nil
	}
	return &Error{Source: s.source, Line: line, Problem: "more than " + fmt.Sprint(MaxFields) + " values", Allowed: "tables with a row for each observation"}
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
