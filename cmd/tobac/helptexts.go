package main

// What tobac help says about each topic.
const (
	dataHelp = `The table: DATA and how it is read (tobac check DATA says what is read).
A table is a text (commas, semicolons, tabs, bars or blanks, decimal commas, quotes), a
workbook (.xlsx), a Parquet or NumPy file (.npy, .npz), any of these compressed by gzip or
bzip2, recognised by content; - is standard input. Columns are named, or numbered from 1;
rows are counted from 1 below the header. An index at the front, identifiers, dates and text
that hardly repeats are left out, and two levels become 0 and 1; the report says so. What is
ambiguous is refused in one message, with the options that solve it.
--interventions FILE is a table of 0 and 1 with the rows and columns of the data, columns
matched by name. A value set by intervention says nothing about its own variable's equation.
data.transform replaces every column before anything else. data.center matters only to
models without intercepts, as in the recipe paper. data.standardize scales all
rows, before rows are held out; weights and densities are then those of the scaled columns.
--holdout picks rows at random by the seed. Rows of --heldout are transformed and scaled
like the data; normal scores need --holdout, because ranks are those of one table.`
	priorHelp = `The prior distribution of the graph: --prior er, fair, sf, uniform or FILE.
er (Erdős–Rényi) expects prior.edges-per-node edges for each column. Without that setting
exact averages over 1/4, 1/2, 1 and 2, weighted by their evidence; with more than 12
columns it takes the value nearest to the posterior, as mcmc does. svgd under an order that
does not come from the posterior takes 2. Each is at most a quarter of the number of other
columns. fair gives every number of parents the same probability, sf favours few variables
with many parents, uniform gives every graph the same probability. FILE is a table of edge
probabilities whose header has the names of the columns and whose rows follow the header:
entry (i, j) is the probability of i -> j; 0 and 1 are certain. ./er is a file named er.`
	knowledgeHelp = `Background knowledge: --forbid, --require, --tiers, --knowledge FILE.
It holds with every engine but bcd, with any prior, and for orders that a method finds.
FILE is TOML with such statements under the keys require, forbid, tiers, sinks, sources
and odds. The key kinds says what columns are, as --kind does:

  require = [["education", "wage"]]
  tiers   = [["age", "sex"], ["education"], ["wage"]]
  odds    = [{from = "sex", to = "wage", odds = 3}]
  kinds   = {education = "ordered"}

Any other FILE is a graph, all of whose edges are required.`
	orderHelp = `Causal orders of the columns: --order posterior, METHOD, a,b,c or FILE.
With posterior, svgd samples under order.count orders drawn from the posterior of the model.
A METHOD (eqvar, eqvar-bu, npvar, score or variance; tobac order --help
explains them) finds the order from the rows without an intervention. With order.count it
does so in each of that many resamples of the rows, and the posteriors under all distinct
orders are mixed. a,b,c lists all columns, causes before effects, and FILE has such a list.
A known order also binds the engines exact, gflownet and tempering. ./eqvar is a file named
eqvar.`
	recipeUsage    = "settings of model, prior, order and engine to start from (tobac help recipes)"
	imputationHelp = "Missing values with --missing impute: the table is completed several times " +
		"and every one fitted."
	checkpointHelp = `The state of a run in a file: --checkpoint FILE and --resume FILE.
FILE is written at the start, every checkpoint.every steps, at the end, and after an
interruption, for which the run finishes its step; less often where writing would take more
than a tenth of the time. FILE is new or an earlier checkpoint.
--resume FILE continues with the same bits as a run that was not interrupted,
with the data and the options of the checkpoint, and keeps its state in the same file.
Options that are given again must be the same, except --workers, --truth, --heldout, the
options of the output and, for svgd without several orders or orders from the posterior,
svgd.steps. exact has no steps: its results are computed again.`
	configHelp = `Options and settings from a file: --config FILE.
run.toml in the folder of a run has its data and all options and settings that were given;
tobac fit --config run.toml repeats it. The keys are the names of the options, and in a
table for each topic the names of its settings:

  data = "table.csv"
  engine = "svgd"
  forbid = ["a,b", "c,d"]
  [svgd]
  particles = 50

Paths are relative to the folder of the file. Options on the command line take precedence.
Output paths and --force are accepted on the command line only.`
	recipesHelp = `Recipes: settings of model, prior, order and engine together.
--engine svgd --set recipe=paper is the published recipe to the letter: svgd under EqVar's
order, the joint estimator, noise variance 0.1 and no intercept, initial weights from the
prior, two edges per node, the embedded data standardised. Networks (--model ffn) have
intercepts, on columns as they are. With --model bge it is the recipe of the marginal model,
with --engine dibs, bcd and gflownet the recipe of their authors; the last two take hours.
--engine svgd --set recipe=calibrated is SVGD whose particles agree with the posterior given
EqVar's order: scores of edges as latents, gradients by flipping edges, a kernel for each,
parameters integrated out where the model allows, and sets of parents weighted by their
evidence; with --model ffn too. Options and settings that are given override the recipe.`
	reportHelp = `What the report says, on the screen and in report.html.
adjacent is the probability of an edge between two columns in either direction; the next
column has the probability of A -> B given an edge, which is near 0.5 where the direction
is not identifiable. weight is the posterior mean of the coefficient given the edge, ± its
standard deviation where that is known. The consensus graph has the pairs that are adjacent
with a probability above 1/2, directed where the probability of the direction is at least
0.9. Total effects are changes of the expected value of B when A is set one unit higher.
The verdict says which relations and directions are certain, and on which assumptions.
Metrics, with --truth or held-out rows: listed judges the probabilities of edges.csv, draws
or particles the graphs in particles.json, svgd the particles of --beside svgd; weighted
ones count by their density. Neg.LL is the negative log density of all held-out rows,
averaged over the graphs, with and without the density of the parameters.`
	resultsHelp = `Files in the folder of --out DIR, all or none.
  pairs.csv            first,second,adjacent,direction and the weights in both directions
  edges.csv            source,target,probability,weight_mean,weight_sd,adjacent,direction,fixed
                       (1 for a required edge)
                       with more than 100 columns, pairs.csv and edges.csv omit
                       probabilities below 0.001
  effects.csv          from,to,mean,sd,q05,q50,q95,path,mean_in_sd, where draws have parameters
                       and the columns are at most results.effects
  contrasts.csv        from,value,to,level,mean and its distribution, more (than at the first
                       value) and its distribution, path: effects of and on categories,
                       where these take seconds (tobac effect has those of one column)
  consensus.csv, .dot  source,target,weight,type (-> or --)
  particles.json       the posterior, which tobac eval reads. With more than 100 columns: the
                       most probable edges, on average 100 for each column, and the mean of all
                       others; each set of parents once, and graphs as numbers of these sets;
                       parameters rounded to what their standard deviations warrant
  particles-svgd.json  the particles of --beside svgd
  imputation.csv       edge probabilities in each completed table, where values were missing
  summary.json         settings, knowledge, evidences, warnings, metrics, times, verdict
  run.toml             the data and the options, which tobac fit --config reads
  report.html, figures all of it on one page with pictures
  tobac.json           what tobac wrote into the folder, with checksums
results.formats adds consensus.graphml, .bif, .json (networkx), .txt (Tetrad), and posterior.npz
with the matrices of all pairs. Where all columns have levels, consensus.bif has tables of
probabilities, posterior means given its graph; edges whose direction is open have the direction
of a drawn graph.
DIR is new or empty, or has results of tobac, which are replaced unless somebody has changed
them. --force writes into other folders too, and replaces files of the same names. Inputs
are never replaced.`
)
