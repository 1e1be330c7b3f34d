package graphfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tobac/internal/delimited"
)

// A bifTable is a table as it is read.
type bifTable struct {
	states []string
	ends   []int     // the vertex, then its parents
	of     []bifRow  // of combinations of states
	all    []float64 // for all combinations; nil means none
	// the rows of all combinations one after the other; nil means that they are named
	flat []float64
}

type bifRow struct {
	states []string
	values []float64
}

// bifStates reads the states of a variable from what stands in its block.
func bifStates(inner []token) (states []string) {
	at := slices.IndexFunc(inner, func(t token) bool { return t.is("{") })
	if at < 0 {
		return nil
	}
	for _, words := range cut(inner[at+1:], ",", "}") {
		states = append(states, joinedWords(words))
	}
	return states
}

// cut divides tokens at a separator, up to an end.
func cut(tokens []token, separator, end string) (parts [][]token) {
	if k := slices.IndexFunc(tokens, func(t token) bool { return t.is(end) }); k >= 0 {
		tokens = tokens[:k]
	}
	for len(tokens) > 0 {
		k := slices.IndexFunc(tokens, func(t token) bool { return t.is(separator) })
		if k < 0 {
			return append(parts, tokens)
		}
		parts = append(parts, tokens[:k])
		tokens = tokens[k+1:]
	}
	return parts
}

func joinedWords(words []token) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// probabilities reads words as numbers from 0 on; ok is false where one is not a number. A number
// that is no probability is bad.
func probabilities(words []string) (values []float64, ok bool, bad error) {
	values = []float64{}
	for _, w := range words {
		v, ok := delimited.Number(w)
		if !ok && !delimited.IsNumber(w, ',') {
			return nil, false, nil
		}
		if !ok || v < 0 {
			return nil, false,
				fmt.Errorf("probability %s; allowed: numbers from 0 to 1", excerpt(w))
		}
		values = append(values, v)
	}
	return values, true, nil
}

// bifWordsOf are tokens without commas.
func bifWordsOf(tokens []token) (words []string) {
	for _, t := range tokens {
		if !t.is(",") {
			words = append(words, t.text)
		}
	}
	return words
}

// fill reads the entries of a probability block; ok is false where they are of another form, bad
// where a number is no probability.
func (b *bifTable) fill(inner []token) (ok bool, bad error) {
	for len(inner) > 0 {
		k := slices.IndexFunc(inner, func(t token) bool { return t.is(";") })
		if k < 0 {
			return false, nil
		}
		entry := inner[:k]
		inner = inner[k+1:]
		if len(entry) == 0 {
			continue
		}
		switch {
		case entry[0].is("table") && len(b.ends) == 1 || entry[0].is("default"):
			if b.all, ok, bad = probabilities(bifWordsOf(entry[1:])); !ok {
				return false, bad
			}
		case entry[0].is("("):
			k := slices.IndexFunc(entry, func(t token) bool { return t.is(")") })
			if k < 0 {
				return false, nil
			}
			row := bifRow{}
			for _, words := range cut(entry[1:], ",", ")") {
				row.states = append(row.states, joinedWords(words))
			}
			if row.values, ok, bad = probabilities(bifWordsOf(entry[k+1:])); !ok {
				return false, bad
			}
			b.of = append(b.of, row)
		default:
			return false, nil
		}
	}
	return true, nil
}

// bifTables are the tables of all vertices; nil where any has none, or one that does not fit the
// states. A file of [writeBIF] without tables has none.
func bifTables(all []*bifTable) []Table {
	out := make([]Table, len(all))
	only := true
	for v, b := range all {
		if b == nil || len(b.states) == 0 || len(b.ends) == 0 {
			return nil
		}
		out[v].States = b.states
		only = only && len(b.states) == 1 && b.states[0] == onlyState
	}
	if only {
		return nil
	}
	for v, b := range all {
		t := &out[v]
		t.Parents = append([]int{}, b.ends[1:]...)
		n := t.rows(out)
		if n > mostTableRows {
			return nil
		}
		t.Rows = make([][]float64, n)
		if b.flat != nil && len(b.flat) != n*len(t.States) {
			return nil
		}
		for k := range t.Rows {
			if t.Rows[k] = b.all; b.flat != nil {
				t.Rows[k] = b.flat[k*len(t.States):][:len(t.States)]
			}
		}
		for _, row := range b.of {
			at := 0
			if len(row.states) != len(t.Parents) {
				return nil
			}
			for k, p := range t.Parents {
				s := slices.Index(out[p].States, row.states[k])
				if s < 0 {
					return nil
				}
				at = at*len(out[p].States) + s
			}
			t.Rows[at] = row.values
		}
		if slices.ContainsFunc(t.Rows, func(row []float64) bool {
			return len(row) != len(t.States)
		}) {
			return nil
		}
	}
	return out
}

// writeTable writes the probability block of a vertex.
func (g *Graph) writeTable(b *strings.Builder, v int, words []string, states [][]string) {
	t := &g.Tables[v]
	beginProbability(b, words, v, t.Parents)
	at := make([]int, len(t.Parents))
	for _, row := range t.Rows {
		b.WriteString("  ")
		if len(at) == 0 {
			b.WriteString("table ")
		} else {
			of := make([]string, len(at))
			for k, s := range at {
				of[k] = states[t.Parents[k]][s]
			}
			fmt.Fprintf(b, "(%s) ", strings.Join(of, ", "))
		}
		for k, p := range row {
			if k > 0 {
				b.WriteString(", ")
			}
			b.Write(delimited.AppendNumber(nil, p))
		}
		b.WriteString(";\n")
		for k := len(at) - 1; k >= 0; k-- {
			if at[k]++; at[k] < len(states[t.Parents[k]]) {
				break
			}
			at[k] = 0
		}
	}
	b.WriteString("}\n")
}

// bifStateWords are names of states that BIF can hold.
func (g *Graph) bifStateWords() [][]string {
	all := make([][]string, len(g.Tables))
	for v, t := range g.Tables {
		fits := !slices.ContainsFunc(t.States, func(s string) bool {
			return s == "" || strings.ContainsAny(s, "{}()[]|,;\"\\") ||
				strings.Contains(s, "//") || strings.Contains(s, "/*") ||
				strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || unicode.IsSpace(c) })
		})
		if all[v] = t.States; !fits {
			all[v] = bifWords(t.States)
		}
	}
	return all
}
