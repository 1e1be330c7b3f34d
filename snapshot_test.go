package tobac_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"tobac"
	"tobac/background"
	"tobac/dag"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/markov"
	"tobac/engine/stein"
	"tobac/engine/sums"
	"tobac/internal/must"
	"tobac/models"
	"tobac/ordering"
	"tobac/sem"
	"tobac/svgd"

	"gonum.org/v1/gonum/mat"
)

// A run that is cut anywhere, written to JSON and resumed by another Run, with
// another number of workers, ends in the same bits as one that never stopped: with
// every engine, within an order and between two, within the chains and after them.
func TestResumeIsBitwise(t *testing.T) {
	data := noisy(t)
	for name, cfg := range enginesTried() {
		t.Run(name, func(t *testing.T) {
			resumeTo(t, ended(t, name), data, cfg, 5, 13, 250)
		})
	}
	evidence := several()
	evidence.Order.Weights = engine.EvidenceWeights
	joint := particles()
	sampler(&joint).Estimator = models.Joint
	for name, cfg := range map[string]tobac.Config{"evidence weights": evidence,
		"joint estimator": joint} {
		t.Run(name, func(t *testing.T) {
			resume(t, data, cfg, 5, 12, 24)
		})
	}
	t.Run("svgd after chains", func(t *testing.T) {
		data, cfg := afterChains()
		resume(t, data, cfg, 20, 40, 45)
	})
}

// resume cuts a run after each of some numbers of steps, ascending, and at its end: each time
// another Run, with another number of workers, goes on.
func resume(t *testing.T, data *dataset.Table, cfg tobac.Config, cuts ...int) {
	t.Helper()
	whole, want := finished(t, data, cfg)
	resumeTo(t, ending{cfg, whole.Steps(), state(t, whole), want}, data, cfg, cuts...)
}

// resumeTo does so where the end is known.
func resumeTo(t *testing.T, whole ending, data *dataset.Table, cfg tobac.Config, cuts ...int) {
	t.Helper()
	last := newRun(t, data, cfg)
	for k, cut := range append(cuts, whole.steps) {
		if cut > whole.steps {
			continue
		}
		advance(t, last, cut)
		text := state(t, last)
		other := cfg
		other.Workers = 3 - 2*(k%2)
		next := newRun(t, data, other)
		if err := next.Restore(context.Background(), parsed(t, text)); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := state(t, next); got != text || next.Step() != last.Step() {
			t.Errorf("cut at %d: the restored run differs from the snapshot, at step %d", cut,
				next.Step())
		}
		last = next
	}
	if got, end := state(t, last), whole.state; got != end {
		at := 0
		for at < min(len(got), len(end)) && got[at] == end[at] {
			at++
		}
		t.Errorf("the last state differs from the uninterrupted run's: %q, want %q",
			excerpt(got, at), excerpt(end, at))
	}
	sameBits(t, "resumed", result(t, last), whole.result)
}

// excerpt is a text around a place.
func excerpt(text string, at int) string { return text[max(0, at-80):min(len(text), at+40)] }

// A snapshot shares nothing with the run: the run may go on, and several runs
// may start from it.
func TestSnapshotIsACopy(t *testing.T) {
	data := noisy(t)
	for name, cfg := range map[string]tobac.Config{"one order": particles(), "several": several()} {
		r := newRun(t, data, cfg)
		advance(t, r, 4)
		s := snapshot(t, r)
		before := must.Get(json.Marshal(s))(t)
		advance(t, r, r.Steps())
		for range 2 {
			other := newRun(t, data, cfg)
			must.Do(t, other.Restore(context.Background(), s))
			advance(t, other, other.Steps())
			if state(t, other) != state(t, r) {
				t.Errorf("%s: a run restored in the same process differs from the one that made "+
					"the snapshot", name)
			}
		}
		if after, err := json.Marshal(s); err != nil || string(before) != string(after) {
			t.Errorf("%s: a snapshot changed while runs continued, error %v", name, err)
		}
	}
}

// A snapshot is refused by a run with other settings or data, in a line that
// names the first that differs.
func TestRestoreChecksSettings(t *testing.T) {
	data := chain(t, 40).Train
	cfg := particles()
	cfg.Order = engine.Order{Known: []int{0, 1, 2, 3, 4}}
	first := newRun(t, data, cfg)
	advance(t, first, 3)
	s := snapshot(t, first)
	half := mat.NewDense(5, 5, nil)
	for i := range 25 {
		half.RawMatrix().Data[i] = 0.5
	}
	for _, row := range []struct {
		name   string
		change func(c *tobac.Config)
		want   string // "": accepted
	}{
		{"model", func(c *tobac.Config) {
			c.Model = sem.BGe{}
		}, `the model "linear", the run has "bge"`},
		{"noise variance", func(c *tobac.Config) { c.Model = sem.Linear{NoiseVariance: 0.2} },
			`the model "linear", the run has "linear noise-variance=0.2"`},
		{"intercept", func(c *tobac.Config) { c.Model = sem.Linear{NoIntercept: true} },
			`the model "linear", the run has "linear no-intercept"`},
		{"start", func(c *tobac.Config) { c.Model = sem.Linear{PriorStart: true} },
			`the model "linear", the run has "linear prior-start"`},
		{"method", func(c *tobac.Config) {
			c.Engine, c.Order = &stein.DiBS{SVGD: small}, engine.Order{}
		}, `the order "known [0 1 2 3 4]", the run has "posterior"`},
		{"engine", func(c *tobac.Config) {
			c.Engine = &sums.Exact{}
		}, `the engine "svgd", the run has "exact"`},
		{"prior", func(c *tobac.Config) { c.Prior.Kind = background.Uniform },
			`the prior "er", the run has "uniform"`},
		{"probabilities", func(c *tobac.Config) { c.Prior.Probabilities = half },
			`the prior "er", the run has "probabilities `},
		{"own prior", func(c *tobac.Config) { c.Prior.Own = models.UniformPrior() },
			`the prior "er", the run has "models.uniformPrior{}"`},
		{"forbidden", func(c *tobac.Config) { c.Prior.Forbidden = []dag.Edge{{From: 3, To: 4}} },
			`the prior "er", the run has "er forbidden=[{3 4}]`},
		{"sinks", func(c *tobac.Config) {
			c.Prior.Sinks = []int{3}
		}, `the prior "er", the run has "er sinks=[3]`},
		{"odds", func(c *tobac.Config) {
			c.Prior.Odds = []background.EdgeOdds{{From: 1, To: 2, Odds: 3}}
		}, `the prior "er", the run has "er sinks=[] sources=[] odds=[{1 2 3}]"`},
		{"edges per node", func(c *tobac.Config) { c.Prior.EdgesPerNode = 0.75 },
			`the prior "er", the run has "er edges-per-node=0.75"`},
		{"order", func(c *tobac.Config) { c.Order.Known = []int{1, 0, 2, 3, 4} },
			`the order "known [0 1 2 3 4]", the run has "known [1 0 2 3 4]"`},
		{"orders", func(c *tobac.Config) {
			c.Order = engine.Order{Method: ordering.MethodEqVar, Count: 3}
		}, `the order "known [0 1 2 3 4]", the run has "eqvar orders=3 weights=frequency"`},
		{"gradient", func(c *tobac.Config) { sampler(c).Gradient = models.ScoreFunction },
			`the engine "svgd`},
		{"estimator", func(c *tobac.Config) { sampler(c).Estimator = models.Joint },
			`the engine "svgd`},
		{"particles", func(c *tobac.Config) { sampler(c).Particles = 12 }, `the engine "svgd`},
		{"samples", func(c *tobac.Config) { sampler(c).Samples = 17 }, `the engine "svgd`},
		{"rank", func(c *tobac.Config) { sampler(c).Rank = 3 }, `the engine "svgd`},
		{"alpha rate", func(c *tobac.Config) { sampler(c).AlphaRate = 0.25 }, `the engine "svgd`},
		{"bandwidth of Z", func(c *tobac.Config) { sampler(c).BandwidthZ = 6 }, `the engine "svgd`},
		{"bandwidth of theta", func(c *tobac.Config) { sampler(c).BandwidthTheta = 6 },
			`the engine "svgd`},
		{"step size", func(c *tobac.Config) { sampler(c).StepSize = 0.125 }, `the engine "svgd`},
		{"optimiser", func(c *tobac.Config) { sampler(c).Optimizer = svgd.Adam{StepSize: 0.01} },
			`the engine "svgd`},
		{"kernel", func(c *tobac.Config) { sampler(c).Kernel = svgd.RBF{Bandwidth: svgd.Fixed(8)} },
			`the engine "svgd`},
		{"seed", func(c *tobac.Config) { c.Seed = 8 }, `the seed "7", the run has "8"`},
		// What changes nothing but the time, or what comes after.
		{"workers", func(c *tobac.Config) { c.Workers = 3 }, ""},
		{"progress", func(c *tobac.Config) { c.Progress = func(engine.Progress) {} }, ""},
		{"steps", func(c *tobac.Config) { sampler(c).Steps = 20 }, ""},
		{"marginals", func(c *tobac.Config) { sampler(c).Marginals = stein.FrequencyMarginals },
			""},
	} {
		t.Run(row.name, func(t *testing.T) {
			other := cfg
			row.change(&other)
			r := newRun(t, data, other)
			err := r.Restore(context.Background(), s)
			if row.want == "" {
				if err != nil || r.Step() != 3 {
					t.Errorf("at step %d: %v", r.Step(), err)
				}
				return
			}
			if want := "tobac: snapshot was made with " + row.want; err == nil ||
				!strings.HasPrefix(err.Error(), want) {
				t.Errorf("got error %v\nwant      %s", err, want)
			}
		})
	}
	for _, row := range []struct {
		name   string
		change func(data *dataset.Table)
		want   string
	}{
		{"a number", func(d *dataset.Table) { d.X.Set(7, 2, d.X.At(7, 2)*(1+1e-15)) },
			"made from other data (digest "},
		{"a name", func(d *dataset.Table) {
			d.Names[4] = "other"
		}, "made from other data (digest "},
		{"interventions", func(d *dataset.Table) {
			d.Intervened = mat.NewDense(40, 5, nil)
			d.Intervened.Set(3, 3, 1)
		}, `made with the interventions "none", the run has "`},
	} {
		t.Run(row.name, func(t *testing.T) {
			other := &dataset.Table{Names: slices.Clone(data.Names), X: mat.DenseCopyOf(data.X)}
			row.change(other)
			if err := newRun(t, other, cfg).Restore(context.Background(), s); err == nil ||
				!strings.HasPrefix(err.Error(), "tobac: snapshot was "+row.want) {
				t.Errorf("got error %v", err)
			}
		})
	}
	t.Run("no settings", func(t *testing.T) {
		bare := *s
		bare.Settings = nil
		if err := newRun(t, data, cfg).Restore(context.Background(), &bare); err == nil ||
			err.Error() != "tobac: snapshot does not say with which settings it was made" {
			t.Errorf("got error %v", err)
		}
		bare.Settings = s.Settings[:2]
		if err := newRun(t, data, cfg).Restore(context.Background(), &bare); err == nil ||
			err.Error() != "tobac: snapshot does not say which model it was made with, the run "+
				"has linear" {
			t.Errorf("got error %v", err)
		}
	})
}

// A particleState is the state of SVGD, and a finishedOrder that of its earlier orders.
type (
	particleState struct {
		Step      int             `json:"step"`
		Order     []int           `json:"order"`
		Z         [][]float64     `json:"z"`
		Theta     [][]float64     `json:"theta,omitempty"`
		Optimizer svgd.State      `json:"optimizer"`
		Earlier   []finishedOrder `json:"earlier,omitempty"`
	}
	finishedOrder struct {
		Order []int       `json:"order"`
		Z     [][]float64 `json:"z"`
		Theta [][]float64 `json:"theta,omitempty"`
	}
)

// samplingState is the state of the engines svgd and dibs as it stands in a snapshot.
type samplingState struct {
	Inner     json.RawMessage `json:"inner,omitempty"`
	Particles *particleState  `json:"particles,omitempty"`
}

// changeStage changes the state in a snapshot.
func changeStage(t *testing.T, s *tobac.Snapshot, change func(p *samplingState)) {
	t.Helper()
	var p samplingState
	err := json.Unmarshal(s.Stage, &p)
	if err == nil {
		change(&p)
		s.Stage, err = json.Marshal(p)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A snapshot whose parts do not fit the run, or each other, is refused.
func TestRestoreErrors(t *testing.T) {
	data := noisy(t)
	known := particles()
	known.Order = engine.Order{Known: []int{0, 1, 2, 3, 4}}
	for _, row := range []struct {
		name   string
		cfg    tobac.Config
		at     int
		change func(s *tobac.Snapshot, p *samplingState)
		want   string
	}{
		{"negative step", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Step = -1
		}, "snapshot at step -1 under order 1, the run has 1 orders of 12 steps"},
		{"beyond the last step", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Step = 13
		}, "snapshot at step 13 under order 1, the run has 1 orders of 12 steps"},
		{"steps that do not add up", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			s.Step = 4
		}, "snapshot says step 4, its parts have made 3"},
		{"another order", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Order = []int{1, 0, 2, 3, 4}
		}, "snapshot has the order [1 0 2 3 4], the run has [0 1 2 3 4]"},
		{"no order", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Order = nil
		}, "snapshot has the order [], the run has [0 1 2 3 4]"},
		{"a longer order", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Order = []int{0, 1, 2, 3, 4, 5}
		}, "snapshot has the order [0 1 2 3 4 5], the run has [0 1 2 3 4]"},
		{"fewer latents", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Z = p.Particles.Z[:10]
		}, "snapshot has 10 particles, want 11"},
		{"no parameters", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Theta = nil
		}, "snapshot has 0 particles, want 11"},
		{"a short row", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Theta[3] = p.Particles.Theta[3][:24]
		}, "snapshot block 2, particle 4 has 24 values, want 25"},
		{"no particles", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles = nil
		}, "snapshot and run differ in whether SVGD has begun"},
		{"chains", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Inner = json.RawMessage("{}")
		}, "snapshot and run differ in whether chains come before SVGD"},
		{"more finished orders than orders", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Earlier = []finishedOrder{{}}
		}, "snapshot at step 3 under order 2, the run has 1 orders of 12 steps"},
		{"steps of the optimiser", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			s.Step, p.Particles.Step = 2, 2
		}, "snapshot at step 2, its optimiser has made 3"},
		{"another arithmetic", known, 3, func(s *tobac.Snapshot, p *samplingState) {
			at := slices.IndexFunc(s.Settings, func(t tobac.SettingText) bool {
				return t.Name == "arithmetic"
			})
			s.Settings[at].Value = "float32 of old"
		}, `snapshot was made with the arithmetic "float32 of old", the run has "float64 `},
		{"steps of another order", several(), 27, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Step, p.Particles.Optimizer.Count = 4, 4
		}, "snapshot says step 27, its parts have made 28"},
		{"finished orders missing", several(), 27, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Earlier = p.Particles.Earlier[:1]
		}, "snapshot has the order ["},
		{"finished orders changed places", several(), 27,
			func(s *tobac.Snapshot, p *samplingState) { slices.Reverse(p.Particles.Earlier) },
			"snapshot has the order ["},
		{"particles of a finished order", several(), 27, func(s *tobac.Snapshot, p *samplingState) {
			p.Particles.Earlier[1].Z = p.Particles.Earlier[1].Z[1:]
		}, "snapshot has 10 particles, want 11"},
	} {
		t.Run(row.name, func(t *testing.T) {
			first := newRun(t, data, row.cfg)
			advance(t, first, row.at)
			s := snapshot(t, first)
			changeStage(t, s, func(p *samplingState) { row.change(s, p) })
			if err := newRun(t, data, row.cfg).Restore(context.Background(), s); err == nil ||
				!strings.HasPrefix(err.Error(), "tobac: "+row.want) {
				t.Errorf("got error %v\nwant      tobac: %s", err, row.want)
			}
		})
	}
	t.Run("a run that has begun", func(t *testing.T) {
		r := newRun(t, data, known)
		advance(t, r, 3)
		if err := r.Restore(context.Background(), snapshot(t, r)); err == nil ||
			err.Error() != "tobac: a run that has begun cannot be restored; want a new one" {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("another number of steps over several orders", func(t *testing.T) {
		first := newRun(t, data, several())
		cfg := several()
		sampler(&cfg).Steps = 20
		if err := newRun(t, data, cfg).Restore(context.Background(),
			snapshot(t, first)); err == nil || err.Error() !=
			`tobac: snapshot was made with the engine "svgd steps=12", the run has "svgd steps=20"` {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("other chains before the particles", func(t *testing.T) {
		data, cfg := afterChains()
		first := newRun(t, data, cfg)
		chains := *sampler(&cfg).OrderEngine.(*markov.MCMC)
		chains.Iterations = 40
		sampler(&cfg).OrderEngine = &chains
		want := `tobac: snapshot was made with the engine "svgd iterations=30", the run has "svgd iterations=40"`
		if err := newRun(t, data, cfg).Restore(context.Background(),
			snapshot(t, first)); err == nil || err.Error() != want {
			t.Errorf("got error %v", err)
		}
	})
	t.Run("another optimizer's state", func(t *testing.T) {
		first := newRun(t, data, known)
		advance(t, first, 3)
		s := snapshot(t, first)
		changeStage(t, s, func(p *samplingState) {
			p.Particles.Optimizer.Second = p.Particles.Optimizer.Second[:1]
		})
		r := newRun(t, data, known)
		err := r.Restore(context.Background(), s)
		if err == nil {
			err = r.Advance(context.Background(), r.Steps())
		}
		if !errors.Is(err, svgd.ErrState) || r.Step() > 3 {
			t.Errorf("got error %v at step %d, want one that wraps svgd.ErrState", err, r.Step())
		}
	})
}
