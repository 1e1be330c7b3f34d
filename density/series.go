package density

import (
	"fmt"

	"tobac/autograd"
)

// Recursion is a series of states, each a function of the one before and of a row of xs, the first
// of the start and of row 0, stacked along a new first axis: a moving average, a conditional
// variance. All states have the shape of the start; see autograd.Scan for loops with more than one
// state.
func Recursion(
	start, xs *autograd.Node,
	next func(state, x *autograd.Node) *autograd.Node,
) *autograd.Node {
	if len(xs.Shape()) == 0 || xs.Shape()[0] == 0 {
		err := fmt.Errorf("recursion: shape %v, want at least one row", xs.Shape())
		return start.Builder().Fail(append(autograd.Shape{1}, start.Shape()...), err)
	}
	_, states := autograd.Scan(xs.Shape()[0], []*autograd.Node{start}, []*autograd.Node{xs},
		func(_ int, state, x []*autograd.Node) (carry, results []*autograd.Node) {
			now := next(state[0], x[0])
			return []*autograd.Node{now}, []*autograd.Node{now}
		})
	return states[0]
}

// HiddenMarkov is the log probability of a series whose states are hidden, summed over all of them
// by the forward algorithm: the logarithms of the probabilities of k first states, those of the
// next state (columns) given the present one (rows), k×k, and the log density of the data at each
// of n times in each state, n×k, such as d.LogProb of a column of data and a vector of parameters:
//
//	ln Σ_s p(s₁) p(y₁|s₁) Π_t p(s_t|s_{t−1}) p(y_t|s_t).
func HiddenMarkov(first, next, data *autograd.Node) *autograd.Node {
	s := data.Shape()
	if len(s) != 2 || s[0] == 0 {
		err := fmt.Errorf("hidden Markov model: data of shape %v, want times × states", s)
		return data.Builder().Fail(autograd.Shape{}, err)
	}
	n, k := s[0], s[1]
	last := first.Add(data.Index(0, 0))
	if n > 1 {
		ends, _ := autograd.Scan(n-1, []*autograd.Node{last}, []*autograd.Node{data.Slice(0, 1, n)},
			func(_ int, f, x []*autograd.Node) (carry, results []*autograd.Node) {
				from := f[0].Reshape(autograd.Shape{k, 1})
				return []*autograd.Node{from.Add(next).LogSumExp(0).Add(x[0])}, nil
			})
		last = ends[0]
	}
	return last.LogSumExp()
}
