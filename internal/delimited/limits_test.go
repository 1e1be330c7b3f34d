package delimited_test

import (
	"strings"
	"testing"

	"tobac/internal/delimited"
)

// A line has a bounded number of fields, however they are separated.
func TestMaxFields(t *testing.T) {
	for _, c := range []struct {
		separator rune
		field     string
	}{{',', "1,"}, {' ', "1 "}, {';', `"1";`}, {' ', `"1" `}} {
		text := "a\n" + strings.Repeat(c.field, delimited.MaxFields+2)
		_, err := delimited.Read(strings.NewReader(text), "f",
			delimited.Syntax{Separator: c.separator})
		if want := "f: line 2: more than 131072 values"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", c.field, err, want)
		}
	}
}
