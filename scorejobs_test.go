package tobac_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tobac"
	"tobac/dag"
	"tobac/dataset"
	"tobac/internal/jobs"
)

// kinds counts the jobs of a folder.
func kinds(t *testing.T, dir string) map[string]int {
	t.Helper()
	folder, err := jobs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := folder.Jobs()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, j := range list {
		count[j.Kind]++
	}
	return count
}

// wideTable has more variables than share the reductions of Gaussian processes, and curved equations.
func wideTable(t *testing.T) *dataset.Table {
	t.Helper()
	table, _, err := dataset.Sachs()
	if err != nil {
		t.Fatal(err)
	}
	const n, d = 30, 26
	wide := &dataset.Table{X: mat.NewDense(n, d, nil)}
	for j := range d {
		wide.Names = append(wide.Names, string(rune('a'+j)))
		for i := range n {
			wide.X.Set(i, j, table.X.At(i+n*(j/11), j%11))
		}
	}
	wide, err = wide.Standardize()
	if err != nil {
		t.Fatal(err)
	}
	return wide
}

// A fit whose node scores are computed as jobs is that of one process, bit by bit; and a second one finds all of them.
func TestNodeScoresAsJobs(t *testing.T) {
	defer tobac.SetScoreSeconds(0.001)()
	narrow := jobTable(t)
	units := &dataset.Table{Names: narrow.Names, X: mat.DenseCopyOf(narrow.X), Intervened: narrow.Intervened}
	for i := range 80 {
		units.X.Set(i, 0, 1e7*units.X.At(i, 0)) // no common unit, so that there is one hypothesis
	}
	chains := tobac.Chains{Chains: 2, Iterations: 30, WarmUp: 10, Candidates: 3}
	known := tobac.Prior{Forbidden: []dag.Edge{{From: 0, To: 1}}, Required: []dag.Edge{{From: 1, To: 3}}}
	for _, row := range []struct {
		name   string
		data   *dataset.Table
		config tobac.Config
		least  int // jobs
	}{
		{"exact", narrow, tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{}, Prior: known}, 10},
		{"exact, the model open", narrow, tobac.Config{Engine: tobac.Exact}, 10},
		{"exact, one hypothesis", units, tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{MaxParents: 2, Rank: 20}}, 2},
		{"exact, an order", narrow, tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{}, Order: tobac.Order{Known: []int{2, 0, 1, 4, 3}}}, 10},
		{"chains", narrow, tobac.Config{Engine: tobac.MCMC, Model: tobac.GaussianProcess{}, Chains: chains, Prior: known}, 10},
		{"chains, the model open", narrow, tobac.Config{Engine: tobac.MCMC, Chains: chains}, 10},
		{"chains, many variables", wideTable(t), tobac.Config{Engine: tobac.MCMC, Model: tobac.GaussianProcess{MaxParents: 2}, Chains: chains}, 50},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := fitBits(t, row.data, row.config)
			dir := t.TempDir()
			row.config.Jobs = inFolder(t, dir)
			if got := fitBits(t, row.data, row.config); got != want {
				t.Errorf("by jobs:\n%.2000s\nin one process:\n%.2000s", got, want)
			}
			count := kinds(t, dir)
			if n := count["gp-scores"]; n < row.least || row.config.Model != nil && len(count) > 1 {
				t.Errorf("jobs %v, want at least %d of gp-scores and, where the model is given, no others", count, row.least)
			}
			folder, err := jobs.OpenFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			row.config.Workers = 2
			row.config.Jobs = func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
				return jobs.Do(ctx, jobs.Local{}, folder, jobs.Functions{}, list, nil) // which can do none
			}
			if got := fitBits(t, row.data, row.config); got != want {
				t.Error("from the outputs in the folder the result is another")
			}
		})
	}
}

// Scores that take less than two jobs, and those in closed form, are computed where they are used.
func TestFewNodeScoresAreNoJobs(t *testing.T) {
	none := func(context.Context, []jobs.Job) ([][]byte, error) {
		t.Error("jobs were asked for")
		return nil, context.Canceled
	}
	fit(t, jobTable(t), tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{}, Jobs: none})
	defer tobac.SetScoreSeconds(1e-9)()
	fit(t, jobTable(t), tobac.Config{Engine: tobac.Exact, Model: tobac.Linear{Unequal: true}, Jobs: none})
}

// Outputs that are no scores are refused, by the job's name, and so are jobs that ask for none.
func TestWrongNodeScores(t *testing.T) {
	defer tobac.SetScoreSeconds(0.001)()
	wrong := func(change func(output []byte) []byte) tobac.Config {
		return tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{}, Jobs: func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
			outputs, err := jobs.Do(ctx, jobs.Local{}, nil, tobac.Functions(), list, nil)
			if err == nil {
				outputs[1] = change(outputs[1])
			}
			return outputs, err
		}}
	}
	for want, change := range map[string]func(output []byte) []byte{
		" bytes of node scores, want ": func(output []byte) []byte { return output[:len(output)-8] },
		" is NaN, want a finite number": func(output []byte) []byte {
			return binary.LittleEndian.AppendUint64(output[:len(output)-8:len(output)-8], math.Float64bits(math.NaN()))
		},
	} {
		if _, err := tobac.Fit(t.Context(), jobTable(t), wrong(change)); err == nil || !strings.Contains(err.Error(), "the output of job 2 (") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that names job 2 with %q", err, want)
		}
	}
	data := []byte("{\"names\":[\"a\",\"b\"],\"rows\":3}\n")
	for _, v := range []float64{1, 2, 3, 5, 2, 1} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	for _, input := range []string{
		`{"variances":[0]}`,
		`{"queries":[{"parents":[0],"children":[1]}]}`,
		`{"variances":[-1],"queries":[{"parents":[0],"children":[1]}]}`,
		`{"variances":[0],"queries":[{"parents":[2],"children":[1]}]}`,
		`{"variances":[0],"queries":[{"parents":[1,0],"children":[]}]}`,
		`{"variances":[0],"queries":[{"parents":[1],"children":[1]}]}`,
		`{"rank":-1,"variances":[0],"queries":[{"parents":[0],"children":[1]}]}`,
	} {
		_, err := tobac.Functions().Do(t.Context(), jobs.Job{Kind: "gp-scores", Input: []byte(input), Data: [][]byte{data}})
		if err == nil || strings.Contains(err.Error(), "panic") {
			t.Errorf("%s: got %v, want an error", input, err)
		}
	}
}

// A damaged output in the folder is named, computed again, and the result the same.
func TestDamagedNodeScores(t *testing.T) {
	defer tobac.SetScoreSeconds(0.001)()
	data, dir := jobTable(t), t.TempDir()
	c := tobac.Config{Engine: tobac.Exact, Model: tobac.GaussianProcess{Rank: 30}, Jobs: inFolder(t, dir)}
	want := fitBits(t, data, c)
	outputs, err := filepath.Glob(filepath.Join(dir, "done", "*", "*"))
	if err != nil || len(outputs) < 3 {
		t.Fatalf("%q, %v, want outputs", outputs, err)
	}
	text, err := os.ReadFile(outputs[1])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(outputs[1], text, 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := jobs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	done, warned := 0, ""
	c.Jobs = func(ctx context.Context, list []jobs.Job) ([][]byte, error) {
		last := 0
		outputs, err := jobs.Do(ctx, jobs.Local{}, folder, tobac.Functions(), list, func(s jobs.Status) { last, warned = s.Done, warned+s.Warning })
		done += last
		return outputs, err
	}
	if got := fitBits(t, data, c); got != want || done != 1 || !strings.Contains(warned, outputs[1]) {
		t.Errorf("%d jobs done again with the warnings %q, the same result %v; want 1, with %s", done, warned, got == want, outputs[1])
	}
}
