// Package mcmc samples the posterior over directed acyclic graphs of more
// variables than package exact takes, by Markov chains over ordered partitions
// (Kuipers and Moffa 2017) on tables of node scores,
//
//	p(G | D) ∝ Π_j exp q(j, pa_j),   q(j, A) = log p(x_j | x_A) + ln ρ_j(A),
//
// with the log score of a [score.Scorer] and a modular [score.Prior].
//
// # Partitions
//
// A graph has one ordered partition of its variables: the first layer holds those
// without parents, and every variable of a later layer has all parents in earlier
// layers and at least one in the layer right before its own. So each graph counts
// once, unlike in sums over orders. Given the partition, the parents of the
// variables are independent, and with U the variables of the layers before
// the layer of j and L ⊆ U those of the last of them, the sum over the parents that it allows is
//
//	w_j = Σ_{A⊆U, A∩L≠∅} exp q(j, A) = Σ_{A⊆U} exp q(j, A) − Σ_{A⊆U∖L} exp q(j, A),
//
// two look-ups in a table of sums over subsets. A chain moves partitions with
// the probability Π_j w_j; what it records are the probabilities of edges given the partition.
//
// # Tables
//
// The table of a variable has all subsets of its candidates: those that probable graphs and
// short chains use, and the parents that variables have where one walks along the order of such a
// graph, or an edge is turned around, which are those of other modes; [DefaultCandidates] says how
// many at most. Any other variable may be a parent too: such
// parents belong to the state of a chain, and a table of all
// subsets of the candidates with them as further parents is made when a chain gets there.
// Where a variable has more probable parents than candidates, the certain ones are of this kind.
// [Result.Outside] says how many such edges the posterior expects. Their probabilities in
// [Result.Edges] are means of their probabilities given all other edges of sampled graphs.
//
// # Moves
//
// Relocation of a variable into any layer or between two (a Gibbs step), exchange of two
// variables, splitting and merging of layers, new parents and reversal of an edge of a graph
// drawn given the partition (Grzegorczyk and Husmeier 2008), a parent more or less from
// outside the candidates, and parallel tempering of p(partition) with inverse temperatures that
// adapt during the warm-up. Three of four reversals are of edges that may turn: between a pair of a
// list that is made before the first iteration, by how much ln p(D, G) falls where an edge of the
// first graphs turns around. Each chain starts from a different graph, found by package search, or
// from the best of them if its own is e^7 times less probable.
//
// # Trust
//
// [Result.Diagnostics] has split R̂ and effective sample sizes of the least certain edges and of
// ln p(D, G), and says in words when chains disagree. That chains agree proves nothing:
// all may miss the same mode.
//
// A [Sampler] belongs to one goroutine at a time. It starts as many as its options say
// and waits for them; their number changes no bit of a result, nor does an interruption
// that a [Snapshot] bridges. Settings out of range and scores that are not numbers are errors.
//
// # References
//
// J. Kuipers, G. Moffa, Partition MCMC for inference on acyclic digraphs, JASA 2017.
// J. Viinikka, A. Hyttinen, J. Pensar, M. Koivisto, Towards scalable Bayesian learning of
// causal DAGs, NeurIPS 2020. M. Grzegorczyk, D. Husmeier, Improving the structure MCMC
// sampler for Bayesian networks by introducing a new edge reversal move, Machine
// Learning 2008. S. Syed and others, Non-reversible parallel tempering, JRSS B 2022.
package mcmc
