package table

import (
	"strings"
	"unicode/utf8"

	"tobac/internal/delimited"
)

// A spelling is how the numbers of a column are written where they are more than digits and a
// decimal mark: with separators of thousands, with a sign for a unit. 0 stands for none.
type spelling struct{ group, mark, unit rune }

// Units and separators of thousands that are known. Of the latter, points and commas may be
// decimal marks.
const (
	unitSigns  = "%‰$€£¥"
	groupSigns = " '.,"
)

// sameSigns makes one of the signs that mean the same.
var sameSigns = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "’", "'", "−", "-")

// A spelled number is one taken apart. either is the mark, '.' or ',', of which the number
// alone does not tell whether it separates thousands or decimals, as in 1,234.
type spelledNumber struct {
	spelling
	either rune
	text   string // without unit
}

// takeApart finds out how a text spells a number; ok is false if it spells none.
func takeApart(text string) (s spelledNumber, ok bool) {
	s.text = strings.TrimSpace(sameSigns.Replace(text))
	sign := ""
	trimSign := func() {
		if sign == "" && s.text != "" && (s.text[0] == '-' || s.text[0] == '+') {
			sign, s.text = s.text[:1], strings.TrimSpace(s.text[1:])
		}
	}
	trimSign()
	if first, size := utf8.DecodeRuneInString(s.text); strings.ContainsRune(unitSigns, first) {
		s.unit, s.text = first, strings.TrimSpace(s.text[size:])
		trimSign()
	} else if last, size := utf8.DecodeLastRuneInString(s.text); strings.ContainsRune(unitSigns,
		last) {
		s.unit, s.text = last, strings.TrimSpace(s.text[:len(s.text)-size])
	}
	var signs []rune // between digits
	var runs []int   // of digits: their lengths
	digits := 0
	whole := s.text
	if k := strings.IndexAny(whole, "eE"); k >= 0 {
		if exponent := strings.TrimLeft(whole[k+1:], "+-"); exponent == "" ||
			strings.Trim(exponent, "0123456789") != "" {
			return s, false
		}
		whole = whole[:k]
	}
	for _, c := range whole {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case strings.ContainsRune(groupSigns, c):
			signs, runs, digits = append(signs, c), append(runs, digits), 0
		default:
			return s, false
		}
	}
	runs = append(runs, digits)
	s.text = sign + s.text
	n := len(signs)
	if n == 0 {
		return s, digits > 0
	}
	last := signs[n-1]
	isMark := last == '.' || last == ','
	grouped := func(n int) bool { // the first n signs separate thousands
		for k := range n {
			if signs[k] != signs[0] || runs[k+1] != 3 {
				return false
			}
		}
		return runs[0] >= 1 && runs[0] <= 3
	}
	switch {
	case n == 1 && isMark && runs[0] >= 1 && runs[0] <= 3 && runs[1] == 3 &&
		!strings.HasPrefix(strings.TrimLeft(s.text, "+-"), "0"):
		s.either = last
	case n == 1 && isMark:
		s.mark = last
		return s, runs[0]+runs[1] > 0
	case n > 1 && isMark && last != signs[0] && grouped(n-1):
		s.group, s.mark = signs[0], last
	case grouped(n):
		s.group = last
	default:
		return s, false
	}
	return s, true
}

// newSpelling finds out how the numbers of a column are spelled; ok is false if one of the
// texts is not a number, or they do not agree. mark is the decimal mark of the file, 0 if no
// number tells, and commas says that commas separate its fields.
func newSpelling(texts []string, mark rune, commas bool) (s spelling, ok bool) {
	either := rune(0)
	agree := func(known *rune, sign rune) bool {
		if *known == 0 {
			*known = sign
		}
		return sign == 0 || *known == sign
	}
	s.mark = mark
	for k, text := range texts {
		one, ok := takeApart(text)
		if k == 0 {
			s.unit = one.unit
		}
		if !ok || one.unit != s.unit || !agree(&s.group, one.group) || !agree(&s.mark, one.mark) ||
			!agree(&either, one.either) {
			return s, false
		}
	}
	switch {
	case either == 0 || either == s.mark || either == s.group:
	case s.group == 0 && (s.mark != 0 || commas && either == ','):
		s.group = either
	case s.mark == 0 && s.group != 0:
		s.mark = either
	default:
		return s, false
	}
	return s, s.group == 0 || s.group != s.mark
}

// number is the number that a text spells.
func (s spelling) number(text string) (float64, bool) {
	one, ok := takeApart(text)
	if !ok || one.unit != s.unit || one.group != 0 && one.group != s.group || one.mark != 0 &&
		s.mark != 0 && one.mark != s.mark {
		return 0, false
	}
	if one.mark != 0 && one.mark == s.group {
		return 0, false
	}
	plain := one.text
	if s.group != 0 {
		plain = strings.ReplaceAll(plain, string(s.group), "")
	}
	return plainNumber(strings.Replace(plain, ",", ".", 1))
}

// String says how the numbers are read.
func (s spelling) String() string {
	text := "numbers"
	if name := map[rune]string{' ': "blanks", '\'': "apostrophes", '.': "points",
		',': "commas"}[s.group]; name != "" {
		text += ", with " + name + " between thousands"
	}
	if s.mark == ',' {
		text += ", with decimal commas"
	}
	if s.unit != 0 {
		text += ", without their sign " + string(s.unit)
	}
	return text
}

// plainNumber reads a number that an option gives.
func plainNumber(text string) (float64, bool) {
	var mark delimited.DecimalMark
	return mark.Number([]byte(strings.TrimSpace(text)), ',')
}

// why says what may be meant by a text that looks almost like a number.
func why(text string) string {
	lower := strings.ToLower(strings.TrimLeft(text, "+-"))
	if lower == "inf" || lower == "infinity" || lower == "∞" {
		return " (infinite)"
	}
	s, ok := takeApart(text)
	switch {
	case !ok:
		return ""
	case s.unit != 0:
		return " (not all values have this sign)"
	case s.group != 0 || s.either != 0:
		return " (separators of thousands that not all values have, or another decimal mark)"
	case s.mark != 0 && strings.ContainsRune(text, s.mark) && !strings.ContainsAny(lower, "e"):
		return " (other numbers have another decimal mark)"
	}
	return " (beyond the range of numbers)"
}

// always are the spellings of a missing value in every column, in lower case.
var always = map[string]bool{
	"": true, "na": true, "n/a": true, "#n/a": true, "#na": true, "<na>": true, "nan": true,
	"-nan": true, "nat": true, "null": true,
	".": true, "?": true, "#n/a n/a": true, "#value!": true, "#div/0!": true, "#ref!": true,
	"#num!": true, "#name?": true, "#null!": true,
}

// amongNumbers are spellings that mean a missing value in a column of numbers or dates, and may be
// a level in a column of words.
var amongNumbers = map[string]bool{
	"none": true, "-": true, "--": true, "---": true, "–": true, "—": true, "missing": true,
	"unknown": true, "not available": true, "*": true, "..": true, "...": true, "n.a.": true,
	"n.a": true, "nil": true, "(null)": true, "(missing)": true,
}

// gapAlways reports whether a text is a missing value in every column.
func gapAlways(text string) bool {
	if len(text) > 16 {
		return false
	}
	return text == "" || always[strings.ToLower(strings.TrimSpace(text))]
}

// gapAmongNumbers reports whether a text is a missing value in a column of numbers.
func gapAmongNumbers(text string) bool {
	return len(text) <= 16 && amongNumbers[strings.ToLower(strings.TrimSpace(text))]
}
