package autograd_test

import (
	"errors"
	"math"
	"testing"

	ad "tobac/autograd"
	"tobac/internal/memory"
	"tobac/internal/must"
)

// TestBuilderErrors pins the texts of the errors that a builder keeps. Every
// row builds one wrong node from the inputs v (3), m (2,3), q (3,3), s and c (2,3,4),
// and p, which carries the axis particle.
func TestBuilderErrors(t *testing.T) {
	other := ad.NewBuilder("other")
	foreign, foreignAxis := other.Input("f", ad.Shape{3}), other.Axis("elsewhere", 3)
	foreignOne, foreignMatrix, foreignSum := other.Scalar(1), foreign.Reshape(ad.Shape{3, 1}),
		foreign.Sum()
	foreignBatch := other.Input("g", ad.Shape{2, 4, 3})
	type env struct {
		b                *ad.Builder
		v, m, q, s, p, c *ad.Node
		particle, sample *ad.Axis
	}
	tests := []struct {
		name  string
		build func(e env)
		want  string // after `autograd: graph "g": `
	}{
		{"shapes that do not broadcast", func(e env) { e.m.Add(e.b.Input("w", ad.Shape{2})) },
			"add: shapes (2,3) and (2) do not broadcast"},
		{"where", func(e env) { e.m.Where(e.v, e.q) },
			"where: shapes (2,3), (3) and (3,3) do not broadcast"},
		{"matrix product", func(e env) { e.m.MatMul(e.m) },
			"matmul: shapes (2,3) and (2,3), want (…,m,k) and (…,k,n)"},
		{"matrix product of a vector", func(e env) { e.q.MatMul(e.v) },
			"matmul: shapes (3,3) and (3), want (…,m,k) and (…,k,n)"},
		{"matrix times vector", func(e env) { e.m.MatVec(e.m) },
			"matvec: shapes (2,3) and (2,3), want (m,k) and (k)"},
		{"outer product", func(e env) { e.v.Outer(e.m) },
			"outer: shapes (3) and (2,3), want two vectors"},
		{"transpose", func(e env) { e.v.T() }, "transpose of shape (3), want a matrix"},
		{"diagonal", func(e env) { e.m.Diagonal() },
			"diagonal of shape (2,3), want a square matrix"},
		{"trace", func(e env) { e.m.Trace() }, "diagonal of shape (2,3), want a square matrix"},
		{"cholesky", func(e env) { e.m.Cholesky() }, "cholesky: shape (2,3), want a square matrix"},
		{"log-determinant", func(e env) { e.m.LogDet() },
			"cholesky: shape (2,3), want a square matrix"},
		{"triangular solve", func(e env) { e.q.SolveLower(e.m) },
			"solve_lower: shapes (3,3) and (2,3), want (n,n) and (n,m)"},
		{"transposed triangular solve", func(e env) { e.m.SolveLowerT(e.q) },
			"solve_lower_t: shapes (2,3) and (3,3), want (n,n) and (n,m)"},
		{"reshape", func(e env) { e.m.Reshape(ad.Shape{4}) },
			"reshape: shape (4) has 4 elements, want 6 as (2,3)"},
		{"reshape to negative dimensions", func(e env) { e.v.Reshape(ad.Shape{-1, -3}) },
			"reshape: shape (-1,-3) has a dimension below 0"},
		{"expand", func(e env) { e.v.Expand(ad.Shape{3, 2}) },
			"expand: shape (3) does not broadcast to (3,2)"},
		{"gather count", func(e env) { e.v.Gather([]int{0}, ad.Shape{2}) },
			"gather: got 1 indices, want 2"},
		{"gather index", func(e env) { e.v.Gather([]int{0, 3}, ad.Shape{2}) },
			"gather: index 1 is 3, want 0 ≤ index < 3"},
		{"scatter count", func(e env) { e.v.ScatterAdd([]int{0}, ad.Shape{2}) },
			"scatter: got 1 indices, want 3"},
		{"scatter index", func(e env) { e.v.ScatterAdd([]int{0, 1, -1}, ad.Shape{2}) },
			"scatter: index 2 is -1, want 0 ≤ index < 2"},
		{"order of a polygamma function", func(e env) { e.v.Polygamma(170).Polygamma(171) },
			"polygamma: order 171, want at most 170"},
		{"slice bounds", func(e env) { e.m.Slice(1, 2, 4) },
			"slice [2:4] of axis 1 of shape (2,3)"},
		{"slice axis", func(e env) { e.m.Slice(2, 0, 1) }, "slice: axis 2 of shape (2,3)"},
		{"index", func(e env) { e.m.Index(0, 2) }, "slice [2:3] of axis 0 of shape (2,3)"},
		{"concat", func(e env) { ad.Concat(0, e.m, e.v) },
			"concat: shapes (2,3) and (3) do not fit along axis 0"},
		{"concat axis", func(e env) { ad.Concat(2, e.m, e.m) }, "concat: axis 2 of shape (2,3)"},
		{"sum axis", func(e env) { e.m.Sum(2) }, "sum: axis 2 of shape (2,3)"},
		{"repeated axis", func(e env) { e.m.Sum(1, 1) }, "sum: axis 1 is repeated"},
		{"log-sum-exp axis", func(e env) { e.v.LogSumExp(-1) }, "logsumexp: axis -1 of shape (3)"},
		{"softmax axis", func(e env) { e.s.Softmax(0) }, "softmax: axis 0 of shape ()"},
		{"largest axis", func(e env) { e.v.Max(1) }, "max: axis 1 of shape (3)"},
		{"product axis", func(e env) { e.m.Prod(2) }, "prod: axis 2 of shape (2,3)"},
		{"product axis repeated", func(e env) { e.m.Prod(0, 0) }, "prod: axis 0 is repeated"},
		{"variance axis", func(e env) { e.m.Variance(2) }, "sum: axis 2 of shape (2,3)"},
		{"cumulative sum axis", func(e env) { e.v.CumSum(1) },
			"cumulative sum: axis 1 of shape (3)"},
		{"cumulative log-sum-exp axis", func(e env) { e.s.LogCumSumExp(0) },
			"cumulative log-sum-exp: axis 0 of shape ()"},
		{"softmax over an axis it lacks", func(e env) { e.p.SoftmaxOver(e.sample) },
			`softmax_over: the operand does not carry axis "sample"`},
		{"largest over an axis it lacks", func(e env) { e.p.MaxOver(e.sample) },
			`max_over: the operand does not carry axis "sample"`},
		{"clamp", func(e env) { e.v.Clamp(1, 1) }, "clamp: bounds [1, 1], want lo < hi"},
		{"pow", func(e env) { e.v.Pow(math.Inf(1)) }, "pow: exponent +Inf is not finite"},
		{"polygamma", func(e env) { e.v.Polygamma(-1) }, "polygamma: order -1, want at least 0"},
		{"leaky relu", func(e env) { e.v.LeakyRelu(1) }, "leaky relu: slope 1, want 0 ≤ slope < 1"},

		{"batch product", func(e env) { e.c.MatMul(e.m) },
			"matmul: shapes (2,3,4) and (2,3), want (…,m,k) and (…,k,n)"},
		{"batch product of a vector", func(e env) { e.c.MatMul(e.v) },
			"matmul: shapes (2,3,4) and (3), want (…,m,k) and (…,k,n)"},
		{"batches that do not broadcast", func(e env) {
			e.c.MatMul(e.c.Repeat(0, 2).Transpose(0, 2, 1))
		},
			"matmul: leading dimensions of shapes (2,3,4) and (4,4,3) do not broadcast"},
		{"product without a batch", func(e env) { e.m.BatchMatMul(e.m) },
			"matmul: shapes (2,3) and (2,3), want (…,m,k) and (…,k,n)"},
		{"foreignBatch batch", func(e env) { e.c.MatMul(foreignBatch) },
			`matmul: operand g(2,4,3) belongs to graph "other"`},
		{"Kronecker product", func(e env) { e.v.Kronecker(e.m) },
			"kronecker: shapes (3) and (2,3), want two matrices"},

		{"solve", func(e env) { e.q.Solve(e.m) },
			"solve: shapes (3,3) and (2,3), want (n,n) and (n,m)"},
		{"transposed solve", func(e env) { e.m.SolveT(e.q) },
			"solve transposed: shapes (2,3) and (3,3), want (n,n) and (n,m)"},
		{"upper solve", func(e env) { e.q.SolveUpper(e.m) },
			"solve_upper: shapes (3,3) and (2,3), want (n,n) and (n,m)"},
		{"transposed upper solve", func(e env) { e.m.SolveUpperT(e.q) },
			"solve_upper_t: shapes (2,3) and (3,3), want (n,n) and (n,m)"},
		{"inverse", func(e env) { e.m.MatInverse() }, "inverse: shape (2,3), want a square matrix"},
		{"determinant", func(e env) { e.v.SLogDet() }, "slogdet: shape (3), want a square matrix"},
		{"exponential", func(e env) { e.m.Expm() }, "expm: shape (2,3), want a square matrix"},
		{"derivative of the exponential", func(e env) { e.q.ExpmFrechet(e.m) },
			"expm_frechet: shapes (3,3) and (2,3), want (n,n) twice"},

		{"take", func(e env) { e.m.Take(e.v, 2) }, "take: axis 2 of shape (2,3)"},
		{"segment sum count", func(e env) { e.m.SegmentSum([]int{0}, 2) },
			"segment sum: got 1 indices, want 2"},
		{"segment sum id", func(e env) { e.m.SegmentSum([]int{0, 2}, 2) },
			"segment sum: index 1 is 2, want 0 ≤ index < 2"},
		{"segment sum of a scalar", func(e env) { e.m.Sum().SegmentSum([]int{0}, 2) },
			"segment sum of shape () into 2 segments, want a dimension and a segment"},
		{"segment sum by data", func(e env) { e.m.SegmentSumBy(e.v, 2) },
			"segment_sum: shape (2,3) with indices of shape (3) from axis 0"},

		{"transpose", func(e env) { e.c.Transpose(0, 1, 1) },
			"transpose: order [0 1 1] of shape (2,3,4), want each of its 3 dimensions once"},
		{"roll", func(e env) { e.m.Roll(2, 1) }, "roll: axis 2 of shape (2,3)"},
		{"flip", func(e env) { e.m.Flip(-1) }, "flip: axis -1 of shape (2,3)"},
		{"tile count", func(e env) { e.m.Tile(2, 0) }, "tile: count 0 of axis 1, want at least 1"},
		{"tile counts", func(e env) { e.m.Tile(2) }, "tile: got 1 counts, want 2 for shape (2,3)"},
		{"repeat", func(e env) { e.m.Repeat(2, 1) }, "repeat: axis 2 of shape (2,3)"},
		{"repeat count", func(e env) { e.m.Repeat(1, 0) }, "repeat: count 0, want at least 1"},
		{"pad", func(e env) { e.m.Pad([]int{1}, []int{1}) },
			"pad: got 1 and 1 widths, want 2 for shape (2,3)"},
		{"pad width", func(e env) { e.m.Pad([]int{1, 0}, []int{0, -1}) },
			"pad: widths 0 and -1 of axis 1, want at least 0"},
		{"too many elements", func(e env) { e.v.Expand(ad.Shape{1 << 62, 1 << 2, 3}) },
			"expand: shape (4611686018427387904,4,3) has more than 2147483647 elements"},
		{"diag", func(e env) { e.m.Diag() }, "diag: shape (2,3), want a vector"},
		{"upper triangle", func(e env) { e.v.Triu(0) },
			"triu: shape (3), want at least two dimensions"},
		{"split axis", func(e env) { e.m.Split(2, 1) }, "split: axis 2 of shape (2,3)"},
		{"split sizes", func(e env) { e.m.Split(1, 1, 1) },
			"split: sizes [1 1] add up to 2, want 3 for axis 1 of shape (2,3)"},
		{"split beyond", func(e env) { e.m.Split(1, 2, 2) },
			"slice [2:4] of axis 1 of shape (2,3)"},

		{"einsum sizes", func(e env) { ad.Einsum("ij,jk->ik", e.m, e.m) },
			`einsum "ij,jk->ik": 'j' has size 3 in operand 0 and 2 in operand 1`},
		{"einsum diagonal", func(e env) { ad.Einsum("ii", e.m) },
			`einsum "ii": 'i' has size 2 in operand 0 and 3 in operand 0`},
		{"einsum dimensions", func(e env) { ad.Einsum("ij,jk", e.m, e.v) },
			`einsum "ij,jk": operand 1 has shape (3), want 2 dimensions for "jk"`},
		{"einsum operands", func(e env) { ad.Einsum("ij,jk,kl", e.m, e.q) },
			`einsum "ij,jk,kl": got 2 operands, want 3`},
		{"einsum result", func(e env) { ad.Einsum("ij->ik", e.m) },
			`einsum "ij->ik": the result has 'k', which no operand has`},
		{"einsum result twice", func(e env) { ad.Einsum("ij->ii", e.m) },
			`einsum "ij->ii": the result has 'i' twice`},
		{"einsum result of two", func(e env) { ad.Einsum("ij,j->i,j", e.m, e.v) },
			`einsum "ij,j->i,j": the result has ',', which no operand has`},
		{"einsum ellipsis", func(e env) { ad.Einsum("...j->j", e.m) },
			`einsum "...j->j": '.' is not a letter`},
		{"einsum operand", func(e env) { ad.Einsum("ij,abc", e.m, foreignBatch) },
			`einsum "ij,abc": operand g(2,4,3) belongs to graph "other"`},

		{"constant length", func(e env) { e.b.Constant([]float64{1}, ad.Shape{2}) },
			"constant of shape (2): got 1 values, want 2"},
		{"constant shape", func(e env) { e.b.Constant(nil, ad.Shape{-1}) },
			"constant: shape (-1) has a dimension below 0"},
		{"repeated input name", func(e env) { e.b.Input("v", ad.Shape{}) },
			`input name "v" is already used`},
		{"empty input name", func(e env) { e.b.Input("", ad.Shape{}) }, "an input needs a name"},
		{"input shape", func(e env) { e.b.Input("w", ad.Shape{2, -1}) },
			`input "w": shape (2,-1) has a dimension below 0`},
		{"input over a foreign axis", func(e env) { e.b.Input("w", ad.Shape{}, foreignAxis) },
			`input "w": axis "elsewhere" is foreign or repeated`},
		{"input over an axis twice", func(e env) {
			e.b.Input("w", ad.Shape{}, e.particle, e.particle)
		}, `input "w": axis "particle" is foreign or repeated`},
		{"repeated axis name", func(e env) { e.b.Axis("particle", 2) },
			`axis name "particle" is empty or already used`},
		{"axis size", func(e env) { e.b.Axis("empty", 0) },
			`axis "empty": size 0, want at least 1`},
		{"too many axes", func(e env) {
			for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
				e.b.Axis(name, 2)
			}
		}, `axis "g": more than 8 mapped axes`},

		{"foreign operand", func(e env) { e.v.Add(foreign) },
			`add: operand f(3) belongs to graph "other"`},
		{"foreign factor one", func(e env) { e.v.Mul(foreignOne) },
			`mul: operand constant#1() belongs to graph "other"`},
		{"foreign matrix", func(e env) { e.q.MatMul(foreignMatrix) },
			`matmul: operand reshape#2(3,1) belongs to graph "other"`},
		{"sum over an axis not carried", func(e env) { e.p.SumOver(e.sample) },
			`sum_over: the operand does not carry axis "sample"`},
		{"sum over a foreign axis", func(e env) { e.p.SumOver(foreignAxis) },
			`sum_over: the operand does not carry axis "elsewhere"`},
		{"log-sum-exp over an axis not carried", func(e env) { e.v.LogSumExpOver(e.particle) },
			`logsumexp_over: the operand does not carry axis "particle"`},
		{"stack of an axis not carried", func(e env) { e.v.Stack(e.particle) },
			`stack: the operand does not carry axis "particle"`},
		{"unstack of another size", func(e env) { e.m.Unstack(e.particle) },
			`unstack: shape (2,3), want leading dimension 3 of axis "particle"`},
		{"unstack of an axis carried", func(e env) { e.p.Unstack(e.particle) },
			`unstack: the operand already carries axis "particle", or the axis is foreign`},
		{"expand over a foreign axis", func(e env) { e.v.ExpandOver(foreignAxis) },
			`expand_over: the operand already carries axis "elsewhere", or the axis is foreign`},

		{"gradient of a vector", func(e env) { e.b.Grad(e.v, e.v) },
			"gradient of v(3): want a scalar shape"},
		{"gradient in another graph", func(e env) { e.b.Grad(foreignSum, e.v) },
			`gradient of sum#3(): it belongs to graph "other"`},
		{"gradient for a foreign node", func(e env) { e.b.Grad(e.v.Sum(), foreign) },
			`gradient of sum#6(): f(3) belongs to graph "other"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := ad.NewBuilder("g")
			e := env{b: b, particle: b.Axis("particle", 3), sample: b.Axis("sample", 2)}
			e.v, e.m, e.q, e.s = b.Input("v", ad.Shape{3}), b.Input("m", ad.Shape{2, 3}),
				b.Input("q", ad.Shape{3, 3}), b.Input("s", ad.Shape{})
			e.p, e.c = b.Input("p", ad.Shape{3}, e.particle), b.Input("c", ad.Shape{2, 3, 4})
			must.Do(t, b.Err())
			tt.build(e)
			want := `autograd: graph "g": ` + tt.want
			err := b.Err()
			if err == nil || err.Error() != want {
				t.Fatalf("got error %v\nwant      %v", err, want)
			}
			// The first error stays, and every engine returns it.
			afterFailure(e.v, e.q)
			for _, engine := range engines {
				if _, got := ad.NewEvaluator(nodes(e.v), nodes(e.v),
					ad.Options{Engine: engine}); got != err {
					t.Errorf("%v engine: got error %v, want the builder's", engine, got)
				}
			}
			if b.Err() != err {
				t.Errorf("got error %v after more nodes, want the first one", b.Err())
			}
		})
	}
	if other.Err() != nil {
		t.Errorf("the other graph failed as well: %v", other.Err())
	}
}

// afterFailure calls everything on inert nodes: none may panic.
func afterFailure(v, q *ad.Node) {
	b := v.Builder()
	x := b.Input("late", ad.Shape{3})
	a := b.Axis("late", 3)
	y := b.Constant([]float64{1}, ad.Shape{})
	for _, n := range []*ad.Node{x, y, v, q, v.Sum(7), q.Index(0, 9), x.T(), v.MatVec(q)} {
		n.Add(v).Sub(q).Mul(v).Div(q).Maximum(v).Minimum(q).Greater(v).StraightThrough(
			q).SigmoidShift(v)
		n.Neg().Exp().Log().Log1p().Expm1().Sqrt().Square().Cube().Inverse().Sigmoid().Softplus().
			LogSigmoid().Tanh().Sin().Cos().Abs().Relu().Sign().Positive().LeakyRelu(0.1)
		n.LogGamma().Polygamma(1).Pow(0).Pow(0.3).Clamp(0, 1).StopGradient().Where(v,
			q).Scale(2).AddScalar(2)
		n.MatMul(q).MatVec(v).Outer(v).Dot(q).T().Diagonal().Trace()
		n.Gather([]int{1}, ad.Shape{}).ScatterAdd(nil,
			nil).Expand(ad.Shape{1}).Reshape(nil).Slice(0, 0, 1).Index(0, 0)
		n.Sum().Mean(0).LogSumExp(1).LogMeanExp().Softmax(0)
		n.Erf().Erfc().ErfInv().Ndtr().LogNdtr().InverseMills().NdtrInv().Gelu().LogBesselI0().
			BesselRatio().Tan().Sinh().Cosh().Asinh().Floor().Logit()
		n.Atan2(v).Power(q).LogAddExp(v).LogBeta(q).Equal(v).AtLeast(q).And(v).Or(q)
		n.Max().Min(0).Prod(1).Variance().CumSum(0).LogCumSumExp(1)
		n.MaxOver(a).MinOver(a).SoftmaxOver(a)
		b.Normal("late", ad.Shape{3}, a)
		b.Gumbel("late", ad.Shape{3})
		n.Cholesky().LogDet().SolveLower(q).SolveLowerT(v).SolveUpper(q).SolveUpperT(v).Solve(
			q).SolveT(v).MatInverse().Expm().ExpmFrechet(v)
		n.SLogDet()
		n.BatchMatMul(v).Kronecker(q).Transpose(1, 0).Transpose().Roll(0,
			1).Flip().Flip(3).Tile(2).Repeat(0, 2).Pad([]int{1}, nil).Diag().Tril(0).Triu(0)
		n.Split(0, 1, 2)[1].Take(x, 0).Take(y, 0).SegmentSum([]int{0}, 1).SegmentSumBy(x,
			3).OneHot(2)
		ad.Einsum("i,i", n, v)
		n.SumOver(a).MeanOver(a).LogSumExpOver(a).LogMeanExpOver(a).ExpandOver(a).Stack(a).Unstack(
			a)
		ad.Concat(0, n, v)
		ad.Map(a, func(x []*ad.Node) *ad.Node { return x[0] }, n)
		b.Grad(n, v, n)
		_, _, _, _ = n.String(), n.Shape().Len(), n.Axes(), n.Name()
	}
}

// TestEvaluatorErrors pins the texts of errors of preparing and of calling an
// evaluator.
func TestEvaluatorErrors(t *testing.T) {
	b := ad.NewBuilder("g")
	p := b.Axis("particle", 3)
	x, w := b.Input("x", ad.Shape{2}, p), b.Input("w", ad.Shape{2})
	y := x.Mul(w).Sum()
	foreign := ad.NewBuilder("other").Scalar(1)
	h := ad.NewBuilder("huge")
	huge := h.Input("x", ad.Shape{4}, h.Axis("p", 1<<31), h.Axis("q", 1<<31))
	full, room := []float64{1, 2, 3, 4, 5, 6}, [][]float64{make([]float64, 3)}

	prepare := []struct {
		name            string
		inputs, outputs []*ad.Node
		want            string
	}{
		{"no outputs", nodes(x, w), nil, "autograd: no outputs"},
		{"no node", nodes(x, nil), nodes(y), "autograd: an input or output is nil"},
		{"more numbers than are counted", nodes(huge), nodes(huge.Exp()),
			`autograd: graph "huge": x(4){p=2147483648 q=2147483648} has 1.84e+19 numbers`},
		{"unlisted input", nodes(x), nodes(y),
			`autograd: graph "g": an output depends on input "w", which is not listed`},
		{"repeated input", nodes(x, w, x), nodes(y),
			`autograd: graph "g": x(2){particle=3} listed as input 2 is not an input of the graph or is repeated`},
		{"input that is none", nodes(x, w, y), nodes(y),
			`autograd: graph "g": sum#3(){particle=3} listed as input 2 is not an input of the graph or is repeated`},
		{"foreign input", nodes(x, w, foreign), nodes(y),
			`autograd: graph "g": constant#0() listed as input 2 is not an input of the graph or is repeated`},
		{"foreign output", nodes(x, w), nodes(y, foreign),
			`autograd: outputs of graphs "g" and "other" in one evaluator`},
	}
	call := []struct {
		name string
		dst  [][]float64
		src  []ad.Feed
		want string
	}{
		{"no feeds", room, nil, `autograd: graph "g": got 0 feeds and 1 results, want 2 and 1`},
		{"short result", [][]float64{make([]float64, 2)}, []ad.Feed{{Data: full}, {Data: full[:2]}},
			`autograd: graph "g": result sum#3(){particle=3}: got room for 2 values, want 3`},
	}
	for _, engine := range engines {
		for _, tt := range prepare {
			t.Run(engine.String()+"/"+tt.name, func(t *testing.T) {
				if _, err := ad.NewEvaluator(tt.inputs, tt.outputs,
					ad.Options{Engine: engine}); err == nil || err.Error() != tt.want {
					t.Errorf("got error %v\nwant      %v", err, tt.want)
				}
			})
		}
		ev := must.Get(ad.NewEvaluator(nodes(x, w), nodes(y), ad.Options{Engine: engine}))(t)
		defer ev.Close()
		for _, tt := range call {
			t.Run(engine.String()+"/"+tt.name, func(t *testing.T) {
				if err := ev.Eval(tt.dst, tt.src); err == nil || err.Error() != tt.want {
					t.Errorf("got error %v\nwant      %v", err, tt.want)
				}
			})
		}
	}
	t.Run("foreign evaluator keeps the graph sound", func(t *testing.T) {
		if err := b.Err(); err != nil {
			t.Error(err)
		}
	})
}

// What would not fit into memory is refused: lanes when a program gets its numbers, elements
// before it is compiled.
func TestMemoryErrors(t *testing.T) {
	b := ad.NewBuilder("g")
	q := b.Axis("q", 1<<40)
	x, y := b.Input("x", ad.Shape{}, b.Axis("p", 2), q), b.Input("y", ad.Shape{1})
	z := y
	for range 200 {
		z = z.Exp().Expand(ad.Shape{1 << 30}).Index(0, 0).Reshape(ad.Shape{1})
	}
	for _, row := range []struct {
		input, output *ad.Node
		want          string
	}{
		{x, x.Exp().LogSumExpOver(q), "numbers of a program"},
		{y, z, "what is known of all elements"},
	} {
		_, err := ad.NewEvaluator(nodes(row.input), nodes(row.output), ad.Options{})
		var size *memory.SizeError
		if !errors.As(err, &size) || size.What != row.want {
			t.Errorf("got error %v, want one on %s", err, row.want)
		}
	}
}
