package graphfile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac/dag"
	"tobac/internal/graphfile"
	"tobac/internal/must"
)

// The same matrix in every form that is read.
func TestReadMatrixForms(t *testing.T) {
	want := mat.NewDense(3, 3, []float64{0, 0.5, 0, 0, 0, 1, 0.25, 0, 0})
	for _, row := range []struct {
		name, text string
		names      []string
	}{
		{"numbers", "0,0.5,0\n0,0,1\n0.25,0,0\n", []string{"X0", "X1", "X2"}},
		{"header", "a,b,c\n0,0.5,0\n0,0,1\n0.25,0,0\n", []string{"a", "b", "c"}},
		{"header of numbers", "7,8,9\n0,0.5,0\n0,0,1\n0.25,0,0\n", []string{"7", "8", "9"}},
		{"names on both sides", ",a,b,c\na,0,0.5,0\nb,0,0,1\nc,0.25,0,0\n",
			[]string{"a", "b", "c"}},
		{"index of numbers", ",0,1,2\n0,0,0.5,0\n1,0,0,1\n2,0.25,0,0\n", []string{"0", "1", "2"}},
		{"quotes", "\"\",\"a\",\"b\",\"c\"\n\"a\",0,0.5,0\n\"b\",0,0,1\n\"c\",0.25,0,0\n",
			[]string{"a", "b", "c"}},
		{"semicolons", "a;b;c\n0;0,5;0\n0;0;1\n0,25;0;0\n", []string{"a", "b", "c"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			names, m := must.Two(graphfile.ReadMatrix(strings.NewReader(row.text), "p.csv"))(t)
			if diff := cmp.Diff(row.names, names); diff != "" || !mat.Equal(m, want) {
				t.Errorf("names (-want +got) %s\n%v", diff, mat.Formatted(m))
			}
			p, err := graphfile.ReadProbabilities(strings.NewReader(row.text), "p.csv", nil)
			if err != nil || !mat.Equal(p.Probabilities, want) || !cmp.Equal(p.Names, row.names) {
				t.Errorf("probabilities: %v, %v", p, err)
			}
		})
	}
}

// Lists of edges, with and without the names of all variables; what a fit writes
// has more columns.
func TestReadEdgeLists(t *testing.T) {
	text := "Source,Target,probability,weight_mean\nb,c,1,2\na,b,0.5,\nc,a,0.25,-1\n"
	p := must.Get(graphfile.ReadProbabilities(strings.NewReader(text), "edges.csv", nil))(t)
	want := mat.NewDense(3, 3, []float64{0, 1, 0, 0, 0, 0.25, 0.5, 0, 0})
	if !cmp.Equal(p.Names, []string{"b", "c", "a"}) || !mat.Equal(p.Probabilities, want) {
		t.Errorf("got %q\n%v", p.Names, mat.Formatted(p.Probabilities))
	}
	p = must.Get(graphfile.ReadProbabilities(strings.NewReader(text), "edges.csv",
		[]string{"a", "b", "c", "d"}))(t)
	want = mat.NewDense(4, 4, []float64{0, 0.5, 0, 0, 0, 0, 1, 0, 0.25, 0, 0, 0, 0, 0, 0, 0})
	if !cmp.Equal(p.Names, []string{"a", "b", "c", "d"}) || !mat.Equal(p.Probabilities, want) {
		t.Errorf("got %q\n%v", p.Names, mat.Formatted(p.Probabilities))
	}
	// A matrix is put into the sequence of the variables, or takes their names.
	for _, text := range []string{"b,a\n0,0.5\n0,0\n", "0,0\n0.5,0\n"} {
		p, err := graphfile.ReadProbabilities(strings.NewReader(text), "p.csv", []string{"a", "b"})
		if err != nil || p.Probabilities.At(1, 0) != 0.5 || p.Probabilities.At(0, 1) != 0 {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

// array is a NumPy file.
func array(kind, shape, body string) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	header += strings.Repeat(" ", 117-len(header)) + "\n" // 10 + 118 bytes
	return "\x93NUMPY\x01\x00\x76\x00" + header + body
}

func TestReadNumPy(t *testing.T) {
	edge := dag.New(2)
	edge.Set(0, 1, true)
	for _, row := range []struct{ kind, body string }{{"|b1", "\x00\x01\x00\x00"},
		{"|i1", "\x00\x01\x00\x00"}} {
		names, m, err :=
			graphfile.ReadMatrixNPY(strings.NewReader(array(row.kind, "(2, 2)", row.body)), "g.npy")
		if err != nil || !cmp.Equal(names, []string{"X0", "X1"}) {
			t.Fatalf("%s: %q, %v", row.kind, names, err)
		}
		g, err := graphfile.Adjacency(m)
		if err != nil || !g.Equal(edge) {
			t.Errorf("%s: got %v, %v", row.kind, g, err)
		}
	}
	p, err := graphfile.ReadProbabilitiesNPY(
		strings.NewReader(array("|i1", "(2, 2)", "\x00\x01\x00\x00")), "g.npy", []string{"x", "y"})
	if err != nil || p.Names[1] != "y" || p.Probabilities.At(0, 1) != 1 {
		t.Errorf("got %v, %v", p, err)
	}
	_, _, err = graphfile.ReadMatrixNPY(strings.NewReader(array("|i1", "(1, 2)", "\x00\x01")),
		"g.npy")
	if err == nil || err.Error() != "g.npy: got a 1×2 array, want a square one" {
		t.Errorf("not square: %v", err)
	}
}

func TestExternalFaults(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"shape", "0,1,0\n0,0,0\n", "p.csv: 2 lines of 3 values; allowed: a square matrix, with " +
			"or without a line of names before it and a name in front of each line"},
		{"ragged", "0,1\n0\n", "p.csv: line 2: got 1 values, want 2 as on line 1"},
		{"text", "0,1\n0,x\n",
			`p.csv: line 2, column "X1": "x" is not a number; allowed: finite numbers such as 1.5 or -2e-3`},
		{"repeated names", "a,a\n0,1\n0,0\n",
			`p.csv: line 1: variables 1 and 2 are both named "a"; allowed: a different name for each variable`},
		{"other row names", ",a,b\nb,0,1\na,0,0\n",
			`p.csv: line 2: begins with "b", want "a", the name in this place of the first line`},
		{"probability", "0,1.5\n0,0\n",
			"p.csv: probability of 1 -> 2 is 1.5, want a number from 0 to 1"},
		{"diagonal", "1,0.5\n0,0\n", "p.csv: probability of 1 -> 1 is 1, want 0 on the diagonal"},
		{"listed probability", "from,to,probability\na,b,-1\n",
			"p.csv: probability of 1 -> 2 is -1, want a number from 0 to 1"},
		{"loop", "from,to,probability\na,b,1\nb,b,1\n",
			"p.csv: probability of 2 -> 2 is 1, want 0 on the diagonal"},
		{"repeated edge", "from,to,probability\na,b,1\na,b,1\n",
			`p.csv: line 3: edge "a" -> "b" is already on line 2; allowed: each edge once`},
		{"short line", "from,to,probability\na,b\n", "p.csv: line 2: got 2 values, want 3"},
		{"no edges", "from,to,probability\n", "p.csv: no names of variables"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := graphfile.ReadProbabilities(strings.NewReader(row.text), "p.csv",
				nil); err == nil || err.Error() != row.want {
				t.Errorf("got  %v\nwant %s", err, row.want)
			}
		})
	}
	for _, row := range []struct{ name, text, want string }{
		{"unknown", "from,to,probability\na,x,1\n",
			`p.csv: line 2: unknown variable "x"; allowed: "a", "b"`},
		{"missing", "a,c\n0,1\n0,0\n", `p.csv: matrix without the variable "b"; it has "a", "c"`},
		{"size", "0\n", "p.csv: matrix of 1 variables, want 2"},
	} {
		if _, err := graphfile.ReadProbabilities(strings.NewReader(row.text), "p.csv",
			[]string{"a", "b"}); err == nil || err.Error() != row.want {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
	}
	for _, m := range []*mat.Dense{mat.NewDense(2, 2, []float64{0, 0.5, 0, 0}),
		mat.NewDense(2, 2, []float64{1, 0, 0, 0})} {
		if _, err := graphfile.Adjacency(m); err == nil {
			t.Errorf("no error for %v", m)
		}
	}
}

// A sample of graphs has their frequencies; a graph with a cycle is counted and
// left out. It is a posterior that can be written.
func TestFromGraphs(t *testing.T) {
	edge := dag.New(2)
	edge.Set(0, 1, true)
	circle := edge.Clone()
	circle.Set(1, 0, true)
	p := graphfile.FromGraphs([]string{"x", "y"}, []*dag.Graph{edge, dag.New(2), circle})
	if p.Cyclic() != 1 || p.Probabilities.At(0, 1) != 0.5 || p.WeightMean != nil {
		t.Errorf("got %d cyclic, %v", p.Cyclic(), p.Marginals)
	}
	if err := p.Write(new(bytes.Buffer)); err != nil {
		t.Error(err)
	}
	if _, err := p.ByDensity(); err == nil ||
		err.Error() != "posterior: log density of draw 1 is NaN + NaN, want finite numbers" {
		t.Errorf("weights by density: %v", err)
	}
	defer func() {
		if message := recover(); message != "graphfile: graphs of 2 vertices and 1 names" {
			t.Errorf("sizes: %v", message)
		}
	}()
	graphfile.FromGraphs([]string{"x"}, []*dag.Graph{dag.New(2)})
}

// FuzzReadProbabilities looks for panics and for values that are not valid.
func FuzzReadProbabilities(f *testing.F) {
	for _, text := range []string{"0,0.5\n0,0\n", "a,b\n0,1\n0,0\n", ",a,b\na,0,1\nb,0,0\n",
		"from,to,probability\na,b,0.5\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := graphfile.ReadProbabilities(strings.NewReader(text), "fuzz", nil)
		if err != nil {
			return
		}
		must.Do(t, p.Validate())
	})
}

// A small file of many names, or of many parts, is refused before its matrices are made.
func TestManyNames(t *testing.T) {
	var list strings.Builder
	list.WriteString("source,target,probability\n")
	for i := range 100_000 {
		fmt.Fprintf(&list, "a%d,b%d,0.5\n", i, i)
	}
	if _, err := graphfile.ReadProbabilities(strings.NewReader(list.String()), "list",
		nil); err == nil || !strings.HasPrefix(err.Error(), "list: 200000 variables need about ") {
		t.Errorf("error %v", err)
	}
}
