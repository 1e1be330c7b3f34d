package scene

import (
	"math"
	"strconv"
)

// An Axis maps numbers to pixels.
type Axis struct {
	Low, High float64 // numbers
	From, To  float64 // pixels
}

// At is where a number is, in pixels.
func (a Axis) At(v float64) float64 { return a.From + (v-a.Low)/(a.High-a.Low)*(a.To-a.From) }

// Ticks are round numbers within the axis, about five of them.
func (a Axis) Ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10(a.High-a.Low)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1} {
		if (a.High-a.Low)/(part*step) <= 7 {
			step *= part
			break
		}
	}
	var out []float64
	for k := math.Ceil(a.Low/step - 1e-9); k*step <= a.High+1e-9*step; k++ {
		out = append(out, k*step)
	}
	return out
}

// TickText writes a round number.
func TickText(v float64) string {
	return Minus(strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', 6, 64))
}
