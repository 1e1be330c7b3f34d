package figures

import (
	"math"
	"strconv"
	"strings"

	"tobac/internal/scene"
)

// A scale gives numbers their places along an axis.
type scale struct {
	axis scene.Axis // of the numbers, or of their decimal logarithms
	log  bool
}

// between puts the scale between two pixels.
func (s scale) between(from, to float64) scale {
	s.axis.From, s.axis.To = from, to
	return s
}

// has reports whether a number has a place.
func (s scale) has(v float64) bool { return !missing(v) && (!s.log || v > 0) }

func (s scale) at(v float64) float64 {
	if s.log {
		v = math.Log10(v)
	}
	return s.axis.At(v)
}

type tick struct {
	value float64
	text  string
}

// ticks are round numbers on the scale, as many as have room for their texts: beside each
// other, or one above the other.
func (s scale) ticks(horizontal bool) []tick {
	var all []tick
	switch {
	case s.log:
		all = s.logTicks()
	default:
		for _, v := range s.axis.Ticks() {
			all = append(all, tick{v, scene.TickText(v)})
		}
	}
	for stride := 1; ; stride++ {
		var some []tick
		first := 0
		for k, t := range all { // zero stays, if it is there
			if t.value == 0 {
				first = k % stride
			}
		}
		for k := first; k < len(all); k += stride {
			some = append(some, all[k])
		}
		if stride >= len(all) || s.roomFor(some, horizontal) {
			return some
		}
	}
}

func (s scale) roomFor(ticks []tick, horizontal bool) bool {
	for k := 1; k < len(ticks); k++ {
		need := 1.6 * axisText
		if horizontal {
			need = gap + (scene.TextWidth(ticks[k-1].text, axisText, false)+scene.TextWidth(ticks[k].text, axisText, false))/2
		}
		if math.Abs(s.at(ticks[k].value)-s.at(ticks[k-1].value)) < need {
			return false
		}
	}
	return true
}

// logTicks are powers of ten, or 1, 2 and 5 times powers of ten where there are less than
// three, or plain round numbers where the scale spans less than a factor of five.
func (s scale) logTicks() []tick {
	low, high := s.axis.Low, s.axis.High
	if high-low < math.Log10(5) {
		var out []tick
		for _, v := range (scene.Axis{Low: math.Pow(10, low), High: math.Pow(10, high)}).Ticks() {
			if v > 0 {
				out = append(out, tick{v, scene.TickText(v)})
			}
		}
		return out
	}
	make := func(factors ...float64) (out []tick) {
		for e := math.Floor(low); e <= high; e++ {
			for _, f := range factors {
				if at := e + math.Log10(f); at >= low-1e-9 && at <= high+1e-9 {
					out = append(out, tick{f * math.Pow(10, e), powerText(f, int(e))})
				}
			}
		}
		return out
	}
	if powers := make(1); len(powers) >= 3 {
		return powers
	}
	return make(1, 2, 5)
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹", "-", "⁻")

// powerText writes factor·10^exponent.
func powerText(factor float64, exponent int) string {
	if exponent >= -3 && exponent <= 3 {
		return strconv.FormatFloat(factor*math.Pow(10, float64(exponent)), 'g', 6, 64)
	}
	power := "10" + superscripts.Replace(strconv.Itoa(exponent))
	if factor == 1 {
		return power
	}
	return strconv.FormatFloat(factor, 'f', 0, 64) + "·" + power
}
