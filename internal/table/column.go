package table

import (
	"math"
	"slices"
	"strconv"

	"tobac/internal/words"
)

// Bytes of memory.
const (
	BytesEach      = 3 * 8 // of a number: itself, and as much twice for an analysis
	bytesEachText  = 80    // besides its characters
	BytesEachBlank = 8
)

// A Column holds the cells of one column as they were read: numbers as numbers, everything else as
// one of a few texts.
type Column struct {
	Name     string // "" if the file gives none
	Position int    // in the file, counted from 1
	rows     int
	blocks   [][]float64 // of the numbers, NaN where a cell is none; all but the last are full
	// of the texts: 0 for numbers and empty cells, k for texts[k−1]; may be shorter than the column
	codes  []int32
	texts  []text
	codeOf map[string]int32
	spells bool // more than mostTexts texts are kept
	kept   int  // bytes of codes and texts
}

// A text is one that cells of a column hold, with how many do.
type text struct {
	text  string
	count int
	first int // line or row of the file, counted from 1
}

const (
	blockRows = 1 << 15
	// mostTexts is how many different texts of a column are kept, unless these spell numbers; the
	// others count as one.
	mostTexts = 1 << 16
	otherText = "(other texts)"
)

func (c *Column) addNumber(v float64) {
	last := len(c.blocks) - 1
	if last < 0 || len(c.blocks[last]) == blockRows {
		c.blocks = append(c.blocks, nil)
		if last++; last > 0 {
			c.blocks[last] = make([]float64, 0, blockRows)
		}
	}
	c.blocks[last] = append(c.blocks[last], v)
	c.rows++
}

// addGap adds an empty cell.
func (c *Column) addGap() { c.addNumber(math.NaN()) }

// addText adds a text that line holds.
func (c *Column) addText(t []byte, line int) {
	code, known := c.codeOf[string(t)]
	if !known {
		s := string(t)
		if len(c.texts) == mostTexts {
			c.spells = c.spell()
		}
		if len(c.texts) >= mostTexts && !c.spells {
			s = otherText
			code, known = c.codeOf[s]
		}
		if !known {
			if c.codeOf == nil {
				c.codeOf = map[string]int32{}
			}
			c.texts = append(c.texts, text{text: s, first: line})
			code = int32(len(c.texts))
			c.codeOf[s] = code
			c.kept += len(s) + bytesEachText
		}
	}
	c.texts[code-1].count++
	for len(c.codes) < c.rows {
		c.codes = append(c.codes, make([]int32, c.rows-len(c.codes))...)
	}
	c.codes = append(c.codes, code)
	c.kept += 4
	c.addNumber(math.NaN())
}

// spell reports whether the first texts of a column spell numbers, or are dates.
func (c *Column) spell() bool {
	const some = 100
	var texts []string
	for _, t := range c.texts[:some] {
		if !gapAlways(t.text) && !gapAmongNumbers(t.text) {
			texts = append(texts, t.text)
		}
	}
	_, spelled := newSpelling(texts, 0, true)
	_, _, dates := newCalendar(texts, DatesAuto)
	return spelled || dates
}

// number is the number in a row, NaN if there is none.
func (c *Column) number(row int) float64 { return c.blocks[row/blockRows][row%blockRows] }

// code is the code of the text in a row, 0 if there is none.
func (c *Column) code(row int) int32 {
	if row >= len(c.codes) {
		return 0
	}
	return c.codes[row]
}

// set replaces the numbers of a column that has no texts.
func (c *Column) set(values []float64) {
	c.rows, c.blocks = len(values), nil
	for block := range slices.Chunk(values, blockRows) {
		c.blocks = append(c.blocks, block)
	}
}

// spelled is a number as a text, for columns in which texts stand beside numbers.
func spelled(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Label names a column for a message: by its number, counted from 1, and its name.
func (c *Column) Label() string { return label(c.Position, c.Name) }

func label(position int, name string) string {
	text := "column " + strconv.Itoa(position)
	if name != "" {
		text += " (" + short(name) + ")"
	}
	return text
}

// mostNames is the number of names that a message lists.
const mostNames = 20

// listed are some names in a message.
func listed(names []string) string {
	out := make([]string, len(names))
	for k, name := range names {
		out[k] = short(name)
	}
	return words.Some(out, mostNames)
}

// short is a name or a value in a message.
func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:37]) + "..."
	}
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '"' {
			return strconv.Quote(s)
		}
	}
	return s
}
