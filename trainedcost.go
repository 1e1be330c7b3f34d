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
	return demand{fmt.Sprintf("the policy %s and %d transitions", s.Policy, s.Buffer), flowBytes(s, p.d)}
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
	return flowProducts(s, p.d) * perFlowProduct * (steps*states + posteriorDraws*edges*d)
}

// A flowSize is what the cost of a policy's network depends on.
type flowSize struct {
	tokens   float64 // of a graph
	width    float64 // numbers of each
	blocks   float64 // layers one after the other
	products float64 // of a number with a weight, for a token
}

func flowSizeOf(s gflownet.Settings, d int) flowSize {
	n := float64(d)
	switch w := float64(s.Width); s.Policy {
	case gflownet.Small:
		return flowSize{n * n, 64, 3, 1.4e5}
	case gflownet.Paper:
		return flowSize{n * n, 256, 7, 5e6}
	default:
		return flowSize{n, w, 3, 11*n*w + 12*w*w}
	}
}

// flowProducts is about the number of multiplications with which a policy is evaluated in one graph of d variables.
func flowProducts(s gflownet.Settings, d int) float64 {
	size := flowSizeOf(s, d)
	return size.tokens * size.products
}

// flowBytes is about the memory of a training by DAG-GFlowNet: of its programs, its transitions, and the scores that it remembers.
func flowBytes(s gflownet.Settings, d int) float64 {
	n := float64(d)
	if s.Policy == gflownet.Exact {
		return 1000 * math.Pow(2, n*(n-1)/2+n)
	}
	const remembered = 128 << 20
	size := flowSizeOf(s, d)
	programs := 8 * size.tokens * size.width * size.blocks / 3 * 80 * (32 + float64(s.Batch))
	weights := 8 * 12 * size.blocks * size.width * (size.width + n) * 12
	scores := math.Min(remembered, n*math.Exp2(n-1)*(8*n+108))
	return programs + weights + scores + 2*float64(s.Buffer)*(n*n/8+2)
}
