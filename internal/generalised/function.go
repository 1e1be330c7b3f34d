package generalised

import (
	"fmt"
	"math"
	"slices"

	"tobac/internal/smooth"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Function is the equation of a variable given its parents, drawn from its posterior, in the
// units of the data.
type Function struct {
	form   int
	values []float64 // of a variable with levels
	// of all predictors; of a normal form the constant and the standard deviation
	constants []float64
	parts     []part // of the parents
	family    family // nil of tables, normal forms and constants
	table     *table
}

// The forms of a [Function], as its numbers say them.
const (
	ofTable = iota
	ofLevels
	ofOrder
	ofCounts // also as overdispersed, with an excess of zeros, and with both
	_
	_
	_
	ofGamma
	ofNormal
	ofLogNormal
	ofLogitNormal
	ofConstant
	forms
)

// A part is what a parent adds to the predictors.
type part struct {
	scale int       // of the parent
	knots []float64 // on its scale, ascending
	slope []float64 // by predictor
	terms [][]float64
}

// The scales of a parent: number of the nearest level, as it is, ln x, ln(x + 1).
const (
	byLevel = iota
	asIs
	byLog
	byLog1
	scales
)

// addTo adds what the parent adds at x.
func (p *part) addTo(eta []float64, x float64) {
	if p.scale == byLevel {
		at := nearest(p.knots, x)
		for k := range p.terms {
			eta[k] += p.terms[k][at]
		}
		return
	}
	if p.scale != asIs {
		if x += float64(p.scale - byLog); x > 0 {
			x = math.Log(x)
		} else {
			x = p.knots[0] // outside of what the column can have
		}
	}
	for k, terms := range p.terms {
		eta[k] += p.slope[k]*x + smooth.Interpolate(p.knots, terms, x)
	}
}

// Parameters are the function as numbers, of which [NewFunction] makes it again.
func (f *Function) Parameters() []float64 {
	out := []float64{float64(f.form)}
	if f.table != nil {
		return append(out, f.table.numbers()...)
	}
	list := func(v []float64) { out = append(append(out, float64(len(v))), v...) }
	list(f.values)
	list(f.constants)
	for _, p := range f.parts {
		out = append(out, float64(p.scale))
		list(p.knots)
		list(p.slope)
		for _, terms := range p.terms {
			out = append(out, terms...)
		}
	}
	return out
}

// NewFunction is the function of so many parents at the beginning of parameters, and the parameters
// after it. Numbers that no function has are an error.
func NewFunction(parents int, parameters []float64) (f *Function, rest []float64, err error) {
	r := &smooth.Reader{Rest: parameters}
	f = &Function{form: r.Whole(0, forms)}
	if f.form == ofTable {
		f.table = readTable(parents, r)
	} else {
		f.values, f.constants = r.List(r.Whole(0, most)), r.List(r.Whole(1, most))
		for range parents {
			p := part{scale: r.Whole(0, scales-1), knots: r.List(r.Whole(1, most)),
				slope: r.List(r.Whole(1, most))}
			for range p.slope {
				p.terms = append(p.terms, r.List(len(p.knots)))
			}
			r.Failed = r.Failed || !slices.IsSorted(p.knots)
			f.parts = append(f.parts, p)
		}
	}
	if r.Failed || !f.complete() {
		return nil, nil, fmt.Errorf("generalised: parameters of no function of %d parents", parents)
	}
	return f, r.Rest, nil
}

// most is the largest whole number among the parameters of a function.
const most = 1 << 40

// complete finds the family, and reports whether constants and parts are as many as it has.
func (f *Function) complete() bool {
	constants, loaded := 1, 1
	switch r := len(f.values); {
	case f.form == ofTable:
		return true
	case f.form >= forms:
		return false
	case f.form == ofNormal || f.form == ofLogNormal || f.form == ofLogitNormal:
		constants = 2
	case f.form == ofConstant:
	case f.form == ofGamma:
		f.family = gamma{}
	case f.form >= ofCounts:
		k := f.form - ofCounts
		f.family = newCounted(0, k&1 != 0, k&2 != 0)
	case r < 2:
		return false
	case f.form == ofOrder:
		f.family = ordinal{r}
	default:
		f.family, loaded = newSoftmax(r), r-1
	}
	if f.family != nil {
		constants = len(f.family.predictors())
	}
	for _, p := range f.parts {
		if len(p.slope) != loaded {
			return false
		}
	}
	return len(f.constants) == constants
}

// formOf is the number of the form of a family.
func formOf(f family) int {
	switch v := f.(type) {
	case ordinal:
		return ofOrder
	case gamma:
		return ofGamma
	case counted:
		form := ofCounts
		if v.dispersed {
			form++
		}
		if v.excess {
			form += 2
		}
		return form
	}
	return ofLevels
}

// eta are the predictors given values of the parents.
func (f *Function) eta(dst, x []float64) []float64 {
	dst = append(dst[:0], f.constants...)
	for k := range f.parts {
		f.parts[k].addTo(dst, x[k])
	}
	return dst
}

// valuesIn collects the values of the parents in row r.
func valuesIn(dst []float64, columns [][]float64, r int) []float64 {
	dst = dst[:0]
	for _, c := range columns {
		dst = append(dst, c[r])
	}
	return dst
}

// levels are the probabilities of the values given predictors.
func (f *Function) levels(dst, eta []float64) []float64 {
	if s, ok := f.family.(softmax); ok { // one sum for all levels, and no derivatives
		at := len(dst)
		dst = s.logProbabilities(dst, eta)
		for l, v := range dst[at:] {
			dst[at+l] = math.Exp(v)
		}
		return dst
	}
	k := len(eta)
	derivatives := make([]float64, k+k*k)
	g, h := derivatives[:k], derivatives[k:]
	for l := range f.values {
		dst = append(dst, math.Exp(f.family.row(float64(l), eta, g, h)))
	}
	return dst
}

// Probabilities are those of the values in so many rows, one after the other in p; nil of a
// variable without levels. columns[k] holds the values of parent number k.
func (f *Function) Probabilities(columns [][]float64, rows int) (values, p []float64) {
	if f.table == nil && len(f.values) == 0 {
		return nil, nil
	}
	var x, eta []float64
	if f.table == nil {
		p = make([]float64, 0, rows*len(f.values))
	}
	for r := range rows {
		if x = valuesIn(x, columns, r); f.table != nil {
			p = append(p, f.table.row(x)...)
			continue
		}
		eta = f.eta(eta, x)
		p = f.levels(p, eta)
	}
	if f.table != nil {
		return f.table.values, p
	}
	return f.values, p
}

// Mean writes the expectation to dst, one element for each row.
func (f *Function) Mean(dst []float64, columns [][]float64) {
	if values, p := f.Probabilities(columns, len(dst)); values != nil {
		for r := range dst {
			dst[r] = floats.Dot(p[r*len(values):][:len(values)], values)
		}
		return
	}
	var x, eta []float64
	for r := range dst {
		x = valuesIn(x, columns, r)
		eta = f.eta(eta, x)
		dst[r] = f.mean(eta)
	}
}

// mean is the expectation given predictors.
func (f *Function) mean(eta []float64) float64 {
	switch f.form {
	case ofNormal, ofConstant:
		return eta[0]
	case ofLogNormal:
		return math.Exp(eta[0] + eta[1]*eta[1]/2)
	case ofLogitNormal:
		const nodes = 32 // quantiles of the noise
		sum := 0.0
		for k := range nodes {
			sum += sigmoid(eta[0]+eta[1]*distuv.UnitNormal.Quantile((float64(k)+0.5)/nodes)) / nodes
		}
		return sum
	}
	m := math.Exp(min(eta[0], farLogMean))
	if c, ok := f.family.(counted); ok && c.excess {
		m *= sigmoid(-eta[c.excessAt])
	}
	return m
}

// Noise is the variance of the noise where it is normal and added; NaN of others.
func (f *Function) Noise() float64 {
	switch f.form {
	case ofNormal:
		return f.constants[1] * f.constants[1]
	case ofConstant:
		return 0
	}
	return math.NaN()
}

// Values writes a value of each row to dst, the quantile whose probability standard normal noise
// has; false, if the noise is added or the variable has levels.
func (f *Function) Values(dst []float64, columns [][]float64, noise []float64) bool {
	if f.form < ofCounts || f.form == ofNormal || f.form == ofConstant {
		return false
	}
	var x, eta []float64
	for r := range dst {
		x = valuesIn(x, columns, r)
		eta = f.eta(eta, x)
		dst[r] = f.quantile(eta, noise[r])
	}
	return true
}

// quantile is the value whose probability z has.
func (f *Function) quantile(eta []float64, z float64) float64 {
	u := distuv.UnitNormal.CDF(z)
	switch f.form {
	case ofLogNormal:
		return math.Exp(eta[0] + eta[1]*z)
	case ofLogitNormal:
		return sigmoid(eta[0] + eta[1]*z)
	case ofGamma:
		s := math.Exp(eta[1])
		return distuv.Gamma{Alpha: s, Beta: s * math.Exp(-min(eta[0], farLogMean))}.Quantile(u)
	}
	c := f.family.(counted)
	if c.excess {
		pi := sigmoid(eta[c.excessAt])
		if u < pi {
			return 0
		}
		u = (u - pi) / (1 - pi)
	}
	mean := math.Exp(min(eta[0], farLogMean))
	if mean > largeMean { // a gamma with the moments of the count, rounded
		variance := mean
		if c.dispersed {
			variance += mean * mean * math.Exp(-eta[1])
		}
		return math.Round(distuv.Gamma{Alpha: mean * mean / variance,
			Beta: mean / variance}.Quantile(u))
	}
	p := math.Exp(c.plain(0, eta, make([]float64, len(eta)), make([]float64, len(eta)*len(eta))))
	size, part := 0.0, 0.0 // of a negative binomial
	if c.dispersed {
		size = math.Exp(eta[1])
		part = mean / (size + mean)
	}
	for y := 0.0; ; y++ {
		if u -= p; u < 0 || y > mean && p < 1e-12 {
			return y
		}
		if c.dispersed {
			p *= (y + size) / (y + 1) * part
		} else {
			p *= mean / (y + 1)
		}
	}
}

// largeMean is the mean from which on counts are rounded numbers.
const largeMean = 50

// LogDensity is ln p(y | parents) at values x of the parents; −Inf where y is impossible.
func (f *Function) LogDensity(y float64, x []float64) float64 {
	if f.table != nil {
		return math.Log(f.table.row(x)[nearest(f.table.values, y)])
	}
	eta := f.eta(nil, x)
	jacobian := 0.0
	switch f.form {
	case ofConstant:
		if y != eta[0] {
			return math.Inf(-1)
		}
		return 0
	case ofLogNormal:
		y = math.Log(y)
		jacobian = -y
	case ofLogitNormal:
		jacobian = -math.Log(y) - math.Log1p(-y)
		y = math.Log(y) - math.Log1p(-y)
	}
	if f.family == nil {
		noise := distuv.Normal{Mu: eta[0], Sigma: eta[1]}
		if v := noise.LogProb(y) + jacobian; !math.IsNaN(v) {
			return v
		}
		return math.Inf(-1)
	}
	if len(f.values) > 0 {
		y = float64(nearest(f.values, y))
	} else if y < 0 || f.form == ofGamma && y == 0 || f.form < ofGamma && y != math.Trunc(y) {
		return math.Inf(-1)
	}
	return f.family.row(y, eta, make([]float64, len(eta)), make([]float64, len(eta)*len(eta)))
}
