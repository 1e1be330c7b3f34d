package autograd_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dotformat "gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	ad "tobac/autograd"
)

// parseDOT parses with an independent parser and returns the node labels and
// the number of edges.
func parseDOT(t *testing.T, text string) (labels []string, edges int) {
	t.Helper()
	file, err := dotformat.ParseString(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, s := range file.Graphs[0].Stmts {
		switch s := s.(type) {
		case *ast.NodeStmt:
			for _, a := range s.Attrs {
				if a.Key == "label" {
					labels = append(labels, a.Val)
				}
			}
		case *ast.EdgeStmt:
			edges++
		}
	}
	return labels, edges
}

func TestWriteDOT(t *testing.T) {
	b := ad.NewBuilder("net")
	p := b.Axis("particle", 3)
	x, w := b.Input("x", ad.Shape{2}, p), b.Input("w", ad.Shape{2})
	y := x.Sub(w).Square().Scale(-0.5)
	loss := y.Sum()
	w.Exp() // not part of the loss
	x.Add(b.Constant(make([]float64, 2), ad.Shape{2}))

	var got strings.Builder
	if err := b.WriteDOT(&got, loss, y); err != nil {
		t.Fatal(err)
	}
	want := `digraph "net" {
	rankdir=BT;
	n0 [label="x\n(2){particle=3}", shape=box];
	n1 [label="w\n(2)", shape=box];
	n2 [label="sub\n(2){particle=3}", shape=ellipse];
	n0 -> n2 [label=0];
	n1 -> n2 [label=1];
	n3 [label="square\n(2){particle=3}", shape=ellipse];
	n2 -> n3;
	n4 [label="-0.5\n()", shape=plaintext];
	n5 [label="mul\n(2){particle=3}", shape=ellipse, peripheries=2];
	n3 -> n5 [label=0];
	n4 -> n5 [label=1];
	n6 [label="sum\n(){particle=3}", shape=ellipse, peripheries=2];
	n5 -> n6;
}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	labels, edges := parseDOT(t, got.String())
	if len(labels) != 7 || edges != 6 {
		t.Errorf("got %d nodes and %d edges, want 7 and 6", len(labels), edges)
	}

	got.Reset()
	if err := b.WriteDOT(&got); err != nil {
		t.Fatal(err)
	}
	if labels, _ := parseDOT(t, got.String()); len(labels) != 10 {
		t.Errorf("whole graph: got %d nodes, want 10", len(labels))
	}
}

func TestWriteDOTEscapes(t *testing.T) {
	b := ad.NewBuilder("a \"graph\" \\ with\nlines")
	x := b.Input("θ \"quoted\" \\ and\nbroken", ad.Shape{})
	b.Constant(make([]float64, 9), ad.Shape{3, 3}).Add(x)
	var got bytes.Buffer
	if err := b.WriteDOT(&got); err != nil {
		t.Fatal(err)
	}
	labels, edges := parseDOT(t, got.String())
	want := []string{`"θ \"quoted\" \\ and\nbroken\n()"`, `"constant\n(3,3)"`, `"add\n(3,3)"`}
	if diff := cmp.Diff(want, labels); diff != "" || edges != 2 {
		t.Errorf("%d edges, labels (-want +got)\n%s", edges, diff)
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ room int }

var errFull = errors.New("full")

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteDOTErrors(t *testing.T) {
	b := ad.NewBuilder("g")
	x := b.Input("x", ad.Shape{2})
	if err := b.WriteDOT(&failingWriter{10}, x); !errors.Is(err, errFull) {
		t.Errorf("got error %v, want %v", err, errFull)
	}
	if err := b.WriteDOT(&bytes.Buffer{}, ad.NewBuilder("other").Scalar(1)); err == nil ||
		err.Error() != `autograd: graph "g": output constant#0() belongs to graph "other"` {
		t.Errorf("got error %v, want one about the foreign output", err)
	}
	x.MatMul(x)
	var got bytes.Buffer
	if err := b.WriteDOT(&got, x); err != b.Err() || err == nil || got.Len() > 0 {
		t.Errorf("got error %v and %d bytes, want the builder's error and none", err, got.Len())
	}
}
