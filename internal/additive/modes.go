package additive

import (
	"cmp"
	"math"
	"slices"

	"tobac/dag"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// A form says which terms an equation has.
type form struct {
	shape         int  // of the noise, in shapes
	smooth, scale bool // smooth functions of the parents; their effect on the noise's scale
	products      bool // of functions of two parents
	within        int  // index of a form with fewer terms, at whose mode the search begins
}

// forms are those that a score averages over: the five kinds of noise with straight lines, with
// smooth functions, and with products of these.
var forms = []form{{shape: normal}, {shape: student}, {shape: lightTails}, {shape: sinhArcsinh},
	{scale: true},
	{smooth: true}, {shape: student, smooth: true, within: 1},
	{shape: lightTails, smooth: true, within: 2}, {shape: sinhArcsinh, smooth: true, within: 3},
	{smooth: true, scale: true, within: 5},
	{smooth: true, products: true, within: 5},
	{shape: student, smooth: true, products: true, within: 6},
	{shape: lightTails, smooth: true, products: true, within: 7},
	{shape: sinhArcsinh, smooth: true, products: true, within: 8},
	{smooth: true, scale: true, products: true, within: 9}}

const (
	linearForms = 5
	sumForms    = 2 * linearForms // and those with smooth functions, without products
)

// SharedForms is the number of kinds of noise that variables may share beside normal noise of one
// scale.
const SharedForms = linearForms - 1

// sharing is the prior probability that a variable has the form that most have.
const sharing = 0.8

// amplitudes are the standard deviations of smooth functions that their evidence is averaged
// over, in units of those of the columns.
var amplitudes = []float64{1, 0.3, 3}

// Modes are those of equations. They are safe for concurrent use.
type Modes struct {
	straight scoring.Memory[[]mode] // of all linear forms
	curved   scoring.Memory[[]mode] // of the forms with smooth functions
	sketch   *Modes                 // of some of the rows; nil means none
}

// NewModes has none.
func NewModes() *Modes { return &Modes{sketch: new(Modes)} }

// A mode is that of a form.
type mode struct {
	form      int     // in forms
	amplitude float64 // of the smooth functions
	theta     []float64
	log       float64    // evidence, without the prior probability of form and amplitude
	near      *quadratic // the density about it; nil if it is not known, or not needed
}

// modeOf finds that of a form and an amplitude; nil if there is none.
func modeOf(modes []mode, form int, amplitude float64) *mode {
	for k := range modes {
		if m := &modes[k]; m.form == form && m.amplitude == amplitude {
			return m
		}
	}
	return nil
}

// negligible is how far, in nats, a form with smooth functions may lie behind the best, by the
// estimate of one Newton step from where the search begins, before its own mode is not looked for.
const negligible = 20

// mostChained is the number of parents up to which the search for modes begins with those of a set
// of one parent less; from then on, with those without parents.
const mostChained = 4

// modes are those of all forms of the equation of a variable given its parents, which are found
// once.
func (s *Scorer) modes(j int, parents []int) []mode {
	straight := s.straight(j, parents)
	if s.opt.Linear {
		return straight
	}
	return slices.Concat(straight, s.opt.Modes.curved.Of(j, parents, func() []mode {
		return s.findCurved(j, parents, straight)
	}))
}

// straight are those of the linear forms, in their sequence.
func (s *Scorer) straight(j int, parents []int) []mode {
	return s.opt.Modes.straight.Of(j, parents, func() []mode {
		return s.findStraight(j, parents)
	})
}

// fewer are all parents but the one that explains the least alone; none where there are many.
func (s *Scorer) fewer(j int, parents []int) []int {
	if len(parents) < 2 || len(parents) > mostChained {
		return nil
	}
	least, at := math.Inf(1), 0
	for k, i := range parents {
		if v := s.straight(j, []int{i})[0].log; v < least {
			least, at = v, k
		}
	}
	return slices.Delete(slices.Clone(parents), at, at+1)
}

// findStraight finds those of the linear forms.
func (s *Scorer) findStraight(j int, parents []int) []mode {
	search := search{s: s, j: j, parents: parents}
	if len(parents) > 0 {
		search.fewer = s.fewer(j, parents)
		search.before = s.straight(j, search.fewer)
	}
	modes := make([]mode, linearForms)
	best := math.Inf(-1)
	sketch := s.sketchOf(j, parents, func(s *Scorer) []mode { return s.straight(j, parents) })
	for _, k := range promising(search.before, 0, linearForms) {
		switch {
		case k > 0 && sketch.behind(k):
			modes[k].log = math.Inf(-1)
		case k == 0:
			modes[k] = search.climb(k, 0, nil, best)
		case forms[k].scale && len(parents) == 0: // the same as the form without
			modes[k] = mode{form: k, theta: modes[0].theta, log: modes[0].log}
		default:
			modes[k] = search.climb(k, 0, sketch.begin(k, 0, &modes[forms[k].within]),
				best-negligible)
		}
		if len(parents) > 0 {
			best = max(best, modes[k].log)
		}
	}
	for k := 1; k < linearForms; k++ {
		if sketch.behind(k) {
			modes[k] = sketch.guess(k, best)
		}
	}
	return modes
}

// findCurved finds those of the forms with smooth functions.
func (s *Scorer) findCurved(j int, parents []int, straight []mode) (modes []mode) {
	if len(parents) == 0 { // the same as the forms without
		for k, f := range forms[linearForms:sumForms] {
			of := straight[f.shape]
			modes = append(modes, mode{form: linearForms + k, theta: of.theta, log: of.log})
		}
		return modes
	}
	sketch := s.sketchOf(j, parents, func(s *Scorer) []mode { return s.modes(j, parents) })
	modes = s.climbCurved(j, parents, straight, sketch)
	highest := math.Inf(-1)
	for _, m := range slices.Concat(straight, modes) {
		highest = max(highest, m.log)
	}
	for k := linearForms; k < len(forms); k++ {
		if sketch.behind(k) {
			modes = append(modes, sketch.guess(k, highest))
		}
	}
	return modes
}

// climbCurved finds the modes of the forms with smooth functions that are not behind.
func (s *Scorer) climbCurved(j int, parents []int, straight []mode, sketch sketch) (modes []mode) {
	search := search{s: s, j: j, parents: parents, fewer: s.fewer(j, parents)}
	search.before = s.modes(j, search.fewer)
	best := math.Inf(-1)
	for _, m := range straight {
		best = max(best, m.log+s.logPrior(m.form, len(parents)))
	}
	for _, k := range promising(search.before, linearForms, sumForms) {
		if sketch.behind(k) {
			continue
		}
		within := modeOf(straight, forms[k].within, 0)
		if within == nil {
			within = modeOf(modes, forms[k].within, amplitudes[0])
		}
		modes, best = search.amplitudes(modes, k, within, sketch, best)
	}
	// The form that has the most evidence without products says whether they matter. They do not
	// where one of the parents does not, in its mean or in the scale of the noise.
	highest := likeliestSum(modes)
	if !s.multiply(j, parents) || math.IsInf(highest.log, -1) ||
		highest.log < likeliestSum(search.before).log-noParent {
		return modes
	}
	least := highest.log - noProducts
	tried := search.climb(linearForms+highest.form, highest.amplitude, &highest, least)
	if tried.log <= least {
		return append(modes, tried)
	}
	for _, k := range promising(modes, linearForms, sumForms) {
		if to := linearForms + k; !sketch.behind(to) {
			within := modeOf(modes, k, amplitudes[0])
			modes, best = search.amplitudes(modes, to, within, sketch, best)
		}
	}
	return modes
}

// likeliestSum is the mode without products that has the most evidence.
func likeliestSum(modes []mode) (best mode) {
	best.log = math.Inf(-1)
	for _, m := range modes {
		if m.form < sumForms && m.log > best.log {
			best = m
		}
	}
	return best
}

// How much less evidence, in nats, an equation has with products than without where these do not
// matter, and with another parent than without that.
const noProducts, noParent = 3, 1

// withProducts is the prior probability that an equation with smooth functions of two parents or
// more has products.
const withProducts = 0.25

// amplitudes appends the modes of a form of the equation for all amplitudes, until one is far
// behind the best so far. The search begins at within.
func (s search) amplitudes(modes []mode, form int, within *mode, sketch sketch, best float64) (
	[]mode, float64) {
	logPrior := s.s.logPrior(form, len(s.parents))
	for _, a := range amplitudes {
		m := s.climb(form, a, sketch.begin(form, a, within), best-negligible-logPrior)
		kept := m
		kept.near = nil
		modes = append(modes, kept)
		if m.log+logPrior < best-negligible {
			break // other amplitudes have no more
		}
		best, within = max(best, m.log+logPrior), &m
	}
	return modes, best
}

// promising are the forms from first on, before end: that with normal noise of one scale, at whose
// mode searches begin, then those with the most evidence in an equation with fewer parents.
func promising(before []mode, first, end int) []int {
	highest := make([]float64, len(forms))
	for k := range highest {
		highest[k] = math.Inf(-1)
	}
	for _, m := range before {
		highest[m.form] = max(highest[m.form], m.log)
	}
	highest[first] = math.Inf(1)
	order := dag.Identity(end)[first:]
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(highest[b], highest[a]) })
	return order
}

// logPrior is the prior probability of a form, and of an amplitude, of an equation of so many
// parents.
func (s *Scorer) logPrior(form, parents int) float64 {
	kind := -math.Log(linearForms)
	switch {
	case s.opt.Shared > 0 && form%linearForms == s.opt.Shared:
		kind = math.Log(sharing)
	case s.opt.Shared > 0:
		kind = math.Log((1 - sharing) / SharedForms)
	}
	switch {
	case s.opt.Linear:
		return kind
	case parents == 0 || !forms[form].smooth:
		return kind - math.Log(2)
	}
	kind -= math.Log(float64(2 * len(amplitudes)))
	switch {
	case forms[form].products:
		kind += math.Log(withProducts)
	case parents > 1 && !s.opt.Sums:
		kind += math.Log1p(-withProducts)
	}
	return kind
}

// logWeights are the log evidences of modes with the prior probabilities, and their sum.
func (s *Scorer) logWeights(modes []mode, parents int) (weights []float64, total float64) {
	for _, m := range modes {
		weights = append(weights, m.log+s.logPrior(m.form, parents))
	}
	return weights, floats.LogSumExp(weights)
}

// sketchedAway is how far, in nats, a form is behind the best one of a sketch before its mode is
// not looked for with all rows, by which it would be as many times further behind as there are
// more.
const sketchedAway = 2 * negligible

// A sketch has the modes of an equation by some of the rows, and how many times as many there are.
// It says which forms have no chance, and where the searches for the others begin.
type sketch struct {
	modes []mode
	times float64
}

// sketchOf is that of an equation, which has none of few rows.
func (s *Scorer) sketchOf(j int, parents []int, modes func(s *Scorer) []mode) sketch {
	if s.sketch == nil || len(s.sketch.child[j].y) < sketchRows/2 || len(parents) == 0 {
		return sketch{}
	}
	return sketch{modes(s.sketch), float64(len(s.child[j].y)) / float64(len(s.sketch.child[j].y))}
}

// best is the mode of a form, or of all of them with −1, that has the most evidence.
func (s sketch) best(form int) (best *mode) {
	for k := range s.modes {
		if m := &s.modes[k]; (form < 0 || m.form == form) && (best == nil || m.log > best.log) {
			best = m
		}
	}
	return best
}

// behind reports whether a form has no chance.
func (s sketch) behind(form int) bool {
	m := s.best(form)
	return m != nil && m.log < s.best(-1).log-sketchedAway
}

// guess is about the mode of a form that is behind, given the highest evidence of all forms. What a
// form of many parameters has more than a straight line is known too badly from some of the rows.
func (s sketch) guess(form int, highest float64) mode {
	m := *s.best(form)
	m.log = highest + s.times*(m.log-s.best(-1).log)
	m.near = nil
	return m
}

// begin is where the search for a mode begins: in the sketch, if that has it, or else at another
// mode, as at that of the same form near which this one is.
func (s sketch) begin(form int, amplitude float64, other *mode) *mode {
	if m := modeOf(s.modes, form, amplitude); m != nil && !math.IsInf(m.log, -1) &&
		(other == nil || other.form != form) && len(m.theta) > 0 &&
		!slices.ContainsFunc(m.theta, math.IsNaN) {
		return m
	}
	return other
}

// A search looks for the modes of the equation of a variable.
type search struct {
	s       *Scorer
	j       int
	parents []int
	fewer   []int  // parents
	before  []mode // of the equation with fewer parents; nil without parents
}

// climb finds the mode of a form. The search begins at within, the mode of another form, and moves
// on as from there to this form in the equation with fewer parents; without within, at least
// squares.
func (s search) climb(form int, amplitude float64, within *mode, least float64) mode {
	out := mode{form: form, amplitude: amplitude}
	e := s.s.equation(s.j, s.parents, form, amplitude)
	from := func(theta []float64) mode {
		out.theta = theta
		out.log, _, out.near = e.laplace(theta, least)
		if !e.many() || !forms[form].smooth {
			out.near = nil
		}
		return out
	}
	if within != nil && within.near != nil && within.form == form {
		if log, theta, ok := within.near.under(e.variances()); ok {
			return mode{form: form, amplitude: amplitude, theta: theta, log: log}
		}
	}
	switch {
	case within == nil:
		return from(e.leastSquares())
	case within.form == form && within.amplitude == amplitude: // of a sketch
		return from(slices.Clone(within.theta))
	}
	there := e.with(nil, 1, s.s.equation(s.j, s.parents, within.form, within.amplitude),
		within.theta)
	to, at := modeOf(s.before, form, amplitude), modeOf(s.before, within.form, within.amplitude)
	if to != nil && at != nil {
		theta := e.with(there, 1, s.s.equation(s.j, s.fewer, form, amplitude), to.theta)
		theta = e.with(theta, -1, s.s.equation(s.j, s.fewer, at.form, at.amplitude), at.theta)
		if m := from(theta); !math.IsInf(m.log, -1) {
			return m
		}
	}
	return from(there)
}

// A fit is a probable mode with its equation.
type fit struct {
	form
	*equation
	theta  []float64
	root   blas64.Triangular // U of the negative Hessian UᵀU
	weight float64           // probability
}

// leastWeight is the posterior probability below which a form is left out of equations.
const leastWeight = 1e-12

// likely are the forms of an equation that have a probability of at least leastWeight; of a
// variable that Base scores, whose noise has no density, the straight lines with normal noise.
func (s *Scorer) likely(j int, parents []int) (fits []*fit) {
	if s.plain(j) {
		return []*fit{s.fit(j, parents,
			search{s: s, j: j, parents: parents}.climb(0, 0, nil, math.Inf(-1)), 1)}
	}
	modes := s.modes(j, parents)
	weights, total := s.logWeights(modes, len(parents))
	for k, m := range modes {
		if w := math.Exp(weights[k] - total); w >= leastWeight {
			fits = append(fits, s.fit(j, parents, m, w))
		}
	}
	return fits
}

// fit has a mode with its equation.
func (s *Scorer) fit(j int, parents []int, m mode, weight float64) *fit {
	f := &fit{form: forms[m.form], equation: s.equation(j, parents, m.form, m.amplitude),
		theta: slices.Clone(m.theta), weight: weight}
	_, f.root, _ = f.laplace(f.theta, math.Inf(-1))
	return f
}
