package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tobac/posterior"
)

// A ColumnFit says how well the equation of a variable describes its column.
type ColumnFit struct {
	Name string
	// Parents are the most probable set of parents, and Probability is how probable it
	// is. What follows is about the equation with these parents.
	Parents     []string
	Probability float64
	Rows        int // on which R2 rests: those without an intervention on the variable
	// 1 − variance of the residuals / variance of the column; NaN for a constant column
	R2         float64
	ResidualSD float64 // in units of the data
	// Checks of the residuals.
	Normal, EqualVariance, Linear Check
}

// A Check is a test of an assumption.
type Check struct {
	P    float64 // of a departure as large by chance; NaN means not tested
	Text string  // what was found, or why it was not tested
}

// Doubtful is the p-value below which a check counts as failed.
const Doubtful = 0.001

// Failed reports whether the data speak against the assumption.
func (c Check) Failed() bool { return c.P < Doubtful }

// checkedRows is the number of rows that checks take, evenly spaced in the table.
const checkedRows = 20000

// FitColumns compares the linear equations of draws with n×d data x, which are on the
// scale of the equations. intervened is n×d, 1 where a value was set by intervention, or
// nil; such values and missing ones (NaN) say nothing about their variable's equation.
// Draws with a cycle are left out. It returns nil if the draws have no equations, and
// panics if numbers of columns differ.
func FitColumns(p *posterior.Posterior, x, intervened *mat.Dense) []ColumnFit {
	if _, d := x.Dims(); d != len(p.Names) {
		panic("report: data and posterior differ in their numbers of columns")
	}
	draws, weights := weighted(p)
	if len(draws) == 0 || draws[0].Equations == nil {
		return nil
	}
	fits := make([]ColumnFit, len(p.Names))
	for j := range fits {
		e := typicalEquation(draws, weights, j)
		fits[j] = e.fit(p.Names, x, intervened)
		if p.Standardization != nil {
			fits[j].ResidualSD *= p.Standardization.SD[j]
		}
	}
	return fits
}

// weighted are the acyclic draws with their weights, which sum to 1.
func weighted(p *posterior.Posterior) ([]posterior.Draw, []float64) {
	if len(p.Draws) == 0 {
		return nil, nil
	}
	kept, at := p.Empirical().Acyclic()
	if kept == nil {
		return nil, nil
	}
	draws := make([]posterior.Draw, len(at))
	for k, m := range at {
		draws[k] = p.Draws[m]
	}
	return draws, kept.Weights()
}

// An equation of variable j with its most probable parents: weights and intercept are
// averages over the draws that have exactly these.
type equation struct {
	j           int
	parents     []int
	weights     []float64
	intercept   float64
	probability float64
}

func typicalEquation(draws []posterior.Draw, weights []float64, j int) *equation {
	sets := map[string]*equation{}
	var e *equation // the most probable so far; probabilities only grow
	for k := range draws {
		parents := draws[k].Graph.Parents(j)
		key := make([]byte, 0, 2*len(parents))
		for _, i := range parents {
			key = append(key, byte(i), byte(i>>8))
		}
		c := sets[string(key)]
		if c == nil {
			c = &equation{j: j, parents: parents, weights: make([]float64, len(parents))}
			sets[string(key)] = c
		}
		c.probability += weights[k]
		if e == nil || c.probability > e.probability {
			e = c
		}
	}
	total := 0.0
	for k := range draws {
		if !slices.Equal(draws[k].Graph.Parents(j), e.parents) {
			continue
		}
		total += weights[k]
		q := draws[k].Equations
		for a, i := range e.parents {
			e.weights[a] += weights[k] * q.Weights.At(i, j)
		}
		if q.Intercepts != nil {
			e.intercept += weights[k] * q.Intercepts[j]
		}
	}
	if total > 0 {
		for a := range e.weights {
			e.weights[a] /= total
		}
		e.intercept /= total
	}
	return e
}

// fit compares the equation with the rows that say something about it.
func (e *equation) fit(names []string, x, intervened *mat.Dense) ColumnFit {
	f := ColumnFit{Name: names[e.j], Probability: math.Min(1, e.probability), R2: math.NaN(),
		ResidualSD: math.NaN()}
	for _, i := range e.parents {
		f.Parents = append(f.Parents, names[i])
	}
	n, _ := x.Dims()
	var rows []int
	for r := range n {
		if e.complete(x, intervened, r) {
			rows = append(rows, r)
		}
	}
	f.Rows = len(rows)
	values, residuals := make([]float64, len(rows)), make([]float64, len(rows))
	for k, r := range rows {
		values[k] = x.At(r, e.j)
		residuals[k] = values[k] - e.predict(x, r)
	}
	if len(rows) > 1 {
		if v := stat.Variance(values, nil); v > 0 {
			f.R2 = 1 - stat.Variance(residuals, nil)/v
		}
		f.ResidualSD = stat.StdDev(residuals, nil)
	}
	if stride := (len(rows) + checkedRows - 1) / checkedRows; stride > 1 {
		rows, values, residuals = every(rows, stride), every(values, stride),
			every(residuals, stride)
	}
	regressors := make([][]float64, len(e.parents))
	for a, i := range e.parents {
		for _, r := range rows {
			regressors[a] = append(regressors[a], x.At(r, i))
		}
	}
	f.Normal = normality(residuals)
	f.EqualVariance = equalVariance(residuals, regressors)
	f.Linear = linearity(values, regressors)
	return f
}

func every[T any](all []T, stride int) []T {
	var out []T
	for k := 0; k < len(all); k += stride {
		out = append(out, all[k])
	}
	return out
}

// complete reports whether a row has everything that the equation needs.
func (e *equation) complete(x, intervened *mat.Dense, r int) bool {
	if intervened != nil && intervened.At(r, e.j) != 0 || math.IsNaN(x.At(r, e.j)) {
		return false
	}
	return !slices.ContainsFunc(e.parents, func(i int) bool { return math.IsNaN(x.At(r, i)) })
}

func (e *equation) predict(x *mat.Dense, r int) float64 {
	v := e.intercept
	for a, i := range e.parents {
		v += e.weights[a] * x.At(r, i)
	}
	return v
}

// Ancestors is the d×d matrix of the probabilities that a directed path leads from i to j,
// over the acyclic draws; nil without any.
func Ancestors(p *posterior.Posterior) *mat.Dense {
	draws, weights := weighted(p)
	if len(draws) == 0 {
		return nil
	}
	d := len(p.Names)
	out := mat.NewDense(d, d, nil)
	for k := range draws {
		for _, e := range draws[k].Graph.Closure().Edges() {
			out.Set(e.From, e.To, math.Min(1, out.At(e.From, e.To)+weights[k]))
		}
	}
	return out
}

// EdgeCounts are the probabilities of 0, 1, 2, … edges over the acyclic draws; nil without
// any.
func EdgeCounts(p *posterior.Posterior) []float64 {
	draws, weights := weighted(p)
	var out []float64
	for k := range draws {
		for n := draws[k].Graph.Size(); len(out) <= n; {
			out = append(out, 0)
		}
		out[draws[k].Graph.Size()] += weights[k]
	}
	return out
}
