package table

import "strings"

// always are the spellings of a missing value in every column, in lower case.
var always = map[string]bool{
	"": true, "na": true, "n/a": true, "#n/a": true, "#na": true, "<na>": true, "nan": true, "-nan": true, "nat": true, "null": true,
	".": true, "?": true, "#n/a n/a": true, "#value!": true, "#div/0!": true, "#ref!": true, "#num!": true, "#name?": true, "#null!": true,
}

// amongNumbers are spellings that mean a missing value in a column of numbers or dates, and may be a level in a column of words.
var amongNumbers = map[string]bool{
	"none": true, "-": true, "--": true, "---": true, "–": true, "—": true, "missing": true, "unknown": true, "not available": true, "*": true, "..": true, "...": true, "n.a.": true, "n.a": true, "nil": true, "(null)": true, "(missing)": true,
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
