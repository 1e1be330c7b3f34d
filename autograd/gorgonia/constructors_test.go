package gorgonia_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	ad "tobac/autograd"
	"tobac/autograd/gorgonia"
	"tobac/internal/must"
)

// others are the exported functions of gorgonia that return nodes and are not operations.
var others = map[string]string{
	"NewScalar": "a leaf", "NewVector": "a leaf", "NewMatrix": "a leaf", "NewTensor": "a leaf",
	"NewUniqueNode": "a leaf", "NodeFromAny": "a leaf", "OneHotVector": "a constant",
	"NewConstant": "a constant",
	"ApplyOp":     "any op: see TestForeign", "ApplyOpWithName": "any op", "Must": "its argument",
	"Auto": "broadcasts: see broadcast", "Broadcast": "broadcasts: see broadcast",
	"ReturnNode": "memory",
	"Grad":       "gradients: TestImportGradient", "Backpropagate": "gradients", "Sort": "an order",
	"UnstableSort": "an order",
	"Set":          "a statement", "Read": "a statement", "NodesFromInputs": "lists",
	"WalkGraph": "lists",
	"Lift1":     "lifts", "Lift2": "lifts", "Lift1Axial": "lifts", "Lift2Broadcast": "lifts",
	"NewNodeSet": "lists",
	"In":         "an option", "WithName": "an option", "NewAddOp": "an op", "NewSubOp": "an op",
	"NewHadamardProdOp": "an op",
	"Abs":               "abs", "Sign": "sign", "Ceil": "ceil", "Floor": "floor", "Sin": "sin",
	"Cos": "cos",
	"Exp": "exp", "Log": "log",
	"Log2": "log2", "Neg": "neg", "Square": "square", "Sqrt": "sqrt", "Inverse": "inverse",
	"InverseSqrt": "inverse sqrt",
	"Cube":        "cube", "Tanh": "tanh", "Sigmoid": "sigmoid", "Log1p": "log1p", "Expm1": "expm1",
	"Softplus": "softplus",
	"Rectify":  "rectify", "Mish": "mish", "LeakyRelu": "leaky relu", "Sum": "sum",
	"Mean":    "mean 0",
	"Max":     "max 1",
	"SoftMax": "softmax", "LogSoftMax": "log softmax", "Transpose": "transpose",
	"Reshape": "reshape", "Ravel": "ravel",
	"Slice": "slice", "Concat": "concat", "KeepDims": "keep dims", "Add": "add", "Sub": "sub",
	"HadamardProd": "product",
	"HadamardDiv":  "quotient", "Pow": "power", "Mul": "matrices", "MaxBetween": "larger",
	"MinBetween": "smaller",
	"Gt":         ">", "Gte": ">=", "Lt": "<", "Lte": "<=", "Eq": "==", "Ne": "!=",
	"OuterProd":             "outer",
	"CTCLoss":               "see TestCTCLoss",
	"BatchedMatMul":         "batched",
	"BroadcastHadamardProd": "broadcast", "BroadcastSub": "broadcast columns",
}

// A refusal is an operation that is not imported, and a part of the reason.
type refusal struct {
	build func() (*G.Node, error)
	why   string
}

// constructed are the operations that importCases does not have, by the function that
// makes them.
func constructed() (cases map[string]importCase, refusals map[string]refusal) {
	type list = []ad.Shape
	matrix, vector, image := ad.Shape{2, 3}, ad.Shape{3}, ad.Shape{2, 2, 4, 4}
	broadcast := func(f func(a, b *G.Node, l, r []byte) (*G.Node, error)) func(x []*G.Node) (
		*G.Node, error) {
		return func(x []*G.Node) (*G.Node, error) { return f(x[0], x[1], nil, []byte{0}) }
	}
	compared := func(f func(a, b *G.Node, same bool, l, r []byte) (*G.Node, error)) importCase {
		return importCase{shapes: list{matrix, vector}, flat: true,
			build: func(x []*G.Node) (*G.Node, error) {
				return f(x[0], x[1], true, nil, []byte{0})
			}}
	}
	on := func(shape ad.Shape, f func(x *G.Node) (*G.Node, error)) importCase {
		return importCase{shapes: list{shape}, build: func(x []*G.Node) (*G.Node, error) {
			return f(x[0])
		}}
	}
	random := func(f func(g *G.ExprGraph) *G.Node) importCase {
		c := on(matrix, func(x *G.Node) (*G.Node, error) { return G.HadamardProd(x, f(x.Graph())) })
		c.want = func(x [][]float64) []float64 {
			y := make([]float64, len(x[0]))
			for e := range y {
				y[e] = x[0][e] * x[1][e]
			}
			return y
		}
		return c
	}
	dropout := on(matrix, func(x *G.Node) (*G.Node, error) { return G.Dropout(x, 0.4) })
	dropout.want = func(x [][]float64) []float64 {
		y := make([]float64, len(x[0]))
		for e, u := range x[1] {
			if u < 0.6 {
				y[e] = x[0][e] / 0.6
			}
		}
		return y
	}
	cases = map[string]importCase{
		"BinaryXent": {shapes: list{matrix, matrix}, sample: func(x float64) float64 {
			return 0.1 + 0.8/(1+math.Exp(x))
		},
			want: func(x [][]float64) []float64 {
				y := make([]float64, len(x[0]))
				for e, p := range x[0] {
					y[e] = -x[1][e]*math.Log(p) - (1-x[1][e])*math.Log(1-p)
				}
				return y
			},
			build: func(x []*G.Node) (*G.Node, error) { return G.BinaryXent(x[0], x[1]) }},
		"Dropout": dropout,
		"Im2Col": on(image, func(x *G.Node) (*G.Node, error) {
			return G.Im2Col(x, tensor.Shape{3, 2}, tensor.Shape{1, 0}, tensor.Shape{2, 1},
				tensor.Shape{1, 2})
		}),
		"Conv2d": {shapes: list{image, {3, 2, 2, 3}}, build: func(x []*G.Node) (*G.Node, error) {
			return G.Conv2d(x[0], x[1], tensor.Shape{2, 3}, []int{1, 1}, []int{1, 2}, []int{1, 1})
		}},
		"Conv1d": {shapes: list{{2, 2, 1, 5}, {3, 2, 1, 3}},
			build: func(x []*G.Node) (*G.Node, error) {
				return G.Conv1d(x[0], x[1], 3, 1, 1, 1)
			}},
		"MaxPool2D": on(image, func(x *G.Node) (*G.Node, error) {
			return G.MaxPool2D(x, tensor.Shape{2, 3}, []int{1, 1}, []int{1, 2})
		}),
		"MaxPool1D": on(ad.Shape{2, 2, 1, 6}, func(x *G.Node) (*G.Node, error) {
			return G.MaxPool1D(x, 2, 0, 2)
		}),
		"AveragePool2D": on(image, func(x *G.Node) (*G.Node, error) {
			return G.AveragePool2D(x, tensor.Shape{2, 2}, []int{0, 1}, []int{2, 1})
		}),
		"AveragePool1D": on(ad.Shape{2, 2, 1, 6}, func(x *G.Node) (*G.Node, error) {
			return G.AveragePool1D(x, 2, 0, 2)
		}),
		"GlobalAveragePool2D": on(image, G.GlobalAveragePool2D),
		"Upsample2D": on(ad.Shape{1, 2, 2, 3}, func(x *G.Node) (*G.Node, error) {
			return G.Upsample2D(x, 3)
		}),
		"BatchNorm": {shapes: list{image, image, image}, build: func(x []*G.Node) (*G.Node, error) {
			y, _, _, _, err := G.BatchNorm(x[0], x[1], x[2], 0.9, 1e-3)
			return y, err
		}},
		"GroupNorm": {shapes: list{{2, 4, 3, 2}, {2, 4, 3, 2}, {2, 4, 3, 2}},
			build: func(x []*G.Node) (*G.Node, error) {
				return G.GroupNorm(x[0], x[1], x[2], 2, 4, 1e-3)
			}},
		"Sparsemax": on(ad.Shape{4, 5}, func(x *G.Node) (*G.Node, error) { return G.Sparsemax(x) }),
		"Tensordot": {shapes: list{{2, 3, 4}, {4, 3, 2}},
			build: func(x []*G.Node) (*G.Node, error) {
				return G.Tensordot([]int{1, 2}, []int{1, 0}, x[0], x[1])
			}},
		"At": {shapes: list{matrix}, build: func(x []*G.Node) (*G.Node, error) {
			return G.At(x[0], 1, 2)
		},
			want: func(x [][]float64) []float64 { return x[0][5:] }},
		"ByIndices": on(ad.Shape{4, 3}, func(x *G.Node) (*G.Node, error) {
			rows := tensor.New(tensor.WithBacking([]int{2, 0, 2}))
			return G.ByIndices(x, G.NewConstant(rows, G.WithName("rows")), 0)
		}),
		"DiagFlat": on(matrix, G.DiagFlat),
		"ConvType": {shapes: list{vector}, flat: true, sample: func(x float64) float64 {
			return 4 * x
		},
			want: func(x [][]float64) []float64 {
				var y []float64
				for _, v := range x[0] {
					y = append(y, math.Trunc(v))
				}
				return y
			},
			build: func(x []*G.Node) (*G.Node, error) {
				return G.ConvType(x[0], tensor.Float64, tensor.Int)
			}},
		// Of a wrong value in gorgonia: the maximum is inside of the logarithm.
		"LogSumExp": {shapes: list{{1, 3}}, sample: positive,
			build: func(x []*G.Node) (*G.Node, error) { return G.LogSumExp(x[0], 0) }},
		"Norm": on(vector, func(x *G.Node) (*G.Node, error) { return G.Norm(x, 0, 2) }),
		"Div": {shapes: list{matrix, matrix}, sample: positive,
			build: func(x []*G.Node) (*G.Node, error) { return G.Div(x[0], x[1]) }},
		"SizeOf": on(matrix, func(x *G.Node) (*G.Node, error) {
			n, err := G.SizeOf(1, x)
			if err != nil {
				return nil, err
			}
			return G.Mul(x, n)
		}),
		"Unconcat": on(ad.Shape{4, 2}, func(x *G.Node) (*G.Node, error) {
			parts, err := G.Unconcat(x, 0, 2)
			if err != nil {
				return nil, err
			}
			return G.HadamardProd(parts[0], parts[1])
		}),
		"ReduceAdd": {shapes: list{matrix, matrix},
			build: func(x []*G.Node) (*G.Node, error) { return G.ReduceAdd(x) }},
		"ReduceMul": {shapes: list{vector, vector},
			build: func(x []*G.Node) (*G.Node, error) { return G.ReduceMul(x) }},
		"BroadcastAdd": {shapes: list{matrix, vector}, build: broadcast(G.BroadcastAdd)},
		"BroadcastHadamardDiv": {shapes: list{matrix, vector}, sample: positive,
			build: broadcast(G.BroadcastHadamardDiv)},
		"BroadcastPow": {shapes: list{matrix, vector}, sample: positive,
			build: broadcast(G.BroadcastPow)},
		"BroadcastLt": compared(G.BroadcastLt), "BroadcastGt": compared(G.BroadcastGt),
		"BroadcastLte": compared(G.BroadcastLte),
		"BroadcastGte": compared(G.BroadcastGte), "BroadcastEq": compared(G.BroadcastEq),
		"BroadcastNe": compared(G.BroadcastNe),
		"UniformRandomNode": random(func(g *G.ExprGraph) *G.Node {
			return G.UniformRandomNode(g, tensor.Float64, 0, 1, 2, 3)
		}),
		"GaussianRandomNode": random(func(g *G.ExprGraph) *G.Node {
			return G.GaussianRandomNode(g, tensor.Float64, 0, 1, 2, 3)
		}),
		"BinomialRandomNode": random(func(g *G.ExprGraph) *G.Node {
			return G.BinomialRandomNode(g, tensor.Float64, 3, 0.5, 2, 3)
		}),
	}
	refusals = map[string]refusal{
		"YOLOv3": {func() (*G.Node, error) {
			return G.YOLOv3(leaf(G.NewGraph(), "x", ad.Shape{1, 18, 2, 2}), []float32{10, 13},
				[]int{0, 1, 2}, 64, 1, 0.5)
		}, "YOLOv3"},
	}
	return cases, refusals
}

// TestConstructors: every exported function of gorgonia that returns a node is imported with
// a derivative that differences confirm, refused with a reason, or not an operation.
func TestConstructors(t *testing.T) {
	cases, refusals := constructed()
	known := map[string]bool{}
	for _, c := range importCases() {
		known[c.name] = true
	}
	for i, name := range nodeFunctions(t) {
		t.Run(name, func(t *testing.T) {
			c, constructs := cases[name]
			r, refuses := refusals[name]
			other := others[name]
			switch {
			case constructs:
				checkImport(t, c, uint64(i))
			case refuses:
				n := must.Get(r.build())(t)
				if _, err := gorgonia.Import(ad.NewBuilder("refused"), []*G.Node{n},
					nil); err == nil || !strings.Contains(err.Error(), r.why) ||
					!strings.Contains(err.Error(), "node ") {
					t.Errorf("got error %v, want one that says %q", err, r.why)
				}
			case other == "":
				t.Error("neither imported nor refused, nor said to be no operation")
			}
		})
	}
}

// nodeFunctions are the exported functions of gorgonia that return nodes.
func nodeFunctions(t *testing.T) (names []string) {
	t.Helper()
	folder := must.Get(exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"gorgonia.org/gorgonia").Output())(t)
	files := must.Get(filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "*.go")))(t)
	node := func(e ast.Expr) bool {
		if s, ok := e.(*ast.StarExpr); ok {
			e = s.X
		}
		id, ok := e.(*ast.Ident)
		return ok && (id.Name == "Node" || id.Name == "Nodes")
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(filepath.Base(name), "cuda") {
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil {
				continue
			}
			if slices.ContainsFunc(fn.Type.Results.List, func(r *ast.Field) bool {
				return node(r.Type)
			}) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) < 100 {
		t.Fatalf("found %d functions", len(names))
	}
	return names
}
