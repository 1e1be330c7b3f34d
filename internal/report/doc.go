// Package report draws a finished result and explains it on one page.
//
// [Content] is what there is to tell, a plain value that the caller fills. [New] checks it
// and draws its pictures; [Report.WriteHTML] writes the page, [Report.Pictures] are the
// pictures as files.
//
// # Pictures
//
// Every picture is a list of marks on a plane, a scene, which is written as SVG (for the
// page, where the style sheet of the page colours it, and for files, which carry their
// colours) and as PNG by the canvas of gonum/plot. Both agree because neither knows anything
// that the other does not. The graph is laid out in layers by dot of Graphviz, one connected
// part after the other: dot gets numbers for names and the sizes of the nodes, and returns
// coordinates. What it looks like is decided here.
//
// Adjacency of a pair of variables is the probability of an edge between them in either
// direction, P(i→j) + P(j→i). Direction given adjacency is P(i→j) over that sum. The two are
// different questions, and the data may answer only one of them.
//
// # Fit
//
// [FitColumns] compares linear equations with the data: R² and three tests of residuals,
// of the normal distribution (the omnibus test of D'Agostino and Pearson), of constant
// variance (Breusch and Pagan's in Koenker's form) and of linearity (Ramsey's RESET).
//
// # Determinism
//
// The same Content gives the same bytes. Nothing is read from the clock or the environment.
package report
