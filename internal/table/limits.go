package table

import (
	"math"
	"strings"
)

// Censored says what happens to values of which only a limit is known, in columns of numbers: below
// or above one, such as <0.5 and >100, or between two, such as [2, 5].
type Censored int

const (
	// CensoredError refuses them.
	CensoredError Censored = iota
	// CensoredLimit takes the limit in their place, and the middle of two.
	CensoredLimit
)

// String implements fmt.Stringer.
func (c Censored) String() string { return [...]string{"error", "limit"}[c] }

// limit is what stands for a value of which a text says the limits.
func limit(text string) (v float64, ok bool) {
	text = strings.TrimSpace(text)
	for _, sign := range []string{"<=", ">=", "<", ">", "≤", "≥"} {
		if rest, found := strings.CutPrefix(text, sign); found {
			v, ok = plainNumber(rest)
			return v, ok && !math.IsInf(v, 0)
		}
	}
	if len(text) < 2 || !strings.ContainsRune("[(", rune(text[0])) || !strings.ContainsRune("])", rune(text[len(text)-1])) {
		return 0, false
	}
	from, to, _ := strings.Cut(text[1:len(text)-1], ",")
	low, one := plainNumber(from)
	high, other := plainNumber(to)
	return low + (high-low)/2, one && other && low <= high && !math.IsInf(high-low, 0)
}
