package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/mcmc"
	"tobac/internal/must"

	"gonum.org/v1/gonum/mat"
)

// fewIterations make chains that take a moment.
const fewIterations = "--engine mcmc --set chains=2 --set iterations=300 --set warm-up=100 --set " +
	"rungs=2"

const contradiction = "conflicting background knowledge: "

// Statements that contradict each other are named, and options that mean nothing.
func TestContradictingKnowledge(t *testing.T) {
	for args, want := range map[string]string{
		"--require a,b --forbid a,b": contradiction +
			"a → b is required, but it is forbidden",
		"--require a,b --require b,c --require c,a": contradiction +
			"required edges make a cycle: a → b → c → a",
		"--require a,b --tiers b;a": contradiction +
			"a → b is required, but the tiers put b before a",
		"--require a,c --require b,c --set prior.max-parents=1": contradiction +
			"c has 2 required parents (a, b), more than the 1 allowed",
		"--require a,z": `--require: unknown column "z"; allowed: "a", "b", "c"`,
		"--forbid a":    `--forbid "a"; allowed: the names of two columns, separated by a comma`,
		"--forbid a,a":  `--forbid "a,a"; allowed: two different columns`,
		"--tiers a;a":   `--tiers names the column "a" twice`,
		"--require a,b --set knowledge.sink=a": contradiction +
			"a → b is required, but a is a sink, which no edge leaves",
		"--require a,b --set knowledge.source=b": contradiction +
			"a → b is required, but b is a source, which no edge enters",
		"--require b,a --order a,b,c": contradiction +
			"b → a is required, but the known order puts a before b",
		"--tiers c;a --order a,b,c": contradiction +
			"the known order puts a before c, but the tiers put c before a",
		"--set knowledge.odds=a,b=2 --forbid a,b": contradiction +
			"a → b has the odds 2, but it is forbidden",
		"--set knowledge.odds=a,b=2 --set knowledge.odds=a,b=3": contradiction +
			"a → b has two odds, 2 and 3",
		"--require a,b --require b,c --set knowledge.sink=a,b": "conflicting background " +
			"knowledge:\n- a → b is required, but a is a sink, which no edge leaves\n- b → c is " +
			"required, but b is a sink, which no edge leaves",
		"--set knowledge.odds=a,b=0":   `--set knowledge.odds=a,b=0: odds are 0; allowed: odds from 0.001 to 1000; forbid the edge if you are certain that there is none`,
		"--set knowledge.odds=a,b=inf": `--set knowledge.odds=a,b=inf: "inf" is not a number; allowed: odds from 0.001 to 1000`,
		"--set knowledge.odds=a,b=-1":  `--set knowledge.odds=a,b=-1: odds are -1; allowed: odds from 0.001 to 1000`,
		"--set knowledge.odds=a,b=x":   `--set knowledge.odds=a,b=x: "x" is not a number; allowed: odds from 0.001 to 1000`,
		"--set knowledge.odds=a,b":     `--set knowledge.odds=a,b; allowed: the names of two columns and a number, such as a,b=3`,
		"--set knowledge.odds=a=3":     `--set knowledge.odds=a=3; allowed: the names of two columns and a number, such as a,b=3`,
		"--set knowledge.sink=a,z":     `--set knowledge.sink: unknown column "z"; allowed: "a", "b", "c"`,
		"--set knowledge.source=z":     `--set knowledge.source: unknown column "z"; allowed: "a", "b", "c"`,
		"--set prior.max-parents=0":    `--set prior.max-parents=0: allowed: whole numbers from 1 to 10000`,
		"--set prior.max-parents=1 --order eqvar": "a bound on the number of " +
			"parents is not a differentiable prior, which SVGD needs; allowed: an engine that " +
			"reads node scores",
		"--engine exact --set svgd.particles=3": "svgd.particles has no effect: the engine is " +
			"exact; --engine svgd takes it",
		"--engine svgd --set mcmc.chains=3": "mcmc.chains has no effect: the engine is svgd; " +
			"--engine mcmc takes it",
		"--engine mcmc --order a,b,c": "--engine mcmc: the causal " +
			"order is known, which leaves the engine mcmc nothing to sample; allowed: the " +
			"engines exact and svgd",
		"--engine mcmc --model ffn": "--engine mcmc: the model ffn " +
			"has no node scores in closed form, which the engine mcmc needs; allowed: the " +
			"engines tempering and svgd",
		"--engine dibs --model gp": "--engine dibs: the model gp " +
			"has no likelihood that could be differentiated; allowed: the engine svgd, or one " +
			"that reads node scores",
	} {
		inFolder(t, map[string]string{"good.csv": badInputs["good.csv"]})
		refuses(t, "fit good.csv "+args, cli.ExitUsage, want)
	}
}

// write puts a table into a file of the current folder.
func write(t *testing.T, name string, table *dataset.Table) {
	t.Helper()
	must.Do(t, file.Write(name, func(w io.Writer) error {
		return dataset.WriteCSV(w, table)
	}))
}

// mapped is the table data/train.csv with a function of column and value in every
// place, written to the file name.
func mapped(t *testing.T, from, name string, f func(j int, v float64) float64) {
	t.Helper()
	x := must.Get(dataset.ReadFile(from))(t)
	out := &dataset.Table{Names: x.Names, X: mat.DenseCopyOf(x.X)}
	out.X.Apply(func(_, j int, v float64) float64 { return f(j, v) }, out.X)
	write(t, name, out)
}

// A transform by the program is one by hand, held-out rows included.
func TestTransform(t *testing.T) {
	simulated(t)
	for _, name := range []string{"train.csv", "heldout.csv"} {
		mapped(t, "data/"+name, "exp-"+name, func(_ int, v float64) float64 { return math.Exp(v) })
	}
	metrics := func(args ...string) map[string]any {
		s := parse(t,
			succeed(t, append(quick("fit", "--engine", "exact", "--model", "linear", "--json"),
				args...)...).stdout)
		return at(s, "metrics").(map[string]any)
	}
	near := func(what string, a, b any) {
		t.Helper()
		if x, y := a.(float64), b.(float64); math.Abs(x-y) > 1e-6*math.Abs(x) {
			t.Errorf("%s: %v and %v", what, x, y)
		}
	}
	plain := metrics("data/train.csv", "--heldout", "data/heldout.csv")
	logs := metrics("exp-train.csv", "--heldout", "exp-heldout.csv", "--set", "data.transform=log")
	for _, path := range [][]string{{"listed", "expected_edges"}, {"empirical", "neg_ll_data_only"},
		{"empty", "neg_ll"}} {
		near("log "+fmt.Sprint(path), at(plain, path...), at(logs, path...))
	}
	// Ranks know nothing of increasing functions.
	a := metrics("data/train.csv", "--holdout", "0.2", "--set", "data.transform=normal-scores")
	b := metrics("exp-train.csv", "--holdout", "0.2", "--set", "data.transform=normal-scores")
	for _, path := range [][]string{{"listed", "expected_edges"},
		{"empirical", "neg_ll_data_only"}} {
		near("normal scores "+fmt.Sprint(path), at(a, path...), at(b, path...))
	}
	report := succeed(t, "fit", "exp-train.csv", "--set", "data.transform=log", "--engine", "exact",
		"--set", "results.report=false", "--out", "run").stdout
	for _, want := range []string{"60 rows of 6 variables, logarithms\n",
		"in units of the transformed columns\n"} {
		if !strings.Contains(report, want) {
			t.Errorf("report lacks %q:\n%s", want, report)
		}
	}
	refuses(t, "fit data/train.csv --set data.transform=normal-scores --heldout data/heldout.csv",
		cli.ExitUsage, "--heldout contradicts data.transform=normal-scores: ranks are computed "+
			"within one table")
	if got := runTobac(t, "fit", "data/train.csv", "--set",
		"data.transform=log"); got.code != cli.ExitFailed ||
		!strings.HasSuffix(got.stderr, ", want a number above 0, which has a logarithm\n") {
		t.Errorf("logarithm of a negative number: %+v", got)
	}
}

// With --standardize densities and weights are those of standardised columns, for
// every engine.
func TestStandardise(t *testing.T) {
	for _, c := range []string{
		"--engine bcd --set steps=5 --set batch=4", "--engine exact --model linear",
		"--engine exact --model bge", fewIterations + " --model bge", "--engine svgd --order eqvar",
		"--engine svgd --order eqvar --model bge",
		"--order eqvar --model ffn", "--model linear",
	} {
		t.Run(c, func(t *testing.T) {
			simulated(t)
			x := must.Get(dataset.ReadFile("data/train.csv"))(t)
			mean, sd := x.Moments()
			for _, name := range []string{"train.csv", "heldout.csv"} {
				mapped(t, "data/"+name, name, func(j int, v float64) float64 {
					return (v - mean[j]) / sd[j]
				})
			}
			args := append(quick(append([]string{"fit"}, strings.Fields(c)...)...), "--truth",
				"data/graph.csv", "--json")
			a := parse(t,
				succeed(t, append(args, "data/train.csv", "--heldout", "data/heldout.csv", "--set",
					"data.standardize=true", "--out", "run")...).stdout)
			b := parse(t,
				succeed(t, append(args, "train.csv", "--heldout", "heldout.csv")...).stdout)
			checkEval(t, a, "run")
			for _, path := range [][]string{{"metrics", "listed", "eshd"},
				{"metrics", "empirical", "neg_ll_data_only"}, {"metrics", "empty", "neg_ll"},
				{"svgd", "metrics", "empirical", "neg_ll"}} {
				if path[0] == "svgd" && a["svgd"] == nil {
					continue
				}
				u, v := at(a, path...).(float64), at(b, path...).(float64)
				if math.Abs(u-v) > 1e-6*math.Abs(u) {
					t.Errorf("%v is %v, scaled by hand %v", path, u, v)
				}
			}
		})
	}
}

// More columns than the exact engine takes: it says which engine takes them, and
// by default that engine runs.
func TestManyColumns(t *testing.T) {
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "25", "--edges-per-node", "1", "--samples", "80", "--out",
		"data")
	refuses(t, "fit data/train.csv --engine exact", cli.ExitUsage,
		"--engine exact: the engine exact needs memory for 2^25 sets of variables, and takes at "+
			"most 20 variables; allowed: the engines mcmc and svgd")
	got := succeed(t, "fit", "data/train.csv", "--model", "bge", "--set", "mcmc.chains=2", "--set",
		"mcmc.iterations=40", "--set", "mcmc.warm-up=20", "--set", "mcmc.rungs=2", "--set",
		"mcmc.candidates=5", "--set", "results.report=false", "--details", "--out", "run")
	for _, want := range []string{"engine  mcmc, 2 chains of 40 iterations: the choice above 20 " +
		"variables\n", "\nchains  the 100 least certain edges have R̂ up to "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
	}
	chains := parse(t,
		readFile(t, "run/summary.json"))["diagnostics"].(map[string]any)["chains"].(map[string]any)
	for _, key := range []string{"samples", "max_r_hat", "min_ess", "log_p", "uncertain", "rungs"} {
		if _, ok := chains[key]; !ok {
			t.Errorf("summary of the chains lacks %s: %v", key, chains)
		}
	}
	if edge := chains["uncertain"].([]any)[0].(map[string]any); len(edge) != 6 ||
		edge["r_hat"] == nil {
		t.Errorf("least certain edge %v", edge)
	}
	// So few iterations are not enough, and the user is told so once.
	warnings := parse(t, readFile(t, "run/summary.json"))["warnings"].([]any)
	if len(warnings) == 0 {
		t.Fatal("no warnings")
	}
	for _, w := range warnings {
		if n := strings.Count(got.stderr, "tobac: warning: "+w.(string)+"\n"); n != 1 {
			t.Errorf("warning %q is on standard error %d times", w, n)
		}
	}
}

// Interrupted before its first step, an engine says so, and nothing is written.
func TestInterruptedBeforeSteps(t *testing.T) {
	simulated(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{"", "--engine exact", "--engine exact --checkpoint state.json",
		"--engine mcmc", "--engine svgd", "--model gp", "--engine bcd", "--engine gflownet"} {
		got := runWith(t, ctx, "",
			append([]string{"fit", "data/train.csv", "--out", "run", "--quiet"},
				strings.Fields(args)...)...)
		if got.code != cli.ExitInterrupted ||
			got.stderr != "tobac: interrupted before the first step; nothing was written\n" ||
			got.stdout != "" {
			t.Errorf("%q: %+v", args, got)
		}
		if left := listing(t, "."); !slices.Equal(left, []string{"data"}) {
			t.Errorf("%q left %v", args, left)
		}
	}
}

// A run of chains that was interrupted gives the same files as one that was not;
// so does the exact engine, whose checkpoint holds no work.
func TestResumeOtherEngines(t *testing.T) {
	for _, c := range []struct {
		name, args string
		stop       int
	}{{"exact", "--engine exact", -1}, {"chains", fewIterations + " --model linear", 120}} {
		t.Run(c.name, func(t *testing.T) {
			if c.stop > 0 && reflect.TypeFor[mcmc.Snapshot]().NumField() == 0 {
				t.Skip("package mcmc has no snapshots yet")
			}
			simulated(t)
			args := append([]string{"fit", "data/train.csv", "--checkpoint", "state.json",
				"--workers", "2", "--set", "results.report=false"}, strings.Fields(c.args)...)
			succeed(t, append(args, "--out", "whole")...)
			if c.stop > 0 {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				stderr := &stepWriter{at: c.stop, found: cancel}
				if code := run(ctx, append(args, "--out", "cut"), nil, io.Discard,
					stderr); code != cli.ExitInterrupted {
					t.Fatalf("exit %d: %s", code, stderr.String())
				}
			}
			succeed(t, append(args, "--resume", "state.json", "--workers", "3", "--out",
				"resumed")...)
			for _, name := range []string{particlesFile, "edges.csv", "consensus.csv",
				"consensus.dot"} {
				if readFile(t, "resumed", name) != readFile(t, "whole", name) {
					t.Errorf("%s differs from that of a run that was not interrupted", name)
				}
			}
		})
	}
}
