package exact

import (
	"context"
	"math/bits"

	"tobac/internal/parallel"
)

// A sweep visits all subsets of d variables in blocks of equal top bits, so that
// every proper subset of a set is visited before it, or after it if down. Blocks
// whose top bits are equally many run at the same time.
type sweep struct {
	d, top int // top is the number of bits that tell the blocks apart
	down   bool
}

// run calls do for every block, the sets from first to before end.
func (s sweep) run(ctx context.Context, workers int, do func(first, end int) error) error {
	layers := make([][]int, s.top+1)
	for b := range 1 << s.top {
		n := bits.OnesCount(uint(b))
		if s.down {
			n = s.top - n
		}
		layers[n] = append(layers[n], b)
	}
	size := 1 << (s.d - s.top)
	for _, layer := range layers {
		err := parallel.For(ctx, len(layer), workers, func(i int) error {
			return do(layer[i]*size, (layer[i]+1)*size)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
