//go:build linux && !purego

package native

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
)

// A Func is a function on an arena.
type Func struct {
	text   *mapped
	entry  *byte
	shifts []int64 // see [shape]
}

// mapped is executable memory. It is given back with the last function in it.
type mapped struct{ code []byte }

// call runs the code at text on an arena and arrays, with the shifts of a function.
//
//go:noescape
func call(text *byte, arena *float64, arrays **float64, shifts *int64)

// Run runs the function, whose text is sealed. The arena has the length that it was compiled
// for, or more.
func (f *Func) Run(arena []float64) {
	call(f.entry, &arena[0], nil, &f.shifts[0])
	runtime.KeepAlive(f)
}

// RunOn runs the function on arrays, too, of the lengths that it was compiled for or more.
// There are some.
func (f *Func) RunOn(arena []float64, arrays []*float64) {
	call(f.entry, &arena[0], &arrays[0], &f.shifts[0])
	runtime.KeepAlive(f)
}

// place makes the function that starts at a place of the text.
func (f *Func) place(text *mapped, start int, shifts []int64) {
	f.text, f.entry, f.shifts = text, &text.code[start], shifts
}

// executable copies code to memory of its own.
func executable(code []byte) (*mapped, error) {
	text, err := syscall.Mmap(-1, 0, len(code), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	copy(text, code)
	if err := syscall.Mprotect(text, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		_ = syscall.Munmap(text) // whose failure would only keep the memory
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	m := &mapped{text}
	runtime.AddCleanup(m, func(text []byte) { _ = syscall.Munmap(text) }, text)
	return m, nil
}

// Available reports whether the system lets machine code be run. The processor has AVX2: that
// is for the caller to know.
var Available = sync.OnceValue(func() bool {
	var t Text
	f, err := t.Add([]Op{{Code: Copy, N: 1, Dst: 1}}, 2, func(int) bool { return true })
	if err != nil || t.Seal() != nil {
		return false
	}
	arena := []float64{1, 0}
	f.Run(arena)
	return arena[1] == 1
})
