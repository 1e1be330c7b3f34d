package density

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/autograd"
	"tobac/internal/stream"
)

// Ordered is the distribution of vectors of independent values in increasing order.
func (d Distribution) Ordered() Distribution {
	if d.support == nil || d.event > 0 || d.support.low == 0 && !math.IsInf(d.support.high, 1) {
		d.err = fmt.Errorf("ordered %s: want a distribution of real or of positive numbers", d)
		return d
	}
	c := Ordered()
	if d.support.low == 0 {
		c = PositiveOrdered()
	}
	out := Distribution{name: "ordered " + d.name, event: 1, support: &c, set: d.set}
	for _, p := range d.parameters {
		out.parameters = append(out.parameters, parameter{p.in, 0})
	}
	out.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		axis, n := size(x)
		factor, _ := math.Lgamma(float64(n) + 1)
		return d.log(x, p).Expand(x.Shape()).Sum(axis).AddScalar(factor)
	}
	out.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		for i := range dst {
			if err := d.draw(rng, p, dst[i:i+1]); err != nil {
				return err
			}
		}
		slices.Sort(dst)
		return nil
	}
	return out
}

// inside is the logarithm of the probability of a value from low to high: ln(F(high) − F(low)).
// An infinite number as a bound means none.
func (d Distribution) inside(x *autograd.Node, p []*autograd.Node, low, high bound) *autograd.Node {
	if d.support == nil {
		return d.countsInside(x, p, low, high)
	}
	switch {
	case low.open && high.open:
		return x.Builder().Scalar(0)
	case high.open:
		return d.above(low.in(x), p)
	case low.open:
		return d.below(high.in(x), p)
	}
	// of F or of 1 − F, the smaller one keeps its digits
	lo, hi := low.in(x), high.in(x)
	b, a := d.below(hi, p), d.above(lo, p)
	fb, fa := d.below(lo, p), d.above(hi, p)
	return a.Greater(b).
		Where(b.Add(logOneMinusExp(negative(fb.Sub(b)))),
			a.Add(logOneMinusExp(negative(fa.Sub(a)))))
}

// negative guards the branch that [autograd.Node.Where] does not choose from ln 0.
func negative(x *autograd.Node) *autograd.Node { return x.Minimum(x.Builder().Scalar(-1e-300)) }

// countsInside adds probabilities of whole numbers: up to the bounds, which are numbers.
func (d Distribution) countsInside(
	x *autograd.Node,
	p []*autograd.Node,
	low, high bound,
) *autograd.Node {
	sum := func(from, to float64) *autograd.Node {
		var total *autograd.Node
		for k := from; k <= to; k++ {
			one := d.log(x.Builder().Scalar(k), p)
			if total == nil {
				total = one
			} else {
				total = total.LogAddExp(one)
			}
		}
		return total
	}
	if !high.open {
		return sum(math.Max(0, math.Ceil(low.at)), math.Floor(high.at))
	}
	if low.open || low.at <= 0 {
		return x.Builder().Scalar(0)
	}
	return logOneMinusExp(sum(0, math.Ceil(low.at)-1))
}

// A bound of a truncated or censored distribution.
type bound struct {
	in   func(x *autograd.Node) *autograd.Node
	at   float64 // NaN: an expression
	open bool
}

func boundOf[V Value](v V, infinite int) bound {
	at, _ := number(v)
	return bound{
		func(x *autograd.Node) *autograd.Node { return node(x, v) },
		at,
		math.IsInf(at, infinite),
	}
}

// boundsOf are open where they are those of the support, which bind nothing.
func boundsOf[L, H Value](d Distribution, low L, high H) (lo, hi bound) {
	lo, hi = boundOf(low, -1), boundOf(high, 1)
	if d.support != nil {
		lo.open = lo.open || lo.at <= d.support.low
		hi.open = hi.open || hi.at >= d.support.high
	}
	return lo, hi
}

// most is how many probabilities of whole numbers are added at most.
const most = 1000

func (d Distribution) boundable(what string, low, high bound) error {
	switch {
	case d.event > 0:
		return fmt.Errorf("%s %s: want a distribution of numbers", what, d)
	case d.support != nil && !d.HasCDF():
		return fmt.Errorf(
			"%s %s: it has no distribution function here (see Distribution.HasCDF)",
			what,
			d,
		)
	case d.support == nil && (math.IsNaN(low.at) || math.IsNaN(high.at)):
		return fmt.Errorf(
			"%s %s: bounds of a distribution of whole numbers have to be numbers",
			what,
			d,
		)
	case d.support == nil && (!high.open && high.at > most || !low.open && low.at > most):
		return fmt.Errorf(
			"%s %s: bounds %v and %v, want at most %d",
			what,
			d,
			low.at,
			high.at,
			most,
		)
	case low.at >= high.at:
		return fmt.Errorf(
			"%s %s: bounds %v and %v, want an increasing pair",
			what,
			d,
			low.at,
			high.at,
		)
	}
	return nil
}

// Truncated is a distribution given that its values are from low to high, math.Inf(-1) and
// math.Inf(1) for none. It has to have a distribution function
// ([Distribution.HasCDF], which says where third derivatives are NaN), or be one of whole
// numbers with bounds that are numbers up to 1000.
func Truncated[L, H Value](d Distribution, low L, high H) Distribution {
	lo, hi := boundsOf(d, low, high)
	out := d
	if out.err = d.boundable("truncated", lo, hi); out.err != nil {
		return out
	}
	out.name = "truncated " + d.name
	count := len(d.parameters)
	out.parameters = append(slices.Clone(d.parameters), parameter{lo.in, 0}, parameter{hi.in, 0})
	out.below, out.above, out.total = nil, nil, nil
	if d.support != nil {
		var c Constraint
		switch {
		case lo.open && hi.open:
			c = *d.support
		case hi.open && !math.IsInf(d.support.high, 1):
			c = Bounded(low, d.support.high)
		case hi.open:
			c = Above(low)
		case lo.open && !math.IsInf(d.support.low, -1):
			c = Bounded(d.support.low, high)
		case lo.open:
			c = Below(high)
		default:
			c = Bounded(low, high)
		}
		out.support = &c
	}
	out.set = set{fmt.Sprintf("%s within the bounds", d.set.words), func(v float64) bool {
		return d.set.has(v) && !(v < lo.at) && !(v > hi.at)
	}}
	out.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		return d.log(x, p[:count]).Sub(d.inside(x, p[:count], lo, hi))
	}
	out.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		from, to := p[count][0], p[count+1][0]
		for range 1_000_000 {
			if err := d.draw(rng, p[:count], dst); err != nil {
				return err
			}
			if dst[0] >= from && dst[0] <= to {
				return nil
			}
		}
		return fmt.Errorf("none of 10⁶ draws is from %v to %v", from, to)
	}
	return out
}

// Censored is a distribution whose values are known only to be at most low, or at least high,
// where they are beyond: data there hold the bound itself. Their log probability is that
// of the tail, and the log density elsewhere. Its conditions are those of [Truncated].
func Censored[L, H Value](d Distribution, low L, high H) Distribution {
	lo, hi := boundsOf(d, low, high)
	out := d
	if out.err = d.boundable("censored", lo, hi); out.err != nil {
		return out
	}
	out.name, out.support = "censored "+d.name, nil
	count := len(d.parameters)
	out.parameters = append(slices.Clone(d.parameters), parameter{lo.in, 0}, parameter{hi.in, 0})
	out.below, out.above, out.total = nil, nil, nil
	out.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		log := d.log(x, p[:count])
		if !lo.open {
			log = lo.in(x).AtLeast(x).Where(d.inside(x, p[:count], bound{open: true}, lo), log)
		}
		if !hi.open {
			log = x.AtLeast(hi.in(x)).Where(d.inside(x, p[:count], hi, bound{open: true}), log)
		}
		return log
	}
	out.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		err := d.draw(rng, p[:count], dst)
		dst[0] = math.Min(math.Max(dst[0], p[count][0]), p[count+1][0])
		return err
	}
	return out
}

// ZeroInflated is 0 with probability pi, and otherwise a value of a distribution of whole
// numbers, which may be 0 too.
func ZeroInflated[P Value](pi P, d Distribution) Distribution {
	out := d
	if d.support != nil || d.event > 0 {
		out.err = fmt.Errorf("zero-inflated %s: want a distribution of whole numbers", d)
		return out
	}
	out.name, out.total = "zero-inflated "+d.name, nil
	out.parameters = append([]parameter{scalar(pi)}, d.parameters...)
	out.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		rest := d.log(x, p[1:]).Add(p[0].Neg().Log1p())
		zero := p[0].Log().Expand(rest.Shape()).LogAddExp(rest)
		return x.Positive().Where(rest, zero)
	}
	out.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		if err := d.draw(rng, p[1:], dst); err != nil {
			return err
		}
		if rng.Float64() < p[0][0] {
			dst[0] = 0
		}
		return nil
	}
	return out
}

// Mixture is one of several distributions of the same kind of values, with probabilities along
// the last axis of weights, which add to 1: Σₖ wₖ pₖ(x).
func Mixture[W Value](weights W, components ...Distribution) Distribution {
	if len(components) == 0 {
		return Distribution{name: "mixture", err: errors.New("mixture: no components")}
	}
	first := components[0]
	out := Distribution{
		name:       "mixture",
		parameters: []parameter{array(weights, 1)},
		event:      first.event,
		support:    first.support,
		set:        first.set,
	}
	var starts []int
	for _, c := range components {
		if c.err != nil {
			out.err = c.err
		}
		if c.event != first.event || (c.support == nil) != (first.support == nil) {
			out.err = fmt.Errorf("mixture: %s and %s have other kinds of values", first, c)
		}
		if c.support != nil && first.support != nil &&
			!(c.support.low == first.support.low && c.support.high == first.support.high) &&
			c.support.name != first.support.name {
			out.err = fmt.Errorf(
				"mixture: the support of %s is %s, that of %s %s",
				first,
				first.support,
				c,
				c.support,
			)
		}
		starts = append(starts, len(out.parameters))
		out.parameters = append(out.parameters, c.parameters...)
	}
	starts = append(starts, len(out.parameters))
	out.log = func(x *autograd.Node, p []*autograd.Node) *autograd.Node {
		axis, k := size(p[0])
		if k != len(components) {
			// the builder's error for shapes that do not fit
			return p[0].Add(x.Builder().Ones(autograd.Shape{len(components)}))
		}
		logs := p[0].Log()
		var total *autograd.Node
		for i, c := range components {
			term := c.log(x, p[starts[i]:starts[i+1]]).Add(logs.Index(axis, i))
			if total == nil {
				total = term
			} else {
				total = total.LogAddExp(term)
			}
		}
		return total
	}
	out.draw = func(rng *rand.Rand, p [][]float64, dst []float64) error {
		i := stream.Choose(rng, p[0])
		return components[i].draw(rng, p[starts[i]:starts[i+1]], dst)
	}
	return out
}
