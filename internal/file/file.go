package file

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file for reading. A folder is an error; allowed is what the error
// says would be right.
func Open(path, allowed string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, WithPath(path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // only read
		return nil, fmt.Errorf("%s: is a folder; allowed: %s", path, allowed)
	}
	return f, nil
}

// WithPath is an error behind the path that the user knows. Of an error of
// package os it keeps the cause alone, without operation and path.
func WithPath(path string, err error) error {
	return fmt.Errorf("%s: %w", path, cause(err))
}

func cause(err error) error {
	if located := new(fs.PathError); errors.As(err, &located) {
		return cause(located.Err)
	}
	if link := new(os.LinkError); errors.As(err, &link) {
		return cause(link.Err)
	}
	if err.Error() == "path escapes from parent" { // of os.Root, which exports no such error
		return errEscapes
	}
	return err
}

var errEscapes = errors.New("a link in the path leads out of the folder")

// ErrSeal is the error of [Unseal].
var ErrSeal = errors.New("its last line is not the checksum of what stands before it: the file " +
	"was cut short or changed, or the disk fails")

// Sealed is write with a last line behind what it writes, which has the SHA-256 of
// all before it.
func Sealed(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		h := sha256.New() // its Write never fails
		if err := write(io.MultiWriter(w, h)); err != nil {
			return err
		}
		_, err := w.Write(seal(h.Sum(nil)))
		return err
	}
}

// Unseal is the content of a file that was written with [Sealed]. A text in which a
// single bit, byte or length differs from what was written is [ErrSeal].
func Unseal(text []byte) ([]byte, error) {
	at := len(text) - len(seal(make([]byte, sha256.Size)))
	if at < 0 {
		return nil, ErrSeal
	}
	if sum := sha256.Sum256(text[:at]); !bytes.Equal(text[at:], seal(sum[:])) {
		return nil, ErrSeal
	}
	return text[:at], nil
}

// seal is the line of a checksum.
func seal(sum []byte) []byte { return fmt.Appendf(nil, "{\"sha256\":\"%x\"}\n", sum) }
