package words

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Suggestion asks whether one of the allowed words was meant: those that differ
// from the given one by few letters, at most two of them. It is empty if there is
// none, and begins with a semicolon.
func Suggestion(word string, allowed []string) string {
	type near struct {
		word     string
		distance int
	}
	var all []near
	lower := strings.ToLower(word)
	for _, a := range allowed {
		d := editDistance(lower, strings.ToLower(a))
		n := utf8.RuneCountInString(a)
		switch {
		case len(lower) >= 3 && strings.HasPrefix(strings.ToLower(a), lower):
			d = 1
		case d > 1+n/5 || d >= n: // one letter, two of five, three of ten
			continue
		}
		all = append(all, near{a, d})
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	best := all[0].word
	if len(all) > 1 && all[1].distance == all[0].distance {
		best += " or " + all[1].word
	}
	return "; did you mean " + best + "?"
}

// editDistance is the number of letters to insert, delete, replace or exchange
// with their neighbour that makes b of a (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	// Rows i−2, i−1 and i of the distances of prefixes.
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			replaced := last[j-1]
			if s[i-1] != t[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
