package sem

import (
	"fmt"
	"math"
	"slices"

	"tobac/dag"
	"tobac/dataset"
	"tobac/effects"
	"tobac/models"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// networks are the draws of a posterior over networks.
type networks struct {
	p         *posterior.Posterior
	component []int // of every draw
	position  [][]int
	model     networkModel
	lik       meanNetwork
}

func newNetworks(p *posterior.Posterior, m networkModel) (*networks, error) {
	d := len(p.Names)
	// The layout of the parameters depends on the number of variables alone.
	lik, err := m.Predictive(&dataset.Table{Names: p.Names, X: mat.NewDense(1, d, nil)})
	if err != nil {
		return nil, err
	}
	n := &networks{p: p, model: m, lik: lik.(meanNetwork)}
	components := p.Components
	if len(components) == 0 {
		components = []posterior.Component{{Draws: len(p.Draws)}}
	}
	for k, c := range components {
		at := dag.Identity(d)
		for a, j := range c.Order {
			at[j] = a
		}
		n.position = append(n.position, at)
		n.component = append(n.component, slices.Repeat([]int{k}, c.Draws)...)
	}
	return n, nil
}

// draw are the equations of draw number k.
func (n *networks) draw(k int) (effects.Equations, error) {
	theta := n.p.Draws[k].Parameters
	if len(theta) != n.lik.ParamLen() {
		return nil, fmt.Errorf("sem: draw %d has %d parameters, want %d", k, len(theta),
			n.lik.ParamLen())
	}
	c := n.component[k]
	e := &network{lik: n.lik, theta: theta, position: n.position[c], noise: n.model.Noise()}
	if e.noise == 0 { // inferred
		e.logs = theta[len(theta)-len(n.p.Names):]
	}
	return e, nil
}

// A meanNetwork writes the means of an equation to dst, one for each row of the parents' columns.
type meanNetwork interface {
	models.Likelihood
	Mean(dst, theta []float64, j int, parents []int, columns [][]float64)
}

// network has the equations of one draw.
type network struct {
	lik      meanNetwork
	theta    []float64
	position []int     // of the variables in the order of the parameters
	noise    float64   // variance of all equations; 0 means logs
	logs     []float64 // logarithms of the variances, in the order of the parameters
}

var _ effects.Equations = (*network)(nil)

// Mean implements [effects.Equations].
func (e *network) Mean(dst []float64, j int, parents []int, columns [][]float64) {
	at := make([]int, len(parents))
	for k, i := range parents {
		at[k] = e.position[i]
	}
	e.lik.Mean(dst, e.theta, e.position[j], at, columns)
}

// NoiseVariance implements [effects.Equations].
func (e *network) NoiseVariance(j int) float64 {
	if e.logs != nil {
		return math.Exp(e.logs[e.position[j]])
	}
	return e.noise
}
