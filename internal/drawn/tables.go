package drawn

import (
	"math"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/nodescore"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostTableRows is how many combinations of the parents' levels a table of [Tables] may have.
const mostTableRows = 1 << 16

// Tables are the posterior means of the tables of probabilities of a graph, by variable and
// combination of the parents' levels, of which that of the last parent changes fastest; the means
// over several completed tables, at least one. The equivalent sample size of their Dirichlet priors
// is averaged over by its evidence given the graph. ok is false where a column has no levels, or
// not the same number in all completed tables, or a table more than 65,536 combinations.
func Tables(completed []*dataset.Table, g *dag.Graph) (tables [][][]float64, ok bool) {
	for k, data := range completed {
		one, ok := meanTables(data, g)
		if !ok {
			return nil, false
		}
		if k == 0 {
			tables = one
			continue
		}
		for j, rows := range one {
			if len(rows) != len(tables[j]) || len(rows[0]) != len(tables[j][0]) {
				return nil, false
			}
			for c, row := range rows {
				floats.Add(tables[j][c], row)
			}
		}
	}
	for _, rows := range tables {
		for _, row := range rows {
			floats.Scale(1/floats.Sum(row), row)
		}
	}
	return tables, true
}

// meanTables are those of one table.
func meanTables(data *dataset.Table, g *dag.Graph) (tables [][][]float64, ok bool) {
	n, d := data.X.Dims()
	x, levels := mat.NewDense(n, d, nil), make([]int, d)
	for j := range d {
		if !data.Kind(j).Levelled() {
			return nil, false
		}
		codes, r := data.Codes(j)
		x.SetCol(j, codes)
		levels[j] = r
	}
	combinations := make([]int, d)
	for j := range d {
		combinations[j] = 1
		for _, i := range g.Parents(j) {
			if combinations[j] *= levels[i]; combinations[j] > mostTableRows {
				return nil, false
			}
		}
	}
	first, err := nodescore.NewDirichlet(x, data.Mask(), levels, nodescore.DirichletOptions{})
	if err != nil {
		return nil, false
	}
	var scores []*nodescore.Dirichlet
	var weight []float64
	for _, alpha := range nodescore.EquivalentSizes {
		s := first.WithAlpha(alpha)
		scores, weight = append(scores, s), append(weight, nodescore.OfGraph(s, g))
	}
	floats.AddConst(-floats.LogSumExp(weight), weight)
	tables = make([][][]float64, d)
	for j := range d {
		tables[j] = make([][]float64, combinations[j])
		for c := range tables[j] {
			tables[j][c] = make([]float64, levels[j])
		}
		for k, s := range scores {
			w, t := math.Exp(weight[k]), s.MeanTable(j, g.Parents(j))
			for c, row := range tables[j] {
				if of := t.Rows[c]; of != nil {
					floats.AddScaled(row, w, of)
				} else { // never seen: all levels alike
					floats.AddConst(w/float64(levels[j]), row)
				}
			}
		}
	}
	return tables, true
}
