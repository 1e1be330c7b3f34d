package memory

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
)

// Assumed is the number of bytes that are taken to be free where the system does not say.
const Assumed = 8 << 30

// A Room is the memory that a process may still take.
type Room struct {
	Bytes int64
	Limit string // what it is limited by, in words
}

// Available is the room that this process has now, beside what it holds.
func Available() Room {
	best, known := system()
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		if r := (Room{max(0, limit-held()), "GOMEMLIMIT"}); !known || r.Bytes < best.Bytes {
			return r
		}
	}
	if !known {
		return Room{Assumed, "assumed, since this system is not asked; GOMEMLIMIT says otherwise"}
	}
	return best
}

// held is the memory that the Go runtime has from the system.
func held() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) - int64(sample[1].Value.Uint64())
}

// String says how much there is and why, as in "3.2 GB are available (MemAvailable)".
func (r Room) String() string {
	return fmt.Sprintf("%s are available (%s)", Size(float64(r.Bytes)), r.Limit)
}

// Size is a number of bytes for a reader, in units of powers of ten: 250 MB, 3.2 GB.
func Size(bytes float64) string {
	switch {
	case math.IsNaN(bytes) || bytes >= 1e18:
		return "10^9 GB and more"
	case bytes >= 1e11:
		return fmt.Sprintf("%.0f GB", bytes/1e9)
	case bytes >= 1e9:
		return fmt.Sprintf("%.1f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.0f MB", 10*math.Ceil(bytes/1e7))
}
