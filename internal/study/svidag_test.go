package study_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tobac/dag"
	"tobac/internal/jobs"
	"tobac/internal/must"
	"tobac/internal/numpy"
	"tobac/internal/study"
)

// svidagFolder has a table of three variables for a linear and a nonlinear cell, with published
// results of two methods.
func svidagFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(2, 3))
	published := "case,rows,replicate,method,e_shd,auroc,brier,e_f1,seconds\n"
	for _, number := range []int{2, 3} {
		values := make([]float64, 0, 300)
		for range 100 {
			a, c := rng.NormFloat64(), rng.NormFloat64()
			values = append(values, a, a-c+0.3*rng.NormFloat64(), c)
		}
		var text bytes.Buffer
		must.Do(t, numpy.WriteNumbers(&text, []int{100, 3}, values))
		writeFolder(t, filepath.Join(dir, fmt.Sprintf("case%d-n100-r0", number)),
			map[string]string{"train.npy": text.String(),
				"graph.csv": "source,target\nX0,X1\nX2,X1\n"})
		published += fmt.Sprintf(
			"%d,100,0,dibs,5,0.6,0.3,0.2,9\n%[1]d,100,0,svidag,4,0.5,0.4,0.1,8\n", number)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "published.csv"), []byte(published),
		0o666))
	return dir
}

// The study has a cell for each table that is there, beside what was published of it, which no cell
// computes. A collider of clear effects is found, and is the best of all by each metric.
func TestSVIDAG(t *testing.T) {
	s := must.Get(study.New(study.SVIDAG, study.Options{Data: svidagFolder(t)}))(t)
	cells := study.Cells([]study.Study{s})
	if len(cells) != 2 {
		t.Fatalf("%d cells, want 2", len(cells))
	}
	outputs := make([][]byte, 2)
	for k, c := range cells {
		j := c.Job()
		outputs[k] = must.Get(study.Functions()[study.JobKind](t.Context(),
			jobs.Job{Kind: j.Kind, Input: j.Input, Data: j.Data}))(t)
	}
	r := must.Get(study.Collect([]study.Study{s}, outputs, make([]string, 2), []float64{1, 1}))(t)
	for _, section := range s.Sections {
		lines := r.Lines(s, section)
		if len(lines) != 7 || lines[1].Kind != study.PublishedKind || lines[6].Name != "svidag" {
			t.Fatalf("%s: %d lines", section.Name, len(lines))
		}
		if o := lines[0].Results[0].Outcome.SVIDAG; !(o.ESHD < 0.5 && o.AUROC == 1 &&
			o.Brier < 0.05 && o.F1 > 0.9) {
			t.Errorf("%s: scores %+v of a clear collider", section.Name, *o)
		}
	}
	table := r.BesideSVIDAG(s)
	if row := strings.Join(table.Rows[0], " | "); !strings.Contains(row,
		"4.0 (SVI-DAG, published)") || !strings.Contains(row, "0.600 (DiBS, published)") {
		t.Errorf("a line beside the published results reads %s", row)
	}
	claims := r.Claims()
	// of one table each
	if c := claims[len(claims)-1]; len(c.Parts) != 8 || c.Verdict() != study.Undecided {
		t.Errorf("claim %d has %d parts, verdict %q", c.Number, len(c.Parts), c.Verdict())
	}
	if _, err := study.New(study.SVIDAG, study.Options{Data: t.TempDir()}); err == nil {
		t.Error("a folder without tables was taken")
	}
}

// On directed graphs a reversed edge counts twice; on equivalence classes the states of pairs
// count, and so do only adjacencies in F1.
func TestSVIDAGDistance(t *testing.T) {
	graph := func(edges ...dag.Edge) *dag.Graph {
		g := dag.New(3)
		for _, e := range edges {
			g.Set(e.From, e.To, true)
		}
		return g
	}
	chain := graph(dag.Edge{From: 0, To: 1}, dag.Edge{From: 1, To: 2})
	for _, row := range []struct {
		g        *dag.Graph
		directed int
		f1       float64
		classes  int
		skeleton float64
	}{
		{chain, 0, 1, 0, 1},
		// of the same class
		{graph(dag.Edge{From: 1, To: 0}, dag.Edge{From: 1, To: 2}), 2, 0.5, 0, 1},
		{graph(dag.Edge{From: 0, To: 1}, dag.Edge{From: 2, To: 1}), 2, 0.5, 2, 1}, // a collider
		{graph(dag.Edge{From: 0, To: 1}), 1, 2. / 3, 1, 2. / 3},
		{graph(), 2, 0, 2, 0},
	} {
		for _, classes := range []bool{false, true} {
			want := study.SVIDAGScores{ESHD: study.Number(row.directed), F1: study.Number(row.f1)}
			if classes {
				want.ESHD, want.F1 = study.Number(row.classes), study.Number(row.skeleton)
			}
			got := must.Get(study.JudgeSVIDAG(row.g, chain, classes))(t)
			if got.ESHD != want.ESHD || math.Abs(float64(got.F1-want.F1)) > 1e-12 {
				t.Errorf("%v, classes %t: E-SHD %v and F1 %v, want %v and %v", row.g.Edges(),
					classes, got.ESHD, got.F1, want.ESHD, want.F1)
			}
		}
	}
}
