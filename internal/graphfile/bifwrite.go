package graphfile

import (
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"tobac/internal/delimited"
)

// onlyState is the state of every variable in a network without tables.
const onlyState = "unspecified"

// writeBIF writes a network with the tables of the graph, if it has any. BIF describes discrete
// variables; a graph of continuous ones has no tables, and any that were made up would be read as a
// statement about the data. So each variable then has the one state unspecified, whose probability
// is 1 whatever its parents are: the file is a valid network with the graph, and says nothing else.
//
// Numbers of edges, undirected edges, and names that BIF cannot hold are properties of variables,
// which other programs leave alone; such names are replaced by others of letters, digits and
// underscores.
func writeBIF(w io.Writer, g *Graph) error {
	directed, undirected := g.Directed()
	if err := directed.CheckAcyclic(g.Names); err != nil {
		return fmt.Errorf("BIF holds acyclic graphs: %w", err)
	}
	words := bifWords(g.Names)
	into := make([][]string, len(g.Names)) // properties of each variable
	for _, e := range g.Edges {
		if numbers := bifNumbers(e); numbers != "" && !e.Undirected {
			into[e.To] = append(into[e.To], "from "+words[e.From]+" = "+numbers)
		}
	}
	for _, e := range undirected {
		into[e.From] = append(into[e.From], "undirected "+words[e.To]+" = "+bifNumbers(e))
	}
	var b strings.Builder
	states := g.bifStateWords()
	if g.Tables == nil {
		b.WriteString("network graph {\n  property \"structure only: no tables\" ;\n}\n")
	} else {
		b.WriteString("network graph {\n}\n")
	}
	for v, word := range words {
		of := []string{onlyState}
		if g.Tables != nil {
			of = states[v]
		}
		fmt.Fprintf(&b, "variable %s {\n  type discrete [ %d ] { %s };\n", word, len(of),
			strings.Join(of, ", "))
		if word != g.Names[v] {
			fmt.Fprintf(&b, "  property \"name = %s\" ;\n", url.QueryEscape(g.Names[v]))
		}
		for _, property := range into[v] {
			fmt.Fprintf(&b, "  property \"%s\" ;\n", property)
		}
		b.WriteString("}\n")
	}
	for v := range words {
		if g.Tables != nil {
			g.writeTable(&b, v, words, states)
			continue
		}
		beginProbability(&b, words, v, directed.Parents(v))
		b.WriteString("  table 1.0;\n}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// beginProbability begins the probability block of a vertex.
func beginProbability(b *strings.Builder, words []string, v int, parents []int) {
	b.WriteString("probability ( " + words[v])
	separator := " | "
	for _, u := range parents {
		b.WriteString(separator + words[u])
		separator = ", "
	}
	b.WriteString(" ) {\n")
}

func bifNumbers(e Edge) string {
	var words []string
	for _, q := range quantities {
		if v := e.Number(q); v.Known {
			words = append(words, q.String(), string(delimited.AppendNumber(nil, v.Value)))
		}
	}
	return strings.Join(words, " ")
}

var (
	bifWord    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,99}$`)
	noBIFWord  = regexp.MustCompile(`[^A-Za-z0-9_-]+`)
	bifKeyword = regexp.MustCompile(
		`^(?i)(network|variable|probability|property|type|discrete|table|default)$`)
)

// bifWords are names that BIF can hold, different even without regard to case, as pgmpy compares
// them.
func bifWords(names []string) []string {
	words, taken := make([]string, len(names)), map[string]bool{}
	for pass := range 2 { // names that need no change come first
		for v, name := range names {
			fits := bifWord.MatchString(name) && !bifKeyword.MatchString(name)
			if pass == 0 && fits && !taken[strings.ToLower(name)] {
				words[v] = name
				taken[strings.ToLower(name)] = true
			}
			if pass == 0 || words[v] != "" {
				continue
			}
			word := noBIFWord.ReplaceAllString(name, "_")
			word = "v_" + word[:min(len(word), 80)]
			for n := 1; ; n++ {
				try := word
				if n > 1 {
					try = fmt.Sprintf("%s_%d", word, n)
				}
				if !taken[strings.ToLower(try)] {
					words[v] = try
					taken[strings.ToLower(try)] = true
					break
				}
			}
		}
	}
	return words
}
