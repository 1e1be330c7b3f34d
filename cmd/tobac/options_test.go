package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tobac/dataset"
	"tobac/internal/cli"
	"tobac/internal/file"
	"tobac/internal/must"
	"tobac/internal/stream"
	"tobac/posterior"

	"gonum.org/v1/gonum/mat"
)

// An order can be given as a method, as a line of names and as a file.
func TestOrderOption(t *testing.T) {
	simulated(t)
	line := strings.TrimSpace(succeed(t, "order", "data/train.csv", "--method", "eqvar").stdout)
	files := map[string]string{"line.txt": line + "\n",
		"lines.txt": "\ufeff" + strings.ReplaceAll(line, ",", "\r"), "eqvar": "X0"}
	for name, content := range files {
		must.Do(t, os.WriteFile(name, []byte(content), 0o644))
	}
	particles := ""
	for _, order := range []string{"eqvar", "EqVar", line, strings.ReplaceAll(line, ",", ", "),
		"line.txt", "lines.txt"} {
		succeed(t, sampled("fit", "data/train.csv", "--order", order, "--out", "run")...)
		got := drawsIn(t, "run") // warnings differ: a known order has none
		if particles == "" {
			particles = got
		}
		if got != particles {
			t.Errorf("--order %q gives other particles than --order eqvar", order)
		}
	}
	const want = "tobac: ./eqvar: missing \"X1\", \"X2\", \"X3\", \"X4\", \"X5\"\n"
	if got := runTobac(t, "fit", "data/train.csv", "--order", "./eqvar"); got.stderr != want {
		t.Errorf("a file named like a method: %q, want %q", got.stderr, want)
	}
}

// Held-out rows are matched by name and scaled like the training data.
func TestHeldout(t *testing.T) {
	simulated(t)
	read := func(name string) *dataset.Table {
		return must.Get(dataset.ReadFile(filepath.Join("data", name)))(t)
	}
	train, heldout := read("train.csv"), read("heldout.csv")
	mean, sd := train.Moments()
	scaled := &dataset.Table{Names: heldout.Names,
		X: (&posterior.Standardization{Mean: mean, SD: sd}).Apply(heldout.X)}
	mixed := heldout.Relabel([]int{3, 5, 0, 1, 4, 2})
	standard := must.Get(train.Standardize())(t)
	for name, x := range map[string]*dataset.Table{"mixed.csv": mixed, "scaled.csv": scaled,
		"standard.csv": standard} {
		must.Do(t, file.Write(name, func(w io.Writer) error { return dataset.WriteCSV(w, x) }))
	}
	negLL := func(args ...string) any {
		return at(parse(t,
			succeed(t, sampled(append([]string{"fit", "--json"}, args...)...)...).stdout),
			"metrics", "empirical", "neg_ll")
	}
	want := negLL("data/train.csv", "--set", "data.standardize=true", "--heldout",
		"data/heldout.csv")
	if got := negLL("data/train.csv", "--set", "data.standardize=true", "--heldout",
		"mixed.csv"); got != want {
		t.Errorf("columns in another sequence: Neg.LL %v, want %v", got, want)
	}
	if got := negLL("standard.csv", "--heldout", "scaled.csv"); got != want {
		t.Errorf("scaled by hand: Neg.LL %v, want %v", got, want)
	}
	if got := negLL("data/train.csv", "--heldout", "data/heldout.csv"); got == want {
		t.Errorf("Neg.LL %v with and without standardising", got)
	}
}

// --holdout takes rows by the seed alone, after all rows were standardised.
func TestHoldout(t *testing.T) {
	split := func(seed uint64) *job {
		return prepared(t, "", "--seed", fmt.Sprint(seed), "--holdout", "0.1", "--order",
			"variance", "--set", "data.standardize=true")
	}
	a, b, c := split(1), split(1), split(2)
	if a.input.TrainingRows != 767 || a.input.HeldoutRows != 86 {
		t.Errorf("%d and %d rows, want 767 and 86", a.input.TrainingRows, a.input.HeldoutRows)
	}
	if !slices.Equal(a.heldout.X.RawMatrix().Data, b.heldout.X.RawMatrix().Data) {
		t.Error("the same seed holds out other rows")
	}
	if slices.Equal(a.heldout.X.RawMatrix().Data, c.heldout.X.RawMatrix().Data) {
		t.Error("another seed holds out the same rows")
	}
	for j := range 11 {
		sum := 0.0
		for _, x := range []*mat.Dense{a.train.X, a.scaling.Apply(a.heldout.X)} {
			n, _ := x.Dims()
			for i := range n {
				sum += x.At(i, j)
			}
		}
		if math.Abs(sum/853) > 1e-12 {
			t.Errorf("column %d of all rows has mean %g, want 0", j, sum/853)
		}
	}
}

// The stream behind --holdout is frozen: results in papers depend on it.
func TestSplitStream(t *testing.T) {
	if got, want := stream.New(1, stream.HeldoutRows).Perm(8),
		[]int{2, 4, 7, 0, 6, 3, 5, 1}; !slices.Equal(got, want) {
		t.Errorf("permutation of 8 with seed 1 is %v, want %v", got, want)
	}
}

func TestStandardInput(t *testing.T) {
	simulated(t)
	data := readFile(t, "data/train.csv")
	got := runWith(t, t.Context(), data, quick("fit", "-", "--json")...)
	if got.code != cli.ExitDone || at(parse(t, got.stdout), "config", "data") != "standard input" {
		t.Errorf("fit -: %+v", got)
	}
	want := succeed(t, "order", "data/train.csv")
	if got := runWith(t, t.Context(), data, "order", "-"); got != want {
		t.Errorf("order -: %+v, want %+v", got, want)
	}
}

// With --center a model without intercepts gives what it gives on columns that the user has
// centred; a model with intercepts gives the same with and without, in units of the data.
func TestCenter(t *testing.T) {
	simulated(t)
	var raw, centred strings.Builder
	lines := strings.Split(strings.TrimSpace(readFile(t, "data/train.csv")), "\n")
	raw.WriteString(lines[0] + ",shifted\n")
	centred.WriteString(lines[0] + ",shifted\n")
	for k, line := range lines[1:] {
		v := []string{"1", "-1", "3", "-3"}[k%4]
		raw.WriteString(line + "," + map[string]string{"1": "101", "-1": "99", "3": "103",
			"-3": "97"}[v] + "\n")
		centred.WriteString(line + "," + v + "\n")
	}
	for name, text := range map[string]string{"raw.csv": raw.String(),
		"centred.csv": centred.String()} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	edges := func(args ...string) string {
		succeed(t, append(quick(append([]string{"fit"}, args...)...), "--out", "run", "--set",
			"results.report=false", "--force")...)
		return readFile(t, "run/edges.csv")
	}
	paper := []string{"--engine", "svgd", "--set", "recipe=paper", "--order",
		"shifted,X0,X1,X2,X3,X4,X5", "--set", "data.center=true"}
	if a, b := edges(append([]string{"raw.csv"}, paper...)...),
		edges(append([]string{"centred.csv"}, paper...)...); a != b {
		t.Errorf(
			"the paper's model on shifted columns, centred, lists\n%s\nand on centred ones\n%s", a,
			b)
	}
	got := succeed(t, quick("fit", "raw.csv", "--engine", "exact", "--set", "data.center=true")...)
	if !strings.Contains(got.stdout, "7 variables, centred") ||
		!strings.Contains(got.stdout, "in units of the data") {
		t.Errorf("report %s", got.stdout)
	}
}
