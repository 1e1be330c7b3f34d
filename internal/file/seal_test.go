package file_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tobac/internal/file"
)

// A sealed text is read back, and with any bit flipped, any beginning of it alone, or
// anything behind it is not.
func TestSeal(t *testing.T) {
	for _, content := range []string{"", "x", "{\"a\":1}\n", strings.Repeat("long ", 50)} {
		var b bytes.Buffer
		if err := file.Sealed(writes(content))(&b); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		if got, err := file.Unseal(text); err != nil || string(got) != content {
			t.Errorf("got %q and error %v, want %q", got, err, content)
		}
		refused := func(what string, at int, text []byte) {
			if got, err := file.Unseal(text); !errors.Is(err, file.ErrSeal) || got != nil {
				t.Errorf("%s %d: got %q and error %v", what, at, got, err)
			}
		}
		for at := range len(text) {
			refused("cut at", at, text[:at])
			for bit := range 8 {
				text[at] ^= 1 << bit
				refused("flipped in byte", at, text)
				text[at] ^= 1 << bit
			}
		}
		refused("longer than", len(text), append(bytes.Clone(text), '\n'))
		refused("doubled", len(text), append(bytes.Clone(text), text...))
	}
	broken := errors.New("broken")
	if err := file.Sealed(writes("x"))(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("got error %v, want that of the writer", err)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }
