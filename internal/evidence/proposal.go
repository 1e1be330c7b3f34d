package evidence

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A mixture of multivariate t distributions.
type mixture struct {
	logWeights []float64 // normalised
	parts      []*studentT
}

// A studentT is one of them, whose scale is a matrix of orthogonal directions times widths.
type studentT struct {
	center     []float64
	directions *mat.Dense
	widths     []float64
	freedom    int     // degrees of it: 5, or as many as there are dimensions
	constant   float64 // log density at the center
}

// newStudentT is the distribution about a place.
func newStudentT(center []float64, directions *mat.Dense, widths []float64) *studentT {
	n, freedom := float64(len(center)), math.Max(5, float64(len(center)))
	a, _ := math.Lgamma((freedom + n) / 2)
	b, _ := math.Lgamma(freedom / 2)
	s := &studentT{center: center, directions: directions, widths: widths, freedom: int(freedom),
		constant: a - b - n/2*math.Log(freedom*math.Pi)}
	for _, w := range widths {
		s.constant -= math.Log(w)
	}
	return s
}

// draw is a point.
func (s *studentT) draw(rng *rand.Rand) []float64 {
	square := 0.0
	for range s.freedom {
		z := rng.NormFloat64()
		square += z * z
	}
	x := slices.Clone(s.center)
	for k, w := range s.widths {
		floats.AddScaled(x, w*rng.NormFloat64()*math.Sqrt(float64(s.freedom)/square),
			mat.Col(nil, k, s.directions))
	}
	return x
}

// density is the log density at a point, with its gradient.
func (s *studentT) density(x []float64) (log float64, grad []float64) {
	n, freedom := len(x), float64(s.freedom)
	diff := floats.SubTo(make([]float64, n), x, s.center)
	grad, square := make([]float64, n), 0.0
	for k, w := range s.widths {
		column := mat.Col(nil, k, s.directions)
		z := floats.Dot(column, diff) / w
		square += z * z
		floats.AddScaled(grad, z/w, column)
	}
	floats.Scale(-(freedom+float64(n))/(freedom+square), grad)
	return s.constant - (freedom+float64(n))/2*math.Log1p(square/freedom), grad
}

// draw is a point.
func (m *mixture) draw(rng *rand.Rand) []float64 {
	u := rng.Float64()
	for k, l := range m.logWeights {
		if u -= math.Exp(l); u < 0 {
			return m.parts[k].draw(rng)
		}
	}
	return m.parts[0].draw(rng)
}

// density is the log density at a point, with its gradient.
func (m *mixture) density(x []float64) (log float64, grad []float64) {
	logs, grads := make([]float64, len(m.parts)), make([][]float64, len(m.parts))
	for k, p := range m.parts {
		logs[k], grads[k] = p.density(x)
		logs[k] += m.logWeights[k]
	}
	log, grad = floats.LogSumExp(logs), make([]float64, len(x))
	for k, g := range grads {
		floats.AddScaled(grad, math.Exp(logs[k]-log), g)
	}
	return log, grad
}

// Of the maxima of a density.
const (
	irrelevant = 12.0 // nats below the best, from which on a maximum does not count
	valley     = 0.1  // nats by which the density falls between two maxima, at least
	mostMaxima = 8    // in a mixture
)

// peak is a maximum, with how many starts led to it.
type peak struct {
	place
	found int
}

// peaks are the maxima that matter, the best first.
func (t *target) peaks() ([]peak, error) {
	var all []peak
	for _, start := range t.starts {
		top, err := t.maximise(start)
		if err != nil {
			return nil, err
		}
		if math.IsInf(top.log, -1) {
			continue
		}
		at := len(all)
		for at > 0 && top.log > all[at-1].log {
			at--
		}
		all = slices.Insert(all, at, peak{top, 1})
	}
	if len(all) == 0 {
		return nil, t.fail("the log density is not finite at any of %d initial parameters",
			len(t.starts))
	}
	var kept []peak
next:
	for _, p := range all {
		if p.log < all[0].log-irrelevant {
			break
		}
		for k := range kept {
			middle := floats.AddTo(make([]float64, len(p.x)), p.x, kept[k].x)
			floats.Scale(0.5, middle)
			between, err := t.at(middle)
			if err != nil {
				return nil, err
			}
			if between[0].log > p.log-valley {
				kept[k].found++
				continue next
			}
		}
		kept = append(kept, p)
	}
	return kept, nil
}

// laplace is the mixture about the maxima of the target, with the weights of Laplace's
// approximation; trusted says that each was found twice at least.
func (t *target) laplace() (m *mixture, trusted bool, err error) {
	all, err := t.peaks()
	if err != nil {
		return nil, false, err
	}
	if trusted = len(all) <= mostMaxima; !trusted {
		return nil, false, nil
	}
	m = &mixture{}
	for _, p := range all {
		trusted = trusted && p.found > 1
		directions, widths, err := t.axes(p.place)
		if err != nil {
			return nil, false, err
		}
		s := newStudentT(p.x, directions, widths)
		m.parts, m.logWeights = append(m.parts, s), append(m.logWeights, p.log-s.constant)
	}
	total := floats.LogSumExp(m.logWeights)
	const least = 0.02 // of a maximum
	for k, l := range m.logWeights {
		m.logWeights[k] = math.Log(math.Max(math.Exp(l-total), least))
	}
	floats.AddConst(-floats.LogSumExp(m.logWeights), m.logWeights)
	return m, trusted, nil
}
