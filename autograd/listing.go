package autograd

import (
	"fmt"
	"io"
	"strings"
)

// laneNames are the operations of a lane program in listings.
var laneNames = map[laneCode]string{
	laneCopy: "copy", laneGather: "gather", laneFill: "fill", laneNeg: "neg", laneAdd: "add", laneSub: "sub",
	laneMul: "mul", laneMulAdd: "mul-add", laneScale: "scale", laneNegScale: "neg-scale", laneAddS: "add-scalar",
	laneSubS: "sub-scalar", laneRSubS: "scalar-sub", laneDot: "dot", laneDotPairs: "dot-pairs",
	laneTile: "tile", laneTileRelu: "tile-relu", laneTileSquares: "tile-squares", laneBlock: "block", laneDraw: "draw",
	laneDrawLess: "draw-less", laneDrawShift: "draw-shift", laneRelu: "relu", lanePositive: "positive", laneSigmoidShift: "sigmoid-shift", laneLess: "less", laneExp: "exp", laneUnary: "unary",
	laneBinary: "binary", laneWhere: "where", laneSum: "sum-lanes", laneSumProduct: "dot-lanes",
	laneLogSumExp: "logsumexp-lanes", laneSumConst: "sum-constant", laneShiftConst: "shift-constant",
}

// cost is the work of some operations: floating-point operations, a division or
// an elementary function counted as one, and bytes read and written.
type cost struct{ ops, flops, bytes int }

func (c *cost) add(flops, bytes int) {
	c.ops++
	c.flops += flops
	c.bytes += bytes
}

// cost of one operation on w lanes.
func (op *laneOp) cost(args []int32, w int) (flops, bytes int) {
	switch op.code {
	case laneCopy, laneGather:
		return 0, 16 * w
	case laneFill, laneDraw:
		return 0, 8 * w
	case laneEnd:
		return 0, 0
	case laneDot:
		k := int(op.b)
		return 2 * k * w, 8 * (k + 1) * w
	case laneDotPairs:
		k := int(op.b)
		return 2 * k * w, 8 * (2*k + 1) * w
	case laneBlock:
		k, rows, cols := int(op.b), int(args[op.a+pairsHeight]), int(args[op.a+pairsWidth])
		return 2 * k * rows * cols * w, 8 * (k*(rows+cols) + rows*cols) * w
	case laneTile, laneTileRelu, laneTileSquares:
		t := args[op.a:]
		single := 0
		rows := int(t[tileRows])
		for _, k := range t[tileExtra:][:rows] {
			single += int(k)
		}
		joint := int(t[tileJoint])
		flops, bytes = 2*(rows*joint+single)*w, 8*(joint+single+rows)*w
		switch op.code {
		case laneTileRelu:
			flops += rows * w
		case laneTileSquares:
			flops, bytes = flops+2*rows*w, bytes+8*(2-rows)*w
		}
		return flops, bytes
	case laneSigmoidShift:
		return 5 * w, 16 * w
	case laneDrawLess:
		return w, 8 * w
	case laneDrawShift:
		return 5 * w, 8 * w
	case laneAdd, laneSub, laneMul, laneBinary:
		return w, 24 * w
	case laneMulAdd:
		return 2 * w, 32 * w
	case laneWhere:
		return w, 32 * w
	case laneSum:
		return w, 8 * w
	case laneSumProduct:
		return 2 * w, 16 * w
	case laneLogSumExp:
		return 3 * w, 16 * w
	case laneSumConst, laneShiftConst:
		return 1, 16
	}
	return w, 16 * w
}

// String lists the program: its layout, then per level the values that are the
// same in all lanes, and the operations on lanes by kind, with the work of one
// outer index. Packed groups are counted at one vector of lanes, the least they
// can have.
func (p *Program) String() string {
	var s strings.Builder
	loop := "none"
	if p.loop != nil {
		loop = fmt.Sprintf("%s=%d", p.loop.name, p.loop.size)
	}
	fmt.Fprintf(&s, "program %q: %d nodes, loop %s, %d lanes, kernels %s\n", p.b.name, len(p.values), loop, p.lanes, Kernels())
	if p.without != 0 {
		fmt.Fprintf(&s, "without %v\n", p.without)
	}
	fmt.Fprintf(&s, "arena %d bytes, of which constants %d\n", 8*p.arena, 8*len(p.constant))
	if p.lane == nil {
		listSteps(&s, p.steps)
		return s.String()
	}
	lp := p.lane
	fmt.Fprintf(&s, "registers of %d lanes: %d of inputs and kept values, %d in all, %d packed\n", lp.width, lp.stored, max(lp.full, lp.stored), lp.packed)
	for i, lv := range lp.levels {
		fmt.Fprintf(&s, "level %d\n", i)
		listSteps(&s, lv.uniform)
		for _, g := range lv.groups {
			g.list(&s, lp.width)
		}
	}
	return s.String()
}

func listSteps(w io.Writer, steps []step) {
	for _, st := range steps {
		live := 0
		for _, l := range st.v.live {
			if l {
				live++
			}
		}
		fmt.Fprintf(w, "  %-32s %6d of %d elements\n", st.v.n, live, len(st.v.live))
	}
}

func (g *laneGroup) list(w io.Writer, width int) {
	title := "all lanes"
	if g.mask != nil {
		title, width = fmt.Sprintf("lanes of weight above 2^-53, register %d", g.mask.x), vectorLen
	}
	var total cost
	kinds := map[laneCode]*cost{}
	for i := range g.code {
		op := &g.code[i]
		if op.code == laneEnd {
			continue
		}
		if kinds[op.code] == nil {
			kinds[op.code] = &cost{}
		}
		flops, bytes := op.cost(g.args, width)
		kinds[op.code].add(flops, bytes)
		total.add(flops, bytes)
	}
	fmt.Fprintf(w, "  group on %s: %d operations, %d flops, %d bytes\n", title, total.ops, total.flops, total.bytes)
	for code := laneCopy; code < laneCodes; code++ {
		if c := kinds[code]; c != nil {
			fmt.Fprintf(w, "    %-16s %6d operations %10d flops %10d bytes\n", laneNames[code], c.ops, c.flops, c.bytes)
		}
	}
}
