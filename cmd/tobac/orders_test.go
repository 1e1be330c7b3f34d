package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/internal/cli"
	"tobac/internal/must"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
)

// A fit over several orders reports them in text and JSON, its files hold
// together, and eval recomputes its metrics.
func TestFitOverOrders(t *testing.T) {
	for _, row := range []struct{ name, args, weights string }{
		{"frequency", "", "frequency"},
		{"evidence", "--set order.weights=evidence", "evidence"},
		{"shares", "--engine svgd --set recipe=paper --set prior.edges-per-node=1", "frequency"},
		{"score", "--model bge --set order.weights=evidence", "evidence"},
		{"network", "--model ffn --set ffn.hidden=2", "frequency"},
	} {
		t.Run(row.name, func(t *testing.T) {
			simulated(t)
			args := append(sampled("fit", "data/train.csv", "--set", "order.count=12", "--heldout",
				"data/heldout.csv", "--truth", "data/graph.csv", "--out", "run"),
				strings.Fields(row.args)...)
			got := succeed(t, args...)
			summary := parse(t, readFile(t, "run/summary.json"))
			orders := summary["orders"].(map[string]any)
			if diff := cmp.Diff([]string{"chance_stability", "consensus", "distinct", "failures",
				"r2_sortability", "resamples", "stability", "varsortability"},
				slices.Sorted(maps.Keys(orders))); diff != "" {
				t.Errorf("keys of orders (-want +got):\n%s", diff)
			}
			distinct := orders["distinct"].([]any)
			counted, total, last := 0.0, 0.0, 1.0
			for _, o := range distinct {
				o := o.(map[string]any)
				w := o["weight"].(float64)
				if len(o["order"].([]any)) != 6 || w > last || o["violated_edges"] == nil ||
					(o["log_evidence"] != nil) != (row.weights == "evidence") ||
					(o["noise_variance"] != nil) != (row.name == "shares") {
					t.Errorf("order %v after the weight %v", o, last)
				}
				counted, total, last = counted+o["count"].(float64), total+w, w
			}
			if len(distinct) < 2 || counted != 12 || orders["resamples"] != 12.0 ||
				orders["failures"] != 0.0 || math.Abs(total-1) > 1e-12 {
				t.Fatalf("%d orders of %v resamples with the weight %v", len(distinct), counted,
					total)
			}
			if v := orders["varsortability"].(float64); v < 0 || v > 1 {
				t.Errorf("varsortability %v", v)
			}
			if len(summary["order"].([]any)) != 0 ||
				at(summary, "config", "settings", "order.count") != 12.0 ||
				at(summary, "config", "settings", "order.weights") != row.weights {
				t.Errorf("order %v, config %v", summary["order"], summary["config"])
			}
			for _, want := range []string{
				fmt.Sprintf("orders  %d distinct ones of 12 resamples, weighted by %s; resamples "+
					"agree on ", len(distinct), row.weights),
				"        along the true graph: varsortability 0.", "Consensus graph",
				"orders that allow A → B", "Metrics against data/graph.csv",
			} {
				if !strings.Contains(got.stdout, want) {
					t.Errorf("report lacks %q:\n%s", want, got.stdout)
				}
			}
			if want := fmt.Sprintf("step %d of %d, ", 40*len(distinct),
				40*len(distinct)); !strings.Contains(got.stderr, want) {
				t.Errorf("standard error lacks %q:\n%s", want, got.stderr)
			}
			checkEval(t, summary, "run")
			checkOrdersFiles(t, orders, len(distinct))
		})
	}
}

// checkOrdersFiles compares particles.json and consensus.csv in the folder run with
// the orders of summary.json.
func checkOrdersFiles(t *testing.T, orders map[string]any, distinct int) {
	t.Helper()
	p := saved(t, "run")
	total := floats.Sum(p.Empirical().Weights())
	if len(p.Components) != distinct || p.Order() != nil || len(p.Draws) != 6*distinct ||
		math.Abs(total-1) > 1e-12 {
		t.Errorf("particles.json has %d orders, the order %v, %d particles of the weight %v",
			len(p.Components), p.Order(), len(p.Draws), total)
	}
	m := 0
	for k, c := range p.Components {
		position := dag.Inverse(c.Order)
		for _, draw := range p.Draws[m : m+c.Draws] {
			for _, e := range draw.Graph.Edges() {
				if position[e.From] > position[e.To] {
					t.Errorf("a particle of order %d has the edge %v against it", k, e)
				}
			}
		}
		m += c.Draws
	}
	g, _ := must.Two(dag.ReadEdges(strings.NewReader(readFile(t, "run", "consensus.csv")),
		"run/consensus.csv", p.Names))(t)
	consensus := orders["consensus"].([]any)
	if len(consensus) != g.Size()-len(g.Undirected()) {
		t.Errorf("%d edges in the summary's consensus, %d in consensus.csv", len(consensus),
			g.Size())
	}
	for _, e := range consensus {
		if p := e.(map[string]any)["precedes"].(float64); p <= 0.25 || p > 1 {
			t.Errorf("consensus edge %v: half of an adjacency above ½ needs orders of more weight",
				e)
		}
	}
}

// One distinct order gives the files of a fit under it, and more workers give the
// same files.
func TestOrdersFilesRepeat(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,c\n")
	for i := range 60 {
		a := math.Sin(float64(i * i))
		b := 3*a + math.Cos(float64(7*i))
		fmt.Fprintf(&text, "%v,%v,%v\n", 3*b+math.Sin(float64(11*i*i)), b, a)
	}
	inFolder(t, map[string]string{"strong.csv": text.String()})
	succeed(t, sampled("fit", "strong.csv", "--set", "order.count=5", "--out", "mixed")...)
	if orders := at(parse(t, readFile(t, "mixed/summary.json")), "orders",
		"distinct").([]any); len(orders) != 1 {
		t.Fatalf("%d distinct orders", len(orders))
	}
	succeed(t, sampled("fit", "strong.csv", "--order", "c,b,a", "--out", "single")...)
	for _, name := range []string{"edges.csv", "consensus.csv", "consensus.dot"} {
		if readFile(t, "mixed", name) != readFile(t, "single", name) {
			t.Errorf("%s differs from that under the only order", name)
		}
	}
	if drawsIn(t, "mixed") != drawsIn(t, "single") {
		t.Error("particles differ from those under the only order")
	}
	simulated(t)
	for _, workers := range []string{"1", "5"} {
		succeed(t, sampled("fit", "data/train.csv", "--set", "order.count=8", "--set",
			"order.weights=evidence", "--out", workers, "--workers", workers)...)
	}
	for _, name := range []string{"particles.json", "edges.csv", "consensus.csv"} {
		if readFile(t, "1", name) != readFile(t, "5", name) {
			t.Errorf("%s differs between 1 and 5 workers", name)
		}
	}
}

// The embedded data, standardised, do not carry an order, and the command says so.
func TestOrdersWarn(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t,
		sampled("fit", "--set", "order.count=20", "--set", "data.standardize=true")...)
	for _, want := range []string{
		"tobac: warning: all marginal variances lie within 5 % of each other",
		"tobac: warning: the order is a guess at ",
		"tobac: warning: the order is a guess: resamples of the rows agree on ",
	} {
		if strings.Count(got.stderr, want) != 1 {
			t.Errorf("standard error lacks one line with %q:\n%s", want, got.stderr)
		}
	}
}

// Wrong uses of the options are one line and exit 2.
func TestBadOrders(t *testing.T) {
	var wide strings.Builder
	for i := range 40 {
		for j := range 25 {
			fmt.Fprintf(&wide, "%v,", math.Sin(float64(3+i*i+7*j*i)))
		}
		fmt.Fprintln(&wide, i%7)
	}
	inFolder(t, map[string]string{"good.csv": badInputs["good.csv"], "wide.csv": wide.String(),
		"order.txt": "a,b,c\n"})
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"fit --set order.count=0", cli.ExitUsage,
			`--set order.count=0: allowed: whole numbers from 1 to 10000`},
		{"fit --set order.weights=size --set order.count=3", cli.ExitUsage,
			`--set order.weights=size: allowed: frequency, evidence`},
		{"fit --set order.weights=evidence --order eqvar", cli.ExitUsage,
			`orders are weighted by evidence, but none are found in resamples: set a method and the number of resamples`},
		{"fit --set order.weights=evidence --set order.count=3", cli.ExitUsage,
			`orders are weighted by evidence, but none are found in resamples: set a method and the number of resamples`},
		{"fit --engine dibs --set order.count=3", cli.ExitUsage,
			`--engine dibs: the engine dibs takes no causal order`},
		{"fit good.csv --set order.count=3 --order a,b,c", cli.ExitUsage,
			`the causal order is known, which leaves no distribution over orders`},
		{"fit good.csv --set order.count=3 --order order.txt", cli.ExitUsage,
			`the causal order is known, which leaves no distribution over orders`},
		{"fit --set order.count=3 --order eqvar --set order.weights=evidence --model ffn",
			cli.ExitUsage,
			`order.count has no effect: the engine is tempering, which 853 rows of 11 columns take; --engine svgd samples under several orders`},
		{"fit wide.csv --set order.count=3 --order eqvar --set order.weights=evidence --quiet",
			cli.ExitUsage,
			`order.weights=evidence: no weights by evidence: they sum over 2^d sets of parents, and there are 26 variables; allowed: at most 24, or weights by frequency`},
		{"order good.csv --bootstrap 0", cli.ExitUsage,
			`--bootstrap "0": allowed: whole numbers from 1 to 100000`},
		{"order good.csv --bootstrap 3 --all", cli.ExitUsage,
			`--all and --bootstrap contradict each other: choose one --method to resample for`},
		{"order good.csv --seed 3", cli.ExitUsage, `--seed is for the resamples of --bootstrap N`},
		{"order no.csv --bootstrap 3", cli.ExitFailed, `no.csv: no such file or directory`},
	} {
		refuses(t, c.args, c.code, c.want)
	}
}

// Ctrl-C after the first order stops within the second, and says where in the
// whole run.
func TestInterruptedOverOrders(t *testing.T) {
	simulated(t)
	distinct := len(
		at(parse(t, succeed(t, sampled("fit", "data/train.csv", "--set", "order.count=12",
			"--json")...).stdout), "orders", "distinct").([]any))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 200 * distinct
	stop := (steps + 9) / 10 * 3 // the third line of progress
	stderr := &signalWriter{text: fmt.Sprintf("step %d of %d,", stop, steps), found: cancel}
	var stdout bytes.Buffer
	args := sampled("fit", "data/train.csv", "--set", "order.count=12", "--out", "run", "--set",
		"svgd.steps=200")
	code := run(ctx, args, nil, &stdout, stderr)
	want := fmt.Sprintf("tobac: interrupted after step %d of %d; nothing was written", stop, steps)
	if code != cli.ExitInterrupted || !strings.Contains(stderr.String(), want) || stop < 200 {
		t.Errorf("exit %d, want %q in\n%s", code, want, stderr.String())
	}
	if left := listing(t, "."); stdout.Len() > 0 || !slices.Equal(left, []string{"data"}) {
		t.Errorf("left behind: files %v, output %q", left, stdout.String())
	}
}

// Resamples of few columns are a matrix, of many the least stable pairs.
func TestOrderBootstrap(t *testing.T) {
	simulated(t)
	got := succeed(t, "order", "data/train.csv", "--bootstrap", "25")
	plain := succeed(t, "order", "data/train.csv").stdout
	for _, want := range []string{
		`^Order of all rows: ` + regexp.QuoteMeta(plain),
		`\nResamples: 25, failed: 0, distinct orders: \d+; they agree on \d+ % of the pairs of columns \(chance: 58 %\)\n`,
		`\nshare +count +order\n0\.\d{3} +\d+ +(X\d,){5}X\d\n`,
		`\n +X0 +X1 +X2 +X3 +X4 +X5\nX0 +- +[01]\.\d\d `,
	} {
		if !regexp.MustCompile(want).MatchString(got.stdout) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
	if again := succeed(t, "order", "data/train.csv", "--bootstrap", "25", "--seed",
		"1").stdout; again != got.stdout {
		t.Error("seed 1 is not the default")
	}
	if other := succeed(t, "order", "data/train.csv", "--bootstrap", "25", "--seed",
		"2").stdout; other == got.stdout {
		t.Error("another seed gives the same resamples")
	}
	succeed(t, "simulate", "--vars", "14", "--samples", "50", "--out", "many")
	got = succeed(t, "order", "many/train.csv", "--bootstrap", "25", "--method", "variance")
	if want := regexp.MustCompile(
		`\nLeast stable of the 91 pairs: share of the resamples .*\n(X\d+ +X\d+ +[01]\.\d\d\n){20}$`); !want.MatchString(got.stdout) {
		t.Errorf("output lacks %q:\n%s", want, got.stdout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := runWith(t, ctx, "", "order", "data/train.csv", "--bootstrap",
		"25"); got.code != cli.ExitInterrupted || got.stderr != "tobac: interrupted\n" ||
		got.stdout != "" {
		t.Errorf("interrupted: %+v", got)
	}
}

// A posterior over several orders in a file, whole and damaged.
func TestEvalOfDamagedOrders(t *testing.T) {
	const whole = `{"version":2,"names":["a","b"],"kind":"particles","marginals":{"probabilities":[[0,0.5],[0.5,0]]},"components":[` +
		`{"order":[0,1],"draws":1,"weight":0.5,"log_weight":-0.6931471805599453,"noise_variance":0.1},` +
		`{"order":[1,0],"draws":1,"weight":0.5,"log_weight":-0.6931471805599453,"noise_variance":0.2}],` +
		`"draws":[{"edges":[[0,1]],"log_prior":-1,"log_likelihood":-1},{"edges":[[1,0]],"log_prior":-1,"log_likelihood":-1}]}`
	for _, c := range []struct{ name, old, with, want string }{
		{"whole", "", "", ""},
		{"order", `"order":[1,0]`, `"order":[1,1]`,
			"component 2: order [1 1] is not a permutation of 0 to 1"},
		{"noise", `"noise_variance":0.2`, `"noise_variance":-1`,
			"component 2: noise variance -1, want a number from 0 on"},
		{"particles", `{"order":[1,0],"draws":1`, `{"order":[1,0],"draws":2`,
			"components have 3 draws, there are 2"},
		{"no particle", `{"order":[1,0],"draws":1`, `{"order":[1,0],"draws":0`,
			"component 2: 0 draws, want at least 1"},
		{"weights", `"weight":0.5,"log_weight":-0.6931471805599453,"noise_variance":0.2`,
			`"weight":1,"log_weight":0`, "weights of the components sum to 1.5, want 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := whole
			if c.old != "" {
				if text = strings.Replace(whole, c.old, c.with, 1); text == whole {
					t.Fatalf("%q does not occur", c.old)
				}
			}
			inFolder(t, map[string]string{"particles.json": text,
				"truth.csv": "source,target\na,b\n"})
			got := runTobac(t, "eval", "--truth", "truth.csv", ".")
			if c.want == "" {
				if e := at(parse(t, got.stdout), "metrics", "empirical",
					"eshd"); got.code != cli.ExitDone || e != 0.5 {
					t.Errorf("got %+v, want an E-SHD of one half", got)
				}
				return
			}
			if want := "tobac: particles.json: " + c.want + "\n"; got.code != cli.ExitFailed ||
				got.stderr != want {
				t.Errorf("got exit %d and %q, want %d and %q", got.code, got.stderr, cli.ExitFailed,
					want)
			}
		})
	}
}
