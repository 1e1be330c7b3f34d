package nodescore

import (
	"math"
	"slices"
	"sync"

	"tobac/internal/scoring"
)

// Single tables are counted cell by cell where they have few cells: at most mostCells for each
// different row.
const mostCells = 4

// A cells is the table of a variable given some parents: the cell of each row, of which the level
// of the variable changes fastest, and the number of configurations of the parents.
type cells struct {
	of             []int32
	configurations int
	counts         []int32
}

var cellsPool = sync.Pool{New: func() any { return new(cells) }}

// cellsOf is the table of j given parents, if it has few cells, also with one more parent of so
// many levels. It goes back to cellsPool.
func (s *Dirichlet) cellsOf(j int, parents []int, more int) (*cells, bool) {
	q, r := 1, s.data.levels[j]
	most := mostCells * len(s.data.weight)
	for _, i := range parents {
		if q *= s.data.levels[i]; q*r*more > most {
			return nil, false
		}
	}
	if q*r*more > most || s.opt.PseudoCounts == BDs {
		return nil, false
	}
	c := cellsPool.Get().(*cells)
	c.configurations = q
	c.of = append(c.of[:0], s.data.code[j]...)
	stride := int32(r)
	for _, i := range parents {
		for u, level := range s.data.code[i] {
			c.of[u] += stride * level
		}
		stride *= int32(s.data.levels[i])
	}
	return c, true
}

// count fills counts, with one more parent unless i is −1.
func (s *Dirichlet) count(c *cells, j, i int) {
	size := c.configurations * s.data.levels[j]
	stride := int32(size)
	if i >= 0 {
		size *= s.data.levels[i]
	}
	if cap(c.counts) < size {
		c.counts = make([]int32, size)
	}
	c.counts = c.counts[:size]
	clear(c.counts)
	var set []bool
	if s.data.set != nil {
		set = s.data.set[j]
	}
	switch {
	case i >= 0 && set == nil:
		code := s.data.code[i]
		for u, w := range s.data.weight {
			c.counts[c.of[u]+stride*code[u]] += w
		}
	case set == nil:
		for u, w := range s.data.weight {
			c.counts[c.of[u]] += w
		}
	default:
		for u, w := range s.data.weight {
			switch {
			case set[u]:
			case i >= 0:
				c.counts[c.of[u]+stride*s.data.code[i][u]] += w
			default:
				c.counts[c.of[u]] += w
			}
		}
	}
}

// ofCounts is the score of a table of counts.
func (s *Dirichlet) ofCounts(counts []int32, r int) float64 {
	alpha, each := 0.5, float64(r)/2 // in a cell, and in a configuration
	if s.opt.PseudoCounts != BDJ {
		each = s.opt.Alpha * float64(r) / float64(len(counts))
		alpha = each / float64(r)
	}
	cell, whole := s.shared.of(alpha), s.shared.of(each)
	sum := 0.0
	for from := 0; from < len(counts); from += r {
		n := int32(0)
		for _, k := range counts[from : from+r] {
			if k > 0 {
				sum += cell.at(int(k))
				n += k
			}
		}
		if n > 0 {
			sum -= whole.at(int(n))
		}
	}
	return sum
}

// A risings keeps values of lnΓ(a+n) − lnΓ(a) by a, which are not changed once they are there.
type risings struct {
	mu sync.RWMutex
	by map[float64]*rising
}

// mostRisings is how many of them are kept.
const mostRisings = 1 << 10

func (k *risings) of(a float64) *rising {
	k.mu.RLock()
	r := k.by[a]
	k.mu.RUnlock()
	if r != nil {
		return r
	}
	r = newRising(a)
	r.of(mostRising)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil || len(k.by) >= mostRisings {
		k.by = map[float64]*rising{}
	}
	k.by[a] = r
	return r
}

// at is of, for values that are all known.
func (r *rising) at(n int) float64 {
	if n <= mostRising {
		return r.known[n]
	}
	return r.of(n)
}

// LogScoresToggled implements [ToggleScorer].
func (s *Dirichlet) LogScoresToggled(dst []float64, j int, parents, variables []int) {
	scoring.CheckParents(s.Vars(), j, parents)
	var room [32]int
	r, most := s.data.levels[j], 1
	for _, i := range variables {
		most = max(most, s.data.levels[i])
	}
	c, few := s.cellsOf(j, parents, most)
	for k, i := range variables {
		_, within := slices.BinarySearch(parents, i)
		switch {
		case within || !few:
			dst[k] = s.LogScore(j, scoring.Toggle(room[:0], parents, i))
		case s.opt.MaxParents > 0 && len(parents) >= s.opt.MaxParents:
			dst[k] = math.Inf(-1)
		default:
			s.count(c, j, i)
			dst[k] = s.ofCounts(c.counts, r)
		}
	}
	if few {
		cellsPool.Put(c)
	}
}
