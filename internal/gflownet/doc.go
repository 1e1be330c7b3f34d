// Package gflownet samples causal graphs by a generative flow network, DAG-GFlowNet: a policy
// that builds an acyclic graph edge by edge, and stops in it with the probability that the
// graph has in the posterior.
//
// # States, rewards, policies
//
// A state is an acyclic graph; an action adds an edge that closes no cycle, or stops. The
// reward is modular,
//
//	ln R(G) = Σ_j ln p(x_j | x_pa) + ln ρ_j(pa_j),
//
// with the scores and priors of package score; edges that these rule out are no actions, and
// episodes begin with the required ones. An edge that leads from s to s' makes the difference
// δ = ln R(s') − ln R(s), in which only its target counts. With the backward policy that
// takes each of the e(s') edges that are not required away with the same probability, the flow
//
//	F(s) = R(s) + Σ_{s'} F(s')/e(s')
//
// has the policy π(stop|s) = R(s)/F(s), π(s'|s) = F(s')/(e(s') F(s)), which stops in G with
// the probability R(G)/F(∅). [Flows] computes it for at most five variables. For more the
// policy is a network, trained to fulfil the modified detailed balance of every transition,
//
//	e = δ − ln e(s') − ln π(s'|s) + ln π(stop|s) − ln π_target(stop|s') = 0,
//
// by the mean Huber loss of batches from a buffer of transitions. Gradients are reverse mode
// of package autograd; Adam is that of package svgd; the target network is a copy of the
// network from time to time.
//
// # Networks
//
// [Settings] describes Graph. Small and Paper have one token for each pair (i, j), whose
// vector h is the rows i and d+j of a table side by side, and blocks
//
//	u = LN([E₁ a, h]),  h ← h + Attention(u)
//	v = LN([E₂ a, h]),  h ← h + W₂ gelu(W₁ v)
//
// with a whether i → j is there, and linear attention in four heads, q and k = elu(W·)+1,
//
//	out_t = q_tᵀ (Σ k vᵀ) / (q_t·Σ k + 10⁻⁶).
//
// A shared trunk of blocks is followed by blocks of their own and an MLP for the logits
// of the edges, and for that to stop, of the mean token. Paper has the width 256, side
// inputs of 128, 3 + 2 + 2 blocks and the MLPs 256–128–1; Small 64, 32, 1 + 1 + 1 blocks and 64–1.
//
// # What guides a policy
//
// In the paper a network sees the graph and finds out what edges are worth from rewards. The
// differences δ of all next edges are known, though, since rows of them are remembered by variable
// and parents. [Guided] logits, the default of Graph and Small, add the network's to those of a
// policy without parameters: the best single edges complete the graph, further edges are taken to
// be independent with the odds e^δ, and flows of such graphs have a closed form (guide.go). At a
// state that few edges improve this is nearly exact; what is left to learn is of the order of one
// nat instead of hundreds. bench/notes/gflownet.md has what both reach.
//
// # Bits and failures
//
// The number of workers changes no bit of a result, nor does an interruption with a
// [State]. Every random number is from a stream of package internal/stream, by iteration and
// environment, or by draw. A gradient that is not finite is left out and counted. Scores that
// are not numbers are errors. A Model belongs to one goroutine at a time.
//
// # References
//
// T. Deleu, A. Góis, C. Emezue, M. Rankawat, S. Lacoste-Julien, S. Bauer, Y. Bengio, Bayesian
// structure learning with generative flow networks, UAI 2022. R. Eggeling, J. Viinikka, A.
// Vuoksenmaa, M. Koivisto, On structure priors for learning Bayesian networks, AISTATS 2019: the
// fair prior.
package gflownet
