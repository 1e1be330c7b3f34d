package tobac_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/neural"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/engines"
	"tobac/internal/must"
	"tobac/internal/recipes"
	"tobac/models"
	"tobac/ordering"
	"tobac/schedule"
	"tobac/sem"
	"tobac/setting"
	"tobac/svgd"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// The documented defaults that do not depend on the data. What is inferred, and what
// depends on the model, stays zero.
func TestConfigDefaults(t *testing.T) {
	chains := markov.MCMC{Chains: 4, Iterations: 3000, WarmUp: 200, ESS: 400}
	open := chains
	open.Open = true
	sampler := stein.SVGD{Particles: 30, Steps: 1000, Samples: 128, Rank: 19, BandwidthZ: 5,
		BandwidthTheta: 500, StepSize: 0.005}
	paper := sampler
	paper.Estimator, paper.Marginals = models.Joint, stein.FrequencyMarginals
	marginal := paper
	marginal.Gradient, marginal.AlphaRate = models.ScoreFunction, 1
	drawn := sampler
	drawn.OrderEngine = &sums.Exact{}
	for _, row := range []struct {
		name string
		in   tobac.Config
		d    int
		want engine.Settings
	}{
		{"d=2", tobac.Config{}, 2, &sums.Exact{Open: true}},
		{"d=20", tobac.Config{}, 20, &sums.Exact{Open: true}},
		{"d=21", tobac.Config{}, 21, &open},
		{"d=20, svgd", tobac.Config{Engine: &stein.SVGD{}, Order: engine.Order{Count: 5}}, 20,
			&drawn},
		{"d=20, networks", tobac.Config{Model: sem.FeedForward{}}, 20,
			&neural.Tempering{Iterations: 2000, Rungs: 12, Chains: chains}},
		{"d=20, paper", tobac.Paper(), 20, &paper},
		{"d=20, marginal paper", recipes.PaperMarginal(), 20, &marginal},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := must.Get(row.in.WithDefaults(row.d))(t)
			want := row.in
			want.Engine, want.Workers = row.want, 1
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
			again, err := got.WithDefaults(row.d)
			if err != nil || cmp.Diff(got, again) != "" {
				t.Errorf("filling in defaults twice: error %v, difference %s", err,
					cmp.Diff(got, again))
			}
		})
	}
	if got := (stein.SVGD{}).Estimator; got != models.NodeWise {
		t.Errorf("zero estimator: got %v, want node-wise", got)
	}
}

// The published settings: those of the linear model, of the marginal one, and of DiBS.
func TestPaperPresets(t *testing.T) {
	want := tobac.Config{
		Model:  sem.Linear{NoiseVariance: 0.1, NoIntercept: true, PriorStart: true},
		Prior:  background.Prior{EdgesPerNode: 2},
		Order:  engine.Order{Method: ordering.MethodEqVar},
		Engine: &stein.SVGD{Estimator: models.Joint, Marginals: stein.FrequencyMarginals},
	}
	if diff := cmp.Diff(want, tobac.Paper()); diff != "" {
		t.Errorf("paper (-want +got):\n%s", diff)
	}
	svgd := sampler(&want)
	want.Model, svgd.Gradient, svgd.AlphaRate = sem.BGe{Raw: true}, models.ScoreFunction, 1
	if diff := cmp.Diff(want, recipes.PaperMarginal()); diff != "" {
		t.Errorf("marginal paper (-want +got):\n%s", diff)
	}
	got := must.Get(recipes.PaperDiBS().WithDefaults(10))(t)
	dibs, ok := got.Engine.(*stein.DiBS)
	if !ok || dibs.Rank != 10 || dibs.Penalty != (models.Penalty{Rate: 1, Samples: 32}) ||
		dibs.Gradient != models.Reparameterised || dibs.Estimator != models.Joint ||
		got.Order.Method != nil {
		t.Errorf("joint DiBS: %+v", got)
	}
}

// What is set stays.
func TestConfigKeepsSettings(t *testing.T) {
	svgd := tobac.Config{
		Model: sem.BGe{}, Seed: 5, Workers: 12,
		Prior: background.Prior{EdgesPerNode: 0.7, Forbidden: []dag.Edge{{From: 1, To: 0}},
			Tiers: []int{0, 0, 1, 1, 1, -1}},
		Order: engine.Order{Method: ordering.MethodVariance, Count: 8,
			Weights: engine.EvidenceWeights},
		Engine: &stein.SVGD{Estimator: models.Joint, Gradient: models.ScoreFunctionLOO,
			Particles: 1, Steps: 2, Samples: 3, Rank: 4, AlphaRate: 0.8, BandwidthZ: 9,
			BandwidthTheta: 10, StepSize: 0.11, Marginals: stein.FrequencyMarginals},
	}
	chains := svgd
	chains.Engine, chains.Order = &markov.MCMC{Chains: 1, Iterations: 2, WarmUp: 3, ESS: 7,
		Candidates: 4, Rungs: 5}, engine.Order{}
	drawn := svgd
	drawn.Order = engine.Order{Count: 8}
	sampler(&drawn).OrderEngine = chains.Engine
	for _, want := range []tobac.Config{svgd, chains, drawn} {
		got := must.Get(want.WithDefaults(6))(t)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("settings changed (-want +got):\n%s", diff)
		}
	}
}

// Settings out of range, and those that contradict others, are named, with what is
// allowed.
func TestConfigErrors(t *testing.T) {
	fixed := []int{0, 1, 2, 3, 4}
	for _, row := range []struct {
		name string
		cfg  tobac.Config
		want string
	}{
		{"workers", tobac.Config{Workers: -4},
			"workers is -4; allowed: whole numbers from 1 to 4096"},
		{"particles", tobac.Config{Engine: &stein.SVGD{Particles: -1}},
			"particles is -1; allowed: whole numbers from 1 to 100000"},
		{"steps", tobac.Config{Engine: &stein.SVGD{Steps: -7}},
			"steps is -7; allowed: whole numbers from 1 to 1000000000"},
		{"samples", tobac.Config{Engine: &stein.SVGD{Samples: -2}},
			"samples is -2; allowed: whole numbers from 1 to 1000000"},
		{"rank", tobac.Config{Engine: &stein.SVGD{Rank: -3}},
			"rank is -3; allowed: whole numbers from 1 to 10000"},
		{"alpha rate", tobac.Config{Engine: &stein.SVGD{AlphaRate: -1}},
			"alpha-rate is -1; allowed: finite numbers above 0"},
		{"alpha rate NaN", tobac.Config{Engine: &stein.SVGD{AlphaRate: math.NaN()}},
			"alpha-rate is NaN; allowed: finite numbers above 0"},
		{"bandwidth of Z", tobac.Config{Engine: &stein.SVGD{BandwidthZ: math.Inf(1)}},
			"bandwidth-z is +Inf; allowed: finite numbers above 0"},
		{"bandwidth of theta", tobac.Config{Engine: &stein.SVGD{BandwidthTheta: -1}},
			"bandwidth-theta is -1; allowed: finite numbers above 0"},
		{"step size", tobac.Config{Engine: &stein.SVGD{StepSize: -1}},
			"step-size is -1; allowed: finite numbers above 0"},
		{"kernel of nothing",
			tobac.Config{Engine: &stein.SVGD{Coupling: stein.Coupling{Function: "rbf",
				Latents: "none"}}}, "kernel rbf:none couples nothing: every particle would climb " +
				"to its nearest mode; want a kernel for latents or parameters"},
		{"kernel of no function",
			tobac.Config{Engine: &stein.SVGD{Coupling: stein.Coupling{Latents: "block"}}},
			"kernel is :block; allowed: rbf, imq or imq-BETA"},
		{"two kernels",
			tobac.Config{Engine: &stein.SVGD{Coupling: stein.Coupling{Function: "rbf",
				Latents: "block"}, Kernel: svgd.RBF{}}},
			"kernel rbf:block and a Kernel, want one of the two"},
		{"bandwidth of no kernel",
			tobac.Config{Engine: &stein.SVGD{Coupling: stein.Coupling{Function: "rbf",
				Latents: "block", Parameters: "none"}, BandwidthTheta: 3}},
			"bandwidth-theta 3 with kernel rbf:block:none, which has none there"},
		{"alpha rate and schedule",
			tobac.Config{Engine: &stein.SVGD{AlphaRate: 1, Alpha: schedule.Constant(2)}},
			"alpha rate 1 and a schedule of alpha, want one of the two"},
		{"alpha schedule",
			tobac.Config{Engine: &stein.SVGD{Alpha: schedule.OfRun{Shape: schedule.Geometric,
				To: 2}}}, "alpha-schedule is geometric:0:2; allowed: constant:A, growth:RATE,"},
		{"step schedule", tobac.Config{Engine: &stein.SVGD{StepSchedule: schedule.Constant(-2)}},
			"step-schedule is constant:-2; allowed: constant:A,"},
		{"penalty rate and schedule",
			tobac.Config{Engine: &stein.DiBS{Penalty: models.Penalty{Rate: 2,
				Beta: schedule.Constant(1)}}},
			"penalty rate 2 and a schedule of the penalty, want one of the two"},
		{"estimator", tobac.Config{Engine: &stein.SVGD{Estimator: 7}}, "estimator is "},
		{"gradient", tobac.Config{Engine: &stein.SVGD{Gradient: 7}}, "grad is "},
		{"marginals", tobac.Config{Engine: &stein.SVGD{Marginals: 7}},
			"marginals is stein.MarginalEstimator(7); allowed: conditional, frequency"},
		{"penalty rate", tobac.Config{Engine: &stein.DiBS{Penalty: models.Penalty{Rate: -2}}},
			"penalty-rate is -2; allowed: finite numbers above 0"},
		{"penalty samples", tobac.Config{Engine: &stein.DiBS{Penalty: models.Penalty{Samples: -2}}},
			"penalty-samples is -2; allowed: whole numbers from 1 to 1000000"},
		{"chains", tobac.Config{Engine: &markov.MCMC{Rungs: -1}},
			"rungs is -1; allowed: whole numbers from 1 to 1000"},

		{"prior", tobac.Config{Prior: background.Prior{Kind: 9}}, "unknown graph prior 9"},
		{"edges per node", tobac.Config{Prior: background.Prior{EdgesPerNode: -1}},
			"edges-per-node is -1; allowed: finite numbers above 0"},
		{"the paper's prior on five variables", tobac.Paper(), "edges per node 2 on 5 variables " +
			"makes the edge probability 1; want 0 < edges per node < 2"},
		{"edges beside another prior",
			tobac.Config{Prior: background.Prior{Kind: background.ScaleFree, EdgesPerNode: 1}},
			"edges per node is 1, but the prior is another than Erdős–Rényi's"},
		{"edges beside probabilities",
			tobac.Config{Prior: background.Prior{Probabilities: mat.NewDense(5, 5, nil),
				EdgesPerNode: 1}},
			"edges per node is 1, but the prior is another than Erdős–Rényi's"},
		{"family beside probabilities",
			tobac.Config{Prior: background.Prior{Probabilities: mat.NewDense(5, 5, nil),
				Kind: background.Fair}}, "the graph prior has edge probabilities, which take the " +
				"place of the family fair; want one of the two"},
		{"parents", tobac.Config{Prior: background.Prior{MaxParents: -1}},
			"max-parents is -1; allowed: whole numbers from 1 to 10000"},
		{"tiers", tobac.Config{Prior: background.Prior{Tiers: []int{1}}},
			"got 1 tiers, want one for each of the 5 variables"},
		{"prior of another size",
			tobac.Config{Prior: background.Prior{Probabilities: mat.NewDense(4, 4, nil)}},
			"the graph prior is 4×4, want 5×5: one row and one column for each column of the data"},
		{"an edge of no variable",
			tobac.Config{Prior: background.Prior{Forbidden: []dag.Edge{{From: 0, To: 5}}}},
			"the graph prior speaks of the edge 0 → 5, want two different variables from 0 to 4"},
		{"an edge to itself",
			tobac.Config{Prior: background.Prior{Required: []dag.Edge{{From: 2, To: 2}}}},
			"the graph prior speaks of the edge 2 → 2, want two different variables from 0 to 4"},
		{"own prior beside others",
			tobac.Config{Prior: background.Prior{Own: models.UniformPrior(), MaxParents: 2}},
			"a custom graph prior replaces all other settings of the prior"},
		{"own prior beside a family",
			tobac.Config{Prior: background.Prior{Own: models.UniformPrior(),
				Kind: background.Fair}},
			"a custom graph prior replaces all other settings of the prior"},

		{"known order and method",
			tobac.Config{Order: engine.Order{Known: fixed, Method: ordering.MethodEqVar}},
			"the causal order is known, and a method is to find it; want one of the two"},
		{"known order of another length", tobac.Config{Order: engine.Order{Known: []int{0, 1}}},
			"ordering: the order lacks variable 2, it has 2 of 5 entries"},
		{"known order that is no permutation",
			tobac.Config{Order: engine.Order{Known: []int{0, 1, 1, 2, 3}}},
			"ordering: the order repeats variable 1, at positions 2 and 3"},
		{"known order, several", tobac.Config{Order: engine.Order{Known: fixed, Count: 2}},
			"the causal order is known, which leaves no distribution over orders"},
		{"orders", tobac.Config{Order: engine.Order{Count: -1}},
			"orders is -1; allowed: whole numbers from 1 to 10000"},
		{"weights of one order", tobac.Config{Order: engine.Order{Weights: engine.EvidenceWeights}},
			"orders are weighted by evidence, but none are found in resamples: set a method and " +
				"the number of resamples"},
		{"unknown weights",
			tobac.Config{Order: engine.Order{Method: ordering.MethodEqVar, Count: 2, Weights: 7}},
			"order-weights is engine.OrderWeights(7); allowed: frequency, evidence"},

		{"order for DiBS", tobac.Config{Order: engine.Order{Known: fixed}, Engine: &stein.DiBS{}},
			"the engine dibs takes no causal order"},
		{"parameters of DiBS",
			tobac.Config{
				Engine: &stein.DiBS{SVGD: stein.SVGD{Parameters: stein.IntegratedParameters}}},
			"the engine dibs samples parameters"},
		{"fit steps of DiBS", tobac.Config{Engine: &stein.DiBS{SVGD: stein.SVGD{FitSteps: 3}}},
			"fit steps belong to the engine svgd"},
		{"Gaussian processes by DiBS",
			tobac.Config{Engine: &stein.DiBS{}, Model: sem.GaussianProcess{}}, "the model gp has " +
				"no likelihood that could be differentiated; allowed: the engine svgd, or one " +
				"that reads node scores"},
		{"networks exactly", tobac.Config{Engine: &sums.Exact{Open: true},
			Model: sem.FeedForward{}}, "the model ffn has no node scores in closed form, which " +
			"the engine exact needs; allowed: the engines tempering and svgd"},
		{"known order by MCMC",
			tobac.Config{Engine: &markov.MCMC{}, Order: engine.Order{Known: fixed}},
			"the causal order is known, which leaves the engine mcmc nothing to sample; allowed: " +
				"the engines exact and svgd"},
		{"method of an exact posterior", tobac.Config{Engine: &sums.Exact{Open: true},
			Order: engine.Order{Method: ordering.MethodEqVar}}, "the engine exact infers the " +
			"order, and takes none that a method finds; allowed: the engine svgd"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.cfg.WithDefaults(5)
			if err == nil || !strings.HasPrefix(err.Error(), row.want) {
				t.Errorf("got error %v\nwant      %s", err, row.want)
			}
			if _, runErr := tobac.NewRun(context.Background(), chain(t, 40).Train,
				row.cfg); runErr == nil || err != nil && runErr.Error() != "tobac: "+err.Error() {
				t.Errorf("a run has the error %v, the settings %v", runErr, err)
			}
		})
	}
	if _, err := (tobac.Config{}).WithDefaults(1); err == nil ||
		err.Error() != "got 1 variable, want at least 2: a single variable has no edges to infer" {
		t.Errorf("one variable: got error %v", err)
	}
}

// A setting reads what it writes, refuses other texts with a list of what is allowed,
// and is left as it was then.
func TestSettingsReadWhatTheyWrite(t *testing.T) {
	names := map[string]bool{}
	all := engines.All()
	for _, engine := range all {
		c := tobac.Config{Engine: engine}
		settingsReadWhatTheyWrite(t, &c, names)
		if c.Engine == nil || c.Engine.Engine().Name() != all[len(all)-1].Engine().Name() ||
			c.Prior.Kind != background.Uniform {
			t.Errorf("the settings set another configuration: %+v", c)
		}
		if e, ok := engine.(*stein.SVGD); ok && (e.Particles != 1 ||
			e.Parameters != stein.IntegratedParameters || e.OrderEngine.Engine().Name() != "mcmc") {
			t.Errorf("the settings set another engine: %+v", e)
		}
	}
	for _, name := range []string{"engine", "prior", "edges-per-node", "max-parents", "orders",
		"order-weights", "particles", "steps", "chains", "iterations"} {
		if !names[name] {
			t.Errorf("no setting %s in %v", name, names)
		}
	}
}

func settingsReadWhatTheyWrite(t *testing.T, c *tobac.Config, all map[string]bool) {
	names := map[string]bool{}
	for _, s := range c.Settings() {
		all[s.Name] = true
		if names[s.Name] || s.Usage == "" || s.Default == "" {
			t.Errorf("setting %q: seen before %v, usage %q, default %q", s.Name, names[s.Name],
				s.Usage, s.Default)
		}
		names[s.Name] = true
		good, bad := strings.Split(s.Type(), "|"), []string{"", "nothing", "NaN", "+Inf", "-1"}
		switch s.Type() {
		case "N":
			good, bad = []string{"3", "1"}, append(bad, "0", "1.5")
		case "X":
			good, bad = []string{"0.25", "1e-07"}, append(bad, "0")
		case "FUNCTION:LATENTS:PARAMETERS":
			good, bad = []string{"rbf:coordinate", "imq:variable:none", "rbf:block:block",
				"imq-0.75:block"}, append(bad, "imq-0:block", "imq-x:block", "rbf-1:block", "rbf",
				"rbf:all", "cos:block", "rbf:block:block:none")
		case "[remote:]DIR":
			good, bad = []string{"runs/a", "remote:runs"}, []string{"", "a b", "a\tb"}
		case "FORM:A:B":
			good, bad = []string{"growth:0.5", "geometric:0.01:100", "linear:1:0:50%",
				"cosine:2:1:3-9"}, append(bad, "growth", "geometric:0:1")
		case "T:END,...":
			good, bad = []string{"0.5:1", "30:0.05,1:0.2,0.25:1"},
				append(bad, "0", "1:0.5", "1:0.5,2:0.4")
		case "BASIS:X":
			good, bad = []string{"units:0.4", "largest:0.25", "signs:0.9"},
				append(bad, "largest:2", "signs:0.4")
		}
		for _, text := range good {
			if err := s.Set(text); err != nil || s.String() != text &&
				(s.String() != "" || text != s.Default) {
				t.Errorf("%s: set to %q: %q, error %v", s.Name, text, s.String(), err)
			}
		}
		before := s.String()
		for _, text := range bad {
			if err := s.Set(text); err == nil || !strings.HasPrefix(err.Error(), "allowed: ") ||
				s.String() != before {
				t.Errorf("%s: set to %q: %q, error %v", s.Name, text, s.String(), err)
			}
		}
	}
}

// FuzzSettings: every setting takes a text and gives one back that stands for the same value, or
// says in one line what is allowed and stays as it is.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{"", "1", "0", "-3", "0.05", "1e309", "NaN", "0x10", "1_000",
		"exact", "EXACT", "nodewise", "reparam", "frequency", "eqvar", "9223372036854775808",
		"sparse", " 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all, again []*setting.Setting
		for k, e := range engines.All() {
			c, d := tobac.Config{Engine: e}, tobac.Config{Engine: engines.All()[k]}
			all, again = append(all, c.Settings()...), append(again, d.Settings()...)
		}
		for k, s := range all {
			before := s.String()
			if err := s.Set(text); err != nil {
				if s.String() != before || !strings.HasPrefix(err.Error(), "allowed: ") ||
					strings.Contains(err.Error(), "\n") {
					t.Fatalf("%s: error %q, %q before, %q after", s.Name, err, before, s.String())
				}
				continue
			}
			if s.String() == "" && text == s.Default {
				continue
			}
			if s.String() == "" {
				t.Fatalf("%s: %q is taken for the default", s.Name, text)
			}
			if err := again[k].Set(s.String()); err != nil || again[k].String() != s.String() {
				t.Fatalf("%s: %q is read as %q, which is read as %q, error %v", s.Name, text, s,
					again[k], err)
			}
		}
	})
}
