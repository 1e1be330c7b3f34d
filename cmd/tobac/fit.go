package main

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tobac"
	"tobac/background"
	"tobac/dataset"
	"tobac/internal/file"
	"tobac/internal/graphfile"
	"tobac/models"
)

// fitOptions are the flags of tobac fit. Those of config have the names and the
// text forms that the settings of the library have.
type fitOptions struct {
	preset        preset
	config        tobac.Config
	model         modelName
	hidden        []int
	activation    models.Activation
	output        models.OutputLayer
	bias          bool
	noiseVariance float64 // 0: not given
	prior, order  string  // as on the command line
	knowledge     knowledge
	table         tableOptions

	interventions       string // file
	transform           dataset.Transform
	center, standardize bool
	holdout             float64
	heldout, truth, out string
	checkpoint, resume  string // files
	checkpointEvery     int    // steps
	seed                uint64
	workers             int
	compare             bool // the answer with particles of SVGD
	json                bool
	report              bool
	formats             []graphfile.Format

	configFile string
	force      bool
	quiet      bool

	given   func(flag string) bool // on the command line, in a file of options, or in a checkpoint
	command *commandLine           // to repeat the run
	resumed *checkpoint            // that --resume names; nil: none

	imputationRounds int     // in which completed values are drawn again, if given
	imputations      int     // completed tables; 0: 10
	imputedTogether  [][]int // columns that are missing together, and imputed from the same row
}

// preset is a named configuration to start from.
type preset int

const (
	presetDefault preset = iota
	presetPaper
	presetCalibrated
)

// String implements fmt.Stringer.
func (p preset) String() string {
	switch p {
	case presetPaper:
		return "paper"
	case presetCalibrated:
		return "calibrated"
	}
	return "default"
}

// What --truth and --heldout mean, wherever they are accepted.
const (
	truthUsage   = "the true graph to compare with: an edge list, a matrix, GraphML, DOT, BIF, or another format of tobac convert"
	heldoutUsage = "held-out rows for the predictive density, columns matched by name"
)

const fitLong = `Fit infers the posterior over causal graphs: the probability of every edge, a
consensus graph, and graphs with their parameters. Given a true graph, it says how
well they agree with it. Without a file it uses the embedded flow cytometry data of
Sachs et al. (853 rows of 11 proteins) and their consensus network of 17 edges.

` + tableHelp + ` Columns need no
centring or scaling: every equation has an intercept, and what is nonlinear is about
the mean of a column.

Models: linear has one noise variance for all equations, in the units of the
data, which tells directions apart. linear-unequal (or bge) has one for each, on
columns scaled to variance 1: directions that the data do not tell get the same
probability, and multiplying or shifting a column changes none. linear-nongaussian
has noise of any shape, which tells directions where it is not normal; additive has sums
of smooth functions of the causes as well. gp is nonlinear, a mixture of Gaussian
processes. auto takes the one of these with the greatest evidence, unless its noise
depends on the causes: then directions rest on conditional independences, and a warning
says so. Where all numbers are positive and the data support it, columns are replaced by
their logarithms (--transform none keeps the numbers). ffn makes every variable a
network of its parents, with --hidden units and --activation; tempering takes it, and
svgd. With --output-layer integrated svgd
moves all layers but the last, whose weights are integrated out and drawn afterwards.

Engines: exact sums over all orders of at most 20 columns by dynamic programming, and
over all graphs where they are not too many, up to 15 columns always. mcmc runs Markov
chains over graphs of any number of columns. svgd moves particles, which are graphs with
their parameters: this is TOBAC. tempering is for the networks of --model ffn with one
hidden layer. Over all orders it estimates the evidence of the sets of parents that
matter, twice, and sums as exact does, or runs the chains of mcmc on more than 20
columns. Given an order it runs two chains at many temperatures for each variable;
--iterations (2000, half of which are dropped) and --rungs (12) are then also for it.
auto takes tempering for such networks of at most 50 columns, unless an option of svgd
is given, svgd with the last layer integrated out for networks with several hidden
layers, and of the others the first that the model, the order and the number of columns
allow. With --compare-svgd, and for the embedded data, TOBAC samples too, once the results of
exact or mcmc are written and printed, under orders drawn from the posterior: what is
printed then says how far the particles are from these results. An interruption
leaves the results complete.

Methods of svgd: tobac draws graphs that follow a causal order. dibs, its
predecessor, needs none: a growing penalty drives cycles out, and particles that
still have one are counted and left out of edges, consensus graph and metrics.

Other methods train a distribution over graphs in --steps steps and draw from it. bcd
(BCD Nets) fits one over permutations, weights and noise to linear equations, with one
noise variance (--model linear, on columns shifted to mean 0) or one for each column
(linear-unequal, on columns scaled to variance 1). It takes continuous columns without
interventions, and of what is known only --edges-per-node. gflownet (DAG-GFlowNet)
learns to build graphs edge by edge under the scores of any model but ffn; with at most
5 columns its flows are computed exactly, unless --gflownet-policy names a network.
docs/methods.md compares all methods.

Order: with posterior, svgd samples under --orders orders drawn from the posterior
of the model, or with a warning of others where its evidences take too long. A
method (eqvar, eqvar-bu, npvar, score or variance; tobac order --help
explains them) finds the order from the rows without
an intervention; with --orders N it does so in each of N resamples of the rows, and
the posteriors under all distinct orders are mixed. a,b,c lists all columns, causes
before effects, and FILE holds such a list: such an order binds the engine exact
too, which then takes 24 columns. Write ./eqvar for a file that is named like a
method.

Particles: --kernel says what of svgd's particles shares a kernel: rbf:coordinate has
one for each latent number, imq:coordinate:none none for parameters. --alpha-schedule,
--step-schedule and --penalty-schedule are numbers that change from step to step, such
as geometric:0.01:100 or linear:1:0:50%. docs/svgd.md explains both.

Priors: er expects --edges-per-node edges for each column. Without that option exact
averages over 1/4, 1/2, 1 and 2, weighted by their evidence; with more than 12 columns
it takes the one nearest to the posterior, as mcmc does. svgd under an order that does
not come from the posterior takes 2. None of these numbers exceeds a quarter of the
other columns. fair gives every number of parents the same mass, sf favours few
variables with many parents, uniform prefers no graph. FILE is a table of edge
probabilities with the names of the columns as its header, whose rows follow its
header: entry (i, j) is the probability of i -> j, and 0 and 1 hold for certain. Write
./er for a file that is named like a prior. --forbid and --require name single edges.
They hold beside any prior, as --tiers, --sink, --source, --odds and --max-parents do,
with every engine and for orders that a method finds. --knowledge reads all of them
from a small file. docs/knowledge.md explains them.

Interventions: FILE is a table of 0 and 1 with the rows and columns of the data,
columns matched by name. A value set by intervention says nothing about its own
variable's equation.

Presets: paper is the published recipe to the letter: the engine svgd under EqVar's
order, the joint estimator, noise variance 0.1 and no intercept, initial weights from
the prior, two edges per node, the embedded data standardised. Networks have intercepts,
on columns as they are. With --model bge it is that of the marginal model; with --method
bcd and gflownet that of these methods' authors, which takes hours. calibrated is SVGD
whose particles land on the posterior given EqVar's order: scores of edges as latents,
gradients by flipping edges, a kernel for each, parameters integrated out where the model
allows, and sets of parents weighed by their evidence; with --model ffn too.
docs/networks.md explains its options. Other options override the preset.

Scaling and holding out: --transform log or normal-scores replaces every column
before anything else. --center shifts each column to mean 0, which matters to models
without intercepts alone, such as that of --preset paper. --standardize scales each
column of all rows to mean 0 and variance 1, before rows are held out; weights and
densities are then those of the scaled columns. --holdout picks rows at random by the
seed. Rows of --heldout are transformed and scaled like the data; normal scores need
--holdout, since ranks are those of one table.

Report: adjacent is the probability of an edge between two columns in either
direction, then comes that of A -> B if there is one: near 0.5 where the data do not tell.
weight is the posterior mean of the coefficient given the edge, ± its standard
deviation; where that is not known, as for particles, there is no ±. The consensus
graph has the pairs that are adjacent with a probability above 1/2, directed where that of the
direction is 0.9 or more. Total effects are changes of the expected value of B when A
is set one unit higher. The verdict says what is stable and what it rests on.
Metrics: listed judges the probabilities of edges.csv,
draws or particles the graphs in particles.json, svgd the particles of --compare-svgd;
weighted ones count by their density. Neg.LL is the negative log density of all
held-out rows, averaged over the graphs, with and without that of the parameters.

Files in DIR, all or none: pairs.csv (first,second,adjacent,direction and the weights in
both directions), edges.csv (source,target,probability,weight_mean,weight_sd,adjacent,
direction,fixed: 1 for a required edge), effects.csv (from,to,mean,sd,q05,q50,q95,path,
mean_in_sd, where the draws have parameters), consensus.csv (source,target,weight,type:
-> or --) and consensus.dot, particles.json (the posterior, which tobac eval reads),
particles-svgd.json (the particles of --compare-svgd), imputation.csv (edge
probabilities in each completed table, where values were missing), summary.json
(settings, what was known, evidences, warnings, metrics, times, verdict), run.toml,
tobac.json, report.html (all of it on one page with pictures, for a browser; needs no
network), and the pictures in figures. --formats adds consensus.graphml, .gml, .bif,
.json (networkx), .cyjs (Cytoscape), .txt (Tetrad), and posterior.npz with the matrices
of all pairs. Without --out nothing is written.

DIR is new or empty, or has results of tobac: tobac.json there says what tobac wrote,
and only that is replaced, unless somebody has changed it. --force writes into other
folders too, and replaces files of the same names that are others'. Inputs are never
replaced.

Repeating: run.toml in DIR has the data and all options that were given. --config FILE
reads them back, with names of options as keys, an array for one that is repeated, and
paths that begin at the folder of the file. The command line comes first, and it alone
says where something is written, and with what --force.

Checkpoints: --checkpoint FILE keeps the state of the run in FILE: at the start, every
--checkpoint-every steps, at the end, and after an interruption, for which the run
ends its step; less often where writing it would take more than a tenth of the time.
FILE is new or an earlier checkpoint.
--resume FILE continues from there with the same bits as a run that was not interrupted,
with the data and the options of the checkpoint, and keeps its state in the same file.
Options that are given again must be the same, except --workers, --truth, --heldout, the
options of the output and, where svgd has one order or none and that does not come from
the posterior, --steps. The engine exact has no steps: what it computes is computed
again.

The same data, settings and seed give the same results for any --workers.`

func newFit() *cobra.Command { return fitCommand(newFitOptions()) }

// newFitOptions are the defaults.
func newFitOptions() *fitOptions {
	return &fitOptions{order: "posterior", prior: background.Sparse.String(), hidden: []int{5}, seed: 1, checkpointEvery: 100, workers: min(runtime.GOMAXPROCS(0), tobac.MostWorkers), bias: true, report: true}
}

// fitCommand is tobac fit with its options in o.
func fitCommand(o *fitOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit [DATA.csv]",
		Short: "Infer the posterior over causal graphs",
		Long:  fitLong,
		Example: `  tobac fit
  tobac fit data.csv --out run
  tobac fit --preset paper --holdout 0.1 --seed 3 --json`,
		Args: arguments(0, 1, "at most one data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			o.command = &commandLine{flags: cmd.Flags()}
			if len(args) > 0 {
				o.command.data = args[0]
			}
			if _, err := within(cmd.Context(), func() (any, error) { return nil, o.recall() }); err != nil {
				return notBegun(err)
			}
			return fit(cmd.Context(), *o, o.command.data, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(choice(&o.preset, presetDefault, presetPaper, presetCalibrated), "preset", "settings to start from")
	f.Var(modelChoice(&o.model), "model", "structural equation model; bge is linear-unequal")
	f.Var(sizes(&o.hidden), "hidden", "units of each hidden layer of the networks of --model ffn")
	defaultText(f, "hidden", joinNumbers(o.hidden))
	f.Var(choice(&o.activation, activations...), "activation", "activation of the hidden layers of --model ffn")
	f.Var(choice(&o.output, models.SampledOutput, models.IntegratedOutput), "output-layer", "whether the last layer of --model ffn is sampled or integrated out")
	toggle(f, &o.bias, "bias", "whether the networks of --model ffn have biases")
	f.Var(positive(&o.noiseVariance), "noise-variance", "variance of every variable's noise, in squared units of the data")
	defaultText(f, "noise-variance", "inferred; 0.1 with --preset paper")
	f.Var(text(&o.order, "posterior|METHOD|FILE|a,b,c"), "order", "causal order of the columns")
	for _, s := range o.config.Settings() {
		if s.Name == "prior" {
			f.Var(text(&o.prior, s.Type()+"|FILE"), s.Name, s.Usage)
			continue
		}
		f.Var(s, s.Name, s.Usage)
		defaultText(f, s.Name, s.Default)
	}
	o.knowledge.flags(f)
	o.knowledge.softFlags(f)
	o.table.flags(f)
	f.Var(text(&o.interventions, "FILE"), "interventions", "which values were set by intervention: a table of 0 and 1 like the data")
	f.Var(choice(&o.transform, dataset.Transforms()...), "transform", "replaces every column before anything else")
	toggle(f, &o.center, "center", "shift the columns to mean 0")
	toggle(f, &o.standardize, "standardize", "scale the columns to mean 0 and variance 1")
	defaultText(f, "standardize", "false; true for the embedded data with --preset paper")
	f.Var(wholeNumber(&o.imputations, 2, 1000), "imputations", "completed tables where missing values are imputed")
	defaultText(f, "imputations", strconv.Itoa(defaultImputations))
	f.Var(wholeNumber(&o.imputationRounds, 0, 1000), "imputation-rounds", "times that imputed values are drawn again given the causal model, and the tables fitted again")
	defaultText(f, "imputation-rounds", "3 with the engine exact and at most 12 columns, else 0")
	f.Var(seed(&o.seed), "seed", "seed of the random numbers")
	f.Var(fraction(&o.holdout), "holdout", "fraction of the rows to hold out at random for the predictive density")
	f.Var(text(&o.heldout, "FILE"), "heldout", heldoutUsage)
	f.Var(text(&o.truth, "GRAPH.csv"), "truth", truthUsage)
	f.Var(wholeNumber(&o.workers, 1, tobac.MostWorkers), "workers", "goroutines; they change nothing but the time")
	defaultText(f, "workers", "number of CPUs")
	f.Var(text(&o.out, "DIR"), "out", "folder for the results, created if need be")
	f.Var(formatList(&o.formats), "formats", "write the consensus graph for other programs too, and all matrices as npz")
	defaultText(f, "formats", "none")
	f.Var(text(&o.checkpoint, "FILE"), "checkpoint", "keep the state of the run in a file")
	f.Var(wholeNumber(&o.checkpointEvery, 1, mostSteps), "checkpoint-every", "steps between two checkpoints")
	f.Var(text(&o.resume, "FILE"), "resume", "continue from a checkpoint")
	toggle(f, &o.compare, "compare-svgd", "when the results are complete, sample TOBAC's particles too, and say how far they are from the results of exact or mcmc")
	defaultText(f, "compare-svgd", "false; true without a data file")
	toggle(f, &o.report, "report", "write report.html and figures with --out")
	toggle(f, &o.json, "json", "print summary.json instead of tables")
	f.Var(text(&o.configFile, "FILE"), "config", "options from a file, such as "+configFile+" of a run; the command line comes first")
	toggle(f, &o.force, "force", forceUsage)
	toggle(f, &o.quiet, "quiet", "no progress on standard error")
	mark(f, markOutside, "out", "checkpoint", "checkpoint-every", "resume", "config", "workers", "json", "report", "force", "quiet")
	mark(f, markAnytime, "out", "checkpoint", "checkpoint-every", "resume", "config", "workers", "json", "report", "force", "quiet", "truth", "heldout")
	record(f)
	return cmd
}

// forceUsage is what --force means, wherever it is accepted.
const forceUsage = "write into a folder with other things, and replace files in the place of results; inputs are never replaced"

// recall completes the options by those of a file or a checkpoint.
func (o *fitOptions) recall() (err error) {
	switch {
	case o.configFile != "" && o.resume != "":
		return usagef("--config and --resume contradict each other: a checkpoint holds the options of its run")
	case o.configFile != "":
		return o.command.readConfig(o.configFile)
	case o.resume == "":
		return nil
	}
	if o.resumed, err = readCheckpoint(o.resume); err != nil {
		return err
	}
	if o.checkpoint == "" {
		o.checkpoint = o.resume
	}
	return o.command.recall(o.resume, o.resumed)
}

// fit runs the command: it checks everything that can be checked, infers, and
// only then writes files and the report. What was inferred is kept whatever becomes of
// the rest.
func fit(ctx context.Context, o fitOptions, data string, stdin io.Reader, stdout, stderr io.Writer) error {
	start := time.Now()
	var j *job
	err := working(stderr, o.quiet, "reading "+dataLabel(data), func(*progress) (err error) {
		j, err = within(ctx, func() (*job, error) { return prepare(o, data, stdin) })
		return err
	})
	if err != nil {
		return notBegun(o.command.mistaken(err))
	}
	if err := checkFormats(o.formats, j.train.Names, o.out); err != nil {
		return err
	}
	k := &keeping{out: o.out, guard: file.Guard{Inputs: o.command.inputs("out", "checkpoint"), Beside: []string{o.checkpoint}, Force: o.force}}
	if err := k.open(); err != nil {
		return err
	}
	defer k.discard()
	if o.checkpoint != "" { // after the folder, which may hold it
		if err := checkCheckpoint(o.checkpoint, file.Guard{Inputs: o.command.inputs("out", "checkpoint", "resume"), Force: o.force}); err != nil {
			return err
		}
		if err := k.checkApart(o.checkpoint); err != nil {
			return err
		}
	}
	r, err := j.infer(ctx, stderr)
	if err != nil {
		return err
	}
	r.command, r.formats = o.command, o.formats
	after := newProgress(stderr, o.quiet)
	defer after.close()
	after.during("judging the posterior, total effects and the verdict")
	k.conclude(ctx, r, j, over{after, stderr})
	r.summary.Seconds.Total = time.Since(start).Seconds()
	if o.out != "" {
		if o.report {
			after.during("drawing the report")
			k.draw(ctx, r, j, over{after, stderr})
		}
		after.during("writing " + o.out)
		k.save(r)
	}
	after.close()
	if !o.json {
		if err := k.show(r, stdout, func(w io.Writer) error { return r.print(w, k.saved) }); err != nil {
			return err
		}
	}
	if j.compare && k.reasons == nil {
		if err := k.compare(ctx, r, j, &o, stdout, stderr); err != nil {
			return err
		}
	}
	if o.json {
		if err := k.show(r, exactly(stdout), func(w io.Writer) error { return writeJSON(w, r.summary) }); err != nil {
			return err
		}
	}
	return k.verdict(ctx, j)
}

// notBegun says of a run that was interrupted while its inputs were read that there is
// nothing of it.
func notBegun(err error) error {
	if errors.Is(err, errInterrupted) {
		return interruptedf("interrupted before the first step; nothing was written")
	}
	return err
}
