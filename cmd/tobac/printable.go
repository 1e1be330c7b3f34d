package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A printer writes for people: what a terminal would obey, in names of columns and files, is
// written as an escape of Go. What programs read goes past it: see [exactly].
type printer struct {
	to       io.Writer
	terminal bool
}

func newPrinter(to io.Writer) *printer {
	f, ok := to.(*os.File)
	return &printer{to: to, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// Write implements io.Writer.
func (p *printer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.to, printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// exactly is a writer for what programs read: names stay as they are, but on a terminal.
func exactly(w io.Writer) io.Writer {
	if p, ok := w.(*printer); ok && !p.terminal {
		return p.to
	}
	return w
}

// obeyed reports whether a terminal does something other than to show a rune: control characters, and
// those that turn the direction of writing. Line ends and tabs are part of texts.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// printable is a text with escapes for what a terminal would obey.
func printable(text string) string {
	if !strings.ContainsFunc(text, obeyed) {
		return text
	}
	var b strings.Builder
	last := 0
	for k, r := range text {
		if !obeyed(r) {
			continue
		}
		b.WriteString(text[last:k])
		last = k + utf8.RuneLen(r)
		if r < 0x80 {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String() + text[last:]
}
