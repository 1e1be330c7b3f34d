package study

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"tobac"
	"tobac/background"
	"tobac/engine/bcdnets"
	"tobac/engine/flownets"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/internal/bcd"
	"tobac/internal/exact"
	"tobac/internal/gflownet"
	"tobac/internal/recipes"
	"tobac/ordering"
	"tobac/sem"
)

// PublishedRuns is the number of data sets, or splits, of each section in the paper.
const PublishedRuns = 10

// Options of the studies.
type Options struct {
	// data sets, or splits, of each section; 0: [PublishedRuns], or [QuickRuns] with Quick
	Runs  int
	Seed  uint64 // of the data and of the inference
	Quick bool   // fewer runs and steps: see [Reduced]
	// folder with the authors' data sets, for the study Authors, and for Networks, which simulates
	// its own without; or with tables, for SVIDAG
	Data string
}

// The studies by name.
const (
	TableOne        = "table1"
	LinearFigure    = "linear"
	NonlinearFigure = "nonlinear"
	Sizes           = "size"
	Orders          = "order"
	Networks        = "networks"
	Authors         = "authors"
	SVIDAG          = "svidag"
)

// Names are those of all studies. Authors and SVIDAG need the folder Options.Data.
func Names() []string { return append(OfPaper(), Networks, Authors, SVIDAG) }

// OfPaper are the studies of the paper.
func OfPaper() []string { return []string{TableOne, LinearFigure, NonlinearFigure, Sizes, Orders} }

// New is one of the studies, with exactly the data and settings of the paper unless the options say
// otherwise.
func New(name string, o Options) (Study, error) {
	runs := o.Runs
	if runs == 0 {
		runs = PublishedRuns
		if o.Quick {
			runs = QuickRuns
		}
	}
	s := Study{Name: name, seed: o.Seed}
	simulated := func(source Source, d int, e float64, n int, panel string, rows []Row) {
		s.Sections = append(s.Sections, Section{
			Name: fmt.Sprintf("%s-d%d-e%g-n%d", source, d, e*float64(d), n),
			Title: fmt.Sprintf("%s data, d = %d, %g expected edges, n = %d", source, d,
				e*float64(d), n),
			Panel: panel,
			Data:  SimulatedData(source, d, e, n, runs, o.Seed), Rows: rows,
		})
	}
	switch name {
	case TableOne:
		s.Title = "Table I: flow cytometry data"
		s.About = "The data of Sachs et al., 853 rows of 11 variables, standardised as " +
			"published, in random splits of 767 rows for training and 86 held out; the published " +
			"network has 17 edges."
		s.Sections = []Section{{Name: "sachs", Title: "Sachs data, splits of 767 and 86 rows",
			Data: SachsData(runs, o.Seed), Rows: linearRows(11, sparse)}}
	case LinearFigure:
		s.Title = "Linear data"
		s.About = "Linear Gaussian models of 20 variables, 100 rows for training and 100 held " +
			"out, at both published densities."
		for _, e := range []float64{sparse, dense} {
			simulated(Linear, 20, e, 100, fmt.Sprintf("%g expected edges", e*20), linearRows(20, e))
		}
	case NonlinearFigure:
		s.Title = "Nonlinear data"
		s.About = "Networks of one hidden layer of five units, 20 variables, 100 rows for " +
			"training and 100 held out, at both published densities."
		for _, e := range []float64{sparse, dense} {
			simulated(Nonlinear, 20, e, 100, fmt.Sprintf("%g expected edges", e*20),
				nonlinearRows(e))
		}
	case Sizes:
		s.Title = "Size of the problem"
		s.About = "Linear Gaussian models of 10, 20 and 50 variables with 100 and 500 rows. The " +
			"paper does not state the density: here 2d expected edges."
		for _, n := range []int{100, 500} { // a line of panels each
			for _, d := range []int{10, 20, 50} {
				simulated(Linear, d, sparse, n, fmt.Sprintf("d = %d, n = %d", d, n),
					linearRows(d, sparse))
			}
		}
	case Orders:
		s.Title = "Causal order"
		s.About = "TOBAC under orders from different sources, on linear Gaussian models of 20 " +
			"variables and 100 rows. The paper does not state the density: here 2d expected edges."
		simulated(Linear, 20, sparse, 100, "", orderRows(sparse))
	case Networks:
		s.Title = "Networks beside their reference"
		s.About = "Posteriors of networks of one hidden layer of five units, 100 rows, given the " +
			"true order, given EqVar's, and over all orders. The reference is that of tobac eval " +
			"--exact: longer chains of the engine tempering given an order, estimated evidences " +
			"in exact sums over all of them."
		var err error
		if s.Sections, err = networks(o); err != nil {
			return Study{}, err
		}
	case Authors:
		s.Title = "Beside the authors' program"
		s.About = fmt.Sprintf("The recipe and DiBS on the data sets that the authors' program "+
			"was run on, with %d inference seeds each.", authorsSeeds(o))
		data, err := authorsData(o.Data)
		if err != nil {
			return Study{}, err
		}
		paper := recipe(sparse)
		s.Sections =
			[]Section{{Name: "linear-d20-e40", Title: "linear data of the authors' program, d = " +
				"20, 40 expected edges, n = 100", Data: data, Seeds: authorsSeeds(o),
				Rows: []Row{tobacRow("eqvar", "EqVar", By(ordering.MethodEqVar), paper),
					dibsRow(paper)}}}
	case SVIDAG:
		s.Title = "Tables of the SVI-DAG comparison"
		s.About = "This program's default, told nothing, on the tables of the comparison of six " +
			"methods in Zinage, arXiv 2608.04930, judged by its metrics: on directed graphs " +
			"where equations are nonlinear, on equivalence classes where they are linear. What " +
			"is marked published was not run here: it is what its authors published of the same " +
			"tables."
		if o.Quick && o.Runs == 0 {
			o.Runs = 1
		}
		var err error
		if s.Sections, err = svidagSections(o.Data, o.Runs); err != nil {
			return Study{}, err
		}
		return s, nil
	default:
		return Study{}, fmt.Errorf("study: unknown study %q", name)
	}
	if o.Quick {
		s = quick(s)
	}
	return s, nil
}

// authorsSeeds is the number of inference seeds of the study Authors: of five the standard
// deviation is too uncertain to compare with a single seed.
func authorsSeeds(o Options) int {
	if o.Quick {
		return 5
	}
	return 20
}

// authorsData are linear-d20-e40-run0 to run4 in a folder.
func authorsData(dir string) (all []Data, err error) {
	if dir == "" {
		return nil, errors.New("study: the study authors needs the folder with the data sets of " +
			"the authors' program")
	}
	return readRuns(dir, "linear-d20-e40", 5)
}

// readRuns reads the data sets KIND-run0, KIND-run1, … of a folder.
func readRuns(dir, kind string, runs int) (all []Data, err error) {
	for run := range runs {
		d, err := ReadTables(filepath.Join(dir, kind+"-run"+strconv.Itoa(run)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("study: the folder %s lacks a data set: %w", dir, err)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// tobacRow is the published recipe under an order.
func tobacRow(name, title string, order OrderSource, cfg tobac.Config) Row {
	return Row{Method: fitMethod("tobac-"+name, "TOBAC, "+title, order, cfg)}
}

// dibsRow is the published recipe of TOBAC's predecessor.
func dibsRow(cfg tobac.Config) Row {
	cfg.Engine = recipes.PaperDiBS().Engine
	return Row{Method: fitMethod("dibs", "DiBS", NoOrder, cfg)}
}

// bcdRow are BCD Nets with their defaults, and as many steps as a study can afford.
func bcdRow(d int, e float64) Row {
	steps := 20_000
	if d >= 20 {
		steps = 6000
	}
	r := Row{Method: fitMethod("bcd", "BCD", NoOrder, tobac.Config{
		Model: sem.Linear{}, Prior: background.Prior{EdgesPerNode: e},
		Engine: &bcdnets.BCDNets{Training: bcd.Settings{Steps: steps}},
	})}
	r.Preset = fmt.Sprintf("corrected, %d steps", steps)
	return r
}

// gflownetRow is DAG-GFlowNet with the network that a CPU can train: the published one takes weeks.
func gflownetRow(d int) Row {
	steps := 5000
	if d >= 20 {
		steps = 2000
	}
	r := Row{Method: fitMethod("gfn", "DAG-GFlowNet", NoOrder, tobac.Config{
		Model: sem.BGe{Raw: true}, Prior: background.Prior{Kind: background.Fair},
		Engine: &flownets.GFlowNet{Training: gflownet.Settings{Policy: gflownet.Graph,
			Iterations: steps}},
	})}
	r.Preset = fmt.Sprintf("policy graph, %d steps", steps)
	if d > 20 {
		r.Skipped = "an iteration takes more than a second, the tens of thousands that it needs " +
			"days"
	}
	return r
}

// linearRows are the methods on linear data of d variables with e expected edges per variable.
func linearRows(d int, e float64) []Row {
	paper := recipe(e)
	rows := []Row{
		tobacRow("eqvar", "EqVar", By(ordering.MethodEqVar), paper),
		tobacRow("true", "true order", TrueOrder, paper),
		dibsRow(paper), bcdRow(d, e), gflownetRow(d),
	}
	rows = append(rows, baselines(paper)...)
	// The posterior that TOBAC's particles stand for, of the same model and prior.
	same := tobac.Config{Model: sem.Linear{NoiseVariance: noiseVariance, EdgeVariance: 1,
		NoIntercept: true}, Prior: paper.Prior}
	return append(rows, posteriorRows(d, same)...)
}

// nonlinearRows are the methods on nonlinear data of 20 variables.
func nonlinearRows(e float64) []Row {
	paper := recipe(e)
	paper.Model = networkModel()
	rows := []Row{
		tobacRow("eqvar", "EqVar", By(ordering.MethodEqVar), paper),
		tobacRow("true", "true order", TrueOrder, paper),
		dibsRow(paper),
	}
	rows = append(rows, baselines(paper)...)
	// Networks have no node scores in closed form; Gaussian processes stand for them.
	return append(rows,
		posteriorRows(20, tobac.Config{Model: sem.GaussianProcess{}, Prior: paper.Prior})...)
}

// orderRows are TOBAC under every order.
func orderRows(e float64) []Row {
	paper := recipe(e)
	return []Row{
		tobacRow("eqvar", "EqVar", By(ordering.MethodEqVar), paper),
		tobacRow("npvar", "NPVar", By(ordering.MethodNPVar), paper),
		tobacRow("npvar-released", "NPVar as released", releasedNPVar, paper),
		tobacRow("score", "SCORE", By(ordering.MethodSCORE), paper),
		tobacRow("true", "true order", TrueOrder, paper),
		tobacRow("random", "random order", RandomOrder, paper),
	}
}

// baselines are what every method should beat.
func baselines(paper tobac.Config) []Row {
	return []Row{
		{Method: Method{Name: "empty", Title: "empty graph", Kind: EmptyKind,
			NoiseVariance: noiseVariance}},
		tobacRow("random", "random order", RandomOrder, paper),
		{Method: Method{Name: "eqvar-bic", Title: "EqVar, stepwise BIC", Kind: StepwiseKind,
			Order: By(ordering.MethodEqVar), NoiseVariance: noiseVariance}},
	}
}

// posteriorRows are the posterior under a model with node scores, given orders and over all of
// them, and the program's default, which is told nothing about the data.
func posteriorRows(d int, cfg tobac.Config) []Row {
	given, all, chains := cfg, cfg, cfg
	given.Engine, all.Engine, chains.Engine = &sums.Exact{}, &sums.Exact{}, &markov.MCMC{}
	exactGiven := func(name, title string, order OrderSource) Row {
		r := Row{Method: fitMethod("exact-"+name, "exact, "+title, order, given)}
		if d > exact.MaxVariables {
			r.Skipped = fmt.Sprintf("sums over 2^%d sets of parents: at most %d variables", d-1,
				exact.MaxVariables)
		}
		return r
	}
	rows := []Row{exactGiven("true", "true order", TrueOrder),
		exactGiven("eqvar", "EqVar", By(ordering.MethodEqVar))}
	if d <= exactOverOrders {
		rows = append(rows, Row{Method: fitMethod("exact", "exact, all orders", NoOrder, all)})
	} else {
		rows = append(rows, Row{Method: fitMethod("mcmc", "Markov chains", NoOrder, chains)})
	}
	return append(rows,
		Row{Method: fitMethod("default", "this program's default", NoOrder, tobac.Config{})})
}
