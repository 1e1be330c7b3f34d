package tobac

import (
	"fmt"

	"tobac/models"
	"tobac/schedule"
	"tobac/setting"
	"tobac/svgd"
)

// Method is a published method of sampling graphs; it says what keeps them acyclic.
type Method int

const (
	// TOBAC lets edges follow a causal order: every graph is acyclic.
	TOBAC Method = iota
	// DiBS knows no order. A penalty that grows from step to step drives cycles
	// out, but graphs may be left with some: see [posterior.Posterior.Cyclic].
	DiBS
	// BCDNets trains a distribution over permutations and the weights along them, by the engine [BCD].
	BCDNets
	// DAGGFlowNet trains a policy that adds edge after edge, none of which closes a cycle, by the engine [GFlowNet].
	DAGGFlowNet
)

// String is the method's name on the command line.
func (m Method) String() string { return setting.Name(m, "tobac", "dibs", "bcd", "gflownet") }

func (m Method) embedding() models.Embedding {
	if m == DiBS {
		return models.AllPairs
	}
	return models.OrderedPairs
}

// A MarginalEstimator says how the edge marginals, probabilities and weights, are estimated from the particles.
type MarginalEstimator int

const (
	// ConditionalMarginals averages, over the particles, the probability of each
	// edge given the rest of the particle's graph and the data, in closed form
	// with the weights integrated out: Rao–Blackwell estimates. An edge that the data leave open is
	// then open, even where all particles agree. It needs node scores
	// ([sem.Scored]) and a prior that is a product over variables.
	ConditionalMarginals MarginalEstimator = iota
	// FrequencyMarginals takes the fraction of the particles that have the edge: the empirical marginals.
	FrequencyMarginals
	// ReweightedMarginals takes the sets of parents of every variable that some particle has, and those one edge away from them, and weighs them by their evidence: that of node scores
	// ([sem.Scored]), for networks with one hidden layer estimated by sequential Monte Carlo, or of any other likelihood by package evidence. Given an order the posterior is a product over variables of distributions over such sets, from which the graphs of the
	// result are drawn. It needs an order, and a prior that is a product over variables.
	ReweightedMarginals
)

// String is the name of the choice.
func (e MarginalEstimator) String() string {
	return setting.Name(e, "conditional", "frequency", "reweighted")
}

// A Sampler is how SVGD samples. The zero value is the default recipe; of a [Config] with a model of one's own, see [Config.Sampler].
type Sampler struct {
	Method     Method            // zero: TOBAC, or that of the engine
	Estimator  models.Estimator  // combines the Monte Carlo graphs; zero: node-wise
	Gradient   models.Gradient   // of the latents; zero: reparameterised
	Latents    models.Latents    // what they are; zero: factors
	PriorPlace models.PriorPlace // of the graph prior; zero: outside the expectation over graphs
	// EdgeParameters says how a flip counts the parameters of its edge; zero: by their density.
	EdgeParameters models.EdgeParameters
	// Parameters says whether those of a model with node scores are particles too. Zero: they are.
	Parameters Parameters
	// FitSteps is the number of steps for which the parameters alone follow the gradient of their likelihood under the graph with all edges
	// that are possible, before the first step. 0: none.
	FitSteps int

	Particles int // M, for each order; 0: 30
	Steps     int // T, for each order; 0: 1000. Of BCDNets and DAGGFlowNet those of the training; 0: see their settings
	Samples   int // Monte Carlo graphs S per particle and gradient; 0: 128
	Rank      int // length k of the latent vectors; 0: d−1, with DiBS d

	AlphaRate      float64 // inverse temperature α_t = AlphaRate·t; 0: 0.05, or 1 for a model without parameters
	BandwidthZ     float64 // of the kernels on the latents; 0: 5, with Coupling the median heuristic
	BandwidthTheta float64 // of the kernels on the parameters; 0: 500, with Coupling the median heuristic
	StepSize       float64 // of the default optimiser; 0: 0.005

	// Alpha is the schedule of α_t, in place of AlphaRate. Nil: linear growth with it. One that is relative to
	// a run is over Steps; so is that of Penalty.Beta.
	Alpha schedule.Schedule
	// StepSchedule is a factor of the optimiser's increments: of StepSize, with the default optimiser. Nil: 1.
	StepSchedule schedule.Schedule
	// Temper is the exponent of p(D|G,Θ) from step to step. Nil: 1.
	Temper schedule.Schedule
	// Coupling says which coordinates share a kernel. Zero: all, under the sum of one squared
	// exponential kernel on the latents and one on the parameters.
	Coupling Coupling
	// Kernel mixes the scores of the particles, in place of Coupling. Nil: that of Coupling.
	Kernel svgd.Kernel
	// Optimizer moves the particles. Nil: RMSProp.
	Optimizer svgd.Optimizer

	// Marginals is the estimator of the edge marginals. Zero: conditional where it exists, else by
	// frequency.
	Marginals MarginalEstimator
	// Penalty is the acyclicity penalty, for DiBS only. Zero: rate 1, 32 samples.
	Penalty models.Penalty
}

// The largest values of settings that count keep sums and products of what is counted within 64 bits.
const (
	mostSteps     = 1_000_000_000 // of SVGD, and iterations of a chain
	mostParticles = 100_000
	mostGraphs    = 1_000_000 // drawn for a particle in a step
	mostRank      = 10_000
)

// Settings are those that have a text form of one line.
func (s *Sampler) Settings() []*setting.Setting {
	return []*setting.Setting{
		setting.OneOf(&s.Method, "method", "method of sampling graphs: of svgd, or one that trains an engine of its own", "tobac", TOBAC, DiBS, BCDNets, DAGGFlowNet),
		setting.OneOf(&s.Estimator, "estimator", "how sampled graphs are averaged", "nodewise", models.Joint, models.NodeWise),
		setting.OneOf(&s.Gradient, "grad", "estimator of the latents' gradient", "reparam, with --model bge score", models.Reparameterised, models.ScoreFunction, models.ScoreFunctionLOO, models.Flips),
		setting.WholeNumber(&s.Particles, mostParticles, "particles", "graphs that SVGD moves, under each order", "30"),
		setting.WholeNumber(&s.Steps, mostSteps, "steps", "steps of SVGD, under each order", "1000; 500 beside exact"),
		setting.WholeNumber(&s.Samples, mostGraphs, "samples", "Monte Carlo graphs per particle and step", "128"),
		setting.WholeNumber(&s.Rank, mostRank, "rank", "length of the latent vectors", "number of variables, less 1 for --method tobac"),
		setting.Positive(&s.AlphaRate, "alpha-rate", "growth per step of the inverse temperature of the graphs", "0.05; 1 for a model without parameters"),
		setting.Positive(&s.BandwidthZ, "bandwidth-z", "bandwidth of the kernel on the latents", "5; with --kernel that of the median heuristic"),
		setting.Positive(&s.BandwidthTheta, "bandwidth-theta", "bandwidth of the kernel on the parameters", "500; with --kernel that of the median heuristic"),
		setting.Positive(&s.StepSize, "step-size", "step size of RMSProp", "0.005"),
		setting.OneOf(&s.Marginals, "marginals", "how edge probabilities are estimated from the particles", "conditional where node scores exist, else frequency", ConditionalMarginals, FrequencyMarginals, ReweightedMarginals),
		setting.OneOf(&s.Latents, "latents", "what the latents are: factors of the scores of edges, or scores with this distribution", "factors", models.Factors, models.NormalScores, models.LogisticScores),
		setting.OneOf(&s.PriorPlace, "prior-place", "where the graph prior is: outside the expectation over graphs, or inside", "outside", models.PriorOutside, models.PriorInside),
		setting.OneOf(&s.EdgeParameters, "edge-parameters", "how flips count the parameters of an edge: by density, or with the volume of their posterior", "density", models.DensityOfEdges, models.LaplaceEdges),
		setting.OneOf(&s.Parameters, "parameters", "whether svgd samples parameters of models with node scores", "sampled", SampledParameters, IntegratedParameters),
		setting.WholeNumber(&s.FitSteps, mostSteps, "fit-steps", "steps of the parameters alone, with all possible edges, before the first step", "none"),
		setting.Scheduled(&s.Temper, "likelihood-schedule", "exponent of the likelihood from step to step", "constant:1"),
		setting.Positive(&s.Penalty.Rate, "penalty-rate", "growth per step of the acyclicity penalty of --method dibs", "1"),
		setting.WholeNumber(&s.Penalty.Samples, mostGraphs, "penalty-samples", "Monte Carlo graphs of the acyclicity penalty", "32"),
		coupled(&s.Coupling, "kernel", "kernel of svgd: a function, and what shares one among latents and parameters", "the sum of an rbf for all latents and one for all parameters"),
		setting.Scheduled(&s.Alpha, "alpha-schedule", "inverse temperature of the graphs from step to step, in place of --alpha-rate", "growth with --alpha-rate"),
		setting.Scheduled(&s.StepSchedule, "step-schedule", "factor of --step-size from step to step", "constant:1"),
		setting.Scheduled(&s.Penalty.Beta, "penalty-schedule", "factor of the acyclicity penalty of --method dibs from step to step, in place of --penalty-rate", "growth with --penalty-rate"),
	}
}

// withDefaults fills in the defaults that do not depend on the model, or finds a
// setting out of range.
func (s Sampler) withDefaults(d int) (Sampler, error) {
	if err := setting.Check(s.Settings()); err != nil {
		return s, err
	}
	if s.Alpha != nil && s.AlphaRate != 0 {
		return s, fmt.Errorf("alpha rate %v beside a schedule of alpha, want one of the two", s.AlphaRate)
	}
	if s.Method != DiBS && s.Penalty != (models.Penalty{}) {
		return s, fmt.Errorf("an acyclicity penalty is set, but the method %v has no cycles", s.Method)
	}
	if s.Penalty.Beta != nil && s.Penalty.Rate != 0 {
		return s, fmt.Errorf("penalty rate %v beside a schedule of the penalty, want one of the two", s.Penalty.Rate)
	}
	if s.Method != TOBAC && s.Marginals == ReweightedMarginals {
		return s, fmt.Errorf("reweighted marginals need a causal order, which the method %v has not; allowed: conditional, frequency", s.Method)
	}
	if s.Method == DiBS && s.Parameters == IntegratedParameters {
		return s, fmt.Errorf("parameters integrated out by node scores belong to the method tobac, got %v", s.Method)
	}
	if s.EdgeParameters == models.LaplaceEdges && s.Gradient != models.Flips {
		return s, fmt.Errorf("edge parameters %v beside the gradient %v, want the gradient flips, whose weights they change", s.EdgeParameters, s.Gradient)
	}
	if s.FitSteps > 0 && (s.Method == DiBS || s.Parameters == IntegratedParameters) {
		return s, fmt.Errorf("fit steps %d beside %s, want parameters that are sampled given an order", s.FitSteps, map[bool]string{true: "the method dibs", false: "parameters integrated"}[s.Method == DiBS])
	}
	if s.Latents != models.Factors && s.Rank != 0 {
		return s, fmt.Errorf("rank %d beside latents %v, which are no vectors", s.Rank, s.Latents)
	}
	rank := d - 1
	if s.Method == DiBS {
		rank = d
		if s.Penalty.Beta == nil {
			setting.Fill(&s.Penalty.Rate, 1)
		}
		setting.Fill(&s.Penalty.Samples, 32)
	}
	setting.Fill(&s.Particles, 30)
	setting.Fill(&s.Steps, 1000)
	setting.Fill(&s.Samples, 128)
	if s.Latents == models.Factors {
		setting.Fill(&s.Rank, rank)
	}
	if err := s.checkCoupling(); err != nil {
		return s, err
	}
	if s.Coupling == (Coupling{}) {
		setting.Fill(&s.BandwidthZ, 5)
		setting.Fill(&s.BandwidthTheta, 500)
	}
	setting.Fill(&s.StepSize, 0.005)
	s.Temper, s.Alpha, s.StepSchedule, s.Penalty.Beta = schedule.Over(s.Temper, s.Steps), schedule.Over(s.Alpha, s.Steps), schedule.Over(s.StepSchedule, s.Steps), schedule.Over(s.Penalty.Beta, s.Steps)
	return s, nil
}

// optimizer is the optimiser with its schedule.
func (s *Sampler) optimizer() svgd.Optimizer {
	o := s.Optimizer
	if o == nil {
		o = svgd.RMSProp{StepSize: s.StepSize}
	}
	if s.StepSchedule != nil {
		o = svgd.Scheduled{Optimizer: o, Factor: s.StepSchedule}
	}
	return o
}

// String is the text form of everything that decides the particles of a step.
func (s *Sampler) String() string {
	var out []any
	for _, setting := range s.Settings() {
		if setting.Name != "steps" && setting.Name != "marginals" {
			out = append(out, setting.Name, setting.String())
		}
	}
	t := setting.Text("svgd", out...)
	for _, own := range []struct {
		name string
		s    schedule.Schedule
	}{{"temper", s.Temper}, {"alpha", s.Alpha}, {"step", s.StepSchedule}, {"beta", s.Penalty.Beta}} {
		if _, known := schedule.Text(own.s); own.s != nil && !known {
			t += fmt.Sprintf(" %s=%T%+v", own.name, own.s, own.s)
		}
	}
	if s.Kernel != nil {
		t += fmt.Sprintf(" kernel=%T%+v", s.Kernel, s.Kernel)
	}
	if s.Optimizer != nil {
		t += fmt.Sprintf(" optimizer=%T%+v", s.Optimizer, s.Optimizer)
	}
	return t
}
