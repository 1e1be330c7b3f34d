package main

import (
	"context"
	"io"
	"strings"
	"syscall"
	"testing"
)

// Short trainings of both methods, on six columns that no exact flow takes.
var trainings = map[string]string{
	"bcd":      "--method bcd --steps 40 --bcd-batch 8 --bcd-starts 3",
	"gflownet": "--method gflownet --model bge --steps 30 --gflownet-prefill 3 --gflownet-width 8 --gflownet-batch 8 --gflownet-environments 4",
}

// A training that is interrupted and resumed with another number of workers writes the files of one that was not, and
// of one worker.
func TestResumeTraining(t *testing.T) {
	for name, options := range trainings {
		t.Run(name, func(t *testing.T) {
			simulated(t)
			args := append([]string{"fit", "data/train.csv", "--checkpoint", "state.json", "--checkpoint-every", "7", "--report=false"}, strings.Fields(options)...)
			succeed(t, append(args, "--workers", "1", "--out", "whole")...)
			ctx, cancel := context.WithCancelCause(t.Context()) // as a signal does
			defer cancel(nil)
			stderr := &stepWriter{at: 17, found: func() { cancel(&signalError{syscall.SIGTERM}) }}
			code := run(ctx, append(args, "--workers", "4", "--out", "cut"), nil, io.Discard, stderr)
			if code != 143 || !strings.Contains(stderr.String(), "to continue: tobac fit --resume state.json") {
				t.Fatalf("exit %d: %s", code, stderr.String())
			}
			succeed(t, "fit", "--resume", "state.json", "--workers", "4", "--report=false", "--out", "resumed")
			for _, file := range []string{particlesFile, "edges.csv", "pairs.csv", "consensus.csv", "effects.csv"} {
				if readFile(t, "resumed", file) != readFile(t, "whole", file) {
					t.Errorf("%s differs from that of a run that was not interrupted", file)
				}
			}
			refuses(t, "fit --resume state.json --quiet --steps 41", exitUsage, "state.json: was made with --steps "+map[string]string{"bcd": "40", "gflownet": "30"}[name]+", here 41; leave out what differs, or start anew without --resume")
		})
	}
}

// The report, the summary and the page say what was trained and how far; the files are judged and read as those of every engine.
func TestTrainingIsReported(t *testing.T) {
	for name, options := range trainings {
		t.Run(name, func(t *testing.T) {
			simulated(t)
			args := append([]string{"fit", "data/train.csv", "--truth", "data/graph.csv", "--heldout", "data/heldout.csv", "--out", "run"}, strings.Fields(options)...)
			got := succeed(t, args...)
			for _, want := range []string{"engine  " + name + ", ", "trained ", "probabilities come from 1000"} {
				if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), strings.Join(strings.Fields(want), " ")) {
					t.Errorf("report lacks %q:\n%s", want, got.stdout)
				}
			}
			s := parse(t, readFile(t, "run/summary.json"))
			if s["engine"] != name || at(s, "diagnostics", "training", "skipped_steps") != 0.0 || at(s, "config", "method") != name || at(s, "metrics", "empirical", "neg_ll_data_only") == nil {
				t.Errorf("summary: engine %v, training %v", s["engine"], at(s, "diagnostics", "training"))
			}
			if page := readFile(t, "run/report.html"); !strings.Contains(page, "No test says whether it has converged") {
				t.Error("the page says nothing of the convergence")
			}
			checkEval(t, s, "run")
			succeed(t, "fit", "--config", "run/run.toml", "--report=false", "--out", "again")
			if readFile(t, "again", particlesFile) != readFile(t, "run", particlesFile) {
				t.Error("run.toml gives other graphs")
			}
			succeed(t, "effect", "--from", "X0", "run")
		})
	}
}

// The published presets run, on few columns and for few steps.
func TestTrainedPresets(t *testing.T) {
	inFolder(t, nil)
	succeed(t, "simulate", "--vars", "3", "--edges-per-node", "0.5", "--samples", "30", "--out", "data")
	for _, options := range []string{"--method bcd --bcd-batch 8 --edges-per-node 0.5", "--method gflownet --gflownet-batch 2 --gflownet-environments 2 --gflownet-prefill 2 --gflownet-width 8 --gflownet-policy small"} {
		got := succeed(t, append([]string{"fit", "data/train.csv", "--preset", "paper", "--steps", "2", "--json"}, strings.Fields(options)...)...)
		if s := parse(t, got.stdout); at(s, "config", "preset") != "paper" {
			t.Errorf("%s: preset %v", options, at(s, "config", "preset"))
		}
	}
}

// Options that a method does not read, and what it has no place for, are refused in one line.
func TestTrainedOptions(t *testing.T) {
	inFolder(t, map[string]string{"good.csv": badInputs["good.csv"]})
	for args, want := range map[string]string{
		"--method bcd --particles 3":               "--particles contradicts --method bcd: it is for the engine svgd",
		"--method gflownet --chains 3":             "--chains contradicts --method gflownet: it is for the engine mcmc",
		"--method gflownet --bcd-batch 3":          "--bcd-batch contradicts --method gflownet: it is for the engine bcd",
		"--engine exact --gflownet-batch 3":        "--gflownet-batch contradicts --engine exact: it is for the engine gflownet",
		"--method bcd --order a,b,c":               "--order contradicts --method bcd: it learns a distribution over all orders",
		"--method gflownet --orders 3":             "--orders contradicts --method gflownet: it learns what orders are probable",
		"--method gflownet --order eqvar":          "the method gflownet learns what orders are probable, and takes none that a method finds or that are drawn from a posterior",
		"--method bcd --prior fair":                "--prior contradicts --method bcd: it has a horseshoe prior, of which only --edges-per-node can be set",
		"--method bcd --engine mcmc":               "--engine contradicts --method bcd: it trains an engine of its own",
		"--engine bcd --method tobac":              "--method contradicts --engine bcd: it is that of the method of its name",
		"--method bcd --require a,b":               "the method bcd takes no knowledge about edges; allowed: the method gflownet, and the engines exact, mcmc and svgd",
		"--method bcd --model gp":                  "the method bcd has linear equations, got the model gp; allowed: linear, with equal or unequal noise variances",
		"--method gflownet --model ffn":            "the model ffn has no node scores in closed form, which the method gflownet needs; allowed: the engine svgd",
		"--method bcd --steps 4 --bcd-starts 5":    "5 starts of the method bcd share 4 steps; allowed: as many starts as steps, or fewer",
		"--method bcd --bcd-temperature 1:0.5":     `invalid argument "1:0.5" for "--bcd-temperature" flag: allowed: temperatures from 0.001 to 1000000, alone or as in 10:0.2,0.25:1, the last stage ending at 1`,
		"--method gflownet --gflownet-exploit 1.5": `invalid argument "1.5" for "--gflownet-exploit" flag: allowed: numbers above 0, at most 1`,
		"--method gflownet --gflownet-policy full": `invalid argument "full" for "--gflownet-policy" flag: allowed: exact, graph, small, paper`,
		"--method bcd --interventions good.csv":    "--interventions contradicts --method bcd: it takes observations alone",
	} {
		refuses(t, "fit good.csv "+args, exitUsage, want)
	}
}

// Missing values are imputed for both methods, each completed table fitted.
func TestTrainedImputation(t *testing.T) {
	inFolder(t, pairFiles())
	for name, options := range map[string]string{"bcd": "--method bcd --steps 4 --bcd-batch 4 --drop g", "gflownet": "--method gflownet --model bge"} {
		succeed(t, append(strings.Fields("fit gaps.csv --missing impute --imputations 2 --report=false --out run"), strings.Fields(options)...)...)
		if s := parse(t, readFile(t, "run/summary.json")); s["engine"] != name || at(s, "imputation", "tables") != 2.0 {
			t.Errorf("%s: engine %v, imputation %v", name, s["engine"], s["imputation"])
		}
	}
}
