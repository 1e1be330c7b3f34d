package main

import (
	"fmt"
	"slices"
	"strings"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/delimited"
	"tobac/internal/file"
	"tobac/internal/graphfile"

	"github.com/spf13/pflag"
)

// readGraph reads a graph on the named columns in any format: what is known of edges, or the truth,
// whose edges are certain. Vertices that are not columns and have no edges are left out; columns of
// which the file says nothing have no edges.
func readGraph(path string, columns []string) (on, whole *graphfile.Graph, err error) {
	if err := file.CheckEdited(path); err != nil {
		return nil, nil, err
	}
	whole, _, err = graphfile.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	certain, err := whole.Certain()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w, for what is given is certain; tobac convert %s "+
			"OUT.txt --above P keeps the edges above P", path, err, cli.ShellWord(path))
	}
	if on, _, err = certain.On(columns); err != nil {
		return nil, nil, cli.Located(path, err)
	}
	return on, whole, nil
}

// readTruth reads an acyclic graph on the named variables, all of which it has to
// name if its format names vertices without edges.
func readTruth(path string, names []string) (*dag.Graph, error) {
	g, whole, err := readGraph(path, names)
	if err != nil {
		return nil, err
	}
	if missing := whole.Missing(names); missing != nil {
		return nil, fmt.Errorf("%s: the graph has no vertex %s; allowed: a graph with all "+
			"columns as vertices", path, delimited.Excerpts(missing))
	}
	truth, err := g.DAG()
	if err != nil {
		return nil, cli.Located(path, err)
	}
	return truth, nil
}

// formatList is a flag for some of the exported formats.
func formatList(value *[]graphfile.Format) pflag.Value {
	var names []string
	for _, f := range exported {
		names = append(names, f.String())
	}
	return cli.Bound(value, "F,F,...", strings.Join(names, ", ")+", separated by commas",
		func(text string) (list []graphfile.Format, ok bool) {
			for word := range strings.SplitSeq(text, ",") {
				at := slices.Index(names, strings.ToLower(strings.TrimSpace(word)))
				if at < 0 {
					return nil, false
				}
				list = append(list, exported[at])
			}
			return list, true
		})
}

// exported are the formats of results.formats; consensus.dot is there without it too.
var exported = []graphfile.Format{graphfile.GraphML, graphfile.BIF,
	graphfile.NetworkX, graphfile.NPZ, graphfile.Arrows, graphfile.DOT}
