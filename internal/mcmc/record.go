package mcmc

// A record is what a chain keeps of its samples.
type record struct {
	// probability of each edge from a candidate given the partition, then ln p(D, G)
	series  series
	values  []float64 // one sample of these
	before  []uint32
	near    []uint32
	tables  []*table
	outside []float64 // sums of the probabilities of other edges i → j, at j·d+i
	looks   []int     // number of terms for each child
	draws   []draw
	maximum int // number of draws at which every other one goes
	every   int // samples between draws
	samples int
}

// A draw is a graph with its ln p(D, G).
type draw struct {
	Parents  [][]int
	LogScore float64
}

func newRecord(p *problem, draws int) record {
	return record{
		series: newSeries(p.first[p.d] + 1), values: make([]float64, p.first[p.d]+1),
		before: make([]uint32, p.d), near: make([]uint32, p.d), tables: make([]*table, p.d),
		outside: make([]float64, p.d*p.d), looks: make([]int, p.d),
		maximum: 2 * draws, every: 1,
	}
}

// add records the first rung of the chain, and the graph that its moves ended with.
func (r *record) add(c *chain) {
	s := c.rungs[0]
	for j, t := range s.tables {
		if s.before[j] == r.before[j] && s.near[j] == r.near[j] && t == r.tables[j] {
			continue
		}
		r.before[j], r.near[j], r.tables[j] = s.before[j], s.near[j], t
		t.marginals(r.values[c.first[j]:c.first[j+1]], s.before[j], s.near[j])
	}
	logScore := c.logScore()
	r.values[len(r.values)-1] = logScore
	r.series.add(r.values)
	looks := c.looks()
	for k := range looks {
		j := (r.samples*looks + k) % c.d
		for k, v := range c.outside(j) {
			r.outside[j*c.d+c.open[j][k]] += v
		}
		r.looks[j]++
	}
	if r.samples++; r.maximum == 0 || r.samples%r.every != 0 {
		return
	}
	r.draws = append(r.draws, draw{Parents: c.graph.lists(), LogScore: logScore})
	if len(r.draws) < r.maximum {
		return
	}
	for k := range r.maximum / 2 {
		r.draws[k] = r.draws[2*k+1]
	}
	r.draws = r.draws[:r.maximum/2]
	r.every *= 2
}

// logScore is ln p(D, G).
func (c *mover) logScore() float64 {
	sum, g := 0., &c.graph
	for j, t := range g.tables {
		sum += t.offset + t.scores[g.parents[j]&t.low]
	}
	return sum
}
