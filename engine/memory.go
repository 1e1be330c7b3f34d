package engine

import (
	"fmt"

	"tobac/internal/memory"
)

// MemoryError says that a run would take more memory than there is.
type MemoryError struct {
	Need  float64 // bytes
	Room  string  // the memory available, in words
	Parts string  // its largest parts
	Fits  string  // the largest values that would fit, each changed alone; "" means none would
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("this needs about %s of memory (%s), and %s; ", memory.Size(e.Need),
		e.Parts, e.Room)
	if e.Fits == "" {
		return text + "no single setting makes it fit: take fewer variables and rows"
	}
	return text + "would fit: " + e.Fits
}
