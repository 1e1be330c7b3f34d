// Package autograd is reverse-mode automatic differentiation of expression
// graphs, with gorgonia graphs underneath: write a density for one particle and
// one sample, and evaluate it and its gradient for many.
//
// A [Builder] grows a graph of [Node] values by methods that read like the
// equations. [Builder.Grad] adds the gradient as further nodes. [NewEvaluator]
// prepares outputs, as functions of inputs, for running.
//
// # Reverse mode
//
// For a scalar y that is computed through nodes n₁, …, n_k, each with operands
// among the inputs and the nodes before it, the cotangent of a node is
//
//	n̄ᵢ = ∂y/∂nᵢ = Σ_{j reads i} (∂nⱼ/∂nᵢ)ᵀ n̄ⱼ,    ȳ = 1,
//
// accumulated from the last node to the first. Each summand is the
// vector-Jacobian product of one row of the op table ([Ops] lists them), where it
// stands next to the value and the shape rule. The summands are nodes of the
// same graph: gradients can be combined, evaluated and differentiated again.
//
// # Conventions
//
// Values are float64, dense and row-major. The scalar has the empty shape.
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
// The gradient of a node that carries mapped axes is that of its sum over all
// indices: for an input with the same axes it is each index's own gradient, for
// one without them the total.
//
// Where a function has a kink or a tie the derivative is a choice: that of Relu
// and Abs at 0 is 0; Maximum and Minimum give each operand half at a tie (so
// LeakyRelu has the mean of its slopes at 0); Clamp has derivative 1 strictly
// inside its bounds and 0 elsewhere. Sign, Positive and Greater have no
// derivative. LogSumExp of an infinite result has derivative NaN for the
// elements that are infinite.
//
// # Engines
//
// All engines have one meaning. [Compiled] is meant for work. [Reference] calls
// each operation on fresh values and is what the others are compared with.
// [Tape] runs gorgonia's TapeMachine, for comparison in benchmarks. They agree
// up to the order of summation, and differ in two respects that the compiled
// engine owes its speed to.
//
// Structural zeros. Elements known to be zero whatever the inputs (those of
// constants and of [Node.ScatterAdd], and what products, sums and copies make of
// them) are not computed. The product of such a zero with an infinity or NaN is
// 0 in the compiled engine, and NaN in the others. Use [Node.Where], not a
// product with zeros, to leave out what may be infinite.
//
// Negligible samples. Gradients enter the samples of a log-mean-exp over a
// mapped axis through softmax weights. Samples whose weight is below 2⁻⁵³ of the
// largest are left out of sums over that axis of terms proportional to the
// weight. Between factors of similar size that is less than rounding.
//
// # Accuracy
//
// Exponentials, logarithms, and the trigonometric, error and gamma functions are those of
// a set of kernels, in assembly where the processor allows it; [Kernels] names it. They are
// right to a few units in the last place, also of subnormal numbers, with the special
// values of package math. Sets differ by rounding. Within one, an element of an
// element-wise operation has the same bits alone, among others, in lanes and as a
// constant, on every engine but [Tape]; sums of products and [Node.SigmoidShift], for which
// lanes have fused multiplication and addition, agree to rounding.
//
// # Failure
//
// A graph that cannot be built keeps its first error, with the name of the
// operation, what it got and what it wants; nodes added afterwards are inert,
// and the error is returned by [Builder.Err], [Compile] and [NewEvaluator].
// A run returns an error for feeds of the wrong length, for a matrix that is not
// positive definite ([ErrNotPositiveDefinite]) and, on request, for the first
// operation whose result is not finite ([NonFiniteError]). A nil node or builder
// panics.
//
// Nothing here is merged by printed text or by a 32-bit hash, as gorgonia does:
// constants and operations are one node only if they are equal bit by bit, and a
// collision in the graph underneath is an error.
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
