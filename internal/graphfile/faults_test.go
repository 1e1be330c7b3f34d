package graphfile_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"tobac/internal/graphfile"
	"tobac/internal/must"
)

// Faults of files are named with their place.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", `file: file is empty`},
		{"a table", "a,b,c\n1,2,3\n", `file: not recognised as a graph; allowed: an edge list`},
		{"no header", "a,b\nb,c\n",
			`file: line 1: header is "a,b"; allowed: "source,target", "from,to", "cause,effect" or "parent,child", perhaps among other columns`},
		{"no header, weights", "a,b,1\nb,c,2\n",
			`file: line 1: header is "a,b,1"; allowed: "source,target"`},
		{"unknown kind of edge", "source,target,type\na,b,activates\n",
			`file: line 2, column "type": unknown kind of edge "activates"; allowed: directed, undirected, ->, --`},
		{"hidden common cause", "source,target,type\na,b,<->\n",
			`file: line 2, column "type": edge <-> stands for a hidden common cause`},
		{"probability", "source,target,probability\na,b,1.5\n",
			`file: line 2: probability of the edge "a" -> "b" is 1.5, want a number from 0 to 1`},
		{"standard deviation", "source,target,weight_sd\na,b,-1\n",
			`file: line 2: weight_sd of the edge "a" -> "b" is -1, want a number from 0`},
		{"weight", "source,target,weight\na,b,big\n",
			`file: line 2, column "weight": "big" is not a number`},
		{"edge to itself", "source,target\na,a\n", `file: line 2: edge from "a" to itself`},
		{"repeated", "source,target\na,b\n\"a\",b\n",
			`file: line 3: edge "a" -> "b" is already on line 2`},
		{"with and without direction", "source,target,type\na,b,directed\nb,a,undirected\n",
			`file: line 3: edges join "b" and "a" both with and without direction, the other one on line 2`},
		{"other number at the other end", "source,target,type,adjacent\na,b,--,0.5\nb,a,--,0.6\n",
			`file: line 3: adjacent of the edge "b" -- "a" is 0.6, but 0.5 at the other end`},
		{"diagonal", ",a,b\na,1,0\nb,0,0\n", `file: the entry of "a" on the diagonal is 1, want 0`},
		{"not square", ",a,b\na,0,0\nc,0,0\n", `file: line 3: begins with "c", want "b"`},
		{"no edge", "a --> b\nfoo\n", `file: line 2: line "foo" is no edge`},
		{"open quote in names", "Graph Nodes:\n\"a;b\n",
			`file: line 2: quote in "\"a;b" is never closed`},
		{"DOT, cut short", "digraph { a -> ", `file: line 1: file ends too early; allowed: }`},
		{"DOT, bracket", "digraph {\na -> b [x=\n]}", `file: line 3: got "]"; allowed: a name`},
		{"DOT, open quote", "digraph {\n\"a }", `file: line 2: quote is never closed`},
		{"DOT, open comment", "digraph {\n/* a }", `file: line 2: comment is never closed`},
		{"DOT, probability", "digraph {\na -> b [probability=high]}",
			`file: line 2: probability "high" is not a number`},
		{"DOT, depth", "digraph " + strings.Repeat("{", 1000),
			`file: line 1: subgraphs lie more than 200 deep`},
		{"BIF, unknown parent", "network n {\n}\nvariable a { }\nprobability ( a | b ) { }\n",
			`file: line 4: unknown variable "b"`},
		{"BIF, twice", "network n {\n}\nvariable a { }\nvariable a { }\n",
			`file: line 4: two variables are named "a"`},
		{"BIF, cut short", "network n {\n}\nvariable a {\n",
			`file: line 4: file ends too early; allowed: }`},
		{"BIF, no probability", "network n {\n}\nvariable a { type discrete [ 2 ] { y, n }; " +
			"}\nprobability ( a ) {\n table -0.5, 1.5; }\n",
			`file: line 4: probability "-0.5"; allowed: numbers from 0 to 1`},
		{"GraphML, unknown end", "<graphml><graph>\n<node id=\"a\"/>\n<edge source=\"a\" " +
			"target=\"z\"/></graph></graphml>", `file: line 3: edge with the unknown target "z"`},
		{"GraphML, same node",
			"<graphml><graph>\n<node id=\"a\"/><node id=\"a\"/></graph></graphml>",
			`file: line 2: node with the id "a"`},
		{"GraphML, hyperedge", "<graphml><graph>\n<hyperedge/></graph></graphml>",
			`file: line 2: hyperedge`},
		{"XML, not closed", "<graphml>\n<graph>", `file: line 2: faulty XML: unexpected EOF`},
		{"XML, depth", strings.Repeat("<a>", 1000),
			`file: line 1: XML elements lie more than 200 deep`},
		{"XML, encoding", `<?xml version="1.0" encoding="EBCDIC"?><graphml/>`,
			`file: line 1: faulty XML: opening charset "EBCDIC": encoding "EBCDIC", want UTF-8`},
		{"XML of something else", "<html/>", `file: XML that holds no graph`},
		{"JSON", "{\"nodes\": [\n{\"id\": 1},]}",
			`file: line 2: faulty JSON: invalid character ']'`},
		{"JSON with NaN", "{\"nodes\": [],\n\"links\": [{\"weight\": NaN}]}",
			`file: line 2: faulty JSON: invalid character 'N'`},
		{"JSON, kind", "{\"nodes\":\n3}", `file: line 2: faulty JSON: nodes is a number`},
		{"JSON, unknown node", `{"nodes":[{"id":"a"}],"links":[{"source":"a","target":"b"}]}`,
			`file: edge 1: unknown node "b"`},
		{"JSON, weight",
			`{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b","weight":[1]}]}`,
			`file: edge 1: weight is [1], want a number`},
		{"JSON, depth", strings.Repeat(`{"a":`, 100000),
			`file: line 1: faulty JSON: invalid character '{' exceeded max depth`},
		{"JSON without nodes", `{"edges":[]}`, `file: JSON without lists of nodes and edges`},
		{"JSON of networkx.adjacency_data", `{"nodes":[{"id":1}],"adjacency":[[]]}`,
			`file: JSON without lists of nodes and edges`},
		{"GML", "graph [\n  node [\n    id 0\n  ]\n]\n", `file: not recognised as a graph`},
		{"archive", "PK\x03\x04", `file: archive: zip: not a valid zip file`},
		{"array", "\x93NUMPY\x01\x00\x48\x00{'descr': '<f8', 'fortran_order': False, 'shape': " +
			"(60000, 60000), }     \n",
			`file: NumPy array of shape (60000, 60000), want at most 2147483647 elements`},
		{"array, cut short", "\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, " +
			"'shape': (9000, 9000), }     \n",
			`file: NumPy array of shape [9000 9000] is cut short`},
		{"UTF-16, cut short", "\xff\xfea\x00,",
			`file: line 1: text is not UTF-16; allowed: UTF-8, Windows-1252`},
		{"DOT, Latin-1", "digraph { \xe9 }", `file: text is not UTF-8`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, err := graphfile.Read(strings.NewReader(c.text), "file")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %+v, error %v\nwant %s", g, err, c.want)
			}
		})
	}
}

// zeros is a stream of that many zero bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zero{}, n) }

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// What unpacks to more than a graph needs, and graphs of too many vertices, are refused without the
// memory that they ask for.
func TestLimits(t *testing.T) {
	var zipped, packed bytes.Buffer
	w := gzip.NewWriter(&zipped)
	must.Get(io.Copy(w, zeros(graphfile.MaxBytes+1)))(t)
	must.Do(t, w.Close())
	z := zip.NewWriter(&packed)
	f := must.Get(z.Create("large.npy"))(t)
	must.Get(io.Copy(f, zeros(graphfile.MaxBytes+1)))(t)
	must.Do(t, z.Close())
	var many, json, dot strings.Builder
	many.WriteString("source,target\n")
	json.WriteString(`{"nodes":[`)
	dot.WriteString("digraph {")
	for v := range graphfile.MaxVertices + 1 {
		fmt.Fprintf(&many, "v%d,\n", v)
		fmt.Fprintf(&json, `{"id":%d},`, v)
		fmt.Fprintf(&dot, "v%d;", v)
	}
	for _, c := range []struct{ name, text, want string }{
		{"gzip", zipped.String(), "file: more than 64 MiB"},
		{"archive", packed.String(), "file: \"large.npy\": more than 64 MiB"},
		{"edge list", many.String(), "file: more than 5000 vertices"},
		{"JSON", strings.TrimSuffix(json.String(), ",") + `],"edges":[]}`,
			"file: more than 5000 vertices"},
		{"DOT", dot.String() + "}", "file: line 1: more than 5000 vertices"},
		{"DOT, products", "digraph {" +
			strings.Repeat("{"+strings.TrimPrefix(dot.String()[:20000], "digraph {")+"x}->", 3) +
			"y}", "file: line 1: more than 3000000 edges"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := graphfile.Read(strings.NewReader(c.text), "file")
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 20*graphfile.MaxBytes {
				t.Errorf("allocated %d MiB", used>>20)
			}
		})
	}
}

// Graphs that a format cannot hold are refused when they are written.
func TestWriteFaults(t *testing.T) {
	named := func(names ...string) *graphfile.Graph { return &graphfile.Graph{Names: names} }
	cyclic := named("a", "b")
	cyclic.Edges = []graphfile.Edge{{From: 0, To: 1}, {From: 1, To: 0}}
	faulty := named("a", "b")
	faulty.Edges =
		[]graphfile.Edge{{From: 0, To: 1, Probability: graphfile.Number{Value: 2, Known: true}}}
	both := named("a", "b")
	both.Edges = []graphfile.Edge{{From: 0, To: 1, Undirected: true}, {From: 1, To: 0}}
	for _, c := range []struct {
		name   string
		format graphfile.Format
		graph  *graphfile.Graph
		want   string
	}{
		{"control character", graphfile.GraphML, named("a\x01"),
			`graphfile: XML cannot hold the character U+0001 of the name "a\x01"`},
		{"zero character", graphfile.DOT, named("a\x00"),
			`graphfile: DOT cannot hold the character U+0000 of the name "a\x00"`},
		{"zero character at the end", graphfile.NPZ, named("a\x00"),
			`graphfile: NumPy cannot hold the text "a\x00"; allowed: UTF-8 that does not end with a zero character`},
		{"cycle", graphfile.BIF, cyclic,
			`graphfile: BIF holds acyclic graphs: graph has a cycle: "a" -> "b" -> "a"`},
		{"same name", graphfile.EdgeList, named("a", "a"), `graphfile: two vertices are named "a"`},
		{"no name", graphfile.EdgeList, named("a", ""), `graphfile: vertex 2 has no name`},
		{"not UTF-8", graphfile.EdgeList, named("\xff"), `graphfile: name "\xff" is not UTF-8`},
		{"probability", graphfile.DOT, faulty,
			`graphfile: probability of the edge "a" -> "b" is 2, want a number from 0 to 1`},
		{"with and without direction", graphfile.DOT, both,
			`graphfile: edges join "b" and "a" both with and without direction`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.format.Write(&b, c.graph); err == nil || err.Error() != c.want ||
				b.Len() > 0 {
				t.Errorf("error %v, %d bytes, want %s", err, b.Len(), c.want)
			}
		})
	}
}
