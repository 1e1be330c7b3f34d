package table

import (
	"math"
	"strings"

	"tobac/dataset"
)

// Censored says what happens to values of which only limits are known, in columns of numbers: below
// or above one, such as <0.5 and >100, or between two, such as [2, 5] and 10-20.
type Censored int

const (
	// CensoredError refuses them.
	CensoredError Censored = iota
	// CensoredLimit takes the limit in their place, and the middle of two.
	CensoredLimit
	// CensoredImpute keeps them as limits of missing values, for an imputation to complete.
	CensoredImpute
)

// String implements fmt.Stringer.
func (c Censored) String() string { return [...]string{"error", "limit", "impute"}[c] }

// An interval is where a value lies; ±Inf means no limit on that side.
type interval struct{ low, high float64 }

// middle is what stands for the value.
func (i interval) middle() float64 {
	switch {
	case math.IsInf(i.low, -1):
		return i.high
	case math.IsInf(i.high, 1):
		return i.low
	}
	return i.low + (i.high-i.low)/2
}

// limits are those that a text says.
func limits(text string) (i interval, ok bool) {
	text = strings.TrimSpace(text)
	for _, sign := range []string{"<=", ">=", "<", ">", "≤", "≥"} {
		if rest, found := strings.CutPrefix(text, sign); found {
			v, ok := plainNumber(rest)
			if i = (interval{math.Inf(-1), v}); sign[0] == '>' || sign == "≥" {
				i = interval{v, math.Inf(1)}
			}
			return i, ok && !math.IsInf(v, 0)
		}
	}
	between := func(from, to string) (interval, bool) {
		low, one := plainNumber(from)
		high, other := plainNumber(to)
		return interval{low, high}, one && other && low < high && !math.IsInf(high-low, 0)
	}
	if len(text) > 2 && strings.ContainsRune("[(", rune(text[0])) &&
		strings.ContainsRune("])", rune(text[len(text)-1])) {
		from, to, _ := strings.Cut(text[1:len(text)-1], ",")
		return between(from, to)
	}
	for _, sign := range []string{"–", "-", ".."} {
		if from, to, found := strings.Cut(text, sign); found &&
			!strings.ContainsAny(from+to, "-–+eE") {
			return between(from, to)
		}
	}
	return interval{}, false
}

// limit is what stands for a value of which a text says the limits.
func limit(text string) (v float64, ok bool) {
	i, ok := limits(text)
	return i.middle(), ok
}

// A detection says that a column has limits, and at which numbers measurements end: those at or
// beyond them are limits themselves.
type detection struct{ from, to float64 }

// detections reads the kind censored, with limits of detection or without: "censored:0.5..100".
func detections(kind string) (d detection, ok bool) {
	d = detection{math.Inf(-1), math.Inf(1)}
	name, span, given := strings.Cut(kind, ":")
	if strings.TrimSpace(name) != censoredKind || !given {
		return d, strings.TrimSpace(name) == censoredKind
	}
	from, to, ok := strings.Cut(span, "..")
	for text, v := range map[string]*float64{from: &d.from, to: &d.to} {
		if text = strings.TrimSpace(text); text != "" && ok {
			*v, ok = plainNumber(text)
		}
	}
	return d, ok && d.from < d.to && (from != "" || to != "")
}

// IsKind reports whether a text is a kind of columns, as [Options].Kinds has it.
func IsKind(text string) bool {
	_, limited := detections(text)
	_, err := dataset.ParseKind(text)
	return limited || err == nil
}

// censoredKind is the name of the kind of columns whose values have limits.
const censoredKind = "censored"
