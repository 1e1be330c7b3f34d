package table

import (
	"math"

	"tobac/internal/delimited"
)

// A vote says what the values of a record are, beside those below them.
type vote struct {
	names   int // texts above numbers, and quoted numbers above unquoted ones
	numbers int // numbers above numbers
	words   int // texts above texts
	recur   int // of these, those that occur again below
	// different says that every number among numbers differs from those below it as a name would;
	// rising that they are whole numbers at equal distances.
	different, rising bool
}

// votes compares a record with those below it.
func (l *loader) votes(first record, body []record) vote {
	v := vote{different: true, rising: true}
	var before []float64
	for j, cell := range first.cells {
		if gapAlways(string(cell.Text)) {
			continue
		}
		below := l.below(body, j)
		x, number := l.like(cell.Text)
		switch numeric := below.numbers > below.texts; {
		case numeric && number && cell.Quoted && !below.quoted:
			v.names++
		case numeric && number:
			v.numbers++
			whole := x == math.Trunc(x)
			v.different = v.different &&
				(x < below.low || x > below.high || whole && 10*below.whole <= below.numbers)
			if n := len(before); !whole || n > 0 && x <= before[n-1] || n > 1 &&
				x-before[n-1] != before[1]-before[0] {
				v.rising = false
			}
			before = append(before, x)
		case numeric:
			v.names++
		case below.texts > 0:
			v.words++
			if below.seen[string(cell.Text)] {
				v.recur++
			}
		case !number:
			v.words++
		}
	}
	return v
}

// header returns the names in the first record, nil if it has none, and the records after it.
func (l *loader) header(head []record) (names []string, rest []record) {
	first, body := head[0], head[1:]
	texts := textsOf(first)
	for len(texts) < l.width {
		texts = append(texts, "")
	}
	if l.layout.Header == HeaderYes {
		return texts, body
	}
	if l.layout.Header == HeaderNo {
		return nil, head
	}
	if len(body) == 0 {
		if l.anyNumber(first) {
			return nil, head
		}
		return texts, body
	}
	v := l.votes(first, body)
	switch {
	case v.numbers == 0 && v.names > 0:
		return texts, body
	case v.numbers == 0:
		if v.words > 0 && 2*v.recur < v.words || v.words == 0 {
			return texts, body
		}
		return nil, head
	case v.different && v.rising && (v.numbers > 1 || v.names > 0):
		if v.names == 0 {
			l.t.note("%s %d is taken for names, numbers that rise evenly and differ from those "+
				"below; --set data.header=no takes it for data", l.t.unit, first.line)
		}
		return texts, body
	case v.names > 0 && l.layout.Names != nil:
		return texts, body
	case v.names > 0:
		l.suspect = &first
		return nil, body
	case v.different && v.numbers > 1 && len(body) >= enoughBelow:
		l.odd = &first
	}
	return nil, head
}

// enoughBelow is how many records make it worth a word that the first differs from all of them.
const enoughBelow = 5

// mostUnits is how many lines of units or explanations may stand below the names.
const mostUnits = 4

// dropUnits removes lines right below the names that have words where the columns have numbers.
func (l *loader) dropUnits(head []record) []record {
	if l.layout.Header == HeaderNo {
		return head
	}
	for range mostUnits {
		if len(head) < 2 {
			return head
		}
		numeric, words := 0, 0
		for j, cell := range head[0].cells {
			if below := l.below(head[1:], j); below.numbers <= below.texts {
				continue
			}
			if _, number := l.like(cell.Text); number {
				return head
			}
			numeric++
			if !gapAlways(string(cell.Text)) {
				words++
			}
		}
		if words == 0 || 2*words < numeric {
			return head
		}
		l.t.warn("%s %d has no number where the columns have numbers: it is left out as units (%s)",
			l.t.unit, head[0].line, l.quote(head[0]))
		head = head[1:]
	}
	return head
}

var _ source = (*delimited.Stream)(nil)
