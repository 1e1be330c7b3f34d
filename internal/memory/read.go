package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A SizeError says that something would not fit into the memory that is left.
type SizeError struct {
	What  string // would not
	Bytes float64
	Room  Room
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: %s are needed, and %v", e.What, Size(e.Bytes), e.Room)
}

// Check returns a [*SizeError] if something takes more bytes than there is room for.
func Check(what string, bytes float64) error {
	if room := Available(); bytes > float64(room.Bytes) {
		return &SizeError{what, bytes, room}
	}
	return nil
}

// ReadAll is [io.ReadAll] with a [*SizeError] as soon as so many times what was read, which is what
// its contents take, would not fit.
func ReadAll(r io.Reader, times float64) ([]byte, error) {
	const first = 8 << 20 // bytes that are read without a question
	var all bytes.Buffer
	for limit := int64(first); ; limit *= 2 {
		if _, err := io.CopyN(&all, r, limit-int64(all.Len())); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all.Bytes(), err
		}
		// As much again is about to be read, and the buffer is copied when it grows.
		if err := Check("contents of more than "+Size(float64(limit)),
			times*2*float64(limit)-float64(all.Cap())); err != nil {
			return nil, err
		}
	}
}
