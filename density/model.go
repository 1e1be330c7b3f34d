package density

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"tobac/autograd"
	"tobac/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Options say how a model is run. The zero value is right for a model without data.
type Options struct {
	Points  int // evaluated at once, such as chains; defaults to 4
	Workers int // goroutines, defaults to 1; results do not depend on it
	// Data has the values of each [Trace.Data] in row-major order. Others are ignored, so that a
	// file of data serves several models.
	Data map[string][]float64
	Seed uint64 // of the rows of batches
}

// A Model is a log density of named parameters, compiled. It serves one goroutine at a time.
type Model struct {
	function func(t *Trace)
	options  Options
	trace    *Trace
	points   int
	length   int

	coordinates map[string][]float64 // of the parameters, points × their numbers
	data        map[string][]float64
	all         map[string][]float64 // all rows of batches
	batches     map[string]batch
	version     int // of the data, from 1
	step, beta  []float64
	tangents    map[string][]float64

	gradient *program // the log density, and its gradient
	recorded *program
	derived  derived // compiled when they are first asked for
}

// A program computes outputs from the model's inputs.
type program struct {
	run   autograd.Evaluator
	feeds []autograd.Feed
	dst   [][]float64
	// fixed computes what depends on data only, for some of the feeds; nil if nothing does. It has
	// run for a version of the data.
	fixed *program
	of    *int // the current version
	ran   int
	// failed is the error of an operation at points of the last run, such as an index out of range.
	failed *autograd.FailedError
}

func (p *program) close() {
	p.run.Close()
	if p.fixed != nil {
		p.fixed.close()
	}
}

// eval runs it; points without a result hold NaN.
func (p *program) eval() error {
	if p.fixed != nil && p.ran != *p.of {
		if err := p.fixed.run.Eval(p.fixed.dst, p.fixed.feeds); err != nil {
			return fmt.Errorf("density: of the data alone: %w", err)
		}
		p.ran = *p.of
	}
	p.failed = nil
	if err := p.run.Eval(p.dst, p.feeds); err != nil && !errors.As(err, &p.failed) {
		return fmt.Errorf("density: %w", err)
	}
	return nil
}

// newTrace calls the model function.
func (m *Model) newTrace(generates bool) (*Trace, error) {
	b := autograd.NewBuilder("model")
	t := &Trace{
		b:         b,
		points:    b.Axis("point", m.points),
		names:     map[string]bool{},
		rows:      map[string]int{},
		batches:   map[*autograd.Node]batch{},
		generates: generates,
	}
	for name, values := range m.options.Data {
		t.rows[name] = len(values)
	}
	m.function(t)
	t.locate("model")
	if t.err == nil && len(t.named) == 0 {
		t.err = errors.New("density: the model has no parameters")
	}
	return t, t.err
}

// compile makes a program of outputs, which depend on the mapped axis of points or are the same
// for all. What depends on data only is computed when they change.
func (m *Model) compile(t *Trace, outputs []*autograd.Node) (*program, error) {
	var inputs, data []*autograd.Node
	var feeds, dataFeeds []autograd.Feed
	for _, in := range t.inputs {
		feed := autograd.Feed{Data: m.buffer(in)}
		inputs, feeds = append(inputs, in.node), append(feeds, feed)
		if in.kind == datum {
			data, dataFeeds = append(data, in.node), append(dataFeeds, feed)
		}
	}
	outputs, hoisted, values := t.b.Hoist(outputs, data...)
	var fixed *program
	if len(values) > 0 {
		var err error
		if fixed, err = m.program(data, values, dataFeeds, 1); err != nil {
			return nil, err
		}
		inputs = append(inputs, hoisted...)
		for _, v := range fixed.dst {
			feeds = append(feeds, autograd.Feed{Data: v})
		}
	}
	p, err := m.program(inputs, outputs, feeds, m.points)
	if err != nil {
		if fixed != nil {
			fixed.close()
		}
		return nil, err
	}
	p.fixed, p.of = fixed, &m.version
	return p, nil
}

// program computes outputs of a number of points.
func (m *Model) program(
	inputs, outputs []*autograd.Node,
	feeds []autograd.Feed,
	points int,
) (*program, error) {
	p := &program{feeds: feeds}
	for _, o := range outputs {
		p.dst = append(p.dst, make([]float64, points*o.Shape().Len()))
	}
	var err error
	if p.run, err = autograd.NewEvaluator(
		inputs,
		outputs,
		autograd.Options{Workers: m.options.Workers},
	); err != nil {
		return nil, fmt.Errorf("density: %w", err)
	}
	return p, nil
}

// buffer is where the numbers of an input are.
func (m *Model) buffer(in input) []float64 {
	length := in.node.Shape().Len()
	place := func(at map[string][]float64, n int) []float64 {
		if at[in.name] == nil {
			at[in.name] = make([]float64, n)
		}
		return at[in.name]
	}
	switch in.kind {
	case coordinate:
		return place(m.coordinates, m.points*length)
	case datum:
		return place(m.data, length)
	case valued:
		return place(m.derived.values, m.points*length)
	case tangent:
		return place(m.tangents, m.points*length)
	case stepping:
		return m.step
	default:
		return m.beta
	}
}

func (t *Trace) sum(terms []*autograd.Node) *autograd.Node {
	total := t.b.Scalar(0).ExpandOver(t.points)
	for _, term := range terms {
		total = total.Add(term)
	}
	return total
}

// New compiles a model.
func New(model func(t *Trace), opt Options) (*Model, error) {
	if opt.Points < 0 || opt.Workers < 0 {
		return nil, fmt.Errorf(
			"density: got %d points and %d workers, want none below 0",
			opt.Points,
			opt.Workers,
		)
	}
	if opt.Points == 0 {
		opt.Points = 4
	}
	if model == nil {
		return nil, errors.New("density: the model is nil")
	}
	m := &Model{
		function:    model,
		options:     opt,
		points:      opt.Points,
		coordinates: map[string][]float64{},
		data:        map[string][]float64{},
		all:         map[string][]float64{},
		batches:     map[string]batch{},
		step:        make([]float64, 1),
		beta:        []float64{1},
		tangents:    map[string][]float64{},
	}
	m.options.Data = maps.Clone(opt.Data)
	m.derived.values = map[string][]float64{}
	t, err := m.newTrace(false)
	if err != nil {
		return nil, err
	}
	m.trace = t
	for _, u := range t.free {
		m.length += u.Shape().Len()
	}
	total := t.sum(append(slices.Clone(t.prior), t.rest...))
	if m.gradient, err = m.compile(
		t,
		append([]*autograd.Node{total}, t.b.Grad(total, t.free...)...),
	); err != nil {
		return nil, err
	}
	if m.recorded, err = m.compile(t, t.values); err != nil {
		m.gradient.close()
		return nil, err
	}
	if err := m.firstData(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Model) firstData() error {
	for _, in := range m.trace.inputs {
		if b, ok := m.trace.batches[in.node]; ok {
			m.batches[in.name] = b
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.data)) {
		if _, given := m.options.Data[name]; !given {
			return fmt.Errorf("density: data %s is missing", name)
		}
	}
	all := 0
	for _, name := range slices.Sorted(maps.Keys(m.batches)) {
		if n := m.batches[name].all; all != 0 && n != all {
			return fmt.Errorf("density: batch %s has %d rows in all, others %d", name, n, all)
		}
		all = m.batches[name].all
	}
	for _, name := range slices.Sorted(maps.Keys(m.data)) {
		if err := m.SetData(name, m.options.Data[name]); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the workers.
func (m *Model) Close() {
	for _, p := range append([]*program{m.gradient, m.recorded}, m.derived.all()...) {
		if p != nil {
			p.close()
		}
	}
}

// SetData replaces data, without compiling again; the values are copied. They have to be
// finite, and in the support of the distribution that they are observed with.
func (m *Model) SetData(name string, values []float64) error {
	to, found := m.data[name]
	if !found {
		return fmt.Errorf(
			"density: the model has no data %s; it has %v",
			name,
			slices.Sorted(maps.Keys(m.data)),
		)
	}
	b, part := m.batches[name]
	want := len(to)
	if part {
		want = want / b.rows * b.all
	}
	if got := len(values); got != want {
		return fmt.Errorf("density: data %s: got %d values, want %d", name, got, want)
	}
	allowed, by := anyNumber, ""
	for _, o := range m.trace.observed {
		if o.name == name {
			allowed, by = o.d.set, " ("+o.d.name+")"
		}
	}
	for i, v := range values {
		if !allowed.has(v) {
			return fmt.Errorf(
				"density: data %s: value %d is %v, want %s%s",
				name,
				i,
				v,
				allowed.words,
				by,
			)
		}
	}
	m.version++
	if part {
		m.all[name] = slices.Clone(values)
		return m.SetStep(int(m.step[0]))
	}
	copy(to, values)
	return nil
}

// SetStep sets the number that [Trace.Step] stands for, and draws the rows of batches of that
// step, the same rows for all of them.
func (m *Model) SetStep(step int) error {
	m.step[0] = float64(step)
	if len(m.batches) == 0 {
		return nil
	}
	m.version++
	var order []int
	for name, b := range m.batches {
		if m.all[name] == nil {
			continue
		}
		if order == nil {
			rng := stream.New(m.options.Seed, stream.BatchRows, step)
			order = make([]int, b.all)
			for i := range order {
				order[i] = i
			}
			for i := range b.rows { // the first of a shuffle
				j := i + rng.IntN(b.all-i)
				order[i], order[j] = order[j], order[i]
			}
		}
		to := m.data[name]
		row := len(to) / b.rows
		for i := range b.rows {
			copy(to[i*row:][:row], m.all[name][order[i]*row:])
		}
	}
	return nil
}

// Dims are the number of points that are evaluated at once, and of coordinates of each.
func (m *Model) Dims() (points, coordinates int) { return m.points, m.length }

// Results lists what [Model.Values] computes: parameters and what [Trace.Record] added.
func (m *Model) Results() []Recorded { return m.trace.recorded }

// Names are those of the numbers that [Model.Values] computes, such as tau, theta[0] and
// theta[1].
func (m *Model) Names() []string { return elements(m.trace.recorded) }

// elements are the names of the single numbers of arrays, such as theta[0,1].
func elements(of []Recorded) []string {
	var names []string
	for _, r := range of {
		for k := range r.Shape.Len() {
			name := r.Name
			if len(r.Shape) > 0 {
				index := make([]string, len(r.Shape))
				for a := len(index) - 1; a >= 0; a-- {
					index[a], k = fmt.Sprint(k%r.Shape[a]), k/r.Shape[a]
				}
				name += "[" + strings.Join(index, ",") + "]"
			}
			names = append(names, name)
		}
	}
	return names
}

// spread copies outputs of each point, one after the other, to the rows of dst.
func (m *Model) spread(dst *mat.Dense, outputs [][]float64) {
	at := 0
	for _, o := range outputs {
		n := len(o) / m.points
		for k := range m.points {
			copy(dst.RawRowView(k)[at:], o[k*n:][:n])
		}
		at += n
	}
}

// LogDensity writes the log density at each row of x, points × coordinates, to logp and its
// gradient to the rows of grad. A row without a density, such as one whose covariance is
// not positive definite, has NaN or an infinity.
func (m *Model) LogDensity(logp []float64, grad, x *mat.Dense) error {
	if err := m.bind(m.coordinates, x); err != nil {
		return err
	}
	if r, c := grad.Dims(); r != m.points || c != m.length || len(logp) != m.points {
		return fmt.Errorf(
			"density: got room for %d densities and %d×%d gradients, want %d and %d×%d",
			len(logp),
			r,
			c,
			m.points,
			m.points,
			m.length,
		)
	}
	if err := m.gradient.eval(); err != nil {
		return err
	}
	copy(logp, m.gradient.dst[0])
	m.spread(grad, m.gradient.dst[1:])
	return nil
}

// Values writes the parameters and what else is recorded at each row of x to the rows of dst, in
// the order of [Model.Names].
func (m *Model) Values(dst, x *mat.Dense) error {
	if err := m.bind(m.coordinates, x); err != nil {
		return err
	}
	if r, c := dst.Dims(); r != m.points || c != len(m.Names()) {
		return fmt.Errorf(
			"density: got room for %d×%d values, want %d×%d",
			r,
			c,
			m.points,
			len(m.Names()),
		)
	}
	if err := m.recorded.eval(); err != nil {
		return err
	}
	m.spread(dst, m.recorded.dst)
	return nil
}

// bind copies rows of x to the inputs of parameters.
func (m *Model) bind(to map[string][]float64, x *mat.Dense) error {
	if r, c := x.Dims(); r != m.points || c != m.length {
		return fmt.Errorf("density: got %d×%d coordinates, want %d×%d", r, c, m.points, m.length)
	}
	at := 0
	for _, p := range m.trace.named {
		data := to[p.Name]
		n := len(data) / m.points
		for k := range m.points {
			copy(data[k*n:][:n], x.RawRowView(k)[at:])
		}
		at += n
	}
	return nil
}

// Draws are the [Model.Values] of draws by their coordinates, one matrix of any number of rows
// for each chain.
func (m *Model) Draws(coordinates []*mat.Dense) ([]*mat.Dense, error) {
	return m.each(
		coordinates,
		len(m.Names()),
		func(dst, x *mat.Dense, _, _ int) error { return m.Values(dst, x) },
	)
}

// each calls f for groups of points, with the chain and the number of the first draw.
func (m *Model) each(
	coordinates []*mat.Dense,
	columns int,
	f func(dst, x *mat.Dense, chain, first int) error,
) ([]*mat.Dense, error) {
	out := make([]*mat.Dense, len(coordinates))
	x, values := mat.NewDense(m.points, m.length, nil), mat.NewDense(m.points, columns, nil)
	for k, from := range coordinates {
		n, c := from.Dims()
		if c != m.length {
			return nil, fmt.Errorf(
				"density: draws of chain %d have %d coordinates, want %d",
				k,
				c,
				m.length,
			)
		}
		out[k] = mat.NewDense(n, columns, nil)
		for at := 0; at < n; at += m.points {
			rows := min(m.points, n-at)
			for r := range m.points { // the last group repeats its last draw
				x.SetRow(r, from.RawRowView(at+min(r, rows-1)))
			}
			if err := f(values, x, k, at); err != nil {
				return nil, err
			}
			for r := range rows {
				out[k].SetRow(at+r, values.RawRowView(r))
			}
		}
	}
	return out, nil
}

// Score is the gradient at a step of a sampler that counts its steps, such as those of package
// svgd: x and dst have one block, points × coordinates. An error with a method Outside names the
// points without a density or a finite gradient; the scores of the others hold.
func (m *Model) Score(dst, x []*mat.Dense, step int) error {
	if len(dst) != 1 || len(x) != 1 {
		return fmt.Errorf("density: got %d blocks and %d results, want 1 of each", len(x), len(dst))
	}
	if err := m.SetStep(step); err != nil {
		return err
	}
	logp := make([]float64, m.points)
	if err := m.LogDensity(logp, dst[0], x[0]); err != nil {
		return err
	}
	var outside *outsideError
	for k, l := range logp {
		for i, g := range dst[0].RawRowView(k) {
			if finite(l) && finite(g) {
				continue
			}
			if outside == nil {
				outside = &outsideError{text: fmt.Sprintf("density: point %d: the log density is "+
					"%v and its derivative "+
					"by a coordinate of %s %v, want finite ones", k, l, m.coordinate(i), g)}
			}
			outside.points = append(outside.points, k)
			break
		}
	}
	if outside != nil {
		return outside
	}
	return nil
}

// Undefined says which term of the log density is not finite at the first row of x, and its value;
// "" means none. Terms are parameters, data and those of [Trace.Add], counted from 0.
func (m *Model) Undefined(x *mat.Dense) (string, error) {
	if err := m.bind(m.coordinates, x); err != nil {
		return "", err
	}
	t := m.trace
	names := slices.Concat(t.priorOf, t.restOf)
	for i, term := range slices.Concat(t.prior, t.rest) {
		p, err := m.compile(t, []*autograd.Node{term.ExpandOver(t.points)})
		if err != nil {
			return "", err
		}
		err = p.eval()
		p.close()
		switch v := p.dst[0][0]; {
		case err != nil:
			return "", err
		case p.failed != nil:
			return fmt.Sprintf("%s has no log density: %v", names[i], p.failed), nil
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Sprintf("the log density of %s is %v", names[i], v), nil
		}
	}
	return "", nil
}

// An outsideError says at which points a score is not defined; the others hold.
type outsideError struct {
	points []int // ascending
	text   string
}

// Error implements error: it says what is not finite at the first of the points.
func (e *outsideError) Error() string { return e.text }

// Outside lists the points: see svgd.Sampler.Outside.
func (e *outsideError) Outside() []int { return e.points }

// coordinate is the parameter that a coordinate belongs to.
func (m *Model) coordinate(i int) string {
	for j, u := range m.trace.free {
		if i -= u.Shape().Len(); i < 0 {
			return m.trace.named[j].Name
		}
	}
	return ""
}
