package graphfile

import (
	"fmt"
	"net/url"
	"strings"
)

// bifTokens are those of BIF; what stands in tables and properties is cut into words.
var bifTokens = dialect{
	signs:  []string{"{", "}", "(", ")", "[", "]", "|", ",", ";"},
	inWord: func(c rune) bool { return c > ' ' && !strings.ContainsRune("{}()[]|,;\"", c) },
}

// bifReader reads one network.
type bifReader struct {
	*lexer
	c        *collector
	names    map[string]string    // of variables, from properties that writeBIF wrote
	to       map[int]int          // line of the parents of each variable
	numbers  map[[2]string]string // of edges, from such properties, by the parent and the variable
	pairs    [][2]string          // undirected edges, from such properties
	pairLine []int
	inner    []token // of the block that was read last, without properties
	tables   map[int]*bifTable
	broken   bool // a table is of a form that is not read
}

// readBIF reads the variables and the parents of each, and what [writeBIF] writes as properties. Of
// tables it reads those that have a row for each combination of the parents' states.
func readBIF(data []byte, source string) (*Graph, error) {
	l, err := newLexer(data, source, bifTokens)
	if err != nil {
		return nil, err
	}
	r := &bifReader{lexer: l, c: newCollector(source), names: map[string]string{},
		to: map[int]int{}, numbers: map[[2]string]string{}, tables: map[int]*bifTable{}}
	for !r.next.end() {
		block, err := r.take()
		if err == nil {
			switch {
			case block.is("network"):
				err = r.body(r.nothing, r.nothing)
			case block.is("variable"):
				err = r.variable(block.line)
			case block.is("probability"):
				err = r.probability(block.line)
			default:
				err = r.fault(block.line, "got "+excerpt(block.text),
					"network, variable or probability")
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return r.graph()
}

// words joins what comes before one of the signs by blanks.
func (r *bifReader) words(signs string) (string, error) {
	var words []string
	for !r.next.end() && (r.next.quoted || !strings.Contains(signs, r.next.text)) {
		t, err := r.take()
		if err != nil {
			return "", err
		}
		words = append(words, t.text)
	}
	return strings.Join(words, " "), nil
}

func (r *bifReader) nothing(string) error { return nil }

// body reads from the name of a block to its closing brace; before gets the text before the opening
// one, property each property.
func (r *bifReader) body(before, property func(text string) error) error {
	name, err := r.words("{")
	if err == nil {
		err = before(name)
	}
	if err == nil {
		err = r.expect("{")
	}
	r.inner = r.inner[:0]
	for depth := 1; depth > 0 && err == nil; {
		switch {
		case r.next.end():
			return r.unexpected("}")
		case r.next.is("{"):
			depth++
		case r.next.is("}"):
			depth--
		case r.next.is("property"):
			var text string
			if err = r.advance(); err != nil {
				break
			}
			if text, err = r.words(";"); err == nil {
				err = property(text)
			}
			if err == nil {
				err = r.expect(";")
			}
			continue
		}
		if err == nil {
			if depth > 0 {
				r.inner = append(r.inner, r.next)
			}
			err = r.advance()
		}
	}
	return err
}

func (r *bifReader) variable(line int) error {
	name := ""
	before := func(text string) error {
		if name = text; name == "" {
			return r.fault(line, "variable without a name", "")
		}
		if _, taken := r.c.index[name]; taken {
			return r.fault(line, "two variables are named "+excerpt(name),
				"a different name for each variable")
		}
		r.c.vertex(name)
		return r.c.crowded()
	}
	err := r.body(before, func(text string) error {
		key, value, _ := strings.Cut(text, "=")
		words, value := strings.Fields(key), strings.TrimSpace(value)
		switch {
		case len(words) == 1 && words[0] == "name":
			if original, err := url.QueryUnescape(value); err == nil && original != "" {
				r.names[name] = original
			}
		case len(words) == 2 && words[0] == "from":
			r.numbers[[2]string{words[1], name}] = value
		case len(words) == 2 && words[0] == "undirected":
			pair := [2]string{name, words[1]}
			r.numbers[pair] = value
			r.pairs, r.pairLine = append(r.pairs, pair), append(r.pairLine, r.next.line)
		}
		return nil
	})
	if err == nil {
		r.tables[r.c.index[name]] = &bifTable{states: bifStates(r.inner)}
	}
	return err
}

// probability reads ( a | b, c ), or ( a, b, c ) and ( a b c ) as older files have it, and then
// the table.
func (r *bifReader) probability(line int) error {
	if err := r.expect("("); err != nil {
		return err
	}
	var groups []string
	for {
		name, err := r.words("|,)")
		if err != nil {
			return err
		}
		groups = append(groups, name)
		sign, err := r.take()
		switch {
		case err != nil:
			return err
		case sign.end():
			return r.fault(sign.line, "file ends too early", ") after the names of variables")
		}
		if sign.is(")") {
			break
		}
	}
	if _, known := r.c.index[groups[0]]; !known && len(groups) == 1 {
		groups = strings.Fields(groups[0])
	}
	if len(groups) == 0 || groups[0] == "" {
		return r.fault(line, "probability of no variable", "")
	}
	var ends []int
	for _, name := range groups {
		v, known := r.c.index[name]
		if !known {
			return r.fault(line, "unknown variable "+excerpt(name), "names of variables above")
		}
		ends = append(ends, v)
	}
	if first, repeated := r.to[ends[0]]; repeated {
		return r.fault(line, fmt.Sprintf("probability of %s is already on line %d",
			excerpt(groups[0]), first), "each once")
	}
	r.to[ends[0]] = line
	for k, from := range ends[1:] {
		e := Edge{From: from, To: ends[0]}
		if err := r.setNumbers(&e, [2]string{groups[k+1], groups[0]}); err != nil {
			return r.fault(line, err.Error(), "")
		}
		if err := r.c.add(e, line); err != nil {
			return err
		}
	}
	err := r.body(r.nothing, r.nothing)
	if b := r.tables[ends[0]]; err == nil && b != nil {
		b.ends = ends
		ok, bad := b.fill(r.inner)
		if bad != nil {
			return r.fault(line, bad.Error(), "")
		}
		r.broken = r.broken || !ok
	}
	return err
}

// setNumbers reads words such as probability 0.9 weight 1.5.
func (r *bifReader) setNumbers(e *Edge, at [2]string) error {
	data, words := map[string]string{}, strings.Fields(r.numbers[at])
	for k := 0; k+1 < len(words); k += 2 {
		data[words[k]] = words[k+1]
	}
	return parseNumbers(e, data)
}

// graph adds the undirected edges and gives the variables the names that they had.
func (r *bifReader) graph() (*Graph, error) {
	for k, pair := range r.pairs {
		from, ok := r.c.index[pair[0]]
		to, known := r.c.index[pair[1]]
		if !ok || !known {
			return nil, r.fault(r.pairLine[k], "undirected edge to the unknown variable "+
				excerpt(pair[1]), "")
		}
		e := Edge{From: from, To: to, Undirected: true}
		if err := r.setNumbers(&e, pair); err != nil {
			return nil, r.fault(r.pairLine[k], err.Error(), "")
		}
		if err := r.c.add(e, r.pairLine[k]); err != nil {
			return nil, err
		}
	}
	g, err := r.c.finish()
	if err != nil {
		return nil, err
	}
	if !r.broken && len(r.pairs) == 0 {
		all := make([]*bifTable, len(g.Names))
		for v := range all {
			all[v] = r.tables[v]
		}
		g.Tables = bifTables(all)
	}
	for v, name := range g.Names {
		if original, ok := r.names[name]; ok {
			g.Names[v] = original
		}
	}
	return g, nil
}
