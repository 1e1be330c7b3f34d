package stein

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"tobac/background"
	"tobac/engine"
	"tobac/internal/drawn"
	"tobac/internal/orders"
	"tobac/internal/priors"
	"tobac/internal/problems"
	"tobac/internal/words"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
)

// sampling is the stage of SVGD and DiBS: the inference that orders are drawn from, and particles
// under one order after the other.
type sampling struct {
	engine  engine.Engine
	ordered bool // particles follow causal orders
	sampler *SVGD
	penalty models.Penalty
	problem *engine.Problem

	inner     engine.Stage    // that orders are drawn from; nil if there is none
	drawn     *engine.Outcome // of it; nil before its last step
	found     *orders.Found   // orders that a method found; nil if none did
	particles *particles      // nil before they begin
	warnings  []string
}

var _ engine.Stage = (*sampling)(nil)

// Begin implements [engine.Engine].
func (s svgdEngine) Begin(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	return (&sampling{engine: s, sampler: s.SVGD, ordered: true, problem: p}).begin(ctx)
}

// Begin implements [engine.Engine].
func (e dibsEngine) Begin(ctx context.Context, p *engine.Problem) (engine.Stage, error) {
	return (&sampling{engine: e, sampler: &e.SVGD, penalty: e.Penalty, problem: p}).begin(ctx)
}

func (s *sampling) begin(ctx context.Context) (engine.Stage, error) {
	if s.ordered && s.problem.OverOrders() {
		if s.drawn = s.problem.Shared.Drawn; s.drawn == nil {
			if err := s.beginInner(ctx); err != nil {
				return nil, err
			}
		}
	}
	if _, left := s.innerSteps(); left > 0 {
		return s, nil
	}
	return s, s.beginParticles(ctx)
}

// beginInner begins the inference that orders are drawn from.
func (s *sampling) beginInner(ctx context.Context) error {
	p := *s.problem
	p.Prior = priors.ForOrders(p.Prior)
	p.Shared.Sequence = nil // particles count all rows in full
	p.Order.Count = 0
	p.Report = func(g engine.Progress) {
		if g.Doing == "" {
			_, g.Steps = s.Steps()
		}
		s.problem.Report(g)
	}
	if err := s.orderModel(ctx, &p); err != nil {
		return err
	}
	var err error
	s.inner, err = s.sampler.OrderEngine.Engine().Begin(ctx, &p)
	s.problem.Evidence = p.Evidence
	return err
}

// innerSteps are those of the inference that orders are drawn from.
func (s *sampling) innerSteps() (done, left int) {
	if s.inner == nil {
		return 0, 0
	}
	done, all := s.inner.Steps()
	return done, all - done
}

// Steps implements [engine.Stage].
func (s *sampling) Steps() (done, all int) {
	if s.inner != nil {
		done, all = s.inner.Steps()
	}
	if s.particles == nil {
		return done, all + s.sampler.Steps*orderCount(s.problem, s.found)
	}
	return done + s.particles.steps(), all + s.sampler.Steps*len(s.particles.fits)
}

// orderCount is the number of orders of SVGD.
func orderCount(p *engine.Problem, f *orders.Found) int {
	switch {
	case p.OverOrders():
		return max(1, p.Order.Count)
	case f != nil && f.Distribution != nil:
		return len(f.Distribution.Orders)
	}
	return 1
}

// Advance implements [engine.Stage].
func (s *sampling) Advance(ctx context.Context, to int) error {
	_, all := s.Steps()
	to = min(to, all)
	if done, left := s.innerSteps(); left > 0 {
		if err := s.inner.Advance(ctx, min(to, done+left)); err != nil {
			return err
		}
	}
	if _, left := s.innerSteps(); s.particles == nil && left > 0 {
		return nil
	}
	if s.particles == nil {
		if err := s.beginParticles(ctx); err != nil {
			return err
		}
	}
	before, _ := s.innerSteps()
	return engine.Timed(&s.problem.Seconds.Sample, func() error {
		return s.particles.advance(ctx, to-before, func(p engine.Progress) {
			p.Engine = s.engine.Name()
			if p.Doing == "" {
				p.Step, p.Steps = p.Step+before, all
			}
			s.problem.Report(p)
		})
	})
}

// beginParticles finds the orders and compiles the model under the first.
func (s *sampling) beginParticles(ctx context.Context) (err error) {
	p := s.problem
	p.Doing(s.engine.Name(), "drawing orders and compiling the model")
	if s.inner != nil && s.drawn == nil {
		if s.drawn, err = s.inner.Outcome(ctx); err != nil {
			return err
		}
	}
	var orders []orders.Weighted
	err = engine.Timed(&p.Seconds.Order, func() error {
		orders, err = s.orders(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range orders {
		if err := priors.AgainstOrder(&p.Prior, o.Order, p.Data.Names); err != nil {
			return err
		}
	}
	asked := p.Model
	chosen := asked
	if asked == nil {
		asked = sem.Linear{Unequal: true}
		if chosen = asked; s.drawn != nil {
			chosen, asked = s.drawn.Best, drawn.ComparedForm(s.drawn.Best)
		}
	}
	sampler := *s.sampler
	_, itself := sem.As[sem.Differentiable](asked)
	_, form := sem.As[sem.SampledModel](asked)
	if _, scored := sem.As[sem.Scored](asked); scored && !itself && !form {
		sampler.Parameters = IntegratedParameters
	}
	model, data, scale, err := problems.SampledModel(p, asked,
		sampler.Parameters == IntegratedParameters)
	if err != nil {
		return err
	}
	was, is := sem.DescribeFamily(chosen.String()), sem.DescribeFamily(model.String())
	if was != is { // settings are no other model
		s.warnings = append(s.warnings, fmt.Sprintf("%s has no form of the model of the data, "+
			"%s: its particles are those of %s, which may tell other directions", s.engine.Name(),
			was, is))
	}
	density := priors.EdgesPerNodeFor(&p.Prior, p.Vars())
	if s.drawn != nil && p.Prior.EdgesPerNode == 0 {
		density = s.drawn.EdgesPerNode
	}
	all := &particles{seconds: p.Seconds, data: data}
	for _, o := range orders {
		all.fits = append(all.fits, &particleFit{asked: model, sampler: &sampler,
			penalty: s.penalty, prior: p.Prior, density: density, order: o,
			engine: s.engine.Name(), workers: p.Workers, names: p.Data.Names, scale: scale,
			doing: func(what string) { p.Doing(s.engine.Name(), what) }})
	}
	s.particles = all
	return all.begin(ctx)
}

// orders are the orders that particles follow.
func (s *sampling) orders(ctx context.Context) ([]orders.Weighted, error) {
	p := s.problem
	switch {
	case !s.ordered:
		return []orders.Weighted{{Seed: p.Seed, Evidence: math.NaN()}}, nil
	case p.OverOrders():
		if err := s.weighByPrior(); err != nil {
			return nil, err
		}
		return orders.DrawnFrom(s.drawn.Posterior, orderCount(p, nil), p.Seed), nil
	}
	all, found, err := orders.GivenOrders(ctx, p)
	s.found = found
	return all, err
}

// Outcome implements [engine.Stage].
func (s *sampling) Outcome(ctx context.Context) (*engine.Outcome, error) {
	if s.particles == nil {
		done, left := s.innerSteps()
		if left > 0 {
			return nil, problems.BeforeEnd(done + left)
		}
		if err := s.beginParticles(ctx); err != nil {
			return nil, err
		}
	}
	p := s.problem
	p.Doing(s.engine.Name(), "summarising the particles")
	post, err := s.particles.posterior(ctx)
	if err != nil {
		return nil, err
	}
	o := &engine.Outcome{EdgesPerNode: priors.EdgesPerNodeFor(&p.Prior, p.Vars())}
	if s.drawn != nil {
		*o = *s.drawn
		o.Functional = nil
	}
	o.Posterior, o.Orders = drawn.InDataUnits(post, p.Data), s.distribution()
	if p.Model != nil {
		o.Reason = "as asked for" // evidence decided on the orders alone
	}
	o.Checks = s.particles.checks(o.Posterior)
	o.Method, o.Computation, o.Basis = s.method(), s.computation(len(o.Draws)), s.basis()
	return o, nil
}

// distribution is that of the orders of resamples; nil if none were asked for.
func (s *sampling) distribution() *ordering.Distribution {
	if s.found == nil {
		return nil
	}
	return s.found.Distribution
}

// method says in a few words how the particles were sampled.
func (s *sampling) method() string {
	e := s.sampler
	text := fmt.Sprintf("%s, %d particles, %d steps, %d samples, %s estimator", s.engine.Name(),
		e.Particles, e.Steps, e.Samples, e.Estimator)
	if e.Gradient != models.Reparameterised {
		text += fmt.Sprintf(", %s gradient", e.Gradient)
	}
	if n := len(s.particles.fits); s.ordered && s.problem.OverOrders() {
		text += fmt.Sprintf(", under each of %s drawn from the posterior",
			words.Counted(n, "order"))
	}
	return text
}

// computation says what the probabilities are worth.
func (s *sampling) computation(draws int) string {
	if s.sampler.Marginals == ReweightedMarginals {
		return fmt.Sprintf("The probabilities come from the sets of parents that %d particles "+
			"found under each order and those near them, weighted by their evidence: sets far "+
			"from all of these have none.", s.sampler.Particles)
	}
	return fmt.Sprintf("The probabilities come from %d particles, an approximation: the spread "+
		"of their parameters is not a standard deviation, so total effects have no intervals.",
		draws)
}

// basis says what directions follow from where that is not only the model.
func (s *sampling) basis() string {
	switch {
	case s.ordered:
		return ""
	case sem.TraitsOf(s.particles.fits[0].asked).SharesNoise:
		return "the particles and equal noise variances"
	}
	return "the particles"
}

// Warnings implements [engine.Stage].
func (s *sampling) Warnings() []string {
	p := s.problem
	var w []string
	if s.inner != nil {
		w = s.inner.Warnings()
	}
	w = append(slices.Clone(w), s.warnings...)
	if s.found != nil {
		w = append(w, s.found.Warnings(p.Data.Names, p.Order.Count)...)
	}
	if sem.TraitsOf(p.Model).Marginal && !s.ordered {
		w = append(w, "the gradients of the engine dibs under the model bge are so noisy that "+
			"its particles may agree on wrong edges; engines that read node scores know the same "+
			"posterior")
	}
	if n, d := p.Data.X.Dims(); n < fewRows*d {
		few := fmt.Sprintf("%d rows of %d columns are few for ", n, d)
		if !s.ordered {
			w = append(w,
				few+"the engine dibs: its particles may agree on what the data leave open")
		} else if s.countsNetworks() {
			w = append(w, few+"particles of networks tend to drop uncertain edges: --engine "+
				"tempering estimates their probability")
		}
	}
	return w
}

// countsNetworks reports whether edge probabilities are how often particles of networks have an
// edge.
func (s *sampling) countsNetworks() bool {
	_, networks := sem.As[sem.Network](s.problem.Model)
	e := s.sampler
	return networks && e.Marginals != ReweightedMarginals &&
		(e.Marginals == FrequencyMarginals || e.Gradient != models.Flips)
}

// samplingState is the state of a sampling.
type samplingState struct {
	Inner     json.RawMessage `json:"inner,omitempty"`
	Particles *particleState  `json:"particles,omitempty"` // once they have begun
}

// Save implements [engine.Stage].
func (s *sampling) Save() (json.RawMessage, error) {
	var state samplingState
	var err error
	if s.inner != nil {
		if state.Inner, err = s.inner.Save(); err != nil {
			return nil, err
		}
	}
	if s.particles != nil {
		state.Particles = s.particles.snapshot()
	}
	return json.Marshal(state)
}

// Restore implements [engine.Stage]. The program of every finished order is built once more to read
// its particles.
func (s *sampling) Restore(ctx context.Context, text json.RawMessage) error {
	var state samplingState
	if err := json.Unmarshal(text, &state); err != nil {
		return fmt.Errorf("the state of the particles: %w", err)
	}
	if done, left := s.innerSteps(); (done+left > 0) != (len(state.Inner) > 0) {
		return errors.New("snapshot and run differ in whether chains come before SVGD")
	}
	if s.inner != nil {
		if err := s.inner.Restore(ctx, state.Inner); err != nil {
			return err
		}
	}
	if state.Particles == nil {
		if s.particles != nil {
			return errors.New("snapshot and run differ in whether SVGD has begun")
		}
		return nil
	}
	if s.particles == nil {
		if done, left := s.innerSteps(); left > 0 {
			return fmt.Errorf("snapshot has particles, but what comes before them has made %d of "+
				"%d steps", done, done+left)
		}
		if err := s.beginParticles(ctx); err != nil {
			return err
		}
	}
	return s.particles.restore(ctx, state.Particles)
}

// Close implements [engine.Stage].
func (s *sampling) Close() {
	if s.inner != nil {
		s.inner.Close()
	}
	if s.particles != nil {
		s.particles.release()
	}
}

// Demands implements [engine.Engine].
func (s svgdEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	var all []engine.Demand
	if p.OverOrders() && p.Shared.Drawn == nil && s.OrderEngine != nil {
		all = s.OrderEngine.Engine().Demands(p, size)
	}
	all = append(all, s.particleDemands(p, size, size.Vars-1, 1)...)
	if s.Parameters == IntegratedParameters {
		all = append(all, engine.Needs(math.Ldexp(16, min(size.Vars, 20)),
			"scores of sets of parents that are kept"))
	}
	if p.Order.Method != nil {
		all = append(all, engine.Needs(float64(p.Order.Count)*ordering.Bytes(size.Vars),
			"the orders of %d resamples", p.Order.Count))
	}
	return all
}

// Demands implements [engine.Engine].
func (e dibsEngine) Demands(p *engine.Problem, size engine.Size) []engine.Demand {
	return e.particleDemands(p, size, size.Vars, 2)
}

// particleDemands are those of particles whose latents are rows by factors of pairs of variables in
// one direction, or both. A model may say with methods what else it takes: SampleBytes, about the
// memory of each worker for each sampled graph beside that of the graph; Bytes, that of a program
// of n rows of d variables without an order beside what every model needs; and Parameters, their
// number, if it is not one for each pair of variables.
func (s *SVGD) particleDemands(p *engine.Problem, size engine.Size, rows int,
	directions float64) []engine.Demand {
	d, m := float64(size.Vars), float64(s.Particles)
	pairs, latents := directions*d*(d-1)/2, float64(rows)*float64(min(s.Rank, max(1, size.Vars)))
	model := mostLikelySampled(p)
	sample := 12 * pairs * 8
	if v, ok := sem.As[interface{ SampleBytes(n, d int) float64 }](model); ok {
		sample += v.SampleBytes(size.Rows, size.Vars)
	}
	program := 36 * d * d * d
	if v, ok := sem.As[interface{ Bytes(n, d int) float64 }](model); ok {
		program += v.Bytes(size.Rows, size.Vars) * pairs / (d * d)
	}
	all := []engine.Demand{
		engine.Needs(sample*float64(s.Samples)*float64(p.Workers),
			"%d sampled graphs on %d workers", s.Samples, p.Workers),
		engine.Needs(program, "the compiled program"),
		engine.Needs(8*m*(2*latents+d*d)*8, "%d particles", s.Particles),
		engine.Needs(2*m*m*8, "the kernel of %d x %d particles", s.Particles, s.Particles),
	}
	if v, ok := sem.As[interface{ Parameters(d int) float64 }](model); ok {
		all = append(all, engine.Needs(8*m*v.Parameters(size.Vars)*8,
			"%d particles with %.3g parameters each", s.Particles, v.Parameters(size.Vars)))
	}
	orders, most := float64(max(p.Order.Count, 1)), 1.0
	for k := 2; k <= size.Vars && most < orders; k++ {
		most *= float64(k)
	}
	orders = math.Min(orders, most)
	return append(all,
		engine.Needs(orders*m*(2*latents+2*d*d)*8, "the particles of %.0f orders", orders))
}

// Given implements [engine.Settling]: the form that is sampled, on its columns, all rows in full.
func (s svgdEngine) Given(_ context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	p.Shared.Sequence = nil
	m, scaled, _, err := problems.SampledModel(p, p.Model, s.Parameters == IntegratedParameters)
	return &engine.Given{Model: m, Data: scaled, Notes: problems.TakeDensity(p, edgesPerNode, nil),
		OwnNoise: true}, err
}

// Given implements [engine.Settling]: as that of SVGD, with the prior of independent pairs.
func (e dibsEngine) Given(ctx context.Context, p *engine.Problem,
	edgesPerNode float64) (*engine.Given, error) {
	g, err := svgdEngine{&e.SVGD}.Given(ctx, p, edgesPerNode)
	if q := &p.Prior; err == nil && q.Kind == background.Sparse && q.Probabilities == nil &&
		q.Own == nil {
		*q = priors.IndependentPairs(*q, p.Vars())
		g.Notes = append(g.Notes, "the prior of dibs, of independent pairs")
	}
	return g, err
}

// fewRows for each column are those below which particles of DiBS, and of networks, are certain of
// what data leave open.
const fewRows = 10

// mostLikelySampled is the model that SVGD is most likely to sample.
func mostLikelySampled(p *engine.Problem) sem.Model {
	m := p.Model
	if m == nil {
		return sem.Linear{Unequal: true}
	}
	if v, ok := sem.As[sem.SampledModel](m); ok {
		m, _ = v.Sampled(false)
	}
	return m
}
