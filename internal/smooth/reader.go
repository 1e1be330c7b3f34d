package smooth

import "math"

// A Reader takes the finite numbers of a function from the beginning of a list. After a fault it
// gives empty lists.
type Reader struct {
	Rest   []float64 // not yet taken
	Failed bool
}

// List is the next n numbers.
func (r *Reader) List(n int) []float64 {
	if r.Failed || n < 0 || n > len(r.Rest) {
		r.Failed = true
		return nil
	}
	out := r.Rest[:n]
	r.Rest = r.Rest[n:]
	for _, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.Failed = true
			return nil
		}
	}
	return out
}

// Whole is the next number, which has to be a whole one from least to most; least after a fault.
func (r *Reader) Whole(least, most int) int {
	v := r.List(1)
	if r.Failed || v[0] != math.Trunc(v[0]) || v[0] < float64(least) || v[0] > float64(most) {
		r.Failed = true
		return least
	}
	return int(v[0])
}
