// Package bench judges posteriors over causal graphs: metrics against a known
// graph and against held-out data.
//
// A posterior is an [Ensemble]: particles, each a directed graph on d
// variables, with weights w_m that sum to one. [Evaluate] computes a [Report]
// from it; the metrics are also there one by one.
//
// # Metrics
//
// With G* the true graph, E* its number of edges and P_ij = Σ_m w_m G_m[i][j]
// the probability of the edge i → j:
//
//	SHD(G, H)   unordered pairs whose status differs; a reversal counts 1
//	E-SHD       Σ_m w_m SHD(G_m, G*)
//	AUROC       P(score of a random edge of G* > score of a random non-edge), ties ½
//	AP          Σ_k (R_k − R_{k−1}) Precision_k over the distinct scores, highest first
//	AUPRC       the same points joined by straight lines, starting at (recall 0, precision 1)
//	edges       Σ_m w_m |E(G_m)|
//	Neg.LL      −Σ_m w_m ℓ_m, ℓ_m the log density of held-out rows under particle m
//	cyclicity   Σ_m w_m h(G_m), h(G) = tr[(I + G/d)^d] − d, and the number of particles with a cycle
//
// AUROC, AP and AUPRC rank directed entries. [OffDiagonal] ranks the d(d−1)
// entries that can be edges. [WithDiagonal] adds the d diagonal ones, certain
// negatives of score 0, which inflates the values; published figures of DiBS
// and TOBAC are computed so. All three are NaN where the truth has no edge.
//
// # Particles with cycles
//
// Evaluate drops them first, by an exact test, and renormalises the weights;
// functions called one by one take their input as it is. If no particle is
// left, the metrics take the values of knowing nothing: see [Evaluate].
//
// # Yardsticks
//
// A figure means little alone. The empty graph has E-SHD = E*, AUROC ½ and AP
// = E*/(d(d−1)); a report carries its E-SHD and Neg.LL beside the posterior's.
// An E-SHD below that of the exact posterior shows overconfidence rather than
// better inference. A random order violates half of the edges
// ([ViolatedEdges]).
//
// # Failures and concurrency
//
// Graphs of different sizes and slices of different lengths are mistakes of the
// caller and panic. Log densities that are NaN or infinite come from runs and
// data and are errors that name the particle. Nothing is modified or kept but
// what the constructors of Ensemble take; all functions are safe for concurrent
// use. Sums run in the order of the particles.
//
// # References
//
// T. H. Tran, B. Nguyen, T. Duong and B. Nguyen, Differentiable Bayesian
// structure learning with acyclicity assurance, ICDM 2023 (E-SHD, AUROC, Neg.LL,
// cyclicity). L. Lorch, J. Rothfuss, B. Schölkopf and A. Krause, DiBS:
// Differentiable Bayesian structure learning, NeurIPS 2021. X. Zheng and others,
// DAGs with NO TEARS, NeurIPS 2018, and Y. Yu and others, DAG-GNN, ICML 2019
// (h).
package bench
