package nodescore

import (
	"context"
	"fmt"
	"math"

	"tobac/internal/scoring"
)

const (
	bracketStep = 0.7 // of ln σ², about a factor 2
	// of the steps, since columns in arbitrary units can differ by ten orders of magnitude
	bracketGrowth = 1.3
	bracketWidth  = 0.3 // below which the evidence is taken for a parabola
	variancesMost = 40  // evaluations
)

// MaximiseNoiseVariance finds the noise variance σ² with the largest evidence
// log p(D | σ²), to about 1 %, from a start: for scores like [GP.At], where an engine
// computes the evidence. It walks from the start in growing steps of ln σ² until the
// evidence has fallen on both sides, narrows the bracket by golden sections, and takes
// the vertex of a parabola: ten evaluations or so. A local maximum that the walk meets first is
// taken for the largest. An error of evidence, and an evidence that is NaN or +Inf, end the search.
// It panics unless the start is finite and positive.
func MaximiseNoiseVariance(ctx context.Context, start float64,
	evidence func(variance float64) (float64, error)) (float64, error) {
	if !(start > 0) || math.IsInf(start, 0) {
		panic(fmt.Sprintf("score: search from the noise variance %v, want a finite positive number",
			start))
	}
	calls := 0
	at := func(x float64) (point, error) {
		if err := ctx.Err(); err != nil {
			return point{}, err
		}
		if calls++; calls > variancesMost {
			return point{}, fmt.Errorf("score: noise variance: no maximum of the evidence after "+
				"%d evaluations from %v, the last at %v", variancesMost, start, math.Exp(x))
		}
		y, err := evidence(math.Exp(x))
		if err == nil && !scoring.Possible(y) {
			err = fmt.Errorf("score: noise variance %v has the log evidence %v, want a finite "+
				"number", math.Exp(x), y)
		}
		return point{x, y}, err
	}
	low, middle, high, err := bracket(at, math.Log(start))
	if err != nil {
		return 0, err
	}
	for high.x-low.x > bracketWidth {
		next, err := at(golden(low, middle, high))
		if err != nil {
			return 0, err
		}
		low, middle, high = narrow(low, middle, high, next)
	}
	return math.Exp(vertex(low, middle, high)), nil
}

// A point is an evidence y at x = ln σ².
type point struct{ x, y float64 }

// bracket finds three points of which the middle one is the highest.
func bracket(at func(x float64) (point, error), x float64) (low, middle, high point, err error) {
	if middle, err = at(x); err != nil {
		return
	}
	if low, err = at(x - bracketStep); err != nil {
		return
	}
	if high, err = at(x + bracketStep); err != nil {
		return
	}
	step := bracketStep
	for low.y > middle.y {
		step *= bracketGrowth
		low, middle, high = point{}, low, middle
		if low, err = at(middle.x - step); err != nil {
			return
		}
	}
	for high.y > middle.y {
		step *= bracketGrowth
		low, middle, high = middle, high, point{}
		if high, err = at(middle.x + step); err != nil {
			return
		}
	}
	return
}

// golden is the point of the wider side of a bracket that shrinks it by the golden
// section in the long run.
func golden(low, middle, high point) float64 {
	section := (3 - math.Sqrt(5)) / 2
	left, right := middle.x-low.x, high.x-middle.x
	if left > right {
		return middle.x - section*left
	}
	return middle.x + section*right
}

// vertex is where the parabola through three points is highest: its slopes are
// those of the chords at their centres.
func vertex(low, middle, high point) float64 {
	left, right := middle.x-low.x, high.x-middle.x
	rise, fall := (middle.y-low.y)/left, (middle.y-high.y)/right
	if sum := rise + fall; sum > 0 && !math.IsInf(sum, 1) {
		return (low.x+middle.x)/2 + rise/sum*(left+right)/2
	}
	return middle.x
}

// narrow puts a new point into a bracket and drops one of its ends.
func narrow(low, middle, high, next point) (a, b, c point) {
	switch {
	case next.x < middle.x && next.y > middle.y:
		return low, next, middle
	case next.x < middle.x:
		return next, middle, high
	case next.y > middle.y:
		return middle, next, high
	}
	return low, middle, next
}
