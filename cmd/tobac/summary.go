package main

import (
	"encoding/json"
	"io"
	"runtime"
	"runtime/debug"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/autograd"
	"tobac/bench"
	"tobac/dag"
	"tobac/dataset"
	"tobac/models"
)

// A summary is what a fit reports: the content of summary.json.
type summary struct {
	Config runConfig      `json:"config"`
	Order  []string       `json:"order"`            // names of the columns, sources first; empty with several
	Orders *ordersSummary `json:"orders,omitempty"` // with --orders
	evaluation
	Seconds tobac.Seconds `json:"seconds"`
}

// runConfig is everything that repeats a run.
type runConfig struct {
	Data         string  `json:"data"`
	TrainingRows int     `json:"training_rows"`
	HeldoutRows  int     `json:"heldout_rows"`
	Variables    int     `json:"variables"`
	Standardize  bool    `json:"standardize"`
	Holdout      float64 `json:"holdout"` // share of the rows held out; 0: none
	Heldout      string  `json:"heldout"` // file of held-out rows; "": none
	Truth        string  `json:"truth"`   // file of the true graph; "": none

	Preset         string  `json:"preset"`
	Order          string  `json:"order"` // as on the command line
	Estimator      string  `json:"estimator"`
	Particles      int     `json:"particles"`
	Steps          int     `json:"steps"`
	Samples        int     `json:"samples"`
	Rank           int     `json:"rank"`
	Seed           uint64  `json:"seed"`
	NoiseVariance  float64 `json:"noise_variance"` // 0: estimated for each of several orders, or integrated out
	WeightStart    string  `json:"weight_start"`   // how initial weights are drawn
	Readout        string  `json:"readout"`        // how edges are read off the particles
	EdgesPerNode   float64 `json:"edges_per_node"`
	ExpectedEdges  float64 `json:"expected_edges"` // of the prior
	AlphaRate      float64 `json:"alpha_rate"`
	BandwidthZ     float64 `json:"bandwidth_z"`
	BandwidthTheta float64 `json:"bandwidth_theta"`
	StepSize       float64 `json:"step_size"`
	Workers        int     `json:"workers"`

	// Choices other than the linear model, TOBAC, the Erdős–Rényi prior, the
	// reparameterised gradient, float64 and no interventions; those are left out.
	Model         *modelSpec `json:"model,omitempty"`
	Method        string     `json:"method,omitempty"`
	Prior         string     `json:"prior,omitempty"` // a name or a file
	Gradient      string     `json:"gradient,omitempty"`
	Precision     string     `json:"precision,omitempty"`
	Interventions string     `json:"interventions,omitempty"` // file
	PenaltyRate   float64    `json:"penalty_rate,omitempty"`  // of cycles, with DiBS
	Orders        int        `json:"orders,omitempty"`        // resamples of the rows
	OrderWeights  string     `json:"order_weights,omitempty"`

	Versions versions `json:"versions"`
}

// choose copies the options that select something else than the defaults.
func (c *runConfig) choose(o fitOptions) {
	c.Model, c.Interventions = o.spec(), o.interventions
	if o.prior != priorER {
		c.Prior = o.prior
	}
	if o.orders > 0 {
		c.Orders, c.OrderWeights = o.orders, o.orderWeights.String()
	}
	if o.method != tobac.TOBAC {
		c.Method, c.Order = o.method.String(), ""
	}
}

// set copies the settings of the sampler.
func (c *runConfig) set(cfg tobac.Config) {
	c.Estimator, c.Particles, c.Steps, c.Samples, c.Rank = cfg.Estimator.String(), cfg.Particles, cfg.Steps, cfg.Samples, cfg.Rank
	c.Seed, c.NoiseVariance, c.EdgesPerNode = cfg.Seed, cfg.NoiseVariance, cfg.EdgesPerNode
	c.ExpectedEdges = cfg.EdgesPerNode * float64(c.Variables)
	c.WeightStart, c.Readout = cfg.Start.String(), cfg.Readout.String()
	if cfg.Gradient != models.Reparameterised {
		c.Gradient = cfg.Gradient.String()
	}
	if cfg.Precision != autograd.Float64 {
		c.Precision = cfg.Precision.String()
	}
	c.AlphaRate, c.BandwidthZ, c.BandwidthTheta, c.StepSize = cfg.AlphaRate, cfg.BandwidthZ, cfg.BandwidthTheta, cfg.StepSize
	c.Workers = cfg.Workers
	c.PenaltyRate = cfg.Penalty.Rate
}

// versions say which program made a result.
type versions struct {
	Tobac    string `json:"tobac"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func currentVersions() versions {
	v := versions{Tobac: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v.Tobac = info.Main.Version
	}
	return v
}

// An evaluation holds the metrics of a posterior; package bench defines them.
type evaluation struct {
	Metrics metrics `json:"metrics"`
	Cyclic  int     `json:"cyclic"` // particles with a cycle
}

// metrics are the scores of the particles, equally weighted and weighted by
// their density, and of the graph without edges. Where the particles follow
// several orders, both are mixtures over the orders: each order has its weight,
// which its particles share as said.
type metrics struct {
	Empirical scores `json:"empirical"`
	Mixture   scores `json:"mixture"`
	Empty     scores `json:"empty"`
}

// scores of one posterior. Those that need a truth or held-out rows are null
// without.
type scores struct {
	ESHD              bench.Number `json:"eshd"`
	AUROC             bench.Number `json:"auroc"`
	AUROCWithDiagonal bench.Number `json:"auroc_with_diagonal"`
	AveragePrecision  bench.Number `json:"average_precision"`
	ExpectedEdges     bench.Number `json:"expected_edges"`
	NegLL             bench.Number `json:"neg_ll"`           // of log p(Θ|G) + log p(D|G,Θ)
	NegLLDataOnly     bench.Number `json:"neg_ll_data_only"` // of log p(D|G,Θ)
}

// evaluate judges the particles against a graph and on scaled held-out rows;
// either may be nil, and so may the interventions in those rows.
func evaluate(s *particleSet, truth *dag.Graph, heldout, interventions *dataset.Table) (evaluation, error) {
	var out evaluation
	posterior, err := s.posterior()
	if err != nil {
		return out, err
	}
	graphs := posterior.Graphs
	alike, mixture, err := s.ensembles(graphs)
	if err != nil {
		return out, err
	}
	particles, none, err := heldOut(posterior, heldout, interventions)
	if err != nil {
		return out, err
	}
	empty := bench.Empirical([]*dag.Graph{dag.New(len(s.Names))})
	for _, row := range []struct {
		posterior *bench.Ensemble
		heldOut   *bench.HeldOut
		dst       *scores
	}{
		{alike, particles, &out.Metrics.Empirical},
		{mixture, particles, &out.Metrics.Mixture},
		{empty, none, &out.Metrics.Empty},
	} {
		r, err := bench.Evaluate(row.posterior, truth, row.heldOut)
		if err != nil {
			return out, err
		}
		*row.dst = scores{r.ESHD, r.AUROC, r.AUROCWithDiagonal, r.AveragePrecision, r.ExpectedEdges, r.NegLL, r.NegLLDataOnly}
	}
	out.Cyclic = mixture.Cyclic()
	return out, nil
}

// heldOut returns the log densities of held-out rows under the particles and
// under the graph without edges; nil without rows.
func heldOut(p *tobac.Posterior, t, interventions *dataset.Table) (particles, empty *bench.HeldOut, err error) {
	if t == nil {
		return nil, nil, nil
	}
	var mask mat.Matrix
	if interventions != nil {
		mask = interventions.X
	}
	prior, data, err := p.LogDensityIntervened(t, mask)
	if err != nil {
		return nil, nil, err
	}
	all := make([]bench.LogDensity, len(prior))
	for m := range all {
		all[m] = bench.LogDensity{Prior: prior[m], Data: data[m]}
	}
	last := len(p.Graphs)
	none := all[last]
	return &bench.HeldOut{Particles: all[:last], Empty: none}, &bench.HeldOut{Particles: all[last:], Empty: none}, nil
}

// writeJSON writes a report with indentation.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
