package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/must"
	"tobac/internal/stream"
	"tobac/posterior"
	"tobac/sem"

	"github.com/google/go-cmp/cmp"
)

// Every engine, model and method writes its files, whose metrics eval finds again,
// and says what it is. Linear models have weights.
func TestEveryModel(t *testing.T) {
	const (
		perEdge  = -1 // parameters of a draw: equations with a weight for each edge
		none     = -2 // particles to compare with
		networks = 6*(6*5+2*5+1) + 6
	)
	for _, c := range []struct {
		name, args string
		lines      []string // of the report
		summary    map[string]any
		config     map[string]any
		parameters int // of a draw
		compared   int // of a particle to compare with
		density    bool
	}{
		{"auto", "--beside svgd",
			[]string{"model   linear with equal noise variances\n",
				"engine  exact, over all graphs: the choice up to 20 variables\n"},
			map[string]any{"engine": "exact", "model": "linear"},
			map[string]any{"engine": "auto", "model": "auto"}, perEdge, perEdge, true},
		{"exact", "--engine exact", []string{"engine  exact, over all graphs\n"},
			map[string]any{"engine": "exact", "model": "linear"}, nil, perEdge, none, true},
		{"exact along an order", "--engine exact --order X1,X5,X2,X0,X3,X4",
			[]string{"engine  exact, over all graphs along the given order\n",
				"order   X1,X5,X2,X0,X3,X4\n"},
			map[string]any{"engine": "exact"}, nil, perEdge, none, true},
		{"chains", "--engine mcmc --model linear --set iterations=400 --set warm-up=200 --set " +
			"chains=3", []string{"engine  mcmc, 3 chains of 400 iterations\n",
			"model   linear with equal noise variances: as asked for\n"},
			map[string]any{"engine": "mcmc", "model": "linear"},
			map[string]any{"mcmc.chains": 3.0, "mcmc.iterations": 400.0, "mcmc.warm-up": 200.0},
			perEdge, none, true},
		{"svgd", "--engine svgd", []string{"engine  svgd, 6 particles, 40 steps, 8 samples, " +
			"nodewise estimator, under each of 5 orders\n        drawn from the posterior\n"},
			map[string]any{"engine": "svgd"}, nil, perEdge, none, true},
		{"svgd under EqVar's order", "--order eqvar", []string{"engine  svgd, 6 particles, 40 " +
			"steps, 8 samples, nodewise estimator: a method finds the\n        order\n",
			"order   X"},
			map[string]any{"engine": "svgd", "model": "linear unequal"},
			map[string]any{"engine": "auto"}, perEdge, none, true},
		{"unequal variances", "--model linear-unequal --beside svgd",
			[]string{"model   linear with unequal noise variances: as asked for\n",
				"on columns scaled to variance"},
			map[string]any{"engine": "exact", "model": "bge"}, nil, perEdge, perEdge, true},
		{"Gaussian processes", "--model gp --beside svgd",
			[]string{"model   nonlinear with Gaussian processes: as asked for\n"},
			map[string]any{"engine": "exact", "model": "gp"}, nil, 0, networks, false},
		{"network", "--model ffn --set ffn.hidden=3,2 --set ffn.activation=tanh --set " +
			"svgd.grad=score-loo", []string{
			"model   nonlinear with neural networks (hidden=3,2 activation=tanh) on columns " +
				"scaled to",
			"nodewise estimator, score-loo gradient,\n",
			"orders  drawn from their posterior under the model linear with equal noise variances,",
		}, map[string]any{"model": "ffn hidden=3,2 activation=tanh"},
			map[string]any{"svgd.grad": "score-loo"}, 6*(6*3+3+3*2+2+2+1) + 6, none, true},
		{"score", "--model bge --engine svgd --order eqvar", []string{"model   linear with " +
			"unequal noise variances on columns scaled to variance 1: as asked for\n",
			"nodewise estimator, score gradient\n"},
			map[string]any{"model": "bge raw"}, map[string]any{"svgd.grad": "score"}, 0, none,
			true},
		{"reparameterised score",
			"--model bge --set grad=reparam --engine svgd --set recipe=paper --prior sf",
			[]string{"prior   scale-free\n", "joint estimator\n"},
			nil, map[string]any{"svgd.grad": "reparam", "prior": "sf", "prior.edges-per-node": nil},
			0, none, true},
		{"linear DiBS", "--engine dibs --prior uniform",
			[]string{"engine  dibs, ", "prior   uniform: "},
			map[string]any{"engine": "dibs"}, map[string]any{"prior": "uniform", "dibs.rank": 6.0,
				"order": "posterior", "dibs.penalty-rate": 1.0}, perEdge, none, true},
		{"network DiBS",
			"--engine dibs --model ffn --set recipe=paper --set prior.edges-per-node=1",
			[]string{"engine  dibs, ",
				"model   nonlinear with neural networks (noise-variance=0.1 raw): as asked for\n",
				" expected edges (1 per node)"},
			map[string]any{"edges_per_node": 1.0}, map[string]any{"engine": "dibs"}, networks - 6,
			none, true},
		{"score DiBS", "--engine dibs --model bge", []string{"engine  dibs, ", "model   linear " +
			"with unequal noise variances on columns scaled to variance 1: as asked for\n"}, nil,
			map[string]any{"engine": "dibs"}, 0, none, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			simulated(t)
			args := quick(append([]string{"fit", "data/train.csv", "--heldout", "data/heldout.csv",
				"--truth", "data/graph.csv", "--out", "run"}, strings.Fields(c.args)...)...)
			got := succeed(t, args...)
			for _, line := range c.lines {
				if !strings.Contains(got.stdout, line) {
					t.Errorf("report lacks %q:\n%s", line, got.stdout)
				}
			}
			if strings.Contains(got.stdout, "NaN") {
				t.Errorf("report has NaN:\n%s", got.stdout)
			}
			summary := parse(t, readFile(t, "run/summary.json"))
			for key, want := range c.summary {
				if got := summary[key]; got != want {
					t.Errorf("%s is %v, want %v", key, got, want)
				}
			}
			for key, want := range c.config {
				got := at(summary, "config", key)
				if cli.TopicOf(key) != "" {
					got = at(summary, "config", "settings", key)
				}
				if got != want {
					t.Errorf("config %s is %v, want %v", key, got, want)
				}
			}
			checkEval(t, summary, "run")
			if _, known := at(summary, "metrics", "empirical",
				"neg_ll_data_only").(float64); known != c.density {
				t.Errorf("Neg.LL of held-out rows is %v",
					at(summary, "metrics", "empirical", "neg_ll_data_only"))
			}
			if c.density == strings.Contains(got.stderr, "no density") {
				t.Errorf("standard error %q", got.stderr)
			}
			checkWeights(t, c.parameters == perEdge || c.name == "score")
			checkDraws(t, saved(t, "run"), c.parameters)
			_, err := os.Stat("run/" + comparedFile)
			if (err == nil) != (c.compared != none) ||
				(summary["svgd"] != nil) != (c.compared != none) {
				t.Fatalf("particles to compare with: %v, %v", err, summary["svgd"])
			}
			if c.compared != none {
				checkComparison(t, summary, "run")
				checkDraws(t, saved(t, "compared"), c.compared)
			}
		})
	}
}

// checkDraws asserts that draws have so many parameters, or for a negative number
// equations with a weight for each edge.
func checkDraws(t *testing.T, p *posterior.Posterior, parameters int) {
	t.Helper()
	for m, draw := range p.Draws {
		switch {
		case parameters < 0 && (draw.Equations == nil ||
			!dag.FromMatrix(draw.Equations.Weights).Equal(draw.Graph) || draw.Parameters != nil):
			t.Fatalf("draw %d has the equations %v and %d parameters, want a weight for each "+
				"edge alone", m, draw.Equations, len(draw.Parameters))
		case parameters >= 0 && (len(draw.Parameters) != parameters || draw.Equations != nil):
			t.Fatalf("draw %d has %d parameters, want %d, and the equations %v, want none", m,
				len(draw.Parameters), parameters, draw.Equations)
		}
	}
}

// checkWeights asserts that the files of the folder run have weights, or empty
// columns in their place and no number that is none.
func checkWeights(t *testing.T, weights bool) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, "run/edges.csv")), "\n")
	if lines[0] != "source,target,probability,weight_mean,weight_sd,adjacent,direction,fixed" {
		t.Errorf("header of edges.csv is %q", lines[0])
	}
	for _, line := range lines[1:] {
		var p float64
		fmt.Sscan(strings.Split(line, ",")[2], &p)
		// a rarer edge may be in no draw
		if (strings.Split(line, ",")[3] == "") == weights && p > 0.01 ||
			strings.Contains(line, "NaN") {
			t.Errorf("line %q of edges.csv, weights %t", line, weights)
		}
	}
	graph, want := readFile(t, "run/consensus.csv"), "source,target,type\n"
	if weights {
		want = "source,target,weight,type\n"
	}
	if !strings.HasPrefix(graph, want) {
		t.Errorf("consensus.csv begins with %q, want %q", graph, want)
	}
	if dot := readFile(t, "run/consensus.dot"); strings.Count(dot, "->") != strings.Count(graph,
		"\n")-1 || strings.Contains(dot, "weight_mean") != (weights &&
		strings.Contains(dot, "->")) {
		t.Errorf("consensus.dot does not fit consensus.csv:\n%s", dot)
	}
}

// Spelling out the defaults changes nothing, and bge is another name of
// linear-unequal.
func TestNamesOfDefaults(t *testing.T) {
	simulated(t)
	for _, c := range []struct{ plain, spelled string }{
		{"--engine svgd", "--engine svgd --model auto --prior er --set grad=reparam --order " +
			"posterior --set data.transform=none"},
		{"--model linear-unequal", "--model bge"},
	} {
		fit := func(words string) {
			succeed(t, quick(strings.Fields("fit data/train.csv --out run "+words)...)...)
		}
		fit(c.plain)
		want := readFile(t, "run/particles.json")
		fit(c.spelled)
		if readFile(t, "run/particles.json") != want {
			t.Errorf("%q changes the particles", c.spelled)
		}
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
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("natural.csv", []string{"X0", "X1", "X2", "X3", "X4", "X5"})
	write("mixed.csv", []string{"X3", "X5", "X0", "X1", "X4", "X2"})
	particles := ""
	for _, name := range []string{"natural.csv", "mixed.csv"} {
		got := succeed(t, sampled("fit", "data/train.csv", "--prior", name, "--out", "run")...)
		if want := "prior   edge probabilities in " + name +
			"\n"; !strings.Contains(got.stdout, want) {
			t.Errorf("report lacks %q:\n%s", want, got.stdout)
		}
		text := readFile(t, "run/particles.json")
		if particles != "" && text != particles {
			t.Errorf("%s gives other particles than natural.csv", name)
		}
		particles = text
	}
	p := saved(t, "run")
	index := map[string]int{}
	for j, name := range p.Names {
		index[name] = j
	}
	for m, draw := range p.Draws {
		if !draw.Graph.Has(index[order[0]], index[order[1]]) ||
			draw.Graph.Has(index[order[0]], index[order[2]]) {
			t.Errorf("particle %d has the edges %v of %v, order %v", m, draw.Graph.Edges(), p.Names,
				order)
		}
	}
}

// Interventions change the fit, are read by name, and are held out with their
// rows: the density of a held-out row leaves its set values out.
func TestInterventionsFile(t *testing.T) {
	simulated(t)
	data := must.Get(dataset.ReadFile("data/train.csv"))(t)
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
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	fit := func(args ...string) (summary map[string]any, particles string) {
		got := succeed(t,
			sampled(append([]string{"fit", "data/train.csv", "--out", "run", "--json", "--holdout",
				"0.3", "--model", "linear"}, args...)...)...)
		return parse(t, got.stdout), readFile(t, "run/particles.json")
	}
	plain, plainParticles := fit()
	same, sameParticles := fit("--interventions", "none.csv")
	if diff := cmp.Diff(plain["metrics"], same["metrics"]); diff != "" ||
		plainParticles != sameParticles {
		t.Errorf("a table of zeros changes the fit (-without +with):\n%s", diff)
	}
	if got := at(same, "config", "interventions"); got != "none.csv" {
		t.Errorf("config interventions is %v", got)
	}
	set, setParticles := fit("--interventions", "some.csv", "--order", "X0,X1,X2,X3,X4,X5", "--set",
		"linear.noise-variance=0.1")
	_, freeParticles := fit("--order", "X0,X1,X2,X3,X4,X5", "--set", "linear.noise-variance=0.1")
	if setParticles == freeParticles {
		t.Error("interventions leave the particles as they were")
	}
	// The graph without edges has density lnN(x; b, 0.1) for every held-out value that
	// was not set, where b is the mean of the other rows in which none was.
	table := must.Get(readInterventions("some.csv", data))(t)
	data.Intervened = table.X
	kept, rows := must.Two(data.Split(0.3, stream.New(1, stream.HeldoutRows)))(t)
	want, counted := 0.0, 0
	held, _ := rows.X.Dims()
	for k := range d {
		sum, free := 0.0, 0
		for i := range n - held {
			if kept.Intervened.At(i, k) == 0 {
				sum, free = sum+kept.X.At(i, k), free+1
			}
		}
		for i := range held {
			if x := rows.X.At(i, k) - sum/float64(free); rows.Intervened.At(i, k) == 0 {
				want += 0.5*math.Log(2*math.Pi*0.1) + x*x/0.2
				counted++
			}
		}
	}
	if got := at(set, "metrics", "empty",
		"neg_ll").(float64); math.Abs(got-want) > 1e-9*math.Abs(want) || counted == held*d {
		t.Errorf("Neg.LL of %d held-out values without edges: %v, want %v", counted, got, want)
	}
}

func TestSimulateOtherModels(t *testing.T) {
	inFolder(t, nil)
	got := succeed(t, "simulate", "--model", "ffn", "--prior", "sf", "--vars", "7", "--samples",
		"12", "--seed", "3", "--out", "a")
	if want := "graph.csv: edges 11, expected 11\n"; !strings.HasSuffix(got.stdout, want) {
		t.Errorf("standard output %q, want it to end with %q", got.stdout, want)
	}
	if graph := readFile(t, "a/graph.csv"); !strings.HasPrefix(graph, "source,target\n") ||
		strings.Count(graph, "\n") != 12 {
		t.Errorf("graph.csv is %q", graph)
	}
	g := must.Get(dataset.SimulateScaleFree(
		dataset.ScaleFreeConfig{Vars: 7, EdgesPerNode: 2, Seed: 3}))(t)
	s := must.Get(dataset.SimulateNonlinear(g,
		dataset.NonlinearConfig{Rows: 12, HeldoutRows: 12, Seed: 3}))(t)
	for name, want := range map[string]*dataset.Table{"train.csv": s.Train,
		"heldout.csv": s.Heldout} {
		x := must.Get(dataset.ReadFile(filepath.Join("a", name)))(t)
		if diff := cmp.Diff(want.X.RawMatrix().Data, x.X.RawMatrix().Data); diff != "" {
			t.Errorf("%s (-library +file):\n%s", name, diff)
		}
	}
	succeed(t, sampled("fit", "a/train.csv", "--model", "ffn", "--prior", "sf", "--truth",
		"a/graph.csv")...)
	if linear := succeed(t, "simulate", "--prior", "sf", "--out",
		"b").stdout; !strings.Contains(linear, "edges 37, expected 37") {
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
		"extra.csv":   "a,b,c,d\n0,0,0,0\n",
		"lacking.csv": "a,b\n0,0\n",
		"half.csv":    "c,b,a\n0,0,0\n0,0.5,0\n0,0,0\n0,0,0\n0,0,0\n",
		"short.csv":   "a,b,c\n0,0,0\n",
		"all.csv":     "a,b,c\n1,0,0\n0,1,0\n0,0,1\n1,0,0\n1,1,0\n",
	}
	const (
		failed = cli.ExitFailed
		usage  = cli.ExitUsage
	)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"fit --model gaussian", usage,
			`--model "gaussian": allowed: auto, linear, linear-unequal (or bge), linear-nongaussian, additive, smooth, gp, bdeu, mixed, latent-normal, generalised, ffn`},
		{"fit --model ffn --engine tempering --order eqvar --set svgd.steps=5", usage,
			"svgd.steps has no effect: the engine is tempering; --engine svgd takes it"},
		{"fit --model ffn --engine tempering --order eqvar --set warm-up=5", usage,
			"mcmc.warm-up has no effect: the engine is tempering; --engine mcmc takes it"},
		{"fit --model ffn --engine tempering --set order.count=3", usage, "--engine tempering: " +
			"the engine tempering sums over all orders, got a number of orders to draw; allowed: " +
			"a method that finds orders, or the engine svgd"},
		{"fit --model gp --set ffn.output-layer=integrated", usage,
			"ffn.output-layer has no effect: the model is gp; --model ffn takes it"},
		{"fit --engine best", usage,
			`--engine "best": allowed: auto, exact, mcmc, search, svgd, dibs, bcd, gflownet, tempering`},
		{"fit --model ffn --set ffn.hidden=0", usage,
			`--set ffn.hidden=0: allowed: whole numbers from 1 to 10000, separated by commas, at most 100 of them`},
		{"fit --model ffn --set ffn.hidden=5,,5", usage,
			`--set ffn.hidden=5,,5: allowed: whole numbers from 1 to 10000, separated by commas, at most 100 of them`},
		{"fit --model ffn --set ffn.activation=cos", usage,
			`--set ffn.activation=cos: allowed: relu, tanh, sigmoid, leaky-relu`},
		{"fit --engine notears", usage,
			`--engine "notears": allowed: auto, exact, mcmc, search, svgd, dibs, bcd, gflownet, tempering`},
		{"fit --set svgd.grad=exact", usage,
			`--set svgd.grad=exact: allowed: reparam, score, score-loo, flips`},
		{"fit --set ffn.hidden=5", usage,
			`ffn.hidden has no effect: the model is auto; --model ffn takes it`},
		{"fit --model bge --set ffn.activation=tanh", usage,
			`ffn.activation has no effect: the model is linear-unequal; --model ffn takes it`},
		{"fit --model bge --set linear.noise-variance=1", usage,
			`linear.noise-variance has no effect: the model is linear-unequal; --model linear takes it`},
		{"fit --engine dibs --order eqvar", usage,
			`--engine dibs: the engine dibs takes no causal order`},
		{"fit --prior sf --set prior.edges-per-node=1", usage,
			`prior.edges-per-node: edges per node is 1, but the prior is another than Erdős–Rényi's`},
		{"fit good.csv --prior no.csv", failed, `no.csv: no such file or directory`},
		{"fit good.csv --prior wide.csv", failed,
			`wide.csv: got 2 rows of 3 columns, want a row for each column: entry (i, j) is the probability of the edge from i to j`},
		{"fit good.csv --prior outside.csv", failed,
			`outside.csv: probability of the edge "b" -> "c" is 1.5; allowed: numbers from 0 to 1`},
		{"fit good.csv --prior extra.csv", failed,
			`extra.csv: unknown column "d"; allowed: "a", "b", "c"`},
		{"fit good.csv --prior lacking.csv", failed,
			`lacking.csv: no column is named "c"; allowed: "a", "b"`},
		{"fit good.csv --prior against.csv --order a,b,c", usage, contradiction +
			`c → a is given the probability 1 by the table, but the known order puts a before c`},
		{"fit good.csv --interventions no.csv", failed, `no.csv: no such file or directory`},
		{"fit good.csv --interventions extra.csv", failed,
			`extra.csv: unknown column "d"; allowed: "a", "b", "c"`},
		{"fit good.csv --interventions lacking.csv", failed,
			`lacking.csv: no column is named "c"; allowed: "a", "b"`},
		{"fit good.csv --interventions half.csv", failed,
			`half.csv: row 2, column "b" is 0.5; allowed: 1 where the value was set by intervention, 0 elsewhere`},
		{"fit good.csv --interventions short.csv", failed,
			`short.csv: got 1 row, want 5 like the data`},
		{"fit good.csv --interventions all.csv --order eqvar", failed,
			`good.csv: every row has an intervention, which leaves none to find an order from; give the order`},
		{"simulate --model bge --out s", usage,
			`--model "bge": allowed: linear, ffn, sines, products, multiplicative`},
		{"simulate --prior uniform --out s", usage,
			`--prior "uniform": allowed: er, sf`},
		{"simulate --prior sf --edges-per-node 1.5 --out s", usage,
			`--edges-per-node 1.5 is not a whole number, which --prior sf needs`},
		{"simulate --prior sf --edges-per-node 20 --out s", usage,
			`--edges-per-node: scale-free graph with 20 edges per node among 20 variables; allowed: 1 to 19`},
	} {
		t.Run(c.args, func(t *testing.T) {
			inFolder(t, files)
			refuses(t, c.args, c.code, c.want)
		})
	}
}

// A variable whose every value was set contributes nothing: it runs.
func TestVariableWithoutRows(t *testing.T) {
	inFolder(t, map[string]string{"good.csv": badInputs["good.csv"],
		"set.csv": "a,b,c\n0,1,0\n0,1,0\n0,1,0\n0,1,0\n0,1,0\n"})
	for _, model := range []string{"linear", "ffn", "bge"} {
		succeed(t, quick("fit", "good.csv", "--order", "a,b,c", "--interventions", "set.csv",
			"--model", model)...)
	}
}

// Settings that densities of other rows need are checked where they are needed.
func TestEvalOfDamagedModels(t *testing.T) {
	const whole = `{"version":2,"names":["a","b"],"model":"bge raw","kind":"particles",` +
		`"marginals":{"probabilities":[[0,1],[0,0]]},"components":[{"order":null,"draws":1,"weight":1,"log_weight":0,"log_evidence":null}],` +
		`"draws":[{"edges":[[0,1]],"log_weight":0,"log_prior":0,"log_likelihood":-1}]}`
	var families []string // first words of text forms
	for _, m := range sem.Models() {
		name, _, _ := strings.Cut(m.Model.String(), " ")
		families = append(families, name)
	}
	for _, c := range []struct{ name, old, with, want string }{
		{"whole", "", "", ""},
		{"model", "bge raw", "golem", `unknown model "golem"; allowed: ` +
			strings.Join(families, ", ")},
		{"setting", "bge raw", "bge cooked", `model "bge cooked": unknown setting "cooked"`},
		{"number", "bge raw", "bge alpha-mu=x",
			`model "bge alpha-mu=x": alpha-mu is "x"; allowed: finite numbers above 0`},
		{"parameters", "bge raw", "ffn hidden=1", "draw 0 has 0 parameters, want 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inFolder(t, map[string]string{"particles.json": strings.Replace(whole, c.old, c.with,
				1), "rows.csv": "a,b\n1,2\n3,5\n2,2\n"})
			got := runTobac(t, "eval", "--heldout", "rows.csv", ".")
			if c.want == "" {
				if got.code != cli.ExitDone {
					t.Errorf("got %+v", got)
				}
				return
			}
			if want := "tobac: .: " + c.want + "\n"; got.code != cli.ExitFailed ||
				got.stderr != want {
				t.Errorf("got exit %d and %q, want %d and %q", got.code, got.stderr, cli.ExitFailed,
					want)
			}
		})
	}
}
