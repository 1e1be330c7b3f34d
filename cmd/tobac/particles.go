package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/bench"
	"tobac/dag"
	"tobac/internal/file"
	"tobac/ordering"
)

// particlesFile is the name of the file that a posterior can be judged from.
const particlesFile = "particles.json"

// particleSet is a posterior as it is stored: everything that evaluating it
// needs, and nothing that depends on time or workers.
type particleSet struct {
	Names           []string   `json:"names"`
	Order           []int      `json:"order"`                    // indices of Names, sources first; empty with dibs and with several orders
	Orders          []orderSet `json:"orders,omitempty"`         // several orders, in the sequence of the particles
	Method          string     `json:"method,omitempty"`         // dibs; left out: tobac
	Model           *modelSpec `json:"model,omitempty"`          // left out: linear
	NoiseVariance   float64    `json:"noise_variance,omitempty"` // left out: integrated out
	Standardization *scaling   `json:"standardization"`          // of the data before the fit; null: none
	Particles       []particle `json:"particles"`
}

// An orderSet are the consecutive particles that follow one of several orders.
type orderSet struct {
	Order         []int   `json:"order"` // indices of the names, sources first
	Particles     int     `json:"particles"`
	LogWeight     float64 `json:"log_weight"`
	NoiseVariance float64 `json:"noise_variance,omitempty"` // left out: integrated out
}

// A particle is a graph with its parameters.
type particle struct {
	Edges         [][2]int  `json:"edges"`          // source and target, indices of the names
	Parameters    []float64 `json:"parameters"`     // linear: weight of each edge; ffn: all, as models.FeedForward lays them out, in order; bge: none
	LogPrior      float64   `json:"log_prior"`      // log p(Θ|G)
	LogLikelihood float64   `json:"log_likelihood"` // log p(D|G,Θ) of the training data, for bge log p(D|G)
	LogWeight     float64   `json:"log_weight"`     // in the mixture: the sum of both, normalised; with several orders within each, plus the order's
}

// newParticleSet takes the particles of a model over from a fit.
func newParticleSet(p *tobac.Posterior, model *modelSpec, s *scaling) (*particleSet, error) {
	set := &particleSet{Names: p.Names, Order: p.Order, Model: model, NoiseVariance: p.Config.NoiseVariance, Standardization: s}
	if set.Order == nil {
		set.Order = []int{}
	}
	if len(p.Orders) > 1 {
		set.NoiseVariance = 0
		for _, o := range p.Orders {
			set.Orders = append(set.Orders, orderSet{Order: o.Order, Particles: o.Particles, LogWeight: o.LogWeight, NoiseVariance: o.NoiseVariance})
		}
	}
	if p.Config.Method != tobac.TOBAC {
		set.Method = p.Config.Method.String()
	}
	for m, g := range p.Graphs {
		q := particle{Edges: [][2]int{}, Parameters: []float64{}, LogPrior: p.LogPrior[m], LogLikelihood: p.LogLikelihood[m]}
		for _, e := range g.Edges() {
			q.Edges = append(q.Edges, [2]int{e.From, e.To})
			if p.Weights != nil {
				q.Parameters = append(q.Parameters, p.Weights[m].At(e.From, e.To))
			}
		}
		if p.Weights == nil && p.Parameters != nil {
			q.Parameters = p.Parameters.RawRowView(m)
		}
		set.Particles = append(set.Particles, q)
	}
	_, mixture, err := set.ensembles(p.Graphs)
	if err != nil {
		return nil, err
	}
	for m, w := range mixture.LogWeights {
		set.Particles[m].LogWeight = w
	}
	return set, nil
}

// ensembles are the graphs of the particles weighed alike, and by their joint
// density of parameters and data.
func (s *particleSet) ensembles(graphs []*dag.Graph) (alike, mixture *bench.Ensemble, err error) {
	f := bench.Fitted{Graphs: graphs}
	for _, p := range s.Particles {
		f.Train = append(f.Train, bench.LogDensity{Prior: p.LogPrior, Data: p.LogLikelihood})
	}
	for _, o := range s.Orders {
		f.Orders = append(f.Orders, bench.OrderShare{Particles: o.Particles, LogWeight: o.LogWeight})
	}
	return f.Ensembles()
}

// posterior returns the particles as what a fit returns, as far as densities and
// metrics need it.
func (s *particleSet) posterior() (*tobac.Posterior, error) {
	model, err := s.Model.model()
	if err != nil {
		return nil, err
	}
	p := &tobac.Posterior{Config: tobac.Config{Model: model, NoiseVariance: s.NoiseVariance}, Names: s.Names, Order: s.Order}
	if s.Method == tobac.DiBS.String() {
		p.Config.Method = tobac.DiBS
	}
	for _, o := range s.Orders {
		p.Orders = append(p.Orders, tobac.OrderShare{Order: o.Order, Weight: math.Exp(o.LogWeight), LogWeight: o.LogWeight, Particles: o.Particles, NoiseVariance: o.NoiseVariance})
	}
	d := len(s.Names)
	for m, q := range s.Particles {
		edges := make([]dag.Edge, len(q.Edges))
		for k, e := range q.Edges {
			edges[k] = dag.Edge{From: e[0], To: e[1]}
		}
		g, err := dag.FromEdges(d, edges)
		if err != nil {
			return nil, fmt.Errorf("particle %d: %s", m, withoutPackage(err.Error()))
		}
		p.Graphs = append(p.Graphs, g)
		want := len(s.Particles[0].Parameters) // all particles have as many
		if s.Model == nil {
			want = len(edges)
		}
		switch {
		case s.Model == nil && len(q.Parameters) != want:
			return nil, fmt.Errorf("particle %d has %d parameters for %d edges, want one each", m, len(q.Parameters), want)
		case len(q.Parameters) != want:
			return nil, fmt.Errorf("particle %d has %d parameters, particle 0 has %d", m, len(q.Parameters), want)
		}
		if s.Model == nil {
			w := mat.NewDense(d, d, nil)
			for k, e := range edges {
				w.Set(e.From, e.To, q.Parameters[k])
			}
			p.Weights = append(p.Weights, w)
		} else if want > 0 {
			if p.Parameters == nil {
				p.Parameters = mat.NewDense(len(s.Particles), want, nil)
			}
			p.Parameters.SetRow(m, q.Parameters)
		}
	}
	return p, nil
}

// write stores the particles as JSON, one on each line, with numbers that read
// back exactly.
func (s *particleSet) write(w io.Writer) error {
	header := *s
	header.Particles = []particle{}
	text, err := compact(header)
	if err != nil {
		return err
	}
	text = bytes.TrimSuffix(text, []byte("]}")) // the empty list of particles stays open
	for m, p := range s.Particles {
		line, err := compact(p)
		if err != nil {
			return fmt.Errorf("particle %d: %w", m, err)
		}
		if m > 0 {
			text = append(text, ',')
		}
		text = append(append(text, '\n'), line...)
	}
	_, err = w.Write(append(text, "\n]}\n"...))
	return err
}

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// readParticles reads the posterior in a folder and checks that it is
// consistent.
func readParticles(dir string) (*particleSet, error) {
	path := filepath.Join(dir, particlesFile)
	f, err := file.Open(path, "a file")
	if err != nil {
		return nil, fmt.Errorf("%w; allowed: a folder written by tobac fit --out", err)
	}
	defer f.Close() // only read: closing cannot lose anything
	s := new(particleSet)
	if err := json.NewDecoder(f).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: not a posterior written by tobac fit: %w", path, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: not a posterior written by tobac fit: %w", path, err)
	}
	return s, nil
}

// checkOrders checks several orders: permutations with a noise variance each,
// weights that sum to 1, and as many particles as there are.
func (s *particleSet) checkOrders(model tobac.Model) error {
	particles, total := 0, 0.0
	for k, o := range s.Orders {
		if err := ordering.Validate(o.Order, len(s.Names)); err != nil {
			return fmt.Errorf("order %d: %s", k, withoutPackage(err.Error()))
		}
		if err := checkNoise(o.NoiseVariance, model, s.Model); err != nil {
			return fmt.Errorf("order %d: %w", k, err)
		}
		if o.Particles < 1 || math.IsNaN(o.LogWeight) || math.IsInf(o.LogWeight, 0) {
			return fmt.Errorf("order %d has %d particles and the log weight %v, want at least 1 and a finite number", k, o.Particles, o.LogWeight)
		}
		particles += o.Particles
		total += math.Exp(o.LogWeight)
	}
	const rounding = 1e-9
	if particles != len(s.Particles) || math.Abs(total-1) > rounding {
		return fmt.Errorf("the orders have %d particles of the weight %v, want %d and 1", particles, total, len(s.Particles))
	}
	return nil
}

// checkNoise finds a noise variance that the model does not have, or lacks.
func checkNoise(v float64, model tobac.Model, spec *modelSpec) error {
	switch {
	case model.Marginal() == (v == 0) && v >= 0:
		return nil
	case model.Marginal():
		return fmt.Errorf("noise variance is %v, want none for the model %v", v, spec)
	}
	return fmt.Errorf("noise variance is %v, want a number above 0", v)
}

func (s *particleSet) check() error {
	d := len(s.Names)
	if d == 0 || len(s.Particles) == 0 {
		return fmt.Errorf("%d names and %d particles, want at least one of each", d, len(s.Particles))
	}
	if _, err := ordering.ByNames(s.Names, s.Names); err != nil {
		return err
	}
	model, err := s.Model.model()
	if err != nil {
		return err
	}
	switch {
	case s.Method == "" && len(s.Orders) > 0:
		err = s.checkOrders(model)
	case s.Method == "":
		if err = ordering.Validate(s.Order, d); err == nil {
			err = checkNoise(s.NoiseVariance, model, s.Model)
		}
	case s.Method == tobac.DiBS.String():
		if len(s.Order) > 0 || len(s.Orders) > 0 {
			return fmt.Errorf("the method %s has the order %v, want none", s.Method, s.Order)
		}
		err = checkNoise(s.NoiseVariance, model, s.Model)
	default:
		err = fmt.Errorf("unknown method %q", s.Method)
	}
	if err != nil {
		return err
	}
	if t := s.Standardization; t != nil {
		if len(t.Mean) != d || len(t.SD) != d {
			return fmt.Errorf("standardisation has %d means and %d standard deviations for %d names", len(t.Mean), len(t.SD), d)
		}
		for j, sd := range t.SD {
			if !(sd > 0) || math.IsInf(sd, 0) {
				return fmt.Errorf("standard deviation of %q is %v, want a number above 0", s.Names[j], sd)
			}
		}
	}
	_, err = s.posterior()
	return err
}
