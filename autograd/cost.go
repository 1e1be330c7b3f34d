package autograd

// The work of the instructions, as that of lane operations is counted: an
// elementary function or a division is one floating-point operation, and operands
// of all lanes are read in full.

func (in *unaryInstr) cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single)
	return n, 16 * n
}

func (in *binaryInstr) cost() (flops, bytes int) {
	n := in.width*runElements(in.runs) + len(in.single)
	return n, 24 * n
}

func (in *whereInstr) cost() (flops, bytes int) {
	n := in.width * runElements(in.runs)
	return n, 32 * n
}

// runElements is the number of elements of runs.
func runElements(runs []run) int {
	n := 0
	for _, r := range runs {
		n += r.n
	}
	return n
}

func (in *reduceInstr) cost() (flops, bytes int) {
	return len(in.src) * in.width, 8 * (len(in.src) + len(in.dst)) * in.width
}

// cost counts a maximum, an exponential and a sum of every source.
func (in *logSumExpInstr) cost() (flops, bytes int) {
	_, bytes = in.reduceInstr.cost()
	return 3 * len(in.src) * in.width, bytes
}

// cost counts what is gathered and scattered, and no operation: the rule's own are
// unknown.
func (in *genericInstr) cost() (flops, bytes int) {
	n := in.v.n.shape.Len()
	for _, a := range in.v.args {
		n += len(a.slot)
	}
	return 0, 8 * n * in.width
}

func (in *overInstr) cost() (flops, bytes int) {
	for _, live := range in.v.live {
		if !live {
			continue
		}
		switch in.kind {
		case overSum:
			flops += in.lanes
			bytes += 8 * (in.lanes + in.v.store.width)
		case overLogSumExp:
			flops += 3 * in.lanes
			bytes += 8 * (in.lanes + in.v.store.width)
		default: // copies
			bytes += 16 * in.v.store.width
		}
	}
	return flops, bytes
}

func (in *matMulInstr) cost() (flops, bytes int) {
	return 2 * len(in.pairs) * in.width, 8 * (len(in.pairs)*(in.aw+in.bw) + len(in.dst)*in.width)
}

func (in *denseMatMul) cost() (flops, bytes int) {
	m, k, n := in.a.rows, in.b.rows, in.b.cols
	return 2 * m * k * n, 8 * (m*k + k*n + m*n)
}

// cost of what prepare computes: three operations for the two factors of a
// sigmoid shift, and one for each of a tile's rows for a scaled term of a panel.
func (lv *laneLevel) cost(tileRows int) (flops, bytes int) {
	factors := 0
	for _, p := range lv.panels {
		factors += len(p.factors)
	}
	scaled := tileRows * len(lv.scales)
	return 3*len(lv.shifts) + len(lv.products) + scaled, 24*(len(lv.shifts)+len(lv.products)+scaled) + 16*factors
}
