package nodescore

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"tobac/internal/parallel"
	"tobac/internal/ranks"
	"tobac/internal/scoring"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
)

// Latent makes the evidence of a [Joint] of normal scores that of latent normal variables (Muthén
// 1984; Hoff 2007): a value that many rows share, such as a level, is an interval of such a
// variable, whose probability is that of the interval, and any other value is a point. Of two
// variables the evidence is exact, by quadrature over their correlation ρ with the prior of the
// numbers, density ∝ (1−ρ²)^(f/2) for the scale f. It differs from that of the normal scores by
// δ_ij. A set has
//
//	L'(S) = L(S) + Σ δ_ij,   ij in the spanning tree of S whose pairs depend most on each other,
//
// which is exact where the variables of S are joined like this tree, and an approximation
// elsewhere (a test compares triples with importance sampling). It is safe for concurrent use.
type Latent struct {
	gain, delta [][]float64 // by pair: what it says of dependence, and how much the scores miss
	sets        func() []float64
}

// NewLatent compares the pairs of some columns, by so many goroutines. Column j is variable j of
// joint; nil means that it has no latent variable. intervened(i, j) says where values were set:
// pairs are compared in the rows in which neither was.
func NewLatent(ctx context.Context, columns [][]float64, intervened func(i, j int) bool,
	joint *Joint, workers int) (*Latent, error) {
	d := len(columns)
	q := &Latent{gain: make([][]float64, d), delta: make([][]float64, d)}
	latent := make([]monotone, d)
	for j, column := range columns {
		q.gain[j], q.delta[j] = make([]float64, d), make([]float64, d)
		latent[j] = newMonotone(column)
	}
	var pairs [][2]int
	for j := range d {
		for i := range j {
			if columns[i] != nil && columns[j] != nil {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	err := parallel.For(ctx, len(pairs), workers, func(k int) error {
		i, j := pairs[k][0], pairs[k][1]
		normal := joint.LogScore(j, []int{i}) - joint.LogScore(j, nil)
		gain := normal
		if latent[i].tied || latent[j].tied {
			p := newLatentPair(latent[i], latent[j], func(row int) bool {
				return !intervened(row, i) && !intervened(row, j)
			})
			var freedoms []float64
			for _, b := range joint.Numbers {
				freedoms = append(freedoms, b.opt.Freedom)
			}
			gain = p.evidence(freedoms)
		}
		q.gain[i][j], q.gain[j][i] = gain, gain
		q.delta[i][j], q.delta[j][i] = gain-normal, gain-normal
		return nil
	})
	q.sets = sync.OnceValue(q.allSets)
	return q, err
}

// allSets are the corrections of all sets of variables, as bits.
func (q *Latent) allSets() []float64 {
	d := len(q.gain)
	all := make([]float64, 1<<d)
	of := make([]int, 0, d)
	for set := range all {
		of = of[:0]
		for s := set; s != 0; s &= s - 1 {
			of = append(of, bits.TrailingZeros(uint(s)))
		}
		all[set] = q.tree(of)
	}
	return all
}

// correction is that of a set of variables; up to MostSymmetric of them all are kept.
func (q *Latent) correction(set []int) float64 {
	if len(q.gain) > MostSymmetric {
		return q.tree(set)
	}
	at := 0
	for _, i := range set {
		at |= 1 << i
	}
	return q.sets()[at]
}

// tree is the sum of δ over the spanning tree of greatest gain (Prim's algorithm).
func (q *Latent) tree(set []int) (sum float64) {
	if len(set) < 2 {
		return 0
	}
	var room [64]struct {
		of   int // outside of the tree
		to   int // the nearest inside
		gain float64
	}
	left := room[:0]
	for _, i := range set[1:] {
		left = append(left, struct {
			of, to int
			gain   float64
		}{i, set[0], q.gain[i][set[0]]})
	}
	for len(left) > 0 {
		best := 0
		for k := range left {
			if left[k].gain > left[best].gain {
				best = k
			}
		}
		next := left[best].of
		sum += q.delta[next][left[best].to]
		left = slices.Delete(left, best, best+1)
		for k := range left {
			if g := q.gain[left[k].of][next]; g > left[k].gain {
				left[k].gain, left[k].to = g, next
			}
		}
	}
	return sum
}

// TreeEvidence is the evidence of dependence, in nats, of the spanning tree of d variables whose
// pairs depend most on each other, where gain(i, j), i < j, is that of a pair.
func TreeEvidence(d int, gain func(i, j int) float64) float64 {
	q := &Latent{gain: make([][]float64, d)}
	all := make([]int, d)
	for j := range d {
		all[j], q.gain[j] = j, make([]float64, d)
		for i := range j {
			v := max(0, gain(i, j))
			q.gain[j][i], q.gain[i][j] = v, v
		}
	}
	q.delta = q.gain
	return q.tree(all)
}

// more is what correction adds to the score of j given some parents, which ascend.
func (q *Latent) more(j int, parents []int) float64 {
	return q.correction(Toggled(parents, j)) - q.correction(parents)
}

// addGiven adds what corrections add to the scores of all subsets of the candidates beside given
// parents.
func (q *Latent) addGiven(dst []float64, j int, candidates, given []int) {
	parents := make([]int, 0, len(candidates)+len(given))
	for set := range dst {
		parents = scoring.Subset(append(parents[:0], given...), candidates, set)
		slices.Sort(parents)
		dst[set] += q.more(j, parents)
	}
}

// A monotone is a column as a latent normal variable.
type monotone struct {
	low, high []float64 // by row: an interval, or the same number twice
	tied      bool      // there are intervals
}

// manyRows is the part of the rows from which on those of one value are an interval.
const manyRows = 0.01

func newMonotone(column []float64) (m monotone) {
	n := len(column)
	m.low, m.high = ranks.NormalScores(column), make([]float64, n)
	copy(m.high, m.low)
	order, sorted := make([]int, n), slices.Clone(column)
	floats.Argsort(sorted, order)
	for first := 0; first < n; {
		last := first + 1
		for last < n && sorted[last] == sorted[first] {
			last++
		}
		if last-first > 1 && float64(last-first) >= manyRows*float64(n) {
			m.tied = true
			low, high := math.Inf(-1), math.Inf(1)
			if first > 0 {
				low = ranks.NormalQuantile(2*float64(first)/float64(n) - 1)
			}
			if last < n {
				high = ranks.NormalQuantile(2*float64(last)/float64(n) - 1)
			}
			for _, i := range order[first:last] {
				m.low[i], m.high[i] = low, high
			}
		}
		first = last
	}
	return m
}

// normalBetween is the probability of an interval under the standard normal distribution.
func normalBetween(low, high float64) float64 {
	if low > 0 {
		low, high = -high, -low
	}
	return (math.Erfc(-high/math.Sqrt2) - math.Erfc(-low/math.Sqrt2)) / 2
}

// A latentPair is the rows of two latent variables, different ones once.
type latentPair struct {
	points  [3]float64 // Σx², Σxy, Σy² of rows that are points in both
	n       float64    // their number
	halves  []halfCell // of rows that are a point in one
	cells   []pairCell // of rows that are intervals in both
	corners [][2]float64
	at      []float64 // probabilities of the corners
}

type halfCell struct{ point, low, high, log float64 } // log: of the probability of the interval

type pairCell struct {
	corner       [4]int // below both bounds, −1: probability 0
	weight, logs float64
}

func newLatentPair(a, b monotone, counts func(row int) bool) *latentPair {
	p := new(latentPair)
	cells := map[[4]float64]int{}
	corners := map[[2]float64]int{}
	corner := func(x, y float64) int {
		if math.IsInf(x, -1) || math.IsInf(y, -1) {
			return -1
		}
		at, ok := corners[[2]float64{x, y}]
		if !ok {
			at = len(p.corners)
			corners[[2]float64{x, y}] = at
			p.corners = append(p.corners, [2]float64{x, y})
		}
		return at
	}
	for i := range a.low {
		if !counts(i) {
			continue
		}
		switch x, y := a.low[i] == a.high[i], b.low[i] == b.high[i]; {
		case x && y:
			p.n++
			p.points[0] += a.low[i] * a.low[i]
			p.points[1] += a.low[i] * b.low[i]
			p.points[2] += b.low[i] * b.low[i]
		case x:
			p.halves = append(p.halves, halfCell{a.low[i], b.low[i], b.high[i],
				math.Log(normalBetween(b.low[i], b.high[i]))})
		case y:
			p.halves = append(p.halves, halfCell{b.low[i], a.low[i], a.high[i],
				math.Log(normalBetween(a.low[i], a.high[i]))})
		default:
			key := [4]float64{a.low[i], a.high[i], b.low[i], b.high[i]}
			at, ok := cells[key]
			if !ok {
				at = len(p.cells)
				cells[key] = at
				p.cells = append(p.cells, pairCell{corner: [4]int{
					corner(key[1], key[3]), corner(key[0], key[3]), corner(key[1], key[2]),
					corner(key[0], key[2])},
					logs: math.Log(normalBetween(key[0], key[1])) +
						math.Log(normalBetween(key[2], key[3]))})
			}
			p.cells[at].weight++
		}
	}
	p.at = make([]float64, len(p.corners))
	return p
}

// leastCell is the least probability of a cell, below which it is rounding.
const leastCell = 1e-14

// logLikelihood is that of a correlation tanh u, less that of 0.
func (p *latentPair) logLikelihood(u float64) float64 {
	r := math.Tanh(u)
	s := 1 / math.Cosh(u) // √(1 − r²)
	v := 0.0
	if p.n > 0 {
		v += -p.n*math.Log(s) + (p.points[0]+p.points[2])/2 -
			(p.points[0]-2*r*p.points[1]+p.points[2])/(2*s*s)
	}
	for _, h := range p.halves {
		v += math.Log(max(normalBetween((h.low-r*h.point)/s, (h.high-r*h.point)/s),
			leastCell)) - h.log
	}
	angle := math.Asin(r)
	for k, c := range p.corners {
		p.at[k] = bivariateBelow(c[0], c[1], angle)
	}
	for _, c := range p.cells {
		prob := 0.0
		for k, sign := range [4]float64{1, -1, -1, 1} {
			if c.corner[k] >= 0 {
				prob += sign * p.at[c.corner[k]]
			}
		}
		v += c.weight * (math.Log(max(prob, leastCell)) - c.logs)
	}
	return v
}

// cornerPlaces and cornerWeights integrate from 0 to 1.
var cornerPlaces, cornerWeights = func() (x, w []float64) {
	x, w = make([]float64, 32), make([]float64, 32)
	quad.Legendre{}.FixedLocations(x, w, 0, 1)
	return x, w
}()

// bivariateBelow is the probability that two standard normal variables whose correlation is the
// sine of an angle are below h and k,
//
//	Φ(h)Φ(k) + 1/2π ∫₀^angle exp(−(h² − 2hk sin t + k²)/(2 cos² t)) dt.
func bivariateBelow(h, k, angle float64) float64 {
	switch {
	case math.IsInf(h, 1):
		return math.Erfc(-k/math.Sqrt2) / 2
	case math.IsInf(k, 1):
		return math.Erfc(-h/math.Sqrt2) / 2
	}
	sum := 0.0
	for i, x := range cornerPlaces {
		sin, cos := math.Sincos(x * angle)
		sum += cornerWeights[i] * math.Exp(-(h*h-2*h*k*sin+k*k)/(2*cos*cos))
	}
	return math.Erfc(-h/math.Sqrt2)*math.Erfc(-k/math.Sqrt2)/4 + sum*angle/(2*math.Pi)
}

// evidence is ln ∫ p(ρ) p(rows | ρ)/p(rows | 0) dρ, the mean over the scales of the prior of ρ, up
// to |ρ| = tanh 6 = 1 − 1e-5: the likelihood of a column and a rising function of it has no bound.
func (p *latentPair) evidence(freedoms []float64) float64 {
	const widest, step = 6, 0.4
	mode, highest := 0.0, math.Inf(-1)
	for u := -float64(widest); u <= widest; u += step {
		if v := p.logLikelihood(u); v > highest {
			mode, highest = u, v
		}
	}
	h := step
	var second float64
	for range 6 { // the vertex of a parabola through three points
		left, right := p.logLikelihood(mode-h), p.logLikelihood(mode+h)
		second = (left - 2*highest + right) / (h * h)
		if second < 0 {
			u := min(max(mode+(left-right)/(2*h*second), -widest), widest)
			if v := p.logLikelihood(u); v > highest {
				mode, highest = u, v
			}
		}
		h /= 3
	}
	sd := 1.0
	if second < 0 {
		sd = min(1, 1/math.Sqrt(-second))
	}
	const places, spreads = 33, 8
	weights := make([]float64, len(freedoms))
	for f := range weights {
		b := freedoms[f] / 2
		over, _ := math.Lgamma(b + 1.5)
		under, _ := math.Lgamma(b + 1)
		weights[f] = over - under - math.Log(math.Pi)/2
	}
	sum := 0.0
	width := 2 * spreads * sd / (places - 1)
	for k := range places {
		u := mode - spreads*sd + float64(k)*width
		if math.Abs(u) > widest {
			continue
		}
		v := p.logLikelihood(u)
		logS2 := -2 * logCosh(u) // ln(1 − ρ²), also dρ/du
		for f, w := range weights {
			sum += math.Exp(v - highest + w + (freedoms[f]/2+1)*logS2)
		}
	}
	return highest + math.Log(sum*width/float64(len(freedoms)))
}

// logCosh is ln cosh u.
func logCosh(u float64) float64 {
	u = math.Abs(u)
	return u + math.Log1p(math.Exp(-2*u)) - math.Ln2
}
