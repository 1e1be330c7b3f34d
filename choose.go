package tobac

import (
	"fmt"
	"strings"

	"tobac/engine"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/exact"
	"tobac/models"
	"tobac/sem"
)

// temperedVariables is the largest number of variables for which tempering is the default: its time grows with the square.
const temperedVariables = 50

// choose is the engine that suits a problem, and why, for one that leaves it open: [sums.Exact] where node
// scores are in closed form and the variables few enough, [markov.MCMC] where they are more, [neural.Tempering] for
// networks with one hidden layer of at most 50 variables, and [stein.SVGD] for every other model. Networks
// with more layers then have the last one integrated out, and a custom likelihood has the recipe
// [Calibrated] with 10 particles and 100 steps.
func choose(p *engine.Problem) (e engine.Engine, why string) {
	d, prior := p.Vars(), &p.Prior
	network, isNetwork := p.Model.(sem.Network)
	_, differentiable := p.Model.(sem.Differentiable)
	most := sums.MostSummed
	if p.Order.Known != nil {
		most = exact.MaxVariables
	}
	const noScores = "the model has no node scores in closed form"
	switch {
	case isNetwork && network.Layers() > 1:
		p.Model = network.WithOutput(models.IntegratedOutput)
		return &stein.SVGD{}, noScores
	case isNetwork && network.OutputLayer() == models.SampledOutput && prior.Own == nil && d <= temperedVariables && (!p.OverOrders() || p.Order.Count == 0):
		return &neural.Tempering{}, ""
	case !isNetwork && differentiable && !p.Scored() && prior.Own == nil:
		return reweighted(p.Model), noScores
	case !p.Scored():
		return &stein.SVGD{}, noScores
	case p.Order.Method != nil:
		return &stein.SVGD{}, "a method finds the order"
	case !prior.IsModular():
		return &stein.SVGD{}, ""
	case d <= most:
		return &sums.Exact{}, fmt.Sprintf("%d variables are few enough", d)
	case p.Order.Known != nil:
		return &stein.SVGD{}, ""
	}
	return &markov.MCMC{}, fmt.Sprintf("%d variables are more than exact takes", d)
}

// Engines are the engines of this package with their defaults, in the sequence of their documentation.
func Engines() []engine.Engine {
	return []engine.Engine{&sums.Exact{}, &markov.MCMC{}, &stein.SVGD{}, &stein.DiBS{}, &bcdnets.BCDNets{}, &flownets.GFlowNet{}, &neural.Tempering{}}
}

// EngineByName is the engine with a name, with its defaults.
func EngineByName(name string) (engine.Engine, error) {
	var names []string
	for _, e := range Engines() {
		if e.Name() == name {
			return e, nil
		}
		names = append(names, e.Name())
	}
	return nil, fmt.Errorf("unknown engine %q; allowed: %s", name, strings.Join(names, ", "))
}
