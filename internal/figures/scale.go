package figures

import (
	"math"
	"slices"
	"strconv"

	"tobac/internal/scene"
)

// A scale gives numbers their places along an axis.
type scale struct {
	axis scene.Axis // of the numbers, or of their decimal logarithms
	log  bool
	// beyond is by how many pixels texts of a horizontal axis may stick out at its ends.
	beyond float64
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

// A tick is a number on an axis, written as text with a power raised behind it.
type tick struct {
	value       float64
	text, power string
}

const powerSize = 8.5

func (t *tick) width() float64 {
	return scene.TextWidth(t.text, axisText, false) + scene.TextWidth(t.power, powerSize, false)
}

// write puts the tick's text at a place on its base line.
func (s *sheet) write(t *tick, x, y float64, anchor scene.Anchor) {
	switch anchor {
	case scene.Middle:
		x -= t.width() / 2
	case scene.End:
		x -= t.width()
	}
	s.Add(scene.Words(x, y, axisText, scene.Start, scene.Muted, t.text))
	if t.power != "" {
		s.Add(scene.Words(x+scene.TextWidth(t.text, axisText, false), y-4, powerSize, scene.Start, scene.Muted, t.power))
	}
}

// ticks are round numbers on the scale, as many as have room for their texts: beside each
// other, or one above the other.
func (s scale) ticks(horizontal bool) []tick {
	if s.log {
		return s.logTicks(horizontal)
	}
	return s.thin(s.within(plainTicks(s.axis), horizontal), horizontal)
}

// within are the ticks whose texts do not stick out too far.
func (s scale) within(all []tick, horizontal bool) []tick {
	if !horizontal {
		return all
	}
	return slices.DeleteFunc(all, func(t tick) bool {
		return s.at(t.value)-t.width()/2 < s.axis.From-s.beyond || s.at(t.value)+t.width()/2 > s.axis.To+s.beyond
	})
}

func plainTicks(a scene.Axis) (out []tick) {
	for _, v := range a.Ticks() {
		out = append(out, tick{value: v, text: scene.TickText(v)})
	}
	return out
}

// thin leaves out every second tick, or more of them, until the others have room. Those
// that stay on a plain scale are multiples of their distance, zero among them.
func (s scale) thin(all []tick, horizontal bool) []tick {
	for stride := 1; ; stride++ {
		var some []tick
		first := 0
		for k := 1; k < len(all) && !s.log; k++ {
			if step := all[k].value - all[k-1].value; int(math.Round(all[k].value/step))%stride == 0 {
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
			need = gap + (ticks[k-1].width()+ticks[k].width())/2
		}
		if math.Abs(s.at(ticks[k].value)-s.at(ticks[k-1].value)) < need {
			return false
		}
	}
	return true
}

// logTicks are powers of ten; with fewer than three of them, more parts of a decade, as far
// as there is room; on a scale that spans hardly any, plain round numbers.
func (s scale) logTicks(horizontal bool) []tick {
	low, high := s.axis.Low, s.axis.High
	var best []tick
	for _, factors := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}} {
		var out []tick
		for e := math.Floor(low); e <= high; e++ {
			for _, f := range factors {
				if at := e + math.Log10(f); at >= low-1e-9 && at <= high+1e-9 {
					out = append(out, powerTick(f, int(e)))
				}
			}
		}
		out = s.within(out, horizontal)
		if len(factors) == 1 {
			out = s.thin(out, horizontal)
		}
		if len(out) > len(best) && s.roomFor(out, horizontal) {
			best = out
		}
		if len(best) >= 3 {
			return best
		}
	}
	if len(best) >= 2 {
		return best
	}
	return s.thin(s.within(plainTicks(scene.Axis{Low: math.Pow(10, low), High: math.Pow(10, high)}), horizontal), horizontal)
}

// powerTick writes factor·10^exponent.
func powerTick(factor float64, exponent int) tick {
	t := tick{value: factor * math.Pow(10, float64(exponent))}
	if exponent >= -3 && exponent <= 3 {
		t.text = strconv.FormatFloat(t.value, 'g', 6, 64)
		return t
	}
	t.text, t.power = "10", scene.Minus(strconv.Itoa(exponent))
	if factor != 1 {
		t.text = strconv.FormatFloat(factor, 'g', 2, 64) + "·10"
	}
	return t
}
