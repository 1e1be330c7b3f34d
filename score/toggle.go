package score

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/internal/scoring"
	"tobac/internal/vector"
)

// kernels are the best of this processor: TOBAC_KERNELS does not choose them.
var kernels, _ = vector.Default()

// AddToToggled adds to dst[k] ln ρ_j of the parents without variables[k] if it is one of them, and
// with it if not: −Inf where the prior does not allow that set.
func (p *Prior) AddToToggled(dst []float64, j int, parents, variables []int) {
	n, odds, required := len(parents), p.odds[j], p.required[j]
	sum, missing := 0.0, p.needed[j]
	for _, i := range parents {
		sum += odds[i]
		if required[i] {
			missing--
		}
	}
	// The sums of the odds before and after each parent; odds may be −Inf: no difference of sums.
	before, after := 0.0, make([]float64, n+1)
	for k, i := range slices.Backward(parents) {
		after[k] = after[k+1] + odds[i]
	}
	at := 0
	for k, i := range variables {
		for ; at < n && parents[at] < i; at++ {
			before += odds[parents[at]]
		}
		switch {
		case at < n && parents[at] == i:
			if required[i] || missing > 0 {
				dst[k] = math.Inf(-1)
			} else {
				dst[k] += p.size[n-1] + (before + after[at+1])
			}
		case missing > 1 || missing == 1 && !required[i]:
			dst[k] = math.Inf(-1)
		default:
			dst[k] += p.size[n+1] + (sum + odds[i])
		}
	}
}

// neighbours is toggled by a factor that goes on from one set to the next; of n rows.
func (g *gaussian) neighbours(m gramian, candidates []int, n int,
	offset float64) func(dst []float64, parents, variables []int) {
	scoring.CheckParents(m.d, m.j, candidates)
	f := newFactor(candidates)
	return func(dst []float64, parents, variables []int) {
		checkToggled(m.d, dst, m.j, parents, variables)
		if n == 0 {
			clear(dst)
			return
		}
		g.near(f, dst, m, parents, variables, offset)
	}
}

// near writes what toggled does.
func (g *gaussian) near(f *factor, dst []float64, m gramian,
	parents, variables []int, offset float64) {
	f.to(m, parents)
	t := togglings.Get().(*toggling)
	defer togglings.Put(t)
	t.pivots, t.cross = resized(t.pivots, len(variables)), resized(t.cross, len(variables))
	t.index = resized(t.index, len(f.pivots))
	for c := range t.index {
		t.index[c] = -1
	}
	c, candidates := 0, f.candidates
	for k, i := range variables {
		for candidates[c] < i {
			c++
		}
		t.pivots[k], t.cross[k], t.index[c] = f.pivots[c], f.cross[c], int32(k)
	}
	p, sum, s := len(parents), offset+f.half, m.a[m.j*m.d+m.j]-f.explained()
	if p < m.d-1 {
		g.leaves(dst, t, p+1, sum, s)
	}
	f.without(func(c int, diagonal, weight float64) {
		if k := t.index[c]; k >= 0 {
			dst[k] = g.leaf(p-1, sum-0.5*math.Log(diagonal), s+weight*weight/diagonal)
		}
	})
}

func checkToggled(d int, dst []float64, j int, parents, variables []int) {
	scoring.CheckParents(d, j, parents)
	scoring.CheckParents(d, j, variables)
	if len(dst) != len(variables) {
		panic(fmt.Sprintf("score: room for %d scores of %d variables", len(dst), len(variables)))
	}
}

// fewVariables is the number of variables below which kernels are not worth their calls.
const fewVariables = 8

// A toggling has the room of a call of toggled, and what depends on the set of p parents A only:
// with M_AA = LLᵀ, factor is L by rows, with the inverses of its diagonal, and z = L⁻¹M_Aj.
type toggling struct {
	factor, z, w  []float64
	rows          []float64 // L⁻¹M_Ai by columns i
	pivots, cross []float64 // M_ii − y·y and M_ij − y·z, y a column of these
	logs          []float64
	index         []int32
}

var togglings = sync.Pool{New: func() any { return new(toggling) }}

// resized is a slice of n elements, in the room of x if that is enough.
func resized[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// toggled scores all neighbours of a set of p parents A from the Cholesky factor M_AA = LLᵀ. With
// y = L⁻¹M_Ai and z = L⁻¹M_Aj, another parent i has the pivot r = M_ii − y·y, and takes
// (M_ij − y·z)²/r from s.
func (g *gaussian) toggled(
	dst, a []float64, d, j int, parents, variables []int, ridge, offset float64,
) {
	t := togglings.Get().(*toggling)
	defer togglings.Put(t)
	p := len(parents)
	t.factor, t.z, t.w = resized(t.factor, p*p), resized(t.z, p), resized(t.w, p)
	sum, s := offset, a[j*d+j]
	for k, i := range parents {
		from, row := a[i*d:(i+1)*d], t.factor[k*p:k*p+k+1]
		for l := range k + 1 {
			v := from[parents[l]]
			if l == k {
				v += ridge
			}
			for h, f := range t.factor[l*p : l*p+l] {
				v -= f * row[h]
			}
			if l == k {
				pivot, half := g.pivot(v)
				sum += half
				row[k] = 1 / math.Sqrt(pivot)
			} else {
				row[l] = v * t.factor[l*p+l]
			}
		}
		v := from[j]
		for h, f := range row[:k] {
			v -= f * t.z[h]
		}
		t.z[k] = v * row[k]
		s -= t.z[k] * t.z[k]
	}
	if p < d-1 {
		t.eliminate(a, d, j, parents, variables, ridge)
		g.leaves(dst, t, p+1, sum, s)
	}
	g.removed(dst, t, parents, variables, sum, s)
}

// eliminate fills pivots and cross.
func (t *toggling) eliminate(a []float64, d, j int, parents, variables []int, ridge float64) {
	p, m := len(parents), len(variables)
	t.rows = resized(t.rows, p*m)
	t.pivots, t.cross, t.index = resized(t.pivots, m), resized(t.cross, m), resized(t.index, m)
	own := a[j*d : (j+1)*d]
	for c, i := range variables {
		t.pivots[c], t.cross[c], t.index[c] = a[i*d+i]+ridge, own[i], int32(i)
	}
	for k, i := range parents {
		y, from, row := t.rows[k*m:(k+1)*m], a[i*d:(i+1)*d], t.factor[k*p:k*p+k+1]
		if m < fewVariables {
			for c, v := range variables {
				x := from[v]
				for l, f := range row[:k] {
					x -= f * t.rows[l*m+c]
				}
				x *= row[k]
				y[c] = x
				t.pivots[c] -= x * x
				t.cross[c] -= x * t.z[k]
			}
			continue
		}
		kernels.Gather(y, from, t.index)
		for l, f := range row[:k] {
			kernels.AddScaled(y, y, -f, t.rows[l*m:(l+1)*m])
		}
		kernels.Scale(y, y, row[k])
		kernels.SubProduct(t.pivots, t.pivots, y, y)
		kernels.AddScaled(t.cross, t.cross, -t.z[k], y)
	}
}

// leaves writes the scores of the sets of p parents, of which the last has pivots and cross.
func (g *gaussian) leaves(dst []float64, t *toggling, p int, sum, s float64) {
	if len(dst) < fewVariables {
		for c, v := range t.pivots {
			pivot, half := g.pivot(v)
			dst[c] = g.leaf(p, sum+half, s-t.cross[c]*t.cross[c]/pivot)
		}
		return
	}
	t.logs = resized(t.logs, len(dst))
	kernels.MaximumScalar(t.pivots, t.pivots, g.floor)
	kernels.Log(t.logs, t.pivots)
	for c, v := range t.cross {
		dst[c] = max(s-v*v/t.pivots[c], g.least)
	}
	if g.logarithm {
		kernels.Log(dst, dst)
	}
	constant, factor := g.constant[p]+sum, g.factor[p]
	for c, v := range dst {
		dst[c] = constant - 0.5*t.logs[c] - factor*v
	}
}

// removed scores the sets without one of the parents: with B = M_AA⁻¹ and b = B M_Aj, parent m
// leaves the determinant |M_AA| B_mm, and adds b_m²/B_mm to s.
func (g *gaussian) removed(dst []float64, t *toggling, parents, variables []int, sum, s float64) {
	p, at := len(parents), 0
	for m, i := range parents {
		for at < len(variables) && variables[at] < i {
			at++
		}
		if at == len(variables) || variables[at] != i {
			continue
		}
		// Column m of L⁻¹, of which the elements above m are 0.
		w, z := t.w[m:], t.z[m:]
		w[0] = t.factor[m*p+m]
		square, b := w[0]*w[0], w[0]*z[0]
		for k := 1; k < p-m; k++ {
			v, row := 0.0, t.factor[(m+k)*p+m:(m+k)*p+m+k+1]
			for h, f := range row[:k] {
				v -= f * w[h]
			}
			v *= row[k]
			w[k] = v
			square += v * v
			b += v * z[k]
		}
		dst[at] = g.leaf(p-1, sum-0.5*math.Log(square), s+b*b/square)
	}
}
