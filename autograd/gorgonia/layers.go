package gorgonia

import (
	"fmt"
	"reflect"
	"slices"

	G "gorgonia.org/gorgonia"

	ad "tobac/autograd"
)

// The operations of neural networks, by the type of their op. Where gorgonia computes
// something else than the name of the operation says, so does the expression, and a note
// says it.
var layers = map[string]layer{
	"gorgonia.atOp": of(at), "*gorgonia.byIndicesOp": byIndices,
	"gorgonia.tensordotOp": func(_ *importer, c *call, x []*ad.Node) *ad.Node {
		return tensordot(c, x[0], x[1])
	},
	"gorgonia.diagFlatOp": of(func(_ *call, x *ad.Node) *ad.Node { return flat(x).Diag() }),
	"gorgonia.im2colOp":   of(im2col), "gorgonia.col2imOp": of(col2im),
	"*gorgonia.maxPoolOp": maxPool, "*gorgonia.avgPoolOp": averagePool,
	"*gorgonia.globalAveragePoolOp": of(func(_ *call, x *ad.Node) *ad.Node { return x.Mean(2, 3) }),
	"*gorgonia.upsampleOp":          of(upsample),
	"*gorgonia.BatchNormOp":         of(batchNorm), "*gorgonia.GroupNormOp": of(groupNorm),
	"*gorgonia.ctcLossOp": ctcLoss, "*gorgonia.dropoutOp": dropout,
	"*gorgonia.sparsemaxOp": sparsemax, "*gorgonia.dtConvOp": convert,
	"*gorgonia.softmaxDiffOp": softmaxDerivative,
}

// A layer adds what a call of an operation computes.
type layer func(m *importer, c *call, x []*ad.Node) *ad.Node

// of is a layer of one operand.
func of(f func(c *call, x *ad.Node) *ad.Node) layer {
	return func(_ *importer, c *call, x []*ad.Node) *ad.Node { return f(c, x[0]) }
}

// refused are ops that are not imported, and why.
var refused = map[string]string{
	"*gorgonia.ctcLossDiffOp": "it is gorgonia's derivative of a loss that is refused",
	"*gorgonia.yoloOp": "YOLOv3 mixes decoding, non-differentiable selection and, in " +
		"training, the loss with state of its op; import the node before it",
	"*gorgonia.maxPoolDiffOp":     derivative,
	"*gorgonia.avgPoolDiffOp":     derivative,
	"*gorgonia.batchnormDiffOp":   derivative,
	"*gorgonia.groupNormDiffOp":   derivative,
	"*gorgonia.dropoutDiffOp":     derivative,
	"*gorgonia.sparsemaxDiffOp":   derivative,
	"*gorgonia.upsampleDiffOp":    derivative,
	"*gorgonia.byIndicesOpDiffOp": derivative,
	"gorgonia.letOp":              "a statement has no value",
	"gorgonia.readOp":             "a statement has no value; import the node that it reads",
}

const derivative = "gorgonia's derivative of a layer depends on the run of the layer; import the " +
	"value and differentiate it here (Builder.Grad)"

// field is a field of an op, by its name: those of gorgonia are not exported.
func (c *call) field(name string) reflect.Value {
	return reflect.Indirect(reflect.ValueOf(c.Op)).FieldByName(name)
}

// number is a field that holds an integer.
func (c *call) number(name string) int { return int(c.field(name).Int()) }

// flat is the vector of all elements.
func flat(x *ad.Node) *ad.Node { return x.Reshape(ad.Shape{x.Shape().Len()}) }

// at is one element.
func at(c *call, x *ad.Node) *ad.Node {
	coordinates := c.field("coordinates")
	k := 0
	for i, d := range x.Shape() {
		k = k*d + int(coordinates.Index(i).Int())
	}
	return x.Gather([]int{k}, ad.Shape{})
}

// tensordot is the sum of products over pairs of axes: the other axes of the first operand
// lead.
func tensordot(c *call, x, y *ad.Node) *ad.Node {
	ints := func(name string) (list []int) {
		v := c.field(name)
		for i := range v.Len() {
			list = append(list, int(v.Index(i).Int()))
		}
		return list
	}
	over, with := ints("aAxes"), ints("bAxes")
	arrange := func(n *ad.Node, summed []int, first bool) *ad.Node {
		var free []int
		for i := range n.Shape() {
			if !slices.Contains(summed, i) {
				free = append(free, i)
			}
		}
		inner := 1
		for _, a := range summed {
			inner *= n.Shape()[a]
		}
		outer := n.Shape().Len() / max(inner, 1)
		if first {
			return n.Transpose(slices.Concat(free, summed)...).Reshape(ad.Shape{outer, inner})
		}
		return n.Transpose(slices.Concat(summed, free)...).Reshape(ad.Shape{inner, outer})
	}
	return arrange(x, over, true).MatMul(arrange(y, with, false))
}

// byIndices takes the rows of an axis that an index names.
func byIndices(_ *importer, c *call, x []*ad.Node) *ad.Node {
	return x[0].Take(flat(x[1]), c.number("axis"))
}

// window lists the pairs (element of the columns, element of the image) of an im2col.
func window(c *call, im ad.Shape) (columns, image []int) {
	h, w := c.number("h"), c.number("w")
	padH, padW := c.number("padH"), c.number("padW")
	strideH, strideW := c.number("strideH"), c.number("strideW")
	dilationH, dilationW := c.number("dilationH"), c.number("dilationW")
	batches, channels, height, width := im[0], im[1], im[2], im[3]
	rows := (height+2*padH-(dilationH*(h-1)+1))/strideH + 1
	cols := (width+2*padW-(dilationW*(w-1)+1))/strideW + 1
	k := 0
	for b := range batches {
		for row := range rows {
			for col := range cols {
				for ch := range channels {
					for i := range h {
						y := row*strideH + i*dilationH - padH
						for j := range w {
							x := col*strideW + j*dilationW - padW
							if y >= 0 && y < height && x >= 0 && x < width {
								columns = append(columns, k)
								image = append(image, ((b*channels+ch)*height+y)*width+x)
							}
							k++
						}
					}
				}
			}
		}
	}
	return columns, image
}

// im2col lays out the patches of images as rows.
func im2col(c *call, x *ad.Node) *ad.Node {
	columns, image := window(c, x.Shape())
	if len(columns) == c.Shape.Len() {
		return x.Gather(image, c.Shape)
	}
	return moved(x, image, columns, c.Shape)
}

// moved adds elements from of x to elements to of zeros. None are moved where all windows lie
// in the padding.
func moved(x *ad.Node, from, to []int, shape ad.Shape) *ad.Node {
	if len(from) == 0 {
		return x.Builder().Scalar(0).Expand(shape)
	}
	return x.Gather(from, ad.Shape{len(from)}).ScatterAdd(to, shape)
}

// col2im is the transpose of im2col.
func col2im(c *call, x *ad.Node) *ad.Node {
	columns, image := window(c, c.Shape)
	return moved(x, columns, image, c.Shape)
}

// pool lists the elements of the window of each element of the result of a pooling.
func pool(c *call, in ad.Shape) (windows [][]int) {
	h, w, strideH, strideW := c.number("h"), c.number("w"), c.number("strideH"), c.number("strideW")
	padH, padW := c.number("padNorth"), c.number("padWest")
	if c.field("explicitPadding").Bool() { // gorgonia begins at the other side
		padH, padW = c.number("padSouth"), c.number("padEast")
	}
	out := c.Shape
	for plane := range out[0] * out[1] {
		for row := range out[2] {
			for col := range out[3] {
				var at []int
				for y := max(row*strideH-padH, 0); y < min(row*strideH-padH+h, in[2]); y++ {
					for x := max(col*strideW-padW, 0); x < min(col*strideW-padW+w, in[3]); x++ {
						at = append(at, (plane*in[2]+y)*in[3]+x)
					}
				}
				windows = append(windows, at)
			}
		}
	}
	return windows
}

// maxPool is the largest element of every window.
func maxPool(m *importer, c *call, x []*ad.Node) *ad.Node {
	windows := pool(c, x[0].Shape())
	size := 0
	for _, w := range windows {
		size = max(size, len(w))
	}
	at := make([]int, 0, len(windows)*size)
	for _, w := range windows {
		if len(w) == 0 {
			return m.fail(c.Shape, "node %v: a window of the pooling lies outside of the image",
				c.Node.Name())
		}
		at = append(at, w...)
		for range size - len(w) { // which the largest element does not depend on
			at = append(at, w[0])
		}
	}
	return x[0].Gather(at, ad.Shape{len(windows), size}).Max(1)
}

// averagePool is the sum over every window divided by the width of the image, as gorgonia
// has it.
func averagePool(m *importer, c *call, x []*ad.Node) *ad.Node {
	var from, to []int
	for k, w := range pool(c, x[0].Shape()) {
		for _, e := range w {
			from, to = append(from, e), append(to, k)
		}
	}
	m.note("node %v: gorgonia divides the sum of a window by the width of the image, not by the "+
		"window's size", c.Node.Name())
	return moved(x[0], from, to, c.Shape).Scale(1 / float64(x[0].Shape()[3]))
}

// upsample repeats each pixel in both directions.
func upsample(c *call, x *ad.Node) *ad.Node {
	scale := 1 + c.number("stride")
	in, out := x.Shape(), c.Shape
	at := make([]int, 0, out.Len())
	for plane := range out[0] * out[1] {
		for row := range out[2] {
			for col := range out[3] {
				at = append(at, (plane*in[2]+row/scale)*in[3]+col/scale)
			}
		}
	}
	return x.Gather(at, out)
}

// standardised is (x − mean)/√(variance + ε) along the second axis of a matrix.
func standardised(x *ad.Node, epsilon float64) *ad.Node {
	kept := ad.Shape{x.Shape()[0], 1}
	centred := x.Sub(x.Mean(1).Reshape(kept))
	return centred.Div(centred.Square().Mean(1).Reshape(kept).AddScalar(epsilon).Sqrt())
}

// batchNorm standardises each channel: with the moments of the batch in training, with the
// running ones, as they are now, otherwise.
func batchNorm(c *call, x *ad.Node) *ad.Node {
	batches, channels := x.Shape()[0], x.Shape()[1]
	pixels := x.Shape()[2:].Len()
	parted := x.Reshape(ad.Shape{batches, channels, pixels})
	epsilon := c.field("epsilon").Float()
	if c.field("training").Bool() {
		rows := parted.Transpose(1, 0, 2).Reshape(ad.Shape{channels, batches * pixels})
		return standardised(rows, epsilon).Reshape(ad.Shape{channels, batches, pixels}).Transpose(1,
			0, 2)
	}
	mean, variance := c.Op.(*G.BatchNormOp).Stats()
	running := func(v any) *ad.Node {
		return x.Builder().Constant(v.([]float64), ad.Shape{channels, 1})
	}
	return parted.Sub(running(mean.Data())).Div(running(variance.Data()).AddScalar(epsilon).Sqrt())
}

// groupNorm standardises groups of channels of each example.
func groupNorm(c *call, x *ad.Node) *ad.Node {
	groups := x.Shape()[0] * c.number("numGroups")
	return standardised(x.Reshape(ad.Shape{groups, x.Shape().Len() / groups}),
		c.field("epsilon").Float())
}

// dropout keeps an element where a number of its noise, uniform between 0 and 1, is below
// the probability of keeping it. The noise is what is bound to the node, or an input.
func dropout(m *importer, c *call, x []*ad.Node) *ad.Node {
	keep := 1 - c.field("probability").Float()
	if keep == 1 || !c.field("isTraining").Bool() {
		return x[0]
	}
	noise := m.bind[c.Node]
	if noise == nil {
		noise = m.input(c.Node, c.Shape)
		m.note("node %v: the noise of the dropout is input %q, of numbers uniform between 0 and 1",
			c.Node.Name(), noise.Name())
	}
	if !noise.Shape().Equal(c.Shape) {
		return m.fail(c.Shape, "node %v: noise of shape %v, want %v", c.Node.Name(), noise.Shape(),
			c.Shape)
	}
	return x[0].Mul(m.b.Scalar(keep).Greater(noise)).Scale(1 / keep)
}

// support is 1 where the projection of a row on the simplex is positive.
var support = &ad.Primitive{
	Name:  "sparsemax_support",
	Shape: func(_ ad.Attr, in []ad.Shape) (ad.Shape, error) { return in[0], nil },
	Value: func(_ ad.Attr, out []float64, shape ad.Shape, in [][]float64, _ []ad.Shape) error {
		n := shape[len(shape)-1]
		for from := 0; from < len(out); from += n {
			row := in[0][from:][:n]
			sorted := slices.Sorted(slices.Values(row))
			slices.Reverse(sorted)
			sum, threshold := 0.0, sorted[0]-1
			for k, v := range sorted {
				sum += v
				if t := (sum - 1) / float64(k+1); v > t {
					threshold = t
				}
			}
			for k, v := range row {
				out[from+k] = 0
				if v > threshold {
					out[from+k] = 1
				}
			}
		}
		return nil
	},
}

// sparsemax is the projection of each row on the simplex: x − τ on its support, of which τ
// makes the sum 1.
func sparsemax(m *importer, c *call, x []*ad.Node) *ad.Node {
	last := len(c.Shape) - 1
	if axis := c.number("axis"); axis >= 0 && !(axis == 1 && last == 1) {
		return m.fail(c.Shape, "node %v: sparsemax along axis %d: gorgonia does not transpose "+
			"the result back; transpose, and take the last axis", c.Node.Name(), axis)
	}
	kept := slices.Clone(c.Shape)
	kept[last] = 1
	on := support.Apply(ad.Attr{}, x[0])
	count := on.Sum(last).Reshape(kept)
	threshold := on.Mul(x[0]).Sum(last).Reshape(kept).AddScalar(-1).Div(count)
	return on.Mul(x[0].Sub(threshold))
}

// softmaxDerivative is gorgonia's derivative of a softmax, or of its logarithm, y: its second
// operand; the third is the cotangent.
func softmaxDerivative(_ *importer, c *call, x []*ad.Node) *ad.Node {
	y, ct := x[1], x[2]
	axis := softmaxAxis(c.number("axis"), y.Shape())
	kept := slices.Clone(y.Shape())
	kept[axis] = 1
	if c.field("isLog").Bool() {
		return ct.Sub(y.Exp().Mul(ct.Sum(axis).Reshape(kept)))
	}
	return y.Mul(ct.Sub(ct.Mul(y).Sum(axis).Reshape(kept)))
}

// convert is a conversion to another type: to a whole number it drops the fraction.
func convert(_ *importer, c *call, x []*ad.Node) *ad.Node {
	if t := fmt.Sprint(c.Node.Dtype()); t == "float64" || t == "float32" {
		return x[0]
	}
	return x[0].Abs().Floor().Mul(x[0].Sign())
}

// foreignGradient is the derivative of an op that has a symbolic one: what its SymDiff
// makes of the operands, imported.
func foreignGradient(op G.Op, y, ct *ad.Node) ([]*ad.Node, error) {
	sd, ok := op.(G.SDOp)
	if !ok {
		return nil, fmt.Errorf("%v: a %T has no derivative: it is not an SDOp", op, op)
	}
	buildMutex.Lock()
	g := G.NewGraph()
	bind := map[*G.Node]*ad.Node{}
	leaf := func(name string, n *ad.Node) *G.Node {
		node := newLeaf(g, name, n.Shape())
		bind[node] = n
		return node
	}
	var in G.Nodes
	for i, a := range y.Operands() {
		in = append(in, leaf(fmt.Sprint("operand ", i), a))
	}
	out, grad := leaf("result", y), leaf("gradient", ct.Expand(y.Shape()))
	parts, err := symDiff(sd, in, out, grad)
	buildMutex.Unlock()
	if err != nil {
		return nil, fmt.Errorf("%v: derivative: %w", op, err)
	}
	result := make([]*ad.Node, len(in))
	for i, differentiable := range sd.DiffWRT(len(in)) {
		if !differentiable || i >= len(parts) || parts[i] == nil {
			continue
		}
		made, err := Import(y.Builder(), parts[i:i+1], bind)
		if err != nil {
			return nil, err
		}
		result[i] = made.Outputs[0]
	}
	return result, nil
}

// symDiff is the symbolic derivative of an op; a panic is an error.
func symDiff(op G.SDOp, in G.Nodes, out, grad *G.Node) (parts G.Nodes, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gorgonia: %v", r)
		}
	}()
	return op.SymDiff(in, out, grad)
}
