// Package bench judges posteriors over causal graphs: metrics against a known
// graph and against held-out data, the experiments of the paper, and the
// benchmarks of the whole sampler step.
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
//	Brier       mean of (P_ij − G*_ij)² over the entries that can be edges
//	calibration Σ_b n_b/n |mean of P_ij in bin b − share of edges of G* in it|, ten bins of equal width
//	edges       Σ_m w_m |E(G_m)|
//	Neg.LL      −Σ_m w_m ℓ_m, ℓ_m the log density of held-out rows under particle m
//	cyclicity   Σ_m w_m h(G_m), h(G) = tr[(I + G/d)^d] − d, and the number of particles with a cycle
//
// AUROC, AP and AUPRC rank directed entries. [OffDiagonal] ranks the d(d−1)
// entries that can be edges. [WithDiagonal] adds the d diagonal ones, certain
// negatives of score 0, which inflates the values; published figures of DiBS
// and TOBAC are computed so. All three are NaN where the truth has no edge. The
// Brier score and the calibration error take the probabilities at their word; so
// do [LogScore], [Entropy] and [Decided].
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
// = E*/(d(d−1)), which is its Brier score too; a report carries its E-SHD and Neg.LL beside the posterior's.
// An E-SHD below that of the exact posterior shows overconfidence rather than
// better inference. A random order violates half of the edges
// ([ViolatedEdges]).
//
// # Experiments
//
// An [Experiment] applies methods to problems and judges both posteriors that a
// set of particles stands for: all particles alike, and weighted by their
// density on the training rows (the "+" of the paper). Particles may follow several
// causal orders, each with its weight ([Fitted]). [SachsSplits] and
// [ReadProblem] make problems, [TableI], [LinearReference] and
// [NonlinearReference] hold the published figures to put beside, [WriteTable]
// prints. This package does not import the
// sampler's main job: a [Method] is any function, and the tests pass tobac.Fit.
// They repeat the paper's experiments, in minutes rather than seconds, by
//
//	go test ./bench -run 'TestPaper(Sachs|Linear)' -long -v -timeout 60m
//	go test ./bench -run TestPaperNonlinear -long -v -timeout 120m
//	go test ./bench -run TestOrders -long -v -timeout 120m
//
// # Benchmarks
//
// BenchmarkStep times one SVGD step of the published linear set-up (n = 100,
// M = 30, S = 128, joint estimator, α = 10), gradients, kernel and optimiser
// together, on each engine of package autograd. The compiled engine uses
// GOMAXPROCS goroutines, reported as "workers"; the others use one. The rows
// engine=handwritten are the same step in plain Go, written for the linear model
// and for networks alone without expressions or assembly, on GOMAXPROCS goroutines
// too (its uniform noise comes from package autograd). Tests check that all engines
// compute the same scores on this problem. The rows
// engine=compiled32 are the compiled engine in float32; TestFloat32Scores prints the
// error of its scores with -long -v.
//
// To compare two versions of the code, on a machine that does nothing else:
//
//	go test ./bench -run '^$' -bench 'Step/linear/d=/engine=compiled$' -count 10 > old.txt
//	# change the code
//	go test ./bench -run '^$' -bench 'Step/linear/d=/engine=compiled$' -count 10 > new.txt
//	go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da old.txt new.txt
//
// To compare the engines with each other (the slow ones take seconds per step):
//
//	go test ./bench -run '^$' -bench Step -count 10 -benchtime 3x -timeout 60m > engines.txt
//	go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da -col /engine engines.txt
//
// With -cpu 1 the compiled engine runs on one core.
//
// BenchmarkExpression times densities that the compiler knows nothing special
// about (network regressions over 10,000 rows, mixtures in 200 dimensions, the toy
// densities) on each engine, all on one worker. BenchmarkGrowth times the step over
// variables, rows, particles, samples and workers, one parameter at a time, and
// BenchmarkPreparation what the linear model does with its rows once. Two tests
// print them as tables, with the ratios of the engines, and with the measured
// exponents beside the expected ones, and a third one where the time of a score goes;
// they assert nothing about times:
//
//	go test ./bench -run TestExpressionTable -long -v
//	go test ./bench -run TestGrowth -long -v -timeout 30m
//	go test ./bench -run TestStepProfile -long -v
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
// Q.-D. Tran, P. Nguyen, B. Duong and T. Nguyen, Differentiable Bayesian
// structure learning with acyclicity assurance, ICDM 2023 (E-SHD, AUROC, Neg.LL,
// cyclicity). L. Lorch, J. Rothfuss, B. Schölkopf and A. Krause, DiBS:
// Differentiable Bayesian structure learning, NeurIPS 2021. X. Zheng and others,
// DAGs with NO TEARS, NeurIPS 2018, and Y. Yu and others, DAG-GNN, ICML 2019
// (h).
package bench
