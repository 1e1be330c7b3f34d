package graphfile

import (
	"fmt"
	"io"
)

// A Format is a file format for graphs.
type Format int

const (
	// EdgeList is a list of edges with a header, separated by commas: source,target and numbers.
	EdgeList Format = iota
	// EdgeTabs is the same separated by tabs.
	EdgeTabs
	// Arrows is a text with one edge a --> b or a --- b per line, as Tetrad and causal-cmd write
	// it.
	Arrows
	// Matrix is a square matrix as text, with the names of the vertices above it and in front of
	// its lines.
	Matrix
	// NPY is a square NumPy array.
	NPY
	// NPZ is an archive of NumPy arrays: names, adjacency, probability, adjacent, weight,
	// weight_sd.
	NPZ
	// NetworkX is JSON as networkx.node_link_data makes it.
	NetworkX
	// GraphML is XML of networkx, igraph, yEd and others.
	GraphML
	// DOT is the language of Graphviz, and DAGitty's variant of it.
	DOT
	// BIF is the Bayesian network interchange format, with the tables that it is for.
	BIF

	formatCount
)

// MaxBytes is the largest size of a file that is read, before and after decompression.
const MaxBytes = 64 << 20

var errTooLarge = fmt.Errorf("more than %d MiB, want a graph that is smaller", MaxBytes>>20)

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = errTooLarge
	}
	return data, err
}

const byteOrderMark = "\uFEFF"
