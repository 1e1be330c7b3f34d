package delimited

import (
	"fmt"
	"strings"
)

// Error is a fault in a text file. Its text is one line, for example
//
//	data.csv: line 3, column "PKA": "abc" is not a number; allowed: finite numbers such as 1.5 or -2e-3
type Error struct {
	Source  string // name of the file, or what stands for it
	Line    int    // line counted from 1 on which the record begins; 0 when no single line is at fault
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
	var b strings.Builder
	for n, text := range texts[:min(most, len(texts))] {
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Excerpt(text))
	}
	if more := len(texts) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
