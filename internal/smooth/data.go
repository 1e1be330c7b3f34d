package smooth

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/internal/scoring"
	"tobac/internal/vector"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

var kernels, _ = vector.Default() // an unknown name of kernels is reported by what compiles

// productFunctions are those of each of two parents whose products their equation has.
const productFunctions = 3

// Data are columns with their functions, and the products of these.
type Data struct {
	n, d   int
	x      mat.Matrix
	mask   mat.Matrix
	centre []float64 // of all rows, by which the functions see a column
	sd     []float64
	// standard deviations (divisor n−1) of the rows in which a column was not set
	observed  []float64
	basis     []Basis
	first     []int // function of each column: its line, with the smooth ones behind it
	functions int
	tables    [][][]float64 // functions for products, at the knots: [column][function][knot]
	variance  [][]float64   // and their prior variances
	of        []int         // group of each variable
	groups    []*group
}

// A group is what variables have in common that were not set in the same rows.
type group struct {
	rows     []int // nil means all
	n        int
	gram     *mat.SymDense // of all functions, centred
	columns  [][]float64   // the functions at these rows, centred
	products [][][]float64 // the functions that products are made of: [column][function][row]

	mu     sync.Mutex
	blocks map[blockKey][]float64
}

// A blockKey is that of a block of the Gram matrix: of the products of a pair with those of
// another, or with the functions of a column (a = column, b = −1), or with all lines (a = b = −1).
type blockKey struct{ i, k, a, b int }

// New prepares data x, n×d, with intervened as for [score.NewBGe]. A column that does not vary is
// a [*scoring.ConstantColumnError].
func New(x, intervened mat.Matrix) (*Data, error) {
	n, d := x.Dims()
	if n < 2 || d < 1 {
		return nil, fmt.Errorf("smooth: got %d rows of %d variables, want at least two rows of one",
			n, d)
	}
	t := &Data{n: n, d: d, x: x, mask: intervened, of: make([]int, d)}
	index := map[string]int{}
	for j := range d {
		column := mat.Col(nil, j, x)
		for i, v := range column {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				return nil, fmt.Errorf(
					"smooth: row %d, column %d is %v, want a finite number of magnitude "+
						"up to 1e150", i+1, j+1, v)
			}
		}
		rows := observedRows(intervened, n, j)
		seen := column
		if len(rows) >= 2 {
			seen = scoring.Pick(nil, column, rows)
		}
		spread := spreadOf(slices.Clone(seen))
		centre, sd := scoring.Standardise(column)
		if sd == 0 || spread == 0 {
			return nil, &scoring.ConstantColumnError{Column: j}
		}
		t.centre, t.sd, t.observed = append(t.centre, centre), append(t.sd, sd),
			append(t.observed, spread)
		b := NewBasis(column, Functions, ConstantTails)
		t.basis = append(t.basis, b)
		t.first = append(t.first, t.functions)
		t.functions += 1 + len(b.Smooth)
		tables, variance := b.products()
		t.tables, t.variance = append(t.tables, tables), append(t.variance, variance)
		key := fmt.Sprint(rows)
		g, ok := index[key]
		if !ok {
			g = len(t.groups)
			index[key] = g
			t.groups = append(t.groups, &group{rows: rows, blocks: map[blockKey][]float64{}})
		}
		t.of[j] = g
	}
	for _, g := range t.groups {
		t.fill(g)
	}
	return t, nil
}

// observedRows are the rows in which a variable was not set; nil means all.
func observedRows(intervened mat.Matrix, n, j int) []int {
	if intervened == nil {
		return nil
	}
	rows := []int{}
	for i := range n {
		if intervened.At(i, j) == 0 {
			rows = append(rows, i)
		}
	}
	if len(rows) == n {
		return nil
	}
	return rows
}

// spreadOf is the standard deviation with the divisor n−1 of a column, which it overwrites.
func spreadOf(x []float64) float64 {
	_, sd := scoring.Standardise(x)
	n := float64(len(x))
	return sd * math.Sqrt(n/(n-1))
}

// products are the functions of a column that products are made of, at the knots: the column with
// its outer values drawn in, and the leading smooth functions of this. A column of two values has
// the first alone; one that hardly varies none.
func (b *Basis) products() (tables [][]float64, variance []float64) {
	if len(b.Scale) == 0 || len(b.Knots) < 2 {
		return nil, nil
	}
	low, high := b.Knots[0], b.Knots[len(b.Knots)-1]
	drawn := make([]float64, len(b.Column))
	for i, v := range b.Column {
		drawn[i] = min(max(v, low), high)
	}
	mean, sd := stat.PopMeanStdDev(drawn, nil)
	line := make([]float64, len(b.Knots))
	for g, v := range b.Knots {
		line[g] = (v - mean) / sd
	}
	tables, variance = append(tables, line), append(variance, 1)
	for c := 0; c < productFunctions-1 && c < len(b.Smooth); c++ {
		values := slices.Clone(b.Tables[c])
		for g, v := range b.Knots {
			values[g] += b.Intercept[c] + b.Slope[c]*v
		}
		tables, variance = append(tables, values), append(variance, b.Variance[c])
	}
	return tables, variance
}

// fill computes the Gram matrix of a group.
func (t *Data) fill(g *group) {
	if g.n = len(g.rows); g.rows == nil {
		g.n = t.n
	}
	if g.n == 0 {
		return
	}
	for i := range t.d {
		b := t.basis[i].At(g.rows)
		for _, f := range append([][]float64{b.Column}, b.Smooth...) {
			f = slices.Clone(f)
			floats.AddConst(-stat.Mean(f, nil), f)
			g.columns = append(g.columns, f)
		}
		var of [][]float64
		for _, values := range t.tables[i] {
			f := make([]float64, g.n)
			for r, v := range b.Column {
				f[r] = Interpolate(t.basis[i].Knots, values, v)
			}
			of = append(of, f)
		}
		g.products = append(g.products, of)
	}
	g.gram = mat.NewSymDense(t.functions, nil)
	raw := g.gram.RawSymmetric()
	const block = 512 // rows at a time, so that they stay in the cache
	some := make([]float64, block*t.functions)
	for from := 0; from < g.n; from += block {
		count := min(block, g.n-from)
		for c, f := range g.columns {
			copy(some[c*count:(c+1)*count], f[from:from+count])
		}
		a := blas64.General{Rows: t.functions, Cols: count, Stride: count,
			Data: some[:count*t.functions]}
		blas64.Syrk(blas.NoTrans, 1, a, 1, raw)
	}
	for r := range t.functions { // both triangles, for reads in either sequence
		for c := range r {
			raw.Data[r*raw.Stride+c] = raw.Data[c*raw.Stride+r]
		}
	}
}

// Vars is the number of variables.
func (t *Data) Vars() int { return t.d }

// block is one of the Gram matrix, row-major, the products of the pair i < k by row.
func (t *Data) block(g *group, key blockKey) []float64 {
	g.mu.Lock()
	b, ok := g.blocks[key]
	g.mu.Unlock()
	if ok {
		return b
	}
	b = t.newBlock(g, key)
	g.mu.Lock()
	g.blocks[key] = b
	g.mu.Unlock()
	return b
}

// newBlock computes a block, some rows of the table at a time, so that they stay in the cache.
func (t *Data) newBlock(g *group, key blockKey) []float64 {
	const most = 512
	left := t.pairMeans(g, key.i, key.k)
	var columns [][]float64
	var right []float64
	switch {
	case key.a < 0:
		for j := range t.d {
			columns = append(columns, g.columns[t.first[j]])
		}
	case key.b < 0:
		columns = g.columns[t.first[key.a] : t.first[key.a]+1+len(t.basis[key.a].Smooth)]
	default:
		right = t.pairMeans(g, key.a, key.b)
	}
	wide := max(len(columns), len(right))
	b := make([]float64, len(left)*wide)
	u, v, row := make([]float64, most*len(left)), make([]float64, most*wide), make([]float64, wide)
	for from := 0; from < g.n; from += most {
		count := min(most, g.n-from)
		t.pairRows(u, g, key.i, key.k, left, from, count)
		if right != nil {
			t.pairRows(v, g, key.a, key.b, right, from, count)
		}
		for c, f := range columns {
			copy(v[c*count:], f[from:from+count])
		}
		rows := vector.Strided{Rows: wide, Cols: count, Row: count, Col: 1, Data: v}
		for r := range left {
			kernels.MulVec(row, rows, u[r*count:(r+1)*count])
			floats.Add(b[r*wide:(r+1)*wide], row)
		}
	}
	return b
}

// pairMeans are the means of the products of two columns.
func (t *Data) pairMeans(g *group, i, k int) (means []float64) {
	for _, f := range g.products[i] {
		for _, h := range g.products[k] {
			means = append(means, floats.Dot(f, h)/float64(g.n))
		}
	}
	return means
}

// pairRows writes the products of two columns, less their means, in some rows.
func (t *Data) pairRows(dst []float64, g *group, i, k int, means []float64, from, count int) {
	at := 0
	for _, f := range g.products[i] {
		for _, h := range g.products[k] {
			p := floats.MulTo(dst[at*count:(at+1)*count], f[from:from+count], h[from:from+count])
			floats.AddConst(-means[at], p)
			at++
		}
	}
}

// pair are the products of two columns at the rows of a group, centred.
func (t *Data) pair(g *group, i, k int) (all [][]float64) {
	for _, f := range g.products[i] {
		for _, h := range g.products[k] {
			p := floats.MulTo(make([]float64, g.n), f, h)
			floats.AddConst(-stat.Mean(p, nil), p)
			all = append(all, p)
		}
	}
	return all
}

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
