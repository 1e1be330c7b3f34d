package generalised

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/dataset"
	"tobac/internal/nodescore"
	"tobac/internal/smooth"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A table is a table of probabilities drawn from its posterior, between values.
type table struct {
	parents [][]float64 // values, ascending
	values  []float64
	draw    *nodescore.TableDraw
}

// NewTable draws the table of variable j given its parents under a score of categories. values are
// those of the levels of each variable, ascending.
func NewTable(s *nodescore.Dirichlet, values [][]float64, j int, parents []int,
	rng *rand.Rand) *Function {
	t := &table{values: values[j], draw: s.DrawTable(j, parents, rng)}
	for _, i := range parents {
		t.parents = append(t.parents, values[i])
	}
	return &Function{form: ofTable, table: t}
}

// numbers are the values of each parent and of the variable, each after their number, and the rows
// with their configurations, after their number.
func (t *table) numbers() []float64 {
	var out []float64
	for _, v := range append(slices.Clone(t.parents), t.values) {
		out = append(append(out, float64(len(v))), v...)
	}
	out = append(out, float64(len(t.draw.Rows)))
	for _, at := range slices.Sorted(maps.Keys(t.draw.Rows)) {
		out = append(append(out, float64(at)), t.draw.Rows[at]...)
	}
	return out
}

// readTable reads one of numbers.
func readTable(parents int, r *smooth.Reader) *table {
	t := &table{draw: &nodescore.TableDraw{Rows: map[int][]float64{}}}
	for range parents + 1 {
		t.parents = append(t.parents, r.List(r.Whole(1, most)))
	}
	t.values, t.parents = t.parents[parents], t.parents[:parents]
	t.draw.Levels = len(t.values)
	configurations := 1.0
	for _, v := range t.parents {
		t.draw.Parents = append(t.draw.Parents, len(v))
		configurations *= float64(len(v))
	}
	for k := r.Whole(0, most); k > 0 && !r.Failed; k-- {
		at, row := r.Whole(0, most), r.List(len(t.values))
		if r.Failed || float64(at) >= configurations || !probabilities(row) {
			r.Failed = true
			break
		}
		t.draw.Rows[at] = row
	}
	return t
}

// probabilities says whether p are some that add up to one.
func probabilities(p []float64) bool {
	return slices.Min(p) >= 0 && math.Abs(floats.Sum(p)-1) < 1e-6
}

// row are the probabilities given values of the parents.
func (t *table) row(x []float64) []float64 {
	levels := make([]int, len(x))
	for k, v := range x {
		levels[k] = nearest(t.parents[k], v)
	}
	return t.draw.Row(levels)
}

// nearest is the place of the value nearest to x.
func nearest(values []float64, x float64) int {
	best := 0
	for k, v := range values {
		if math.Abs(v-x) < math.Abs(values[best]-x) {
			best = k
		}
	}
	return best
}

// Tables are tables of probabilities of the columns whose kind fulfils a condition, and these
// columns; nil if there are none.
func Tables(data *dataset.Table, of func(dataset.Kind) bool) (s *nodescore.Dirichlet, which []int,
	err error) {
	n, d := data.X.Dims()
	var levels []int
	var columns [][]float64
	for j := range d {
		if of(data.Kind(j)) {
			column, r := data.Codes(j)
			which, levels, columns = append(which, j), append(levels, r), append(columns, column)
		}
	}
	if len(which) == 0 {
		return nil, nil, nil
	}
	codes, mask := mat.NewDense(n, len(which), nil), mat.NewDense(n, len(which), nil)
	for k, j := range which {
		codes.SetCol(k, columns[k])
		if set := data.Mask(); set != nil {
			mask.SetCol(k, mat.Col(nil, j, set))
		}
	}
	s, err = nodescore.NewDirichlet(codes, mask, levels, nodescore.DirichletOptions{})
	return s, which, err
}
