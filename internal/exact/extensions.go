package exact

import (
	"math"
	"math/bits"

	"tobac/dag"
)

// A counter counts linear extensions, again and again in the same memory.
type counter struct {
	paths       []float64 // by set; 0 between calls
	layer, next []uint32
}

func (c *counter) log(g *dag.Graph) float64 {
	sum, placed := 0.0, 0
	for _, component := range components(g) {
		// (placed + n)! / (placed! n!) ways to merge the components
		n := len(component)
		for k := 1; k <= n; k++ {
			sum += math.Log(float64(placed+k)) - math.Log(float64(k))
		}
		placed += n
		sum += math.Log(c.count(g, component))
	}
	return sum
}

// components lists the members of the connected components of g.
func components(g *dag.Graph) [][]int {
	d := g.Len()
	var list [][]int
	seen := make([]bool, d)
	for first := range d {
		if seen[first] {
			continue
		}
		seen[first] = true
		members := []int{first}
		for at := 0; at < len(members); at++ {
			for v := range d {
				if !seen[v] && (g.Has(members[at], v) || g.Has(v, members[at])) {
					seen[v] = true
					members = append(members, v)
				}
			}
		}
		list = append(list, members)
	}
	return list
}

// count is the number of linear extensions of one component.
func (c *counter) count(g *dag.Graph, members []int) float64 {
	n := len(members)
	if n > MaxVariables {
		panic("exact: linear extensions of a component with too many variables")
	}
	var parents [MaxVariables]uint32
	for b, j := range members {
		for a, i := range members {
			if g.Has(i, j) {
				parents[b] |= 1 << a
			}
		}
	}
	if len(c.paths) < 1<<n {
		c.paths = make([]float64, 1<<n)
	}
	c.paths[0] = 1
	c.layer = append(c.layer[:0], 0)
	for range n {
		c.next = c.next[:0]
		for _, set := range c.layer {
			ways := c.paths[set]
			c.paths[set] = 0
			for left := (1<<n - 1) &^ set; left != 0; left &= left - 1 {
				v := bits.TrailingZeros32(left)
				if parents[v]&^set != 0 {
					continue
				}
				if c.paths[set|1<<v] == 0 {
					c.next = append(c.next, set|1<<v)
				}
				c.paths[set|1<<v] += ways
			}
		}
		c.layer, c.next = c.next, c.layer
	}
	if len(c.layer) == 0 {
		panic("exact: linear extensions of a graph with a cycle")
	}
	ways := c.paths[c.layer[0]]
	c.paths[c.layer[0]] = 0
	return ways
}
