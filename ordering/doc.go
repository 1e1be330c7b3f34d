// Package ordering infers a causal order of the columns of a data matrix: a
// list of column indices, sources first, such that every edge of the graph
// that made the data should run from an earlier to a later entry. It says how
// firmly the data decide that order. It does not infer edges given an order.
//
// It is for callers who need an order before, or instead of, a search over
// graphs. It knows neither column names nor files: errors and warnings carry
// column indices, and [WithNames] and [Result.Sentences] add names to them.
//
// # Estimators
//
// [EqVarOptions] assume a linear structural equation model whose noise variances are
// equal. A source then has the smallest marginal variance, and given the
// variables already placed, D, the next one has the smallest conditional
// variance
//
//	v_j = C_jj − C_jD C_DD⁻¹ C_Dj,       C the sample covariance,
//
// which is the smallest remaining diagonal entry of a Cholesky factorisation of
// C that pivots on the minimum. [MethodEqVarBottomUp] finds the sinks first, by the
// same pivots on C⁻¹. [NPVarOptions] have additive smooth functions in place of linear
// ones. [MethodSCORE] makes no use of variances: in an additive model a sink is a
// variable along which the second derivative of the log density is constant.
//
// [MethodVariance] sorts by v_j = C_jj and is the baseline that every other estimator
// has to beat. [Fixed] is an order that the caller knows.
//
// [Method] selects an estimator, with its published settings, by name. [Orderer] is what code
// that needs an order should accept. What is known of the order, a [Precedence], binds every
// choice.
//
// # What an order is worth
//
// [Result.Gaps] says how far behind the second candidate was at every position:
// a near-tie is where an order is a guess, and Result.nearTies lists those.
// [Result.Warnings] lists what the estimator noticed about the data. [Bootstrap]
// orders resamples of the rows; its [Distribution] holds the distinct orders with
// their weights, how often one column precedes another, and how far the resamples
// agree, compared with random orders. Where the true graph is known, [Varsortability] and
// [R2Sortability] say how much of the order the scale of the columns, or their
// predictability, gives away without any causal argument.
//
// # Conventions
//
// Data are n rows (samples) by d columns (variables), float64, without missing
// values. Column and row indices count from 0. order[c] is the column at
// position c. Variances have divisor n−1. Columns are centred in two passes
// before products are summed, so adding a constant to a column changes nothing,
// to rounding. Ties go to the lowest column index and are warnings. Relabelling
// the columns relabels the order, except in a tie.
//
// # When an order means nothing
//
// An order read from variances, by any estimator but SCORE, depends on the units
// of the columns: a common factor changes nothing, a factor on one column can
// change everything. On standardised columns every marginal variance is the
// same, the first pick is decided by sampling noise and the rest follows from
// it; results have a warning then. Do not standardise simulated data
// before ordering them. With unequal noise variances EqVar and NPVar have no
// guarantee. SCORE depends on a common factor too, through a ridge, and means
// nothing on linear Gaussian data, where every second derivative is constant.
//
// # Cost
//
// Multiplications, and seconds on the two cores of an AMD EPYC (go test ./bench
// -run '^$' -bench Order):
//
//	Variance       2nd
//	EqVar          nd²/2 + d³/6               0.4 s for d = 1,000, n = 2,000
//	EqVarBottomUp  nd²/2 + 5d³/6              0.6 s for d = 1,000, n = 2,000
//	NPVar          Σ n(Kp)² + K(Kp)², p < d   15 ms for d = 20, n = 100, K = 20
//	SCORE          d(n²d + n³/6)              1.5 s for d = 20, n = 1,000
//	Bootstrap      the estimator's, times the resamples, divided among workers
//
// EqVar holds d² numbers, NPVar (Kd)² and nKd, SCORE 1½n².
//
// # Failures and concurrency
//
// Estimators return a permutation or an error, never an order in which a NaN
// took part. A fault that lies in one column is a [ColumnError]. Too few rows are
// [ErrTooFewRows]. All functions are safe for concurrent use, leave their
// arguments untouched and keep no reference to them. Results are the same bits
// for any number of processors and workers. A context that is done ends [Orderer.Order] within a
// tenth of a second of processor time.
//
// # References
//
// W. Chen, M. Drton and Y. S. Wang, On causal discovery with an equal-variance
// assumption, Biometrika 106 (2019): top-down and bottom-up.
// M. Gao, Y. Ding and B. Aragam, A polynomial-time algorithm for learning
// nonparametric causal graphs, NeurIPS 2020: NPVar. P. H. C.
// Eilers and B. D. Marx, Flexible smoothing with B-splines and penalties,
// Statistical Science 11 (1996). P. Rolland and others, Score matching enables
// causal discovery of nonlinear additive noise models, ICML 2022: SCORE. A. G.
// Reisach, C. Seiler and S. Weichwald, Beware of the simulated DAG! Causal
// discovery benchmarks may be easy to game, NeurIPS 2021: varsortability. A. G.
// Reisach, M. Tami, C. Seiler, A. Chambaz and S. Weichwald, A scale-invariant
// sorting criterion to find a causal order in additive noise models, NeurIPS
// 2023: R²-sortability.
package ordering
