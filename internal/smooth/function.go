package smooth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// A Function is a structural equation x_j = f(x_A) + ε drawn from its posterior, in the units of
// the data.
type Function struct {
	Intercept float64
	Variance  float64 // of ε
	Parts     []Part  // of the parents
	Products  []Product
}

// A Part is the summand of one parent: Slope·x, and a function that is linear between the knots
// and constant beyond, followed by those that products are made of.
type Part struct {
	Slope  float64
	Knots  []float64
	Values [][]float64 // of each function at the knots
}

// A Product is the summand of the parents number A and B: Σ Weights[u][v] f_u(x_A) f_v(x_B).
type Product struct {
	A, B    int
	Weights []float64
}

// posterior is the equation of a variable given its parents at the mode of its form: the terms with
// the posterior means of their weights, a factor L of whose precision the working memory keeps; the
// noise variance's estimate.
func (s *Scorer) posterior(j int, parents []int) (
	w *regression, mean []float64, noise, freedom float64,
) {
	w = new(regression)
	f := s.of[j].find(parents)
	switch {
	case s.linear(j):
		f = &fit{form: form{make([]uint8, len(parents)), make([]uint8, len(parents)*len(parents))}}
	case f == nil:
		f = s.grown(new(system), j, slices.Clone(parents))
	}
	w.layTerms(s, parents, f.form)
	_, rest := w.factor(s, j)
	m := len(w.terms)
	mean = slices.Clone(w.l[row(m):])
	mean = mean[:m]
	w.solve(mean)
	if s.common > 0 {
		return w, mean, s.common, math.Inf(1)
	}
	shape := s.alpha + float64(len(parents)+s.data.groups[s.data.of[j]].n)/2
	return w, mean, (s.beta + rest/2) / shape, 2 * shape
}

// Function draws the equation of variable j given its parents, at the mode of its form.
func (s *Scorer) Function(j int, parents []int, rng *rand.Rand) *Function {
	t := s.data
	g := t.groups[t.of[j]]
	f := &Function{Intercept: t.centre[j], Variance: t.observed[j] * t.observed[j]}
	for _, i := range parents {
		p := Part{Knots: []float64{t.centre[i]}, Values: [][]float64{{0}}}
		if len(t.tables[i]) > 0 {
			n := len(t.basis[i].Knots)
			p.Knots, p.Values = make([]float64, n), [][]float64{make([]float64, n)}
			for k, v := range t.basis[i].Knots {
				p.Knots[k] = t.centre[i] + t.sd[i]*v
			}
		}
		f.Parts = append(f.Parts, p)
	}
	if g.n == 0 {
		return f
	}
	w, mean, noise, freedom := s.posterior(j, parents)
	unit := t.sd[j] / s.childScale[j] // of the child in the regression
	if !math.IsInf(freedom, 1) {
		// Wilson and Hilferty's approximation of a χ² number by so many degrees of freedom.
		chi := 1 - 2/(9*freedom) + rng.NormFloat64()*math.Sqrt(2/(9*freedom))
		noise /= math.Max(chi*chi*chi, 1e-3)
	}
	f.Variance = noise * unit * unit
	beta := make([]float64, len(mean))
	for k := range beta {
		beta[k] = rng.NormFloat64() * math.Sqrt(noise)
	}
	w.solve(beta)
	floats.Add(beta, mean)
	f.Intercept = t.centre[j] + unit*s.childScale[j]*s.meanOf(g, j)
	f.fill(s, g, w, parents, beta, unit)
	return f
}

// meanOf is the mean of a variable, standardised, over the rows of a group.
func (s *Scorer) meanOf(g *group, j int) float64 {
	if g.rows == nil {
		return 0
	}
	return stat.Mean(scoring.Pick(nil, s.data.basis[j].Column, g.rows), nil)
}

// fill sets the parts of a function from the weights of its terms; means of the terms over the rows
// go into the intercept.
func (f *Function) fill(
	s *Scorer, g *group, w *regression, parents []int, beta []float64, unit float64,
) {
	t := s.data
	place := map[int]int{}
	for a, i := range parents {
		place[i] = a
	}
	var shift [][]float64 // means of functions over the rows of the group, by parent
	for _, i := range parents {
		b := &t.basis[i]
		var m []float64
		for _, c := range append([][]float64{b.Column}, b.Smooth...) {
			if g.rows != nil {
				c = scoring.Pick(nil, c, g.rows)
			}
			m = append(m, stat.Mean(c, nil))
		}
		shift = append(shift, m)
	}
	for k, u := range w.terms {
		weight := beta[k] * u.root * unit
		a := place[u.i]
		p, b := &f.Parts[a], &t.basis[u.i]
		switch {
		case u.k >= 0:
			f.addProduct(t, g, a, place[u.k], u, weight)
			continue
		case u.at == 0:
			p.Slope += weight / t.sd[u.i]
			f.Intercept -= weight * t.centre[u.i] / t.sd[u.i]
		default:
			m := u.at - 1
			floats.AddScaled(p.Values[0], weight, b.Tables[m])
			p.Slope += weight * b.Slope[m] / t.sd[u.i]
			f.Intercept += weight * (b.Intercept[m] - b.Slope[m]*t.centre[u.i]/t.sd[u.i])
		}
		f.Intercept -= weight * shift[a][u.at]
	}
}

// addProduct adds a term of a product.
func (f *Function) addProduct(t *Data, g *group, a, b int, u term, weight float64) {
	for _, x := range []struct{ at, column int }{{a, u.i}, {b, u.k}} {
		if p := &f.Parts[x.at]; len(p.Values) == 1 {
			p.Values = append(p.Values, t.tables[x.column]...)
		}
	}
	columns := len(t.tables[u.k])
	if last := len(f.Products) - 1; last < 0 || f.Products[last].A != a || f.Products[last].B != b {
		f.Products = append(f.Products, Product{a, b, make([]float64, len(t.tables[u.i])*columns)})
	}
	f.Products[len(f.Products)-1].Weights[u.at] += weight
	sum := floats.Dot(g.products[u.i][u.at/columns], g.products[u.k][u.at%columns])
	f.Intercept -= weight * sum / float64(g.n)
}

// FunctionParameters are those of [Scorer.Function].
func (s *Scorer) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.Function(j, parents, rng).Parameters()
}

// Noise is the variance of ε.
func (f *Function) Noise() float64 { return f.Variance }

// Mean writes f to dst, one element for each row; columns[k] holds the values of parent number k.
func (f *Function) Mean(dst []float64, columns [][]float64) {
	for r := range dst {
		dst[r] = f.Intercept
		for k := range f.Parts {
			p := &f.Parts[k]
			dst[r] += p.Slope*columns[k][r] + Interpolate(p.Knots, p.Values[0], columns[k][r])
		}
		for _, q := range f.Products {
			a, b := &f.Parts[q.A], &f.Parts[q.B]
			at := 0
			for _, u := range a.Values[1:] {
				fu := Interpolate(a.Knots, u, columns[q.A][r])
				for _, v := range b.Values[1:] {
					dst[r] += q.Weights[at] * fu * Interpolate(b.Knots, v, columns[q.B][r])
					at++
				}
			}
		}
	}
}

// Parameters are the function as numbers, of which [NewFunction] makes it again: the noise
// variance, the intercept, the number of products; for each parent the slope, the numbers of knots
// and of functions, the knots and the values of each function there; for each product its parents
// and its weights.
func (f *Function) Parameters() []float64 {
	out := []float64{f.Variance, f.Intercept, float64(len(f.Products))}
	for _, p := range f.Parts {
		out = append(out, p.Slope, float64(len(p.Knots)), float64(len(p.Values)))
		out = append(out, p.Knots...)
		for _, v := range p.Values {
			out = append(out, v...)
		}
	}
	for _, q := range f.Products {
		out = append(append(out, float64(q.A), float64(q.B)), q.Weights...)
	}
	return out
}

// mostPlaces is the number of knots of a part: those of a basis, with the outer rows at either end.
const mostPlaces = mostKnots + 2*mostOuter

// NewFunction is the function of so many parents at the beginning of parameters, and the
// parameters after it. Numbers that no function has are an error.
func NewFunction(parents int, parameters []float64) (f *Function, rest []float64, err error) {
	fault := func(what string) (*Function, []float64, error) {
		return nil, nil, fmt.Errorf("smooth: function of %d parents: %s", parents, what)
	}
	r := &Reader{Rest: parameters}
	head, products := r.List(2), r.Whole(0, parents*(parents-1)/2)
	if r.Failed || head[0] < 0 {
		return fault("want a noise variance, an intercept and a number of products")
	}
	f = &Function{Variance: head[0], Intercept: head[1]}
	for k := range parents {
		slope, knots, functions := r.List(1), r.Whole(1, mostPlaces), r.Whole(1, 1+productFunctions)
		if r.Failed {
			return fault(fmt.Sprintf("parent %d: want a slope, 1 to %d knots and 1 to %d functions",
				k+1, mostPlaces, 1+productFunctions))
		}
		p := Part{Slope: slope[0], Knots: r.List(knots)}
		for range functions {
			p.Values = append(p.Values, r.List(knots))
		}
		if r.Failed || !slices.IsSorted(p.Knots) {
			return fault(fmt.Sprintf("parent %d: want %v ascending knots and as many values of "+
				"each function, "+
				"all finite", k+1, knots))
		}
		f.Parts = append(f.Parts, p)
	}
	for range products {
		q := Product{A: r.Whole(0, parents-1), B: r.Whole(0, parents-1)}
		if r.Failed {
			return fault("want two parents of a product")
		}
		q.Weights = r.List((len(f.Parts[q.A].Values) - 1) * (len(f.Parts[q.B].Values) - 1))
		if len(q.Weights) == 0 {
			return fault("want the weights of a product, all finite")
		}
		f.Products = append(f.Products, q)
	}
	return f, r.Rest, nil
}

// Residuals are what the mean of the equation of variable j given its parents leaves, in the rows
// in which j was not set by intervention, by its noise's standard deviation.
func (s *Scorer) Residuals(j int, parents []int) []float64 {
	t := s.data
	g := t.groups[t.of[j]]
	if g.n == 0 {
		return nil
	}
	rest := slices.Clone(g.columns[t.first[j]])
	floats.Scale(s.childScale[j], rest)
	w, mean, noise, _ := s.posterior(j, parents)
	var pair [2]int
	var products [][]float64
	for k, u := range w.terms {
		if u.k < 0 {
			floats.AddScaled(rest, -mean[k]*u.root, g.columns[t.first[u.i]+u.at])
			continue
		}
		if pair != [2]int{u.i, u.k} || products == nil {
			pair, products = [2]int{u.i, u.k}, t.pair(g, u.i, u.k)
		}
		floats.AddScaled(rest, -mean[k]*u.root, products[u.at])
	}
	floats.Scale(1/math.Sqrt(noise), rest)
	return rest
}
