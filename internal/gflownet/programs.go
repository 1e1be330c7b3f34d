package gflownet

import ad "tobac/autograd"

// inputs of a program, for one of the states of a batch.
type inputs struct {
	seen    *ad.Node // channels×d×d
	allowed *ad.Node // d×d, 1 or 0
	base    *ad.Node // d×d, what the logits of edges are added to
	stop    *ad.Node // what the logit to stop is added to
}

// expression is a policy's network for a batch of states.
func (s Settings) expression(d, batch int) (l *layers, in inputs, axis *ad.Axis,
	logEdges, logStop *ad.Node) {
	l = &layers{b: ad.NewBuilder("policy " + string(s.Policy))}
	axis = l.b.Axis("state", batch)
	square := ad.Shape{d, d}
	in = inputs{
		seen:    l.b.Input("seen", ad.Shape{s.Logits.channels(), d, d}, axis),
		allowed: l.b.Input("allowed", square, axis),
		base:    l.b.Input("base", square, axis),
		stop:    l.b.Input("stop", ad.Shape{}, axis),
	}
	edges, stop := s.network(l, in.seen)
	logEdges, logStop = logPolicy(edges.Add(in.base), stop.Add(in.stop), in.allowed)
	return l, in, axis, logEdges, logStop
}

func (in inputs) nodes() []*ad.Node { return []*ad.Node{in.seen, in.allowed, in.base, in.stop} }

// A batch is what the inputs of some states are, one state behind the other.
type batch struct {
	size              int
	seen              []float64
	allowed           []float64
	base              []float64
	stop              []float64
	open              []bool // whether any edge is allowed
	logEdges, logStop []float64
}

func newBatch(size, d int, logits Logits) *batch {
	return &batch{
		size: size, seen: make([]float64, size*logits.channels()*d*d),
		allowed: make([]float64, size*d*d),
		base:    make([]float64, size*d*d), stop: make([]float64, size), open: make([]bool, size),
		logEdges: make([]float64, size*d*d), logStop: make([]float64, size),
	}
}

func (b *batch) feeds(weights [][]float64) []ad.Feed {
	return append([]ad.Feed{{Data: b.seen}, {Data: b.allowed}, {Data: b.base}, {Data: b.stop}},
		feeds(weights)...)
}

func feeds(weights [][]float64) []ad.Feed {
	all := make([]ad.Feed, len(weights))
	for k, w := range weights {
		all[k].Data = w
	}
	return all
}

// A policyProgram evaluates the policy in the states of a batch.
type policyProgram struct {
	*batch
	run      ad.Evaluator
	stopOnly bool
}

func (s Settings) policyProgram(d, batch, workers int, stopOnly bool) (*policyProgram, error) {
	l, in, _, logEdges, logStop := s.expression(d, batch)
	outputs := []*ad.Node{logStop}
	if !stopOnly {
		outputs = append(outputs, logEdges)
	}
	run, err := ad.NewEvaluator(append(in.nodes(), l.nodes...), outputs,
		ad.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return &policyProgram{newBatch(batch, d, s.Logits), run, stopOnly}, nil
}

// eval fills logStop and, unless the program is of stopping only, logEdges. Where no
// edge is allowed the policy stops.
func (p *policyProgram) eval(weights [][]float64) error {
	outputs := [][]float64{p.logStop}
	if !p.stopOnly {
		outputs = append(outputs, p.logEdges)
	}
	if err := p.run.Eval(outputs, p.feeds(weights)); err != nil {
		return err
	}
	for k, open := range p.open {
		if !open {
			p.logStop[k] = 0
		}
	}
	return nil
}

// A lossProgram has the mean loss of a batch of transitions and its gradient.
type lossProgram struct {
	*batch
	action, given []float64
	loss          []float64
	gradient      [][]float64 // views of one slice
	flat          []float64
	run           ad.Evaluator
}

func (s Settings) lossProgram(d, workers int) (*lossProgram, []parameter, error) {
	l, in, axis, logEdges, logStop := s.expression(d, s.Batch)
	action, given := l.b.Input("action", ad.Shape{}, axis), l.b.Input("given", ad.Shape{}, axis)
	loss := huber(residual(logEdges, logStop, action, given)).MeanOver(axis)
	outputs := append([]*ad.Node{loss}, l.b.Grad(loss, l.nodes...)...)
	nodes := append(append(in.nodes(), action, given), l.nodes...)
	run, err := ad.NewEvaluator(nodes, outputs, ad.Options{Workers: workers})
	if err != nil {
		return nil, nil, err
	}
	p := &lossProgram{batch: newBatch(s.Batch, d, s.Logits), action: make([]float64, s.Batch),
		given: make([]float64, s.Batch), loss: make([]float64, 1), run: run}
	p.gradient, p.flat = arrays(l.parameters)
	return p, l.parameters, nil
}

// arrays are one slice for each parameter, all of them views of one.
func arrays(parameters []parameter) (each [][]float64, all []float64) {
	n := 0
	for _, p := range parameters {
		n += size(p.shape)
	}
	all = make([]float64, n)
	rest := all
	for _, p := range parameters {
		k := size(p.shape)
		each = append(each, rest[:k:k])
		rest = rest[k:]
	}
	return each, all
}

func (p *lossProgram) eval(weights [][]float64) error {
	nodes := append([]ad.Feed{{Data: p.seen}, {Data: p.allowed}, {Data: p.base}, {Data: p.stop},
		{Data: p.action}, {Data: p.given}}, feeds(weights)...)
	return p.run.Eval(append([][]float64{p.loss}, p.gradient...), nodes)
}

// masked is the logit of an edge that is not allowed.
const masked = -1e5

// logPolicy is the log policy of logits: of the edges, d×d, where the allowed ones share
// what is left by the probability σ(stop) to stop, and of stopping.
func logPolicy(edges, stop, allowed *ad.Node) (logEdges, logStop *ad.Node) {
	edges = allowed.Where(edges, edges.Builder().Scalar(masked).Expand(edges.Shape()))
	return edges.Sub(edges.LogSumExp()).Add(stop.Neg().LogSigmoid()), stop.LogSigmoid()
}

// residual is that of the modified detailed balance of a transition s → s' by an edge,
//
//	e = given − log π(edge|s) + log π(stop|s),   given = δ + log P_B(s|s') − log π_target(stop|s').
func residual(logEdges, logStop, action, given *ad.Node) *ad.Node {
	flat := logEdges.Reshape(ad.Shape{size(logEdges.Shape())})
	return given.Sub(flat.Take(action, 0)).Add(logStop)
}

// huber is ½e² for |e| ≤ 1 and |e| − ½ beyond.
func huber(e *ad.Node) *ad.Node {
	size := e.Abs()
	near := size.Sub(size.AddScalar(-1).Relu())
	return near.Square().Scale(0.5).Add(size.Sub(near))
}
