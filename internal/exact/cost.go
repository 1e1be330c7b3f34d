package exact

import (
	"context"
	"math"
	"math/bits"
)

// GraphsCost estimates the work of [Orders.Graphs], in units of 10 to 20 nanoseconds
// of one core: about 3^d/3 for data that leave all orders open, which makes 20 seconds
// for 20 variables, and far less for others. A unit is a term that is looked at by
// itself in the sum from below. They are counted for some of the sets of each size.
func (o *Orders) GraphsCost(ctx context.Context) (float64, error) {
	d := len(o.p.tables)
	extensions, _ := math.Lgamma(float64(d + 1))
	all := len(o.forward) - 1
	// H(all)/F(all) lies between 1/d! and 1
	smallest := o.forward[all].e - negligible(d, digits(d)) - int(extensions/math.Ln2/2)
	w := &pusher{nodes: o.nodes(), limit: exponentBias + smallest}
	const atLeast, oneIn = 20, 64
	cost, choose := 0.0, 1.0
	seen := make([]int, d+1) // sets of each size so far
	for size := range d {
		every := max(min(int(choose/atLeast), oneIn), 1)
		for set := range all {
			if bits.OnesCount(uint(set)) != size {
				continue
			}
			seen[size]++
			if seen[size]%every != every/2 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return 0, context.Cause(ctx)
			}
			w.nodes[set].sum, w.count = 1, 0
			w.from(o.p, set, 0, all)
			cost += float64(w.count * every)
		}
		choose *= float64(d-size) / float64(size+1)
	}
	return cost, nil
}
