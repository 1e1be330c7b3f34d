package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of XML: how deep elements lie in one another, and the bytes of a tag or text. A cell
// has 32767 characters at most.
const (
	deepestElement = 200
	longestToken   = 1 << 20
)

// A markup reads XML token by token, as the parts of workbooks are written: in UTF-8, without a
// document type, and so without entities that might grow. It takes a fifth of the time of
// package encoding/xml.
type markup struct {
	r     *bufio.Reader
	open  []string // names of the elements that have begun, as written
	names map[string]string
	long  []byte // a text or tag that is longer than the buffer of r
	seen  int    // bytes of a tag that were looked at for quotes
	quote byte   // that is open behind them; 0 means none

	// after a <, before the end of an element without content, after the root
	inTag, emptied, ended bool

	// The last token. Texts are valid until the next one.
	kind  token
	name  string // of the element, without the prefix of a name space
	attrs []attribute
	text  []byte
}

// A token is what stands between two other ones.
type token byte

const (
	startTag token = iota
	endTag
	characters
)

// An attribute bears its name as written.
type attribute struct {
	name  string
	value []byte
}

var errCutShort = errors.New("faulty XML: it is cut short")

func newMarkup(r io.Reader) *markup {
	m := &markup{r: bufio.NewReaderSize(r, 1<<16), names: map[string]string{}}
	if mark, _ := m.r.Peek(3); string(mark) == "\uFEFF" {
		m.r.Discard(3) // they are in the buffer
	}
	return m
}

// attr is the value of an attribute of the element that begins, nil if it has none.
func (m *markup) attr(name string) []byte {
	for _, a := range m.attrs {
		if a.name == name {
			return a.value
		}
	}
	return nil
}

// next reads the next token. The error after the end of the root is io.EOF.
func (m *markup) next() error {
	if m.emptied {
		m.emptied = false
		m.end()
		return nil
	}
	for {
		if !m.inTag {
			text, err := m.until('<', func(*markup, []byte) bool { return true })
			if errors.Is(err, io.EOF) && m.ended && len(bytes.TrimSpace(text)) == 0 {
				return io.EOF
			}
			if err != nil {
				return cutShort(err)
			}
			m.inTag = true
			if len(m.open) == 0 && len(bytes.TrimSpace(text)) > 0 {
				return errors.New("faulty XML: text outside of the elements")
			}
			if len(m.open) > 0 && len(text) > 0 {
				m.kind = characters
				m.text, err = unescape(text)
				return err
			}
		}
		m.inTag = false
		text, err := m.until('>', (*markup).whole)
		if err != nil {
			return cutShort(err)
		}
		switch {
		case len(text) > 0 && text[0] == '?':
			err = checkEncoding(string(text))
		case bytes.HasPrefix(text, []byte("!--")):
		case bytes.HasPrefix(text, []byte("![CDATA[")) && len(m.open) > 0:
			m.kind, m.text = characters, text[len("![CDATA["):len(text)-len("]]")]
			return checkText(m.text)
		default:
			return m.tag(text)
		}
		if err != nil {
			return err
		}
	}
}

// until returns what stands before a byte that ends it.
func (m *markup) until(stop byte, ends func(*markup, []byte) bool) ([]byte, error) {
	m.seen, m.quote = 0, 0
	part, err := m.r.ReadSlice(stop)
	if err == nil && ends(m, part[:len(part)-1]) {
		return part[:len(part)-1], nil
	}
	m.long = append(m.long[:0], part...)
	for err == nil || errors.Is(err, bufio.ErrBufferFull) {
		if len(m.long) > longestToken {
			return nil, fmt.Errorf("a text or tag has more than %d bytes", longestToken)
		}
		part, err = m.r.ReadSlice(stop)
		if m.long = append(m.long, part...); err == nil && ends(m, m.long[:len(m.long)-1]) {
			return m.long[:len(m.long)-1], nil
		}
	}
	return m.long, err
}

// whole reports whether the > after a text ends its tag, comment or instruction. The text of a
// call continues that of the one before.
func (m *markup) whole(text []byte) bool {
	switch {
	case bytes.HasPrefix(text, []byte("!--")):
		return len(text) >= len("!----") && bytes.HasSuffix(text, []byte("--"))
	case bytes.HasPrefix(text, []byte("![CDATA[")):
		return bytes.HasSuffix(text, []byte("]]"))
	case bytes.HasPrefix(text, []byte("?")):
		return len(text) > 1 && bytes.HasSuffix(text, []byte("?"))
	}
	for _, c := range text[m.seen:] {
		if m.quote == 0 && (c == '"' || c == '\'') {
			m.quote = c
		} else if c == m.quote {
			m.quote = 0
		}
	}
	m.seen = len(text)
	return m.quote == 0
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return errCutShort
	}
	return err
}

// checkEncoding refuses a declaration of another encoding than UTF-8.
func checkEncoding(instruction string) error {
	_, encoding, found := strings.Cut(instruction, "encoding=")
	encoding, _, _ = strings.Cut(strings.TrimLeft(encoding, `"'`), encoding[:min(1, len(encoding))])
	if found && strings.HasPrefix(instruction, "?xml ") && !strings.EqualFold(encoding, "utf-8") &&
		!strings.EqualFold(encoding, "us-ascii") {
		return fmt.Errorf("faulty XML: encoding %s, want UTF-8", short(encoding))
	}
	return nil
}

func checkText(text []byte) error {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return errors.New("faulty XML: text is not UTF-8")
	}
	return nil
}

// tag reads the tag of an element.
func (m *markup) tag(text []byte) error {
	if !m.element(text) {
		return fmt.Errorf("faulty XML: tag <%s>",
			short(strings.ToValidUTF8(string(text[:min(len(text), 100)]), "?")))
	}
	if len(m.open) > deepestElement {
		return fmt.Errorf("faulty XML: elements lie more than %d deep", deepestElement)
	}
	for k := range m.attrs {
		var err error
		if m.attrs[k].value, err = unescape(m.attrs[k].value); err != nil {
			return err
		}
	}
	return nil
}

// element opens or closes the element of a tag; ok is false if the tag is faulty.
func (m *markup) element(text []byte) (ok bool) {
	m.attrs = m.attrs[:0]
	text, closes := bytes.CutPrefix(text, []byte{'/'})
	text, m.emptied = bytes.CutSuffix(text, []byte{'/'})
	stop := bytes.IndexAny(text, " \t\r\n")
	if stop < 0 {
		stop = len(text)
	}
	name, rest := m.intern(text[:stop]), bytes.TrimSpace(text[stop:])
	if closes {
		ok = len(rest) == 0 && !m.emptied && len(m.open) > 0 && m.open[len(m.open)-1] == name
		if ok {
			m.end()
		}
		return ok
	}
	if name == "" || m.ended {
		return false
	}
	m.open = append(m.open, name)
	m.kind, m.name = startTag, local(name)
	for len(rest) > 0 {
		equals := bytes.IndexByte(rest, '=')
		if equals < 0 {
			return false
		}
		name, after := m.intern(bytes.TrimSpace(rest[:equals])), bytes.TrimSpace(rest[equals+1:])
		if name == "" || len(after) < 2 || after[0] != '"' && after[0] != '\'' {
			return false
		}
		stop := 1 + bytes.IndexByte(after[1:], after[0])
		if stop == 0 || bytes.IndexByte(after[:stop], '<') >= 0 || m.attr(name) != nil {
			return false
		}
		m.attrs = append(m.attrs, attribute{name, after[1:stop:stop]})
		if rest = after[stop+1:]; len(rest) > 0 && strings.IndexByte(" \t\r\n", rest[0]) < 0 {
			return false
		}
		rest = bytes.TrimSpace(rest)
	}
	return true
}

// end closes the element that was opened last.
func (m *markup) end() {
	last := len(m.open) - 1
	m.kind, m.name = endTag, local(m.open[last])
	m.open = m.open[:last]
	m.ended = last == 0
}

// intern is the name of an element or attribute as a string, of which there is one for all like
// it, up to so many; "" if it is not a name.
func (m *markup) intern(text []byte) string {
	const most = 1000
	name, known := m.names[string(text)]
	if !known {
		name = string(text)
		if name == "" || strings.ContainsAny(name, " \t\r\n<&\"'=/!") || name[0] == ':' ||
			name[len(name)-1] == ':' {
			return ""
		}
		if len(m.names) < most {
			m.names[name] = name
		}
	}
	return name
}

// local is a name without the prefix of its name space.
func local(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// entities are those that XML has by itself.
var entities = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// unescape replaces entities and references to characters.
func unescape(text []byte) ([]byte, error) {
	if err := checkText(text); err != nil || bytes.IndexByte(text, '&') < 0 {
		return text, err
	}
	var out []byte
	for {
		before, after, found := bytes.Cut(text, []byte{'&'})
		if out = append(out, before...); !found {
			return out, nil
		}
		name, rest, found := bytes.Cut(after, []byte{';'})
		const longest = 8
		if !found || len(name) > longest {
			return nil, errors.New("faulty XML: & without an entity")
		}
		if plain, known := entities[string(name)]; known {
			out = append(out, plain...)
		} else if c, ok := reference(string(name)); ok {
			out = utf8.AppendRune(out, c)
		} else {
			return nil, fmt.Errorf("faulty XML: entity &%s;", short(string(name)))
		}
		text = rest
	}
}

// reference is the character of a name such as #65 or #x41.
func reference(name string) (rune, bool) {
	digits, numbered := strings.CutPrefix(name, "#")
	base := 10
	if hex, is := strings.CutPrefix(digits, "x"); is {
		digits, base = hex, 16
	}
	c, err := strconv.ParseUint(digits, base, 21)
	return rune(c), numbered && err == nil && utf8.ValidRune(rune(c)) &&
		(c >= ' ' || slices.Contains([]uint64{'\t', '\n', '\r'}, c))
}
