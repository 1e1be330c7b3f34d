package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/stream"
)

// Problem is one data set of an experiment, with the graph that made it.
type Problem struct {
	Name    string
	Train   *dataset.Table
	Heldout *dataset.Table // nil: none
	Truth   *dag.Graph
}

// Fitted is a posterior as an experiment judges it.
type Fitted struct {
	Graphs  []*dag.Graph
	Train   []LogDensity // of the training rows, for each particle: the weights of the mixture
	HeldOut *HeldOut     // of the problem's held-out rows; nil: none
	// Orders are the causal orders that the particles follow, in the sequence of
	// the particles; nil: one order, or none.
	Orders []OrderShare
}

// An OrderShare says how many consecutive particles follow a causal order, and
// what it weighs.
type OrderShare struct {
	Particles int
	LogWeight float64 // up to a constant
}

// Method infers posteriors. It is a function rather than one of the samplers of
// this module, so that an experiment can compare anything.
type Method struct {
	Name string
	// Fit infers the posterior of a problem. All its random numbers come from
	// the seed.
	Fit func(ctx context.Context, p *Problem, seed uint64) (*Fitted, error)
}

// Outcome is how one method did on one problem.
type Outcome struct {
	Problem, Method string
	// Empirical weighs all particles alike. Mixture, written "+" in tables, weighs
	// them by log p(Θ|G) + log p(D|G,Θ) on the training rows.
	Empirical, Mixture *Report
	Seconds            float64 // of Method.Fit
}

// Judge evaluates both posteriors that a set of particles stands for against
// the truth and the held-out rows. With several orders, particles are weighed
// within each order, and the orders by their weights. Errors are those of
// [Mixture] and [Evaluate]; the numbers of graphs and densities must agree.
func (f *Fitted) Judge(truth *dag.Graph) (empirical, mixture *Report, err error) {
	alike, weighted, err := f.Ensembles()
	if err != nil {
		return nil, nil, err
	}
	if empirical, err = Evaluate(alike, truth, f.HeldOut); err != nil {
		return nil, nil, err
	}
	if mixture, err = Evaluate(weighted, truth, f.HeldOut); err != nil {
		return nil, nil, err
	}
	return empirical, mixture, nil
}

// Ensembles are the particles weighed alike, and by their densities on the
// training rows. The error is that of [Mixture]; it panics if Orders does not
// count all particles.
func (f *Fitted) Ensembles() (alike, weighted *Ensemble, err error) {
	logw := make([]float64, len(f.Train))
	for m, l := range f.Train {
		logw[m] = l.Joint()
	}
	if len(f.Orders) == 0 {
		weighted, err = Mixture(f.Graphs, logw)
		return Empirical(f.Graphs), weighted, err
	}
	var all, byDensity []*Ensemble
	var orders []float64
	from := 0
	for _, o := range f.Orders {
		to := from + o.Particles
		part, err := Mixture(f.Graphs[from:to], logw[from:to])
		if err != nil {
			return nil, nil, err
		}
		all, byDensity = append(all, Empirical(f.Graphs[from:to])), append(byDensity, part)
		orders = append(orders, o.LogWeight)
		from = to
	}
	if from != len(f.Graphs) {
		panic(fmt.Sprintf("bench: orders of %d particles, there are %d", from, len(f.Graphs)))
	}
	return Mix(all, orders), Mix(byDensity, orders), nil
}

// Experiment applies every method to every problem, one after the other, and
// returns the outcomes method by method, each in the sequence of the problems.
// Problem number i is fitted with the seed plus i. record is called with each
// outcome as it is there; nil: not at all. The first failure ends the
// experiment with an error that names method and problem.
func Experiment(ctx context.Context, problems []*Problem, methods []Method, seed uint64, record func(Outcome)) ([]Outcome, error) {
	var all []Outcome
	for _, method := range methods {
		for i, p := range problems {
			start := time.Now()
			f, err := method.Fit(ctx, p, seed+uint64(i))
			if err != nil {
				return all, fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
			}
			o := Outcome{Problem: p.Name, Method: method.Name, Seconds: time.Since(start).Seconds()}
			if o.Empirical, o.Mixture, err = f.Judge(p.Truth); err != nil {
				return all, fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
			}
			all = append(all, o)
			if record != nil {
				record(o)
			}
		}
	}
	return all, nil
}

// SachsSplits are the problems of Table I: the flow cytometry data of package
// dataset, standardised on all 853 rows, then split at random into 767 training
// and 86 held-out rows, once per run. The rows of run r depend on the seed and r
// alone.
func SachsSplits(runs int, seed uint64) ([]*Problem, error) {
	raw, truth, err := dataset.Sachs()
	if err != nil {
		return nil, err
	}
	table, err := raw.Standardize()
	if err != nil {
		return nil, err
	}
	problems := make([]*Problem, runs)
	for r := range problems {
		p := &Problem{Name: fmt.Sprintf("sachs-split%d", r), Truth: truth}
		if p.Train, p.Heldout, err = table.Split(0.1, stream.New(seed, stream.SachsSplit, r)); err != nil {
			return nil, err
		}
		problems[r] = p
	}
	return problems, nil
}

// ReadProblem reads a folder with the files train.csv, heldout.csv and graph.csv
// that tobac simulate writes; the problem is named after the folder.
func ReadProblem(dir string) (*Problem, error) {
	p := &Problem{Name: filepath.Base(dir)}
	var err error
	if p.Train, err = dataset.ReadFile(filepath.Join(dir, "train.csv")); err != nil {
		return nil, err
	}
	if p.Heldout, err = dataset.ReadFile(filepath.Join(dir, "heldout.csv")); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "graph.csv")
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	if p.Truth, _, err = dag.ReadEdges(f, name, p.Train.Names); err != nil {
		return nil, err
	}
	return p, nil
}
