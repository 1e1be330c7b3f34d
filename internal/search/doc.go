// Package search finds one probable graph of many variables by iterated local search, for any
// node scores and any prior that is a product over variables,
//
//	maximise ln p(D, G) = Σ_j q(j, pa_j),   q(j, A) = log p(x_j | x_A) + ln ρ_j(A).
//
// # Steps
//
// A state is an order of the variables, with parents of each among those before it. A variable
// walks along the order in both directions, past one neighbour after the other: it loses or
// gains that one as parent, or the other way round, and where this changes something, the
// parents climb by single changes from those they were. The variable goes to the best place on
// the way. This goes on with it and with all whose parents have changed until no variable has a
// better place.
//
// From there, a few neighbouring variables go to random places, the others follow, and the
// search goes back if that was worse, by a margin that falls to zero.
//
// Sets of parents that differ in one from another are scored from one factorisation, where a
// score can ([nodescore.ToggleScorer]). That of a large set follows from the one of the set before
// ([nodescore.NearScorer]).
//
// # Candidates
//
// A [Screen] lists for each variable the others that improve its score most, one at a time. The
// search begins with these, and then looks at all others, if the score is a
// [nodescore.ToggleScorer]. At the end, all variables are tried as one more parent of every
// variable that they do not descend from. So no edge more or less without a cycle improves the
// graph that it returns. Where many variables explain a little each, none of them is worth its
// price before most of the others are parents; there a variable gets all at once that promise to
// be parents, and loses those that then prove useless. A variable of many parents is also tried
// with all others, which leave it one by one, and with random ones that others then make room for.
//
// The search takes its random numbers from its caller; the same numbers give the same graph. A
// [Screen] may be used by several searches at the same time, a [Searcher] belongs to one
// goroutine.
//
// # References
//
// M. Teyssier, D. Koller, Ordering-based search, UAI 2005. B. Andrews and others, Fast scalable
// and accurate discovery of DAGs using the best order score search and grow-shrink trees,
// NeurIPS 2023. M. Wienöbst, L. Henckel, S. Weichwald, Embracing discrete search, arXiv
// 2510.04970. H. R. Lourenço, O. C. Martin, T. Stützle, Iterated local search, in Handbook of
// metaheuristics, 2003.
package search
