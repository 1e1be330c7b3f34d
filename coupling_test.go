package tobac_test

import (
	"context"
	"strings"
	"testing"

	"tobac"
	"tobac/dataset"
	"tobac/engine"
	"tobac/engine/stein"
	"tobac/models"
	"tobac/schedule"
	"tobac/sem"
	"tobac/svgd"
)

// scheduledSampler has a kernel by its groups and all schedules.
func scheduledSampler(coupling string) *stein.SVGD {
	s := small
	s.AlphaRate, s.Alpha = 0, schedule.OfRun{Shape: schedule.Geometric, From: 0.1, To: 10}
	words := append(strings.Split(coupling, ":"), "")
	s.Coupling = stein.Coupling{Function: stein.KernelFunction(words[0]),
		Latents: stein.Grouping(words[1]), Parameters: stein.Grouping(words[2])}
	s.StepSchedule = schedule.OfRun{From: 1, Start: 0.5}
	return &s
}

// Kernels and schedules go with every method and model of svgd: cut anywhere and resumed, with
// another number of workers, a run ends in the same bits, and other settings end in other ones.
func TestKernelsAndSchedulesEverywhere(t *testing.T) {
	data := noisy(t)
	dibs := particles()
	dibs.Order = engine.Order{}
	dibs.Engine = &stein.DiBS{SVGD: *scheduledSampler("imq:variable:coordinate"),
		Penalty: models.Penalty{Beta: schedule.OfRun{Shape: schedule.Cosine, To: 9}}}
	ffn := particles()
	ffn.Model, ffn.Engine = sem.FeedForward{Hidden: []int{2}},
		scheduledSampler("rbf:coordinate:none")
	sampler(&ffn).Estimator = models.NodeWise
	integrated := ffn
	integrated.Model = sem.FeedForward{Output: models.IntegratedOutput}
	sampler(&integrated).Coupling = stein.Coupling{Function: "imq", Latents: "coordinate",
		Parameters: "variable"}
	bge := particles()
	bge.Model, bge.Engine = sem.BGe{}, scheduledSampler("imq:coordinate")
	sampler(&bge).Gradient = models.ScoreFunction
	orders := several()
	orders.Engine = scheduledSampler("rbf:block:variable")
	sampler(&orders).BandwidthZ = 3
	for name, cfg := range map[string]tobac.Config{"dibs": dibs, "ffn": ffn,
		"ffn integrated": integrated, "bge": bge, "linear over orders": orders} {
		t.Run(name, func(t *testing.T) {
			resume(t, data, cfg, 0, 5)
			plain := cfg
			without := sampler(&plain)
			without.Coupling, without.BandwidthZ = stein.Coupling{}, 0
			other := cfg
			sampler(&other).StepSchedule = nil
			var ends [3]string
			for k, c := range []tobac.Config{cfg, plain, other} {
				r, _ := finished(t, data, c)
				ends[k] = string(snapshot(t, r).Stage)
			}
			if ends[0] == ends[1] || ends[0] == ends[2] {
				t.Error("the kernel or the schedule changes nothing")
			}
		})
	}
}

// A coupling is the kernel of package svgd that its words say, bit for bit.
func TestCouplingIsTheKernel(t *testing.T) {
	data := noisy(t)
	for text, kernel := range map[string]svgd.Kernel{
		"rbf:block":           svgd.Blocks{svgd.RBF{}, svgd.RBF{}},
		"imq:coordinate:none": svgd.Blocks{svgd.Grouped{Kernel: svgd.IMQ{}, Size: 1}, svgd.Alone{}},
		"rbf:none:coordinate": svgd.Blocks{svgd.Alone{}, svgd.Grouped{Kernel: svgd.RBF{}, Size: 1}},
	} {
		cfg := particles()
		var ends [2]string
		for k := range ends {
			svgd := scheduledSampler(text)
			if cfg.Engine = svgd; k == 1 {
				svgd.Coupling, svgd.Kernel = stein.Coupling{}, kernel
			}
			r, _ := finished(t, data, cfg)
			ends[k] = string(snapshot(t, r).Stage)
		}
		if ends[0] != ends[1] {
			t.Errorf("%s is another kernel than %+v", text, kernel)
		}
	}
}

// A schedule relative to the run is that of its steps: resuming with other ones is refused, and
// says so.
func TestScheduleOfAnotherLength(t *testing.T) {
	cfg := particles()
	cfg.Order, cfg.Engine = engine.Order{Known: []int{0, 1, 2, 3, 4}},
		scheduledSampler("rbf:coordinate")
	first := newRun(t, noisy(t), cfg)
	advance(t, first, 3)
	sampler(&cfg).Steps = 20
	err := newRun(t, noisy(t), cfg).Restore(context.Background(), parsed(t, state(t, first)))
	if err == nil || !strings.Contains(err.Error(), "alpha-schedule=geometric:0.1:10:0-11") ||
		!strings.Contains(err.Error(), "alpha-schedule=geometric:0.1:10:0-19") {
		t.Errorf("got %v", err)
	}
}

// unseparated is a linear model that does not say which parameters are whose.
type unseparated struct{ quiet }

func (u unseparated) Likelihood(data *dataset.Table) (models.Likelihood, error) {
	lik, err := u.quiet.Likelihood(data)
	return struct{ models.Likelihood }{lik}, err
}

// What a kernel needs of a model and does not find is an error that says so.
func TestCouplingErrors(t *testing.T) {
	for _, c := range []struct {
		model sem.Model
		text  string
		want  string
	}{
		{unseparated{}, "rbf:variable", "a kernel for each variable needs a likelihood that " +
			"assigns its parameters to variables; allowed: block, coordinate and none"},
		{sem.BGe{}, "rbf:none:block",
			"it has no parameters, and kernel rbf:none:block couples none of its latents"},
	} {
		cfg := particles()
		cfg.Model, cfg.Engine = c.model, scheduledSampler(c.text)
		sampler(&cfg).Gradient = models.ScoreFunction
		if _, err := tobac.Fit(context.Background(), noisy(t), cfg); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%T with %s: got %v, want %s", c.model, c.text, err, c.want)
		}
	}
}
