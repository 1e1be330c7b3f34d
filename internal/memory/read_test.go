package memory_test

import (
	"bytes"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"

	"tobac/internal/memory"
)

// What fits is read to the end, with the errors of the reader; what does not fit is refused early.
func TestReadAll(t *testing.T) {
	before := debug.SetMemoryLimit(200 << 20)
	defer debug.SetMemoryLimit(before)
	want := bytes.Repeat([]byte("abcdefg\n"), 1<<17)
	if got, err := memory.ReadAll(bytes.NewReader(want), 2); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes: %d, %v", len(want), len(got), err)
	}
	broken := errors.New("broken")
	if _, err := memory.ReadAll(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken)),
		2); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
	count := &counted{}
	_, err := memory.ReadAll(count, 2)
	if e := new(memory.SizeError); !errors.As(err, &e) || e.Room.Limit != "GOMEMLIMIT" ||
		count.n > 200<<20 {
		t.Errorf("without an end: %v after %d bytes", err, count.n)
	}
}

type counted struct{ n int }

func (c *counted) Read(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}
