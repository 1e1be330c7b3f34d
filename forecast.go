package tobac

import (
	"math"
	"runtime"
	"time"

	"tobac/models"
	"tobac/score"

	"gonum.org/v1/gonum/mat"
)

// A Forecast is about what a run takes from the stage that begins to its end, said before it begins.
type Forecast struct {
	Seconds float64 // on the clock, as busy as the machine is now
	Bytes   int64   // of memory, at the peak of the whole run
	// Scale is how many times longer than on the reference the machine takes now: for what is computed after the run.
	Scale float64
}

// Seconds of processor time of the forecasts' reference, a core on which [calibration]
// takes referenceSeconds. They were fitted to runs of 5 to 200 variables: see docs/speed.md.
const (
	referenceSeconds = 1.6e-2

	perSubset      = 1.5e-7  // exact: for each variable and set of others, both linear models
	perTableEntry  = 1.4e-7  // mcmc: for each set of candidates and variable from outside
	perPair        = 8.7e-4  // mcmc: for each pair of variables, the search for candidates
	perIteration   = 1e-4    // mcmc: for each chain
	perVariable    = 1.9e-5  // mcmc: for each chain and variable
	perMoment      = 4e-9    // for each row and pair of columns, of all models
	perGaussian    = 1.6e-10 // gp: for each set of parents and cube of the rows
	perEquation    = 1e-5    // of a draw, for each variable
	perEffect      = 6e-5    // for each pair of variables, in sorting the draws
	perProgram     = 1.1e-5  // svgd: compiling, for the cube of the variables
	perSample      = 2.6e-9  // svgd: for each step, particle, sampled graph and pair of variables
	perKernel      = 1e-9    // svgd: for each step, pair of particles and number of a particle
	perBCDSample   = 1.1e-6  // bcd: for each step, sample and pair of variables
	perBCDProgram  = 1e-3    // bcd: compiling and drawing, for each pair of variables
	perFlowProduct = 1.5e-10 // gflownet: for each product of a number with a weight of the policy's network
	perFlowStep    = 5e-3    // gflownet: for each step, beside the products
	perFlowGraph   = 2e-6    // gflownet: for each graph of the exact flows
	perNetworkMove = 2.3e-8  // tempering: for each iteration, temperature, row and pair of variables, of five units
	perNetworkSets = 7e-4    // tempering over all orders: for each row and pair of variables, of five units

	searchedScores = 10  // gp by mcmc: for each pair of variables, the sets of parents that are scored
	scoreBytes     = 120 // gp: for each score that is kept

	programBytes = 40 << 20 // of a process without data
	worthSaying  = 1        // reference seconds below which the machine is not measured
)

// seconds is the processor time of a run on the reference, and by how many goroutines its longest part is shared.
func (p *problem) seconds() (total, shared float64) {
	d, cores := float64(p.d), float64(min(p.cfg.Workers, runtime.GOMAXPROCS(0)))
	shared = cores
	switch {
	case p.models == 0:
	case p.chained():
		total = p.chainSeconds()
		shared = min(shared, float64(p.cfg.Chains.Chains))
	default:
		total = p.exactSeconds()
	}
	if p.cfg.Trained() {
		total += p.trainingSeconds()
		shared = cores
	}
	if p.cfg.Engine == Tempering {
		total += p.temperedSeconds()
	}
	if p.models > 0 && !p.cheap {
		total += posteriorDraws*perEquation*d + perEffect*d*d
	}
	if p.cfg.Engine == SVGD {
		total += p.particleSeconds()
	}
	return total, shared
}

// exactSeconds are those of the engine exact.
func (p *problem) exactSeconds() float64 {
	d, models := float64(p.d), float64(p.models)
	cost := 0.1 + perMoment*float64(p.n)*d*d
	if p.cfg.Order.Known == nil {
		cost += perSubset * d * math.Exp2(d) * models / 2
	} else {
		cost += perSubset * math.Exp2(d) * models / 2
	}
	cost += p.gaussian
	if p.d > kept && p.cfg.Order.Known == nil && p.models > 1 {
		cost *= 1.5 // half of the time the best is computed again
	}
	return cost
}

// chainSeconds are those of the engine mcmc: short chains under each model, the search for
// candidates, and the chains. Models are compared under 1.5 pilots each on average.
func (p *problem) chainSeconds() float64 {
	d, c := float64(p.d), &p.cfg.Chains
	search, iteration := p.searchSeconds(p.candidates()), p.iterationSeconds()
	const rounds = 1.5
	cost := p.searched + perMoment*float64(p.n)*d*d
	if !p.cfg.Trained() { // for which only the short chains run
		cost += search + float64(c.WarmUp+c.Iterations)*iteration
	}
	return cost + rounds*float64(min(p.models, 2))*(search+pilot*iteration)
}

// searchSeconds are those of the search for candidates and of their tables, with k candidates of each variable.
func (p *problem) searchSeconds(k int) float64 {
	d, outside := float64(p.d), float64(max(0, min(p.d-1-k, 8)))
	return perTableEntry*d*math.Exp2(float64(k))*(1+outside) + perPair*d*d
}

// iterationSeconds are those of an iteration of all chains.
func (p *problem) iterationSeconds() float64 {
	return float64(p.cfg.Chains.Chains) * (perIteration + perVariable*float64(p.d)) * float64(p.rungs()) / 4
}

// temperedSeconds are those of the engine tempering.
func (p *problem) temperedSeconds() float64 {
	m, ok := p.cfg.Model.(FeedForward)
	if !ok {
		return 0
	}
	each := float64(p.n) * float64(p.d) * float64(p.d) * m.units() / 5
	switch {
	case p.cfg.overOrders() && p.d > exactVariables:
		const tables = 12 // of closed scores, whose chains cost as much as all of those that run until the table has settled
		one := *p
		one.models = 1 // that of the settled table
		return perNetworkSets*each + tables*(p.searchSeconds(tableCandidates)+tableIterations*p.iterationSeconds()) + one.chainSeconds()
	case p.cfg.overOrders():
		const sums = 12 // over all orders
		return perNetworkSets*each + sums*perSubset*float64(p.d)*math.Exp2(float64(p.d))
	}
	return perNetworkMove * each * float64(p.cfg.Chains.Iterations*p.cfg.Chains.Rungs) * math.Max(1, float64(p.cfg.Order.Count))
}

// particleSeconds are those of SVGD: under each order the compilation and the steps.
func (p *problem) particleSeconds() float64 {
	s, d, m := &p.cfg.Sampler, float64(p.d), float64(p.cfg.Sampler.Particles)
	pairs, numbers := d*d, d*float64(s.Rank)+d*d
	compile := perProgram * d * d * d
	step := perSample * pairs
	if s.Method == DiBS {
		step *= 2
	}
	if v, ok := p.sampled().(Costly); ok {
		step += v.StepSeconds(p.n, p.d)
		compile += v.CompileSeconds(p.n, p.d)
	}
	if v, ok := p.sampled().(Parametric); ok {
		numbers += v.Parameters(p.d)
	}
	if s.Gradient == models.Flips {
		step = p.flipSeconds()
	}
	return p.orders() * (compile + float64(s.Steps)*(step*m*float64(s.Samples)+perKernel*m*m*numbers) + p.reweightingSeconds())
}

// flipSeconds is about the processor time of the flips of a particle and sampled graph: measured with 20 columns, on node scores, and for networks of 5 units with
// 100 rows, as the mean of the beginning, where all samples differ, and the end.
func (p *problem) flipSeconds() float64 {
	const perScore, perActivation = 6e-8, 2.5e-9
	pairs := float64(p.d*(p.d-1)) / 2
	if m, ok := p.sampled().(FeedForward); ok && p.cfg.Sampler.Parameters == SampledParameters {
		return pairs * perActivation * float64(p.n) * m.units()
	}
	return pairs * perScore
}

// reweightingSeconds is about the processor time of sequential Monte Carlo for reweighted marginals: thirty sets of each variable.
func (p *problem) reweightingSeconds() float64 {
	const sets, perActivation = 30, 1.2e-4 // measured with 10 columns, 100 rows and 5 units: 0.06 seconds for a set
	m, ok := p.sampled().(FeedForward)
	if !ok || p.cfg.Sampler.Marginals != ReweightedMarginals {
		return 0
	}
	return sets * perActivation * float64(p.d) * float64(p.n) * m.units()
}

// sampled is the model that SVGD is most likely to sample.
func (p *problem) sampled() Model {
	m := p.cfg.Model
	if m == nil {
		return Linear{Unequal: true}
	}
	if v, ok := m.(SampledModel); ok {
		m, _ = v.Sampled(false)
	}
	return m
}

// Costly is implemented by models whose programs take SVGD longer, or more memory, than a linear one does.
type Costly interface {
	// StepSeconds is about the processor time of a step for each particle and sampled graph, beside that of the graph.
	StepSeconds(n, d int) float64
	// CompileSeconds is that of building and compiling the program.
	CompileSeconds(n, d int) float64
	// SampleBytes is about the memory of each worker for each sampled graph, beside that of the graph.
	SampleBytes(n, d int) float64
}

// forecast is what a run takes in all.
func (p *problem) forecast() Forecast {
	f := Forecast{Bytes: int64(min(total(p.demands()), 1<<62)), Scale: 1}
	seconds, shared := p.seconds()
	if seconds >= worthSaying {
		f.Scale = calibration()
	}
	f.Seconds = seconds * f.Scale / shared
	return f
}

// rowBytes is about the memory of the process with its data: as read, as columns, and
// what waits for the garbage collector.
func rowBytes(n, d int) int64 { return programBytes + 3*8*int64(n)*int64(d) }

// calibration is how many times the reference the time of this machine is, as
// busy as it is: it measures some milliseconds of node scores.
func calibration() float64 {
	const rows, columns, rounds, repeats = 32, 8, 50000, 5 // long enough to notice what else runs
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
	for range rounds * repeats {
		l.LogScore(0, parents)
		l.LogScore(3, parents)
	}
	return time.Since(start).Seconds() / repeats / referenceSeconds
}

// foresee reports what the whole run is about to take.
func (r *Run) foresee() {
	if r.cfg.Progress == nil {
		return
	}
	p := r.expected
	stage := r.cfg.Engine
	if r.cfg.Engine == SVGD && p.models > 0 {
		stage = Exact // finds the orders
		if p.chained() {
			stage = MCMC
		}
	}
	f := p.forecast()
	r.report(Progress{Stage: stage, Bytes: f.Bytes, Forecast: &f, Doing: "beginning"})
}
