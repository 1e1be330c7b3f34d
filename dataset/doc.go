// Package dataset holds tables of measurements: it reads and writes them, standardises and splits
// them, carries the Sachs data, and simulates data with a known graph.
//
// # Conventions
//
// A [Table] is a matrix X, n×d, row-major, one row per observation and one named column per
// variable. Column j is vertex j of a graph from package dag. Every number is finite; readers
// refuse a file otherwise, and [Table.Validate] checks a table built by hand. Standardising divides
// by the population standard deviation (divisor n, "ddof 0"), because that is how the published
// Sachs experiment was prepared.
//
// Values that were set by intervention are marked in Table.Intervened; whatever selects, permutes,
// scales or transforms a table keeps the marks with their numbers, and [Table.Observational] is the
// part without any. Files hold no marks: a mask is a separate table.
//
// # Files
//
// [ReadFile] reads text tables ([ReadCSV]; package delimited describes separators, line ends and
// decimal marks) and NumPy arrays ([ReadNPY]).
//
// # Simulated data
//
// [SimulateER] and [SimulateScaleFree] draw graphs, [SimulateLinear] draws a linear Gaussian
// structural equation model on a graph and data from it, [SimulateNonlinear] one with a network of
// the parents in place of the sum:
//
//	x_j = Σ_{i ∈ pa(j)} Θ[i][j]·x_i + ε_j,   ε_j ~ N(0, σ²),   Θ[i][j] = w + ½·sign(w),   w ~ N(0, 1)
//
// [SimulateEquations] draws data of custom equations.
//
// The noise is given as a variance σ². Graph, parameters, training noise and held-out noise have
// separate random streams, each a function of only the seed and the purpose: the same seed in
// two configurations is safe, and more rows of one kind change nothing else.
//
// # Failure
//
// Bad data and bad settings are errors that say where, what was found and what is allowed; faults
// in text files are [*delimited.Error] values. Panics are for callers' mistakes only and
// documented.
//
// # Concurrency
//
// No function keeps or changes its arguments, apart from advancing a random number generator. Any
// number of goroutines may read one table.
//
// # References
//
//   - Q.-D. Tran, P. Nguyen, B. Duong, T. Nguyen (2023), ICDM: the simulated data and the
//     preparation of the Sachs data.
//   - K. Sachs et al. (2005), Science 308, 523–529: the Sachs data.
//   - A.-L. Barabási and R. Albert (1999), Science 286, 509–512: growth with preferential
//     attachment.
package dataset
