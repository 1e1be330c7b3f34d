package table

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file that grows while it is read is an error, not a table whose last row is cut, nor one
// without an end.
func TestGrowingFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "t.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("a,b\n1,2\n"); err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", "7."} {
		c := newCounter(f)
		if _, err := f.WriteString(more); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{c}); (err != nil) != (more != "") ||
			!errors.Is(err, c.err) {
			t.Errorf("%q more: error %v", more, err)
		}
	}
}
