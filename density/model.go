package density

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"tobac/autograd"

	"gonum.org/v1/gonum/mat"
)

// A Trace is what a model function writes its parameters, data and log densities to.
type Trace struct {
	b      *autograd.Builder
	points *autograd.Axis
	names  map[string]bool

	free     []*autograd.Node // coordinates of the parameters
	data     []*autograd.Node
	terms    []*autograd.Node
	recorded []Recorded
	values   []*autograd.Node // of recorded
	err      error
}

// Recorded is a parameter, or an expression of them, in the results.
type Recorded struct {
	Name  string
	Shape autograd.Shape
}

func (t *Trace) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("density: "+format, args...)
	}
}

func (t *Trace) name(name string) string {
	if name == "" || t.names[name] {
		t.fail("name %q is empty or taken", name)
		for name == "" || t.names[name] {
			name += "_"
		}
	}
	t.names[name] = true
	return name
}

// Parameter declares a parameter with a constraint and a flat prior; no dimensions: a number.
func (t *Trace) Parameter(name string, c Constraint, dims ...int) *autograd.Node {
	shape := autograd.Shape(dims)
	free, ok := c.free(shape)
	if !ok || free.Len() == 0 {
		t.fail("parameter %s: shape %v does not suit the constraint %s", name, shape, c)
		return t.b.Constant(make([]float64, shape.Len()), shape)
	}
	u := t.b.Input(t.name(name), free, t.points)
	x, jacobian := c.value(u)
	t.free, t.terms = append(t.free, u), append(t.terms, jacobian)
	t.record(name, x)
	return x
}

// Sample declares a parameter with a distribution, whose elements are independent.
func (t *Trace) Sample(name string, d Distribution, dims ...int) *autograd.Node {
	if d.support == nil {
		t.fail("parameter %s: %s is a distribution of whole numbers, which have no gradient", name, d)
		return t.b.Constant(make([]float64, autograd.Shape(dims).Len()), autograd.Shape(dims))
	}
	x := t.Parameter(name, *d.support, dims...)
	t.Observe(d, x)
	return x
}

// Data declares data, which [Options.Data] or [Model.SetData] provides.
func (t *Trace) Data(name string, dims ...int) *autograd.Node {
	n := t.b.Input(t.name(name), autograd.Shape(dims))
	t.data = append(t.data, n)
	return n
}

// Constant is a constant of the model; no dimensions: a number.
func (t *Trace) Constant(values []float64, dims ...int) *autograd.Node {
	return t.b.Constant(values, autograd.Shape(dims))
}

// Observe adds the log density of x, summed over its elements. Parameters of the distribution
// must not have more elements than x: a shape that grows is a mistake.
func (t *Trace) Observe(d Distribution, x *autograd.Node) {
	log := d.log(x)
	if n := log.Shape(); len(n) > 0 && !slices.Equal(n, x.Shape()) {
		t.fail("%s: parameters make of values of shape %v densities of shape %v", d, x.Shape(), n)
	}
	t.Add(log)
}

// Add adds a term to the log density, summed over its elements.
func (t *Trace) Add(term *autograd.Node) { t.terms = append(t.terms, term.Sum()) }

// Record adds an expression to the results, under a new name.
func (t *Trace) Record(name string, x *autograd.Node) { t.record(t.name(name), x) }

func (t *Trace) record(name string, x *autograd.Node) {
	t.recorded = append(t.recorded, Recorded{name, x.Shape()})
	t.values = append(t.values, x.ExpandOver(t.points))
}

// Options say how a model is run. The zero value is right for one without data.
type Options struct {
	Points  int // evaluated at once, such as chains; 0: 4
	Workers int // goroutines; 0: 1. Results do not depend on it.
	Data    map[string][]float64
}

// A Model is a log density of named parameters, compiled. It serves one goroutine at a time.
type Model struct {
	points, length   int
	free             []*autograd.Node
	recorded         []Recorded
	data             map[string]int // place among the feeds
	feeds            []autograd.Feed
	density, results [][]float64
	gradient, values autograd.Evaluator
}

// New compiles a model.
func New(model func(t *Trace), opt Options) (*Model, error) {
	if opt.Points < 0 || opt.Workers < 0 {
		return nil, fmt.Errorf("density: got %d points and %d workers, want none below 0", opt.Points, opt.Workers)
	}
	if opt.Points == 0 {
		opt.Points = 4
	}
	b := autograd.NewBuilder("model")
	t := &Trace{b: b, points: b.Axis("point", opt.Points), names: map[string]bool{}}
	model(t)
	switch {
	case t.err != nil:
		return nil, t.err
	case b.Err() != nil:
		return nil, fmt.Errorf("density: %w", b.Err())
	case len(t.free) == 0:
		return nil, errors.New("density: the model has no parameters")
	}
	m := &Model{points: opt.Points, free: t.free, recorded: t.recorded}
	inputs := slices.Concat(t.free, t.data)
	total := t.terms[0].ExpandOver(t.points)
	for _, term := range t.terms[1:] {
		total = total.Add(term)
	}
	m.feeds = make([]autograd.Feed, len(inputs))
	m.density = [][]float64{make([]float64, opt.Points)}
	for i, u := range t.free {
		m.length += u.Shape().Len()
		m.feeds[i].Data = make([]float64, opt.Points*u.Shape().Len())
		m.density = append(m.density, make([]float64, len(m.feeds[i].Data)))
	}
	for i, d := range t.data {
		m.feeds[len(t.free)+i].Data = make([]float64, d.Shape().Len())
	}
	m.data = map[string]int{}
	for name := range t.names {
		if n := b.InputNamed(name); n != nil {
			if at := slices.Index(t.data, n); at >= 0 {
				m.data[name] = len(t.free) + at
			}
		}
	}
	for _, r := range t.recorded {
		m.results = append(m.results, make([]float64, opt.Points*r.Shape.Len()))
	}
	run := autograd.Options{Workers: opt.Workers}
	var err error
	if m.gradient, err = autograd.NewEvaluator(inputs, append([]*autograd.Node{total}, b.Grad(total, t.free...)...), run); err != nil {
		return nil, fmt.Errorf("density: %w", err)
	}
	if m.values, err = autograd.NewEvaluator(inputs, t.values, run); err != nil {
		m.gradient.Close()
		return nil, fmt.Errorf("density: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(m.data)) {
		if _, given := opt.Data[name]; !given {
			m.Close()
			return nil, fmt.Errorf("density: data %s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Data)) {
		if err := m.SetData(name, opt.Data[name]); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// Close releases the workers.
func (m *Model) Close() {
	m.gradient.Close()
	m.values.Close()
}

// SetData replaces data, without compiling again; the values are copied.
func (m *Model) SetData(name string, values []float64) error {
	at, found := m.data[name]
	if !found {
		return fmt.Errorf("density: the model has no data %s; it has %v", name, slices.Sorted(maps.Keys(m.data)))
	}
	if got, want := len(values), len(m.feeds[at].Data); got != want {
		return fmt.Errorf("density: data %s: got %d values, want %d", name, got, want)
	}
	copy(m.feeds[at].Data, values)
	return nil
}

// Dims are the number of points that are evaluated at once, and of coordinates of each.
func (m *Model) Dims() (points, coordinates int) { return m.points, m.length }

// Results lists what [Model.Values] computes: parameters and what [Trace.Record] added.
func (m *Model) Results() []Recorded { return m.recorded }

// Names are those of the numbers that [Model.Values] computes, such as tau, theta[0] and theta[1].
func (m *Model) Names() []string {
	var names []string
	for _, r := range m.recorded {
		for k := range r.Shape.Len() {
			name := r.Name
			if len(r.Shape) > 0 {
				index := make([]int, len(r.Shape))
				for a := len(index) - 1; a >= 0; a-- {
					index[a], k = k%r.Shape[a], k/r.Shape[a]
				}
				name += "["
				for a, i := range index {
					if a > 0 {
						name += ","
					}
					name += fmt.Sprint(i)
				}
				name += "]"
			}
			names = append(names, name)
		}
	}
	return names
}

// LogDensity writes the log density at each row of x, points × coordinates, to logp and its
// gradient to the rows of grad. A row without a density, such as one whose covariance
// is not positive definite, has NaN or an infinity.
func (m *Model) LogDensity(logp []float64, grad, x *mat.Dense) error {
	if err := m.bind(x); err != nil {
		return err
	}
	if r, c := grad.Dims(); r != m.points || c != m.length || len(logp) != m.points {
		return fmt.Errorf("density: got room for %d densities and %d×%d gradients, want %d and %d×%d", len(logp), r, c, m.points, m.points, m.length)
	}
	if err := run(m.gradient, m.density, m.feeds); err != nil {
		return err
	}
	copy(logp, m.density[0])
	at := 0
	for _, g := range m.density[1:] {
		n := len(g) / m.points
		for k := range m.points {
			copy(grad.RawRowView(k)[at:], g[k*n:][:n])
		}
		at += n
	}
	return nil
}

// Values writes the parameters and what else is recorded at each row of x to the rows of dst, in the order of
// [Model.Names].
func (m *Model) Values(dst, x *mat.Dense) error {
	if err := m.bind(x); err != nil {
		return err
	}
	if r, c := dst.Dims(); r != m.points || c != len(m.Names()) {
		return fmt.Errorf("density: got room for %d×%d values, want %d×%d", r, c, m.points, len(m.Names()))
	}
	if err := run(m.values, m.results, m.feeds); err != nil {
		return err
	}
	at := 0
	for _, v := range m.results {
		n := len(v) / m.points
		for k := range m.points {
			copy(dst.RawRowView(k)[at:], v[k*n:][:n])
		}
		at += n
	}
	return nil
}

func (m *Model) bind(x *mat.Dense) error {
	if r, c := x.Dims(); r != m.points || c != m.length {
		return fmt.Errorf("density: got %d×%d coordinates, want %d×%d", r, c, m.points, m.length)
	}
	at := 0
	for i := range m.free {
		data := m.feeds[i].Data
		n := len(data) / m.points
		for k := range m.points {
			copy(data[k*n:][:n], x.RawRowView(k)[at:])
		}
		at += n
	}
	return nil
}

// run evaluates; points without a result hold NaN.
func run(e autograd.Evaluator, dst [][]float64, src []autograd.Feed) error {
	var failed *autograd.FailedError
	if err := e.Eval(dst, src); err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("density: %w", err)
	}
	return nil
}

// Draws are the [Model.Values] of draws by their coordinates, one matrix of any number of rows for each chain.
func (m *Model) Draws(coordinates []*mat.Dense) ([]*mat.Dense, error) {
	out := make([]*mat.Dense, len(coordinates))
	names := len(m.Names())
	x, values := mat.NewDense(m.points, m.length, nil), mat.NewDense(m.points, names, nil)
	for k, from := range coordinates {
		n, c := from.Dims()
		if c != m.length {
			return nil, fmt.Errorf("density: draws of chain %d have %d coordinates, want %d", k, c, m.length)
		}
		out[k] = mat.NewDense(n, names, nil)
		for at := 0; at < n; at += m.points {
			rows := min(m.points, n-at)
			for r := range rows {
				x.SetRow(r, from.RawRowView(at+r))
			}
			if err := m.Values(values, x); err != nil {
				return nil, err
			}
			for r := range rows {
				out[k].SetRow(at+r, values.RawRowView(r))
			}
		}
	}
	return out, nil
}

// Score is the gradient alone, for samplers of particles: x and dst have one block, points × coordinates. A point without a
// density or a finite gradient is an error. The step is not used.
func (m *Model) Score(dst, x []*mat.Dense, _ int) error {
	if len(dst) != 1 || len(x) != 1 {
		return fmt.Errorf("density: got %d blocks and %d results, want 1 of each", len(x), len(dst))
	}
	logp := make([]float64, m.points)
	if err := m.LogDensity(logp, dst[0], x[0]); err != nil {
		return err
	}
	for k, l := range logp {
		for i, g := range dst[0].RawRowView(k) {
			if sum := l + g; math.IsNaN(sum) || math.IsInf(sum, 0) {
				return fmt.Errorf("density: point %d: the log density is %v and coordinate %d of its gradient %v, want finite ones", k, l, i, g)
			}
		}
	}
	return nil
}
