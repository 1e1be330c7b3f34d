package dense

import "tobac/autograd/internal/ir"

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
	// of the sources of one result, if they lie scattered, in the place of src, stride and n
	places []int32
}

// reduceInstr sums elements.
type reduceInstr struct {
	width int
	zero  []int // results without sources
	runs  []sumRun
	terms int // number of sources
}

// lowerReduce lists the sources of every live element, without zeros.
func (p *Plan) lowerReduce(v *ir.Value) *reduceInstr {
	in := &reduceInstr{width: p.width(v)}
	sources := v.Sources()
	p.order(v, 0, v.Len(), func(e int) {
		if v.Live[e] && !in.addScattered(p, v.Args[0], p.Offset(v, e), sources[e]) {
			in.addSum(p, v.Args[0], p.Offset(v, e), sources[e])
		}
	})
	return in
}

// addScattered appends a result of single numbers most of which are not equally far apart, and
// reports whether they are. Going through a list takes longer for each number than a run
// does, but a run takes longer to begin.
func (in *reduceInstr) addScattered(p *Plan, a *ir.Value, dst int, src []int) bool {
	const fewest = 4 // numbers of a run
	if in.width != 1 {
		return false
	}
	var places []int32
	runs := 0
	for _, s := range src {
		if p.places[a.ID].Slot[s] < 0 {
			continue
		}
		at := int32(p.Offset(a, s))
		if n := len(places); n < 2 || at-places[n-1] != places[n-1]-places[n-2] {
			runs++
		}
		places = append(places, at)
	}
	if len(places) < 2*fewest || runs*fewest < len(places) {
		return false
	}
	in.terms += len(places)
	in.runs = append(in.runs, sumRun{dst: dst, cols: 1, n: len(places), width: 1, places: places})
	return true
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
		in.runs = append(in.runs, sumRun{dst: dst, cols: 1, src: o.off, n: 1, width: o.width,
			accumulate: len(in.runs) > first})
	}
	if len(in.runs) == first {
		in.zero = append(in.zero, dst)
		return
	}
	if first == 0 || len(in.runs) > first+1 {
		return
	}
	prev, r := &in.runs[first-1], in.runs[first]
	if prev.places != nil {
		return
	}
	step := r.src - (prev.src + (prev.cols-1)*prev.step)
	if !prev.accumulate && prev.n == r.n && prev.width == r.width &&
		(prev.n == 1 || prev.stride == r.stride) &&
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
		case r.places != nil:
			s := sumPlaces(f.M, r.places)
			if r.accumulate {
				s += f.M[r.dst]
			}
			f.M[r.dst] = s
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

// sumPlaces adds the numbers at the places as [sumStrided] adds them.
func sumPlaces(m []float64, places []int32) float64 {
	var s0, s1, s2, s3 float64
	for len(places) >= 4 {
		p := places[:4]
		places = places[4:]
		s0 += m[p[0]]
		s1 += m[p[1]]
		s2 += m[p[2]]
		s3 += m[p[3]]
	}
	for _, at := range places {
		s0 += m[at]
	}
	return (s0 + s1) + (s2 + s3)
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
	return in.terms * in.width, 8 * (in.terms + len(in.zero) + len(in.runs)) * in.width
}

// sumStrided adds size numbers, inner apart, in four interleaved partial sums; by a kernel
// if they are neighbours.
func sumStrided(x []float64, inner, size int) float64 {
	if inner == 1 {
		return Kernels.Sum(x[:size])
	}
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
