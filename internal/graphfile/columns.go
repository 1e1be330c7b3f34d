package graphfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tobac/internal/delimited"
)

func excerpt(text string) string { return delimited.Excerpt(text) }

// On returns g as a graph whose vertices are the named columns of a table, in their sequence.
// Vertices are matched by name; those of a graph without names by their place, for which their
// numbers must agree. Columns that are no vertices have no edges; see [Graph.Missing]. Vertices
// that are not columns are left out if they have no edges, and returned; one with an edge is an
// error, because a hidden variable changes what is true of the others.
func (g *Graph) On(columns []string) (on *Graph, left []string, err error) {
	if g.Unnamed {
		if len(g.Names) != len(columns) {
			return nil, nil,
				fmt.Errorf("graph of %d vertices without names, want %d, one for each column",
					len(g.Names), len(columns))
		}
		out := *g
		out.Names, out.Unnamed = slices.Clone(columns), false
		return &out, nil, nil
	}
	index := map[string]int{}
	for j, name := range columns {
		index[name] = j
	}
	on = &Graph{Names: slices.Clone(columns), Partial: g.Partial}
	joined := make([]bool, len(g.Names))
	for _, e := range g.Edges {
		joined[e.From], joined[e.To] = true, true
	}
	var unknown []string
	where := ""
	for v, name := range g.Names {
		if _, known := index[name]; known {
			continue
		}
		if joined[v] {
			if line := g.lines[v]; line > 0 && unknown == nil {
				where = fmt.Sprintf("line %d: ", line)
			}
			unknown = append(unknown, name)
		} else {
			left = append(left, name)
		}
	}
	if unknown != nil {
		return nil, nil, fmt.Errorf("%s%w", where, unknownError(unknown, g.Names, columns))
	}
	for _, e := range g.Edges {
		e.From, e.To = index[g.Names[e.From]], index[g.Names[e.To]]
		on.Edges = append(on.Edges, e)
	}
	return on, left, nil
}

// Missing lists the columns of which g says nothing: those that are no vertices, if its file would
// have named them.
func (g *Graph) Missing(columns []string) []string {
	if g.Partial || g.Unnamed {
		return nil
	}
	known := map[string]bool{}
	for _, name := range g.Names {
		known[name] = true
	}
	var missing []string
	for _, name := range columns {
		if !known[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

// unknownError says which vertices are not columns, and what may be the reason.
func unknownError(unknown, names, columns []string) error {
	if a, b := numbering(names), numbering(columns); a >= 0 && b >= 0 && a != b {
		return fmt.Errorf("vertices are counted from %s, columns from %s; allowed: the same "+
			"names, %s", firstNumbered(a), firstNumbered(b), delimited.Excerpts(columns))
	}
	if near := sameButCase(unknown, columns); near != nil {
		return fmt.Errorf("unknown vertex %s, but there is a column %s: names must agree in case "+
			"and blanks", excerpt(near[0]), excerpt(near[1]))
	}
	what := "unknown vertex " + excerpt(unknown[0])
	if len(unknown) > 1 {
		what = "unknown vertices " + delimited.Excerpts(unknown)
	}
	return fmt.Errorf("%s; allowed: %s", what, delimited.Excerpts(columns))
}

// numbering is the first number of names that are X and a number, all from the first on; −1: names
// of another kind. A list may lack some of the names in between.
func numbering(names []string) int {
	least, most := -1, -1
	for _, name := range names {
		var n int
		if _, err := fmt.Sscanf(name, "X%d", &n); err != nil || fmt.Sprintf("X%d", n) != name {
			return -1
		}
		if least < 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	if least > 1 || most-least >= 2*len(names) {
		return -1
	}
	return least
}

func firstNumbered(n int) string { return fmt.Sprintf("X%d", n) }

// sameButCase finds an unknown vertex and a column whose names differ in case and blanks only.
func sameButCase(unknown, columns []string) []string {
	plain := func(name string) string {
		return strings.ToLower(strings.Join(strings.Fields(name), " "))
	}
	for _, u := range unknown {
		for _, c := range columns {
			if plain(u) == plain(c) {
				return []string{u, c}
			}
		}
	}
	return nil
}

// labelKeys are attributes of a vertex that may name it, the better ones first.
var labelKeys = []string{"name", "label"}

// generated is an identity that a program made up: a number, perhaps in groups.
var generated = regexp.MustCompile(`^(n|node_?)?\d+(::n\d+)*$`)

// chooseNames are the names of vertices: their identities, unless all of these look made up and
// every vertex has a label of its own under one of the keys.
func chooseNames(ids []string, labels map[string][]string) ([]string, error) {
	made := true
	for _, id := range ids {
		made = made && generated.MatchString(id)
	}
	if made {
		for _, key := range labelKeys {
			if names := labels[key]; len(names) == len(ids) && distinct(names) {
				return names, nil
			}
		}
	}
	if !distinct(ids) {
		return nil, fmt.Errorf("two vertices with the same name, or one without; allowed: a " +
			"different name for each vertex")
	}
	return ids, nil
}

func distinct(names []string) bool {
	seen := map[string]bool{"": true}
	for _, name := range names {
		if seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}
