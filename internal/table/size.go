package table

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"

	"tobac/internal/file"
	"tobac/internal/memory"
)

// How many bytes of a table are read before the memory is checked (again), how many a file may
// unpack to whatever its size, and how many times its size beyond that, or cells for each that
// holds a value. Tables reach fifty; what reaches thousands is nearly all the same byte.
const (
	checkedBytes = 64 << 20
	freeBytes    = 16 << 20
	mostUnpacked = 250
)

// withPath puts the name of the file before an error that lacks it.
func withPath(source string, err error) error {
	if err == nil || errors.As(err, new(*FormatError)) {
		return err
	}
	return file.WithPath(source, err)
}

// A counter counts the bytes that are read of a file, from front to end or, if it is read in
// pieces, as a whole.
type counter struct {
	r   io.Reader
	n   int64
	end int64 // bytes of the file when it was opened; 0 means not known
	err error // of r, but for its end
}

// newCounter counts the bytes of r, which must not be more than a regular file had at first.
func newCounter(r io.Reader) *counter {
	c := &counter{r: r}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			c.end = info.Size()
		}
	}
	return c
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.n += int64(n); c.end > 0 && c.n > c.end {
		err = errors.New("grows while it is read; allowed: a file that nobody writes to")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// unpacked reads what a compression holds, and refuses contents that are much larger than the file.
type unpacked struct {
	r      io.Reader
	source string
	file   *counter
	n      int64
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.n += int64(n)
	if err := inflated(u.n, u.file.n); err != nil {
		return 0, &FormatError{u.source, err.Error()}
	}
	if err != nil && !errors.Is(err, io.EOF) && u.file.err == nil &&
		!errors.As(err, new(*FormatError)) {
		return n, &FormatError{u.source, "compression is damaged: " + err.Error()}
	}
	return n, err
}

// An inflation is an error: contents are much larger than the file that holds them.
type inflation struct{ contents, stored int64 }

func (e *inflation) Error() string {
	return fmt.Sprintf("at least %s are compressed to %d bytes; allowed: contents of %d times "+
		"the size", memory.Size(float64(e.contents)), e.stored, mostUnpacked)
}

// inflated returns an [*inflation] if there is one.
func inflated(contents, stored int64) error {
	if contents <= freeBytes || contents/mostUnpacked <= stored {
		return nil
	}
	return &inflation{contents, stored}
}

// openPart opens a file of an archive that is not much larger than the archive says it is stored
// in.
func openPart(f *zip.File) (io.ReadCloser, error) {
	contents, stored := int64(min(f.UncompressedSize64, 1<<62)),
		int64(min(f.CompressedSize64, 1<<62))
	if err := inflated(contents, stored); err != nil {
		return nil, fmt.Errorf("%s: %w", short(f.Name), err)
	}
	return f.Open()
}
