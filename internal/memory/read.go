package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A SizeError says that there is more to read than the memory holds.
type SizeError struct {
	Bytes int64 // that were read
	Times float64
	Room  Room
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("more than %s, of which the contents would take %s or more; %v", Size(float64(e.Bytes)), Size(float64(e.Bytes)*e.Times), e.Room)
}

// TooLarge is the [*SizeError] in an error; nil: there is none.
func TooLarge(err error) *SizeError {
	e := new(SizeError)
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// ReadAll is [io.ReadAll] with a [*SizeError] as soon as so many times what was read, which is what its contents
// take, would not fit.
func ReadAll(r io.Reader, times float64) ([]byte, error) {
	const first = 8 << 20 // bytes that are read without a question
	room := Room{}
	var all bytes.Buffer
	for limit := int64(first); ; limit *= 2 {
		if _, err := io.CopyN(&all, r, limit-int64(all.Len())); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all.Bytes(), err
		}
		if room.Limit == "" {
			room = Available()
		}
		if times*2*float64(limit) > float64(room.Bytes) { // as much again is about to be read
			return nil, &SizeError{limit, times, room}
		}
	}
}
