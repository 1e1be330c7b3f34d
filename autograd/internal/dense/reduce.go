package dense

import (
	"math"

	"tobac/autograd/internal/ir"
)

// A sumRun is a stretch of sources of one result, or of neighbouring results whose
// sources neighbour as well: result i of cols is the sum of the elements at
// src + i·step + k·stride.
type sumRun struct {
	dst, cols  int
	src, n     int
	stride     int
	step       int  // between the sources of neighbouring results
	width      int  // lanes of the sources
	accumulate bool // add to the result
}

// reduceInstr sums elements.
type reduceInstr struct {
	width int
	zero  []int // results without sources
	runs  []sumRun
	terms int // number of sources

	dst   []int // of log-sum-exps: results, and where their sources start
	start []int
	src   []operand
}

// lowerReduce lists the sources of every live element. Zeros are left out of
// sums, and listed one by one for log-sum-exps, where they count.
func (p *Plan) lowerReduce(v *ir.Value, list bool) *reduceInstr {
	a := v.Args[0]
	in := &reduceInstr{width: p.width(v), start: []int{0}}
	for e, src := range v.Sources() {
		if !v.Live[e] {
			continue
		}
		dst := p.Offset(v, e)
		if list {
			in.dst = append(in.dst, dst)
			for _, s := range src {
				in.src = append(in.src, p.operand(a, s))
			}
			in.start = append(in.start, len(in.src))
			continue
		}
		in.addSum(p, a, dst, src)
	}
	if list {
		p.Scratch = max(p.Scratch, len(in.src), 2*in.width)
	}
	return in
}

// addSum appends the runs of one result, or widens the last run by it.
func (in *reduceInstr) addSum(p *Plan, a *ir.Value, dst int, src []int) {
	first := len(in.runs)
	for _, s := range src {
		if p.places[a.ID].Slot[s] < 0 {
			continue
		}
		in.terms++
		o := p.operand(a, s)
		if k := len(in.runs) - 1; k >= first {
			r := &in.runs[k]
			switch {
			case r.width != o.width:
			case r.n == 1 && o.off > r.src:
				r.stride, r.n = o.off-r.src, 2
				continue
			case o.off == r.src+r.n*r.stride:
				r.n++
				continue
			}
		}
		in.runs = append(in.runs, sumRun{dst: dst, cols: 1, src: o.off, n: 1, width: o.width, accumulate: len(in.runs) > first})
	}
	if len(in.runs) == first {
		in.zero = append(in.zero, dst)
		return
	}
	if first == 0 || len(in.runs) > first+1 {
		return
	}
	prev, r := &in.runs[first-1], in.runs[first]
	step := r.src - (prev.src + (prev.cols-1)*prev.step)
	if !prev.accumulate && prev.n == r.n && prev.width == r.width && (prev.n == 1 || prev.stride == r.stride) &&
		r.dst == prev.dst+prev.cols*in.width && (prev.cols == 1 || step == prev.step) {
		prev.cols++
		prev.step = step
		in.runs = in.runs[:first]
	}
}

// Run implements [Instruction].
func (in *reduceInstr) Run(f *Frame) {
	w := in.width
	for _, off := range in.zero {
		clear(f.M[off:][:w])
	}
	for i := range in.runs {
		r := &in.runs[i]
		switch {
		case w > 1:
			r.lanes(f.M, w)
		case r.step == 1 && r.cols >= shortRun && r.stride != 1:
			r.rows(f.M)
		default:
			for c := range r.cols {
				s := sumStrided(f.M[r.src+c*r.step:], r.stride, r.n)
				if r.accumulate {
					s += f.M[r.dst+c]
				}
				f.M[r.dst+c] = s
			}
		}
	}
}

// rows adds up rows of neighbouring sources.
func (r *sumRun) rows(m []float64) {
	dst := m[r.dst:][:r.cols]
	at := r.src
	if !r.accumulate {
		copy(dst, m[at:][:r.cols])
	} else {
		Kernels.Add(dst, dst, m[at:][:r.cols])
	}
	for range r.n - 1 {
		at += r.stride
		Kernels.Add(dst, dst, m[at:][:r.cols])
	}
}

// lanes adds up sources of w lanes, or of one number for all.
func (r *sumRun) lanes(m []float64, w int) {
	for c := range r.cols {
		dst := m[r.dst+c*w:][:w]
		if !r.accumulate {
			clear(dst)
		}
		for k := range r.n {
			at := r.src + c*r.step + k*r.stride
			if r.width == 1 {
				Kernels.Shift(dst, dst, m[at])
			} else {
				Kernels.Add(dst, dst, m[at:][:w])
			}
		}
	}
}

// Cost implements [Instruction].
func (in *reduceInstr) Cost() (flops, bytes int) {
	terms := max(in.terms, len(in.src))
	return terms * in.width, 8 * (terms + len(in.zero) + len(in.runs) + len(in.dst)) * in.width
}

// sumStrided adds size numbers, inner apart, in four interleaved partial sums.
func sumStrided(x []float64, inner, size int) float64 {
	var s [4]float64
	i := 0
	for ; i+4 <= size; i += 4 {
		s[0] += x[i*inner]
		s[1] += x[(i+1)*inner]
		s[2] += x[(i+2)*inner]
		s[3] += x[(i+3)*inner]
	}
	for ; i < size; i++ {
		s[0] += x[i*inner]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// logSumExpInstr is the shifted log-sum-exp of the same sources.
type logSumExpInstr struct{ reduceInstr }

// Run implements [Instruction].
func (in *logSumExpInstr) Run(f *Frame) {
	if in.width > 1 {
		in.lanes(f)
		return
	}
	x := f.Scratch[:len(in.src)]
	for i, off := range in.dst {
		from, to := in.start[i], in.start[i+1]
		top := math.Inf(-1)
		for k, a := range in.src[from:to] {
			x[from+k] = f.M[a.off]
			top = max(top, x[from+k])
		}
		f.M[off] = top
		if math.IsInf(top, 0) {
			top = 0
		}
		for k := from; k < to; k++ {
			x[k] -= top
		}
	}
	Kernels.Exp(x, x)
	for i, off := range in.dst {
		if top := f.M[off]; !math.IsInf(top, 0) && !math.IsNaN(top) {
			s := x[in.start[i]:in.start[i+1]]
			f.M[off] = top + math.Log(sumStrided(s, 1, len(s)))
		}
	}
}

// lanes computes all lanes of a result together.
func (in *logSumExpInstr) lanes(f *Frame) {
	w := in.width
	sum, x := f.Scratch[:w], f.Scratch[w:][:w]
	for i, off := range in.dst {
		src, dst := in.src[in.start[i]:in.start[i+1]], f.M[off:][:w]
		fill(dst, math.Inf(-1))
		clear(sum)
		for _, a := range src {
			for l := range dst {
				dst[l] = max(dst[l], f.M[a.lane(l)])
			}
		}
		for _, a := range src {
			for l, top := range dst {
				x[l] = f.M[a.lane(l)] - top
			}
			Kernels.Exp(x, x)
			Kernels.Add(sum, sum, x)
		}
		for l, top := range dst {
			if !math.IsInf(top, 0) && !math.IsNaN(top) {
				dst[l] = top + math.Log(sum[l])
			}
		}
	}
}

// Cost counts a maximum, an exponential and a sum of every source.
func (in *logSumExpInstr) Cost() (flops, bytes int) {
	_, bytes = in.reduceInstr.Cost()
	return 3 * len(in.src) * in.width, bytes
}
