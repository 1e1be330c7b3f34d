package tempering

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tobac/internal/anneal"
	"tobac/internal/nodescore"
	"tobac/internal/parallel"
	"tobac/internal/stream"
	"tobac/internal/vector"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sets estimates the evidence of single sets of parents, whatever the order, by sequential Monte
// Carlo: what an engine over orders needs of networks. It is safe for concurrent use.
type Sets struct {
	cfg           Config
	x, intervened mat.Matrix
	kernels       vector.Set
}

// An Estimate is what is known of the networks of a variable with one set of parents.
type Estimate struct {
	nodescore.Family
	// LogEvidence is log p(x_j|x_A), the logarithm of the mean of two independent estimates, and
	// Halves are these.
	LogEvidence float64
	Halves      [2]float64
	Particles   int       // of both together
	networks    []network // of the posterior, from both populations in turn
}

// NewSets checks data and settings, whose zeros are their defaults; the arguments are those of
// [Run]. Of the settings of chains it takes none.
func NewSets(x, intervened mat.Matrix, cfg Config) (*Sets, error) {
	kernels, err := check(x, intervened, &cfg)
	if err != nil {
		return nil, err
	}
	return &Sets{cfg: cfg, x: x, intervened: intervened, kernels: kernels}, nil
}

// Estimate estimates all sets of a list, shared by Config.Workers goroutines, with a number of
// particles for each, half of them in each of two populations. Estimates with other numbers are
// independent. A cancelled context is returned as its cause. It panics if a set is not what
// [nodescore.Family] says, and with less than 4 particles.
func (s *Sets) Estimate(ctx context.Context, list []nodescore.Family,
	particles int) ([]*Estimate, error) {
	if particles < 4 {
		panic(fmt.Sprintf("tempering: %d particles of a set of parents, want at least 4",
			particles))
	}
	for _, p := range list {
		s.check(p)
	}
	all, networks := make([]*Estimate, len(list)), make([][2][]network, len(list))
	for k, p := range list {
		all[k] = &Estimate{Family: nodescore.Family{Of: p.Of, Set: slices.Clone(p.Set)},
			Particles: particles}
	}
	err := parallel.For(ctx, 2*len(list), s.cfg.Workers, func(k int) error {
		e, half := all[k/2], k%2
		e.Halves[half], networks[k/2][half] = s.half(e, half)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, e := range all {
		for m, first := range networks[k][0] {
			e.networks = append(e.networks, first, networks[k][1][m])
		}
		e.LogEvidence = logMean(e.Halves)
	}
	return all, nil
}

// check panics unless the set is one of other columns.
func (s *Sets) check(p nodescore.Family) {
	_, d := s.x.Dims()
	before := -1
	for _, i := range p.Set {
		if i <= before || i >= d || i == p.Of {
			panic(fmt.Sprintf("tempering: parents %v of column %d, want ascending columns below "+
				"%d without its own", p.Set, p.Of, d))
		}
		before = i
	}
	if p.Of < 0 || p.Of >= d {
		panic(fmt.Sprintf("tempering: parents of column %d, want 0 to %d", p.Of, d-1))
	}
}

// setDraws is how many networks of a set are kept.
const setDraws = 16

// half has one of the two populations of an estimate, with half of the particles.
func (s *Sets) half(e *Estimate, number int) (log float64, networks []network) {
	cfg := s.cfg
	v := newNode(s.x, s.intervened, e.Of, e.Set, anyParents{}, &cfg, s.kernels)
	w := v.newWorker()
	rng := stream.New(cfg.Seed, stream.TemperingSets, e.Of,
		stream.Place(append(slices.Clone(e.Set), 2*e.Particles+number)...))
	log, all := w.population(e.Particles/2, rng)
	drawn, state := min(len(all), setDraws/2), w.full()
	for k := range drawn {
		w.take(state, &all[k*len(all)/drawn])
		networks = append(networks, w.complete(state, rng))
	}
	return log, networks
}

// logMean is the logarithm of the mean of two numbers given by their logarithms.
func logMean(logs [2]float64) float64 { return floats.LogSumExp(logs[:]) - math.Ln2 }

// Of populations.
const (
	// temperatures after which evidences are so sharp that every other move is a step, and that
	// there are twice the particles
	blunt = 7
	// of the effective sample sizes between which a temperature is found, in parts of the number
	leastLeft, mostLeft = 0.5, 0.52
)

// A particle is what is kept of a state: the rest follows from it.
type particle struct {
	weights, biases, gram []float64
	logs, evidence        float64
}

// keep makes a particle of a state.
func (p *particle) keep(s *state) {
	p.weights = append(p.weights[:0], s.weights...)
	p.biases = append(p.biases[:0], s.biases...)
	p.gram = append(p.gram[:0], s.gram...)
	p.logs = s.logs
}

// take makes a state of a particle.
func (w *worker) take(s *state, p *particle) {
	copy(s.weights, p.weights)
	copy(s.biases, p.biases)
	s.logs = p.logs
	w.refresh(s)
}

// full is a state in which all candidates are parents.
func (w *worker) full() *state {
	s := w.newState()
	for i := range s.in {
		s.in[i] = true
	}
	return s
}

// population goes from n particles of the prior to the posterior [5], from one temperature of the
// noise to the next so that half of the effective sample size is left: the estimate of the log
// evidence, and the particles. Few of them are drawn at each temperature, and all states of chains
// from them are the next particles [7].
func (w *worker) population(n int, rng *rand.Rand) (sum float64, now []particle) {
	chains := max(1, int(math.Round(math.Sqrt(float64(n))/2)))
	now, next := make([]particle, n), make([]particle, n)
	s := w.full()
	for k := range now {
		w.fromPrior(s, rng)
		now[k].keep(s)
	}
	w.power = 0
	for stage := 0; w.power < 1; stage++ {
		logs := w.cool(now)
		sum += floats.LogSumExp(logs) - math.Log(float64(len(now)))
		if stage == blunt {
			n *= 2
			next = append(next, make([]particle, n-len(next))...)
		}
		for c, from := range anneal.Resample(logs, chains, rng.Float64()) {
			w.take(s, &now[from])
			for k := c * n / chains; k < (c+1)*n/chains; k++ {
				w.moveNetwork(s, 1, stage >= blunt, rng)
				next[k].keep(s)
			}
		}
		now, next = next, slices.Grow(now, n-len(now))[:n]
		for k := range now {
			now[k].evidence = w.logEvidence(now[k].gram, now[k].logs)
		}
	}
	return sum, now
}

// cool raises the inverse temperature, to 1 at most: the logarithms of the weights that particles
// have then. [anneal.Next] is for weights that are linear in it; here each try takes a
// factor of every particle, and a band ends them.
func (w *worker) cool(now []particle) (logs []float64) {
	logs = make([]float64, len(now))
	left := func(power float64) float64 {
		w.power = power
		for k := range now {
			logs[k] = w.logEvidence(now[k].gram, now[k].logs) - now[k].evidence
		}
		return anneal.EffectiveSize(logs) / float64(len(now))
	}
	low, high := w.power, 1.0
	if left(1) >= leastLeft {
		return logs
	}
	const tries = 60
	for range tries {
		middle := (low + high) / 2
		if low == 0 {
			middle = high / 8
		}
		v := left(middle)
		if v >= leastLeft && v <= mostLeft {
			return logs
		}
		if v >= leastLeft {
			low = middle
		} else {
			high = middle
		}
	}
	return logs
}

// Draw is one of the graph whose parents the estimates have, one for each variable and in their
// sequence, with network number k of each: the networks of a set are few, and come again.
// Parameters are in the sequence of the columns.
func (s *Sets) Draw(parents []*Estimate, k int) Draw {
	networks := make([]*network, len(parents))
	order := make([]int, len(parents))
	for j, e := range parents {
		networks[j], order[j] = &e.networks[k%len(e.networks)], j
	}
	return assemble(networks, order, &s.cfg)
}

// Residuals are those of the rows in which a variable was not set, less the mean of its networks.
func (s *Sets) Residuals(e *Estimate) []float64 {
	cfg := s.cfg
	v := newNode(s.x, s.intervened, e.Of, e.Set, anyParents{}, &cfg, s.kernels)
	rest, unit := slices.Clone(v.y), make([]float64, v.n)
	share := -1 / float64(len(e.networks))
	for _, f := range e.networks {
		for a, output := range f.output {
			for r := range unit {
				unit[r] = 1
			}
			if a < v.units {
				for r := range unit {
					unit[r] = f.biases[a]
				}
				for i := range e.Set {
					v.kernels.AddScaled(unit, unit, f.weights[i*v.units+a], v.row(i))
				}
				v.activate(unit, unit)
				output /= v.scale
			}
			v.kernels.AddScaled(rest, rest, share*output, unit)
		}
	}
	return rest
}

// anyParents is the prior that does not tell sets apart.
type anyParents struct{}

func (anyParents) LogPrior(int, []int) float64 { return 0 }
func (anyParents) Forbidden(int, int) bool     { return false }
func (anyParents) Required(int, int) bool      { return false }
