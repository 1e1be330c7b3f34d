package cli

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// DecodeTOML is toml.Decode of a text that is not nested so deeply that reading it takes all
// memory.
func DecodeTOML(text string, v any) (toml.MetaData, error) {
	if err := checkNesting(text); err != nil {
		return toml.MetaData{}, err
	}
	return toml.Decode(text, v)
}

// InBrief is a message in one line of some length, whatever it quotes.
func InBrief(message string) string {
	const most = 200
	runes := []rune(strings.ReplaceAll(message, "\n", " "))
	if len(runes) > most {
		runes = append(runes[:most], []rune("...")...)
	}
	return string(runes)
}

// checkNesting finds brackets in brackets, and keys with points, that are too many. Strings and
// comments may hold as many as they like.
func checkNesting(text string) error {
	const most = 100
	line, depth, points := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			i = endOfString(text, i, &line)
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return nil
			}
			i += end - 1
		case '\n':
			line++
			points = 0
		case '[', '{':
			depth++
			points = 0
		case ']', '}':
			depth--
		case '.':
			points++
		case ',', '=':
			points = 0
		}
		if depth > most || points > most {
			return fmt.Errorf("line %d: nested more than %d deep", line, most)
		}
	}
	return nil
}

// endOfString is where the string that begins at a place in a text of TOML ends; line is counted
// on.
func endOfString(text string, at int, line *int) int {
	quote := text[at : at+1]
	long := strings.HasPrefix(text[at:], strings.Repeat(quote, 3))
	if long {
		at += 2
	}
	for at++; at < len(text); at++ {
		switch {
		case text[at] == '\\' && quote == `"`:
			at++
		case text[at] == '\n' && !long:
			return at - 1 // not closed, which is an error
		case text[at] == '\n':
			*line++
		case !long && text[at:at+1] == quote:
			return at
		case long && strings.HasPrefix(text[at:], strings.Repeat(quote, 3)):
			for at += 2; strings.HasPrefix(text[at+1:], quote); at++ { // quotes before the last three
			}
			return at
		}
	}
	return at
}
