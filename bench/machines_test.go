package bench_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"tobac/dataset"
	"tobac/engine"
	"tobac/internal/graphchains"
	"tobac/internal/inference"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/internal/problems"
	"tobac/sem"
)

// A measuredFit is what a fit of chains whose rounds are jobs took, in seconds of one processor.
type measuredFit struct {
	settle, begin, end float64
	perChain           float64 // of begin
	make, round        float64 // what a job takes to make the tables, and without that
	exchange           float64 // of the state of one chain after a round
	samples            int     // of all chains
	ess                float64 // that these are worth
	warmUp             int     // iterations
}

// machines are the processors of a simulated [jobs.Engine], which do no job: each is busy for as
// long as one takes, and makes the tables first if it has none.
type machines struct {
	fit   *measuredFit
	free  []float64 // when each is
	ready []bool
	now   float64
}

func (m *machines) Run(_ context.Context, _ jobs.Functions, list []jobs.Job,
	done func(i int, output []byte, err error)) error {
	last := m.now
	for i := range list {
		k, end := 0, math.Inf(1)
		for l, free := range m.free { // that ends first
			at := max(free, m.now) + m.fit.round
			if !m.ready[l] {
				at += m.fit.make
			}
			if at < end {
				k, end = l, at
			}
		}
		m.free[k], m.ready[k] = end, true
		last = max(last, end)
		done(i, []byte{0}, nil)
	}
	m.now = last + m.fit.exchange*float64(len(list))
	return nil
}

// seconds are those by the clock of a fit with so many chains on so many processors; begin shares
// its searches out over those of one machine, 16 at most.
func (f *measuredFit) seconds(t *testing.T, chains, processors int) (
	all, begin, rounds float64) {
	t.Helper()
	m := &machines{fit: f, free: make([]float64, processors), ready: make([]bool, processors)}
	of := min(16, processors)
	searches := (chains + of - 1) / of
	begin = f.settle + f.begin + f.perChain*float64(searches)
	// Enough for 400 effective samples, and two blocks in each half of a chain.
	record := max(100, int(400/f.ess*float64(f.samples)/float64(chains)))
	list := make([]jobs.Job, chains)
	for step := 0; step < f.warmUp+record; step += 100 {
		for k := range list {
			list[k] = jobs.Job{Kind: graphchains.RoundKind, Input: []byte{byte(k), byte(k >> 8),
				byte(step / 100)}}
		}
		must.Get(jobs.Do(t.Context(), m, nil, jobs.Functions{}, list, nil))(t)
	}
	return begin + m.now + f.end, begin, m.now
}

// measuredRounds fits a table of d columns, 1,000 rows and two parents on average, with rounds of
// chains as jobs.
func measuredRounds(t *testing.T, d int) *measuredFit {
	t.Helper()
	g := must.Get(dataset.SimulateER(dataset.ERConfig{Vars: d, EdgesPerNode: 2, Seed: 1}))(t)
	s := must.Get(dataset.SimulateLinear(g, dataset.LinearConfig{Rows: 1000, Seed: 1}))(t)
	p := &engine.Problem{Data: s.Train, Model: sem.BGe{}, Workers: 1, Seed: 1,
		Report: func(engine.Progress) {}, Seconds: new(engine.Seconds)}
	settings := must.Get((&graphchains.Settings{Jobs: t.TempDir()}).Filled())(t)
	f, ctx, at := &measuredFit{warmUp: settings.WarmUp}, t.Context(), processor()
	lap := func() float64 {
		before := at
		at = processor()
		return at - before
	}
	settled := must.Get(graphchains.Settle(ctx, p.Data, problems.ScoredModels(p), p, settings,
		inference.TrustOf(p)))(t)
	f.settle = lap()
	fewer := *settings
	fewer.Chains = 3
	must.Get(graphchains.New(ctx, p.Data, settled, p, &fewer))(t)
	three := lap()
	chains := must.Get(graphchains.New(ctx, p.Data, settled, p, settings))(t)
	f.perChain = max(lap()-three, 0)
	f.begin = max(three-3*f.perChain, 0)
	_, steps := chains.Steps()
	clock := time.Now()
	must.Do(t, chains.Advance(ctx, steps))
	// Jobs know their seconds by the clock, which others may slow down.
	advance, jobsDone := lap(), secondsOfJobs(t, settings.Jobs)
	floats.Scale(advance/time.Since(clock).Seconds(), jobsDone)
	f.round = middle(jobsDone)
	f.make = max(slices.Max(jobsDone)-f.round, 0)
	f.exchange = max(advance-floats.Sum(jobsDone), 0) / float64(len(jobsDone))
	inf := must.Get(chains.Inference(ctx))(t)
	f.end = lap()
	f.samples, f.ess = inf.Diagnostics.Samples, inf.Diagnostics.MinESS()
	return f
}

// secondsOfJobs are those of all jobs that a folder keeps.
func secondsOfJobs(t *testing.T, dir string) (all []float64) {
	t.Helper()
	folder, err := jobs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		m, ok, err := folder.Measured(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())))
		if ok && err == nil {
			all = append(all, m.Seconds)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d jobs, %v", len(all), err)
	}
	return all
}

// Where the next limit of chains over many columns is: seconds of a fit on 1 to 1,000 processors,
// with as many chains as end first, whose rounds are jobs of an engine that simulates them with the
// durations of a real fit. Tables are made once on each processor; the searches for first graphs,
// the choice of candidates, exchanges of states and the end are work of one machine. Without -long
// 30 columns.
//
//	GOMAXPROCS=1 go test ./bench -run TestManyMachines -long -v -timeout 30m
func TestManyMachines(t *testing.T) {
	columns := []int{30}
	if *long {
		columns = []int{100, 300, 1000}
	}
	for _, d := range columns {
		f := measuredRounds(t, d)
		t.Logf("%d columns: settle %.1f s, begin %.1f and %.2f for each chain, tables %.2f, round "+
			"%.2f, exchange %.4f for each chain, end %.1f; %d samples are worth %.0f", d, f.settle,
			f.begin, f.perChain, f.make, f.round, f.exchange, f.end, f.samples, f.ess)
		t.Log("| columns | processors | chains | begin | rounds | end | all |")
		before := math.Inf(1)
		for _, n := range []int{1, 2, 4, 16, 64, 256, 1000} {
			row, least := "", math.Inf(1)
			for chains := 4; chains <= max(4, n); chains += max(1, chains/8) {
				if all, begin, rounds := f.seconds(t, chains, n); all < least {
					least = all
					row = fmt.Sprintf("| %d | %d | %d | %.1f | %.1f | %.1f | %.1f |", d, n, chains,
						begin, rounds, f.end, all)
				}
			}
			t.Log(row)
			if least > before*(1+1e-9) {
				t.Errorf("%.1f s on %d processors, %.1f on fewer", least, n, before)
			}
			before = least
		}
	}
}

// middle is the median of some numbers, which it sorts.
func middle(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
