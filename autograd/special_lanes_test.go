package autograd_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	ad "tobac/autograd"

	"tobac/internal/must"
)

// extremeOf is the largest number, or the smallest for the sign −1; NaN if one is.
func extremeOf(x []float64, sign float64) float64 {
	top := sign * x[0]
	for _, v := range x[1:] {
		top = max(top, sign*v)
	}
	return sign * top
}

func extremeSlope(sign float64) func(x []float64, i int) answer {
	return func(x []float64, i int) answer { return is(tiedShare(x, extremeOf(x, sign), i)) }
}

// extremesOverLanes are the reductions by comparison.
func extremesOverLanes() []laneReduction {
	extreme := func(name string, build func(x *ad.Node, lanes *ad.Axis) *ad.Node, sign,
		neutral float64) laneReduction {
		return laneReduction{name, build, neutral, func(x []float64) answer {
			return is(extremeOf(x, sign))
		}, extremeSlope(sign)}
	}
	return []laneReduction{
		extreme("maximum", (*ad.Node).MaxOver, 1, math.Inf(-1)),
		extreme("maximum of ordinary numbers", (*ad.Node).MaxOver, 1, 0.25),
		extreme("minimum", (*ad.Node).MinOver, -1, 0.25),
	}
}

// testLaneWeights compares the softmax over lanes, and its gradient for other cotangents
// than 1, with pairs of special numbers in two lanes.
func testLaneWeights(t *testing.T) {
	for _, size := range []int{2, 8, 24, 128} {
		if testing.Short() && size > 24 {
			continue
		}
		for _, lone := range []bool{false, true} {
			b := ad.NewBuilder("weights")
			r := &reductionRun{laneReduction: laneReduction{neutral: 0.25}, particles: 1,
				size: size}
			var axes []*ad.Axis
			name := "particles"
			if !lone {
				r.particles, name = 2, "samples"
				axes = append(axes, b.Axis("particle", 2))
			}
			lanes := b.Axis("lane", size)
			axes = append(axes, lanes)
			x, c := b.Input("x", ad.Shape{specialCount}, axes...), b.Input("c", ad.Shape{}, axes...)
			y := x.SoftmaxOver(lanes)
			r.inputs, r.outputs = nodes(x, c), append(nodes(y), b.Grad(y.Mul(c).Sum(), x)...)
			for _, w := range []way{{"reference", ad.Options{Engine: ad.Reference}},
				{"by value", ad.Options{Without: ad.ElementSchedule}}, {"lanes", ad.Options{}}} {
				if w.name != "lanes" && size > 24 || w.name == "reference" &&
					os.Getenv(specialChild) != "" {
					continue
				}
				t.Run(fmt.Sprintf("%d %s/%s", size, name, w.name), func(t *testing.T) {
					r.runWeights(t, w.opt)
				})
			}
		}
	}
}

// runWeights compares value and gradient in every lane.
func (r *reductionRun) runWeights(t *testing.T, opt ad.Options) {
	t.Helper()
	ev := must.Get(ad.NewEvaluator(r.inputs, r.outputs, opt))(t)
	defer ev.Close()
	got := room(r.outputs)
	x, c := make([]float64, r.particles*r.size*specialCount), make([]float64, r.particles*r.size)
	for i := range c {
		c[i] = float64(i%5) - 1
	}
	for round := range r.rounds() {
		r.eachElement(func(particle, e int) {
			for lane, v := range r.lanes(round, particle, e) {
				x[(particle*r.size+lane)*specialCount+e] = v
			}
		})
		must.Do(t, evalSafely(ev, got, feeds([][]float64{x, c})))
		r.eachElement(func(particle, e int) {
			numbers := r.lanes(round, particle, e)
			values, slopes := weightsOf(numbers, c[particle*r.size:][:r.size])
			for lane := range r.size {
				k := (particle*r.size+lane)*specialCount + e
				if !values[lane].admits(got[0][k]) || !slopes[lane].admits(got[1][k]) {
					t.Fatalf("lane %d of %v: got %v, slope %v, want %v, slope %v", lane, numbers,
						got[0][k], got[1][k], values[lane], slopes[lane])
				}
			}
		})
	}
}

// eachElement visits the elements of all particles.
func (r *reductionRun) eachElement(visit func(particle, e int)) {
	for particle := range r.particles {
		for e := range specialCount {
			visit(particle, e)
		}
	}
}

// weightsOf are the softmax weights y of numbers, and the derivatives of Σ cᵢyᵢ with
// respect to these.
func weightsOf(x, c []float64) (weights, slopes []answer) {
	mean, scale := 0.0, 0.0
	for i := range x {
		w := weightOf(x, i)
		weights = append(weights, w)
		mean += c[i] * w.numbers[0]
		scale += math.Abs(c[i] * w.numbers[0])
	}
	for i, w := range weights {
		y := w.numbers[0]
		slopes = append(slopes, answer{numbers: []float64{y * (c[i] - mean)},
			scale: (scale+math.Abs(c[i]))*y + w.scale*math.Abs(c[i]-mean)})
	}
	return weights, slopes
}
