package generalised

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/stream"

	"gonum.org/v1/gonum/floats"
)

// Function draws the equation of variable j given its parents: a form by its evidence, and its
// parameters from the normal approximation at the mode, or from their distribution where that is
// known.
func (s *Scorer) Function(j int, parents []int, rng *rand.Rand) *Function {
	c := &s.child[j]
	if c.constant {
		return &Function{form: ofConstant, constants: []float64{c.level}, parts: s.noParts(parents)}
	}
	all := s.likely(j, parents)
	logs := make([]float64, len(all))
	for k, e := range all {
		logs[k] = e.log
	}
	total := floats.LogSumExp(logs)
	for k, v := range logs {
		logs[k] = math.Exp(v - total)
	}
	e := all[stream.Choose(rng, logs)]
	if e.table != nil {
		places := make([]int, len(parents))
		for k, i := range parents {
			places[k] = c.tableAt[i]
		}
		return NewTable(e.table, s.tabled, c.tableAt[j], places, rng)
	}
	f := &Function{form: e.form, values: c.values}
	// The parameters of the predictors that have parents, without their constants.
	var weights [][]float64
	if e.problem == nil {
		beta, sd := e.normal.draw(e.at, e.variance, rng)
		f.constants = []float64{e.normal.mean + e.normal.sd*beta[0], e.normal.sd * sd}
		floats.Scale(e.normal.sd, beta)
		weights = [][]float64{beta[1:]}
	} else {
		f.family = e.problem.family
		theta, next := e.problem.draw(e.fit, rng), 0
		for _, q := range f.family.predictors() {
			f.constants = append(f.constants, 0)
			if q.constant {
				f.constants[len(f.constants)-1] = theta[next]
				next++
			}
			if q.parents {
				weights = append(weights, theta[next:][:len(e.problem.columns)])
				next += len(e.problem.columns)
			}
		}
	}
	straightAt, curvedAt := 0, 0
	for _, i := range parents {
		curvedAt += len(s.all[i].straight)
	}
	for k, i := range parents {
		straight, curved := make([][]float64, len(weights)), make([][]float64, len(weights))
		ns, nc := len(s.all[i].straight), 0
		if e.bent != nil && e.bent[k] {
			nc = len(s.all[i].curved)
		}
		for q, w := range weights {
			straight[q], curved[q] = w[straightAt:][:ns], w[curvedAt:][:nc]
		}
		straightAt, curvedAt = straightAt+ns, curvedAt+nc
		f.parts = append(f.parts, s.all[i].part(straight, curved))
	}
	return f
}

// noParts are parents that add nothing.
func (s *Scorer) noParts(parents []int) []part {
	all := make([]part, len(parents))
	for k := range all {
		all[k] = part{scale: asIs, knots: []float64{0}, slope: []float64{0},
			terms: [][]float64{{0}}}
	}
	return all
}

// draw draws parameters from the normal approximation at the mode, among those that are possible.
func (p *problem) draw(f *fit, rng *rand.Rand) []float64 {
	n, w := len(f.theta), p.newWork()
	for range mostTries {
		out := make([]float64, n)
		for k := range out {
			out[k] = rng.NormFloat64()
		}
		f.root.back(out) // its covariance is (LLᵀ)⁻¹
		floats.Add(out, f.theta)
		if v := p.density(w, out, nil, nil); !math.IsInf(v, -1) && !math.IsNaN(v) {
			return out
		}
	}
	return f.theta
}

const mostTries = 20

// FunctionParameters are those of [Scorer.Function].
func (s *Scorer) FunctionParameters(j int, parents []int, rng *rand.Rand) []float64 {
	return s.Function(j, parents, rng).Parameters()
}

// part is what a parent adds with the weights of its straight columns and of its curves, if it has
// them, in each predictor.
func (c *covariates) part(straight, curved [][]float64) part {
	p := part{scale: c.scale, slope: make([]float64, len(straight)),
		terms: make([][]float64, len(straight))}
	if c.scale == byLevel {
		for _, r := range c.rows {
			p.knots = append(p.knots, c.value[r])
		}
		for k := range straight {
			p.terms[k] = make([]float64, len(c.rows))
			for a, r := range c.rows {
				for b, w := range straight[k] {
					p.terms[k][a] += w * c.straight[b][r]
				}
				for b, w := range curved[k] {
					p.terms[k][a] += w * c.curved[b][r]
				}
			}
		}
		return p
	}
	p.knots = []float64{c.mean}
	if len(curved[0]) > 0 {
		p.knots = floats.ScaleTo(make([]float64, len(c.basis.Knots)), c.sd, c.basis.Knots)
		floats.AddConst(c.mean, p.knots)
	}
	for k := range straight {
		p.terms[k] = make([]float64, len(p.knots))
		slope, constant := 0.0, 0.0
		for _, w := range straight[k] { // none of a column that does not vary
			slope = w
		}
		for b, w := range curved[k] {
			floats.AddScaled(p.terms[k], w, c.basis.Tables[b])
			slope += w * c.basis.Slope[b]
			constant += w * c.basis.Intercept[b]
		}
		p.slope[k] = slope / c.sd
		floats.AddConst(constant-p.slope[k]*c.mean, p.terms[k])
	}
	return p
}

// likely are the forms of an equation that matter, which are found once.
func (s *Scorer) likely(j int, parents []int) []likelyForm {
	return s.drawn.Of(j, parents, func() []likelyForm { return s.findLikely(j, parents) })
}

func (s *Scorer) findLikely(j int, parents []int) (all []likelyForm) {
	highest := math.Inf(-1)
	add := func(e likelyForm) { all, highest = append(all, e), max(highest, e.log) }
	alone := s.fitted(j, nil)
	for k, v := range s.tableGains(j, parents) {
		add(likelyForm{log: alone + v - math.Log(float64(len(tableSizes))),
			table: s.child[j].tables[k]})
	}
	if all == nil || s.affordable(j, parents) {
		of := 0.0 // prior weight of straight lines
		if s.mayBend(j, parents) {
			of = -math.Ln2
		}
		if few := s.some(j, s.rowsFor(j, parents, searchWork)); few != nil && all == nil {
			s.eachForm(j, parents, few, add)
			best := slices.MaxFunc(all, func(a, b likelyForm) int {
				return cmp.Compare(a.log, b.log)
			})
			more := s.some(j, s.rowsFor(j, parents, drawWork))
			return []likelyForm{s.again(j, parents, best, more)}
		}
		s.eachForm(j, parents, nil, func(e likelyForm) {
			e.log += of
			add(e)
		})
	}
	return slices.DeleteFunc(all, func(e likelyForm) bool { return !(e.log > highest-unlikely) })
}

// Work of a step of an equation with many rows and parameters, in products: of the search for the
// best form among some of the rows, and of this form among more of them. All rows of 50,000
// under 150 parameters took a minute for each form.
const (
	searchWork = 1e7
	drawWork   = 1e8
	fewestRows = 1000
	rowWork    = 50 // of a row, for each pair of predictors
)

// rowsFor is how many rows the families of a child are fitted to for so much work: all where that
// is little, where a child has normal forms too, which see all rows, or where rows repeat.
func (s *Scorer) rowsFor(j int, parents []int, work float64) int {
	c, size := &s.child[j], 1
	if len(c.normals) > 0 {
		return len(c.y)
	}
	for _, i := range parents {
		size += len(c.parent[i].straight) + len(c.parent[i].curved)
	}
	step := 0.0
	for _, f := range c.families {
		of, all := 0, f.predictors()
		for _, q := range all {
			if q.parents {
				of += size
			}
		}
		step = max(step, float64(of*of+rowWork*len(all)*len(all)))
	}
	if float64(len(c.y))*step <= drawWork || s.cells(j, parents) != nil {
		return len(c.y)
	}
	return max(fewestRows, int(work/step))
}

// again is a form fitted to other rows; nil means all.
func (s *Scorer) again(j int, parents []int, e likelyForm, rows *cellRows) likelyForm {
	columns, _, _ := s.terms(j, parents, e.bent)
	p := s.problem(j, e.problem.family, rows, columns, nil, 1)
	p.variance = e.problem.variance
	e.problem, e.fit = p, p.solve(e.fit.theta)
	return e
}

// unlikely is how far behind, in nats, a form is that is never drawn.
const unlikely = 20
