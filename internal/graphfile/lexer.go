package graphfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"tobac/internal/delimited"
)

// A token is a word, a quoted text or a sign of a language.
type token struct {
	text   string // without quotes
	quoted bool
	line   int
}

// is reports whether the token is this word or sign, in any case, out of quotes.
func (t token) is(text string) bool { return !t.quoted && strings.EqualFold(t.text, text) }

// end reports whether the token stands for the end of the text.
func (t token) end() bool { return t.text == "" && !t.quoted }

// dialect is how a language is cut into tokens. Comments are those of C, and a backslash keeps the
// next quote from ending a text.
type dialect struct {
	signs    []string                 // longer ones before their beginnings
	inWord   func(c rune) bool        // characters of words
	unquote  func(text string) string // text between quotes; nil means as it is
	hash     bool                     // lines that begin with # are comments
	brackets bool                     // <…> is quoted text, with nested brackets
	// a word that inWord does not describe at the beginning of text; nil means none
	word func(text string) (length int)
}

// lexer cuts a text into tokens, which it looks ahead by one.
type lexer struct {
	dialect
	source string
	text   string
	pos    int
	line   int
	next   token
}

func newLexer(data []byte, source string, d dialect) (*lexer, error) {
	l := &lexer{dialect: d, source: source, text: strings.TrimPrefix(string(data), byteOrderMark),
		line: 1}
	if !utf8.ValidString(l.text) {
		return nil, &delimited.Error{Source: source, Problem: "text is not UTF-8", Allowed: "UTF-8"}
	}
	return l, l.advance()
}

func (l *lexer) fault(line int, problem, allowed string) error {
	return &delimited.Error{Source: l.source, Line: line, Problem: problem, Allowed: allowed}
}

// unexpected says that the next token is not what may stand here.
func (l *lexer) unexpected(want string) error {
	if l.next.end() {
		return l.fault(l.next.line, "file ends too early", want)
	}
	return l.fault(l.next.line, "got "+excerpt(l.next.text), want)
}

// take returns the next token and goes on to the one after it.
func (l *lexer) take() (token, error) {
	t := l.next
	return t, l.advance()
}

// expect takes the word or sign that has to be next.
func (l *lexer) expect(text string) error {
	if !l.next.is(text) {
		return l.unexpected(fmt.Sprintf("%q here", text))
	}
	return l.advance()
}

// advance reads the next token.
func (l *lexer) advance() error {
	if err := l.skip(); err != nil {
		return err
	}
	rest := l.text[l.pos:]
	l.next = token{line: l.line}
	if rest == "" {
		return nil
	}
	switch {
	case rest[0] == '"':
		return l.quotedText()
	case rest[0] == '<' && l.brackets && !l.startsWithSign(rest):
		return l.bracketed()
	}
	if l.word != nil {
		if n := l.word(rest); n > 0 {
			l.step(n)
			l.next.text = rest[:n]
			return nil
		}
	}
	for _, sign := range l.signs {
		if strings.HasPrefix(rest, sign) {
			l.step(len(sign))
			l.next.text = sign
			return nil
		}
	}
	n := strings.IndexFunc(rest, func(c rune) bool { return !l.inWord(c) })
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		c, _ := utf8.DecodeRuneInString(rest)
		return l.fault(l.line, fmt.Sprintf("character %q that does not belong here", c), "")
	}
	l.step(n)
	l.next.text = rest[:n]
	return nil
}

func (l *lexer) startsWithSign(rest string) bool {
	for _, sign := range l.signs {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return false
}

// step goes n bytes on.
func (l *lexer) step(n int) {
	l.line += strings.Count(l.text[l.pos:l.pos+n], "\n")
	l.pos += n
}

// skip steps over blanks and comments.
func (l *lexer) skip() error {
	for {
		rest := l.text[l.pos:]
		blank := len(rest) - len(strings.TrimLeft(rest, " \t\r\n\f\v"))
		l.step(blank)
		rest = rest[blank:]
		end := ""
		switch {
		case strings.HasPrefix(rest, "//"), l.hash && strings.HasPrefix(rest, "#") &&
			l.lineBegins():
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return nil
		}
		at := strings.Index(rest[1:], end)
		switch {
		case at >= 0:
			l.step(1 + at + len(end))
		case end == "\n":
			l.step(len(rest))
		default:
			return l.fault(l.line, "comment is never closed", "*/ after /*")
		}
	}
}

// lineBegins reports whether only blanks stand before here in the line.
func (l *lexer) lineBegins() bool {
	before := l.text[:l.pos]
	return strings.TrimLeft(before[strings.LastIndex(before, "\n")+1:], " \t\r") == ""
}

// quotedText reads up to the closing quote.
func (l *lexer) quotedText() error {
	rest := l.text[l.pos+1:]
	n := 0
	for {
		at := strings.IndexAny(rest[n:], `"\`)
		if at < 0 {
			return l.fault(l.line, "quote is never closed", "")
		}
		n += at
		if rest[n] == '"' {
			break
		}
		if n++; n < len(rest) {
			n++
		}
	}
	l.next.quoted, l.next.text = true, rest[:n]
	if l.unquote != nil {
		l.next.text = l.unquote(l.next.text)
	}
	l.step(n + 2)
	return nil
}

// bracketed reads text between < and the > that closes it.
func (l *lexer) bracketed() error {
	depth := 0
	rest := l.text[l.pos:]
	for n, c := range rest {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth == 0 {
			l.next.quoted, l.next.text = true, rest[1:n]
			l.step(n + 1)
			return nil
		}
	}
	return l.fault(l.line, "< is never closed", "")
}
