package delimited

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tobac/internal/words"
)

// Error is a fault in a text file. Its text is one line, for example
//
//	data.csv: line 3, column "PKA": "abc" is not a number; allowed: finite numbers such as 1.5 or -2e-3
type Error struct {
	Source string // name of the file, or what stands for it
	// line counted from 1 on which the record begins; 0 when no single line is at fault
	Line    int
	Column  string // name of the column; empty when no single column is at fault
	Problem string // what is wrong, with the offending value
	Allowed string // what would be right; may be empty
}

// Error returns the fault as one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	b.WriteString(": ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d", e.Line)
		if e.Column != "" {
			b.WriteString(", column " + Excerpt(e.Column))
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Allowed != "" {
		b.WriteString("; allowed: ")
		b.WriteString(e.Allowed)
	}
	return b.String()
}

// How much an error repeats: characters of a value, values of a list.
const (
	longest = 60
	most    = 20
)

// Excerpt quotes text for an error message and shortens it to at most 60 characters.
func Excerpt(text string) string {
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "..."
	}
	return fmt.Sprintf("%q", text)
}

// Excerpts quotes and lists the first 20 texts for an error message and counts the others.
func Excerpts(texts []string) string {
	list := make([]string, len(texts))
	for n, text := range texts {
		list[n] = Excerpt(text)
	}
	return words.Some(list, most)
}

// IsNumber reports whether [NumberParser.Parse] would read text as a number in a file with the
// given separator. NaN, infinities and numbers beyond the range of float64 count, although Parse
// refuses them: they are faulty numbers, not words.
func IsNumber(text string, separator rune) bool {
	_, err := parseFloat(withPoint(strings.TrimSpace(text), separator))
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// parseFloat is strconv.ParseFloat without what is not a number outside of Go: digits
// grouped by underscores, and hexadecimal.
func parseFloat(text string) (float64, error) {
	if strings.ContainsAny(text, "_xX") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// Number reads a single finite decimal number such as 1.5 or -2e-3, which may have blanks around
// it. Go's other literals are none: 1_000, 0x1p-2.
func Number(text string) (v float64, ok bool) {
	v, err := parseFloat(strings.TrimSpace(text))
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// withPoint turns a decimal comma between two digits into a point where the separator leaves room
// for one.
func withPoint(text string, separator rune) string {
	before, after, found := strings.Cut(text, ",")
	if !found || separator == ',' || strings.Contains(text, ".") {
		return text
	}
	if before == "" || after == "" || !digit(before[len(before)-1]) || !digit(after[0]) {
		return text
	}
	return before + "." + after
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// NumberParser reads the numbers of one file and checks that they share one decimal mark.
type NumberParser struct {
	file *File
	mark byte // '.' or ','; 0 until a number has one
	line int  // where mark was first seen
}

// Numbers returns a parser for the fields of f.
func (f *File) Numbers() *NumberParser { return &NumberParser{file: f} }

// What errors about numbers allow.
const (
	allowedNumbers = "finite numbers such as 1.5 or -2e-3"
	allowedMark    = "one decimal mark throughout the file"
)

// Parse reads the finite number in text, which may have blanks around it. The line, and the
// column's name, are for the error: a missing value, text that is not a number, NaN, an infinity, a
// magnitude beyond float64, or a change of the decimal mark within the file.
func (p *NumberParser) Parse(text string, line int, column string) (float64, error) {
	text = strings.TrimSpace(text)
	fault := func(problem, allowed string) (float64, error) {
		return 0, &Error{Source: p.file.Source, Line: line, Column: column, Problem: problem,
			Allowed: allowed}
	}
	if text == "" {
		return fault("value is missing", allowedNumbers)
	}
	v, err := parseFloat(withPoint(text, p.file.Separator))
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fault(Excerpt(text)+" is too large",
			fmt.Sprintf("magnitudes up to %.4g", math.MaxFloat64))
	case err != nil:
		return fault(Excerpt(text)+" is not a number", allowedNumbers)
	case math.IsNaN(v) || math.IsInf(v, 0):
		return fault(Excerpt(text)+" is not finite", allowedNumbers)
	}
	if i := strings.IndexAny(text, ".,"); i >= 0 {
		if p.mark == 0 {
			p.mark, p.line = text[i], line
		}
		if text[i] != p.mark {
			return fault(fmt.Sprintf("%s has decimal mark %q, but line %d has %q", Excerpt(text),
				text[i], p.line, p.mark), allowedMark)
		}
	}
	return v, nil
}
