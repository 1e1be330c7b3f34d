package graphfile

import (
	"html"
	"regexp"
	"strings"
)

// dotTokens are those of the Graphviz language. Words may have points inside, which Graphviz wants
// in quotes.
var dotTokens = dialect{
	signs:    []string{"->", "--", "{", "}", "[", "]", "=", ";", ",", ":", "+"},
	inWord:   func(c rune) bool { return c == '_' || c == '.' || c >= 0x80 || digitOrLetter(c) },
	word:     numeral,
	unquote:  unquoteDOT,
	hash:     true,
	brackets: true,
}

// dagittySigns are the arrows of DAGitty, beside the signs of Graphviz.
var dagittySigns = []string{"<->", "@->", "<-@", "@-@", "@--", "--@", "<-"}

// dagitty are the kinds of graphs in DAGitty's variant of the language.
var dagitty = []string{"dag", "pdag", "mag", "pag"}

func digitOrLetter(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

var numeralStart = regexp.MustCompile(`^-(\.[0-9]+|[0-9]+(\.[0-9]*)?)`)

func numeral(text string) int { return len(numeralStart.FindString(text)) }

var (
	dotEscape = regexp.MustCompile(`(?s)\\.`)
	entity    = regexp.MustCompile(`&(#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)
)

// unquoteDOT is the text that Graphviz draws for a text in quotes: line ends, quotes and
// backslashes by escapes, and entities of HTML.
func unquoteDOT(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		span := dotEscape.FindStringIndex(text[at:])
		if span == nil {
			span = []int{len(text) - at, len(text) - at}
		}
		b.WriteString(entity.ReplaceAllStringFunc(text[at:at+span[0]], html.UnescapeString))
		switch escape := text[at+span[0] : at+span[1]]; escape {
		case "":
		case `\n`, `\l`:
			b.WriteString("\n")
		case `\r`:
			b.WriteString("\r")
		case `\"`, `\\`:
			b.WriteString(escape[1:])
		case "\\\n": // the text goes on in the next line
		default:
			b.WriteString(escape)
		}
		at += span[1]
	}
	return b.String()
}
