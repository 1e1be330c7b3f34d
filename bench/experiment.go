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
	"tobac/metrics"
	"tobac/posterior"
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
	Posterior *posterior.Posterior
	HeldOut   *metrics.HeldOut // of the problem's held-out rows, for each draw; nil: none
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
	// Listed judges the edge probabilities of the posterior; nil if it has none.
	Listed *metrics.EdgeReport
	// Empirical judges the draws with their weights; nil without draws. Mixture,
	// written "+" in tables, weighs them by log p(Θ|G) + log p(D|G,Θ) on the training
	// rows; nil unless the draws are particles ([posterior.Particles]): independent
	// draws need no other weights.
	Empirical, Mixture *metrics.Report
	Seconds            float64 // of Method.Fit
}

// Judge evaluates a posterior against the truth and the held-out rows. Errors are
// those of [posterior.Posterior.ByDensity], [metrics.Evaluate] and
// [metrics.EvaluateEdges].
func (f *Fitted) Judge(truth *dag.Graph) (o Outcome, err error) {
	if f.Posterior.Probabilities != nil {
		if o.Listed, err = metrics.EvaluateEdges(f.Posterior.Probabilities, truth); err != nil {
			return Outcome{}, err
		}
	}
	if len(f.Posterior.Draws) == 0 {
		return o, nil
	}
	if o.Empirical, err = metrics.Evaluate(f.Posterior.Empirical(), truth, f.HeldOut); err != nil {
		return Outcome{}, err
	}
	if f.Posterior.Kind != posterior.Particles {
		return o, nil
	}
	byDensity, err := f.Posterior.ByDensity()
	if err != nil {
		return Outcome{}, err
	}
	if o.Mixture, err = metrics.Evaluate(byDensity, truth, f.HeldOut); err != nil {
		return Outcome{}, err
	}
	return o, nil
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
			seconds := time.Since(start).Seconds()
			o, err := f.Judge(p.Truth)
			if err != nil {
				return all, fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
			}
			o.Problem, o.Method, o.Seconds = p.Name, method.Name, seconds
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
