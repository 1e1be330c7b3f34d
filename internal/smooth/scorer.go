package smooth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"tobac/dag"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/scoring"
	"tobac/score"
)

// A Scorer scores smooth equations, as the package comment says. A variable without rows scores 0.
type Scorer struct {
	data        *Data
	amplitude   float64 // a
	parentScale []float64
	childScale  []float64
	// noise variance of all equations, in squared units of the data; 0 means one for each
	common      float64
	alpha, beta float64   // of the prior of own ones: shape with no parents, rate
	jacobian    []float64 // of one row
	base        nodescore.GivenScorer
	plain       []bool
	listed      bool // sets that were not fitted have no probability

	of []*variable
}

// A variable has the equations of a variable that were fitted.
type variable struct {
	mu       sync.Mutex
	fitted   map[string]*fit
	list     []*fit
	extended map[string]float64 // scores of other sets
}

// A fit is an equation at the mode of its form.
type fit struct {
	parents []int
	form    form
	mode    float64 // log evidence of the form with its prior probability
	// ln Σ of the evidences over each amplitude, the others at the mode, less its own
	curves []float64
	pairs  []float64 // the same of products
}

// score is the evidence of all forms.
func (f *fit) score() float64 {
	v := f.mode
	for _, c := range f.curves {
		v += c
	}
	for _, c := range f.pairs {
		v += c
	}
	return v
}

var _ nodescore.GivenScorer = (*Scorer)(nil)

// Own is the score with a noise variance for each equation, on columns scaled to variance 1 (those
// of the rows in which they were not set): ln p is that of [score.NewBGe] with
// AlphaLambda = d + 1 + 2t where all relations are straight lines. plain are the variables that
// this scores, such as columns of few values. It panics unless t > 0.
func (t *Data) Own(rate float64, plain []int) (*Scorer, error) {
	if !(rate > 0) {
		panic(fmt.Sprintf("smooth: rate %v, want a positive number", rate))
	}
	s := &Scorer{data: t, amplitude: 1 / math.Sqrt(rate), alpha: rate + 1, beta: rate / 2}
	for j := range t.d {
		unit := t.sd[j] / t.observed[j]
		s.parentScale, s.childScale = append(s.parentScale, unit), append(s.childScale, unit)
		s.jacobian = append(s.jacobian, math.Log(t.observed[j]))
	}
	base, err := score.NewBGe(t.x, t.mask, score.BGeOptions{AlphaLambda: float64(t.d+1) + 2*rate})
	if err != nil {
		return nil, err
	}
	return s.with(base, plain), nil
}

// Common is the score with one noise variance for all equations, in the squared units of the data:
// that of [score.NewLinear] where all relations are straight lines. It panics unless both variances
// are positive.
func (t *Data) Common(noise, edge float64) (*Scorer, error) {
	if !(noise > 0) || !(edge > 0) {
		panic(fmt.Sprintf("smooth: noise variance %v and edge variance %v, want positive numbers",
			noise, edge))
	}
	s := &Scorer{data: t, amplitude: math.Sqrt(edge / noise), common: noise}
	s.jacobian = make([]float64, t.d)
	s.parentScale, s.childScale = t.sd, t.sd
	opt := score.LinearOptions{NoiseVariance: noise, EdgeVariance: edge}
	base, err := score.NewLinear(t.x, t.mask, opt)
	if err != nil {
		return nil, err
	}
	return s.with(base, nil), nil
}

// with completes a scorer.
func (s *Scorer) with(base score.Conjugate, plain []int) *Scorer {
	s.base, s.plain = base.(nodescore.GivenScorer), make([]bool, s.data.d)
	for _, j := range plain {
		s.plain[j] = true
	}
	for range s.data.d {
		s.of = append(s.of, &variable{fitted: map[string]*fit{}, extended: map[string]float64{}})
	}
	return s
}

// evidence is that of an equation of p parents.
func (s *Scorer) evidence(j, p int, half, rest float64) float64 {
	const alphaMu = 1 // strength of the prior of the intercept, as of [score.NewBGe]
	n := float64(s.data.groups[s.data.of[j]].n)
	v := 0.5*math.Log(alphaMu/(n+alphaMu)) - half - n*s.jacobian[j]
	if s.common > 0 {
		return v - n/2*math.Log(2*math.Pi*s.common) - rest/(2*s.common)
	}
	shape := s.alpha + float64(p)/2
	after, _ := math.Lgamma(shape + n/2)
	before, _ := math.Lgamma(shape)
	v += after - before + shape*math.Log(s.beta) - n/2*math.Log(2*math.Pi)
	return v - (shape+n/2)*math.Log(s.beta+rest/2)
}

// Vars implements [score.Scorer].
func (s *Scorer) Vars() int { return s.data.d }

// linear reports whether variable j has straight lines alone.
func (s *Scorer) linear(j int) bool { return s.plain[j] || s.data.groups[s.data.of[j]].n == 0 }

// find is the fit of a set of parents; nil if it was not fitted.
func (v *variable) find(parents []int) *fit {
	var room [64]byte
	k := scoring.AppendKey(room[:0], parents...)
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fitted[string(k)]
}

// keep adds a fit, or replaces one.
func (v *variable) keep(f *fit) {
	k := string(scoring.AppendKey(nil, f.parents...))
	v.mu.Lock()
	defer v.mu.Unlock()
	if old, ok := v.fitted[k]; ok {
		*old = *f
	} else {
		v.fitted[k] = f
		v.list = append(v.list, f)
	}
	clear(v.extended)
}

// Prepare fits all sets of at most so many parents, at least two. Larger sets are extended, but
// for those of [Scorer.Refine].
func (s *Scorer) Prepare(ctx context.Context, most, workers int) error {
	d := s.data.d
	work := func() *system { return new(system) }
	for size := 0; size <= min(max(most, 2), d-1); size++ {
		err := parallel.ForWith(ctx, d, workers, work, func(y *system, j int) error {
			if s.linear(j) {
				return nil
			}
			others := dag.AllBut(d, j)
			combinations(others, size, func(parents []int) {
				if ctx.Err() == nil {
					s.of[j].keep(s.quick(y, j, slices.Clone(parents)))
				}
			})
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// combinations visits the subsets of a size, in a slice that the next one overwrites.
func combinations(of []int, size int, visit func([]int)) {
	var next func(chosen []int, from int)
	next = func(chosen []int, from int) {
		if len(chosen) == size {
			visit(chosen)
			return
		}
		for at := from; at <= len(of)-size+len(chosen); at++ {
			next(append(chosen, of[at]), at+1)
		}
	}
	next(make([]int, 0, size), 0)
}

// Known reports whether the equation of a variable given its parents was fitted.
func (s *Scorer) Known(j int, parents []int) bool {
	return s.linear(j) || s.of[j].find(parents) != nil
}

// Refine fits the equation of a variable given its parents, whatever their number. Scores of other
// sets change with it.
func (s *Scorer) Refine(j int, parents []int) {
	if s.linear(j) {
		return
	}
	s.of[j].keep(s.grown(new(system), j, slices.Clone(parents)))
}

// LogScore implements [score.Scorer].
func (s *Scorer) LogScore(j int, parents []int) float64 {
	if s.linear(j) {
		return s.base.LogScore(j, parents)
	}
	v := s.of[j]
	var room [64]byte
	k := scoring.AppendKey(room[:0], parents...)
	v.mu.Lock()
	f := v.fitted[string(k)]
	e, ok := v.extended[string(k)]
	v.mu.Unlock()
	switch {
	case f != nil:
		return f.score()
	case s.listed:
		return math.Inf(-1)
	case ok:
		return e
	}
	e = nodescore.Extend(s.base, j, parents, func(p []int) float64 {
		if f := v.find(p); f != nil {
			return f.score()
		}
		return math.NaN()
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.extended) >= mostExtended {
		clear(v.extended)
	}
	v.extended[string(k)] = e
	return e
}

// mostExtended is the number of scores of a variable that are kept beside those of fits.
const mostExtended = 1 << 18

// LogScores implements [score.SubsetScorer].
func (s *Scorer) LogScores(dst []float64, j int, candidates []int) {
	s.LogScoresGiven(dst, j, candidates, nil)
}

// LogScoresGiven implements [nodescore.GivenScorer].
func (s *Scorer) LogScoresGiven(dst []float64, j int, candidates, given []int) {
	if s.linear(j) {
		s.linearScores(dst, j, candidates, given)
		return
	}
	missing := math.NaN()
	if s.listed {
		missing = math.Inf(-1)
	}
	for set := range dst {
		dst[set] = missing
	}
	place := nodescore.PlaceSubsets(s.data.d, candidates, given)
	for _, f := range s.of[j].list {
		if set, ok := place.Of(f.parents); ok {
			dst[set] = f.score()
		}
	}
	if s.listed {
		return
	}
	if math.IsNaN(dst[0]) { // more given parents than were fitted
		dst[0] = s.LogScore(j, given)
	}
	base := make([]float64, len(dst))
	s.linearScores(base, j, candidates, given)
	nodescore.ExtendTable(dst, base)
}

// linearScores are those of straight lines.
func (s *Scorer) linearScores(dst []float64, j int, candidates, given []int) {
	if len(given) == 0 {
		s.base.LogScores(dst, j, candidates)
	} else {
		s.base.LogScoresGiven(dst, j, candidates, given)
	}
}

// List leaves out what was not fitted: these sets have no probability, instead of that by their
// most important parents. It is for chains, which take long over tables of all sets, and where
// estimates lead from one set to the next without end.
func (s *Scorer) List() { s.listed = true }

// Seconds is about the processor time of [Scorer.Prepare].
func Seconds(d, most int) float64 {
	sum, sets := 0.0, float64(d)
	for k := 0; k <= most; k++ {
		sum += sets * (5 + 25*float64(k*k)) * 1e-6
		sets *= float64(d-1-k) / float64(k+1)
	}
	return sum
}

// LeastVariance is the smallest variance of a column over the rows in which it was not set: where
// noise variances are equal an upper bound of theirs, and since some variable has no parents an
// estimate.
func (t *Data) LeastVariance() float64 {
	least := slices.Min(t.observed)
	return least * least
}

// NoiseGrid is that of [score.Linear] around the noise variance of all equations. It
// panics if these have own ones.
func (s *Scorer) NoiseGrid(points int) score.NoiseGrid {
	return s.base.(score.Linear).NoiseGrid(points)
}
