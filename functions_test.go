package tobac_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/jobs"
	"tobac/ordering"
	"tobac/svgd"
)

// jobTable is a small table with interventions, and what is known of it.
func jobTable(t *testing.T) *dataset.Table {
	t.Helper()
	table, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	small := &dataset.Table{Names: table.Names[:5], X: mat.DenseCopyOf(table.X.Slice(0, 80, 0, 5)), Intervened: mat.NewDense(80, 5, nil)}
	for i := range 10 {
		small.Intervened.Set(i, 2, 1)
	}
	small, err = small.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	return small
}

// inFolder does jobs as another process would: it knows nothing but what is written in the folder.
func inFolder(t *testing.T, dir string) tobac.Do {
	return func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
		folder, err := jobs.OpenFolder(dir)
		if err != nil {
			return nil, err
		}
		if err := folder.Add(list); err != nil {
			return nil, err
		}
		recorded, err := folder.Jobs()
		if err != nil {
			return nil, err
		}
		if _, err := jobs.Do(ctx, jobs.Local{Workers: 2}, folder, tobac.Functions(), recorded, nil); err != nil {
			return nil, err
		}
		return jobs.Do(ctx, jobs.Local{}, folder, nil, list, nil) // none is left
	}
}

// fitBits are all bits of a fit: its posteriors, and the state of its run.
func fitBits(t *testing.T, data *dataset.Table, c tobac.Config) string {
	t.Helper()
	r, out := finished(t, data, c)
	return state(t, r) + text(t, out.Posterior)
}

// A fit whose parts are done as jobs is that of one process, bit by bit, its state included.
func TestJobsGiveTheSameBits(t *testing.T) {
	quick := tobac.Sampler{Particles: 4, Steps: 12, Samples: 8}
	chains := tobac.Chains{Chains: 3, Iterations: 60, WarmUp: 20}
	known := tobac.Prior{Forbidden: []dag.Edge{{From: 0, To: 1}}, Odds: []tobac.EdgeOdds{{From: 1, To: 3, Odds: 3}}, Tiers: []int{0, 0, 1, 1, 1}}
	probabilities := mat.NewDense(5, 5, nil)
	probabilities.Apply(func(i, j int, _ float64) float64 { return 0.2 + 0.1*float64((i+j)%3) }, probabilities)
	for _, row := range []struct {
		name   string
		config tobac.Config
		jobs   int
	}{
		{"under drawn orders", tobac.Config{Engine: tobac.SVGD, Sampler: quick, Order: tobac.Order{Count: 3}}, 3},
		{"resamples", tobac.Config{Engine: tobac.SVGD, Sampler: quick, Order: tobac.Order{Method: ordering.MethodEqVar, Count: 8}, Prior: tobac.Prior{Probabilities: probabilities}}, 7},
		{"networks", tobac.Config{Engine: tobac.SVGD, Model: tobac.FeedForward{Hidden: []int{3}, NoiseVariance: 0.5}, Sampler: quick, Order: tobac.Order{Count: 2}, Prior: known}, 2},
		{"unequal", tobac.Config{Engine: tobac.SVGD, Model: tobac.BGe{}, Sampler: quick, Order: tobac.Order{Count: 2}, Prior: tobac.Prior{Kind: tobac.ScaleFree}}, 2},
		{"chains", tobac.Config{Engine: tobac.MCMC, Model: tobac.Linear{}, Chains: chains}, 3},
		{"chains, the model open", tobac.Config{Engine: tobac.MCMC, Chains: chains}, 3},
		{"chains, few candidates", tobac.Config{Engine: tobac.MCMC, Model: tobac.BGe{}, Chains: tobac.Chains{Chains: 2, Iterations: 60, WarmUp: 20, Candidates: 2}, Prior: known}, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			data := jobTable(t)
			want := fitBits(t, data, row.config)
			dir := t.TempDir()
			row.config.Jobs = inFolder(t, dir)
			if got := fitBits(t, data, row.config); got != want {
				t.Errorf("by jobs:\n%.3000s\nin one process:\n%.3000s", got, want)
			}
			folder, err := jobs.ExistingFolder(dir)
			if err != nil {
				t.Fatal("nothing was done as jobs")
			}
			list, err := folder.Jobs()
			if err != nil || len(list) != row.jobs {
				t.Errorf("%d jobs, %v, want %d", len(list), err, row.jobs)
			}
			row.config.Workers = 2
			row.config.Jobs = func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
				return jobs.Do(ctx, jobs.Local{}, folder, jobs.Functions{}, list, nil) // which can do none
			}
			if got := fitBits(t, data, row.config); got != want {
				t.Error("from the outputs in the folder the result is another")
			}
		})
	}
}

// A run that has begun an order ends it here, and distributes the others.
func TestJobsAfterRestore(t *testing.T) {
	c := tobac.Config{Engine: tobac.SVGD, Sampler: tobac.Sampler{Particles: 3, Steps: 10, Samples: 8}, Order: tobac.Order{Count: 3}, Model: tobac.Linear{Unequal: true}}
	data := jobTable(t)
	r, _ := finished(t, data, c)
	want := state(t, r)
	for _, at := range []int{4, 10, 13} {
		r, again := newRun(t, data, c), c
		advance(t, r, at)
		again.Jobs = inFolder(t, t.TempDir())
		resumed := newRun(t, data, again)
		if err := resumed.Restore(t.Context(), snapshot(t, r)); err != nil {
			t.Fatal(err)
		}
		advance(t, resumed, resumed.Steps())
		if got := state(t, resumed); got != want {
			t.Errorf("restored at step %d: another state", at)
		}
	}
}

// What other processes do not know is refused before anything is computed as a job, and an error of the jobs ends the run.
func TestJobsRefused(t *testing.T) {
	c := tobac.Config{Engine: tobac.SVGD, Sampler: tobac.Sampler{Particles: 3, Steps: 10, Samples: 8}, Order: tobac.Order{Count: 2}, Model: tobac.Linear{Unequal: true}}
	c.Jobs = func(context.Context, []jobs.Job) ([][]byte, error) { return nil, errors.New("planned") }
	own := c
	own.Sampler.Optimizer = svgd.Adam{StepSize: 0.01}
	for _, row := range []struct {
		config tobac.Config
		want   string
	}{{c, "planned"}, {own, "optimiser of one's own"}} {
		if _, err := tobac.Fit(t.Context(), jobTable(t), row.config); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("got %v, want an error with %q", err, row.want)
		}
	}
	f := tobac.Functions()
	for kind := range f {
		for _, j := range []jobs.Job{{Kind: kind}, {Kind: kind, Input: []byte("{}")}, {Kind: kind, Input: []byte("{}"), Data: [][]byte{[]byte(`{"names":["a"],"rows":3}` + "\n")}}} {
			if out, err := f.Do(t.Context(), j); err == nil || errors.As(err, new(*jobs.PanicError)) {
				t.Errorf("%s %s: got %q, %v, want an error", kind, j.Input, out, err)
			}
		}
	}
}

// Orders of resamples are the same by jobs, failures of single ones included, and more resamples leave finished jobs what they are.
func TestBootstrapByJobs(t *testing.T) {
	data := jobTable(t)
	few := &dataset.Table{Names: data.Names, X: data.X.Slice(0, 8, 0, 5).(*mat.Dense)} // of which some resamples are singular
	prior := &tobac.Prior{Forbidden: []dag.Edge{{From: 0, To: 1}}, Sinks: []int{2}}
	dir := t.TempDir()
	for _, table := range []*dataset.Table{data, few} {
		for _, replicates := range []int{20, 50} {
			opt := ordering.BootstrapOptions{Seed: 3, Workers: 2}
			want, err := tobac.BootstrapOrders(t.Context(), table, prior, ordering.MethodEqVar, replicates, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tobac.BootstrapOrders(t.Context(), table, prior, ordering.MethodEqVar, replicates, opt, inFolder(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })); diff != "" {
				t.Errorf("%d resamples of %d rows (-one process +jobs):\n%s", replicates, table.X.RawMatrix().Rows, diff)
			}
			if failures := len(got.Failures); (failures > 0) != (table == few) {
				t.Errorf("%d of %d resamples failed", failures, replicates)
			}
		}
	}
	folder, err := jobs.ExistingFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := folder.Jobs(); err != nil || len(list) != 2*(2+3) { // of which the first of 16 is in both lists
		t.Errorf("%d jobs, %v, want 10", len(list), err)
	}
}
