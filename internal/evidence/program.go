package evidence

import (
	"errors"
	"math"

	"tobac/autograd"
	"tobac/models"
	"tobac/score"
)

// batch is the number of points that a program evaluates at once.
const batch = 32

// A program computes the two terms of a variable and their gradients.
type program struct {
	d, params int
	run       autograd.Evaluator
	feeds     []autograd.Feed // graphs, parameters
	dst       [][]float64     // prior, data, their gradients
}

// newProgram compiles the terms of variable j.
func newProgram(lik models.Likelihood, j, workers int) (*program, error) {
	d, n := lik.Vars(), lik.ParamLen()
	b := autograd.NewBuilder("evidence")
	p := b.Axis("point", batch)
	g := b.Input("graph", autograd.Shape{d, d}, p)
	inputs, feeds := []*autograd.Node{g}, []autograd.Feed{{Data: make([]float64, batch*d*d)}}
	var theta *autograd.Node
	if n > 0 {
		theta = b.Input("theta", autograd.Shape{n}, p)
		inputs, feeds = append(inputs, theta),
			append(feeds, autograd.Feed{Data: make([]float64, batch*n)})
	}
	prior, data := lik.Terms(g, theta)
	prior, data = prior.Index(0, j), data.Index(0, j)
	outputs, dst := []*autograd.Node{prior, data},
		[][]float64{make([]float64, batch), make([]float64, batch)}
	if n > 0 {
		outputs = append(outputs, b.Grad(prior, theta)[0], b.Grad(data, theta)[0])
		dst = append(dst, make([]float64, batch*n), make([]float64, batch*n))
	}
	for k := range outputs {
		outputs[k] = outputs[k].ExpandOver(p)
	}
	run, err := autograd.NewEvaluator(inputs, outputs, autograd.Options{Workers: workers})
	if err != nil {
		return nil, &score.VariableError{Variable: j, Err: err}
	}
	return &program{d: d, params: n, run: run, feeds: feeds, dst: dst}, nil
}

// A point asks for the terms at some values of the parameters that count given a set of parents.
type point struct {
	given *given
	x     []float64 // of given.active

	prior, data         float64
	priorGrad, dataGrad []float64
}

// eval fills in up to batch points.
func (p *program) eval(j int, points []*point) error {
	graphs := p.feeds[0].Data
	clear(graphs)
	for k, at := range points {
		for _, i := range at.given.set {
			graphs[(k*p.d+i)*p.d+j] = 1
		}
		if p.params > 0 {
			row := p.feeds[1].Data[k*p.params:][:p.params]
			copy(row, at.given.base)
			for a, i := range at.given.active {
				row[i] = at.x[a]
			}
		}
	}
	var failed *autograd.FailedError // of some points, whose results are NaN
	if err := p.run.Eval(p.dst, p.feeds); err != nil && !errors.As(err, &failed) {
		return &score.VariableError{Variable: j, Err: err}
	}
	for k, at := range points {
		at.prior, at.data = p.dst[0][k], p.dst[1][k]
		at.priorGrad, at.dataGrad = make([]float64, len(at.x)), make([]float64, len(at.x))
		for a, i := range at.given.active {
			at.priorGrad[a], at.dataGrad[a] = p.dst[2][k*p.params+i], p.dst[3][k*p.params+i]
		}
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
