// Package autograd is reverse-mode automatic differentiation of expression graphs, and
// a compiler for them: write a density for one particle and one sample, and evaluate
// it and its gradient for many.
//
// A [Builder] grows a graph of [Node] values by methods that read like the
// equations. [Builder.Grad] adds the gradient as further nodes. [NewEvaluator]
// prepares outputs, as functions of inputs, for running. A [Primitive] is a custom operation.
// Package tobac/autograd/gorgonia exchanges graphs with gorgonia.
//
// # Reverse mode
//
// For a scalar y that is computed through nodes n₁, …, n_k, each with operands
// among the inputs and the nodes before it, the cotangent of a node is
//
//	n̄ᵢ = ∂y/∂nᵢ = Σ_{j reads i} (∂nⱼ/∂nᵢ)ᵀ n̄ⱼ,    ȳ = 1,
//
// accumulated from the last node to the first. Each summand is the
// vector-Jacobian product of one [Primitive] ([Ops] lists those of the package), where
// it stands next to the value and the shape rule. The summands are nodes of the
// same graph: gradients can be combined, evaluated and differentiated again.
//
// From that one pass the others are made: [Builder.Vjp] starts it from any cotangent,
// [Builder.Jvp] is a directional derivative (the derivative of the linear map u ↦ Jᵀu along
// a direction), [Builder.Hvp] the product of a Hessian with a direction; [Builder.Jacobian]
// and [Builder.Hessian] are for small ones. [WithGradient] replaces the derivative of a
// value, [Recompute] spends time to save the memory that a gradient needs, and [Scan] goes
// through a loop with a state.
//
// # Conventions
//
// Values are float64, dense and row-major. The scalar has the empty shape. (Single precision ran
// 1.0 to 1.6 times as fast, for 2,650 lines and a second meaning of every operation.)
// Element-wise operations broadcast by the usual rule: trailing dimensions
// align, dimensions of size 1 repeat. Reductions drop their dimensions.
//
// A mapped axis ([Axis]) is not part of a shape. A node that carries one stands
// for one value per index, and so does everything computed from it. Only the
// operations named …Over, and [Node.Stack], remove an axis; [Node.Unstack] and
// [Map] introduce one from a leading dimension. Axes are ordered as they were
// declared. In the data of an evaluation they lead, outermost first, followed by
// the node's own shape.
//
// The gradient of a node that carries mapped axes is the gradient of its sum over all
// indices: for an input with the same axes it is each index's own gradient, for
// one without them the total. It is zero for an input that the node does not depend on,
// or only through operations without derivative.
//
// Dimensions may be 0. Of no elements the sum is 0, the product 1, the log-sum-exp and
// the maximum −∞, the minimum +∞, and the mean NaN.
//
// Softmax weights, those of [Node.Softmax], of [Node.SoftmaxOver] and of the gradient of
// a log-sum-exp, are e^(x − max x) over their sum, so that they add up to 1 for any size
// of x.
//
// [Builder.Normal] and [Builder.Gumbel] are functions of an input of uniform numbers.
// That input is what an evaluator lists and feeds: see [Builder.InputNamed].
//
// Where a function has a kink or a tie the derivative is a choice: Relu
// and Abs have derivative 0 at 0; Maximum and Minimum give each operand half at a tie (so
// LeakyRelu has the mean of its slopes at 0); Clamp has derivative 1 strictly
// inside its bounds and 0 elsewhere. Sign, Positive, Greater and the other comparisons
// have no derivative. LogSumExp of an infinite result has derivative NaN for the
// elements that are infinite.
//
// Special values follow IEEE arithmetic. NaN stays NaN, in comparisons, log-sum-exps, and
// the largest and smallest of some elements or along an axis, too. [Node.Maximum] and
// [Node.Minimum] are math.Max and math.Min: the maximum of +∞ and NaN is +∞.
//
// # Engines
//
// All engines have one meaning. [Compiled] is meant for work. [Reference] walks the graph by
// definition, each operation on fresh values, once for every index, and is what the others are
// compared with. They agree up to rounding, since sums are taken in other orders. Beyond that the
// compiled engine differs in what it owes its speed to:
//
// Structural zeros. Elements of arrays known to be zero whatever the inputs (+0 in a
// constant, what [Node.ScatterAdd] does not write, and what products, quotients, sums and
// copies make of them) are not computed. The product of such a zero with an infinity or
// NaN is 0 in the compiled engine, and NaN in the others; so is the quotient 0/x where x
// is 0 or NaN. A scalar constant 0 is a number like any other, and so are zeros scattered among
// the numbers of a large constant, a column of zeros and ones for example: x·0 is NaN where x is
// infinite. Use [Node.Where], not a product with zeros, to leave out what may be infinite.
//
// Signs of zeros. An element that is known to be zero is +0, and adding it changes
// nothing: −0 stays −0 where IEEE arithmetic makes +0 of it.
//
// Rewriting. Two constant factors become one if both are between 2⁻⁶⁴ and 2⁶⁴ in
// magnitude: x·2⁶⁰·2⁻⁶⁰ is x, also where x·2⁶⁰ overflows. Factors that are the same for all
// samples are multiplied with each other first. Both hold to rounding where nothing
// overflows or underflows.
//
// Negligible samples. Gradients enter the samples of a log-sum-exp over a mapped axis
// through softmax weights. Sums over that axis of terms proportional to such a weight
// leave out samples whose weight is small, if a bound on the other factors, found in every
// run, says that all that is left out is below 2⁻⁵³ of the largest component of these
// sums; else all samples count. The error is relative to that largest component: one that
// is much smaller may lose more of itself. Weights that a model makes, by
// [Node.SoftmaxOver] or otherwise, leave nothing out.
//
// [Options].Without switches each of these off: see [Pass].
//
// # Accuracy
//
// Exponentials, logarithms, and the trigonometric, error and gamma functions are those of
// a set of kernels, in assembly where the processor allows it; [Kernels] names it. They are
// right to a few units in the last place, also of subnormal numbers, with the special
// values of package math. Sets differ by rounding. Within one, an element of an
// element-wise operation has the same bits by itself, among
// others, in lanes and as a constant, on every engine; sums of products and [Node.SigmoidShift],
// for which lanes have fused multiplication and addition, agree to rounding.
//
// # Failure
//
// A graph that cannot be built keeps its first error, with the name of the
// operation, what it got and what it wants; nodes added afterwards are inert,
// and the error is returned by [Builder.Err], [Compile] and [NewEvaluator].
//
// A run returns an error for feeds of the wrong length before anything is computed. An
// operation that has no result, such as the Cholesky factor of a matrix that is not
// positive definite ([ErrNotPositiveDefinite]), fails only at its index of the loop axis,
// usually the outermost one, for example particles. The run goes on and
// returns a [*FailedError] that names the indices and their causes; their results are NaN,
// and those of the other indices hold. That is so even if [Node.Where] selects another operand
// there: select the operand of the operation instead. With
// [Options].CheckFinite the first number that is not finite is such a cause, a
// [*NonFiniteError]; without it NaN and infinities are results like any others. A nil
// node or builder panics.
//
// Nodes are one only if operation, parameters and operands are equal, bit by bit:
// nothing is merged by printed text or by a hash.
//
// # Concurrency
//
// A [Builder] and its nodes belong to one goroutine at a time; different builders
// may grow at the same time. A [Program] is immutable. An [Evaluator] serves one
// call at a time; any number of them may run one program. Results are bitwise
// the same for any number of workers, and after its first call the compiled
// engine allocates nothing, foreign operations aside.
//
// # References
//
// A. Griewank and A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008,
// chapter 3. M. Giles, Collected matrix derivative results for forward and
// reverse mode algorithmic differentiation, 2008 (products, triangular solves).
// I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527.
package autograd
