package exec

// blockLanes is the number of lanes that are copied together: those of a cache line.
const blockLanes = 8

// toLanes writes n numbers of each of count rows, step apart, to lanes: number e of row l
// to dst[e·width+l]. Lanes beyond count repeat the last.
func toLanes(dst []float64, width int, src []float64, step, n, count int) {
	l := 0
	if n == 1 && step == 1 {
		l = copy(dst[:width], src[:count])
	}
	for ; l+blockLanes <= count; l += blockLanes {
		r0, r1, r2, r3 := src[l*step:][:n], src[(l+1)*step:][:n], src[(l+2)*step:][:n],
			src[(l+3)*step:][:n]
		r4, r5, r6, r7 := src[(l+4)*step:][:n], src[(l+5)*step:][:n], src[(l+6)*step:][:n],
			src[(l+7)*step:][:n]
		for e := range n {
			d := dst[e*width+l:][:blockLanes]
			d[0], d[1], d[2], d[3] = r0[e], r1[e], r2[e], r3[e]
			d[4], d[5], d[6], d[7] = r4[e], r5[e], r6[e], r7[e]
		}
	}
	for ; l < width; l++ {
		for e, x := range src[min(l, count-1)*step:][:n] {
			dst[e*width+l] = x
		}
	}
}

// fromLanes writes lanes of registers to count rows, step apart: lane l of register number
// e to dst[l·step+e].
func fromLanes(dst []float64, step int, full []float64, registers []int32, width, count int) {
	n := len(registers)
	if n == 1 && step == 1 {
		copy(dst[:count], full[int(registers[0])*width:])
		return
	}
	l := 0
	for ; l+blockLanes <= count; l += blockLanes {
		r0, r1, r2, r3 := dst[l*step:][:n], dst[(l+1)*step:][:n], dst[(l+2)*step:][:n],
			dst[(l+3)*step:][:n]
		r4, r5, r6, r7 := dst[(l+4)*step:][:n], dst[(l+5)*step:][:n], dst[(l+6)*step:][:n],
			dst[(l+7)*step:][:n]
		for e, r := range registers {
			s := full[int(r)*width+l:][:blockLanes]
			r0[e], r1[e], r2[e], r3[e] = s[0], s[1], s[2], s[3]
			r4[e], r5[e], r6[e], r7[e] = s[4], s[5], s[6], s[7]
		}
	}
	for ; l < count; l++ {
		row := dst[l*step:][:n]
		for e, r := range registers {
			row[e] = full[int(r)*width+l]
		}
	}
}
