package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Printer writes for people: what a terminal would obey, in names of columns and files, is
// written as an escape of Go. What programs read goes past it: see [Exactly].
type Printer struct {
	To       io.Writer
	Terminal bool
}

func NewPrinter(to io.Writer) *Printer {
	f, ok := to.(*os.File)
	return &Printer{To: to, Terminal: ok && term.IsTerminal(int(f.Fd()))}
}

// Write implements io.Writer.
func (p *Printer) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.To, Printable(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Exactly is a writer for what programs read: names stay as they are, but on a terminal.
func Exactly(w io.Writer) io.Writer {
	if p, ok := w.(*Printer); ok && !p.Terminal {
		return p.To
	}
	return w
}

// Obeyed reports whether a terminal does something other than to show a rune: control characters,
// and those that turn the direction of writing. Line ends and tabs are part of texts.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// Printable is a text with escapes for what a terminal would obey.
func Printable(text string) string {
	if !strings.ContainsFunc(text, Obeyed) {
		return text
	}
	var b strings.Builder
	last := 0
	for k, r := range text {
		if !Obeyed(r) {
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

// WriteJSON writes a report with indentation.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(Exactly(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
