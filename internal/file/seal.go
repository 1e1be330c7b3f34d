package file

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// ErrSeal is the error of [Unseal].
var ErrSeal = errors.New("its last line is not the checksum of what stands before it: the file was cut short or changed, or the disk fails")

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
