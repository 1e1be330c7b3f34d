package densities

import (
	"math/rand/v2"

	"tobac/autograd"
)

// A regression is a density over rows i that depend on the parameters through a
// linear predictor, β_0 + x_i·β, and through a few more parameters. The parameters
// are β_0, β and those, all N(0, 2).
type regression struct {
	n, p int
	x    []float64   // n×p
	data [][]float64 // constants of every row

	// term is the log density of rows, element by element.
	term func(x, predictor *autograd.Node, data []*autograd.Node) *autograd.Node
}

// newRegression draws regressors for n rows.
func newRegression(rng *rand.Rand, n, p int) *regression {
	return &regression{n: n, p: p, x: normals(rng, n*p, 0.7)}
}

// predictors at parameters of which the first are β_0 and β.
func (r *regression) predictors(beta []float64) []float64 {
	eta := make([]float64, r.n)
	for i := range eta {
		eta[i] = r.at(beta, i)
	}
	return eta
}

// at is the predictor of row i.
func (r *regression) at(beta []float64, i int) float64 {
	eta, slopes := beta[0], beta[1:r.p+1]
	for k, v := range r.x[i*r.p : (i+1)*r.p] {
		eta += v * slopes[k]
	}
	return eta
}

// density of the regression with further parameters.
func (r *regression) density(name string, further int) *Density {
	return &Density{
		Name: name, Params: 1 + r.p + further, SD: 0.5, Expression: r.expression,
		Spellings: []Spelling{{Name: "map over rows", Expression: r.mapped},
			{Name: "rows before particles", OverRows: r.overRows, Rows: r.n}},
	}
}

func (r *regression) expression(x *autograd.Node) *autograd.Node {
	data := make([]*autograd.Node, len(r.data))
	for i, v := range r.data {
		data[i] = vector(x, v)
	}
	predictor := constant(x, r.x, r.n, r.p).MatVec(x.Slice(0, 1, r.p+1)).Add(at(x, 0))
	return r.term(x, predictor, data).Sum().Add(halfSquare(x).Scale(0.25))
}

// row is the log density of one row from its regressors and its data.
func (r *regression) row(x *autograd.Node, v []*autograd.Node) *autograd.Node {
	return r.term(x, v[0].Dot(x.Slice(0, 1, r.p+1)).Add(at(x, 0)), v[1:])
}

// tables are the regressors and the data, one row each.
func (r *regression) tables(x *autograd.Node) []*autograd.Node {
	all := []*autograd.Node{constant(x, r.x, r.n, r.p)}
	for _, v := range r.data {
		all = append(all, vector(x, v))
	}
	return all
}

func (r *regression) mapped(x *autograd.Node) *autograd.Node {
	row := func(v []*autograd.Node) *autograd.Node { return r.row(x, v) }
	terms := autograd.Map(x.Builder().Axis("row", r.n), row, r.tables(x)...)
	return terms.Sum().Add(halfSquare(x).Scale(0.25))
}

func (r *regression) overRows(x *autograd.Node, row *autograd.Axis) *autograd.Node {
	v := r.tables(x)
	for i := range v {
		v[i] = v[i].Unstack(row)
	}
	return r.row(x, v).SumOver(row).Add(halfSquare(x).Scale(0.25))
}
