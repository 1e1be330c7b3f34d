package ordering

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tobac/internal/parallel"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// BootstrapOptions are the settings of [Bootstrap].
type BootstrapOptions struct {
	// Seed of the resampling. The same seed gives the same result for any number
	// of workers, and replicate i is the same for any number of replicates.
	Seed uint64
	// Workers is the number of goroutines; 0 means 1. It changes nothing but the time.
	Workers int
	// Known is what every order agrees with; nil knows nothing.
	Known *Precedence
}

// A Distribution over orders says how firmly data decide an order.
type Distribution struct {
	// Point is the order of the data themselves, with its warnings. Resampling
	// hides some of their reasons: a resample of standardised columns is not
	// standardised.
	Point *Result
	// Orders are the distinct orders of the replicates, the most frequent first,
	// equally frequent ones in the sequence in which replicates first gave them,
	// which does not depend on the labels of the columns.
	Orders []WeightedOrder
	// Replicates is the number of resamples that gave an order, Failures the
	// errors of the others, in the sequence of the replicates.
	Replicates int
	Failures   []error
}

// A WeightedOrder is an order with its fraction of the replicates.
type WeightedOrder struct {
	Order  []int // column indices, sources first
	Count  int   // replicates that gave it
	First  int   // the lowest of their numbers
	Weight float64
}

// Bytes is about the memory that one of many different orders of d variables takes, with the text
// by which it is looked up.
func Bytes(d int) float64 { return 40*float64(d) + 400 }

// Bootstrap orders the rows of x (n×d) and the given number of resamples of
// them, n rows drawn with replacement. It takes the time of replicates+1 calls
// of orderer.Order, shared among the workers, each with its own copy of x.
// Orderers that do not look at the data give one order of weight 1.
//
// What it shows is the variation over samples, not whether the estimator's
// assumptions hold: an estimator that is wrong for the data can be wrong with
// great stability.
//
// It fails if the data cannot be ordered, if replicates < 1, if no resample can
// be ordered, or, wrapping the cause, if ctx is cancelled. A resample can fail
// where the data do not, since it repeats rows: at n little above d the
// covariance of a resample is singular. Those are counted in Failures. orderer
// must be safe for concurrent use, as all of this package are.
func Bootstrap(ctx context.Context, orderer Orderer, x mat.Matrix, replicates int,
	opt BootstrapOptions) (*Distribution, error) {
	if replicates < 1 || opt.Workers < 0 {
		return nil, fmt.Errorf("ordering: bootstrap of %d replicates with %d workers, want at "+
			"least 1 replicate, and 0 workers or more", replicates, opt.Workers)
	}
	point, err := orderer.Order(ctx, x, opt.Known, opt.Workers)
	if err != nil {
		return nil, err
	}
	data := mat.DenseCopyOf(x)
	orders, failures := make([][]int, replicates), make([]error, replicates)
	n, d := data.Dims()
	err = parallel.ForWith(ctx, replicates, opt.Workers, func() *mat.Dense {
		return mat.NewDense(n, d, nil)
	},
		func(resample *mat.Dense, i int) error {
			orders[i], failures[i] = replicate(ctx, orderer, resample, data, opt, i)
			if ctx.Err() != nil { // which is no failure of a resample
				return context.Cause(ctx)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("ordering: bootstrap: %w", err)
	}
	return distribution(point, orders, failures)
}

// replicate is the order of resample number i, for which there is room in dst.
func replicate(ctx context.Context, orderer Orderer, dst, data *mat.Dense, opt BootstrapOptions,
	i int) ([]int, error) {
	drawRows(dst, data, opt.Seed, i)
	result, err := orderer.Order(ctx, dst, opt.Known, 1)
	if err != nil {
		return nil, fmt.Errorf("replicate %d: %w", i, err)
	}
	return result.Order, nil
}

// distribution counts the distinct orders.
func distribution(point *Result, orders [][]int, failures []error) (*Distribution, error) {
	out := &Distribution{Point: point}
	place := map[string]int{}
	for i, order := range orders {
		if failures[i] != nil {
			out.Failures = append(out.Failures, failures[i])
			continue
		}
		out.Replicates++
		key := fmt.Sprint(order)
		at, known := place[key]
		if !known {
			at = len(out.Orders)
			place[key] = at
			out.Orders = append(out.Orders, WeightedOrder{Order: order, First: i})
		}
		out.Orders[at].Count++
	}
	if out.Replicates == 0 {
		return nil, fmt.Errorf("ordering: bootstrap: none of %d resamples could be ordered: %w",
			len(orders), failures[0])
	}
	for i := range out.Orders {
		out.Orders[i].Weight = float64(out.Orders[i].Count) / float64(out.Replicates)
	}
	slices.SortFunc(out.Orders, func(a, b WeightedOrder) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return a.First - b.First
	})
	return out, nil
}

// Precedes returns how often i comes before j, d×d: entry (i,j) is the weight of
// the orders with i before j, and 0 on the diagonal.
func (d *Distribution) Precedes() *mat.Dense {
	vars := len(d.Point.Order)
	p := mat.NewDense(vars, vars, nil)
	for _, o := range d.Orders {
		for c, i := range o.Order {
			for _, j := range o.Order[c+1:] {
				p.Set(i, j, p.At(i, j)+float64(o.Count))
			}
		}
	}
	p.Scale(1/float64(d.Replicates), p)
	return p
}

// Stability returns the mean over all pairs of columns of the weight of the
// direction in which they come more often: 1 if all replicates agree, towards
// [Distribution.ChanceStability] as they tell nothing. It is 1 for a single column.
func (d *Distribution) Stability() float64 {
	p := d.Precedes()
	vars, _ := p.Dims()
	sum, pairs := 0.0, 0.0
	for i := range vars {
		for j := range i {
			sum += max(p.At(i, j), p.At(j, i))
			pairs++
		}
	}
	if pairs == 0 {
		return 1
	}
	return sum / pairs
}

// ChanceStability returns what Stability is in expectation for replicates R that
// are random orders,
//
//	E[max(B, R−B)]/R,   B ~ Binomial(R, ½),
//
// which is 1 for one replicate and tends to ½ like ½ + 1/√(2πR).
func (d *Distribution) ChanceStability() float64 {
	r := d.Replicates
	sum, p := 0.0, math.Pow(0.5, float64(r)) // binom(R,b)/2^R; underflows from R = 1075 on
	if p == 0 {
		return 0.5 + 1/math.Sqrt(2*math.Pi*float64(r))
	}
	for b := range r + 1 {
		sum += p * float64(max(b, r-b))
		p *= float64(r-b) / float64(b+1)
	}
	return sum / float64(r)
}

// drawRows fills dst with rows of x, drawn with replacement.
func drawRows(dst, x *mat.Dense, seed uint64, replicate int) {
	rng := stream.New(seed, stream.BootstrapRows, replicate)
	n, _ := x.Dims()
	for i := range n {
		dst.SetRow(i, x.RawRowView(rng.IntN(n)))
	}
}
