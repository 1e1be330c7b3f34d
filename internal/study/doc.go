// Package study does the experiments of the paper: methods on data sets, judged against the graphs
// that made the data.
//
// An experiment is a value. A [Cell] is a data set ([Data]: a split of the Sachs data, a
// simulator's settings with their seed, or tables), a method ([Method]: the settings of a fit as
// text) and a seed. It is done as a job of package jobs, whose output, an [Outcome], is a function
// of the cell bit by bit: metrics, edge probabilities, calibration counts and the digest of the
// true graph. Names and titles are no part of a job, so that a cell which occurs in several studies
// is done once.
//
// A [Study] has sections, each a table of methods over the data sets of one kind. [New] makes those
// of the paper, [Only] keeps a part, [Cells] lists what is to be done, [Collect] puts the outputs
// together, and [Results] writes them: results.csv, Markdown and a page, with the five claims of
// the paper ([Results.Claims]) judged by a stated rule.
//
// # Methods
//
// The published recipes are those of [tobac.Paper], with the generator's edge probability and noise
// variance, as in the paper. Beside them stand methods that keep a comparison honest: the graph
// without edges; TOBAC under a random order; stepwise regression along EqVar's order; the exact
// posterior of the same model given an order, and over all of them; and this program's default,
// which is told nothing.
//
// # How posteriors are read
//
// A posterior of particles is judged by its draws, with equal weights and, written "+", weighted by
// their density on the training rows; any other by the edge probabilities that it lists. Log
// densities of held-out rows are in the units of the data.
//
// # Failure and concurrency
//
// A cell that fails is an error of its job and a line of the tables; the others go on. All
// functions may be used by several goroutines.
package study
