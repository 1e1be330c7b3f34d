package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tobac/internal/cli"

	"github.com/spf13/pflag"
)

// All pairs: go test ./cmd/tobac -run TestOptionPairs -pairs 0 -timeout 0 -v
var somePairs = flag.Int("pairs", 25, "with how many pairs of values of its options tobac fit is "+
	"run, at random; 0: every value alone, and every pair")

// pairValues are values of the options and settings of tobac fit that are valid alone, beside
// --out; choices have all of theirs. nil: no value of the option is, for the reason given. Settings
// of several engines stand under their short names.
var pairValues = map[string][]string{
	"ffn.hidden": {"3,2"}, "linear-unequal.alpha-lambda": {"9"},
	"generalised.form-rows": {"20", "Inf"}, "noise-variance": {"0.5"},
	"order":          {"eqvar", "score", "a,b,c,g", "order.txt"},
	"prior":          {"fair", "sf", "uniform", "prior.csv"},
	"edges-per-node": {"0.5"}, "max-parents": {"2"}, "order.count": {"2"}, "particles": {"3"},
	"steps": {"2"}, "samples": {"3"}, "rank": {"2"}, "alpha-rate": {"0.1"},
	"bandwidth-z": {"4"}, "bandwidth-theta": {"400"}, "step-size": {"0.01"}, "penalty-rate": {"2"},
	"penalty-samples": {"4"},
	"kernel":          {"rbf:coordinate:none", "imq:variable"},
	"alpha-schedule": {"geometric:0.01:100",
		"growth:0.2"}, "step-schedule": {"linear:1:0:50%"}, "penalty-schedule": {"cosine:0:3:1-2"},
	"latents": {"normal", "logistic"}, "prior-place": {"inside"}, "edge-parameters": {"laplace"},
	"parameters": {"integrated"}, "fit-steps": {"2"}, "likelihood-schedule": {"linear:0:1"},
	"batch": {"4"}, "bcd.starts": {"2"}, "bcd.temperature": {"0.5", "2:0.5,0.5:1"},
	"bcd.draw-temperature": {"0.3"}, "bcd.scale": {"0.1"}, "bcd.l2": {"1"},
	"bcd.edges":                  {"units:0.2", "signs"},
	"tempering.graph-iterations": {"20"}, "tempering.graph-warm-up": {"10"},
	"gflownet.buffer": {"50"}, "gflownet.prefill": {"2"}, "gflownet.width": {"8"},
	"gflownet.refresh": {"1"},
	"chains":           {"2"}, "ess": {"50"}, "iterations": {"20"}, "warm-up": {"10"},
	"candidates": {"2"},
	"rungs":      {"2"}, "jobs": {"rounds"},
	"forbid": {"a,b"}, "require": {"b,c"}, "tiers": {"a;b,c"}, "sink": {"c"}, "source": {"a"},
	"knowledge": {"knowledge.toml"}, "odds": {"a,c=3"},
	// of a workbook
	"columns": {"c,b,a"}, "drop": {"c"}, "keep": {"a"}, "rows": {"3-24"}, "data.header": {"yes"},
	"skip": {"1"}, "delimiter": {","}, "comment": {"#"}, "names": {"a,b,c,g"}, "sheet": nil,
	"missing-code": {"-99"}, "kind": {"g=categorical"}, "ordinal": {"g=1<2"},
	"interventions": {"set.csv"}, "imputation.tables": {"2"}, "imputation.rounds": {"1"},
	// all have it
	"seed": {"7"}, "holdout": {"0.25"}, "heldout": {"data.csv"}, "truth": {"truth.csv"},
	"workers": {"2"}, "out": nil, "set": nil,
	"effects": {"3"},
	"formats": {"graphml"}, "checkpoint": {"state"}, "every": {"2"}, "resume": {"before"},
	"config": {"options.toml"},
}

// plainValues are values of settings that are not listed, by their placeholder.
var plainValues = map[string][]string{"N": {"3"}, "X": {"0.5"}}

// pairFiles are what these values name.
func pairFiles() map[string]string {
	rng := rand.New(rand.NewPCG(3, 4))
	var data, set strings.Builder
	data.WriteString("# made for pairs of options\na,b,c,g\n")
	set.WriteString("a,b,c,g\n")
	for i := range 24 {
		a := rng.NormFloat64()
		b := 0.8*a + rng.NormFloat64()
		fmt.Fprintf(&data, "%.4f,%.4f,%.4f,%d\n", a+9, b+9, b-0.5*a+rng.NormFloat64()+9,
			1+rng.IntN(2))
		fmt.Fprintf(&set, "%d,0,0,0\n", i%4/3)
	}
	gaps := strings.Split(data.String(), "\n")
	for _, line := range []int{4, 10, 16} {
		gaps[line] = "," + strings.SplitN(gaps[line], ",", 2)[1]
	}
	return map[string]string{
		"data.csv": data.String(), "gaps.csv": strings.Join(gaps, "\n"), "set.csv": set.String(),
		"truth.csv": "source,target\na,b\nb,c\n", "order.txt": "a\nb\ng\nc\n",
		"prior.csv":      "a,b,c,g\n0,0.3,0.3,0.3\n0.3,0,0.3,0.3\n0.3,0.3,0,0.3\n0.3,0.3,0.3,0\n",
		"knowledge.toml": "forbid = [[\"b\", \"a\"]]\n", "options.toml": "seed = 3\n",
	}
}

// An optionValue is an option with a value.
type optionValue struct{ name, value string }

func (o optionValue) words() []string {
	switch {
	case strings.Contains(o.name, "."):
		return []string{"--set", o.name + "=" + o.value}
	case o.value == "true" || o.value == "false":
		return []string{"--" + o.name + "=" + o.value}
	}
	return []string{"--" + o.name, o.value}
}

// optionValues are those of all options and settings of tobac fit.
func optionValues(t *testing.T) (all []optionValue) {
	o := newFitOptions()
	fitCommand(o)
	o.command.Visit(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		values, listed := pairValues[f.Name]
		if !listed {
			values, listed = pairValues[cli.ShortName(f.Name)]
		}
		if !listed {
			values = cli.ChoicesOf(f)
		}
		if values == nil && !listed && strings.Contains(f.Name, ".") {
			values = plainValues[f.Value.Type()] // a setting of an engine or a model
		}
		if values == nil && !listed {
			t.Errorf("option %s has no value in pairValues", f.Name)
		}
		for _, v := range values {
			all = append(all, optionValue{f.Name, v})
		}
	})
	return all
}

// fitPair runs tobac fit with options, small where it samples, and returns the exit status and what
// is wrong with what it did.
func fitPair(t *testing.T, options []optionValue) (status int, wrong string) {
	t.Helper()
	line := []string{"--out", "run", "--quiet", "--set", "results.report=false"}
	given, topics := map[string]string{}, map[string]bool{}
	add := func(name, value string) {
		if given[name] == "" {
			given[name] = value
			line = append(line, optionValue{name, value}.words()...)
		}
	}
	for _, o := range options {
		add(o.name, o.value)
		topics[cli.TopicOf(o.name)] = true
	}
	// Options that make others valid, and settings that make runs short.
	if topics["imputation"] {
		add("missing", "impute")
	}
	data := "data.csv"
	if given["missing"] != "" && given["missing"] != "error" {
		data = "gaps.csv"
	}
	if given["resume"] == "" {
		for _, engine := range []string{"exact", "mcmc", "search", "svgd", "dibs", "bcd",
			"gflownet", "tempering"} {
			if topics[engine] {
				add("engine", engine)
			}
		}
		if topics["ffn"] || given["engine"] == "tempering" || given["svgd.edge-parameters"] != "" {
			add("model", "ffn")
		}
		for _, model := range modelNames() {
			if topics[model] {
				add("model", model)
			}
		}
		if topics["order"] && given["order"] == "" {
			add("order", "eqvar")
			add("order.count", "3")
		}
		if topics["checkpoint"] {
			add("checkpoint", "state")
		}
		if given["svgd.edge-parameters"] != "" {
			add("svgd.recipe", "calibrated")
		}
		engine := given["engine"]
		recipe := given[engine+".recipe"]
		// two edges per node are too many for four columns
		if recipe == "paper" && given["prior"] == "" {
			add("prior.edges-per-node", "0.5")
		}
		if engine == "bcd" && given["drop"]+given["columns"]+given["data.keep"]+
			given["data.names"] == "" {
			add("drop", "g") // which has two values
		}
		small := map[string]map[string]string{"mcmc": {"iterations": "20", "warm-up": "10"},
			"svgd": {"steps": "2", "particles": "2", "samples": "2"},
			"dibs": {"steps": "2", "particles": "2", "samples": "2"}, "bcd": {"steps": "2"},
			"gflownet": {"steps": "2", "prefill": "1"},
			"search":   {"halves": "2", "tries": "2"}}
		if given["order"] == "eqvar" || given["order"] == "score" || given["beside"] == "svgd" {
			if engine == "" {
				engine = "svgd"
			}
		}
		for _, name := range slices.Sorted(maps.Keys(small[engine])) {
			add(engine+"."+name, small[engine][name])
		}
		if engine == "tempering" {
			add("tempering.iterations", "40")
			add("order", "eqvar")
		}
	}
	os.RemoveAll("run")
	os.Remove("state")
	got := runTobac(t, append([]string{"fit", data}, line...)...)
	return got.code, faultOf(t, got, given)
}

// faultOf says what a run should not have done; "": nothing.
func faultOf(t *testing.T, got invocation, given map[string]string) string {
	t.Helper()
	switch {
	case got.code == cli.ExitUsage:
		_, listed := strings.CutPrefix(got.stderr, "tobac: conflicting background knowledge:\n")
		if got.stdout != "" || !strings.HasPrefix(got.stderr, "tobac: ") ||
			strings.Count(got.stderr, "\n") != 1 && !listed {
			return fmt.Sprintf("refused with %q and %q", got.stdout, got.stderr)
		}
		return ""
	case got.code == cli.ExitFailed && strings.Count(got.stderr, "\n") == 1 &&
		// a checkpoint of another run
		(given["resume"] != "" && strings.Contains(got.stderr, " was made with") ||
			// of a column that is no longer there
			given["columns"]+given["drop"] != "" && strings.Contains(got.stderr, ": unknown ") ||
			strings.Contains(got.stderr, "the engine bcd needs continuous columns") ||
			// codes of levels begin at 0
			given["data.transform"] == "log" &&
				strings.Contains(got.stderr, "which has a logarithm")):
		return ""
	case got.code != cli.ExitDone:
		return fmt.Sprintf("status %d: %s", got.code, got.stderr)
	case strings.Contains(got.stderr, "internal error") || strings.Contains(got.stdout, "NaN"):
		return got.stderr + got.stdout
	}
	if given["json"] == "true" {
		parse(t, got.stdout)
	}
	parse(t, readFile(t, "run", summaryFile))
	if err := saved(t, "run").Validate(); err != nil {
		return err.Error()
	}
	for _, name := range []string{"edges.csv", "pairs.csv"} {
		f, err := os.Open(filepath.Join("run", name))
		if err != nil {
			return err.Error()
		}
		defer f.Close()
		r := csv.NewReader(f)
		header, err := r.Read()
		for err == nil {
			var record []string
			if record, err = r.Read(); err != nil {
				break
			}
			for k, text := range record {
				v, failed := strconv.ParseFloat(text, 64)
				number := failed == nil && k > 1
				switch probability := header[k] == "probability" || header[k] == "adjacent" ||
					header[k] == "direction"; {
				case number && (math.IsNaN(v) || math.IsInf(v, 0)), number && probability &&
					!(v >= 0 && v <= 1+1e-12):
					return fmt.Sprintf("%s: %s is %s", name, header[k], text)
				}
			}
		}
		if err != io.EOF {
			return err.Error()
		}
	}
	return ""
}

// Every pair of options is a run whose results are numbers and probabilities, or is refused in one
// line as wrong usage.
func TestOptionPairs(t *testing.T) {
	inFolder(t, pairFiles())
	all := optionValues(t)
	succeed(t, "fit", "data.csv", "--engine", "svgd", "--order", "a,b,c,g", "--set", "svgd.steps=2",
		"--set", "svgd.particles=2", "--set", "svgd.samples=2", "--checkpoint", "before", "--quiet")
	var pairs, once [][]optionValue // once: pairs that were wrong before
	for k, a := range all {
		for _, b := range all[k+1:] {
			if a.name != b.name {
				pairs = append(pairs, []optionValue{a, b})
			}
			if a.name == "linear.noise-variance" && b.name == "mcmc.rungs" {
				once = append(once, pairs[len(pairs)-1])
			}
		}
	}
	if *somePairs > 0 {
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(pairs), func(a, b int) { pairs[a], pairs[b] = pairs[b], pairs[a] })
		pairs = slices.Concat(once, pairs[:min(*somePairs, len(pairs))])
	} else {
		for _, o := range all {
			pairs = append([][]optionValue{{o}}, pairs...)
		}
	}
	count := map[int]int{}
	for _, pair := range pairs {
		status, wrong := fitPair(t, pair)
		count[status]++
		if wrong != "" {
			t.Errorf("%v: %s", pair, wrong)
		}
		if len(pair) == 1 && status != cli.ExitDone {
			t.Errorf("%v is not valid alone", pair)
		}
	}
	t.Logf("%d runs with pairs of %d values of %d options: %d done, %d refused as wrong usage, "+
		"%d others", len(pairs), len(all), len(pairValues), count[cli.ExitDone],
		count[cli.ExitUsage], len(pairs)-count[cli.ExitDone]-count[cli.ExitUsage])
}
