package table

import (
	"fmt"
	"io"

	"tobac/internal/memory"
)

// A SizeError says that what is read would not fit into the memory that is left.
type SizeError struct {
	Source  string
	Problem string
}

func (e *SizeError) Error() string { return e.Source + ": " + e.Problem }

// checkedCells is after how many further cells the size of a table is compared with the memory.
const checkedCells = 1 << 23

// checkSize refuses a table that is being read as soon as less memory is left than its numbers take twice: preparing it takes
// as much.
func (l *loader) checkSize() error {
	cells := l.t.Rows * len(l.t.Columns)
	if cells-l.checked < checkedCells {
		return nil
	}
	l.checked = cells
	if taken, room := float64(8*cells), memory.Available(); float64(room.Bytes) < 2*taken {
		return &SizeError{l.t.Source, fmt.Sprintf("the first %d rows of %d columns take %s as numbers, and an analysis about three times that; %v: give fewer rows or columns",
			l.t.Rows, len(l.t.Columns), memory.Size(taken), room)}
	}
	return nil
}

// readWhole reads all of a file that cannot be read from front to end.
func readWhole(r io.Reader, source string) ([]byte, error) {
	const contents = 4 // times the file
	data, err := memory.ReadAll(r, contents)
	if tooLarge := memory.TooLarge(err); tooLarge != nil {
		return nil, &SizeError{source, tooLarge.Error()}
	}
	return data, err
}
