package nodescore

import "sync"

// Single tables are counted cell by cell where they have few cells: at most mostCells for each
// different row.
const mostCells = 4

// A cells is the table of a variable given some parents: the cell of each row, of which the level
// of the variable changes fastest, and how often each occurs.
type cells struct {
	of     []int32
	counts []int32
}

var cellsPool = sync.Pool{New: func() any { return new(cells) }}

// cellsOf is the table of j given parents, if it has few cells. It goes back to cellsPool.
func (s *Dirichlet) cellsOf(j int, parents []int) (*cells, bool) {
	size, most := s.data.levels[j], mostCells*len(s.data.weight)
	for _, i := range parents {
		if size *= s.data.levels[i]; size > most {
			return nil, false
		}
	}
	if size > most || s.opt.PseudoCounts == BDs {
		return nil, false
	}
	c := cellsPool.Get().(*cells)
	c.of = append(c.of[:0], s.data.code[j]...)
	stride := int32(s.data.levels[j])
	for _, i := range parents {
		for u, level := range s.data.code[i] {
			c.of[u] += stride * level
		}
		stride *= int32(s.data.levels[i])
	}
	if cap(c.counts) < size {
		c.counts = make([]int32, size)
	}
	c.counts = c.counts[:size]
	clear(c.counts)
	for u, w := range s.data.weight {
		if s.data.set == nil || !s.data.set[j][u] {
			c.counts[c.of[u]] += w
		}
	}
	return c, true
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
