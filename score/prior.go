package score

import (
	"fmt"
	"math"
	"math/bits"

	"tobac/dag"
	"tobac/internal/scoring"
)

// A Prior is a modular prior over graphs,
//
//	p(G) ∝ Π_j ρ_j(pa_j),   ln ρ_j(A) = size(|A|) + Σ_{i∈A} odds(i, j),
//
// with ρ_j(A) = 0 where A holds a forbidden parent or lacks a required one. It is
// not normalised over graphs. Make one with [ErdosRenyi], [Fair], [ScaleFree],
// [Uniform] or [EdgeProbabilities], and add knowledge with [Prior.Forbid],
// [Prior.Require], [Prior.Tiers] and [Prior.MaxParents]. A Prior that is not
// modified is safe for concurrent use.
type Prior struct {
	size     []float64   // by number of parents, -Inf: not allowed
	odds     [][]float64 // odds[j][i], -Inf: forbidden
	required [][]bool    // required[j][i]
	needed   []int       // number of required parents
}

func newPrior(d int) *Prior {
	p := &Prior{size: make([]float64, d), odds: make([][]float64, d), required: make([][]bool, d),
		needed: make([]int, d)}
	for j := range d {
		p.odds[j], p.required[j] = make([]float64, d), make([]bool, d)
		p.odds[j][j] = math.Inf(-1)
	}
	return p
}

// ErdosRenyi is the prior of independent edges that have probability p for each
// pair of variables: ln ρ_j(A) = |A| ln(p/(1−p)). A p outside (0, 1) is an error.
func ErdosRenyi(d int, p float64) (*Prior, error) {
	if !(p > 0 && p < 1) {
		return nil, fmt.Errorf("score: edge probability is %v, want 0 < probability < 1", p)
	}
	q := newPrior(d)
	for k := range q.size {
		q.size[k] = float64(k) * (math.Log(p) - math.Log1p(-p))
	}
	return q, nil
}

// Fair is the prior that gives every number of parents the same mass,
// ln ρ_j(A) = −ln C(d−1, |A|).
func Fair(d int) *Prior {
	q := newPrior(d)
	for k := range q.size {
		q.size[k] = -scoring.LnChoose(d-1, k)
	}
	return q
}

// ScaleFree is the prior ln ρ_j(A) = −3 ln(1 + |A|), which favours few variables
// with many parents.
func ScaleFree(d int) *Prior {
	q := newPrior(d)
	for k := range q.size {
		q.size[k] = -3 * math.Log1p(float64(k))
	}
	return q
}

// Uniform is the prior that gives every graph the same probability.
func Uniform(d int) *Prior { return newPrior(d) }

// EdgeProbabilities is the prior of independent edges i → j with the
// probabilities p(i, j), i ≠ j, of d variables: odds(i, j) = ln(p/(1−p)). 0 forbids
// an edge and 1 requires it. A number outside [0, 1] is an error.
func EdgeProbabilities(d int, p func(i, j int) float64) (*Prior, error) {
	q := newPrior(d)
	for i := range d {
		for j := range d {
			if i == j {
				continue
			}
			switch v := p(i, j); {
			case !(v >= 0 && v <= 1):
				return nil, fmt.Errorf("score: probability of the edge %d → %d is %v, want a "+
					"number from 0 to 1", i, j, v)
			case v == 1:
				q.Require(i, j)
			default:
				q.odds[j][i] = math.Log(v) - math.Log1p(-v)
			}
		}
	}
	return q, nil
}

// Vars is the number of variables d.
func (p *Prior) Vars() int { return len(p.size) }

// Clone copies the prior.
func (p *Prior) Clone() *Prior {
	q := newPrior(len(p.size))
	copy(q.size, p.size)
	copy(q.needed, p.needed)
	for j := range p.odds {
		copy(q.odds[j], p.odds[j])
		copy(q.required[j], p.required[j])
	}
	return q
}

// Forbid rules the edge i → j out.
func (p *Prior) Forbid(i, j int) { p.odds[j][i] = math.Inf(-1) }

// Require makes the edge i → j certain. It panics if i is j.
func (p *Prior) Require(i, j int) {
	if i == j {
		panic(fmt.Sprintf("score: required edge from %d to itself", i))
	}
	if !p.required[j][i] {
		p.required[j][i] = true
		p.needed[j]++
	}
}

// Tiers forbids every edge from a variable to one of a lower tier. Variables of
// the same tier are not restricted; tier[j] is that of variable j, and a negative
// one sets no restriction on j. It panics if there are not d tiers.
func (p *Prior) Tiers(tier []int) {
	if len(tier) != len(p.size) {
		panic(fmt.Sprintf("score: %d tiers for %d variables", len(tier), len(p.size)))
	}
	for i, a := range tier {
		for j, b := range tier {
			if b >= 0 && a > b {
				p.Forbid(i, j)
			}
		}
	}
}

// MaxParents bounds the number of parents of every variable by k.
func (p *Prior) MaxParents(k int) {
	for n := max(k+1, 0); n < len(p.size); n++ {
		p.size[n] = math.Inf(-1)
	}
}

// Odds is ln of the prior odds of the edge i → j without the term of the number of parents: -Inf if
// it is forbidden.
func (p *Prior) Odds(i, j int) float64 { return p.odds[j][i] }

// Forbidden reports whether the edge i → j is ruled out.
func (p *Prior) Forbidden(i, j int) bool {
	return math.IsInf(p.odds[j][i], -1) && !p.required[j][i]
}

// Required reports whether the edge i → j is certain.
func (p *Prior) Required(i, j int) bool { return p.required[j][i] }

// RequiredEdges is the graph of the edges that are certain.
func (p *Prior) RequiredEdges() *dag.Graph {
	g := dag.New(len(p.required))
	for j, required := range p.required {
		for i, certain := range required {
			if certain {
				g.Set(i, j, true)
			}
		}
	}
	return g
}

// MostRequired is the largest number of parents that are required of a variable.
func (p *Prior) MostRequired() int {
	g, most := p.RequiredEdges(), 0
	for j := range p.required {
		most = max(most, len(g.Parents(j)))
	}
	return most
}

// Check returns nil if some acyclic graph has a positive probability, and else an
// error that names two contradicting statements.
func (p *Prior) Check() error {
	d := len(p.size)
	g := dag.New(d)
	for j := range d {
		for i := range d {
			if !p.required[j][i] {
				continue
			}
			if math.IsInf(p.odds[j][i], -1) {
				return fmt.Errorf("score: the edge %d → %d is both required and forbidden", i, j)
			}
			g.Set(i, j, true)
		}
		if n := p.needed[j]; math.IsInf(p.size[n], -1) {
			return fmt.Errorf("score: variable %d has %d required parents, more than allowed", j, n)
		}
	}
	if err := g.CheckAcyclic(nil); err != nil {
		return fmt.Errorf("score: required edges: %w", err)
	}
	return nil
}

// LogPrior is ln ρ_j(A) of distinct parents A, without j: −Inf where they are
// not allowed.
func (p *Prior) LogPrior(j int, parents []int) float64 {
	sum, missing := p.size[len(parents)], p.needed[j]
	for _, i := range parents {
		sum += p.odds[j][i]
		if p.required[j][i] {
			missing--
		}
	}
	if missing > 0 {
		return math.Inf(-1)
	}
	return sum
}

// AddTo adds ln ρ_j(A) to dst for every subset A of the candidates, numbered as in [SubsetScorer].
// It makes −Inf of sets that lack a required parent, and of all if a required parent is not a
// candidate. It panics as [LogScores] does.
func (p *Prior) AddTo(dst []float64, j int, candidates []int) {
	scoring.CheckRoom(dst, candidates)
	scoring.CheckParents(len(p.size), j, candidates)
	mask, missing := 0, p.needed[j]
	for k, i := range candidates {
		if p.required[j][i] {
			mask |= 1 << k
			missing--
		}
	}
	if missing > 0 {
		for set := range dst {
			dst[set] = math.Inf(-1)
		}
		return
	}
	low := min(len(candidates), 10)
	first, rest := p.sums(j, candidates[:low]), p.sums(j, candidates[low:])
	for high, sum := range rest {
		size := p.size[bits.OnesCount(uint(high)):]
		block := dst[high<<low : (high+1)<<low]
		for set := range block {
			block[set] += sum + first[set] + size[bits.OnesCount(uint(set))]
		}
	}
	if mask != 0 {
		for set := range dst {
			if set&mask != mask {
				dst[set] = math.Inf(-1)
			}
		}
	}
}

// sums are Σ_{i∈A} odds(i, j) of all subsets A of the candidates.
func (p *Prior) sums(j int, candidates []int) []float64 {
	sum := make([]float64, 1, 1<<len(candidates))
	for _, i := range candidates {
		for _, s := range sum {
			sum = append(sum, s+p.odds[j][i])
		}
	}
	return sum
}

// MultiplyOdds multiplies p(G) by factor for graphs with the edge i → j: the prior odds of the
// edge, given all other edges, become factor times what they were. An edge that is forbidden or
// required stays so. It panics if i is j or factor is not a finite number above 0.
func (p *Prior) MultiplyOdds(i, j int, factor float64) {
	if i == j || !(factor > 0) || math.IsInf(factor, 1) {
		panic(fmt.Sprintf("score: odds of the edge %d → %d times %v, want two variables and a "+
			"finite factor above 0", i, j, factor))
	}
	p.odds[j][i] += math.Log(factor)
}

// AddOdds adds c to odds(i, j) of every pair: it multiplies p(G) by e^c for
// each edge of G.
func (p *Prior) AddOdds(c float64) {
	for k := range p.size {
		p.size[k] += c * float64(k)
	}
}
