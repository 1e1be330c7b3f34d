package evidence

import (
	"errors"
	"math"

	"tobac/autograd"
	"tobac/models"
	"tobac/score"

	"gonum.org/v1/gonum/floats"
)

// batch is the number of points of a variable that a program evaluates at once.
const batch = 32

// A program computes the two terms of all variables, and the gradients of the sums of those asked
// about: a variable's parameters are its own, so that points of different variables share a lane.
type program struct {
	d, params int
	run       autograd.Evaluator
	feeds     []autograd.Feed // graphs, which variables are asked about, parameters
	dst       [][]float64     // prior, data, their gradients
}

// newProgram compiles the terms.
func newProgram(lik models.Likelihood, workers int) (*program, error) {
	d, n := lik.Vars(), lik.ParamLen()
	b := autograd.NewBuilder("evidence")
	p := b.Axis("point", batch)
	g := b.Input("graph", autograd.Shape{d, d}, p)
	asked := b.Input("asked", autograd.Shape{d}, p)
	inputs := []*autograd.Node{g, asked}
	feeds := []autograd.Feed{{Data: make([]float64, batch*d*d)}, {Data: make([]float64, batch*d)}}
	var theta *autograd.Node
	if n > 0 {
		theta = b.Input("theta", autograd.Shape{n}, p)
		inputs, feeds = append(inputs, theta),
			append(feeds, autograd.Feed{Data: make([]float64, batch*n)})
	}
	prior, data := lik.Terms(g, theta)
	outputs, dst := []*autograd.Node{prior, data},
		[][]float64{make([]float64, batch*d), make([]float64, batch*d)}
	if n > 0 {
		outputs = append(outputs, b.Grad(prior.Mul(asked).Sum(), theta)[0],
			b.Grad(data.Mul(asked).Sum(), theta)[0])
		dst = append(dst, make([]float64, batch*n), make([]float64, batch*n))
	}
	for k := range outputs {
		outputs[k] = outputs[k].ExpandOver(p)
	}
	run, err := autograd.NewEvaluator(inputs, outputs, autograd.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return &program{d: d, params: n, run: run, feeds: feeds, dst: dst}, nil
}

// A point asks for the terms at some values of the parameters that count given a set of parents.
type point struct {
	given *given
	x     []float64 // of given.active

	prior, data         float64
	priorGrad, dataGrad []float64
	lane                int
}

// eval fills in points. Those of different variables share lanes. What is not finite there is
// computed once more in a lane of its own, with the base of its set, so that nothing depends on the
// others.
func (p *program) eval(points []*point) error {
	var again []*point
	for _, run := range p.runs(points) {
		if err := p.fill(run); err != nil {
			return err
		}
		var sharing [batch]int
		for _, at := range run {
			sharing[at.lane]++
		}
		for _, at := range run {
			if sharing[at.lane] > 1 && !at.finite() {
				again = append(again, at)
			}
		}
	}
	return p.evalAlone(again)
}

// runs are the points in evaluations of the program, each with its lane.
func (p *program) runs(points []*point) (runs [][]*point) {
	next := make([]int, p.d)
	for _, at := range points {
		slot := next[at.given.j]
		next[at.given.j]++
		for slot/batch >= len(runs) {
			runs = append(runs, nil)
		}
		at.lane = slot % batch
		runs[slot/batch] = append(runs[slot/batch], at)
	}
	return runs
}

// evalAlone fills in points in lanes of their own.
func (p *program) evalAlone(points []*point) error {
	for from := 0; from < len(points); from += batch {
		run := points[from:min(from+batch, len(points))]
		for k, at := range run {
			at.lane = k
		}
		if err := p.fill(run); err != nil {
			return err
		}
	}
	return nil
}

// finite reports whether all results are.
func (at *point) finite() bool {
	sum := at.prior + at.data + floats.Sum(at.priorGrad) + floats.Sum(at.dataGrad)
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// fill fills in the points of one evaluation, of which those that share a lane are about different
// variables.
func (p *program) fill(points []*point) error {
	if err := p.place(points); err != nil {
		return err
	}
	for _, at := range points {
		j := at.given.j
		at.prior, at.data = p.dst[0][at.lane*p.d+j], p.dst[1][at.lane*p.d+j]
		at.priorGrad, at.dataGrad = make([]float64, len(at.x)), make([]float64, len(at.x))
		for a, i := range at.given.active {
			at.priorGrad[a], at.dataGrad[a] = p.dst[2][at.lane*p.params+i],
				p.dst[3][at.lane*p.params+i]
		}
	}
	return nil
}

// place evaluates the program at points, each in its lane.
func (p *program) place(points []*point) error {
	graphs, asked := p.feeds[0].Data, p.feeds[1].Data
	clear(graphs)
	clear(asked)
	var taken [batch]bool
	for _, at := range points {
		asked[at.lane*p.d+at.given.j] = 1
		for _, i := range at.given.set {
			graphs[(at.lane*p.d+i)*p.d+at.given.j] = 1
		}
		if p.params == 0 {
			continue
		}
		row := p.feeds[2].Data[at.lane*p.params:][:p.params]
		if !taken[at.lane] {
			copy(row, at.given.base)
			taken[at.lane] = true
		}
	}
	for _, at := range points {
		for a, i := range at.given.active {
			p.feeds[2].Data[at.lane*p.params+i] = at.x[a]
		}
	}
	var failed *autograd.FailedError // of some points, whose results are NaN
	if err := p.run.Eval(p.dst, p.feeds); err != nil && !errors.As(err, &failed) {
		return &score.VariableError{Variable: points[0].given.j, Err: err}
	}
	return nil
}

// value is a log density, −∞ where it is not a number.
func value(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}
