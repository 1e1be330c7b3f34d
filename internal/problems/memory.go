package problems

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tobac/engine"
	"tobac/internal/memory"
	"tobac/sem"
)

// demands is about the memory that a run takes at its peak, part by part, with what waits for the
// garbage collector. The factors were measured: see bench/notes/speed.md.
func demands(e engine.Engine, p *engine.Problem, size engine.Size) []engine.Demand {
	d := float64(size.Vars)
	all := []engine.Demand{
		{What: "the program and the table", Bytes: float64(rowBytes(size.Rows, size.Vars))},
		{What: "matrices of the pairs of variables", Bytes: 20 * d * d * 8},
	}
	return append(all, e.Demands(p, size)...)
}

// total is the sum of demands.
func total(all []engine.Demand) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v.Bytes
	}
	return sum
}

// A knob is a number by which the memory of a run can be lowered.
type knob struct {
	name string
	now  int
	with func(value int) float64 // bytes of the run with another value
}

// knobs are the whole numbers among the settings, of which some change the memory, the model's
// units, rows and variables.
func knobs(e engine.Engine, p *engine.Problem, size engine.Size) []knob {
	bytes := func(e engine.Engine, p *engine.Problem, size engine.Size) float64 {
		return total(demands(e, p, size))
	}
	var all []knob
	for _, s := range append(e.Settings(), p.Order.Settings()...) {
		now, err := strconv.Atoi(s.String())
		if err != nil {
			continue
		}
		all = append(all, knob{s.Name, now, func(value int) float64 {
			if s.Set(strconv.Itoa(value)) != nil {
				return math.Inf(1)
			}
			defer s.Set(strconv.Itoa(now)) // its own text, which is allowed
			return bytes(e, p, size)
		}})
	}
	all = append(all, knob{"workers", p.Workers, func(value int) float64 {
		q := *p
		q.Workers = value
		return bytes(e, &q, size)
	}})
	type layered interface {
		Widest() int                  // units of the widest hidden layer
		Narrowed(units int) sem.Model // with no layer wider
	}
	if m, ok := sem.As[layered](p.Model); ok {
		all = append(all, knob{"units of each hidden layer", m.Widest(), func(value int) float64 {
			q := *p
			q.Model = m.Narrowed(value)
			return bytes(e, &q, size)
		}})
	}
	return append(all,
		knob{"rows", size.Rows, func(value int) float64 {
			other := size
			other.Rows = value
			return bytes(e, p, other)
		}},
		knob{"variables", size.Vars, func(value int) float64 {
			other := size
			other.Vars = value
			return bytes(e, p, other)
		}})
}

// largest is the largest value, below the present one, with which the run fits; 0 if none does.
func (k knob) largest(room float64) int {
	low, high := 0, k.now // low fits, high does not
	for high-low > 1 {
		middle := low + (high-low)/2
		if k.with(middle) <= room {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// roomOf is the memory that a run may take: limit in bytes, where 0 stands for what the machine and
// its limits leave.
func roomOf(limit int64) memory.Room {
	if limit > 0 {
		return memory.Room{Bytes: limit, Limit: "asked for"}
	}
	return memory.Available()
}

// CheckTable refuses a table that leaves no room for a fit. A limit of 0 bytes stands for what the
// machine and its limits leave.
func CheckTable(n, d int, limit int64) error {
	room := roomOf(limit)
	need := float64(rowBytes(n, d)) + 20*float64(d)*float64(d)*8
	if need <= float64(room.Bytes) {
		return nil
	}
	return &engine.MemoryError{Need: need, Room: room.String(), Parts: memory.Size(need) +
		" for the program and the table"}
}

// CheckMemory refuses a run whose memory would not fit, before anything is computed. limit is that
// of [CheckTable].
func CheckMemory(e engine.Engine, p *engine.Problem, size engine.Size, limit int64) error {
	room := roomOf(limit)
	all := demands(e, p, size)
	need := total(all)
	if need <= float64(room.Bytes) {
		return nil
	}
	slices.SortStableFunc(all, func(a, b engine.Demand) int {
		return cmp.Compare(b.Bytes, a.Bytes)
	})
	refusal := &engine.MemoryError{Need: need, Room: room.String()}
	var parts, fits []string
	for k, v := range all {
		if k == 0 || v.Bytes > need/5 {
			parts = append(parts, memory.Size(v.Bytes)+" for "+v.What)
		}
	}
	for _, k := range knobs(e, p, size) {
		if v := k.largest(float64(room.Bytes)); v > 0 &&
			(k.name != "variables" && k.name != "rows" || v > 1) {
			fits = append(fits, fmt.Sprintf("%s up to %d", k.name, v))
		}
	}
	refusal.Parts, refusal.Fits = strings.Join(parts, ", "), strings.Join(fits, ", or ")
	return refusal
}

// rowBytes is about the memory of the process with its data: as read, as columns, and
// what waits for the garbage collector.
func rowBytes(n, d int) int64 { return programBytes + 3*8*int64(n)*int64(d) }

// programBytes is about the memory of a process without data.
const programBytes = 40 << 20
