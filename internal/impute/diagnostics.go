package impute

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Diagnostics say what was completed, and how much the gaps leave unknown.
type Diagnostics struct {
	Columns []Column // of the table
	Models  []Model  // of the regimes with gaps; one without interventions, none without gaps
}

// A Column is what was done to a column.
type Column struct {
	Gaps   int
	Method Method // Normal or Matching
	// Information is the fraction of missing information about the column's mean, by Rubin's rules,
	// in [0, 1]; 0 without gaps, NaN with fewer than two completed tables.
	Information float64
}

// A Model is the normal model of a regime.
type Model struct {
	Rows, Patterns int // rows it is estimated from, and different patterns of gaps among them
	// Ridge and DF are λ and ν₀ of the package comment.
	Ridge, DF float64
	// EMIterations is the number of iterations of EM, which Converged or not; its Rate of
	// convergence is the largest fraction of missing information of any linear combination of
	// parameters.
	EMIterations int
	Converged    bool
	Rate         float64
	Iterations   int // of each chain
	// Columns are those of the table that are not constant in these rows; Mean and Covariance are
	// their estimates by EM, in the units of the data.
	Columns    []int
	Mean       []float64
	Covariance *mat.SymDense // nil without columns
}

// describe is the report of a regime.
func (p *problem) describe(em *emReport, iterations int) Model {
	m := Model{Rows: p.n, Patterns: len(p.patterns), Ridge: p.prior.ridge, DF: p.prior.df,
		EMIterations: em.iterations, Converged: em.converged,
		Rate: em.rate, Iterations: iterations, Columns: slices.Clone(p.columns)}
	for a, v := range em.mean {
		m.Mean = append(m.Mean, p.mean[a]+p.sd[a]*v)
	}
	if p.d > 0 {
		m.Covariance = mat.NewSymDense(p.d, nil)
		for a := range p.d {
			for b := a; b < p.d; b++ {
				m.Covariance.SetSym(a, b, p.sd[a]*p.sd[b]*em.covariance.At(a, b))
			}
		}
	}
	return m
}

// columns describes the columns of the table.
func (c *Completed) columns(methods []Method) []Column {
	n, d := c.x.Dims()
	out := make([]Column, d)
	for j := range out {
		out[j].Method = methods[j]
	}
	for _, place := range c.places {
		out[place%d].Gaps++
	}
	for j := range out {
		if out[j].Gaps == 0 {
			continue
		}
		out[j].Information = math.NaN()
		if len(c.values) < 2 {
			continue
		}
		estimates, variances := c.means(j)
		out[j].Information = Pool(estimates, variances, float64(n-1)).Information
	}
	return out
}

// means are the means of a column in the completed tables, with the squares of their standard
// errors.
func (c *Completed) means(j int) (estimates, variances []float64) {
	n, d := c.x.Dims()
	column := mat.Col(nil, j, c.x)
	for _, values := range c.values {
		for p, place := range c.places {
			if place%d == j {
				column[place/d] = values[p]
			}
		}
		mean := 0.0
		for _, v := range column {
			mean += v / float64(n)
		}
		squares := 0.0
		for _, v := range column {
			squares += (v - mean) * (v - mean)
		}
		estimates, variances = append(estimates, mean),
			append(variances, squares/float64(max(n-1, 1))/float64(n))
	}
	return estimates, variances
}

// A Completed table is a table with gaps and several sets of values for them.
type Completed struct {
	x           *mat.Dense
	places      []int       // row·d + column of every gap
	values      [][]float64 // of every completed table, in the sequence of places
	Diagnostics Diagnostics
}

// Count is the number of completed tables.
func (c *Completed) Count() int { return len(c.values) }

// Gaps is the number of values that were completed in each table.
func (c *Completed) Gaps() int { return len(c.places) }

// Places are those of the gaps, row·d + column, ascending.
func (c *Completed) Places() []int { return slices.Clone(c.places) }

// Matched marks the columns whose values were taken from other rows, and that no equation yields.
func (c *Completed) Matched() []bool {
	all := make([]bool, len(c.Diagnostics.Columns))
	for j, column := range c.Diagnostics.Columns {
		all[j] = column.Method == Matching
	}
	return all
}

// Table is completed table k, n×d: a copy, in which observed values have the bits that they had. It
// panics if there is no such table.
func (c *Completed) Table(k int) *mat.Dense {
	if k < 0 || k >= len(c.values) {
		panic(fmt.Sprintf("impute: completed table %d of %d", k, len(c.values)))
	}
	out := mat.DenseCopyOf(c.x)
	data := out.RawMatrix().Data
	for p, place := range c.places {
		data[place] = c.values[k][p]
	}
	return out
}

// A Pooled estimate is that of a quantity from several completed tables.
type Pooled struct {
	Mean float64
	SD   float64 // standard error, of which the part between the tables is a part
	DF   float64 // of the t distribution of (Mean − quantity)/SD
	// Information is the fraction of the information about the quantity that is missing, in [0, 1].
	Information float64
}

// Pool combines the estimates of a quantity from K ≥ 2 completed tables, with the squares of their
// standard errors, by Rubin's rules: with W the mean of the variances, B the sample variance of the
// estimates,
//
//	T = W + (1 + 1/K)B,   r = (1 + 1/K)B/W,   γ = (1 + 1/K)B/T,
//
// the quantity has the mean of the estimates, the variance T, and with ν the degrees of freedom of
// the complete data (+Inf: many)
//
//	1/DF = γ²/(K − 1) + (ν + 3)/((ν + 1)ν(1 − γ)),
//
// (Barnard and Rubin 1999); the fraction of missing information is (r + 2/(DF + 3))/(r + 1), and 0
// if the estimates are equal. It panics if lengths differ or are below 2.
func Pool(estimates, variances []float64, df float64) Pooled {
	if len(estimates) != len(variances) || len(estimates) < 2 {
		panic(fmt.Sprintf("impute: %d estimates with %d variances, want at least 2 of each",
			len(estimates), len(variances)))
	}
	k := float64(len(estimates))
	var out Pooled
	within, between := 0.0, 0.0
	for m, v := range estimates {
		out.Mean += v / k
		within += variances[m] / k
	}
	for _, v := range estimates {
		between += (v - out.Mean) * (v - out.Mean) / (k - 1)
	}
	extra := (1 + 1/k) * between
	total := within + extra
	out.SD, out.DF = math.Sqrt(total), df
	if extra == 0 {
		return out
	}
	gamma := extra / total
	inverse := gamma * gamma / (k - 1)
	if !math.IsInf(df, 1) {
		inverse += (df + 3) / ((df + 1) * df * (1 - gamma))
	}
	out.DF = 1 / inverse
	if within == 0 {
		out.Information = 1
		return out
	}
	r := extra / within
	out.Information = math.Min(1, (r+2/(out.DF+3))/(r+1))
	return out
}
