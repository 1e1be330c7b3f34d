package dense

import (
	"sync/atomic"

	"tobac/internal/vector"
)

// A share hands parts of an instruction out to workers.
type share struct {
	workers func(n int, work func(worker int))
	frames  []*Frame // of each worker, with one arena
	count   int      // of parts
	part    func(f *Frame, i int)
	next    atomic.Int64
	work    func(worker int)
}

// Share makes workers compute instructions together, of which each calls work. Run calls it with
// their number and returns when all have returned.
func (f *Frame) Share(workers int, run func(n int, work func(worker int))) {
	s := &share{workers: run, frames: []*Frame{f}}
	for range workers - 1 {
		s.frames = append(s.frames, &Frame{M: f.M, Scratch: vector.Memory(len(f.Scratch))})
	}
	s.work = func(worker int) {
		for i := s.take(); i < s.count; i = s.take() {
			s.part(s.frames[worker], i)
		}
	}
	f.share = s
}

func (s *share) take() int { return int(s.next.Add(1)) - 1 }

// each computes so many parts.
func (f *Frame) each(count int, part func(f *Frame, i int)) {
	s := f.share
	if s == nil {
		for i := range count {
			part(f, i)
		}
		return
	}
	s.count, s.part = count, part
	s.next.Store(0)
	s.workers(len(s.frames), s.work)
}
