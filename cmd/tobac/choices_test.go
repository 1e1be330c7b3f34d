package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tobac/dataset"
	"tobac/internal/stream"
)

// Every model and method writes all files, whose metrics eval finds again, and
// says what it is. Only the linear model has weights.
func TestEveryModel(t *testing.T) {
	for _, c := range []struct {
		name, args string
		lines      []string // of the report
		config     map[string]any
		weights    bool
		parameters int // of a particle, −1: one per edge
	}{
		{"network", "--model ffn --hidden 3,2 --activation tanh --grad score-loo", []string{
			"model   ffn, hidden units 3,2, tanh\n", "nodewise estimator, score-loo gradient, seed 1",
		}, map[string]any{"gradient": "score-loo", "noise_variance": 0.1}, false, 6 * (6*3 + 3 + 3*2 + 2 + 2 + 1)},
		{"score", "--model bge", []string{"model   bge\n", "nodewise estimator, score gradient, seed 1"},
			map[string]any{"gradient": "score", "noise_variance": 0.0, "alpha_rate": 1.0, "bandwidth_theta": 0.0}, false, 0},
		{"reparameterised score", "--model bge --grad reparam --preset paper --prior sf", []string{"prior   scale-free\n", "joint estimator, seed 1"},
			map[string]any{"gradient": nil, "prior": "sf", "edges_per_node": 0.0}, false, 0},
		{"linear DiBS", "--method dibs --prior uniform", []string{"method  dibs, without an order: ", "prior   uniform\n"},
			map[string]any{"method": "dibs", "prior": "uniform", "rank": 6.0, "order": "", "weight_start": "prior", "noise_variance": 0.1}, true, -1},
		{"network DiBS", "--method dibs --model ffn --preset paper --edges-per-node 1", []string{"method  dibs", "model   ffn, hidden units 5, relu\n", "prior   1 edges per node"},
			map[string]any{"method": "dibs", "weight_start": "prior"}, false, 6 * (6*5 + 2*5 + 1)},
		{"float32", "--precision float32", []string{"nodewise estimator, float32, seed 1"}, map[string]any{"precision": "float32"}, true, -1},
		{"score DiBS", "--method dibs --model bge", []string{"method  dibs", "model   bge\n"}, map[string]any{"method": "dibs"}, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			simulated(t)
			args := append(quick("fit", "data/train.csv", "--heldout", "data/heldout.csv", "--truth", "data/graph.csv", "--out", "run"), strings.Fields(c.args)...)
			report := succeed(t, args...).stdout
			for _, line := range c.lines {
				if !strings.Contains(report, line) {
					t.Errorf("report lacks %q:\n%s", line, report)
				}
			}
			if strings.Contains(report, "NaN") {
				t.Errorf("report has NaN:\n%s", report)
			}
			summary := parse(t, readFile(t, "run/summary.json"))
			for key, want := range c.config {
				if got := at(summary, "config", key); got != want {
					t.Errorf("config %s is %v, want %v", key, got, want)
				}
			}
			again := parse(t, succeed(t, "eval", "--truth", "data/graph.csv", "--heldout", "data/heldout.csv", "run").stdout)
			for _, key := range []string{"metrics", "cyclic"} {
				if diff := cmp.Diff(summary[key], again[key]); diff != "" {
					t.Errorf("eval differs from summary.json in %s (-summary +eval):\n%s", key, diff)
				}
			}
			for _, posterior := range []string{"empirical", "mixture", "empty"} {
				for _, key := range metricKeys {
					if _, ok := at(summary, "metrics", posterior, key).(float64); !ok {
						t.Errorf("metric %s of %s is %v, want a number", key, posterior, at(summary, "metrics", posterior, key))
					}
				}
			}
			checkWeights(t, c.weights)
			s, err := readParticles("run")
			if err != nil {
				t.Fatal(err)
			}
			for m, p := range s.Particles {
				want := c.parameters
				if want < 0 {
					want = len(p.Edges)
				}
				if len(p.Parameters) != want {
					t.Errorf("particle %d has %d parameters, want %d", m, len(p.Parameters), want)
				}
			}
		})
	}
}

// checkWeights asserts that the files of the folder run have weights, or empty
// columns in their place and no number that is none.
func checkWeights(t *testing.T, weights bool) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, "run/edges.csv")), "\n")
	if lines[0] != "source,target,probability,weight_mean,weight_sd" {
		t.Errorf("header of edges.csv is %q", lines[0])
	}
	for _, line := range lines[1:] {
		if strings.HasSuffix(line, ",,") == weights || strings.Contains(line, "NaN") {
			t.Errorf("line %q of edges.csv, weights %t", line, weights)
		}
	}
	graph, want := readFile(t, "run/graph.csv"), "source,target\n"
	if weights {
		want = "source,target,weight\n"
	}
	if !strings.HasPrefix(graph, want) {
		t.Errorf("graph.csv begins with %q, want %q", graph, want)
	}
	if dot := readFile(t, "run/graph.dot"); strings.Count(dot, "->") != strings.Count(graph, "\n")-1 || !weights && strings.Contains(dot, "label") {
		t.Errorf("graph.dot does not fit graph.csv:\n%s", dot)
	}
}

// What the linear model with TOBAC writes has no keys for other choices.
func TestDefaultsAreLeftOut(t *testing.T) {
	simulated(t)
	succeed(t, quick("fit", "data/train.csv", "--model", "linear", "--method", "tobac", "--prior", "er", "--grad", "reparam", "--precision", "float64", "--out", "run")...)
	config := at(parse(t, readFile(t, "run/summary.json")), "config").(map[string]any)
	for _, key := range []string{"model", "method", "prior", "gradient", "precision", "interventions"} {
		if v, ok := config[key]; ok {
			t.Errorf("config has %s: %v", key, v)
		}
	}
	for _, key := range []string{`"method"`, `"model"`} {
		if strings.Contains(readFile(t, "run/particles.json"), key) {
			t.Errorf("particles.json has %s", key)
		}
	}
	same := readFile(t, "run/particles.json")
	succeed(t, quick("fit", "data/train.csv", "--out", "run")...)
	if readFile(t, "run/particles.json") != same {
		t.Error("spelling out the defaults changes the particles")
	}
}

// A file of edge probabilities is read by name: rows and columns in another
// sequence mean the same. 0 and 1 hold in every particle.
func TestPriorFile(t *testing.T) {
	simulated(t)
	line := strings.TrimSpace(succeed(t, "order", "data/train.csv").stdout)
	order := strings.Split(line, ",")
	probability := func(from, to string) float64 {
		switch {
		case from == order[0] && to == order[1]:
			return 1
		case from == order[0] && to == order[2]:
			return 0
		}
		return 0.3
	}
	write := func(name string, names []string) {
		text := strings.Join(names, ",") + "\n"
		for _, from := range names {
			for j, to := range names {
				if j > 0 {
					text += ","
				}
				text += fmt.Sprint(probability(from, to))
			}
			text += "\n"
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("natural.csv", []string{"X0", "X1", "X2", "X3", "X4", "X5"})
	write("mixed.csv", []string{"X3", "X5", "X0", "X1", "X4", "X2"})
	particles := ""
	for _, name := range []string{"natural.csv", "mixed.csv"} {
		got := succeed(t, quick("fit", "data/train.csv", "--prior", name, "--out", "run")...)
		if want := "prior   edge probabilities in " + name + "\n"; !strings.Contains(got.stdout, want) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
		text := readFile(t, "run/particles.json")
		if particles != "" && text != particles {
			t.Errorf("%s gives other particles than natural.csv", name)
		}
		particles = text
	}
	s, err := readParticles("run")
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.posterior()
	if err != nil {
		t.Fatal(err)
	}
	index := map[string]int{}
	for j, name := range s.Names {
		index[name] = j
	}
	for m, g := range p.Graphs {
		if !g.Has(index[order[0]], index[order[1]]) || g.Has(index[order[0]], index[order[2]]) {
			t.Errorf("particle %d has the edges %v of %v, order %v", m, g.Edges(), s.Names, order)
		}
	}
}

// Interventions change the fit, are read by name, and are held out with their
// rows: the density of a held-out row leaves its set values out.
func TestInterventionsFile(t *testing.T) {
	simulated(t)
	data, err := dataset.ReadFile("data/train.csv")
	if err != nil {
		t.Fatal(err)
	}
	n, d := data.X.Dims()
	none, some := strings.Join(data.Names, ",")+"\n", "X5,X4,X3,X2,X1,X0\n"
	for i := range n {
		row := make([]string, d)
		for j := range row {
			row[j] = "0"
		}
		none += strings.Join(row, ",") + "\n"
		if i%3 == 0 {
			row[i/3%d] = "1"
		}
		some += strings.Join(row, ",") + "\n"
	}
	for name, text := range map[string]string{"none.csv": none, "some.csv": some} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fit := func(args ...string) (summary map[string]any, particles string) {
		got := succeed(t, quick(append([]string{"fit", "data/train.csv", "--out", "run", "--json", "--holdout", "0.3"}, args...)...)...)
		return parse(t, got.stdout), readFile(t, "run/particles.json")
	}
	plain, plainParticles := fit()
	same, sameParticles := fit("--interventions", "none.csv")
	if diff := cmp.Diff(plain["metrics"], same["metrics"]); diff != "" || plainParticles != sameParticles {
		t.Errorf("a table of zeros changes the fit (-without +with):\n%s", diff)
	}
	if got := at(same, "config", "interventions"); got != "none.csv" {
		t.Errorf("config interventions is %v", got)
	}
	set, setParticles := fit("--interventions", "some.csv", "--order", "X0,X1,X2,X3,X4,X5", "--noise-variance", "0.1")
	_, freeParticles := fit("--order", "X0,X1,X2,X3,X4,X5", "--noise-variance", "0.1")
	if setParticles == freeParticles {
		t.Error("interventions leave the particles as they were")
	}
	// The graph without edges has density lnN(x; 0, 0.1) for every held-out value
	// that was not set.
	_, rows, err := data.Split(0.3, stream.New(1, stream.HeldoutRows))
	if err != nil {
		t.Fatal(err)
	}
	table, err := readInterventions("some.csv", data)
	if err != nil {
		t.Fatal(err)
	}
	_, mask, err := table.Split(0.3, stream.New(1, stream.HeldoutRows))
	if err != nil {
		t.Fatal(err)
	}
	want, counted := 0.0, 0
	held, _ := rows.X.Dims()
	for i := range held {
		for k := range d {
			if x := rows.X.At(i, k); mask.X.At(i, k) == 0 {
				want += 0.5*math.Log(2*math.Pi*0.1) + x*x/0.2
				counted++
			}
		}
	}
	if got := at(set, "metrics", "empty", "neg_ll").(float64); math.Abs(got-want) > 1e-9*math.Abs(want) || counted == held*d {
		t.Errorf("Neg.LL of %d held-out values without edges: %v, want %v", counted, got, want)
	}
}

func TestSimulateOtherModels(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, "simulate", "--model", "ffn", "--prior", "sf", "--vars", "7", "--samples", "12", "--seed", "3", "--out", "a")
	if want := "graph.csv: edges 11, expected 11\n"; !strings.HasSuffix(got.stdout, want) {
		t.Errorf("standard output %q, want it to end with %q", got.stdout, want)
	}
	if graph := readFile(t, "a/graph.csv"); !strings.HasPrefix(graph, "source,target\n") || strings.Count(graph, "\n") != 12 {
		t.Errorf("graph.csv is %q", graph)
	}
	g, err := dataset.SimulateScaleFree(dataset.ScaleFreeConfig{Vars: 7, EdgesPerNode: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.SimulateNonlinear(g, dataset.NonlinearConfig{Rows: 12, HeldoutRows: 12, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]*dataset.Table{"train.csv": s.Train, "heldout.csv": s.Heldout} {
		x, err := dataset.ReadFile(filepath.Join("a", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.X.RawMatrix().Data, x.X.RawMatrix().Data); diff != "" {
			t.Errorf("%s (-library +file):\n%s", name, diff)
		}
	}
	succeed(t, quick("fit", "a/train.csv", "--model", "ffn", "--prior", "sf", "--truth", "a/graph.csv")...)
	if linear := succeed(t, "simulate", "--prior", "sf", "--out", "b").stdout; !strings.Contains(linear, "edges 37, expected 37") {
		t.Errorf("scale-free graph of 20 variables: %q", linear)
	}
}

// Wrong combinations, and files that do not fit, are one line each.
func TestBadChoices(t *testing.T) {
	files := map[string]string{
		"good.csv":    badInputs["good.csv"],
		"wide.csv":    "a,b,c\n0,.5,.5\n.5,0,.5\n",
		"outside.csv": "a,b,c\n0,.5,.5\n.5,0,1.5\n.5,.5,0\n",
		"against.csv": "a,b,c\n0,.5,.5\n.5,0,.5\n1,.5,0\n",
		"fixed.csv":   "a,b,c\n0,1,0\n0,0,1\n0,0,0\n",
		"extra.csv":   "a,b,c,d\n0,0,0,0\n",
		"lacking.csv": "a,b\n0,0\n",
		"half.csv":    "c,b,a\n0,0,0\n0,0.5,0\n0,0,0\n0,0,0\n0,0,0\n",
		"short.csv":   "a,b,c\n0,0,0\n",
		"all.csv":     "a,b,c\n1,0,0\n0,1,0\n0,0,1\n1,0,0\n1,1,0\n",
	}
	const (
		failed = exitFailed
		usage  = exitUsage
	)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"fit --model gp", usage, `invalid argument "gp" for "--model" flag: allowed: linear, ffn, bge`},
		{"fit --model ffn --hidden 0", usage, `invalid argument "0" for "--hidden" flag: allowed: whole numbers from 1, separated by commas`},
		{"fit --model ffn --hidden 5,,5", usage, `invalid argument "5,,5" for "--hidden" flag: allowed: whole numbers from 1, separated by commas`},
		{"fit --model ffn --activation elu", usage, `invalid argument "elu" for "--activation" flag: allowed: relu, tanh, sigmoid, leaky-relu`},
		{"fit --method notears", usage, `invalid argument "notears" for "--method" flag: allowed: tobac, dibs`},
		{"fit --grad exact", usage, `invalid argument "exact" for "--grad" flag: allowed: reparam, score, score-loo`},
		{"fit --hidden 5", usage, `--hidden contradicts --model linear: only --model ffn has hidden layers`},
		{"fit --model bge --activation tanh", usage, `--activation contradicts --model bge: only --model ffn has hidden layers`},
		{"fit --model bge --noise-variance 1", usage, `--noise-variance contradicts --model bge: the score integrates the noise variance out`},
		{"fit --method dibs --order eqvar", usage, `--order contradicts --method dibs: it needs no order`},
		{"fit --prior sf --edges-per-node 1", usage, `--edges-per-node contradicts --prior sf: only --prior er has expected edges`},
		{"fit --grad score-loo --samples 1", usage, `--grad score-loo contradicts --samples 1: it leaves one sample out, and needs at least 2`},
		{"fit good.csv --prior no.csv", failed, `no.csv: no such file or directory`},
		{"fit good.csv --prior wide.csv", failed, `wide.csv: got 2 rows of 3 columns, want a row for each column: entry (i, j) is the probability of the edge from i to j`},
		{"fit good.csv --prior outside.csv", failed, `outside.csv: probability of the edge "b" -> "c" is 1.5; allowed: numbers from 0 to 1`},
		{"fit good.csv --prior extra.csv", failed, `extra.csv: unknown column "d"; allowed: "a", "b", "c"`},
		{"fit good.csv --prior lacking.csv", failed, `lacking.csv: no column is named "c"; allowed: "a", "b"`},
		{"fit good.csv --prior against.csv --order a,b,c", failed, `good.csv: the graph prior makes the edge c → a certain, but the causal order puts a first; give an order that agrees`},
		{"fit good.csv --prior fixed.csv --order a,b,c", failed, `good.csv: TOBAC: the graph prior fixes every edge, which leaves nothing to infer`},
		{"fit good.csv --interventions no.csv", failed, `no.csv: no such file or directory`},
		{"fit good.csv --interventions extra.csv", failed, `extra.csv: unknown column "d"; allowed: "a", "b", "c"`},
		{"fit good.csv --interventions lacking.csv", failed, `lacking.csv: no column is named "c"; allowed: "a", "b"`},
		{"fit good.csv --interventions half.csv", failed, `half.csv: row 2, column "b" is 0.5; allowed: 1 where the value was set by intervention, 0 elsewhere`},
		{"fit good.csv --interventions short.csv", failed, `short.csv: got 1 rows, want 5 like the data`},
		{"fit good.csv --interventions all.csv", failed, `good.csv: every row has an intervention, which leaves none to find an order from; give the order`},
		{"simulate --model bge --out s", usage, `invalid argument "bge" for "--model" flag: allowed: linear, ffn`},
		{"simulate --prior uniform --out s", usage, `invalid argument "uniform" for "--prior" flag: allowed: er, sf`},
		{"simulate --prior sf --edges-per-node 1.5 --out s", usage, `--edges-per-node 1.5 is not a whole number, which --prior sf needs`},
		{"simulate --prior sf --edges-per-node 20 --out s", usage, `--edges-per-node: scale-free graph with 20 edges per node among 20 variables; allowed: 1 to 19`},
	} {
		t.Run(c.args, func(t *testing.T) {
			inFolder(t, files)
			refuses(t, c.args, c.code, c.want)
		})
	}
}

// A variable whose every value was set contributes nothing: it runs.
func TestVariableWithoutRows(t *testing.T) {
	inFolder(t, map[string]string{"good.csv": badInputs["good.csv"], "set.csv": "a,b,c\n0,1,0\n0,1,0\n0,1,0\n0,1,0\n0,1,0\n"})
	for _, model := range []string{"linear", "ffn", "bge"} {
		succeed(t, quick("fit", "good.csv", "--order", "a,b,c", "--interventions", "set.csv", "--model", model)...)
	}
}

// Damage to what only other models and methods store is named.
func TestEvalOfDamagedModels(t *testing.T) {
	const whole = `{"names":["a","b"],"order":[],"method":"dibs","model":{"name":"bge"},"standardization":null,"particles":[{"edges":[[0,1]],"parameters":[],"log_prior":0,"log_likelihood":-1,"log_weight":0}]}`
	for _, c := range []struct{ name, old, with, want string }{
		{"whole", "", "", ""},
		{"order", `"order":[]`, `"order":[0,1]`, "the method dibs has the order [0 1], want none"},
		{"method", `"dibs"`, `"notears"`, `unknown method "notears"`},
		{"model", `"bge"`, `"gp"`, "unknown model {Name:gp Hidden:[] Activation: NoBias:false}"},
		{"noise", `"standardization"`, `"noise_variance":1,"standardization"`, "noise variance is 1, want none for the model bge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, map[string]string{"particles.json": strings.Replace(whole, c.old, c.with, 1), "truth.csv": "source,target\na,b\n"})
			got := runTobac(t, "eval", "--truth", "truth.csv", ".")
			if c.want == "" {
				if got.code != exitDone {
					t.Errorf("got %+v", got)
				}
				return
			}
			if want := "tobac: particles.json: not a posterior written by tobac fit: " + c.want + "\n"; got.code != exitFailed || got.stderr != want {
				t.Errorf("got exit %d and %q, want %d and %q", got.code, got.stderr, exitFailed, want)
			}
		})
	}
}
