package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"tobac"
	"tobac/autograd"
	"tobac/internal/file"
	"tobac/models"
)

// fitOptions are the flags of tobac fit.
type fitOptions struct {
	preset                             preset
	model                              modelName
	hidden                             []int
	activation                         models.Activation
	prior                              string // a name or a file
	method                             tobac.Method
	estimator                          models.Estimator
	grad                               models.Gradient
	precision                          autograd.Precision
	particles, steps, samples, workers int
	seed                               uint64
	noiseVariance, edgesPerNode        float64
	penaltyRate                        float64
	bias                               bool
	order, interventions               string
	orders                             int // resamples; 0: one order
	orderWeights                       tobac.OrderWeights
	standardize                        bool
	holdout                            float64
	heldout, truth, out                string
	checkpoint, resume                 string // files
	checkpointEvery                    int    // steps
	json                               bool

	given func(flag string) bool // on the command line
}

// preset is a named configuration to start from.
type preset int

const (
	presetDefault preset = iota
	presetPaper
)

// String implements fmt.Stringer.
func (p preset) String() string {
	if p == presetPaper {
		return "paper"
	}
	return "default"
}

func (p preset) config() tobac.Config {
	if p == presetPaper {
		return tobac.Paper()
	}
	return tobac.Config{}
}

// What --truth and --heldout mean, wherever they are accepted.
const (
	truthUsage   = "the true graph to compare with: an edge list with the header source,target"
	heldoutUsage = "held-out rows for the predictive density, columns matched by name"
)

const fitLong = `Fit finds a causal order of the columns, samples directed acyclic graphs with
their edge weights, and prints the strongest edges, a consensus graph and, given
a true graph, how well they agree with it. Without a file it uses the embedded
flow cytometry data of Sachs et al. (853 rows of 11 proteins, standardised) and
their consensus network of 17 edges.

Data: a text table, with or without a header of names (commas, semicolons or
tabs), a NumPy array (.npy), or - for a text table on standard input.

Models: linear has one weight per edge. ffn makes every variable a network of its
parents, with --hidden units and --activation. bge is a score with all parameters
integrated out. Only linear has weights; otherwise their columns are empty.

Methods: tobac draws graphs that follow a causal order. dibs, its predecessor,
needs none; a growing penalty drives cycles out, and particles that still have one
are counted and left out of edges, consensus graph and metrics.

Priors: er has --edges-per-node; sf favours few variables with many parents;
uniform prefers no graph; FILE is a table of edge probabilities with the names of
the columns as its header, whose rows follow its header: entry (i, j) is the
probability of i -> j, and 0 and 1 hold for certain. Write ./er for a file that is
named like a prior.

Interventions: FILE is a table of 0 and 1 with the rows and columns of the data,
columns matched by name. A value set by intervention says nothing about its own
variable's equation. Orders are found from rows without an intervention.

Order: a method (eqvar, eqvar-bu, npvar, npvar-released, score or variance; tobac
order --help explains them); a,b,c lists all columns, causes before effects; FILE
holds such a list, separated by commas or line ends. Write ./eqvar for a file
that is named like a method.

Several orders: --orders N finds an order in each of N resamples of the rows, drawn
with replacement, samples under every distinct one with all particles and steps,
and mixes the posteriors, which takes as many times as long as there are distinct
orders. Where the data cannot tell a direction, both edges then have a probability.
--order-weights frequency weighs an order by its share of the resamples, evidence
by its marginal likelihood, the exact sum over all graphs that follow it: at most
20 variables with --model linear, 12 with bge. Edges of the consensus graph are
taken in order of probability; one that would close a cycle is left out.

Presets: paper is the published recipe to the letter: the joint estimator, noise
variance 0.1, initial weights from the prior, two edges per node. default takes
the node-wise estimator (same cost, less variance) and fewer edges per node where
there are few variables. For the linear model with an order it also estimates the
noise variance from the data, starts the weights of each variable at its
regression on the earlier ones (else particles lose true edges whose weight starts
with the wrong sign), and with the prior er averages the probability of each edge
given the rest of a particle's graph where paper counts the particles that have
it. Other options override the preset.

Standardising and holding out: --standardize scales each column of all rows to
mean 0 and variance 1 before rows are held out, as published. It makes all
variances equal, so that the order rests on little. --holdout picks rows at
random by the seed. Rows of --heldout are scaled like the data.

Files in DIR, all or none: edges.csv (source,target,probability,weight_mean,
weight_sd), graph.csv (source,target,weight) and graph.dot of the consensus
graph, particles.json (graphs and parameters), summary.json (settings, order,
metrics, times). Without --out nothing is written.

Checkpoints: --checkpoint FILE keeps the state of the run in FILE, from step to
step, at the end, and when it is interrupted, which then waits for the end of the
step. --resume FILE continues from there with the same bits as a run that was not
interrupted; data and options must be the same, except --workers, those of the
output and, with one order, --steps. Both may name the same file.

The same data, settings and seed give the same particles for any --workers.`

func newFit() *cobra.Command {
	o := fitOptions{order: "eqvar", prior: priorER, hidden: []int{5}, seed: 1, checkpointEvery: 100, workers: runtime.GOMAXPROCS(0)}
	// The defaults for many variables; with few, edges per node are fewer.
	const many = 20
	c, err := presetDefault.config().WithDefaults(many)
	if err != nil {
		panic("tobac: default preset: " + err.Error())
	}
	o.estimator, o.particles, o.steps, o.samples = c.Estimator, c.Particles, c.Steps, c.Samples
	o.noiseVariance, o.edgesPerNode = c.NoiseVariance, c.EdgesPerNode
	o.penaltyRate, o.bias = 1, true

	cmd := &cobra.Command{
		Use:   "fit [DATA.csv]",
		Short: "Sample the posterior over causal graphs",
		Long:  fitLong,
		Example: `  tobac fit
  tobac fit data.csv --out run
  tobac fit --preset paper --holdout 0.1 --seed 3 --json`,
		Args: arguments(0, 1, "at most one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			data := ""
			if len(args) > 0 {
				data = args[0]
			}
			return fit(cmd.Context(), o, data, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	const unlimited = int(^uint(0) >> 1)
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(choice(&o.model, modelLinear, modelFFN, modelBGe), "model", "structural equation model")
	f.Var(sizes(&o.hidden), "hidden", "units of each hidden layer of the networks of --model ffn")
	defaultText(f, "hidden", joinNumbers(o.hidden))
	f.Var(choice(&o.activation, activations...), "activation", "activation of the hidden layers of --model ffn")
	toggle(f, &o.bias, "bias", "whether the networks of --model ffn have biases")
	f.Var(choice(&o.method, tobac.TOBAC, tobac.DiBS), "method", "what keeps graphs acyclic: an order, or a penalty of cycles")
	f.Var(positive(&o.penaltyRate), "penalty-rate", "growth of the penalty of cycles of --method dibs per step")
	f.Var(text(&o.order, "METHOD|FILE|a,b,c"), "order", "causal order of the columns")
	f.Var(wholeNumber(&o.orders, 1, unlimited), "orders", "resamples of the rows whose distinct orders are mixed")
	defaultText(f, "orders", "none: the one order of all rows")
	f.Var(choice(&o.orderWeights, tobac.FrequencyWeights, tobac.EvidenceWeights), "order-weights", "how the orders of --orders are weighed")
	f.Var(text(&o.prior, "er|sf|uniform|FILE"), "prior", "prior over graphs")
	f.Var(text(&o.interventions, "FILE"), "interventions", "which values were set by intervention: a table of 0 and 1 like the data")
	f.Var(choice(&o.preset, presetDefault, presetPaper), "preset", "settings to start from")
	f.Var(choice(&o.estimator, models.Joint, models.NodeWise), "estimator", "how sampled graphs are averaged")
	f.Var(choice(&o.grad, gradients...), "grad", "estimator of the latents' gradient")
	defaultText(f, "grad", "reparam, with --model bge score")
	f.Var(wholeNumber(&o.particles, 1, unlimited), "particles", "graphs in the posterior")
	f.Var(wholeNumber(&o.steps, 1, unlimited), "steps", "steps of the sampler")
	f.Var(wholeNumber(&o.samples, 1, unlimited), "samples", "Monte Carlo graphs per particle and step")
	f.Var(choice(&o.precision, autograd.Float64, autograd.Float32), "precision", "the numbers that differ between the Monte Carlo graphs of a particle")
	f.Var(seed(&o.seed), "seed", "seed of the random numbers")
	f.Var(positive(&o.noiseVariance), "noise-variance", "variance of every variable's noise, in squared units of the data")
	defaultText(f, "noise-variance", "estimated from the data; 0.1 with --preset paper, --model ffn or --method dibs")
	f.Var(positive(&o.edgesPerNode), "edges-per-node", "expected edges of the prior divided by the number d of variables; must be below (d-1)/2")
	defaultText(f, "edges-per-node", fmt.Sprintf("%v, or (d-1)/4 if that is less", o.edgesPerNode))
	toggle(f, &o.standardize, "standardize", "scale the columns to mean 0 and variance 1")
	defaultText(f, "standardize", "true for the embedded data, false for yours")
	f.Var(fraction(&o.holdout), "holdout", "share of the rows to hold out at random for the predictive density")
	f.Var(text(&o.heldout, "FILE"), "heldout", heldoutUsage)
	f.Var(text(&o.truth, "GRAPH.csv"), "truth", truthUsage)
	f.Var(wholeNumber(&o.workers, 1, unlimited), "workers", "goroutines; they change nothing but the time")
	defaultText(f, "workers", "number of CPUs")
	f.Var(text(&o.out, "DIR"), "out", "folder for the results, created if need be")
	f.Var(text(&o.checkpoint, "FILE"), "checkpoint", "keep the state of the run in a file")
	f.Var(wholeNumber(&o.checkpointEvery, 1, unlimited), "checkpoint-every", "steps between two checkpoints")
	f.Var(text(&o.resume, "FILE"), "resume", "continue from a checkpoint")
	toggle(f, &o.json, "json", "print summary.json instead of tables")
	return cmd
}

// fit runs the command: it checks everything that can be checked, samples, and
// only then writes files and the report.
func fit(ctx context.Context, o fitOptions, data string, stdin io.Reader, stdout, stderr io.Writer) error {
	start := time.Now()
	j, err := prepare(o, data, stdin)
	if err != nil {
		return err
	}
	var out *file.Set
	if o.out != "" {
		if out, err = file.OpenSet(o.out, fitFiles...); err != nil {
			return err
		}
		defer out.Discard()
	}
	if o.checkpoint != "" { // after the folder, which may hold it
		if err := file.Check(o.checkpoint); err != nil {
			return err
		}
	}
	r, err := j.sample(ctx, stderr)
	if err != nil {
		return err
	}
	if r.particles, err = newParticleSet(r.posterior, j.config.Model, j.scaling); err != nil {
		return err
	}
	r.summary = summary{Config: j.config, Order: permuted(r.posterior.Names, r.posterior.Order), Seconds: r.posterior.Seconds}
	r.summary.Orders = newOrdersSummary(r.posterior, r.spread, j)
	if r.summary.evaluation, err = evaluate(r.particles, j.truth, j.heldout, j.heldoutInterventions); err != nil {
		return err
	}
	r.summary.Seconds.Total = time.Since(start).Seconds()
	if out != nil {
		if err := r.save(out); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if o.json {
		err = writeJSON(&text, r.summary)
	} else {
		err = r.print(&text, o.out)
	}
	if err != nil {
		return err
	}
	if _, err := stdout.Write(text.Bytes()); err != nil {
		return file.WithPath("standard output", err)
	}
	return nil
}
