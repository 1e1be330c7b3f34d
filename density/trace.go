package density

import (
	"fmt"
	"slices"

	"tobac/autograd"
)

// A Trace is what a model function writes its parameters, data and log densities to.
type Trace struct {
	b      *autograd.Builder
	points *autograd.Axis
	names  map[string]bool
	rows   map[string]int // of the data of batches

	inputs   []input
	free     []*autograd.Node // coordinates of the parameters
	named    []Recorded       // the parameters
	inverse  []func(x *autograd.Node) *autograd.Node
	prior    []*autograd.Node // terms of the log density
	rest     []*autograd.Node
	priorOf  []string // what the terms are of
	restOf   []string
	added    int    // terms of Add
	flat     string // the first parameter without a distribution
	recorded []Recorded
	values   []*autograd.Node // of recorded
	sampled  []stage          // parameters with a distribution
	observed []stage          // data with a distribution
	batches  map[*autograd.Node]batch
	err      error

	// Of a trace that draws values from distributions, in which parameters are inputs and not
	// functions of coordinates.
	generates bool
}

// An input of a model's programs.
type input struct {
	node *autograd.Node
	kind kind
	name string
}

type kind int

const (
	coordinate kind = iota
	datum
	valued   // parameters of a trace that draws
	stepping // the number of the step
	hotness  // inverse temperature
	tangent  // direction of a Hessian-vector product
)

// A stage is a value with its distribution.
type stage struct {
	name string
	d    Distribution
	x    *autograd.Node
}

// A batch of rows, of all that there are.
type batch struct{ rows, all int }

// Recorded is a parameter, or an expression of parameters, in the results.
type Recorded struct {
	Name  string
	Shape autograd.Shape
}

func (t *Trace) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("density: "+format, args...)
	}
}

// locate says where the builder first met an error.
func (t *Trace) locate(format string, args ...any) {
	if err := t.b.Err(); err != nil && t.err == nil {
		t.err = fmt.Errorf("density: %s: %w", fmt.Sprintf(format, args...), err)
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

func (t *Trace) input(
	kind kind,
	name string,
	shape autograd.Shape,
	over ...*autograd.Axis,
) *autograd.Node {
	unique := name
	if kind > datum {
		unique = fmt.Sprintf("%s (%d)", name, kind)
	}
	n := t.b.Input(unique, shape, over...)
	t.inputs = append(t.inputs, input{n, kind, name})
	return n
}

// Parameter declares a parameter with a constraint and a flat prior. Without dimensions it is a
// number. A simplex or an ordered vector is the last dimension, a Cholesky factor the last two:
// dimensions before them are independent copies.
func (t *Trace) Parameter(name string, c Constraint, dims ...int) *autograd.Node {
	x := t.parameter(name, c, dims)
	if t.flat == "" {
		t.flat = name
	}
	return x
}

func (t *Trace) parameter(name string, c Constraint, dims []int) *autograd.Node {
	t.locate("before parameter %s", name)
	shape := autograd.Shape(dims)
	free, ok := c.free(shape)
	if !ok || free.Len() == 0 {
		t.fail("parameter %s: shape %v does not suit the constraint %s", name, shape, c)
		return t.b.Constant(make([]float64, shape.Len()), shape)
	}
	name = t.name(name)
	var x *autograd.Node
	if t.generates {
		x = t.input(valued, name, shape, t.points)
	} else {
		u := t.input(coordinate, name, free, t.points)
		var jacobian *autograd.Node
		x, jacobian = c.value(u, shape)
		t.free, t.prior = append(t.free, u), append(t.prior, jacobian)
		t.priorOf = append(t.priorOf, "the constraint of "+name)
	}
	t.inverse = append(t.inverse, c.coordinates)
	t.named = append(t.named, Recorded{name, shape})
	t.record(name, x)
	t.locate("parameter %s", name)
	return x
}

// Sample declares a parameter with a distribution. Elements of its shape that are not one value
// together are independent.
func (t *Trace) Sample(name string, d Distribution, dims ...int) *autograd.Node {
	if d.support == nil || d.err != nil || len(dims) < d.event {
		switch {
		case d.err != nil:
			t.fail("parameter %s: %w", name, d.err)
		case d.support == nil:
			t.fail(
				"parameter %s: %s is a distribution of whole numbers, which have no gradient",
				name,
				d,
			)
		default:
			t.fail(
				"parameter %s: shape %v, want at least %d dimensions (%s)",
				name,
				dims,
				d.event,
				d,
			)
		}
		return t.b.Constant(make([]float64, autograd.Shape(dims).Len()), autograd.Shape(dims))
	}
	x := t.parameter(name, *d.support, dims)
	t.sampled = append(t.sampled, stage{name, d, x})
	if term, ok := t.log("parameter "+name, d, x); ok && !t.generates {
		t.prior = append(t.prior, d.sum(x, term))
		t.priorOf = append(t.priorOf, fmt.Sprintf("parameter %s (%s)", name, d))
	}
	return x
}

// log is the log density of each value of x.
func (t *Trace) log(what string, d Distribution, x *autograd.Node) (*autograd.Node, bool) {
	shape := x.Shape()
	switch {
	case d.err != nil:
		t.fail("%s: %w", what, d.err)
		return nil, false
	case len(shape) < d.event:
		t.fail("%s: shape %v, want at least %d dimensions (%s)", what, shape, d.event, d)
		return nil, false
	}
	term := d.LogProb(x)
	t.locate("%s (%s)", what, d)
	batch := shape[:len(shape)-d.event]
	if s := term.Shape(); t.err == nil && len(s) > 0 && !slices.Equal(s, batch) {
		t.fail(
			"%s: the parameters of %s make densities of shape %v of values of shape %v",
			what,
			d,
			s,
			shape,
		)
		return nil, false
	}
	return term.Expand(batch), t.err == nil
}

// Data declares data, which [Options.Data] or [Model.SetData] provides.
func (t *Trace) Data(name string, dims ...int) *autograd.Node {
	return t.input(datum, t.name(name), autograd.Shape(dims))
}

// Batch declares data of which a step sees only some rows, drawn without replacement by
// [Model.SetStep]: a number of rows, each of the given dimensions. [Options.Data] has
// any number of rows, the same for all batches, at least that of a step. The log
// density that [Trace.Observe] adds for a batch is multiplied by the ratio of both
// numbers, so that its mean over batches is that of all rows.
func (t *Trace) Batch(name string, rows int, dims ...int) *autograd.Node {
	n := t.Data(name, append([]int{rows}, dims...)...)
	all, row := t.rows[name], autograd.Shape(dims).Len()
	if rows < 1 || row < 1 || all%row != 0 || all/row < rows {
		t.fail(
			"batch %s: got %d values, want rows of %d, at least %d of them",
			name,
			all,
			row,
			rows,
		)
		return n
	}
	t.batches[n] = batch{rows, all / row}
	return n
}

// Step is the number of the step of samplers that count theirs ([Model.Score]), or that
// [Model.SetStep] set: for densities that change, such as tempered ones.
func (t *Trace) Step() *autograd.Node {
	for _, in := range t.inputs {
		if in.kind == stepping {
			return in.node
		}
	}
	return t.input(stepping, "step", autograd.Shape{})
}

// Constant is a constant of the model, its values in row-major order. Without dimensions it is a
// number.
func (t *Trace) Constant(values []float64, dims ...int) *autograd.Node {
	return t.b.Constant(values, autograd.Shape(dims))
}

// Observe adds the log density of x, summed over its values. Parameters of the distribution
// must not have more values than x: a shape that grows is an error. If x is data, it is
// checked to be in the support, and can be predicted.
func (t *Trace) Observe(d Distribution, x *autograd.Node) {
	name, what := "", fmt.Sprintf("observation %d", len(t.rest))
	for _, in := range t.inputs {
		if in.node == x && in.kind == datum {
			name, what = in.name, "data "+in.name
		}
	}
	t.locate("before %s", what)
	term, ok := t.log(what, d, x)
	if name != "" {
		t.observed = append(t.observed, stage{name, d, x})
	}
	if !ok {
		return
	}
	sum := d.sum(x, term)
	if b, ok := t.batches[x]; ok {
		sum = sum.Scale(float64(b.all) / float64(b.rows))
	}
	t.rest, t.restOf = append(t.rest, sum), append(t.restOf, fmt.Sprintf("%s (%s)", what, d))
}

// Add adds a term to the log density, summed over its elements.
func (t *Trace) Add(term *autograd.Node) {
	t.rest = append(t.rest, term.Sum())
	t.restOf = append(t.restOf, fmt.Sprintf("term %d of Add", t.added))
	t.added++
}

// Record adds an expression to the results, under a new name.
func (t *Trace) Record(name string, x *autograd.Node) {
	t.locate("before the record of %s", name)
	t.record(t.name(name), x)
}

func (t *Trace) record(name string, x *autograd.Node) {
	t.recorded = append(t.recorded, Recorded{name, x.Shape()})
	t.values = append(t.values, x.ExpandOver(t.points))
}

// Horseshoe declares regression coefficients with the horseshoe prior of a global scale tau,
// βᵢ = zᵢ λᵢ τ with zᵢ normal and λᵢ half-Cauchy, and records them under the name. z and λ
// are the parameters name_z and name_local.
func (t *Trace) Horseshoe(name string, tau *autograd.Node, dims ...int) *autograd.Node {
	z := t.Sample(name+"_z", Normal(0, 1), dims...)
	beta := z.Mul(t.Sample(name+"_local", HalfCauchy(1), dims...)).Mul(tau)
	t.Record(name, beta)
	return beta
}
