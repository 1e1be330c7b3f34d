package graphfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tobac/internal/file"
)

// codec is what there is to know of a format.
type codec struct {
	name, ending string
	what         string // for a reader
	read         func(data []byte, source string) (*Graph, error)
	write        func(w io.Writer, g *Graph) error
	holds        []Quantity // numbers that are written
	unnamed      bool       // names of vertices are not written
}

// codecs are the formats, by their number.
var codecs = [formatCount]codec{
	EdgeList: {name: "csv", ending: ".csv", what: "edge list: source,target and numbers",
		read: readDelimited, write: writeEdgeList, holds: quantities},
	EdgeTabs: {name: "tsv", ending: ".tsv", what: "edge list separated by tabs",
		read: readDelimited, write: writeEdgeTabs, holds: quantities},
	Arrows: {name: "txt", ending: ".txt", what: "a --> b in lines, as Tetrad writes it",
		read: readArrows, write: writeArrows},
	Matrix: {name: "matrix", ending: ".csv", what: "square matrix with names, as text",
		read: readDelimited, write: writeMatrix},
	NPY: {name: "npy", ending: ".npy", what: "square NumPy array", read: readNPY,
		write: writeNPY, unnamed: true},
	NPZ: {name: "npz", ending: ".npz", what: "NumPy arrays: names, adjacency and numbers",
		read: readNPZ, write: writeNPZ, holds: quantities},
	NetworkX: {name: "networkx", ending: ".json", what: "JSON of networkx.node_link_data",
		read: readJSON, write: writeNetworkX, holds: quantities},
	GraphML: {name: "graphml", ending: ".graphml", what: "GraphML", read: readGraphML,
		write: writeGraphML, holds: quantities},
	DOT: {name: "dot", ending: ".dot", what: "Graphviz, with the probability visible",
		read: readDOT, write: writeDOT, holds: quantities},
	BIF: {name: "bif", ending: ".bif",
		what: "BIF: the graph, and tables of probabilities", read: readBIF, write: writeBIF,
		holds: quantities},
}

// Formats lists all formats.
func Formats() []Format {
	all := make([]Format, formatCount)
	for k := range all {
		all[k] = Format(k)
	}
	return all
}

// String is the name of the format in options.
func (f Format) String() string {
	if f < 0 || f >= formatCount {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return codecs[f].name
}

// Ending is the usual ending of its files, with the point.
func (f Format) Ending() string { return codecs[f].ending }

// Description says in some words what the format is.
func (f Format) Description() string { return codecs[f].what }

// endings are those of files beyond [Format.Ending], and of formats that share one.
var endings = map[string]Format{".gv": DOT, ".tab": EdgeTabs, ".json": NetworkX, ".csv": EdgeList}

// FormatOf is the format that the ending of a file's name stands for when it is written.
func FormatOf(path string) (f Format, ok bool) {
	ending := strings.ToLower(filepath.Ext(path))
	if f, ok := endings[ending]; ok {
		return f, true
	}
	for _, f := range Formats() {
		if f.Ending() == ending {
			return f, true
		}
	}
	return 0, false
}

// Write writes a graph. A graph with a fault, see [Graph.Check], and one that the format cannot
// hold are errors: cycles and undirected edges in a network of BIF, names with characters that a
// format lacks. See [Format.Lost] for what is left out without an error.
func (f Format) Write(w io.Writer, g *Graph) error {
	if err := g.Check(); err != nil {
		return fmt.Errorf("graphfile: %w", err)
	}
	var b bytes.Buffer
	if err := codecs[f].write(&b, g); err != nil {
		return fmt.Errorf("graphfile: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Lost lists what of the graph the format leaves out, each as a plural; nothing: the graph can be
// read back as it is.
func (f Format) Lost(g *Graph) []string {
	var lost []string
	c := &codecs[f]
	if c.unnamed && !g.Unnamed {
		lost = append(lost, "names of vertices")
	}
	if (f == Matrix || f == NPY) && g.opposite() {
		lost = append(lost, OppositeEdges)
	}
	for _, q := range quantities {
		if !slices.Contains(c.holds, q) && g.Has(q) {
			lost = append(lost, q.plural())
		}
	}
	if g.Tables != nil && f != BIF {
		lost = append(lost, "tables of probabilities")
	}
	return lost
}

// OppositeEdges is what [Format.Lost] says of a matrix of 0 and 1 in which a → b beside b → a looks
// like an edge without direction.
const OppositeEdges = "opposite edges (they become one without direction)"

// opposite reports whether there are two edges a → b and b → a.
func (g *Graph) opposite() bool {
	directed, _ := g.Directed()
	for _, e := range directed.Edges() {
		if directed.Has(e.To, e.From) {
			return true
		}
	}
	return false
}

// plural names the numbers of all edges.
func (q Quantity) plural() string {
	return [...]string{"probabilities", "probabilities of adjacency", "weights",
		"standard deviations of weights"}[q]
}

// ReadFile reads the graph in a file; see [Read].
func ReadFile(path string) (*Graph, Format, error) {
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() // only read: closing cannot lose anything
	return Read(f, path)
}

// Read reads a graph in any of the [Formats], and says in which; source names r in errors. The
// format is recognised by the content, so that the name of the file does not matter. A file
// compressed by gzip is read as what is in it.
func Read(r io.Reader, source string) (*Graph, Format, error) {
	data, err := readAll(r)
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		data, err = unzip(data)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", source, err)
	}
	f, err := detect(data, source)
	if err != nil {
		return nil, 0, err
	}
	g, err := f.Read(data, source)
	return g, f, err
}

// Read reads the bytes of a file of this format; source names it in errors.
func (f Format) Read(data []byte, source string) (*Graph, error) {
	g, err := codecs[f].read(data, source)
	if err != nil {
		return nil, err
	}
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return g, nil
}

func unzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("compressed by gzip: %w", err)
	}
	if data, err = readAll(r); err != nil && !errors.Is(err, errTooLarge) {
		err = fmt.Errorf("compressed by gzip: %w", err)
	}
	return data, err
}
