package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"tobac/internal/delimited"
	"tobac/internal/file"

	"golang.org/x/term"
)

// Width of the report: a field is a word, then text that begins at column indent
// and wraps before column width.
const (
	indent = 8
	width  = 90
)

// PrintField writes a field. Every line of text is wrapped on its own.
func PrintField(w io.Writer, name, text string) {
	for _, line := range strings.Split(text, "\n") {
		at, start := 0, true
		for _, word := range strings.Split(line, " ") {
			n := utf8.RuneCountInString(word)
			switch {
			case start:
				fmt.Fprintf(w, "%-*s%s", indent, name, word)
				at, start = indent+n, false
			case at+1+n > width:
				fmt.Fprintf(w, "\n%-*s%s", indent, "", word)
				at = indent + n
			default:
				fmt.Fprint(w, " ", word)
				at += 1 + n
			}
		}
		fmt.Fprintln(w)
		name = ""
	}
}

// WeightText is a weight with its standard deviation, which has two digits and
// decides how many the weight has.
func WeightText(mean, sd float64) string {
	switch {
	case math.IsNaN(mean):
		return "-"
	case math.IsNaN(sd) || sd <= 0:
		return fmt.Sprintf("%.3g", mean)
	}
	decimals := 1 - int(math.Floor(math.Log10(sd)))
	switch {
	case decimals > 5 || decimals < -3:
		digits := max(1, int(math.Floor(math.Log10(math.Max(math.Abs(mean), sd))))+decimals)
		return fmt.Sprintf("%.*e ± %.1e", min(digits, 9), mean, sd)
	case decimals < 0:
		unit := math.Pow(10, float64(-decimals))
		return fmt.Sprintf("%.0f ± %.0f", unit*math.Round(mean/unit), unit*math.Round(sd/unit))
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, mean, decimals, sd)
}

// Label is a column's name, quoted if it would break a table.
func Label(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return !strconv.IsPrint(c) }) {
		return strconv.Quote(name)
	}
	return name
}

func NewTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// JoinNames is the line of names that --order reads, as an option and in a file.
func JoinNames(names []string) string { return string(delimited.AppendTexts(nil, names...)) }

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

// Print writes to the standard output, which an error names.
func Print(w io.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return file.WithPath("standard output", err)
	}
	return nil
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
