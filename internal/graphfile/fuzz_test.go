package graphfile_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/internal/delimited"
	"tobac/internal/graphfile"
	"tobac/internal/must"
	"tobac/internal/numpy"
)

// seeds adds the files of other programs that have the given endings.
func seeds(f *testing.F, endings ...string) {
	f.Helper()
	files := must.Get(filepath.Glob(filepath.Join("testdata", "*", "*")))(f)
	for _, name := range files {
		for _, ending := range endings {
			if strings.HasSuffix(name, ending) && !strings.Contains(name, "fuzz") {
				data := must.Get(os.ReadFile(name))(f)
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

// FuzzReadMatrix: a matrix that is read has as many names as rows and columns, and is the same when
// it is written with names and read again.
func FuzzReadMatrix(f *testing.F) {
	for _, text := range []string{"0,0.5\n0,0\n", "a,b\n0,1\n-1e300,0\n", ",a,b\na,0,1\nb,0,0\n",
		"\"1\";\"2\"\n0;1,5\n2;0\n", "1\n", "a\n1\n", "\"a\",b\n1,2\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names, m, err := graphfile.ReadMatrix(strings.NewReader(text), "fuzz")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		rows, cols := m.Dims()
		if rows != cols || rows != len(names) {
			t.Fatalf("%d names of a %d×%d matrix", len(names), rows, cols)
		}
		written := append(delimited.AppendTexts([]byte(`"",`), names...), '\n')
		for i, name := range names {
			written = delimited.AppendTexts(written, name)
			for j := range cols {
				written = append(written, fmt.Sprintf(",%v", m.At(i, j))...)
			}
			written = append(written, '\n')
		}
		again, back, err := graphfile.ReadMatrix(bytes.NewReader(written), "again")
		if err != nil || !slices.Equal(names, again) {
			t.Fatalf("%q written as %q has the names %q, error %v", text, written, again, err)
		}
		for i := range rows {
			for j := range cols {
				if a, b := m.At(i, j), back.At(i, j); math.Float64bits(a) != math.Float64bits(b) {
					t.Fatalf("entry (%d,%d) is %v, then %v", i, j, a, b)
				}
			}
		}
	})
}

// FuzzReadProbabilitiesNPY: an array is read as valid edge probabilities that are its numbers, or
// refused.
func FuzzReadProbabilitiesNPY(f *testing.F) {
	for _, values := range [][]float64{{0, 0.5, 0.25, 0}, {0, 1.5, 0, 0}, {1, 0, 0, 0},
		{0, math.NaN(), 0, 0}} {
		var b bytes.Buffer
		must.Do(f, numpy.WriteNumbers(&b, []int{2, 2}, values))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := graphfile.ReadProbabilitiesNPY(bytes.NewReader(data), "fuzz", nil)
		if err != nil {
			return
		}
		must.Do(t, p.Validate())
		a, err := numpy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if !slices.Equal(a.Numbers, p.Probabilities.RawMatrix().Data) {
			t.Fatalf("read %v from %v", p.Probabilities.RawMatrix().Data, a.Numbers)
		}
	})
}
