package posterior

import (
	"fmt"
	"math"

	"tobac/internal/sparse"

	"gonum.org/v1/gonum/mat"
)

// LogDensity evaluates the log density of rows under the equations,
//
//	Σ_n Σ_j log N(x_nj; b_j + Σ_i w_ij x_ni, v_j),
//
// over the rows n of x, n×d on the scale of the equations, and the variables j
// whose value the row did not get by intervention: intervened is n×d and not 0
// where it did; nil means nowhere. It panics if shapes differ, or without noise
// variances.
func (e *Equations) LogDensity(x, intervened mat.Matrix) float64 {
	n, d := x.Dims()
	if rows, cols := e.Weights.Dims(); rows != d || cols != d {
		panic(fmt.Sprintf("posterior: %d columns, equations of %d variables", d, rows))
	}
	if len(e.NoiseVariances) != d {
		panic(fmt.Sprintf("posterior: %d noise variances of %d variables", len(e.NoiseVariances),
			d))
	}
	if intervened != nil {
		if rows, cols := intervened.Dims(); rows != n || cols != d {
			panic(fmt.Sprintf("posterior: %d×%d interventions for %d×%d values", rows, cols, n, d))
		}
	}
	sum, weights := 0.0, sparse.Of(e.Weights)
	for j := range d {
		parents := weights.Columns[j]
		squares, rows := 0.0, 0
		for r := range n {
			if intervened != nil && intervened.At(r, j) != 0 {
				continue
			}
			residual := x.At(r, j)
			if e.Intercepts != nil {
				residual -= e.Intercepts[j]
			}
			for _, p := range parents {
				residual -= p.Value * x.At(r, p.Row)
			}
			squares += residual * residual
			rows++
		}
		v := e.NoiseVariances[j]
		sum -= 0.5*float64(rows)*math.Log(2*math.Pi*v) + squares/(2*v)
	}
	return sum
}

// LogDensity evaluates the log density of other rows under the equations of every
// draw, and under those of the graph without edges, averaged over the components
// by their weights. x, n×d on the scale that p.Standardization makes, and
// intervened, n×d or nil, are as for [Equations.LogDensity]. It fails if x does
// not have d columns, if a draw has no equations with noise variances, or if a
// result is not finite; the baseline is NaN if a component has none. It panics if
// the shape of intervened is not that of x.
func (p *Posterior) LogDensity(x, intervened mat.Matrix) (draws []float64, empty float64,
	err error) {
	if _, d := x.Dims(); d != len(p.Names) {
		return nil, 0, fmt.Errorf("posterior: got data with %d columns, want %d", d, len(p.Names))
	}
	draws = make([]float64, len(p.Draws))
	for m, draw := range p.Draws {
		if draw.Equations == nil || draw.Equations.NoiseVariances == nil {
			return nil, 0,
				fmt.Errorf("posterior: draw %d has no equations with noise variances, hence no "+
					"density", m+1)
		}
		draws[m] = draw.Equations.LogDensity(x, intervened)
		if math.IsNaN(draws[m]) || math.IsInf(draws[m], 0) {
			return nil, 0,
				fmt.Errorf("posterior: log density of the rows under draw %d is %g, want a "+
					"finite number", m+1, draws[m])
		}
	}
	for _, c := range p.components() {
		if c.Empty == nil {
			return draws, math.NaN(), nil
		}
		empty += c.Weight * c.Empty.LogDensity(x, intervened)
	}
	return draws, empty, nil
}

// InDataUnits returns the equations on the scale of the data, of which e are the
// equations after standardization: w_ij becomes w_ij·s_j/s_i, and so do its
// standard deviations, b_j becomes μ_j + s_j b_j − Σ_i w_ij μ_i with the new
// weights, and v_j becomes s_j² v_j. Densities on the two scales differ by the
// factor Π_j s_j of every row. A nil Standardization changes nothing.
func (e *Equations) InDataUnits(s *Standardization) *Equations {
	if s == nil {
		return e
	}
	d := len(s.Mean)
	weights := s.sparse(e.Weights)
	out := &Equations{Weights: weights, Intercepts: make([]float64, d)}
	if e.WeightSD != nil {
		out.WeightSD = s.sparse(e.WeightSD)
	}
	for j := range d {
		b := 0.0
		if e.Intercepts != nil {
			b = e.Intercepts[j]
		}
		b = s.Mean[j] + s.SD[j]*b
		for _, p := range weights.Columns[j] {
			b -= p.Value * s.Mean[p.Row]
		}
		out.Intercepts[j] = b
		if e.NoiseVariances != nil {
			out.NoiseVariances = append(out.NoiseVariances, s.SD[j]*s.SD[j]*e.NoiseVariances[j])
		}
	}
	return out
}

// InDataUnits returns the marginals with weights on the scale of the data, as for
// [Equations.InDataUnits]. Probabilities are shared with m.
func (m Marginals) InDataUnits(s *Standardization) Marginals {
	if s == nil {
		return m
	}
	return Marginals{Probabilities: m.Probabilities, WeightMean: s.weights(m.WeightMean),
		WeightSD: s.weights(m.WeightSD)}
}

// sparse converts the weights of equations.
func (s *Standardization) sparse(w mat.Matrix) *sparse.Matrix {
	out := sparse.New(len(s.Mean))
	for j, column := range sparse.Of(w).Columns {
		for _, e := range column {
			out.Columns[j] = append(out.Columns[j],
				sparse.Entry{Row: e.Row, Value: e.Value * s.SD[j] / s.SD[e.Row]})
		}
	}
	return out
}

// weights converts d×d weights; nil stays nil.
func (s *Standardization) weights(w *mat.Dense) *mat.Dense {
	if w == nil {
		return nil
	}
	out := mat.DenseCopyOf(w)
	out.Apply(func(i, j int, v float64) float64 { return v * s.SD[j] / s.SD[i] }, out)
	return out
}
