package nodescore

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tobac/internal/must"
	"tobac/internal/ranks"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cutTable draws n rows of three latent normal variables cut into three levels each: a chain, a
// collider or a clique.
func cutTable(n int, shape int, rng *rand.Rand) [][]float64 {
	columns := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range n {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		switch shape {
		case 0: // a → b → c
			b = 0.7*a + 0.7*b
			c = 0.7*b + 0.7*c
		case 1: // a → b ← c
			b = 0.6*a + 0.6*c + 0.5*b
		case 2:
			b = 0.7*a + 0.7*b
			c = 0.5*a + 0.5*b + 0.6*c
		}
		for j, v := range []float64{a, b, c} {
			level := 0.0
			if v > -0.5 {
				level++
			}
			if v > 0.8 {
				level++
			}
			columns[j][i] = level
		}
	}
	return columns
}

func latentJoint(t *testing.T, columns [][]float64) *Joint {
	t.Helper()
	n, d := len(columns[0]), len(columns)
	x, widths, place := mat.NewDense(n, d, nil), make([]int, d), make([]int, d)
	for j, column := range columns {
		x.SetCol(j, ranks.NormalScores(column))
		widths[j], place[j] = 1, -1
	}
	b := must.Get(NewBlocks(x, widths, nil, BlockOptions{Freedom: 1}))(t)
	s := &Joint{Numbers: []*Blocks{b, b.WithFreedom(10), b.WithFreedom(100)}, Place: place}
	s.Latent = must.Get(NewLatent(context.Background(), columns,
		func(int, int) bool { return false }, s, 2))(t)
	return s
}

// dependence is what a set of variables says beside what each says alone.
func dependence(s *Joint, set []int) float64 {
	sum := 0.0
	for k, j := range set {
		sum += s.LogScore(j, set[:k]) - s.LogScore(j, nil)
	}
	return sum
}

// Evidences of pairs are those of a sum over correlations of probabilities that are integrals over
// one of the two variables.
func TestLatentPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	columns := cutTable(80, 2, rng)
	for i := range columns[2] {
		columns[2][i] += rng.NormFloat64() // a number
	}
	s := latentJoint(t, columns)
	for _, pair := range [][2]int{{0, 1}, {1, 2}} {
		a, b := newMonotone(columns[pair[0]]), newMonotone(columns[pair[1]])
		var logs []float64
		const steps = 400
		for k := range steps {
			r := -1 + (2*float64(k)+1)/steps
			sd, v := math.Sqrt(1-r*r), 0.0
			for i := range a.low {
				given := func(z float64) float64 {
					return normalBetween((a.low[i]-r*z)/sd, (a.high[i]-r*z)/sd)
				}
				if b.low[i] == b.high[i] {
					v += math.Log(given(b.low[i]) / normalBetween(a.low[i], a.high[i]))
					continue
				}
				low, high, sum := max(b.low[i], -8), min(b.high[i], 8), 0.0
				const places = 500
				for m := range places {
					z := low + (high-low)*(float64(m)+0.5)/places
					sum += given(z) * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
				}
				v += math.Log(sum * (high - low) / places / normalBetween(a.low[i], a.high[i]) /
					normalBetween(b.low[i], b.high[i]))
			}
			for _, f := range []float64{1, 10, 100} {
				over, _ := math.Lgamma(f/2 + 1.5)
				under, _ := math.Lgamma(f/2 + 1)
				logs = append(logs, v+f/2*math.Log(1-r*r)+over-under-math.Log(math.Pi)/2-
					math.Log(3*steps/2))
			}
		}
		want := floats.LogSumExp(logs)
		if got := dependence(s, pair[:]); math.Abs(got-want) > 2e-3 {
			t.Errorf("pair %v: %v, want %v", pair, got, want)
		}
	}
}

// The correction of triples is near what importance sampling of their correlations from the prior
// says, of which some twenty draws count: their error is about 0.2 nats, and that of the correction
// largest where two variables that do not depend on each other have an effect on the third.
func TestLatentTriples(t *testing.T) {
	if testing.Short() {
		t.Skip("importance sampling")
	}
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 8))
		columns := cutTable(50, int(seed), rng)
		s := latentJoint(t, columns)
		got := dependence(s, []int{0, 1, 2})
		want, size := tripleEvidence(columns, 4000, rng)
		normal := *s
		normal.Latent = nil
		t.Logf("shape %d: %.2f, importance sampling %.2f (effective %.0f), normal scores %.2f",
			seed, got, want, size, dependence(&normal, []int{0, 1, 2}))
		if math.Abs(got-want) > 1 {
			t.Errorf("shape %d: %v, want %v", seed, got, want)
		}
	}
}

// tripleEvidence is the mean over correlations drawn from the prior, and the effective number of
// draws.
func tripleEvidence(columns [][]float64, draws int, rng *rand.Rand) (log, size float64) {
	var m [3]monotone
	for j := range m {
		m[j] = newMonotone(columns[j])
	}
	type cell [6]float64
	count, alone := map[cell]float64{}, 0.0
	for i := range columns[0] {
		var c cell
		for j := range m {
			c[2*j], c[2*j+1] = m[j].low[i], m[j].high[i]
			alone += math.Log(normalBetween(m[j].low[i], m[j].high[i]))
		}
		count[c]++
	}
	var logs []float64
	for k := range draws {
		f := []float64{1, 10, 100}[k%3]
		// A precision with the degrees of freedom of three variables, as a factor (Bartlett).
		var l mat.Dense
		l.CloneFrom(mat.NewDense(3, 3, nil))
		for a := range 3 {
			for b := range a {
				l.Set(a, b, rng.NormFloat64())
			}
			l.Set(a, a, math.Sqrt(chiSquared(int(f)+4-a, rng)))
		}
		var p, sigma mat.Dense
		p.Mul(&l, l.T())
		if sigma.Inverse(&p) != nil {
			continue
		}
		r := func(a, b int) float64 {
			return sigma.At(a, b) / math.Sqrt(sigma.At(a, a)*sigma.At(b, b))
		}
		v := -alone
		for c, n := range count {
			v += n * math.Log(max(tripleCell(c, r(0, 1), r(0, 2), r(1, 2)), 1e-12))
		}
		logs = append(logs, v)
	}
	total := floats.LogSumExp(logs)
	log = total - math.Log(float64(len(logs)))
	for _, v := range logs {
		size += math.Exp(2 * (v - total))
	}
	return log, 1 / size
}

func chiSquared(freedom int, rng *rand.Rand) (sum float64) {
	for range freedom {
		z := rng.NormFloat64()
		sum += z * z
	}
	return sum
}

// tripleCell is the probability of three intervals of normal variables.
func tripleCell(c [6]float64, r01, r02, r12 float64) float64 {
	low, high, sum := max(c[0], -6), min(c[1], 6), 0.0
	s1, s2 := math.Sqrt(1-r01*r01), math.Sqrt(1-r02*r02)
	angle := math.Asin(max(-1, min(1, (r12-r01*r02)/(s1*s2))))
	const places = 12
	for k := range places {
		z := low + (high-low)*(float64(k)+0.5)/places
		at := func(a, b float64) float64 {
			if math.IsInf(a, -1) || math.IsInf(b, -1) {
				return 0
			}
			return bivariateBelow((a-r01*z)/s1, (b-r02*z)/s2, angle)
		}
		sum += (at(c[3], c[5]) - at(c[2], c[5]) - at(c[3], c[4]) + at(c[2], c[4])) *
			math.Exp(-z*z/2)
	}
	return sum * (high - low) / places / math.Sqrt(2*math.Pi)
}

// Scores of all subsets, and of neighbours, are those of single sets with corrections.
func TestLatentScoresOfSets(t *testing.T) {
	s := latentJoint(t, cutTable(60, 2, rand.New(rand.NewPCG(5, 5))))
	all := make([]float64, 4)
	s.LogScores(all, 1, []int{0, 2})
	for k, set := range [][]int{nil, {0}, {2}, {0, 2}} {
		if want := s.LogScore(1, set); math.Abs(all[k]-want) > 1e-9 {
			t.Errorf("set %v: %v, want %v", set, all[k], want)
		}
	}
	toggled := make([]float64, 2)
	s.LogScoresToggled(toggled, 1, []int{0}, []int{0, 2})
	for k, set := range [][]int{nil, {0, 2}} {
		if want := s.LogScore(1, set); math.Abs(toggled[k]-want) > 1e-9 {
			t.Errorf("neighbour %v: %v, want %v", set, toggled[k], want)
		}
	}
	forward := dependence(s, []int{0, 1, 2})
	back := 0.0
	for k, set := range [][]int{nil, {2}, {1, 2}} {
		j := 2 - k
		back += s.LogScore(j, set) - s.LogScore(j, nil)
	}
	if math.Abs(forward-back) > 1e-9 {
		t.Errorf("sequences of the same set differ: %v and %v", forward, back)
	}
}

// A column with equal values and a rising function of it, which have the same latent variable, have
// a finite evidence of dependence.
func TestLatentCopies(t *testing.T) {
	column := make([]float64, 300)
	for i := range column {
		column[i] = float64(i * i % 211 / 3)
	}
	for _, n := range []int{70, len(column)} { // all rows different, then with intervals
		x, y := column[:n], make([]float64, n)
		for i, v := range x {
			if n == 70 {
				x[i] += float64(i) / 1000
				v = x[i]
			}
			y[i] = math.Exp(v / 50)
		}
		p := newLatentPair(newMonotone(x), newMonotone(y), func(int) bool { return true })
		if v := p.evidence([]float64{1, 10, 100}); !(v > float64(n)) || math.IsInf(v, 0) {
			t.Errorf("%d rows: evidence %v", n, v)
		}
	}
}
