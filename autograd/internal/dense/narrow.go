package dense

import "tobac/internal/vector"

// narrow is the number of rows or columns up to which a matrix is multiplied with a column
// without the kernels, which would pad it.
const narrow = 8

// multiplyNarrow is c = A·b for one column b.
func multiplyNarrow(c []float64, a, b vector.Strided) {
	x := b.Data
	if b.Row != 1 {
		for i := range c {
			c[i] = 0
			for k := range a.Cols {
				c[i] += a.Data[i*a.Row+k*a.Col] * x[k*b.Row]
			}
		}
		return
	}
	x = x[:a.Cols]
	for i := range c {
		row := a.Data[i*a.Row:]
		if a.Col == 1 {
			c[i] = dot(row[:len(x)], x)
			continue
		}
		var s0, s1, s2, s3 float64
		k, at, step := 0, 0, a.Col
		for ; k+4 <= len(x); k += 4 {
			s0 += row[at] * x[k]
			s1 += row[at+step] * x[k+1]
			s2 += row[at+2*step] * x[k+2]
			s3 += row[at+3*step] * x[k+3]
			at += 4 * step
		}
		for ; k < len(x); k++ {
			s0 += row[at] * x[k]
			at += step
		}
		c[i] = (s0 + s1) + (s2 + s3)
	}
}
