// Package metrics judges posteriors over causal graphs on d variables against a
// known graph and against held-out data.
//
// There are two things to judge. [EvaluateEdges] judges a d×d matrix of edge
// probabilities, whatever program it comes from: it computes an [EdgeReport].
// [Evaluate] judges weighted graphs, a [posterior.Ensemble] with weights w_m that
// sum to one: it computes a [Report]. The metrics are also there one by one.
//
// # Metrics
//
// With G* the true graph, E* its number of edges and P_ij the probability of the
// edge i → j, for weighted graphs Σ_m w_m G_m[i][j]:
//
//	SHD(G, H)   unordered pairs whose status differs; a reversal counts 1
//	E-SHD       Σ_m w_m SHD(G_m, G*)
//	E-SHD of P  Σ over i → j in G* of (1 − P_ij) + Σ over the other pairs of min(1, P_ij + P_ji)
//	AUROC       P(score of a random edge of G* > score of a random non-edge), ties ½
//	AP          Σ_k (R_k − R_{k−1}) Precision_k over the distinct scores, highest first
//	AUPRC       the same points joined by straight lines, starting at (recall 0, precision 1)
//	Brier       mean of (P_ij − G*_ij)² over the entries that can be edges
//	log score   mean of −ln of the probability given to what is true, P_ij moved into [0.005, 0.995] first
//	calibration Σ_b n_b/n |mean of P_ij in bin b − proportion of edges of G* in it|, ten bins of equal width
//	edges       Σ_m w_m |E(G_m)| = Σ_ij P_ij
//	Neg.LL      −Σ_m w_m ℓ_m, ℓ_m the log density of held-out rows under graph m
//	cyclicity   Σ_m w_m h(G_m), h(G) = tr[(I + G/d)^d] − d, and the number of graphs with a cycle
//
// AUROC, AP and AUPRC rank directed entries. [OffDiagonal] ranks the d(d−1)
// entries that can be edges. [WithDiagonal] adds the d diagonal ones, certain
// negatives of score 0, which inflates the values; published figures of DiBS
// and TOBAC are computed so. All three are NaN where the truth has no edge. The
// Brier score and the calibration error take the probabilities at their word; so
// does the log score.
//
// Where the directions of some edges are not identifiable, judge what is: the skeleton metrics
// rank the d(d−1)/2 unordered pairs by the probability min(1, P_ij + P_ji) that they are joined,
// and the CPDAG distance compares the equivalence classes of the median graph, the edges with a
// probability above ½, and of the truth. In a CPDAG an edge has three states, none, directed and
// undirected, and SHD counts the pairs whose state or direction differs.
//
// # Graphs with cycles
//
// Evaluate drops them first, by an exact test, and renormalises the weights;
// functions called one by one take their input as it is. If no graph is left,
// the metrics take the values of knowing nothing: see [Evaluate].
//
// # Baselines
//
// A figure means little without a baseline. The empty graph has E-SHD = E*, AUROC ½ and AP
// = E*/(d(d−1)), which is its Brier score too; a report has its E-SHD and
// Neg.LL next to the posterior's. An E-SHD below the exact one shows
// overconfidence rather than better inference. A random order violates half of
// the edges ([ViolatedEdges]).
//
// # Failures and concurrency
//
// Graphs of different sizes, slices of different lengths and probabilities
// outside [0, 1] are mistakes of the caller and panic. Log densities that are NaN
// or infinite come from runs and data and are errors that name the draw. Nothing
// is modified or kept; all functions are safe for concurrent use. Sums run in the
// sequence of the draws.
//
// # References
//
// Q.-D. Tran, P. Nguyen, B. Duong and T. Nguyen, Differentiable Bayesian
// structure learning with acyclicity assurance, ICDM 2023 (E-SHD, AUROC, Neg.LL,
// cyclicity). L. Lorch, J. Rothfuss, B. Schölkopf and A. Krause, DiBS:
// Differentiable Bayesian structure learning, NeurIPS 2021. X. Zheng and others,
// DAGs with NO TEARS, NeurIPS 2018, and Y. Yu and others, DAG-GNN, ICML 2019
// (h). I. Tsamardinos, L. Brown and C. Aliferis, The max-min hill-climbing
// Bayesian network structure learning algorithm, Machine Learning 2006 (SHD of
// equivalence classes).
package metrics
