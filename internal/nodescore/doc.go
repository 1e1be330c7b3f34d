// Package nodescore has the node scores of [tobac/score] that models of package sem are made of:
// tables of probabilities, blocks of columns, Gaussian processes, pools of listed sets, and
// combinations of scores. Errors and panics begin with score, as those of the public package.
//
// # Gaussian processes
//
//	x_j = b + f(x_A) + ε,  f a Gaussian process with the arc-cosine kernel K0
//	½ ln(1/(n+1)) + ln mean_a N(x_j − x̄_j; 0, 5a·H K0 H + σ²I),  H = I − 11ᵀ/n
//
// with one σ² for all variables ([GP.At]), which holds in the units of the data only, or one for
// each ([GP.Integrated]), on standardised columns. [MaximiseNoiseVariance] finds σ² of any score
// from an engine's evidences.
//
// # Memories
//
// Scores that take long are kept in a [scoring.Memory]. A [Pool] is no memory but a score, under
// which sets that are not listed are impossible. [Kept] has one entry for a set with all of its
// neighbours, which moves of chains ask for together.
//
// # References
//
//   - Y. Cho, L. Saul (2009), NeurIPS: the arc-cosine kernel.
package nodescore
