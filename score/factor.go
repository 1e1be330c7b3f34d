package score

import (
	"math"
	"slices"
)

// A factor is the Cholesky factor M_AA = LLᵀ of a set of parents A of a variable, with L⁻¹M_Ai of
// all candidates i. It goes from one set of p parents among m candidates to another by rotations
// and single rows, in O(p(p+m)) for each parent more or less. It belongs to one goroutine. Its
// rounding depends on the sets before, by little: after mostChanges it is made anew.
type factor struct {
	// pivots and cross are M_ii − y·y and M_ij − y·z of candidates that are no parents, by number.
	pivots, cross []float64
	half          float64 // −½ ln|M_AA|

	candidates []int // ascending
	index      []int32
	members    []int       // numbers of the parents, by row of L
	of         []int       // row of L of each candidate, −1 if it is no parent
	rows       [][]float64 // y = L⁻¹M_Ai, by row of L and candidate
	inverse    [][]float64 // L⁻¹, by row and column
	z          []float64   // L⁻¹M_Aj
	room       []float64
	changes    int
}

// mostChanges is the largest number of single changes until a factor is made anew.
const mostChanges = 64

// newFactor has no parents yet. The candidates are ascending, and not changed later.
func newFactor(candidates []int) *factor {
	m := len(candidates)
	f := &factor{candidates: candidates, index: make([]int32, m), of: make([]int, m),
		pivots: make([]float64, m), cross: make([]float64, m), room: make([]float64, m)}
	for c, i := range candidates {
		f.index[c] = int32(i)
	}
	return f
}

// A gramian is M = a + ridge·I, d×d, for a variable j, whose own diagonal element is without the
// ridge. No pivot is below the floor.
type gramian struct {
	a            []float64
	d, j         int
	ridge, floor float64
}

// to brings the factor to a set of parents among its candidates, ascending. All calls are for one
// gramian.
func (f *factor) to(m gramian, parents []int) {
	leave, enter := 0, 0
	for c, at := 0, 0; c < len(f.candidates); c++ {
		in := at < len(parents) && parents[at] == f.candidates[c]
		if in {
			at++
		}
		switch {
		case in && f.of[c] < 0:
			enter++
		case !in && f.of[c] >= 0:
			leave++
		}
	}
	if f.changes += leave + enter; f.rows == nil || f.changes > mostChanges ||
		4*leave+enter > len(parents) {
		f.reset(m)
	}
	at := 0
	for c, i := range f.candidates {
		if at < len(parents) && parents[at] == i {
			at++
		} else if f.of[c] >= 0 {
			f.remove(m, c)
		}
	}
	if at < len(parents) {
		panic("score: a parent is no candidate")
	}
	at = 0
	for c, i := range f.candidates {
		if at < len(parents) && parents[at] == i {
			if at++; f.of[c] < 0 {
				f.add(m, c)
			}
		}
	}
}

// reset is the factor of no parents.
func (f *factor) reset(m gramian) {
	f.half, f.changes = 0, 0
	f.members, f.z = f.members[:0], f.z[:0]
	own := m.a[m.j*m.d : (m.j+1)*m.d]
	for c, i := range f.candidates {
		f.of[c], f.pivots[c], f.cross[c] = -1, m.a[i*m.d+i]+m.ridge, own[i]
	}
	if f.rows == nil {
		f.rows = [][]float64{}
	}
}

// add makes candidate c a parent, the last row of L.
func (f *factor) add(m gramian, c int) {
	p, i := len(f.members), f.candidates[c]
	if len(f.rows) == p {
		f.rows = append(f.rows, make([]float64, len(f.candidates)))
		f.inverse = append(f.inverse, nil)
	}
	y, inverse := f.rows[p], slices.Grow(f.inverse[p][:0], p+1)[:p+1]
	f.inverse[p] = inverse
	kernels.Gather(y, m.a[i*m.d:(i+1)*m.d], f.index)
	clear(inverse)
	for k, row := range f.rows[:p] {
		l := row[c]
		kernels.AddScaled(y, y, -l, row)
		kernels.AddScaled(inverse[:k+1], inverse[:k+1], -l, f.inverse[k][:k+1])
	}
	pivot := max(f.pivots[c], m.floor)
	scale := 1 / math.Sqrt(pivot)
	kernels.Scale(y, y, scale)
	kernels.Scale(inverse, inverse, scale)
	inverse[p] = scale
	for _, at := range f.members {
		y[at] = 0
	}
	y[c] = pivot * scale
	z := f.cross[c] * scale
	f.of[c], f.members, f.z = p, append(f.members, c), append(f.z, z)
	f.half -= 0.5 * math.Log(pivot)
	kernels.SubProduct(f.pivots, f.pivots, y, y)
	kernels.AddScaled(f.cross, f.cross, -z, y)
}

// remove takes the parent of number c away. Rotations of the rows behind it make L triangular again
// without it, and leave the last row to it alone.
func (f *factor) remove(m gramian, c int) {
	at, last := f.of[c], len(f.members)-1
	for k := at; k < last; k++ {
		next := f.members[k+1]
		a, b := f.rows[k][next], f.rows[k+1][next]
		r := math.Sqrt(a*a + b*b)
		cos, sin := a/r, b/r
		f.rotate(&f.rows[k], &f.rows[k+1], cos, sin)
		f.rows[k][next], f.rows[k+1][next] = r, 0
		f.inverse[k] = append(f.inverse[k], 0)
		above := f.inverse[k]
		for h, v := range f.inverse[k+1] {
			above[h], f.inverse[k+1][h] = cos*above[h]+sin*v, cos*v-sin*above[h]
		}
		f.z[k], f.z[k+1] = cos*f.z[k]+sin*f.z[k+1], cos*f.z[k+1]-sin*f.z[k]
	}
	y, z := f.rows[last], f.z[last]
	kernels.AddScaled(f.cross, f.cross, z, y)
	f.half += math.Log(max(math.Abs(y[c]), math.Sqrt(m.floor)))
	kernels.Scale(f.room, y, -1)
	kernels.SubProduct(f.pivots, f.pivots, f.room, y)
	for k := at; k < last; k++ {
		row := f.inverse[k]
		copy(row[at:], row[at+1:])
		f.inverse[k] = row[:k+1]
		f.members[k] = f.members[k+1]
		f.of[f.members[k]] = k
	}
	f.members, f.z, f.of[c] = f.members[:last], f.z[:last], -1
}

// rotate makes two rows of candidates cos·x + sin·y and cos·y − sin·x.
func (f *factor) rotate(x, y *[]float64, cos, sin float64) {
	kernels.Scale(f.room, *x, cos)
	kernels.AddScaled(f.room, f.room, sin, *y)
	kernels.Scale(*y, *y, cos)
	kernels.AddScaled(*y, *y, -sin, *x)
	*x, f.room = f.room, *x
}

// without visits the parents, by number: with B = M_AA⁻¹ and b = B·M_Aj, those without parent m
// have the determinant |M_AA|·B_mm, and leave b_m²/B_mm more.
func (f *factor) without(visit func(c int, diagonal, weight float64)) {
	p := len(f.members)
	diagonal, weight := make([]float64, p), make([]float64, p)
	for k, row := range f.inverse[:p] {
		z := f.z[k]
		for l, v := range row[:k+1] {
			diagonal[l] += v * v
			weight[l] += v * z
		}
	}
	for k, c := range f.members {
		visit(c, diagonal[k], weight[k])
	}
}

// explained is z·z, which the parents explain of M_jj.
func (f *factor) explained() float64 {
	sum := 0.0
	for _, v := range f.z {
		sum += v * v
	}
	return sum
}
