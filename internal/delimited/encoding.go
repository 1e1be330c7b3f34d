package delimited

import (
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// An Encoding is how bytes stand for the characters of a text.
type Encoding int

// The encodings of texts. A text is in UTF-16 if it begins with a byte order mark of UTF-16,
// and in Windows-1252, which has the characters of Latin-1 and some more, if the first of its
// bytes beyond ASCII are not UTF-8.
const (
	UTF8 Encoding = iota
	Windows1252
	UTF16
)

// String implements fmt.Stringer.
func (e Encoding) String() string { return [...]string{"UTF-8", "Windows-1252", "UTF-16"}[e] }

// windows1252 are the characters for the bytes 0x80 to 0x9F, U+FFFD where there is none; other
// bytes are those of Latin-1.
var windows1252 = [32]rune{'€', '�', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '�',
	'Ž', '�', '�', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '�', 'ž', 'Ÿ'}

// byteOrderMark may begin a UTF-8 file and is skipped.
const byteOrderMark = "\uFEFF"

// A decoder gives the text in r as UTF-8, without a byte order mark. What no character stands
// for becomes a byte that is not UTF-8.
type decoder struct {
	r        io.Reader
	encoding Encoding
	begun    bool
	settled  bool // the encoding is known
	order    binary.ByteOrder
	raw, out []byte // read and not decoded, decoded and not given
	buffer   []byte // of what is read
	own      []byte // of what is decoded, if it is not a part of what was read
	err      error  // of r
}

// noCharacter is what a decoder gives for bytes that no character stands for.
const noCharacter = 0xFF

// Read implements io.Reader.
func (d *decoder) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil && len(d.raw) == 0 {
			return 0, d.err
		}
		d.fill()
		d.decode()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// fill reads on behind the bytes that are not decoded yet.
func (d *decoder) fill() {
	if d.err != nil {
		return
	}
	if d.buffer == nil {
		d.buffer = make([]byte, 1<<16)
	}
	have := copy(d.buffer, d.raw)
	n := 0
	for n == 0 && d.err == nil && have < len(d.buffer) { // a full one is decoded first
		n, d.err = d.r.Read(d.buffer[have:])
	}
	d.raw = d.buffer[:have+n]
}

// decode turns what is read into text, but for a character that is cut.
func (d *decoder) decode() {
	if !d.begun && (len(d.raw) >= len(byteOrderMark) || d.err != nil) {
		d.begin()
	}
	switch {
	case !d.begun:
	case d.settled && d.encoding == UTF8:
		d.out, d.raw = d.raw, nil
	case d.settled && d.encoding == UTF16:
		d.decodeUTF16(d.err != nil)
	case d.settled:
		d.own = d.own[:0]
		for _, c := range d.raw {
			switch {
			case c < 0x80 || c >= 0xA0:
				d.own = utf8.AppendRune(d.own, rune(c))
			case windows1252[c-0x80] == utf8.RuneError:
				d.own = append(d.own, noCharacter)
			default:
				d.own = utf8.AppendRune(d.own, windows1252[c-0x80])
			}
		}
		d.out, d.raw = d.own, nil
	default:
		d.settle(d.err != nil)
	}
}

// begin skips a byte order mark.
func (d *decoder) begin() {
	d.begun = true
	switch {
	case len(d.raw) >= 2 && d.raw[0] == 0xFF && d.raw[1] == 0xFE:
		d.settled, d.encoding, d.order, d.raw = true, UTF16, binary.LittleEndian, d.raw[2:]
	case len(d.raw) >= 2 && d.raw[0] == 0xFE && d.raw[1] == 0xFF:
		d.settled, d.encoding, d.order, d.raw = true, UTF16, binary.BigEndian, d.raw[2:]
	case string(d.raw[:min(3, len(d.raw))]) == byteOrderMark:
		d.settled, d.raw = true, d.raw[3:]
	}
}

// settle gives the ASCII at the beginning, and finds out the encoding by what follows.
func (d *decoder) settle(last bool) {
	k := 0
	for k < len(d.raw) && d.raw[k] < utf8.RuneSelf {
		k++
	}
	d.out, d.raw = d.raw[:k], d.raw[k:]
	if len(d.raw) == 0 || !utf8.FullRune(d.raw) && !last {
		return
	}
	d.settled = true
	if c, size := utf8.DecodeRune(d.raw); c == utf8.RuneError && size == 1 {
		d.encoding = Windows1252
	}
}

// decodeUTF16 leaves a character whose other half is missing, but not at the end.
func (d *decoder) decodeUTF16(last bool) {
	d.own = d.own[:0]
	for len(d.raw) >= 2 {
		c := rune(d.order.Uint16(d.raw))
		if !utf16.IsSurrogate(c) {
			d.own, d.raw = utf8.AppendRune(d.own, c), d.raw[2:]
			continue
		}
		if len(d.raw) < 4 {
			break
		}
		if c = utf16.DecodeRune(c, rune(d.order.Uint16(d.raw[2:]))); c == utf8.RuneError {
			d.own, d.raw = append(d.own, noCharacter), d.raw[2:]
		} else {
			d.own, d.raw = utf8.AppendRune(d.own, c), d.raw[4:]
		}
	}
	if last && len(d.raw) > 0 {
		d.own, d.raw = append(d.own, noCharacter), nil
	}
	d.out = d.own
}
