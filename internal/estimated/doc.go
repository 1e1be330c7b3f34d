// Package estimated has posteriors over graphs whose node scores are estimates: evidences of
// networks, or under custom likelihoods, of the sets of parents that matter, for sums and chains
// over graphs. Their parameters are drawn where an evidence was estimated. It also runs chains over
// networks given an order.
//
// Package refinement makes node scores exact where they carry the posterior. Here a better score is
// still an estimate, whose precision grows with its probability, and guesses of the others move by
// what estimates and guesses differ: the sets that matter change with every round.
package estimated
