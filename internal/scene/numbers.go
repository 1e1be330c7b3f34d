package scene

import (
	"math"
	"strconv"
)

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
