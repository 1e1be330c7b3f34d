package tobac

import (
	"math"
	"runtime"
	"time"

	"tobac/exact"
	"tobac/mcmc"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// A Forecast is about what a stage takes, said before it begins.
type Forecast struct {
	Seconds float64 // on the clock, as busy as the machine is now
	Bytes   int64   // of memory, of the whole run
}

// Seconds of processor time of the forecasts' reference, a core on which [calibration]
// takes referenceSeconds. They were fitted to runs of 12 to 200 variables: see docs/speed.md.
const (
	referenceSeconds = 1.6e-2

	perSubset     = 1.5e-7  // exact: for each variable and set of others, both linear models
	perTableEntry = 1.4e-7  // mcmc: for each set of candidates and variable from outside
	perPair       = 8.7e-4  // mcmc: for each pair of variables, the search for candidates
	perIteration  = 1e-4    // mcmc: for each chain
	perVariable   = 1.9e-5  // mcmc: for each chain and variable
	perMoment     = 4e-9    // for each row and pair of columns, of all models
	perGaussian   = 1.6e-10 // gp: for each set of parents and cube of the rows

	programBytes = 40 << 20 // of a process without data
)

// forecastExact is that of the engine exact for n rows of d variables, with a
// number of models to compare and the time of Gaussian processes among them.
func (c *Config) forecastExact(n, d, models int, gaussian, calibrated float64) Forecast {
	cost := 0.1 + perMoment*float64(n)*float64(d*d)
	if c.Order.Known == nil {
		cost += perSubset * float64(d) * math.Exp2(float64(d)) * float64(models) / 2
	} else {
		cost += perSubset * math.Exp2(float64(d)) * float64(models) / 2
	}
	cost += gaussian
	bytes := exactBytes(d, c.Order.Known != nil)
	if d <= kept || c.Order.Known != nil {
		bytes *= int64(min(models, 2)) // the best so far and the next
	} else if models > 1 {
		cost *= 1.5 // half of the time the best is computed again
	}
	return Forecast{Seconds: cost * calibrated / float64(min(c.Workers, runtime.GOMAXPROCS(0))), Bytes: bytes + rowBytes(n, d)}
}

// forecastChains is that of the engine mcmc: short chains under each model, the search for
// candidates, and the chains. Models are compared under 1.5 pilots each on average.
func (c *Config) forecastChains(n, d int, models int, calibrated float64) Forecast {
	k, chains, rungs := c.Chains.Candidates, max(c.Chains.Chains, 1), c.Chains.Rungs
	fill(&k, mcmc.DefaultCandidates(d))
	fill(&rungs, 4)
	k = min(k, d-1)
	outside := float64(min(d-1-k, 8))
	search := perTableEntry*float64(d)*math.Exp2(float64(k))*(1+outside) + perPair*float64(d*d)
	iteration := float64(chains) * (perIteration + perVariable*float64(d)) * float64(rungs) / 4
	const rounds = 1.5
	cost := search + float64(c.Chains.WarmUp+c.Chains.Iterations)*iteration + perMoment*float64(n)*float64(d*d)
	cost += rounds * float64(min(models, 2)) * (search + pilot*iteration)
	return Forecast{Seconds: cost * calibrated / float64(min(c.Workers, chains, runtime.GOMAXPROCS(0))), Bytes: 2*mcmc.Bytes(d, k) + rowBytes(n, d)}
}

// work is about the operations of all scores of Gaussian processes: a cube of the rows
// for each set of parents, or their number times the square of the rank.
func (m GaussianProcess) work(n, d int) float64 {
	opt := m.options(n, d, 0, 1)
	most := opt.MaxParents
	if most == 0 {
		most = d - 1
	}
	sets, choose := 0.0, 1.0 // of k parents among d−1
	for k := 0; k <= most; k++ {
		sets += choose
		choose *= float64(d-1-k) / float64(k+1)
	}
	each := math.Pow(float64(n), 3)
	if opt.Rank > 0 {
		each = float64(n) * float64(opt.Rank*opt.Rank)
	}
	return float64(d) * sets * each
}

// rowBytes is about the memory of the process with its data: as read, as columns, and
// what waits for the garbage collector.
func rowBytes(n, d int) int64 { return programBytes + 4*8*int64(n)*int64(d) }

// calibration is how many times the reference the time of this machine is, as
// busy as it is: it measures some milliseconds of node scores.
func calibration() float64 {
	const rows, columns, rounds = 32, 8, 50000
	x := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			x.Set(i, j, math.Sin(float64((1+i*columns+j)*(1+j)))) // anything that is not dependent
		}
	}
	l, err := score.NewLinear(x, nil, score.LinearOptions{NoiseVariance: 1})
	if err != nil {
		return 1
	}
	parents := []int{1, 2, 4, 5, 7}
	start := time.Now()
	for range rounds {
		l.LogScore(0, parents)
		l.LogScore(3, parents)
	}
	return time.Since(start).Seconds() / referenceSeconds
}

// foresee reports what the stage in closed form is about to take.
func (r *Run) foresee(stage Engine) {
	if r.cfg.Progress == nil {
		return
	}
	n, d := r.data.X.Dims()
	models, gaussian := 0, 0.0
	all := r.scoredModels()
	for _, m := range all {
		if unsuited(m, all, r.data) != "" {
			continue
		}
		models++
		if g, ok := m.(GaussianProcess); ok {
			gaussian += perGaussian * g.work(n, d)
		}
	}
	var f Forecast
	switch {
	case stage == MCMC:
		f = r.cfg.forecastChains(n, d, models, calibration())
	case d <= exact.MaxVariables:
		f = r.cfg.forecastExact(n, d, models, gaussian, calibration())
	}
	r.report(Progress{Stage: stage, Bytes: f.Bytes, Forecast: &f, Doing: "beginning"})
}
