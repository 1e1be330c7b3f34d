package density

import (
	"fmt"
	"slices"

	"tobac/autograd"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// derived are the programs that are compiled when they are first asked for.
type derived struct {
	values      map[string][]float64 // of parameters, in the trace that draws
	generator   *Trace
	draws       *program // parameters of distributions
	inverse     *program // coordinates of values
	likelihoods *program // of observed values
	tempered    *program
	curvature   *program
}

func (d *derived) all() []*program {
	return []*program{d.draws, d.inverse, d.likelihoods, d.tempered, d.curvature}
}

// generate compiles the trace that draws.
func (m *Model) generate() error {
	if m.derived.draws != nil {
		return nil
	}
	t, err := m.newTrace(true)
	if err != nil {
		return err
	}
	var outputs, inverse []*autograd.Node
	for _, s := range slices.Concat(t.sampled, t.observed) {
		p, err := s.d.broadcast(s.x)
		if err != nil {
			return fmt.Errorf("density: %s: %w", s.name, err)
		}
		for _, n := range p {
			outputs = append(outputs, n.ExpandOver(t.points))
		}
	}
	for i, r := range t.named {
		inverse = append(inverse, t.inverse[i](t.values[t.place(r.Name)]).ExpandOver(t.points))
	}
	if err := t.b.Err(); err != nil {
		return fmt.Errorf("density: %w", err)
	}
	if len(outputs) == 0 { // a model of flat parameters
		outputs = inverse
	}
	draws, err := m.compile(t, outputs)
	if err != nil {
		return err
	}
	back, err := m.compile(t, inverse)
	if err != nil {
		draws.close()
		return err
	}
	m.derived.generator, m.derived.draws, m.derived.inverse = t, draws, back
	return nil
}

func (t *Trace) place(name string) int {
	return slices.IndexFunc(t.recorded, func(r Recorded) bool { return r.Name == name })
}

// draw draws the values of one stage for all points from its distribution: outputs are those of
// its parameters. place names the streams: of the point and the place of the stage.
func (m *Model) draw(
	s stage,
	at, number int,
	seed uint64,
	key stream.Purpose,
	first int,
	dst []float64,
) error {
	shape := s.x.Shape()
	values, length := shape[:len(shape)-s.d.event].Len(), shape[len(shape)-s.d.event:].Len()
	p := make([][]float64, len(s.d.parameters))
	for k := range m.points {
		for i := range p {
			all := m.derived.draws.dst[at+i]
			n := len(all) / m.points
			p[i] = all[k*n:][:n]
		}
		rng := stream.New(seed, key, stream.Place(first+k, number))
		if err := s.d.sample(
			rng,
			values,
			length,
			p,
			dst[k*values*length:][:values*length],
		); err != nil {
			return fmt.Errorf("density: draws of %s: %w", s.name, err)
		}
	}
	return nil
}

// Prior draws n sets of parameters from their distributions, as coordinates, a row for each.
// Terms of [Trace.Add] and observations of parameters do not count. A parameter without
// a distribution is an error.
func (m *Model) Prior(n int, seed uint64) (*mat.Dense, error) {
	if n < 1 {
		return nil, fmt.Errorf("density: %d draws of the prior, want at least 1", n)
	}
	if err := m.generate(); err != nil {
		return nil, err
	}
	t := m.derived.generator
	if t.flat != "" {
		return nil, fmt.Errorf(
			"density: parameter %s has no distribution, and so the prior no draws",
			t.flat,
		)
	}
	out := mat.NewDense(n, m.length, nil)
	row := mat.NewDense(m.points, m.length, nil)
	for first := 0; first < n; first += m.points {
		if err := m.drawPrior(first, seed, row); err != nil {
			return nil, err
		}
		for k := range min(m.points, n-first) {
			out.SetRow(first+k, row.RawRowView(k))
		}
	}
	return out, nil
}

// drawPrior writes the coordinates of draws from number first on.
func (m *Model) drawPrior(first int, seed uint64, x *mat.Dense) error {
	// values that later parameters have meanwhile: those of coordinates 0
	if err := m.bind(m.coordinates, mat.NewDense(m.points, m.length, nil)); err != nil {
		return err
	}
	if err := m.recorded.eval(); err != nil {
		return err
	}
	t := m.derived.generator
	for i, r := range m.trace.recorded {
		if to, ok := m.derived.values[r.Name]; ok {
			copy(to, m.recorded.dst[i])
		}
	}
	at := 0
	for number, s := range t.sampled {
		if err := m.derived.draws.eval(); err != nil {
			return err
		}
		if err := m.draw(
			s,
			at,
			number,
			seed,
			stream.PriorDraw,
			first,
			m.derived.values[s.name],
		); err != nil {
			return err
		}
		at += len(s.d.parameters)
	}
	if err := m.derived.inverse.eval(); err != nil {
		return err
	}
	m.spread(x, m.derived.inverse.dst)
	return nil
}

// Coordinates are those of one set of parameter values by name, all of them; elements of
// arrays in row-major order. They are a start for samplers.
func (m *Model) Coordinates(values map[string][]float64) ([]float64, error) {
	if err := m.generate(); err != nil {
		return nil, err
	}
	for name := range values {
		if _, ok := m.derived.values[name]; !ok {
			return nil, fmt.Errorf("density: the model has no parameter %s", name)
		}
	}
	for _, r := range m.derived.generator.named {
		v, to := values[r.Name], m.derived.values[r.Name]
		if len(v) != r.Shape.Len() {
			return nil, fmt.Errorf(
				"density: parameter %s: got %d values, want %d",
				r.Name,
				len(v),
				r.Shape.Len(),
			)
		}
		for k := range m.points {
			copy(to[k*len(v):], v)
		}
	}
	if err := m.derived.inverse.eval(); err != nil {
		return nil, err
	}
	x := mat.NewDense(m.points, m.length, nil)
	m.spread(x, m.derived.inverse.dst)
	at := 0
	for j, u := range m.trace.free {
		for range u.Shape().Len() {
			if !finite(x.At(0, at)) {
				return nil, fmt.Errorf(
					"density: parameter %s: %v is outside its constraint",
					m.trace.named[j].Name,
					values[m.trace.named[j].Name],
				)
			}
			at++
		}
	}
	return x.RawRowView(0), nil
}

// Observed lists data that are observed with a distribution, in the order of the model.
func (m *Model) Observed() []Recorded {
	var out []Recorded
	for _, s := range m.trace.observed {
		out = append(out, Recorded{s.name, s.x.Shape()})
	}
	return out
}

// Predict draws data that the model would make at each draw of the parameters, given by their
// coordinates as for [Model.Draws]: one matrix for each chain, draws × numbers of
// [Model.Observed] in their order. With draws of [Model.Prior] it is the prior
// predictive distribution, with those of a sampler the posterior predictive one.
func (m *Model) Predict(coordinates []*mat.Dense, seed uint64) ([]*mat.Dense, error) {
	if err := m.generate(); err != nil {
		return nil, err
	}
	t, columns := m.derived.generator, 0
	for _, s := range t.observed {
		columns += s.x.Shape().Len()
	}
	if columns == 0 {
		return nil, fmt.Errorf("density: the model observes no data with a distribution")
	}
	skip := 0
	for _, s := range t.sampled {
		skip += len(s.d.parameters)
	}
	return m.each(coordinates, columns, func(dst, x *mat.Dense, chain, first int) error {
		if err := m.bind(m.coordinates, x); err != nil {
			return err
		}
		if err := m.recorded.eval(); err != nil {
			return err
		}
		for i, r := range m.trace.recorded {
			if to, ok := m.derived.values[r.Name]; ok {
				copy(to, m.recorded.dst[i])
			}
		}
		if err := m.derived.draws.eval(); err != nil {
			return err
		}
		at, drawn := skip, make([][]float64, len(t.observed))
		for i, s := range t.observed {
			drawn[i] = make([]float64, m.points*s.x.Shape().Len())
			if err := m.draw(
				s,
				at,
				stream.Place(chain, i),
				seed,
				stream.PredictiveDraw,
				first,
				drawn[i],
			); err != nil {
				return err
			}
			at += len(s.d.parameters)
		}
		m.spread(dst, drawn)
		return nil
	})
}

// Likelihoods are the log densities of the values of observed data at each draw of the
// parameters, given by their coordinates as for [Model.Draws]: one matrix for each
// chain, draws × values. A vector of a multivariate distribution is one value.
func (m *Model) Likelihoods(coordinates []*mat.Dense) ([]*mat.Dense, error) {
	t := m.trace
	if len(t.observed) == 0 {
		return nil, fmt.Errorf("density: the model observes no data with a distribution")
	}
	if m.derived.likelihoods == nil {
		var outputs []*autograd.Node
		for _, s := range t.observed {
			term, _ := t.log("data "+s.name, s.d, s.x)
			outputs = append(outputs, term.ExpandOver(t.points))
		}
		var err error
		if m.derived.likelihoods, err = m.compile(t, outputs); err != nil {
			return nil, err
		}
	}
	columns := 0
	for _, o := range m.derived.likelihoods.dst {
		columns += len(o) / m.points
	}
	return m.each(coordinates, columns, func(dst, x *mat.Dense, _, _ int) error {
		if err := m.bind(m.coordinates, x); err != nil {
			return err
		}
		if err := m.derived.likelihoods.eval(); err != nil {
			return err
		}
		m.spread(dst, m.derived.likelihoods.dst)
		return nil
	})
}
