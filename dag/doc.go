// Package dag holds directed graphs as values: adjacency, cycle test, topological order, closure,
// equivalence class, and the formats in which graphs enter and leave the program.
//
// # Conventions
//
// A [Graph] has vertices 0, …, d−1 and no edge from a vertex to itself. G[i][j] = 1 means the edge
// i → j; column j lists the parents of j. A graph may hold cycles until someone asks:
// [Graph.Acyclic] answers, [Graph.CheckAcyclic] names a cycle. An order is a list of vertices,
// roots first: order[c] is the vertex at position c. Graphs are dense and small, and how ties are
// broken is part of results: hence no graph package of gonum.
//
// # Formats
//
// Edge lists are tables of text with one edge per line, a source, a target and perhaps a weight
// ([ReadEdges], [WriteEdges]); package delimited describes the text.
//
// # Failure
//
// An index outside 0, …, d−1, a list that is not a permutation and sizes that do not fit are the
// caller's mistakes and panic. Everything that may come from a file or from inference is an error:
// [*CycleError] for cycles, [*delimited.Error] with file and line for edge lists.
//
// # Concurrency
//
// Any number of goroutines may read one graph; [Graph.Set] needs exclusive access.
//
// # References
//
//   - A. B. Kahn (1962), Topological sorting of large networks, Communications of the ACM 5(11),
//     558–562.
//   - T. Verma and J. Pearl (1990), Equivalence and synthesis of causal models, UAI, 255–270.
//   - C. Meek (1995), Causal inference and causal explanation with background knowledge, UAI,
//     403–410: rules R1 to R3.
package dag
