package models

import (
	"fmt"
)

// Mean writes the mean of variable j under the parameters theta of one particle to dst, one element
// for each row; columns[k] holds the values of its parent parents[k] in these rows. All other
// inputs are masked. It panics if lengths do not fit.
func (f *feedForward) Mean(dst, theta []float64, j int, parents []int, columns [][]float64) {
	if len(theta) != f.params || len(parents) != len(columns) {
		panic(fmt.Sprintf("models: %d parameters and %d columns of %d parents, want %d parameters",
			len(theta), len(columns), len(parents), f.params))
	}
	units := make([][]float64, len(f.layers))
	for k, l := range f.layers {
		units[k] = make([]float64, l.out)
	}
	for r := range dst {
		var h []float64
		for k, l := range f.layers {
			out := units[k]
			clear(out)
			if l.biases >= 0 {
				copy(out, theta[l.biases+j*l.out:][:l.out])
			}
			w := theta[l.weights+j*l.in*l.out:][:l.in*l.out]
			if k == 0 {
				for p, i := range parents {
					for a := range out {
						out[a] += columns[p][r] * w[i*l.out+a]
					}
				}
			} else {
				for i, v := range h {
					v = f.opt.Activation.value(v)
					for a := range out {
						out[a] += v * w[i*l.out+a]
					}
				}
			}
			h = out
		}
		dst[r] = h[0]
	}
}
