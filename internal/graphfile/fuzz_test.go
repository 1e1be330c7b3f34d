package graphfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/internal/graphfile"
)

// seeds adds the files of other programs that have the given endings.
func seeds(f *testing.F, endings ...string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		for _, ending := range endings {
			if strings.HasSuffix(name, ending) && !strings.Contains(name, "fuzz") {
				data, err := os.ReadFile(name)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(data)
			}
		}
	}
}

// fuzz gives any bytes to the readers of some formats: there is a graph without a fault, which its
// format writes and reads again unless it cannot hold it, or an error that begins with the file's
// name.
func fuzz(f *testing.F, formats ...graphfile.Format) {
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range formats {
			g, err := format.Read(data, "file")
			if err != nil {
				if text := err.Error(); !strings.HasPrefix(text, "file: ") ||
					strings.Contains(text, "\n") {
					t.Fatalf("%v: error %q", format, err)
				}
				continue
			}
			if err := g.Check(); err != nil {
				t.Fatalf("%v: %v", format, err)
			}
			if len(g.Names) > 50 {
				continue
			}
			var text bytes.Buffer
			if err := format.Write(&text, g); err == nil && len(g.Names) > 0 &&
				format != graphfile.NPY && format != graphfile.Matrix {
				g.Unnamed = false
				checkRoundTrip(t, format, g)
			}
		}
		if _, _, err := graphfile.Read(bytes.NewReader(data), "file"); err != nil &&
			!strings.HasPrefix(err.Error(), "file: ") {
			t.Fatalf("error %q", err)
		}
	})
}

func FuzzText(f *testing.F) {
	seeds(f, ".csv", ".tsv", ".txt")
	f.Add([]byte("source;target;type\na;b;--\nb;a;->\n"))
	f.Add([]byte("Graph Nodes: \"a b\",c\n1. \"a b\" o-> c\n"))
	f.Add([]byte("0,1\n1,0\n"))
	fuzz(f, graphfile.EdgeList, graphfile.EdgeTabs, graphfile.Matrix, graphfile.Arrows)
}

func FuzzDOT(f *testing.F) {
	seeds(f, ".dot", ".gv", "dagitty.txt", "pdag.txt")
	f.Add([]byte(`graph{a--{b c}--d[dir=both arrowtail=odot];"x"+"y"->:a:b;}`))
	f.Add([]byte("dag{a<->b @-> c}"))
	fuzz(f, graphfile.DOT)
}

func FuzzXML(f *testing.F) {
	seeds(f, ".graphml")
	f.Add([]byte(`<?xml version="1.0" encoding="ISO-8859-1"?><graphml><graph><node id="` + "\xe9" +
		`"/></graph></graphml>`))
	f.Add([]byte(
		`<!DOCTYPE x [<!ENTITY a "b">]><graphml><graph><node id="&a;"/><hyperedge/></graph></graphml>`))
	fuzz(f, graphfile.GraphML)
}

func FuzzBIF(f *testing.F) {
	seeds(f, ".bif")
	f.Add([]byte("variable a {}\nvariable b { property \"name = %41\" ; property \"undirected a " +
		"= adjacent 1\" ; }\nprobability ( b a ) { table 1; }"))
	fuzz(f, graphfile.BIF)
}

func FuzzJSON(f *testing.F) {
	seeds(f, ".json")
	f.Add([]byte(
		`{"nodes":[{"id":[1,2]},{"id":null}],"links":[{"source":[1,2],"target":null,"weight":"1e5","undirected":true}]}`))
	f.Add([]byte(strings.Repeat("[", 20000)))
	fuzz(f, graphfile.NetworkX)
}

func FuzzNumPy(f *testing.F) {
	seeds(f, ".npy", ".npz")
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': " +
		"(99999999, 99999999), }\n"))
	fuzz(f, graphfile.NPY, graphfile.NPZ)
}
