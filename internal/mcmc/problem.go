package mcmc

import (
	"context"
	"fmt"
	"sync"

	"tobac/internal/nodescore"
	"tobac/score"
)

// A problem is what all chains share, and does not change.
type problem struct {
	d      int
	scorer score.Scorer
	prior  *score.Prior
	tables []*table // of all candidates
	open   [][]int  // open[j]: the variables that may be parents of j, but are no candidates
	links  [][]link // links[i]: the variables that have i as candidate
	first  []int    // first[j]: number of candidates of the variables before j
	wider  wider    // tables with extra parents
	// pairs, candidates of each other, between which a probable graph has an edge that may turn
	undecided [][2]int
}

// A link says that a variable is bit of the parents of child.
type link struct {
	child int
	bit   uint32
}

// divide fills open, links and first from the tables.
func (p *problem) divide() {
	p.open, p.links, p.first = make([][]int, p.d), make([][]link, p.d), make([]int, p.d+1)
	for j, t := range p.tables {
		p.first[j+1] = p.first[j] + len(t.parents)
		for k, i := range t.parents {
			p.links[i] = append(p.links[i], link{child: j, bit: 1 << k})
		}
		for i := range p.d {
			if i != j && t.bit(i) == 0 && !p.prior.Forbidden(i, j) {
				p.open[j] = append(p.open[j], i)
			}
		}
	}
}

// q is the node score of any parents, ascending.
func (p *problem) q(j int, parents []int) float64 {
	return nodescore.LogWeight(p.scorer, p.prior, j, parents)
}

// complete reports whether every allowed parent is a candidate.
func (p *problem) complete() bool {
	for _, open := range p.open {
		if len(open) > 0 {
			return false
		}
	}
	return true
}

// looks is the number of nodes of which an iteration looks at all variables that are no candidates.
func (p *problem) looks() int {
	if p.complete() {
		return 0
	}
	return p.d/16 + 1
}

// Memory of tables: bytes for each set, the most that they take by default, and the most that
// those with parents from outside the candidates take.
const (
	tableBytes   = 20
	defaultBytes = 64 << 20
	widerBytes   = 64 << 20
)

// A wider keeps tables with extra parents, which several chains share, as far as memory for
// them reaches. Which ones are kept changes no result.
type wider struct {
	mutex  sync.Mutex
	tables map[string]*table
	bytes  int64
}

// widerTable is the table of j with extra parents, ascending.
func (p *problem) widerTable(j int, extras []int) *table {
	if len(extras) == 0 {
		return p.tables[j]
	}
	key := fmt.Sprint(j, extras)
	p.wider.mutex.Lock()
	t := p.wider.tables[key]
	p.wider.mutex.Unlock()
	if t != nil {
		return t
	}
	t, err := p.tables[j].with(context.Background(), p.scorer, p.prior, j, extras)
	if err != nil {
		panic("mcmc: " + err.Error()) // the score of one of the sets was a number
	}
	p.wider.mutex.Lock()
	defer p.wider.mutex.Unlock()
	if p.wider.bytes += tableBytes << len(t.parents); p.wider.bytes > widerBytes ||
		p.wider.tables == nil {
		p.wider.tables, p.wider.bytes = map[string]*table{}, tableBytes<<len(t.parents)
	}
	p.wider.tables[key] = t
	return t
}
