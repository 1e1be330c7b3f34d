package tobac

import (
	"fmt"
	"math"

	"tobac/bcd"
	"tobac/gflownet"
)

// trainingDemand is about the memory of a training.
func (p *problem) trainingDemand() demand {
	if p.cfg.Engine == BCD {
		s := p.cfg.bcdSettings(p.d)
		return demand{fmt.Sprintf("the training of BCD Nets by %d samples", s.WithDefaults(p.n, p.d).Batch), bcd.Bytes(p.n, p.d, s)}
	}
	s := p.cfg.gflownetSettings().WithDefaults(p.d)
	return demand{fmt.Sprintf("the policy %s and %d transitions", s.Policy, s.Buffer), float64(gflownet.Bytes(p.d, s, p.cfg.Workers))}
}

// trainingSeconds are those of a training and of the draws at its end.
func (p *problem) trainingSeconds() float64 {
	d, steps := float64(p.d), float64(p.cfg.Sampler.Steps)
	if p.cfg.Engine == BCD {
		batch := float64(p.cfg.bcdSettings(p.d).WithDefaults(p.n, p.d).Batch)
		return steps*batch*d*d*perBCDSample + d*d*perBCDProgram
	}
	s := p.cfg.gflownetSettings().WithDefaults(p.d)
	if s.Policy == gflownet.Exact {
		return perFlowGraph * math.Pow(2, d*(d-1)/2+d) // about as many graphs
	}
	// A gradient step evaluates the policy in the states of the environments, and in both ends of the transitions, in one of them backwards too.
	states := float64(s.Environments) + 4*float64(s.Batch)
	const edges = 1.5 // of a graph that is drawn, for each variable
	return steps*perFlowStep + flowProducts(s, p.d)*perFlowProduct*(steps*states+posteriorDraws*edges*d)
}

// flowProducts is about the number of multiplications with which a policy is evaluated in one graph of d variables.
func flowProducts(s gflownet.Settings, d int) float64 {
	n := float64(d)
	switch w := float64(s.Width); s.Policy {
	case gflownet.Small:
		return n * n * 1.4e5
	case gflownet.Paper:
		return n * n * 5e6
	default:
		return n * (11*n*w + 12*w*w)
	}
}
