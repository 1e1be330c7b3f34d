package delimited_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tobac/internal/delimited"
)

// inUTF16 is a text in UTF-16 with its byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, c := range utf16.Encode([]rune("\uFEFF" + text)) {
		b = order.AppendUint16(b, c)
	}
	return string(b)
}

// A text is read alike in every encoding, however small the pieces in which its bytes come.
func TestEncodings(t *testing.T) {
	read := func(t *testing.T, r io.Reader) (string, delimited.Encoding, error) {
		s, err := delimited.NewStream(r, "t.csv", delimited.Syntax{Separator: ','})
		if err != nil {
			return "", 0, err
		}
		var out strings.Builder
		for {
			cells, _, err := s.Next()
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return out.String(), s.Encoding(), err
			}
			for _, c := range cells {
				out.WriteString(string(c.Text) + ",")
			}
		}
	}
	for _, c := range []struct {
		name, text, want string
		encoding         delimited.Encoding
	}{
		{"UTF-8", "größe,λ", "größe,λ,", delimited.UTF8},
		{"UTF-8 with its mark", "\uFEFFa,b", "a,b,", delimited.UTF8},
		{"Latin-1", "gr\xf6\xdfe,\xb0C\n1,2", "größe,°C,1,2,", delimited.Windows1252},
		{"Windows-1252", "\x80,\x93x\x94,\xff", "€,“x”,ÿ,", delimited.Windows1252},
		{"Latin-1 at the end", "a,b\n1,\xe9", "a,b,1,é,", delimited.Windows1252},
		{"UTF-16", inUTF16("größe,𝒳\n1,2", binary.LittleEndian), "größe,𝒳,1,2,", delimited.UTF16},
		{"UTF-16, big endian", inUTF16("größe,𝒳\r\n1,2", binary.BigEndian), "größe,𝒳,1,2,",
			delimited.UTF16},
		{"empty", "", "", delimited.UTF8},
		{"a mark of UTF-16 alone", "\xff\xfe", "", delimited.UTF16},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text),
			iotest.OneByteReader(strings.NewReader(c.text)),
			iotest.DataErrReader(strings.NewReader(c.text))} {
			if got, encoding, err := read(t, r); got != c.want || encoding != c.encoding ||
				err != nil {
				t.Errorf("%s: got %q in %v, error %v, want %q in %v", c.name, got, encoding, err,
					c.want, c.encoding)
			}
		}
	}
	const allowed = "; allowed: UTF-8, Windows-1252 or Latin-1, UTF-16 with a byte order mark"
	for text, want := range map[string]string{
		"a,b\nλ,2\n\xe9,3":          "t.csv: line 3: text is not UTF-8" + allowed,
		"a,\xe9\n\x81,2":            "t.csv: line 2: text is not Windows-1252" + allowed,
		"\xff\xfea\x00\n\x00\x00":   "t.csv: line 2: text is not UTF-16" + allowed,
		"\xff\xfe\n\x00\x00\xd8a":   "t.csv: line 2: text is not UTF-16" + allowed,
		"\xfe\xff\xd8\x00\x00a\x00": "t.csv: line 1: text is not UTF-16" + allowed,
	} {
		if _, _, err := read(t, strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error\n got %v\nwant %s", text, err, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Map(func(c rune) rune {
			if c == '"' || c == '\r' || c == '\uFEFF' {
				return 'x'
			}
			return c
		}, rapid.String().Draw(rt, "text"))
		want, _, err := read(t, strings.NewReader("x"+text))
		if err != nil {
			rt.Fatal(err)
		}
		got, _, err :=
			read(t, iotest.HalfReader(strings.NewReader(inUTF16("x"+text, binary.LittleEndian))))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatalf("error %v (-UTF-8 +UTF-16):\n%s", err, diff)
		}
	})
}

// A text longer than any buffer may begin with a character beyond ASCII.
func TestLongTextBeyondASCII(t *testing.T) {
	for _, first := range []string{"é", "\xe9", "\uFEFFé",
		"\xff\xfe\xe9\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00"} {
		text := first
		if first[0] != 0xff {
			text += ",b\n1,2\n" + strings.Repeat("3,4\n", 1<<16)
		}
		f, err := delimited.Read(strings.NewReader(text), "t.csv", delimited.Syntax{})
		if err != nil || f.Records[0].Fields[0].Text != "é" || f.Records[1].Fields[1].Text != "2" {
			t.Errorf("%.8q: %v", first, err)
		}
	}
}
