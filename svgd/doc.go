// Package svgd moves a set of particles towards a target density by Stein
// variational gradient descent. It sees a target only through its score (the
// gradient of the log density): no model, no data, no graph.
//
// # Particles and blocks
//
// A particle is a list of blocks, for example a latent tensor and a parameter
// vector. M particles are stored block by block as x []*mat.Dense: row i of
// every block belongs to particle i, so x[b] is M×p_b. Views with a stride
// larger than their width are allowed.
//
// # Update
//
// With a kernel k and the score g = ∇ log p, all particles move along
//
//	φ(m) = 1/M Σ_r [ k(x_r, x_m)·g(x_r) + ∇_{x_r} k(x_r, x_m) ]        (1)
//
// which is the direction of steepest descent of the Kullback–Leibler divergence
// to the target (equation 8 of [1]). φ is an ascent direction of log p and the
// mean includes r = m. The first term drives particles towards high density, the
// second, repulsive, keeps them apart. In block b, equation (1) reads
//
//	φ_b(m) = 1/M Σ_r gram[r,m]·g_b(r) + 1/M repulsion_b(m)              (2)
//
// where the kernel value is the whole one, whatever the block. φ is computed for
// all blocks from the old state; only then do the particles move.
//
// # Kernels
//
// [RBF] is one squared exponential of all blocks jointly, [Additive] the sum of
// one per block, and [Linear] the kernel xᵀy + 1, under which a Gaussian target
// is matched in mean and covariance exactly. The squared exponential is
//
//	k(x, y) = exp(−‖x − y‖²/h)                                          (3)
//
// without a factor 2; h is called the bandwidth and has the unit of a squared
// distance. It is fixed ([Fixed]) or chosen from the particles ([Median]). [IMQ] is the inverse
// multiquadric (c² + ‖x − y‖²/h)^(−β), whose tails are heavy.
// Particles that are far apart are multiplied with each other as matrices, relative
// to particle 0; those that are near each other, compared with their distances
// from particle 0, are subtracted one from the other. So nothing cancels, neither
// far from the origin nor in a narrow cluster: the distance of every pair and its
// share in the repulsion are right to about 16 units in the last place. The
// diagonal of the Gram matrix is exact, and particles at one point, which receive
// the same bits, stay together.
//
// A distance of many coordinates is nearly the same for all pairs of particles: a joint
// kernel then repels too little, and M particles collapse. A kernel may be a
// matrix instead, diagonal with a separate kernel for each group of coordinates,
//
//	K(x, y) = diag( k_g(x_g, y_g) · I ),   φ_g(m) = 1/M Σ_r [ k_g(x_r,g, x_m,g)·g_g(x_r) + ∇_{x_r,g} k_g ]    (5)
//
// where every k_g is positive definite on its own coordinates, so that (1) is still the direction
// of steepest descent of the divergence, among functions whose components depend on their own
// group. [Grouped] has a kernel for each group of the coordinates of a block, or for each
// coordinate, with its own median bandwidth; [Blocks] has one for each block, [Sum] adds kernels,
// and [Alone] is none: φ = g.
//
// By (5) a group moves by a field on its own coordinates. So groups that are independent at the
// start stay independent, in the limit of many particles and small steps; with a kernel for each
// coordinate the ranks of the particles in it never change. What (5) finds is then not the density
// but the best product of distributions of the groups,
//
//	q_g(x_g) ∝ exp( E_{q of the other groups} log p(x) ),
//
// the mean-field approximation, as a sample, which is the density where groups are independent. For
// a normal density of 20 coordinates with unit variances and correlations ρ^|i−j|, 30 particles,
// 400 steps of RMSProp that end at 0, the mean variance of the coordinates and the mean correlation
// of neighbours are (TestVariancesOfCoordinates)
//
//	                                      ρ = 0         ρ = 0.5
//	the density                           1    0        1    .50
//	RBF{}                                 .15  .02      .24  .88
//	IMQ{}                                 .44  .00      .50  .81
//	Grouped{Size: 1}                      .91  .01      .58  .04
//	Grouped{Kernel: IMQ{}, Size: 1}       .94  .00      .60  .03     (best product: .61, 0)
//	Sum of the second and the last        .85  .00     1.31  .81
//
// With 10 and 100 particles the last but one has the variances .86 and .98 at ρ = 0, and IMQ{} .19
// and .70.
//
// A kernel measures distances: where scales differ or coordinates depend on each other strongly,
// let the particles move in the coordinates of a normal distribution that is close to the density,
// with Grouped{Kernel: IMQ{}, Size: 1}: gaussian.Stein does, and tells what the particles lack.
// bench/notes/samplers.md has what that gives on posteriordb.
//
// # Judging particles
//
// [IMQ.Discrepancy] is the kernelised Stein discrepancy of particles from the density whose scores
// they have, with a bootstrap p-value. In the example above it finds RBF{} (p = .005 for both ρ)
// and IMQ{} (.010 at ρ = 0.5) to be further from the density than 30 independent draws would be,
// and not the product, whose pairs of particles look like pairs of independent ones: its
// V-statistic, .85 against .25 of the sum at ρ = 0.5, does. [Stats] has the kernel's effective
// number of neighbours.
//
// # Optimisers
//
// An [Optimizer] turns φ into the increment of the particles: [SGD] (plain
// ascent), [RMSProp], [Adam], and [Scheduled] around any of them. Optimisers are
// immutable values; what they remember is a [State], which belongs to the
// [Sampler] and survives JSON bit for bit.
//
// # Runs
//
// [Sampler.Run] repeats [Sampler.Step] for numbered steps. The step number is an
// argument, so a run cut in two, even over two processes, equals the whole run
// bit for bit when the particles and the state are carried over. The particles
// are updated in place and always hold the state at a step boundary: on failure
// and on cancellation they, and the optimiser's state, are those before the step
// named in the [StepError].
//
// # Failures
//
// Violated preconditions (wrong shapes, negative settings) panic with a message
// that starts with "svgd:". A failing target, cancellation, a non-finite number
// ([ErrNonFinite]), a state that does not fit ([ErrState]) and a TOBAC_KERNELS that
// names no kernels of this processor are errors.
//
// # Concurrency and determinism
//
// Kernels and optimisers are stateless and safe for concurrent use; a Sampler is not. Nothing here
// starts a goroutine, is random (but for [Stein.PValue], which is handed its generator), or
// allocates after the first two steps of a run. (A call of Evaluate by itself allocates.) All sums
// run in a fixed order, so results repeat bit for bit on one processor architecture with the same
// vector kernels: those for AVX2 and AVX-512, which agree to the bit, or the portable ones that
// other processors, the build tag purego and TOBAC_KERNELS=portable select.
//
// # References
//
//	[1] Q. Liu, D. Wang. Stein variational gradient descent: a general purpose
//	    Bayesian inference algorithm. NeurIPS 2016.
//	[2] Q. Liu, D. Wang. Stein variational gradient descent as moment matching.
//	    NeurIPS 2018.
//	[3] T. Tieleman, G. Hinton. RMSProp. Coursera lecture 6.5, 2012.
//	[4] D. Kingma, J. Ba. Adam: a method for stochastic optimization. ICLR 2015.
//	[5] J. Gorham, L. Mackey. Measuring sample quality with kernels. ICML 2017.
//	[6] K. Chwialkowski, H. Strathmann, A. Gretton. A kernel test of goodness of
//	    fit. ICML 2016.
package svgd
