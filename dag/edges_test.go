package dag_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"tobac/dag"
	"tobac/internal/delimited"
	"tobac/internal/must"
)

func TestReadEdges(t *testing.T) {
	names := []string{"a", "b", "p44;42"}
	plain := []dag.Edge{{From: 0, To: 1}, {From: 2, To: 0}}
	weights := mat.NewDense(3, 3, []float64{0, 1.5, 0, 0, 0, 0, -2, 0, 0})
	tests := []struct {
		name, text string
		edges      []dag.Edge
		weights    *mat.Dense
	}{
		{"source and target", "source,target\na,b\np44;42,a\n", plain, nil},
		{"from and to", "from,to\na,b\np44;42,a\n", plain, nil},
		{"weights", "source,target,weight\na,b,1.5\np44;42,a,-2\n", plain, weights},
		{"weights after from and to", "from,to,weight\np44;42,a,-2\na,b,1.5\n", plain, weights},
		{"capitals and blanks", " Source , TARGET \n a, b \n\"p44;42\" ,a\n", plain, nil},
		{"semicolons and decimal commas", "source;target;weight\na;b;1,5\n\"p44;42\";a;-2,0\n",
			plain, weights},
		{"no edges", "source,target\n", nil, nil},
		{"cause and effect", "Cause,Effect\na,b\np44;42,a\n", plain, nil},
		{"parent and child", "Parent,Child\na,b\np44;42,a\n", plain, nil},
		{"columns in another sequence", "weight,target,source\n1.5,b,a\n-2,a,p44;42\n", plain,
			weights},
		{"vertex alone", "source,target\na,b\nb,\np44;42,a\n", plain, nil},
		{"two-cycle", "source,target\na,b\nb,a\n", []dag.Edge{{From: 0, To: 1}, {From: 1, To: 0}},
			nil},
		{"edge with weight zero", "source,target,weight\na,b,0\n", []dag.Edge{{From: 0, To: 1}},
			mat.NewDense(3, 3, nil)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, w := must.Two(dag.ReadEdges(strings.NewReader(test.text), "truth.csv", names))(t)
			if diff := cmp.Diff(test.edges, g.Edges()); diff != "" || g.Len() != len(names) {
				t.Errorf("%d vertices, edges (-want +got):\n%s", g.Len(), diff)
			}
			if (w == nil) != (test.weights == nil) || w != nil && !mat.Equal(w, test.weights) {
				t.Errorf("weights %v, want %v", w, test.weights)
			}
		})
	}
}

func manyNames(d int) []string {
	names := make([]string, d)
	for i := range names {
		names[i] = fmt.Sprintf("X%d", i)
	}
	return names
}

func TestReadEdgesErrors(t *testing.T) {
	abc := []string{"a", "b", "c"}
	tests := []struct {
		name, text string
		names      []string
		want       string
	}{
		{"no header", "a,b\n", abc,
			`truth.csv: line 1: header is "a,b"; allowed: "source,target", "from,to", "cause,effect" or "parent,child", either with ",weight", ",type" or both after it`},
		{"wrong third column", "\nsource,target,p\n", abc,
			`truth.csv: line 2: header is "source,target,p"; allowed: "source,target", "from,to", "cause,effect" or "parent,child", either with ",weight", ",type" or both after it`},
		{"unknown vertex", "source,target\na,b\nb,d\n", abc,
			`truth.csv: line 3: unknown vertex "d"; allowed: "a", "b", "c"`},
		{"case matters", "source,target\nA,b\n", abc,
			`truth.csv: line 2: unknown vertex "A"; allowed: "a", "b", "c"`},
		{"empty vertex", "source,target\n,b\n", abc,
			`truth.csv: line 2: edge from a vertex without a name; allowed: names of vertices`},
		{"many vertices", "source,target\nX1,Y\n", manyNames(25),
			`truth.csv: line 2: unknown vertex "Y"; allowed: "X0", "X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8", "X9", ` +
				`"X10", "X11", "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19" and 5 more`},
		{"to itself", "source,target\na,b\rb,b", abc,
			`truth.csv: line 3: edge from "b" to itself; allowed: edges between different vertices`},
		{"repeated", "source,target\na,b\nb,c\na,b\n", abc,
			`truth.csv: line 4: edge "a" -> "b" is already on line 2; allowed: each edge once`},
		{"too few values", "source,target,weight\na,b\n", abc,
			`truth.csv: line 2: got 2 values, want 3`},
		{"too many values", "source,target\na,b,1\n", abc,
			`truth.csv: line 2: got 3 values, want 2`},
		{"weight is missing", "source,target,weight\na,b,\n", abc,
			`truth.csv: line 2, column "weight": value is missing; allowed: finite numbers such as 1.5 or -2e-3`},
		{"repeated name", "source,target\n", []string{"a", "b", "a"},
			`dag: vertices 0 and 2 are both named "a"`},
		{"empty name", "source,target\n", []string{"a", ""}, `dag: vertex 1 has an empty name`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := dag.ReadEdges(strings.NewReader(test.text), "truth.csv", test.names)
			if err == nil || err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestWriteEdges(t *testing.T) {
	g := mustGraph(t, 3, dag.Edge{From: 2, To: 0}, dag.Edge{From: 0, To: 1})
	names := []string{"a", "b,c", `"`}
	weights := mat.NewDense(3, 3, []float64{9, 0.1, 9, 9, 9, 9, -1e-300, 9, math.NaN()})
	tests := []struct {
		name    string
		weights *mat.Dense
		want    string
	}{
		{"without weights", nil, "source,target\na,\"b,c\"\n\"\"\"\",a\n"},
		{"with weights", weights, "source,target,weight\na,\"b,c\",0.1\n\"\"\"\",a,-1e-300\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var text strings.Builder
			must.Do(t, dag.WriteEdges(&text, g, names, test.weights))
			if diff := cmp.Diff(test.want, text.String()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteErrors(t *testing.T) {
	g := mustGraph(t, 2, dag.Edge{From: 0, To: 1})
	ab := []string{"a", "b"}
	edges := func(names []string, weights *mat.Dense) error {
		return dag.WriteEdges(io.Discard, g, names, weights)
	}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"too few names", edges(ab[:1], nil), "dag: 1 names for 2 vertices"},
		{"repeated names", edges([]string{"a", "a"}, nil),
			`dag: vertices 0 and 1 are both named "a"`},
		{"shape of weights", edges(ab, mat.NewDense(2, 3, nil)),
			"dag: weights are 2×3 for a graph with 2 vertices"},
		{"weight not finite", edges(ab, mat.NewDense(2, 2, []float64{0, math.Inf(1), 0, 0})),
			`dag: weight of "a" -> "b" is +Inf, want a finite number`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil || test.err.Error() != test.want {
				t.Errorf("error\n got %v\nwant %s", test.err, test.want)
			}
		})
	}
}

// names draws d distinct names, awkward ones among them.
func names(d int) *rapid.Generator[[]string] {
	awkward := rapid.SampledFrom([]string{"a", " ", "1", "1,5", ";", "\t", "\r\n", `"`, `\`,
		"a&amp;b", "NaN", "source"})
	return rapid.SliceOfNDistinct(rapid.OneOf(awkward, rapid.StringN(1, 5, -1)), d, d, rapid.ID)
}

func TestEdgesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(5).Draw(t, "graph")
		names := names(g.Len()).Draw(t, "names")
		var weights *mat.Dense
		if g.Len() > 0 && rapid.Bool().Draw(t, "weighted") {
			weights = mat.NewDense(g.Len(), g.Len(), nil)
			for _, e := range g.Edges() {
				weights.Set(e.From, e.To, rapid.Float64().Draw(t, "weight"))
			}
		}
		checkRoundTrip(t, g, names, weights)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

func checkRoundTrip(t failer, g *dag.Graph, names []string, weights *mat.Dense) {
	var text strings.Builder
	if err := dag.WriteEdges(&text, g, names, weights); err != nil {
		t.Fatalf("%v", err)
	}
	h, again, err := dag.ReadEdges(strings.NewReader(text.String()), "written.csv", names)
	if err != nil {
		t.Fatalf("%q: %v", text.String(), err)
	}
	if !h.Equal(g) || (again == nil) != (weights == nil) || weights != nil &&
		!mat.Equal(again, weights) {
		t.Fatalf("%q: got %v %v, want %v %v", text.String(), h.Edges(), again, g.Edges(), weights)
	}
}

// FuzzReadEdges: any bytes give a graph that survives writing and reading, or an error with its
// place.
func FuzzReadEdges(f *testing.F) {
	for _, text := range []string{
		"source,target\na,b\n", "from;to;weight\ra;\"b,\"\"c\";1,5",
		"source,target,weight\na,b,1e999\n", "\uFEFFfrom\tto\r\n1\ta\r\n", "source,target\na,a\n",
		"",
		"source,target,type\na,1,--\n", "source,target,weight,type\n1,a,2.5,->\na,1,1,--\n",
	} {
		f.Add([]byte(text))
	}
	names := []string{"a", `b,"c`, "1"}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, weights, err := dag.ReadEdges(strings.NewReader(string(data)), "fuzz.csv", names)
		if err != nil {
			if located := new(delimited.Error); !errors.As(err, &located) {
				t.Fatalf("error is a %T: %v", err, err)
			}
			return
		}
		checkRoundTrip(t, g, names, weights)
	})
}

// Simulated graphs: numbers of edges, and the topological order that a reference implementation
// gave for each.
func TestSimulatedGraphs(t *testing.T) {
	root := filepath.Join("..", "ordering", "testdata")
	for _, set := range []struct {
		folder   string
		d, edges int
	}{{"linear-d10-e20-run0", 10, 22}, {"linear-d20-e40-run0", 20, 44},
		{"linear-d20-e80-run2", 20, 68}, {"nonlinear-d20-e40-run1", 20, 34}} {
		t.Run(set.folder, func(t *testing.T) {
			text := must.Get(os.ReadFile(filepath.Join(root, set.folder, "graph.csv")))(t)
			g, weights := must.Two(dag.ReadEdges(strings.NewReader(string(text)), "graph.csv",
				manyNames(set.d)))(t)
			if g.Size() != set.edges {
				t.Errorf("%d edges, want %d", g.Size(), set.edges)
			}
			if linear := strings.HasPrefix(set.folder, "linear"); (weights != nil) != linear ||
				linear && !dag.FromMatrix(weights).Equal(g) {
				t.Errorf("weights %v do not fit", weights)
			}
			var again strings.Builder
			must.Do(t, dag.WriteEdges(&again, g, manyNames(set.d), weights))
			if diff := cmp.Diff(string(text), again.String()); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
			var orders struct {
				GroundTruth []int `json:"ground_truth"`
			}
			list := must.Get(os.ReadFile(filepath.Join(root, set.folder, "orders.json")))(t)
			must.Do(t, json.Unmarshal(list, &orders))
			got := must.Get(g.TopologicalOrder())(t)
			if diff := cmp.Diff(orders.GroundTruth, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

// An edge that is listed twice is refused whichever vertices it joins, the first one of the file
// included; its reverse is another edge.
func TestRepeatedEdges(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, from := range names {
		for _, to := range names {
			if from == to {
				continue
			}
			text := "source,target\na,b\nb,a\nb,c\nc,b\na,c\nc,a\n"
			if _, _, err := dag.ReadEdges(strings.NewReader(text+from+","+to+"\n"), "edges.csv",
				names); err == nil || !strings.Contains(err.Error(), "already on line") {
				t.Errorf("%s -> %s a second time: error %v", from, to, err)
			}
		}
	}
}

// A partially directed graph with weights reads back as it was written; of an
// undirected edge, the weight of the direction that was written holds for both.
func TestPartiallyDirectedReadsBack(t *testing.T) {
	names := []string{"a", "b c", "d,e", `q"`, "z"}
	rapid.Check(t, func(t *rapid.T) {
		d := len(names)
		g, weights := dag.New(d), mat.NewDense(d, d, nil)
		for i := range d {
			for j := range d {
				if i != j && rapid.Bool().Draw(t, "edge") {
					g.Set(i, j, true)
					weights.Set(i, j, rapid.Float64Range(-9, 9).Draw(t, "weight"))
				}
			}
		}
		if !rapid.Bool().Draw(t, "weighted") {
			weights = nil
		}
		backwards := rapid.Bool().Draw(t, "backwards")
		var text bytes.Buffer
		must.Do(t, dag.WritePartiallyDirected(&text, g, names, weights, func(dag.Edge) bool {
			return !backwards
		}))
		if lines := strings.Count(text.String(), "\n"); lines != 1+g.Size()-len(g.Undirected()) {
			t.Fatalf("%d lines for %d edges, %d of them undirected pairs", lines, g.Size(),
				len(g.Undirected()))
		}
		got, w := must.Two(dag.ReadEdges(&text, "consensus.csv", names))(t)
		if !got.Equal(g) || (w == nil) != (weights == nil) {
			t.Fatalf("read %v, wrote %v", got.Edges(), g.Edges())
		}
		for _, e := range g.Edges() {
			if weights == nil {
				break
			}
			want := weights.At(e.From, e.To)
			if g.Has(e.To, e.From) && (e.From > e.To) != backwards {
				want = weights.At(e.To, e.From)
			}
			if w.At(e.From, e.To) != want {
				t.Fatalf("weight of %v is %v, want %v", e, w.At(e.From, e.To), want)
			}
		}
	})
}

func TestTypeFaults(t *testing.T) {
	names := []string{"a", "b"}
	for _, row := range []struct{ name, text, want string }{
		{"unknown type", "source,target,type\na,b,o-o\n",
			`g.csv: line 2: type of the edge is "o-o"; allowed: ->, --`},
		{"undirected and directed", "source,target,type\na,b,--\nb,a,->\n",
			`g.csv: line 3: edge "b" -> "a" is already on line 2; allowed: each edge once`},
	} {
		if _, _, err := dag.ReadEdges(strings.NewReader(row.text), "g.csv", names); err == nil ||
			err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
}
