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

// Percent is a probability for a reader: never 0 % or 100 % unless it is exactly that.
func Percent(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p > 0 && p < 0.005:
		return "< 1 %"
	case p < 1 && p >= 0.995:
		return "> 99 %"
	}
	return Minus(strconv.FormatFloat(math.Round(100*p)+0, 'f', 0, 64)) + " %"
}

// Significant writes a number with so many significant digits, without an exponent where
// that is short.
func Significant(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 0):
		return "∞"
	case v == 0:
		return "0"
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		rounded = v
	}
	magnitude := int(math.Floor(math.Log10(math.Abs(rounded))))
	if magnitude < -4 || magnitude > 6 {
		return Minus(strconv.FormatFloat(rounded, 'e', digits-1, 64))
	}
	return Minus(strconv.FormatFloat(rounded, 'f', max(0, digits-1-magnitude), 64))
}

// Minus writes the sign as typographers do.
func Minus(s string) string {
	if len(s) > 0 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}
