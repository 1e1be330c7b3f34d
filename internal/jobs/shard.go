package jobs

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shard is a part of a list: jobs Index, Index+Count, Index+2·Count, … counted
// from 1. The zero value is the whole list.
type Shard struct {
	Index, Count int // 1 ≤ Index ≤ Count
}

// ParseShard reads the text form i/N.
func ParseShard(text string) (Shard, error) {
	index, count, cut := strings.Cut(text, "/")
	i, errI := strconv.Atoi(index)
	n, errN := strconv.Atoi(count)
	if !cut || errI != nil || errN != nil || n < 1 || i < 1 || i > n {
		return Shard{}, fmt.Errorf("got %q; allowed: i/N with whole numbers 1 ≤ i ≤ N, such as 2/8", text)
	}
	return Shard{i, n}, nil
}

// String is the text form; that of the whole list is 1/1.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", max(1, s.Index), max(1, s.Count)) }

// Of is the part of a list.
func (s Shard) Of(list []Job) []Job {
	if s.Count <= 1 {
		return list
	}
	var part []Job
	for i := s.Index - 1; i < len(list); i += s.Count {
		part = append(part, list[i])
	}
	return part
}
