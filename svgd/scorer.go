package svgd

import "gonum.org/v1/gonum/mat"

// Scorer is a target density, known by its score.
type Scorer interface {
	// Score overwrites dst with the gradient of the log density at each particle
	// of x, at step t: row i of dst[b] is the gradient with respect to block b of
	// particle i. dst and x have the same shapes, M×p_b. Score must neither
	// modify nor keep x or dst. The step number serves targets that are annealed
	// or estimated at random: for a run to be resumable the result may depend on
	// x and t only. A returned error stops the run before the step.
	Score(dst, x []*mat.Dense, t int) error
}

// ScorerFunc is a function used as a [Scorer].
type ScorerFunc func(dst, x []*mat.Dense, t int) error

var _ Scorer = ScorerFunc(nil)

// Score calls f.
func (f ScorerFunc) Score(dst, x []*mat.Dense, t int) error { return f(dst, x, t) }
