package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/internal/study"
	"tobac/internal/table"
	"tobac/metrics"
	"tobac/ordering"
	"tobac/sem"
)

var update = flag.Bool("update", false, "write the measured tables into docs")

// A posteriorSet is problems of one kind, with what is required of the default's
// edge probabilities on them.
type posteriorSet struct {
	name     string
	problems func(t *testing.T) []*study.Problem
	short    []int     // numbers of the problems of the short test
	paper    sem.Model // of the published recipe; nil means the linear one

	// largest mean expected structural Hamming distance over all problems; 0 means any
	eshd  float64
	auroc float64 // smallest mean AUROC over all problems; 0 means any
	// The same over the problems of the short test, those that take a second or two: what was
	// measured on 2026-11-24 and a twentieth of it. No random number enters these probabilities, so
	// that this is room for changes that trade one data set for another.
	shortESHD, shortAUROC float64
}

func posteriorSets() []posteriorSet {
	sachs := func(f table.Transform) func(t *testing.T) []*study.Problem {
		return func(t *testing.T) []*study.Problem {
			raw, truth := must.Two(dataset.Sachs())(t)
			table := must.Get(f.Apply(raw))(t)
			return []*study.Problem{{Name: "sachs", Train: table, Truth: truth}}
		}
	}
	simulated := func(name string) func(t *testing.T) []*study.Problem {
		return func(t *testing.T) []*study.Problem { return synthetic(t, name, 5) }
	}
	standardised := func(name string) func(t *testing.T) []*study.Problem {
		return func(t *testing.T) (all []*study.Problem) {
			for _, p := range synthetic(t, name, 5) {
				all = append(all, standardisedProblem(t, p))
			}
			return all
		}
	}
	return []posteriorSet{
		{name: "Sachs", problems: sachs(table.None), short: []int{0}, eshd: 15.0, auroc: 0.62,
			shortESHD: 15.0, shortAUROC: 0.67},
		{name: "Sachs, log", problems: sachs(table.Log), eshd: 15.0, auroc: 0.63},
		{name: "Sachs, normal scores", problems: sachs(table.NormalScores), eshd: 15.2, auroc: 0.6},
		{name: "linear-d10-e20, raw", problems: simulated("linear-d10-e20"), short: []int{1, 3, 4},
			eshd: 5.0, shortESHD: 3.05, shortAUROC: 0.98},
		{name: "linear-d10-e20, standardised", problems: standardised("linear-d10-e20"),
			short: []int{1, 3, 4}, auroc: 0.92, shortESHD: 8.4, shortAUROC: 0.95},
		{name: "linear-d20-e40, raw", problems: simulated("linear-d20-e40"), eshd: 9.5},
		// Three seeds: 9.0 to 9.9, .88 to .93, and so with four times as many particles.
		{name: "nonlinear-d10-e20, raw", problems: simulated("nonlinear-d10-e20"), short: []int{0},
			paper: sem.FeedForward{}, eshd: 11, shortESHD: 10.5, shortAUROC: 0.88},
	}
}

// listed is the main job as a method that is judged by its listed probabilities;
// settings may depend on the problem.
func listed(name string, settings func(p *study.Problem) (*study.Problem, tobac.Config, error),
	after func(p *study.Problem, r *tobac.Result)) method {
	return method{Name: name,
		Fit: func(ctx context.Context, p *study.Problem, seed uint64) (*study.Fitted, error) {
			q, cfg, err := settings(p)
			if err != nil {
				return nil, err
			}
			cfg.Seed, cfg.Workers = seed, runtime.GOMAXPROCS(0)
			r, err := tobac.Fit(ctx, q.Train, cfg)
			if err != nil {
				return nil, err
			}
			if after != nil {
				after(p, r)
			}
			return &study.Fitted{Posterior: r.Posterior}, nil
		}}
}

func same(cfg tobac.Config) func(p *study.Problem) (*study.Problem, tobac.Config, error) {
	return func(p *study.Problem) (*study.Problem, tobac.Config, error) { return p, cfg, nil }
}

// posteriorMethods are the columns of the comparison. The chains take the model
// that the default chose, so that both estimate the same posterior.
func posteriorMethods(t *testing.T, set *posteriorSet) []method {
	chosen := map[string]sem.Model{}
	choice := func(p *study.Problem, r *tobac.Result) {
		chosen[p.Name] = r.Config.Model
		t.Logf("%s: the default takes the engine %v and the model %v (%s), sums %s", p.Name,
			r.Config.Engine.Engine().Name(), r.Config.Model, r.Reason, r.Sum)
	}
	paper := func(p *study.Problem) (*study.Problem, tobac.Config, error) {
		cfg := tobac.Paper()
		if set.paper != nil {
			cfg.Model = set.paper
		}
		if p.Name == "sachs" { // standardised, as published
			p = standardisedProblem(t, p)
		}
		return p, cfg, nil
	}
	eqvar := func(p *study.Problem) (*study.Problem, tobac.Config, error) {
		o, err := ordering.MethodEqVar.Order(t.Context(), p.Train.X, nil, 1)
		if err != nil {
			return nil, tobac.Config{}, err
		}
		return p, tobac.Config{Model: sem.Linear{}, Engine: &sums.Exact{},
			Order: engine.Order{Known: o.Order}}, nil
	}
	chains := func(p *study.Problem) (*study.Problem, tobac.Config, error) {
		return p, tobac.Config{Model: chosen[p.Name], Engine: &markov.MCMC{Iterations: 3000}}, nil
	}
	return []method{
		listed("default", same(tobac.Config{}), choice),
		listed("paper preset", paper, nil),
		listed("exact given EqVar's order, linear", eqvar, nil),
		listed("exact, linear", same(tobac.Config{Model: sem.Linear{}, Engine: &sums.Exact{}}),
			nil),
		listed("exact, BGe", same(tobac.Config{Model: sem.BGe{}, Engine: &sums.Exact{}}), nil),
		listed("mcmc, the default's model", chains, nil),
	}
}

// The edge probabilities that a fit lists, judged against the true graph: the
// default beside the published recipe, the exact posterior given EqVar's order and
// over all orders, and the chains. With -long all data sets and methods; with -update
// too, the table replaces that of bench/notes/results.md:
//
//	go test ./bench -run TestPosteriorTable -long -update -v -timeout 120m
//
// Without, the default alone on some of the data sets.
func TestPosteriorTable(t *testing.T) {
	var sections []section
	for _, set := range posteriorSets() {
		t.Run(set.name, func(t *testing.T) {
			if !*long && set.short == nil {
				t.Skip("takes minutes: go test ./bench -run TestPosteriorTable -long -v -timeout " +
					"120m")
			}
			problems, methods := set.problems(t), posteriorMethods(t, &set)
			leastAUROC, mostESHD := set.auroc, set.eshd
			if !*long {
				all := problems
				problems, methods = nil, methods[:1]
				for _, k := range set.short {
					problems = append(problems, all[k])
				}
				leastAUROC, mostESHD = set.shortAUROC, set.shortESHD
			}
			all := compare(t, problems, methods, func(o outcome) {
				t.Logf(
					"%s, %s: E-SHD %.2f, AUROC %.3f, skeleton AUROC %.3f, log score %.3f, %.2f s",
					o.Problem, o.Method, o.Listed.ESHD, o.Listed.AUROC, o.Listed.SkeletonAUROC,
					o.Listed.LogScore, o.Seconds)
			})
			sections = append(sections, section{Problems: set.name, Outcomes: all})
			byDefault := all[:len(problems)]
			eshd := over(byDefault, func(o outcome) metrics.Number { return o.Listed.ESHD }).Mean
			auroc := over(byDefault, func(o outcome) metrics.Number { return o.Listed.AUROC }).Mean
			t.Logf("default: mean E-SHD %.2f, mean AUROC %.3f over %d problems", eshd, auroc,
				len(problems))
			if mostESHD > 0 && !(eshd <= mostESHD) {
				t.Errorf("default: mean E-SHD %.2f, want at most %v", eshd, mostESHD)
			}
			if !(auroc >= leastAUROC) {
				t.Errorf("default: mean AUROC %.3f, want at least %v", auroc, leastAUROC)
			}
		})
	}
	table := markdown(sections, listedColumns)
	t.Logf("mean ± standard deviation over the problems\n%s", table)
	if *long && *update {
		replaceTable(t, "results.md", "posterior", table)
	}
}

// replaceTable puts a table in the place of the one between the comments "<!-- name -->" and
// "<!-- end of name -->" of a file of bench/notes.
func replaceTable(t *testing.T, file, name, table string) {
	t.Helper()
	file = filepath.Join("notes", file)
	old := must.Get(os.ReadFile(file))(t)
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- end of %s -->", name)
	before, rest, found := strings.Cut(string(old), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q", file, begin, end)
	}
	must.Do(t, os.WriteFile(file, []byte(before+begin+table+end+after), 0o644))
}
