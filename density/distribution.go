package density

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tobac/autograd"
)

// A Distribution is a log density, or a log probability of whole numbers, with its support and
// its draws. A vector of a Dirichlet or a multivariate normal distribution is one
// value; other arrays hold one value in each element.
type Distribution struct {
	name       string
	parameters []parameter
	event      int         // how many of the last axes make one value
	support    *Constraint // nil means whole numbers
	set        set         // what data are checked for
	log        func(x *autograd.Node, p []*autograd.Node) *autograd.Node
	// total is the sum of log over all of x in fewer operations; nil means that sum.
	total func(x *autograd.Node, p []*autograd.Node) *autograd.Node
	below func(x *autograd.Node, p []*autograd.Node) *autograd.Node // log distribution function
	above func(x *autograd.Node, p []*autograd.Node) *autograd.Node // log survival function
	// draw writes one value for parameters that belong to it.
	draw func(rng *rand.Rand, p [][]float64, dst []float64) error
	err  error
}

// A set is what one number of data has to be.
type set struct {
	words string
	has   func(v float64) bool
}

func finite(v float64) bool { return v-v == 0 }

func whole(v float64) bool { return v == math.Floor(v) && finite(v) }

var (
	anyNumber      = set{"a finite number", finite}
	positiveNumber = set{"a number above 0", func(v float64) bool { return v > 0 && finite(v) }}
	unitNumber     = set{"a number between 0 and 1", func(v float64) bool { return v > 0 && v < 1 }}
	countNumber    = set{
		"a whole number from 0",
		func(v float64) bool { return whole(v) && v >= 0 },
	}
	binaryNumber = set{"0 or 1", func(v float64) bool { return v == 0 || v == 1 }}
)

// String is the distribution's name.
func (d Distribution) String() string { return d.name }

// Support is the constraint of the distribution's values; false for whole numbers.
func (d Distribution) Support() (Constraint, bool) {
	if d.support == nil {
		return Constraint{}, false
	}
	return *d.support, true
}

// in are the parameters in the graph of x.
func (d Distribution) in(x *autograd.Node) []*autograd.Node {
	p := make([]*autograd.Node, len(d.parameters))
	for i, of := range d.parameters {
		p[i] = of.in(x)
	}
	return p
}

// LogProb is the log density at each value of x: element by element, or vector by vector. It
// is meaningless outside the support, where neither [Trace.Sample] nor data that
// [Trace.Observe] checks can be, and −∞ beyond bounds that depend on parameters.
func (d Distribution) LogProb(x *autograd.Node) *autograd.Node { return d.log(x, d.in(x)) }

// sum is the sum of the log densities of all values of x: log is [Distribution.LogProb] of it.
func (d Distribution) sum(x, log *autograd.Node) *autograd.Node {
	if d.total != nil {
		return d.total(x, d.in(x))
	}
	return log.Sum()
}

// HasCDF reports whether [Distribution.LogCDF] and [Distribution.LogSurvival] are there: for
// all distributions of numbers with a density but von Mises, and mixtures. Their derivatives by
// the shapes of beta, gamma (chi-squared, inverse gamma) and t distributions are there up to
// second order; those of third order are NaN, in [Truncated] and [Censored] distributions too.
func (d Distribution) HasCDF() bool { return d.below != nil && d.above != nil }

// LogCDF is the logarithm of the probability of a value up to x. It panics unless
// [Distribution.HasCDF], which says what derivatives it has.
func (d Distribution) LogCDF(x *autograd.Node) *autograd.Node {
	if !d.HasCDF() {
		panic("density: " + d.name + " has no distribution function here")
	}
	return d.below(x, d.in(x))
}

// LogSurvival is the logarithm of the probability of a value above x, accurate in the upper
// tail. It panics unless [Distribution.HasCDF], which says what derivatives it has.
func (d Distribution) LogSurvival(x *autograd.Node) *autograd.Node {
	if !d.HasCDF() {
		panic("density: " + d.name + " has no distribution function here")
	}
	return d.above(x, d.in(x))
}

// broadcast are the parameters of each of the values in an array of a shape: arrays whose
// leading axes are those of the values.
func (d Distribution) broadcast(x *autograd.Node) ([]*autograd.Node, error) {
	shape := x.Shape()
	batch := shape[:len(shape)-d.event]
	p := d.in(x)
	for i, n := range p {
		event, s := d.parameters[i].event, n.Shape()
		if len(s) < event {
			return nil, fmt.Errorf("%s: parameter %d has shape %v, want %d axes", d, i, s, event)
		}
		p[i] = n.Expand(append(append(autograd.Shape{}, batch...), s[len(s)-event:]...))
	}
	return p, nil
}

// sample draws an array of values: p are the parameters of [Distribution.broadcast].
func (d Distribution) sample(
	rng *rand.Rand,
	values, length int,
	p [][]float64,
	dst []float64,
) error {
	one := make([][]float64, len(p))
	for v := range values {
		for i, all := range p {
			n := len(all) / values
			one[i] = all[v*n:][:n]
		}
		if err := d.draw(rng, one, dst[v*length:][:length]); err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
	}
	return nil
}
