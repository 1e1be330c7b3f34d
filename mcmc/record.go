package mcmc

// A record is what a chain keeps of its samples.
type record struct {
	series  series // probability of every edge given the partition, then log p(partition)
	edges   []float64
	first   []int // of each child in edges
	before  []uint32
	near    []uint32
	offset  float64
	outside []float64 // sums of the probabilities of edges i → j from no candidates, at j·d+i
	looks   []int     // number of terms for each child
	draws   []draw
	maximum int // number of draws at which every other one goes
	every   int // samples between draws
	samples int
}

// A draw is a graph as sets of candidates, with its log p(D, G).
type draw struct {
	Parents  []uint32
	LogScore float64
}

func newRecord(p *problem, draws int) record {
	r := record{
		first: make([]int, p.d+1), before: make([]uint32, p.d), near: make([]uint32, p.d),
		outside: make([]float64, p.d*p.d), looks: make([]int, p.d),
		maximum: 2 * draws, every: 1,
	}
	for j, t := range p.tables {
		r.first[j+1] = r.first[j] + len(t.candidates)
		r.offset += t.offset
	}
	r.edges = make([]float64, r.first[p.d]+1)
	r.series = newSeries(len(r.edges))
	return r
}

// add records the first rung of the chain.
func (r *record) add(c *chain) {
	s := c.rungs[0]
	for j := range c.d {
		if s.before[j] == r.before[j] && s.near[j] == r.near[j] {
			continue
		}
		r.before[j], r.near[j] = s.before[j], s.near[j]
		c.tables[j].marginals(r.edges[r.first[j]:r.first[j+1]], s.before[j], s.near[j])
	}
	r.edges[len(r.edges)-1] = s.total().log() + r.offset
	r.series.add(r.edges)
	j := r.samples % c.d
	for k, v := range c.recorder.outside(s, j) {
		r.outside[j*c.d+c.open[j][k]] += v
	}
	r.looks[j]++
	if r.samples++; r.maximum == 0 || r.samples%r.every != 0 {
		return
	}
	r.draws = append(r.draws, c.recorder.pick(s, r.offset))
	if len(r.draws) < r.maximum {
		return
	}
	for k := range r.maximum / 2 {
		r.draws[k] = r.draws[2*k+1]
	}
	r.draws = r.draws[:r.maximum/2]
	r.every *= 2
}

// pick draws a graph given the partition.
func (c *mover) pick(s *partition, offset float64) draw {
	c.drawGraph(s)
	d := draw{Parents: append([]uint32(nil), c.graph.parents...), LogScore: offset}
	for j, set := range d.Parents {
		d.LogScore += c.tables[j].scores[set]
	}
	return d
}
