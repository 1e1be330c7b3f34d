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
	intercept, noise float64
	parts            []part
	products         []product
}

// A part is the summand of one parent: slope·x, and a function that is linear between the knots
// and constant beyond, followed by those that products are made of.
type part struct {
	slope  float64
	knots  []float64
	values [][]float64
}

// A product is the summand of the parents number a and b: Σ weights[u][v] f_u(x_a) f_v(x_b).
type product struct {
	a, b    int
	weights []float64
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
	f := &Function{intercept: t.centre[j], noise: t.observed[j] * t.observed[j]}
	for _, i := range parents {
		p := part{knots: []float64{t.centre[i]}, values: [][]float64{{0}}}
		if len(t.tables[i]) > 0 {
			n := len(t.basis[i].Knots)
			p.knots, p.values = make([]float64, n), [][]float64{make([]float64, n)}
			for k, v := range t.basis[i].Knots {
				p.knots[k] = t.centre[i] + t.sd[i]*v
			}
		}
		f.parts = append(f.parts, p)
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
	f.noise = noise * unit * unit
	beta := make([]float64, len(mean))
	for k := range beta {
		beta[k] = rng.NormFloat64() * math.Sqrt(noise)
	}
	w.solve(beta)
	floats.Add(beta, mean)
	f.intercept = t.centre[j] + unit*s.childScale[j]*s.meanOf(g, j)
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
		p, b := &f.parts[a], &t.basis[u.i]
		switch {
		case u.k >= 0:
			f.addProduct(t, g, a, place[u.k], u, weight)
			continue
		case u.at == 0:
			p.slope += weight / t.sd[u.i]
			f.intercept -= weight * t.centre[u.i] / t.sd[u.i]
		default:
			m := u.at - 1
			floats.AddScaled(p.values[0], weight, b.Tables[m])
			p.slope += weight * b.Slope[m] / t.sd[u.i]
			f.intercept += weight * (b.Intercept[m] - b.Slope[m]*t.centre[u.i]/t.sd[u.i])
		}
		f.intercept -= weight * shift[a][u.at]
	}
}

// addProduct adds a term of a product.
func (f *Function) addProduct(t *Data, g *group, a, b int, u term, weight float64) {
	for _, x := range []struct{ at, column int }{{a, u.i}, {b, u.k}} {
		if p := &f.parts[x.at]; len(p.values) == 1 {
			p.values = append(p.values, t.tables[x.column]...)
		}
	}
	columns := len(t.tables[u.k])
	if last := len(f.products) - 1; last < 0 || f.products[last].a != a || f.products[last].b != b {
		f.products = append(f.products, product{a, b, make([]float64, len(t.tables[u.i])*columns)})
	}
	f.products[len(f.products)-1].weights[u.at] += weight
	sum := floats.Dot(g.products[u.i][u.at/columns], g.products[u.k][u.at%columns])
	f.intercept -= weight * sum / float64(g.n)
}

// FunctionParameters are those of [Scorer.Function].
func (s *Scorer) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.Function(j, parents, rng).Parameters()
}

// Noise is the variance of ε.
func (f *Function) Noise() float64 { return f.noise }

// Mean writes f to dst, one element for each row; columns[k] holds the values of parent number k.
func (f *Function) Mean(dst []float64, columns [][]float64) {
	for r := range dst {
		dst[r] = f.intercept
		for k := range f.parts {
			p := &f.parts[k]
			dst[r] += p.slope*columns[k][r] + Interpolate(p.knots, p.values[0], columns[k][r])
		}
		for _, q := range f.products {
			a, b := &f.parts[q.a], &f.parts[q.b]
			at := 0
			for _, u := range a.values[1:] {
				fu := Interpolate(a.knots, u, columns[q.a][r])
				for _, v := range b.values[1:] {
					dst[r] += q.weights[at] * fu * Interpolate(b.knots, v, columns[q.b][r])
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
	out := []float64{f.noise, f.intercept, float64(len(f.products))}
	for _, p := range f.parts {
		out = append(out, p.slope, float64(len(p.knots)), float64(len(p.values)))
		out = append(out, p.knots...)
		for _, v := range p.values {
			out = append(out, v...)
		}
	}
	for _, q := range f.products {
		out = append(append(out, float64(q.a), float64(q.b)), q.weights...)
	}
	return out
}

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
	f = &Function{noise: head[0], intercept: head[1]}
	for k := range parents {
		slope, knots, functions := r.List(1), r.Whole(1, MostKnots), r.Whole(1, 1+productFunctions)
		if r.Failed {
			return fault(fmt.Sprintf("parent %d: want a slope, 1 to %d knots and 1 to %d functions",
				k+1, MostKnots, 1+productFunctions))
		}
		p := part{slope: slope[0], knots: r.List(knots)}
		for range functions {
			p.values = append(p.values, r.List(knots))
		}
		if r.Failed || !slices.IsSorted(p.knots) {
			return fault(fmt.Sprintf("parent %d: want %v ascending knots and as many values of "+
				"each function, "+
				"all finite", k+1, knots))
		}
		f.parts = append(f.parts, p)
	}
	for range products {
		q := product{a: r.Whole(0, parents-1), b: r.Whole(0, parents-1)}
		if r.Failed {
			return fault("want two parents of a product")
		}
		q.weights = r.List((len(f.parts[q.a].values) - 1) * (len(f.parts[q.b].values) - 1))
		if len(q.weights) == 0 {
			return fault("want the weights of a product, all finite")
		}
		f.products = append(f.products, q)
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
