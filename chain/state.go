package chain

// State is where the chains are.
type State struct{ Chains []Chain }

// Chain is where a chain is, and how its last iteration went.
type Chain struct {
	Iteration  int // done
	X, Grad    []float64
	LogDensity float64
	Step       float64
	Metric     []float64 // variances, or the rows of a matrix of covariances

	Averaging Averaging
	Window    Window
	Since     int       // iteration that windows count from: above 0 after a jump in the warm-up
	Densities []float64 // logarithms, of the iterations of the warm-up since then

	Leaps     int     // evaluations of the density, such as leapfrog steps
	Depth     int     // doublings of a no-U-turn trajectory
	Accepted  float64 // mean probability of acceptance
	Energy    float64 // of the draw, where the kernel has momenta
	Divergent bool    // the energy grew by more than 1000
}

// Averaging is the state of dual averaging of a step size.
type Averaging struct {
	Count             int
	Gap, Mean, Center float64 // of logarithms
}

// Window holds the draws from which the next metric is made, and the gradients there.
type Window struct{ X, Grad [][]float64 }

func newChain(x []float64) Chain {
	c := Chain{X: append([]float64(nil), x...), Metric: make([]float64, len(x))}
	for i := range c.Metric {
		c.Metric[i] = 1
	}
	return c
}
