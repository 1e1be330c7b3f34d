package main

import (
	"runtime"
	"runtime/debug"

	"tobac"
	"tobac/autograd"
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
