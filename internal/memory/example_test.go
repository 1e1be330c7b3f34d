package memory_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"tobac/internal/memory"
)

func Example() {
	room := memory.Room{Bytes: 3_210_000_000, Limit: "MemAvailable"}
	fmt.Println(room)
	fmt.Println(memory.Size(123_456_789))
	// Output:
	// 3.2 GB are available (MemAvailable)
	// 130 MB
}

// GOMEMLIMIT bounds the room, wherever the program runs.
func TestAvailable(t *testing.T) {
	if r := memory.Available(); r.Bytes <= 0 || r.Limit == "" {
		t.Errorf("available: %+v", r)
	}
	before := debug.SetMemoryLimit(1 << 28)
	defer debug.SetMemoryLimit(before)
	if r := memory.Available(); r.Limit != "GOMEMLIMIT" || r.Bytes >= 1<<28 {
		t.Errorf("under a limit of 2^28: %+v", r)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 MB", 1: "10 MB", 1e9: "1.0 GB",
		2.34e10: "23.4 GB", 1.5e11: "150 GB", 4e13: "40000 GB", math.Inf(1): "10^9 GB and more"} {
		if got := memory.Size(bytes); got != want {
			t.Errorf("%v: got %q, want %q", bytes, got, want)
		}
	}
}
