// Package graphfile reads and writes graphs, and what is known of their edges, in the formats of
// other programs.
//
// # Graphs
//
// A [Graph] has named vertices, perhaps without edges, and edges with or without direction, each
// with up to four numbers: its probability, that of an edge in either direction, its weight, and
// the weight's standard deviation. Cycles are allowed, the two edges a → b and b → a among them.
// Two vertices that an edge without direction joins have no other edge. Edges that stand for a
// hidden common cause (a ↔ b), or leave one open (a o→ b), are errors, because no Graph says the
// same.
//
// # Formats
//
// [Formats] lists them; each says by [Format.Lost] what of a graph it cannot hold. [Read] tells
// them apart by what is in the file, not by its name, since many share an ending.
// internal/graphfile/formats.md has an example of each, and says what each reader takes for an
// edge, a name, a probability and a weight.
//
// An entry (i, j) of a matrix is the edge i → j. A matrix of 0 and 1 with both entries of a pair is
// read as an edge without direction, as programs that search equivalence classes write it; in other
// matrices they are two edges.
//
// Where a format joins vertices in one way only, as networkx does, and a graph has edges of both
// kinds, an undirected edge is written as two edges that are marked undirected=true.
//
// # Failure
//
// Faults of a file are a [*delimited.Error] with file and line where the fault has one, or another
// error that begins with the file's name. Nothing panics, whatever the bytes are (fuzzed). Files
// are read up to [MaxBytes], before and after decompression, and graphs up to [MaxVertices].
//
// The parser of DOT stands in for gonum's, which misreads files that occur; tests compare them.
//
// A Graph may be read by several goroutines at once.
package graphfile
