// Package gaussian approximates densities by normal distributions, in seconds where Markov chains
// take minutes:
//
//   - [Laplace]: around the mode, with the inverse of the negative Hessian as covariance;
//   - [Pathfinder]: the best of the normal distributions along paths of an optimiser, as judged
//     by the evidence lower bound, several of them weighted by importance, with further normal
//     distributions where few weights count;
//   - [Variational]: the one with the greatest evidence lower bound, with a diagonal covariance
//     (mean field) or any (full rank).
//
// A density that one of them is close to is nearly standard normal in its coordinates, [Whitened]:
// there chains need short trajectories however strong its correlations,
//
//	n, err := gaussian.Laplace{Target: m}.Fit(ctx)
//	w := &gaussian.Whitened{Target: m, By: n}
//	z, err := chain.Sampler{Target: w, Kernel: nuts.Kernel{}}.Run(ctx, 1000, nil)
//	x := w.Points(z[0]) // of each chain
//
// and particles of Stein variational gradient descent keep their variances ([Stein]).
//
// All work on any chain.Target, in its coordinates without constraints, such as those of a
// density.Model. Their error does not vanish with more work: [Normal.Judge] weights draws by the
// ratio of the densities, and diagnostics.Approximation says what the weights tell. Package sample
// does both and prints a table with the warnings.
//
// # References
//
// L. Zhang, B. Carpenter, A. Gelman and A. Vehtari, Pathfinder: parallel quasi-Newton variational
// inference, Journal of Machine Learning Research 23 (2022) 306. A. Kucukelbir and others,
// Automatic differentiation variational inference, Journal of Machine Learning Research 18 (2017)
// 14. Y. Yao, A. Vehtari, D. Simpson and A. Gelman, Yes, but did it work?, Proceedings of
// Machine Learning Research 80 (2018) 5581–5590 (the judgement by importance weights).
// J.-M. Cornuet, J.-M. Marin, A. Mira and C. P. Robert, Adaptive multiple importance sampling,
// Scandinavian Journal of Statistics 39 (2012) 798–812 (distributions that follow the weights).
package gaussian
