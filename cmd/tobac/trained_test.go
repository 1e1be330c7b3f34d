package main

import (
	"strings"
	"testing"

	"tobac/internal/cli"
)

// Short trainings of both methods, on six columns that no exact flow takes.
var trainings = map[string]string{
	"bcd": "--engine bcd --set steps=40 --set batch=8 --set starts=3",
	"gflownet": "--engine gflownet --model bge --set steps=30 --set prefill=3 --set width=8 " +
		"--set batch=8 --set environments=4",
}

// The report, the summary and the page say what was trained and how far; the files are judged and
// read as those of every engine.
func TestTrainingIsReported(t *testing.T) {
	for name, options := range trainings {
		t.Run(name, func(t *testing.T) {
			simulated(t)
			args := append([]string{"fit", "data/train.csv", "--truth", "data/graph.csv",
				"--heldout", "data/heldout.csv", "--out", "run"}, strings.Fields(options)...)
			got := succeed(t, args...)
			for _, want := range []string{"engine  " + name + ", ", "trained ",
				"probabilities come from 1000"} {
				if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "),
					strings.Join(strings.Fields(want), " ")) {
					t.Errorf("report lacks %q:\n%s", want, got.stdout)
				}
			}
			s := parse(t, readFile(t, "run/summary.json"))
			if s["engine"] != name || at(s, "diagnostics", "training", "skipped_steps") != 0.0 ||
				at(s, "config", "engine") != name ||
				at(s, "metrics", "empirical", "neg_ll_data_only") == nil {
				t.Errorf("summary: engine %v, training %v", s["engine"],
					at(s, "diagnostics", "training"))
			}
			if page := readFile(t, "run/report.html"); !strings.Contains(page,
				"There is no test of convergence") {
				t.Error("the page says nothing of the convergence")
			}
			checkEval(t, s, "run")
			succeed(t, "fit", "--config", "run/run.toml", "--set", "results.report=false", "--out",
				"again")
			if readFile(t, "again", particlesFile) != readFile(t, "run", particlesFile) {
				t.Error("run.toml gives other graphs")
			}
			succeed(t, "effect", "--from", "X0", "run")
		})
	}
}

// The published recipes run, on few columns and for few steps.
func TestTrainedRecipes(t *testing.T) {
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "3", "--edges-per-node", "0.5", "--samples", "30", "--out",
		"data")
	for _, options := range []string{"--engine bcd --set batch=8 --set prior.edges-per-node=0.5",
		"--engine gflownet --set batch=2 --set environments=2 --set prefill=2 --set width=8 " +
			"--set policy=small"} {
		got := succeed(t,
			append([]string{"fit", "data/train.csv", "--set", "recipe=paper", "--set", "steps=2",
				"--json"}, strings.Fields(options)...)...)
		if s := parse(t, got.stdout); at(s, "config", "recipe") != "paper" {
			t.Errorf("%s: recipe %v", options, at(s, "config", "recipe"))
		}
	}
}

// Options that a method does not read, and what it has no place for, are refused in one line.
func TestTrainedOptions(t *testing.T) {
	inFolder(t, map[string]string{"good.csv": badInputs["good.csv"]})
	for args, want := range map[string]string{
		"--engine bcd --set particles=3": "--set particles=3: particles is a setting " +
			"of svgd and dibs: choose one with --engine or --model, or write the full name, " +
			"such as svgd.particles",
		"--engine gflownet --set mcmc.chains=3": "mcmc.chains has no effect: the engine is " +
			"gflownet; --engine mcmc takes it",
		"--engine gflownet --set bcd.batch=3": "bcd.batch has no effect: the engine is " +
			"gflownet; --engine bcd takes it",
		"--engine exact --set gflownet.batch=3": "gflownet.batch has no effect: the engine is " +
			"exact; --engine gflownet takes it",
		"--engine bcd --order a,b,c": "--engine bcd: the engine bcd learns a " +
			"distribution over all orders, and takes no known one; allowed: the engines exact, " +
			"svgd and gflownet",
		"--engine gflownet --set order.count=3": "--engine gflownet: the engine gflownet " +
			"learns what orders are probable, and takes none that a method finds or that are " +
			"drawn from a posterior",
		"--engine gflownet --order eqvar": "--engine gflownet: the engine gflownet " +
			"learns what orders are probable, and takes none that a method finds or that are " +
			"drawn from a posterior",
		"--engine bcd --prior fair": "--engine bcd: of the horseshoe prior of " +
			"the engine bcd, only the expected edges per node can be set; allowed: the engines " +
			"exact, mcmc and gflownet",
		"--engine bcd --require a,b": "--engine bcd: the engine bcd takes no " +
			"knowledge about edges; allowed: the engines exact, mcmc, svgd and gflownet",
		"--engine bcd --model gp": "--engine bcd: the engine bcd has linear " +
			"equations, got the model gp; allowed: linear, with equal or unequal noise variances",
		"--engine gflownet --model ffn": "--engine gflownet: the model ffn has no " +
			"node scores in closed form, which the engine gflownet needs; allowed: the " +
			"engines tempering and svgd",
		"--engine bcd --set steps=4 --set starts=5": "--engine bcd: 5 starts of 4 steps " +
			"together, want at least a step for each",
		"--engine bcd --set temperature=1:0.5": `--set temperature=1:0.5: allowed: one temperature from 0.001 to 1000000, or stages such as 10:0.2,0.25:1, the last ending at 1`,
		"--engine gflownet --set exploit=1.5":  `--set exploit=1.5: allowed: numbers above 0, at most 1`,
		"--engine gflownet --set policy=full":  `--set policy=full: allowed: exact, graph, small, paper`,
	} {
		refuses(t, "fit good.csv "+args, cli.ExitUsage, want)
	}
}
